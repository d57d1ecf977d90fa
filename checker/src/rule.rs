//! The table of the rules that the checker enforces. Ids, texts and switches come from it.
//!
//! The rules on address spaces come first. After them comes the family `c`: constraints of C99, and of the parts of
//! the `OpenCL` C specification that replace them, whose violation no compiler accepts. Address spaces play no part in
//! these; a program that breaks one is not `OpenCL` C.

/// Id, requirement and clause of a rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// Stable id, `family/name`.
    pub id: &'static str,
    /// The requirement, in one sentence.
    pub summary: &'static str,
    /// Anchor of the clause in the `OpenCL` C specification, or `C99` and the number of the clause in C99.
    pub clause: &'static str,
}

/// Address of the document whose clauses the rules cite.
pub const SPECIFICATION: &str =
    "https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html";

/// Address of the text of C99 that is public: the standard with its three corrigenda.
pub const C99: &str = "https://www.open-std.org/jtc1/sc22/wg14/www/docs/n1256.pdf";

impl RuleInfo {
    /// Returns the address of its clause.
    pub fn url(&self) -> String {
        match self.clause.strip_prefix("C99 ") {
            Some(number) => format!("{C99}#{number}"),
            None => format!("{SPECIFICATION}#{}", self.clause),
        }
    }
}

macro_rules! rules {
    ($($variant:ident $id:literal $clause:literal $summary:literal)*) => {
        /// A requirement of the language whose violation makes a program ill-formed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each variant's text is its entry in the table")]
        pub enum Rule { $($variant),* }

        impl Rule {
            /// Every rule, in the order of the table.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// Returns id, requirement and clause.
            pub const fn info(self) -> RuleInfo {
                match self {
                    $(Rule::$variant => RuleInfo { id: $id, summary: $summary, clause: $clause }),*
                }
            }
        }
    };
}

