//! Random programs as trees: every value and place has its type.

use expectations::space::AddressSpace;

use super::types::{Scalar, Ty, Types};

/// A program, its arguments, and the order in which its kernels are launched.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) types: Types,
    /// The variables, those of functions too.
    pub(super) variables: Vec<Variable>,
    /// Declarations and definitions at file scope, in order.
    pub(super) file_scope: Vec<Item>,
    /// Functions that are not kernels; each calls only those before it.
    pub(super) helpers: Vec<Helper>,
    /// Kernels, all with the same parameters first.
    pub(super) kernels: Vec<Kernel>,
    /// Arguments of the kernels, in the order of their parameters.
    pub(super) arguments: Vec<Argument>,
    /// Kernels that are launched, in order.
    pub(super) launches: Vec<usize>,
    /// Work-items.
    pub(super) items: u32,
    /// Work-items of a group; their number divides that of all.
    pub(super) group: u32,
    /// The dimensions, whose products are the numbers of work-items and of those of a group.
    pub(super) axes: Vec<Axis>,
    pub(super) spelling: Spelling,
}

impl Program {
    /// Adds a variable with a name of its own.
    pub(super) fn add_variable(&mut self, variable: Variable) -> VariableId {
        let id = VariableId(self.variables.len() as u16);
        self.variables.push(Variable { named_as: id, ..variable });
        id
    }

    /// Returns the variables at program scope, in order.
    pub(super) fn file_scope_variables(&self) -> impl Iterator<Item = VariableId> {
        self.file_scope.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(*variable),
            _ => None,
        })
    }
}

/// A dimension of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// Work-items of a group.
    pub(super) group: u32,
    pub(super) groups: u32,
}

/// A declaration or definition at file scope.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A structure or union, by its place in [`Types::records`].
    Record(u16),
    /// An enumerated type, by its place in [`Types::enumerations`].
    Enumeration(u16),
    /// `typedef T name;`
    Alias(Ty),
    Variable(VariableId),
    /// The definition of a variable that was declared `extern`.
    Definition(VariableId),
    /// The declaration of a helper ahead of its definition.
    Prototype(usize),
    /// A helper, by its place in [`Program::helpers`].
    Helper(usize),
    /// A kernel, by its place in [`Program::kernels`].
    Kernel(usize),
    /// Lines of text.
    Text(String),
    /// The edited part.
    Fork(Box<Fork<Item>>),
}

/// One of the two programs of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The valid one.
    Control,
    /// The edited one.
    Edited,
}

/// Two versions of one part.
#[derive(Clone, Debug)]
pub(super) struct Fork<T> {
    /// The part in the control.
    pub(super) control: T,
    /// The part in the edited program.
    pub(super) edited: T,
}

impl<T> Fork<T> {
    /// Returns the version of one of the programs.
    pub(super) fn on(&self, side: Side) -> &T {
        match side {
            Side::Control => &self.control,
            Side::Edited => &self.edited,
        }
    }
}

/// Spellings that mean the same, chosen for the whole program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spelling {
    /// A bit per space: whether it is written with underscores.
    pub(super) underscored: u8,
    /// A bit per space: whether it is written through a macro.
    pub(super) through_macro: u8,
    /// The place of the space beside the type.
    pub(super) space: SpacePosition,
    /// Whether `private` is written before a pointee where it is inferred.
    pub(super) private_pointees: bool,
    /// Whether `private` is written before a private variable.
    pub(super) private_objects: bool,
    /// Whether kernels are declared `__kernel`.
    pub(super) underscored_kernel: bool,
}

/// The place of a space in a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SpacePosition {
    /// `global int *`
    #[default]
    BeforeType,
    /// `int global *`
    AfterType,
}

/// A variable, by its place in [`Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct VariableId(pub(super) u16);

#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// The type.
    pub(super) ty: Ty,
    /// The space it is in.
    pub(super) space: AddressSpace,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    /// `static `, `extern ` or nothing.
    pub(super) storage: &'static str,
    /// Whether it is at program scope, where its name needs the case's prefix.
    pub(super) is_program_scope: bool,
    /// The variable whose name it has; itself unless it hides another.
    pub(super) named_as: VariableId,
    /// The initializer; local variables have none.
    pub(super) initializer: Option<Initializer>,
}

