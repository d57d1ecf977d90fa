//! The laws, each with the sentence of the specification that it comes from.

/// A law about modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// A program-scope or static object is a variable of the module in its space.
    ProgramObject,
    /// A local object is a variable of the module in local.
    LocalObject,
    /// A private object is a variable of its function.
    PrivateObject,
    /// A string literal is a variable of the module in constant.
    StringLiteral,
    /// A parameter points into the space that is written.
    PointerParameter,
    /// A pointer in an object points into the space that is written.
    PointerObject,
    /// A structure that is passed by value is a copy.
    ParameterCopy,
    /// An initializer has the values of the text.
    Initializer,
    /// An object has the size of its type.
    ObjectSize,
    /// An object has at least the alignment of its type.
    ObjectAlignment,
    /// A pointer is cast between generic and a named space only.
    PointerCast,
    /// A function accesses the spaces that its expressions access.
    AccessSpace,
    /// A null pointer has the bits of the target's null pointer.
    NullPointer,
    /// A function whose name has the spaces of its pointers has such parameters.
    FunctionVariant,
    /// An entry point lists the variables that it uses.
    EntryInterface,
    /// A module has the form of its language.
    ModuleForm,
}

/// Facts about a law.
#[derive(Clone, Copy, Debug)]
pub struct LawFacts {
    /// Name in reports.
    pub name: &'static str,
    /// The law, in one sentence.
    pub statement: &'static str,
    /// Document and section that it comes from.
    pub clause: &'static str,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 16] = [
        Self::ProgramObject,
        Self::LocalObject,
        Self::PrivateObject,
        Self::StringLiteral,
        Self::PointerParameter,
        Self::PointerObject,
        Self::ParameterCopy,
        Self::Initializer,
        Self::ObjectSize,
        Self::ObjectAlignment,
        Self::PointerCast,
        Self::AccessSpace,
        Self::NullPointer,
        Self::FunctionVariant,
        Self::EntryInterface,
        Self::ModuleForm,
    ];

    /// Returns the facts about the law.
    pub const fn facts(self) -> LawFacts {
        match self {
            Self::ProgramObject => LawFacts {
                name: "program-object",
                statement: "a program-scope or static object that is needed is one variable of the module, in the space of its declaration",
                clause: "OpenCL_C [addr-spaces-inference]",
            },
            Self::LocalObject => LawFacts {
                name: "local-object",
                statement: "an object in local is one variable of the module in local, which the work-items of a group share, without an initial value",
                clause: "OpenCL_C [local]",
            },
            Self::PrivateObject => LawFacts {
                name: "private-object",
                statement: "an object in private is a variable of its function, so that each work-item has its own",
                clause: "OpenCL_C [private]",
            },
            Self::StringLiteral => LawFacts {
                name: "string-literal",
                statement: "a string literal is an object in constant",
                clause: "OpenCL_C [constant]",
            },
            Self::PointerParameter => LawFacts {
                name: "pointer-parameter",
                statement: "a pointer parameter points into the space of its declaration",
                clause: "OpenCL_C [address-space-qualifiers]",
            },
            Self::PointerObject => LawFacts {
                name: "pointer-object",
                statement: "a pointer in an object is a pointer of the module, into the space of its declaration",
                clause: "OpenCL_C [address-space-qualifiers]",
            },
            Self::ParameterCopy => LawFacts {
                name: "parameter-copy",
                statement: "a structure or union that is passed by value is a copy of the function's own, in private",
                clause: "OpenCL_C [addr-spaces-inference]",
            },
            Self::Initializer => LawFacts {
                name: "initializer",
                statement: "an object that lives as long as the program begins with the values of its initializer",
                clause: "OpenCL_C [initialization]",
            },
            Self::ObjectSize => LawFacts {
                name: "object-size",
                statement: "an object has the size of its type",
                clause: "OpenCL_C [alignment-of-types]",
            },
            Self::ObjectAlignment => LawFacts {
                name: "object-alignment",
                statement: "an object is aligned at least as strictly as its type",
                clause: "OpenCL_C [alignment-of-types]",
            },
            Self::PointerCast => LawFacts {
                name: "pointer-cast",
                statement: "a pointer is cast from one address space to another only from or to generic",
                clause: "OpenCL_C [addr-spaces-conversions]",
            },
            Self::AccessSpace => LawFacts {
                name: "access-space",
                statement: "a function reads and writes memory by pointers into those spaces only that its expressions read and write",
                clause: "OpenCL_C [address-space-qualifiers]",
            },
            Self::NullPointer => LawFacts {
                name: "null-pointer",
                statement: "a null pointer points to no object: where address 0 is an object's, no initializer has it and no pointer is compared with it",
                clause: "C99 [6.3.2.3]",
            },
            Self::FunctionVariant => LawFacts {
                name: "function-variant",
                statement: "a function whose mangled name has the address spaces of its pointers has parameters that point into them",
                clause: "OpenCL_C [addr-spaces-inference]",
            },
            Self::EntryInterface => LawFacts {
                name: "entry-interface",
                statement: "from SPIR-V 1.4 on, an entry point lists every variable of the module \
                     that it or a function that it calls uses; before, only those of Input and \
                     Output",
                clause: "SPIR-V [OpEntryPoint]",
            },
            Self::ModuleForm => LawFacts {
                name: "module-form",
                statement: "a module has the form of its language: in SPIR-V each instruction has the operands that it takes, no fewer and no more",
                clause: "SPIR-V [PhysicalLayout]",
            },
        }
    }
}
