//! Preprocessed tokens: what the preprocessor hands to the parser.

use crate::{span::Span, symbol::Symbol};

/// What a token is. Keywords are identifiers to the preprocessor and become [`TokenKind::Keyword`] after it.
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
    /// What it is.
    pub kind: TokenKind,
    /// Its name or spelling, where the kind has one; the empty symbol otherwise.
    pub symbol: Symbol,
    /// Where it is reported: in a file, at the outermost macro call it came from.
    pub span: Span,
}

macro_rules! keywords {
    ($($variant:ident $($text:literal)+;)*) => {
        /// A keyword; spellings with and without `__` are one keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each variant is the spelling beside it")]
        pub enum Keyword { $($variant),* }

        impl Keyword {
            /// Every spelling with its keyword.
            pub const SPELLINGS: &'static [(&'static str, Keyword)] = &[$($(($text, Keyword::$variant)),+),*];
        }
    };
}

keywords! {
    Auto "auto"; Break "break"; Case "case"; Char "char"; Const "const" "__const" "__const__"; Continue "continue";
    Default "default"; Do "do"; Double "double"; Else "else"; Enum "enum"; Extern "extern"; Float "float"; For "for";
    Goto "goto"; If "if"; Inline "inline" "__inline" "__inline__"; Int "int"; Long "long"; Register "register";
    Restrict "restrict" "__restrict" "__restrict__"; Return "return"; Short "short";
    Signed "signed" "__signed" "__signed__"; Sizeof "sizeof"; Static "static"; Struct "struct"; Switch "switch";
    Typedef "typedef"; Union "union"; Unsigned "unsigned"; Void "void"; Volatile "volatile" "__volatile" "__volatile__";
    While "while"; Bool "_Bool" "bool"; Half "half"; Complex "_Complex"; Imaginary "_Imaginary";
    Atomic "_Atomic"; Alignof "_Alignof" "__alignof" "__alignof__"; StaticAssert "_Static_assert"; Generic_ "_Generic";
    Noreturn "_Noreturn"; Alignas "_Alignas";
    Kernel "kernel" "__kernel"; Global "global" "__global"; Local "local" "__local";
    Constant "constant" "__constant"; Private "private" "__private"; Generic "generic" "__generic";
    ReadOnly "read_only" "__read_only"; WriteOnly "write_only" "__write_only"; ReadWrite "read_write" "__read_write";
    Pipe "pipe"; Attribute "__attribute__" "__attribute"; Typeof "typeof" "__typeof" "__typeof__"; VecStep "vec_step";
    Extension "__extension__"; Asm "asm" "__asm" "__asm__";
}

macro_rules! puncts {
    ($($variant:ident $text:literal)*) => {
        /// A punctuator; digraphs are the punctuator they stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each variant is the spelling beside it")]
        pub enum Punct { $($variant),* }

        impl Punct {
            /// Its spelling.
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