impl Variable {
    /// Returns a private variable without an initializer.
    pub(super) const fn private(ty: Ty) -> Self {
        Self {
            ty,
            space: AddressSpace::Private,
            is_const: false,
            is_volatile: false,
            storage: "",
            is_program_scope: false,
            named_as: VariableId(0),
            initializer: None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Initializer {
    Value(Expression),
    /// Values of elements or members, every one.
    List(Vec<Initializer>),
    /// A string literal, the characters of an array with what ends it.
    Text(Vec<u8>),
    /// The value of the element or member of that number; the others are zero.
    Designated(u16, Box<Initializer>),
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// A buffer of this many elements of a type, with the initial values of its leaves; the kernel's own variable for
    /// it is a pointer.
    Buffer {
        /// The type of an element.
        element: Ty,
        /// The values of all leaves.
        values: Vec<i128>,
    },
    /// Local memory of this many elements for each work-item of the group.
    Local {
        /// The type of an element.
        element: Ty,
        /// Elements for each work-item.
        per_item: u16,
    },
    /// A number.
    Scalar(Scalar, i128),
    /// A vector, structure or union by value, with the values of all leaves.
    Object {
        /// The type of the object.
        ty: Ty,
        values: Vec<i128>,
    },
}

/// A function that is not a kernel.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub(super) parameters: Vec<VariableId>,
    /// The type of its result.
    pub(super) result: Ty,
    /// Whether the compiler is told not to inline it.
    pub(super) is_noinline: bool,
    /// `static `, `static inline ` or nothing.
    pub(super) storage: &'static str,
    /// Steps before the statements. A helper that has some is called only by [`Step::Call`].
    pub(super) steps: Vec<Step>,
    /// The statements; the last one is a [`Statement::Return`].
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct Kernel {
    /// The parameters: one for each of the program's arguments, and then those that no program has a value for.
    pub(super) parameters: Vec<VariableId>,
    /// The operation.
    pub(super) steps: Vec<Step>,
}

/// A step that the work-items of a group take before any of them continues: all of them, or those that reach it. The
/// steps may be taken one after the other because none reads what another writes in the same step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Each executes a statement.
    Each(Statement),
    /// A local variable, one for the group.
    Local(VariableId),
    /// A variable that lives as long as the program: a table in constant, or a static one in global.
    Static(VariableId),
    Barrier(Fence),
    /// Steps that are taken this many times; the variable counts from zero.
    Repeat(VariableId, u32, Vec<Step>),
    /// `async_work_group_copy` and the wait for it, between barriers: this many elements.
    Copy {
        /// A pointer to local memory, the same for all work-items.
        to: Expression,
        /// A pointer to global memory, the same for all.
        from: Expression,
        /// Number of elements.
        count: u32,
    },
    /// `if (c) { ... } else { ... }`
    If(Expression, Vec<Step>, Vec<Step>),
    /// `switch (value) { case 0: ... break; ... default: ... }`; the last list is the default.
    Switch(Expression, Vec<Vec<Step>>),
    /// `if (c) goto end; { ... } end: ;`
    Skip(Expression, Vec<Step>),
    Loop(Loop),
    /// `if (c) break;` or `continue;` in a loop of steps.
    Leave(Expression, Leave),
    /// `if (c) return;`, with a value in a helper.
    Return(Expression, Option<Expression>),
    /// A private variable is declared with the result of a call of a helper that has steps.
    Call(VariableId, Call),
    /// A private `uint` is declared with the result of a function of the whole group.
    Collective(VariableId, Collective, Expression),
}

/// A loop of steps.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) form: LoopForm,
    /// The counter, a `uint`.
    pub(super) counter: VariableId,
    /// The number that the counter stays below, as `uint`.
    pub(super) bound: Expression,
    pub(super) body: Vec<Step>,
}

/// The form of a loop of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopForm {
    /// `for (uint i = 0; i < bound; i++)`
    For,
    /// `while (i-- > 0)`, where `i` begins with the bound.
    While,
    /// `do { ... } while (++i < bound);`, at least once.
    Do,
}

/// A function of the whole group ([work-group-functions]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collective {
    /// `work_group_any`: whether it is so for one.
    Any,
    /// `work_group_all`: whether it is so for all.
    All,
    /// `work_group_broadcast`: the number of the work-item that has this local id.
    Broadcast(u32),
    ReduceAdd,
    ReduceMinimum,
    ReduceMaximum,
    ScanInclusiveAdd,
    ScanExclusiveAdd,
}

/// The memory that a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fence {
    /// Local memory.
    Local,
    /// Global memory.
    Global,
    Both,
}

