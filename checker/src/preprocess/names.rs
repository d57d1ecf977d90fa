//! The names the preprocessor itself knows, as symbols.

use crate::symbol::{Interner, Symbol};

macro_rules! names {
    ($($field:ident $text:literal)*) => {
        /// Each name's symbol.
        #[derive(Clone, Debug)]
        pub(super) struct Names { $(pub(super) $field: Symbol),* }

        impl Names {
            pub(super) fn new(interner: &mut Interner) -> Self {
                Self { $($field: interner.intern($text)),* }
            }
        }
    };
}

names! {
    define "define" undef "undef" include "include" include_next "include_next" import "import"
    if_ "if" ifdef "ifdef" ifndef "ifndef" elif "elif" elifdef "elifdef" elifndef "elifndef" else_ "else" endif "endif"
    line "line" error "error" warning "warning" pragma "pragma" ident "ident"
    defined "defined" va_args "__VA_ARGS__"
    dunder_line "__LINE__" dunder_file "__FILE__" base_file "__BASE_FILE__" include_level "__INCLUDE_LEVEL__"
    counter "__COUNTER__" pragma_operator "_Pragma"
    has_include "__has_include" has_include_next "__has_include_next" has_attribute "__has_attribute"
    has_c_attribute "__has_c_attribute" has_builtin "__has_builtin" has_feature "__has_feature"
    has_extension "__has_extension" has_constexpr_builtin "__has_constexpr_builtin"
    has_declspec_attribute "__has_declspec_attribute" has_warning "__has_warning"
}
