//! Preprocessed tokens, which the preprocessor hands to the parser.

pub use crate::keyword::Keyword;
use crate::{span::Span, symbol::Symbol};

/// The kind of a token. Keywords are identifiers to the preprocessor and become [`TokenKind::Keyword`] after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An identifier; `Token::symbol` is its name.
    Identifier,
    /// A keyword of the dialect.
    Keyword(Keyword),
    /// An integer constant; `Token::symbol` is its spelling.
    Integer,
    /// A floating constant; `Token::symbol` is its spelling.
    Float,
    /// A character constant; `Token::symbol` is its spelling.
    Character,
    /// A string literal; `Token::symbol` is its spelling with quotes.
    String,
    /// A punctuator.
    Punct(Punct),
    /// A `#pragma` line kept for the parser (`unroll`, `OPENCL EXTENSION`, ...); `Token::symbol` is its text.
    Pragma,
    /// The end of the program.
    End,
}

/// A token after macro expansion, 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind of the token.
    pub kind: TokenKind,
    /// Name or spelling, where the kind has one; otherwise the empty symbol.
    pub symbol: Symbol,
    /// Place for reports: in a file, at the outermost macro call that the token comes from.
    pub span: Span,
}

macro_rules! puncts {
    ($($variant:ident $text:literal)*) => {
        /// A punctuator; digraphs are the punctuator they stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each variant is the spelling beside it")]
        pub enum Punct { $($variant),* }

        impl Punct {
            /// Returns the spelling.
            pub const fn text(self) -> &'static str {
                match self { $(Punct::$variant => $text),* }
            }
        }
    };
}

puncts! {
    LParen "(" RParen ")" LBracket "[" RBracket "]" LBrace "{" RBrace "}" Dot "." Ellipsis "..." Arrow "->"
    PlusPlus "++" MinusMinus "--" Amp "&" Star "*" Plus "+" Minus "-" Tilde "~" Bang "!" Slash "/" Percent "%"
    Shl "<<" Shr ">>" Lt "<" Gt ">" Le "<=" Ge ">=" EqEq "==" Ne "!=" Caret "^" Pipe "|" AmpAmp "&&" PipePipe "||"
    Question "?" Colon ":" Semi ";" Eq "=" StarEq "*=" SlashEq "/=" PercentEq "%=" PlusEq "+=" MinusEq "-="
    ShlEq "<<=" ShrEq ">>=" AmpEq "&=" CaretEq "^=" PipeEq "|=" Comma "," Hash "#" HashHash "##" At "@"
}

impl Punct {
    /// Returns the precedence as a binary operator, in expressions and in `#if`; higher binds tighter.
    pub const fn precedence(self) -> Option<u8> {
        Some(match self {
            Self::PipePipe => 1,
            Self::AmpAmp => 2,
            Self::Pipe => 3,
            Self::Caret => 4,
            Self::Amp => 5,
            Self::EqEq | Self::Ne => 6,
            Self::Lt | Self::Gt | Self::Le | Self::Ge => 7,
            Self::Shl | Self::Shr => 8,
            Self::Plus | Self::Minus => 9,
            Self::Star | Self::Slash | Self::Percent => 10,
            _ => return None,
        })
    }
}