impl Fence {
    /// Whether it orders accesses to memory of that space.
    pub(super) fn orders(self, space: AddressSpace) -> bool {
        match space {
            AddressSpace::Local => self != Self::Global,
            AddressSpace::Global => self != Self::Local,
            _ => false,
        }
    }
}

/// A statement of one work-item.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// A private variable is declared.
    Declare(VariableId),
    /// A private variable is declared with the result of a call.
    DeclareCall(VariableId, Call),
    /// `place = value;`
    Assign(Place, Expression),
    /// `place op= value;`, of numbers.
    Update(Binary, Place, Expression),
    /// `*p = value;` by a function that is named for the width: `vstore4(value, index, p);`
    StoreVector(Expression, Expression, Expression),
    /// An object copied byte by byte, from where the second pointer points to where the first does.
    CopyBytes(Expression, Expression),
    /// An atomic function whose result is not used.
    Atomic(AtomicCall),
    /// A private `uint` is declared with the result of an atomic function.
    DeclareAtomic(VariableId, AtomicCall),
    /// `do { ... } while (0);`
    Once(Vec<Statement>),
    /// `if (c) { ... } else { ... }`
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// `for (uint i = 0; i < count; i++) { ... }`
    For(VariableId, u32, Vec<Statement>),
    /// `switch (value) { case 0: ... break; ... default: ... }`; the last list is the default.
    Switch(Expression, Vec<Vec<Statement>>),
    /// `if (c) break;` or `continue;` in a loop.
    Leave(Expression, Leave),
    /// `return value;`
    Return(Expression),
    /// A statement that the evaluator does not know.
    Form(Form),
    /// Lines of text, which the evaluator does not know.
    Text(String),
    /// The edited part.
    Fork(Box<Fork<Statement>>),
}

/// A statement as a pattern; each `{}` in it stands for the next of the values.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The lines before the body.
    pub(super) before: &'static str,
    /// Statements between them.
    pub(super) body: Vec<Statement>,
    /// The lines after the body.
    pub(super) after: &'static str,
    /// Values of the pattern, in order.
    pub(super) values: Vec<Expression>,
}

impl Form {
    /// Returns a statement without a body.
    pub(super) fn simple(before: &'static str, values: Vec<Expression>) -> Statement {
        Statement::Form(Self { before, body: Vec::new(), after: "", values })
    }
}

/// An early end of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Break,
    Continue,
}

/// A call of a helper.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The helper, by its place in [`Program::helpers`].
    pub(super) helper: usize,
    pub(super) arguments: Vec<Expression>,
}

/// A value with its type.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    /// The type.
    pub(super) ty: Ty,
    /// The operation.
    pub(super) node: Node,
}

impl Expression {
    pub(super) const fn new(ty: Ty, node: Node) -> Self {
        Self { ty, node }
    }

    /// Returns a number.
    pub(super) const fn literal(ty: Ty, value: i128) -> Self {
        Self::new(ty, Node::Literal(value))
    }
}

/// The operation that gives a value.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A number.
    Literal(i128),
    /// `get_global_id(0)` and its kin, as `uint`.
    WorkItem(WorkItem),
    /// The value in a place.
    Read(Place),
    /// `~x`, or `-x` of unsigned numbers.
    Complement(Box<Expression>),
    /// An operator on two numbers of the type.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// A comparison of two numbers of one type: 0 or 1 as `int`.
    Compare(Compare, Box<Expression>, Box<Expression>),
    /// `(T)x`, the same number.
    Convert(Box<Expression>),
    /// The sum of the bytes of a number that a pointer points to, read one by one, as `uint`: in any order of the
    /// bytes.
    Bytes(Box<Expression>),
    /// `as_T(x)`, the same bits.
    Reinterpret(Box<Expression>),
    /// `c ? x : y`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A function of numbers.
    Function(NumberFunction, Vec<Expression>),
    /// `(uint4)(a, b, c, d)`
    Vector(Vec<Expression>),
    /// `atomic_load` of the object that a pointer points to.
    AtomicLoad(Box<Expression>, Manner),
    /// `vload4(index, p)`
    LoadVector(Box<Expression>, Box<Expression>),
    /// `&place`; of the first element of an array as the array, where [`Place::Element`] has the index 0.
    Address(Place),
    /// `p + index`
    Offset(Box<Expression>, Box<Expression>),
    /// A pointer converted without a word.
    Implicit(Box<Expression>),
    /// A pointer converted by a cast.
    Cast(Box<Expression>),
    /// `to_global(p)` and its kin, of a pointer into the space of the type, or of null.
    ToSpace(Box<Expression>),
    /// `p == q`, or `!=`: 0 or 1 as `int`.
    SamePlace(bool, Box<Expression>, Box<Expression>),
    /// `p == 0`, or `!=`.
    IsNull(bool, Box<Expression>),
    /// `p < q` within one object.
    Before(Box<Expression>, Box<Expression>),
    /// `(int)(p - q)` within one object.
    Distance(Box<Expression>, Box<Expression>),
    /// A string literal as a pointer into constant, with what ends it; no two of a program are equal.
    Text(Vec<u8>),
    /// `0` as a pointer.
    Null,
    /// An expression that the evaluator does not know, as a pattern: each `{}` in it stands for the next of the
    /// values, each `{T}` for the type.
    Form(&'static str, Vec<Expression>),
    /// A constant of an enumerated type: the type's place in [`Types::enumerations`], and the constant's in the type.
    Enumerator(u16, u16),
    /// `(T){ ... }`
    CompoundLiteral(Box<Initializer>),
    /// The edited part.
    Fork(Box<Fork<Expression>>),
}

