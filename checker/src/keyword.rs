//! The keywords of the language.

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

impl Keyword {
    /// Whether the keyword is a type specifier, or begins one with a tag (C99 6.7.2).
    pub(crate) const fn names_type(self) -> bool {
        matches!(
            self,
            Self::Void
                | Self::Bool
                | Self::Half
                | Self::Char
                | Self::Short
                | Self::Int
                | Self::Long
                | Self::Float
                | Self::Double
                | Self::Signed
                | Self::Unsigned
                | Self::Struct
                | Self::Union
                | Self::Enum
        )
    }
}
