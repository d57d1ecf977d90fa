//! Names in a program with the declarations that they mean, for editors.

use crate::span::Span;

/// A name of a variable, a parameter or a function, in an expression or where it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Place of the name.
    pub place: Span,
    /// Place of the name in its declaration.
    pub declaration: Span,
    /// Type and address spaces of the declared thing with the clause that decides, as Markdown.
    pub text: String,
}