rules! {
    QualifierConflicting "qualifier/conflicting" "address-space-qualifiers" "a type carries at most one address space at each level, also through typedefs"
    QualifierReservedName "qualifier/reserved-name" "address-space-qualifiers" "global, local, constant, private, generic and their __ spellings are reserved and cannot name anything else"
    QualifierGenericSpelled "qualifier/generic-spelled" "address-space-qualifiers" "generic and __generic are reserved, not qualifiers a program may write"
    QualifierFunctionType "qualifier/function-type" "address-space-qualifiers" "a function type cannot be qualified by an address space"
    QualifierArrayBrackets "qualifier/array-brackets" "address-space-qualifiers" "qualifiers and static are allowed only in the outermost brackets of an array parameter"
    QualifierRestrict "qualifier/restrict" "restrictions" "restrict can qualify only pointer types"
    QualifierCompoundLiteral "qualifier/compound-literal" "address-space-qualifiers" "a compound literal inside a function cannot have an address-space qualified type"
    QualifierConstWrite "qualifier/const-write" "restrictions" "an object cannot be written through a const-qualified lvalue"
    DeclarationProgramScopeSpace "declaration/program-scope-space" "usage-for-declaration-scopes-and-variable-types" "a program-scope variable must be in global or constant, never in local or private"
    DeclarationGlobalUnsupported "declaration/global-unsupported" "usage-for-declaration-scopes-and-variable-types" "without program-scope global variables, every program-scope, static or extern variable must be qualified by constant"
    DeclarationLocalNestedScope "declaration/local-nested-scope" "usage-for-declaration-scopes-and-variable-types" "a local variable must be declared in the outermost scope of a kernel, not in a nested one"
    DeclarationLocalOutsideKernel "declaration/local-outside-kernel" "usage-for-declaration-scopes-and-variable-types" "a local variable can be declared only in a kernel function"
    DeclarationConstantNestedScope "declaration/constant-nested-scope" "usage-for-declaration-scopes-and-variable-types" "a constant variable without static or extern must be declared in the outermost scope of a kernel, not in a nested one"
    DeclarationConstantOutsideKernel "declaration/constant-outside-kernel" "usage-for-declaration-scopes-and-variable-types" "a constant variable without static or extern must be declared at program scope or in a kernel, not in another function"
    DeclarationAutomaticGlobal "declaration/automatic-global" "storage-class-specifiers" "a global variable inside a function must be static or extern"
    DeclarationStaticSpace "declaration/static-space" "storage-class-specifiers" "static can be used only with global or constant variables"
    DeclarationExternSpace "declaration/extern-space" "storage-class-specifiers" "extern can be used only with global or constant variables"
    DeclarationStorageClassVersion "declaration/storage-class-version" "storage-class-specifiers" "extern and static require OpenCL C 1.2 or newer"
    DeclarationAutoRegister "declaration/auto-register" "storage-class-specifiers" "auto and register are not supported"
    DeclarationStaticKernel "declaration/static-kernel" "storage-class-specifiers" "a kernel function cannot be static"
    DeclarationConflicting "declaration/conflicting" "address-space-qualifiers" "redeclarations of an object or function must agree in every address space"
    DeclarationArraySize "declaration/array-size" "restrictions" "array sizes are constant: variable length and unsized arrays are not supported"
    InitializerLocal "initializer/local" "initialization" "a local variable cannot have an initializer"
    InitializerConstantMissing "initializer/constant-missing" "initialization" "a constant variable must have an initializer"
    InitializerNotConstant "initializer/not-constant" "initialization" "variables that are in constant, at program scope or static can be initialized only with constant expressions"
    InitializerExternInFunction "initializer/extern-in-function" "storage-class-specifiers" "an extern declaration inside a function cannot have an initializer"
    InitializerAtomicMacro "initializer/atomic-macro" "atomic-functions" "ATOMIC_VAR_INIT and ATOMIC_FLAG_INIT can initialize only program-scope objects in global"
    ReturnQualified "return/qualified" "address-space-qualifiers" "a return type cannot be qualified by an address space, only what it points to can"
    ParameterQualified "parameter/qualified" "address-space-qualifiers" "a parameter itself cannot be qualified by global, local or constant, only what it points to can"
    ParameterKernelPointee "parameter/kernel-pointee" "usage-for-declaration-scopes-and-variable-types" "a kernel's pointer or array parameter must point to global, local or constant"
    ParameterKernelPointerToPointer "parameter/kernel-pointer-to-pointer" "restrictions" "before OpenCL C 2.0 a kernel parameter cannot be a pointer to a pointer"
    ParameterKernelType "parameter/kernel-type" "restrictions" "a kernel parameter cannot have, or contain, a type without a portable size or meaning on the host"
    ParameterVariadic "parameter/variadic" "restrictions" "variadic functions are not supported"
    ConversionImplicit "conversion/implicit" "addr-spaces-conversions" "a pointer converts implicitly only to a pointer whose address space encloses its own"
    ConversionCast "conversion/cast" "addr-spaces-conversions" "a pointer cannot be cast to a pointer into a space that does not overlap its own"
    ConversionNested "conversion/nested" "addr-spaces-conversions" "below the outermost pointer, address spaces never convert implicitly"
    ExpressionCompare "expression/compare" "addr-spaces-conversions" "compared pointers must point into overlapping spaces"
    ExpressionSubtract "expression/subtract" "addr-spaces-conversions" "subtracted pointers must point into overlapping spaces"
    ExpressionConditional "expression/conditional" "addr-spaces-conversions" "the second and third operands of ?: must point into overlapping spaces"
    ExpressionNested "expression/nested" "addr-spaces-conversions" "pointers compared, subtracted or joined by ?: must agree in every space below the outermost pointer"
    ExpressionVectorComponentAddress "expression/vector-component-address" "vector-components" "the address of a vector component cannot be taken"
    ConstantWrite "constant/write" "constant-or-constant" "nothing in the constant space can be written, including string literals"
    MemberQualified "member/qualified" "address-space-qualifiers" "the type of a struct or union member cannot be qualified by an address space"
    TypeImageQualified "type/image-qualified" "restrictions" "an image type cannot be qualified by an address space"
    TypeImageUse "type/image-use" "restrictions" "an image type can be used only for a function parameter, not for a variable, member, array, pointer or return type"
    TypeImageAccess "type/image-access" "restrictions" "an image can be accessed only through built-in functions and cannot be modified"
    TypeSamplerQualified "type/sampler-qualified" "restrictions" "a sampler cannot be qualified by local or global"
    TypeSamplerUse "type/sampler-use" "restrictions" "a sampler can only be a parameter, or a variable at program scope or in a kernel, not a member, array, pointer or return type; it cannot be modified"
    TypeEventQualified "type/event-qualified" "restrictions" "an event cannot be qualified by local, constant or global"
    TypeEventUse "type/event-use" "restrictions" "an event cannot be a program-scope variable, a member or a kernel parameter"
    TypeProgramScope "type/program-scope" "restrictions" "clk_event_t, reserve_id_t, queue_t and ndrange_t cannot be declared at program scope"
    TypeHalf "type/half" "the-half-data-type" "without cl_khr_fp16, half is a storage format: it can only be pointed to, not used for variables or arithmetic"
    TypePipeUse "type/pipe-use" "pipe-functions" "a pipe can only be a function parameter, not a variable, member, array or pointer"
    TypeBlockPointer "type/block-pointer" "blocks" "pointers to blocks and arrays of blocks are not allowed"
    TypeFunctionPointer "type/function-pointer" "restrictions" "pointers to functions are not allowed"
    TypeByteStore "type/byte-store" "restrictions" "OpenCL C 1.0 cannot store objects smaller than 32 bits without cl_khr_byte_addressable_store"
    BuiltinArgument "builtin/argument" "built-in-functions" "a pointer passed to a built-in function must point into a space that one of its overloads accepts"
    BuiltinUnavailable "builtin/unavailable" "built-in-functions" "a built-in function or constant exists only in the versions and with the features that the specification names"
    BlockEnqueueParameter "block/enqueue-parameter" "enqueuing-kernels" "every parameter of a block given to enqueue_kernel must be a pointer to local void"
    BlockCaptureWrite "block/capture-write" "blocks" "a variable captured by a block is const inside it"
    BlockInitializer "block/initializer" "blocks" "a block variable must be initialized where it is declared and cannot be assigned again"
    BlockTypeMismatch "block/type-mismatch" "blocks" "a block literal must agree with its block variable in every address space"
    KernelMain "kernel/main" "restrictions" "a function cannot be called main"
    KernelReturnType "kernel/return-type" "restrictions" "a kernel must return void"
    CCaseTwice "c/case-twice" "C99 6.8.4.2" "the case labels of a switch must have different values, and at most one of its labels can be default"
    CCaseOutside "c/case-outside" "C99 6.8.1" "a case or default label must be in a switch"
    CCaseConstant "c/case-constant" "C99 6.8.4.2" "the value of a case label must be an integer constant expression"
    CJumpOutside "c/jump-outside" "C99 6.8.6" "break must be in a loop or a switch, and continue in a loop"
    CLabelMissing "c/label-missing" "C99 6.8.6.1" "goto must name a label of its function"
    CLabelTwice "c/label-twice" "C99 6.8.1" "the labels of a function must have different names"
    CCondition "c/condition" "C99 6.8.4" "the condition of a statement must be a scalar, and that of a switch an integer"
    CReturnValue "c/return-value" "C99 6.8.6.4" "a function must return a value unless its type is void"
    COperands "c/operands" "operators" "the operands of an operator must have types that it is defined for"
    CVectorOperands "c/vector-operands" "usual-arithmetic-conversions" "the vectors in one operation must have the same type"
    CVectorLiteral "c/vector-literal" "vector-literals" "a vector literal must have as many components as its type, or one scalar"
    CVectorComponents "c/vector-components" "vector-components" "the selected components must exist in the vector, and their number must be the size of a vector"
    CMember "c/member" "C99 6.5.2.3" "the selected member must be a member of the structure or union"
    CSubscript "c/subscript" "C99 6.5.2.1" "a subscript must be an integer, applied to a pointer, an array or a vector"
    CIndirection "c/indirection" "operators-indirection" "the operand of unary * and -> must be a pointer"
    CAddress "c/address" "operators-address" "the operand of unary & must be an object"
    CAssignable "c/assignable" "operators-assignment" "an assigned, incremented or decremented expression must designate an object that can be written as a whole"
    CAssignment "c/assignment" "C99 6.5.16.1" "an assigned, passed, returned or initializing value must convert implicitly to its target type"
    CCast "c/cast" "explicit-casts" "a cast can only convert scalars, and scalars to vectors"
    CArgumentCount "c/argument-count" "C99 6.5.2.2" "a call must have as many arguments as the function has parameters"
    CCallee "c/callee" "C99 6.5.2.2" "the called expression must be a function or a block"
    CUndeclaredFunction "c/undeclared-function" "C99 6.5.1" "a function must be declared before it is called"
    CDeclaredTwice "c/declared-twice" "C99 6.7" "a parameter, member, enumeration constant or variable of a block can have only one declaration in its scope"
    CDefinedTwice "c/defined-twice" "C99 6.9" "a function, variable, structure, union or enumeration can have only one definition in its scope"
    COtherType "c/other-type" "C99 6.7" "the declarations of a name in one scope must have compatible types"
    CIncompleteType "c/incomplete-type" "C99 6.7" "a variable, member, parameter or element must have a complete type other than void"
    CBlock "c/block" "blocks" "blocks exist in OpenCL C 2.0, and in 3.0 with __opencl_c_device_enqueue"
    CRecursion "c/recursion" "restrictions" "a function cannot call itself, directly or through other functions"
}

impl Rule {
    /// Returns the rules on address spaces, in the order of the table. The others are the rules of plain C that every
    /// compiler enforces.
    pub fn of_address_spaces() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|rule| !rule.is_of_c())
    }

    /// Whether the rule is one of plain C: it has nothing to do with address spaces.
    pub fn is_of_c(self) -> bool {
        self >= Self::CCaseTwice
    }

    /// Returns the stable id, `family/name`.
    pub const fn id(self) -> &'static str {
        self.info().id
    }

    /// Returns the rule of that id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id() == id)
    }
}

const _: () =
    assert!(Rule::ALL.len() <= u128::BITS as usize, "a `RuleSet` has a bit for each rule");

/// A set of rules, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSet(u128);

impl RuleSet {
    /// No rule.
    pub const EMPTY: Self = Self(0);

    /// Returns this set with `rule` added.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u8)
    }

    /// Whether `rule` is in the set.
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u8) != 0
    }
}