/// A query of a work-item about its place. In several dimensions the numbers count along the first at first; those of
/// all work-items count group by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkItem {
    GlobalId,
    LocalId,
    GroupId,
    LocalSize,
    Groups,
}

/// Operators on two numbers of one type, whose result has it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
}

/// Functions of numbers of one type, or of vectors of them, whose result has it too ([integer-functions],
/// [math-functions]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberFunction {
    Minimum,
    Maximum,
    Clamp,
    Rotate,
    LeadingZeros,
    HalvingAdd,
    HighProduct,
    SaturatingAdd,
    SaturatingSubtract,
}

impl NumberFunction {
    /// Whether there is such a function of `float`, exact for every operand ([relative-error-as-ulps]).
    pub(super) fn takes_floats(self) -> bool {
        matches!(self, Self::Minimum | Self::Maximum | Self::Clamp)
    }
}

/// A call of an atomic function.
#[derive(Clone, Debug)]
pub(super) struct AtomicCall {
    pub(super) operation: AtomicOperation,
    /// A pointer to the object.
    pub(super) object: Expression,
    /// The other number.
    pub(super) operand: Expression,
    /// The way it is called.
    pub(super) manner: Manner,
}

/// The operation of an atomic function ([operations-on-atomic-types]).
#[derive(Clone, Debug)]
pub(super) enum AtomicOperation {
    /// `atomic_init`, which is not atomic.
    Initialize,
    Store,
    Exchange,
    /// The strong one, with a pointer to what is expected.
    CompareExchange(Expression),
    /// `atomic_fetch_add` and its kin, or the functions of 1.1.
    Fetch(AtomicFunction),
}

/// The way an atomic function is called: the order, the scope and the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    pub(super) order: Order,
    pub(super) scope: Scope,
    pub(super) form: CallForm,
}

/// `memory_order` ([order-and-consistency]). What programs compute does not depend on it: barriers order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// `memory_scope` ([memory-scope]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Scope {
    Group,
    Device,
}

/// The form of a call of an atomic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallForm {
    /// The functions of 1.1, which are relaxed and of the device.
    Legacy,
    /// `f_explicit(..., order, scope)`
    OrderAndScope,
    /// `f_explicit(..., order)`: of the device.
    Order,
    /// `f(...)`: sequentially consistent, of the device.
    Short,
}

impl Manner {
    /// The functions of 1.1.
    pub(super) const LEGACY: Self =
        Self { order: Order::Relaxed, scope: Scope::Device, form: CallForm::Legacy };

    /// Whether 3.0 leaves it to the device to have it.
    pub(super) fn is_optional(self) -> bool {
        self.form != CallForm::Legacy
            && (self.order != Order::Relaxed || self.scope == Scope::Device)
    }
}

/// A function that is computed atomically ([operations-on-atomic-types]). Calls of one kind commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum AtomicFunction {
    Add,
    Subtract,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
}

/// A place in memory.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The type of the object there.
    pub(super) ty: Ty,
    /// The place.
    pub(super) node: PlaceNode,
}

/// The way to a place.
#[derive(Clone, Debug)]
pub(super) enum PlaceNode {
    Variable(VariableId),
    /// `array[index]`
    Element(Box<Place>, Box<Expression>),
    /// `record.member`
    Member(Box<Place>, u16),
    /// `vector.sN`, which has no address.
    Component(Box<Place>, u8),
    /// `*p`, or `p[index]`.
    Target(Box<Expression>, Option<Box<Expression>>),
}
