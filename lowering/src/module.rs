//! A module, as far as laws look at it.

use std::collections::BTreeSet;

use checker::objects::AccessKind;

use crate::{
    error::ModulePlace,
    layout::{Constant, Layouts, Type},
};

/// A module that a compiler emitted.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Target triple of LLVM IR; empty in SPIR-V.
    pub triple: String,
    /// Version of SPIR-V, major and minor; `None` in LLVM IR.
    pub spirv_version: Option<(u8, u8)>,
    /// Sizes and alignments of types.
    pub layouts: Layouts,
    /// Variables of the module.
    pub globals: Vec<Global>,
    /// Functions, declared ones too.
    pub functions: Vec<Function>,
    /// Casts between address spaces in constants that several functions may use; none in LLVM IR.
    pub constant_casts: Vec<Cast>,
    /// Entry points; none in LLVM IR.
    pub entry_points: Vec<EntryPoint>,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name; empty if it has none.
    pub name: String,
    /// Number of its address space, or storage class.
    pub space: u32,
    /// Type of the object.
    pub ty: Type,
    /// Alignment that is written.
    pub alignment: Option<u64>,
    /// Whether the module only declares it.
    pub is_declared: bool,
    /// Whether the module cannot write it.
    pub is_constant: bool,
    /// Value that the module gives the variable.
    pub initializer: Option<Constant>,
    /// Place of the variable.
    pub place: ModulePlace,
}

/// A function, defined or declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in the module, mangled or not.
    pub name: String,
    /// Whether the module only declares it.
    pub is_declared: bool,
    /// Parameters in their order.
    pub parameters: Vec<Parameter>,
    /// Variables of the function.
    pub variables: Vec<Variable>,
    /// Casts between address spaces.
    pub casts: Vec<Cast>,
    /// Accesses by pointers that the function has from elsewhere; not those of variables by their names, whose space is
    /// the variable's.
    pub accesses: Vec<Access>,
    /// Pointers whose bits are all zero, with which others are compared, in LLVM IR; none in SPIR-V, which has null
    /// pointers of its own.
    pub zero_pointers: Vec<ZeroPointer>,
    /// Names of the variables and functions of the module that the body names.
    pub names: BTreeSet<String>,
    /// Place of the function.
    pub place: ModulePlace,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name; empty if it has none.
    pub name: String,
    /// Number of the address space that it points into; `None` for a value other than a pointer.
    pub points_into: Option<u32>,
    /// Type of the object that the caller passes a copy of by a pointer.
    pub copy_of: Option<Type>,
    /// Type of the object of the caller's that the function must not write, and copies itself.
    pub reference_to: Option<Type>,
    /// Type of the object of the caller's that gets the function's result.
    pub result_slot: Option<Type>,
    /// Alignment that is written.
    pub alignment: Option<u64>,
}

/// A variable of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name; empty if it has none.
    pub name: String,
    /// Number of its address space, or storage class.
    pub space: u32,
    /// Type of the object.
    pub ty: Type,
    /// Alignment that is written.
    pub alignment: Option<u64>,
    /// Place of the variable.
    pub place: ModulePlace,
}

/// A cast of a pointer from one address space to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    /// Number of the address space before.
    pub from: u32,
    /// Number of the address space after.
    pub to: u32,
    /// Place of the cast.
    pub place: ModulePlace,
}

/// A read or a write of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether memory is read or written.
    pub kind: AccessKind,
    /// Number of the address space, or storage class, of the pointer.
    pub space: u32,
    /// Place of the instruction.
    pub place: ModulePlace,
}

/// A pointer whose bits are all zero: `null` in LLVM IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroPointer {
    /// Number of the address space that it points into.
    pub into: u32,
    /// Place of the constant.
    pub place: ModulePlace,
}

/// An entry point of SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// Name of the kernel.
    pub name: String,
    /// Names of the variables in its interface.
    pub interface: BTreeSet<String>,
    /// Names of the variables that the kernel, and the functions that it calls, use.
    pub uses: BTreeSet<String>,
    /// Place of the entry point.
    pub place: ModulePlace,
}
