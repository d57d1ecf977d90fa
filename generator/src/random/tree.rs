//! Random programs as trees: what the printer spells and the faults fork.

use expectations::{requirement::Requirement, space::AddressSpace};

pub(super) use super::names::Name;
use super::types::{Ty, Types};

/// A program, or two that differ in one fork.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) types: Types,
    /// Declarations and definitions in order.
    pub(super) items: Vec<Item>,
    /// A bit per feature that may be used.
    pub(super) features: u32,
    /// How things are spelled.
    pub(super) style: Style,
    /// What it needs besides its dialect.
    pub(super) requirements: Vec<Requirement>,
    /// What was edited, without what varies from seed to seed; empty where nothing was.
    pub(super) shape: String,
}

/// Which of the two programs of a fork.
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
    /// In the control.
    pub(super) control: T,
    /// In the edited program.
    pub(super) edited: T,
}

/// Spellings that mean the same, chosen for the whole program: a fork changes nothing elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    /// A bit per space: spelled with underscores.
    pub(super) underscored: u8,
    /// A bit per space: spelled through a macro.
    pub(super) through_macro: u8,
    /// The space stands after the type: `int global *`.
    pub(super) space_last: bool,
    /// `private` is written where it would be inferred, before a pointee and before an object.
    pub(super) explicit_private: bool,
    pub(super) underscored_kernel: bool,
}

/// Something at program scope.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// `struct S { ... };`
    Record(Ty),
    /// `enum E { ... };`
    Enumeration(Ty),
    /// `typedef T name;`
    Typedef(Ty, Name),
    /// A variable.
    Object(Declaration),
    /// A function declared ahead of its definition: by its place among the items' functions.
    Prototype(Box<Header>),
    Function(Box<Function>),
    /// Lines of text: `$` stands for the prefix, `@` marks the line as guilty.
    Text(String),
    /// The edited part.
    Fork(Box<Fork<Item>>),
}

/// What stands before the braces.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) is_kernel: bool,
    /// Words before the type: `static inline `, an attribute.
    pub(super) before: &'static str,
    pub(super) name: Name,
    /// What it returns.
    pub(super) result: Ty,
    pub(super) parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: Name,
    /// Its type.
    pub(super) ty: Ty,
    /// A pointer, written as an array: `T a[]`, of so many elements unless it is zero.
    pub(super) as_array: Option<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    /// What stands before the braces.
    pub(super) header: Header,
    /// What stands in them.
    pub(super) body: Vec<Statement>,
}

/// A variable's declaration.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    /// `static `, `extern ` or nothing.
    pub(super) storage: &'static str,
    /// The space as written; `None` leaves it to inference.
    pub(super) space: Option<AddressSpace>,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    /// The type.
    pub(super) ty: Ty,
    pub(super) name: Name,
    pub(super) initializer: Option<Expression>,
    /// The initializer says how many elements the array has.
    pub(super) is_unsized: bool,
}

impl Declaration {
    /// A declaration without qualifiers.
    pub(super) fn plain(ty: Ty, name: Name, initializer: Option<Expression>) -> Self {
        Self {
            storage: "",
            space: None,
            is_const: false,
            is_volatile: false,
            ty,
            name,
            initializer,
            is_unsized: false,
        }
    }
}

/// `int (^b)(int p) = ^(int p) { ...; return x; };`
#[derive(Clone, Debug)]
pub(super) struct Closure {
    pub(super) name: Name,
    pub(super) parameters: Vec<Parameter>,
    /// What stands in its braces; it ends with a `return` of an int.
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Declaration(Declaration),
    Expression(Expression),
    If(Expression, Vec<Statement>, Option<Vec<Statement>>),
    While(Expression, Vec<Statement>),
    Do(Vec<Statement>, Expression),
    /// `for` over a counter of its own.
    For(Declaration, Expression, Expression, Vec<Statement>),
    /// `switch` with its cases; the last is the default.
    Switch(Expression, Vec<Vec<Statement>>),
    Block(Vec<Statement>),
    Return(Option<Expression>),
    /// `break` or `continue`
    Jump(&'static str),
    /// `goto` over statements to a label after them.
    Goto(Name, Vec<Statement>),
    /// Statements after a label, and while the expression is not zero a `goto` back to it.
    Again(Name, Vec<Statement>, Expression),
    Nothing,
    /// A block of Apple's kind.
    Closure(Box<Closure>),
    /// Lines of text: `$` stands for the prefix, `@` marks the line as guilty.
    Text(String),
    /// The edited part.
    Fork(Box<Fork<Statement>>),
}

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(u32, &'static str),
    /// Text that is the same in every program; `$` stands for the prefix.
    Word(&'static str),
    Name(Name),
    /// `-x`
    Prefix(&'static str, Box<Expression>),
    /// `x++`
    Postfix(Box<Expression>, &'static str),
    /// `x + y`, assignments and the comma among them.
    Binary(&'static str, Box<[Expression; 2]>),
    /// `x ? y : z`
    Conditional(Box<[Expression; 3]>),
    /// `(T)x`
    Cast(Ty, Box<Expression>),
    /// `f(x)`
    Call(Name, Vec<Expression>),
    /// `min(x)`
    CallBuiltin(&'static str, Vec<Expression>),
    /// `x[y]`
    Index(Box<[Expression; 2]>),
    /// `x.m` or `x->m`
    Member(Box<Expression>, &'static str, Name),
    /// `(T){ ... }`
    CompoundLiteral(Ty, Vec<Element>),
    /// `(int4)(x, y)`
    VectorLiteral(Ty, Vec<Expression>),
    List(Vec<Element>),
    /// `sizeof(T)`
    SizeOf(Ty),
    /// The edited part.
    Fork(Box<Fork<Expression>>),
}

/// One initializer of a list.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// What it is for.
    pub(super) designator: Designator,
    pub(super) value: Expression,
}

/// What an initializer is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Designator {
    /// The next.
    None,
    /// `.m =`
    Member(Name),
    /// `[1] =`
    Index(u8),
    /// `[1][0] =`
    Indices(u8, u8),
    /// `[1].m =`
    IndexMember(u8, Name),
    /// `.m[1] =`
    MemberIndex(Name, u8),
}
