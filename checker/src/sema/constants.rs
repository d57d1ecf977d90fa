//! Literals and arithmetic on integer constants.

use crate::{
    builtins::{self, Gate},
    sema::operand::Constness,
    symbol::{Interner, Symbol},
    token::Punct,
    types::Scalar,
};

/// The enumeration constants of the language, by symbol.
#[derive(Debug, Default)]
pub(crate) struct PredefinedConstants {
    by_symbol: Vec<Option<(i64, Gate)>>,
}

impl PredefinedConstants {
    /// Interns every name.
    pub(crate) fn new(interner: &mut Interner) -> Self {
        let mut constants = Self::default();
        for constant in builtins::constants() {
            let symbol = interner.intern(constant.name).0 as usize;
            if constants.by_symbol.len() <= symbol {
                constants.by_symbol.resize(symbol + 1, None);
            }
            constants.by_symbol[symbol] = Some((i64::from(constant.value), constant.gate));
        }
        constants
    }

    /// Returns the value, and the dialects that have the constant.
    pub(crate) fn get(&self, symbol: Symbol) -> Option<(i64, Gate)> {
        self.by_symbol.get(symbol.0 as usize).copied().flatten()
    }
}

/// Returns the type and value of an integer constant, as C99 6.4.4.1 says for a 32-bit `int` and 64-bit `long`.
pub(crate) fn integer(text: &str) -> (Scalar, Option<i64>) {
    let digits_end = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let suffix = &text[digits_end.len()..];
    let unsigned = suffix.contains(['u', 'U']);
    let long = suffix.contains(['l', 'L']);
    let lower = |prefix: &str| digits_end.get(..2).is_some_and(|p| p.eq_ignore_ascii_case(prefix));
    let (digits, radix) = if lower("0x") {
        (&digits_end[2..], 16)
    } else if lower("0b") {
        (&digits_end[2..], 2)
    } else if digits_end.len() > 1 && digits_end.starts_with('0') {
        (&digits_end[1..], 8)
    } else {
        (digits_end, 10)
    };
    let Ok(value) = u64::from_str_radix(digits, radix) else { return (Scalar::ULong, None) };
    let decimal = radix == 10;
    let scalar = if !long && !unsigned && i32::try_from(value).is_ok() {
        Scalar::Int
    } else if !long && (unsigned || !decimal) && u32::try_from(value).is_ok() {
        Scalar::UInt
    } else if !unsigned && i64::try_from(value).is_ok() {
        Scalar::Long
    } else {
        Scalar::ULong
    };
    (scalar, Some(value.cast_signed()))
}

/// Returns the type of a floating constant, and its value without the fraction where it is decimal.
pub(crate) fn floating(text: &str) -> (Scalar, Option<i64>) {
    let hexadecimal = text.len() > 1 && text.as_bytes()[1].eq_ignore_ascii_case(&b'x');
    let scalar = match text.as_bytes().last() {
        Some(b'f' | b'F') if !hexadecimal || text.contains(['p', 'P']) => Scalar::Float,
        Some(b'h' | b'H') => Scalar::Half,
        _ => Scalar::Double,
    };
    let value = text.trim_end_matches(['f', 'F', 'h', 'H', 'l', 'L']).parse::<f64>();
    (scalar, value.ok().filter(|_| !hexadecimal).map(|value| value as i64))
}

pub(crate) fn character(text: &str) -> i64 {
    let inner = text.trim_start_matches(['L', 'u', 'U']).trim_matches('\'');
    let Some(escaped) = inner.strip_prefix('\\') else {
        return inner.chars().next().map_or(0, |c| i64::from(u32::from(c)));
    };
    match escaped.as_bytes().first() {
        Some(b'n') => 10,
        Some(b't') => 9,
        Some(b'r') => 13,
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'v') => 11,
        Some(b'x') => i64::from_str_radix(&escaped[1..], 16).unwrap_or(0),
        Some(b'0'..=b'7') => i64::from_str_radix(escaped, 8).unwrap_or(0),
        Some(&other) => i64::from(other),
        None => 0,
    }
}

/// Returns the number of characters of a string literal; an escape counts once.
pub(crate) fn string_length(text: &str) -> u64 {
    let inner = text.trim_start_matches(['L', 'u', 'U', '8']).trim_matches('"');
    let mut bytes = inner.bytes().peekable();
    let mut length = 0;
    while let Some(byte) = bytes.next() {
        length += 1;
        if byte != b'\\' {
            continue;
        }
        match bytes.next() {
            Some(b'x') => while bytes.next_if(u8::is_ascii_hexdigit).is_some() {},
            Some(b'0'..=b'7') => {
                for _ in 0..2 {
                    bytes.next_if(|byte| matches!(byte, b'0'..=b'7'));
                }
            }
            _ => {}
        }
    }
    length
}

/// Returns the constness of a binary operation.
pub(crate) fn folded(left: Constness, operator: Punct, right: Constness) -> Constness {
    use Constness::{Arithmetic, Folded, Integer, Variable};
    match (left, right) {
        (Integer(a), Integer(b)) => compute(a, operator, b).map_or(Arithmetic, Integer),
        (Integer(a) | Folded(a), Integer(b) | Folded(b)) => {
            compute(a, operator, b).map_or(Variable, Folded)
        }
        (Variable | Folded(_), _) | (_, Variable | Folded(_)) => Variable,
        _ => Arithmetic,
    }
}

fn compute(a: i64, operator: Punct, b: i64) -> Option<i64> {
    let shift = || u32::try_from(b).ok().filter(|&bits| bits < 64);
    Some(match operator {
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        Punct::Slash => a.checked_div(b)?,
        Punct::Percent => a.checked_rem(b)?,
        Punct::Shl => a.wrapping_shl(shift()?),
        Punct::Shr => a.wrapping_shr(shift()?),
        Punct::Amp => a & b,
        Punct::Pipe => a | b,
        Punct::Caret => a ^ b,
        Punct::AmpAmp => i64::from(a != 0 && b != 0),
        Punct::PipePipe => i64::from(a != 0 || b != 0),
        Punct::EqEq => i64::from(a == b),
        Punct::Ne => i64::from(a != b),
        Punct::Lt => i64::from(a < b),
        Punct::Gt => i64::from(a > b),
        Punct::Le => i64::from(a <= b),
        Punct::Ge => i64::from(a >= b),
        _ => return None,
    })
}

/// Returns an integer constant converted to `scalar`.
pub(crate) fn wrapped(value: i64, scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Bool => i64::from(value != 0),
        Scalar::Char => i64::from(value as i8),
        Scalar::UChar => value & 0xff,
        Scalar::Short => i64::from(value as i16),
        Scalar::UShort => value & 0xffff,
        Scalar::Int => i64::from(value as i32),
        Scalar::UInt => value & 0xffff_ffff,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::{character, floating, integer, string_length};
    use crate::types::Scalar;

    #[test]
    fn integers_have_the_first_type_that_holds_them() {
        assert_eq!(integer("42"), (Scalar::Int, Some(42)));
        assert_eq!(integer("0xffffffff"), (Scalar::UInt, Some(0xffff_ffff)));
        assert_eq!(integer("4294967295"), (Scalar::Long, Some(4_294_967_295)));
        assert_eq!(integer("010"), (Scalar::Int, Some(8)));
        assert_eq!(integer("1uL"), (Scalar::ULong, Some(1)));
        assert_eq!(integer("0xffffffffffffffff"), (Scalar::ULong, Some(-1)));
    }

    #[test]
    fn floating_suffixes() {
        assert_eq!(floating("1.0"), (Scalar::Double, Some(1)));
        assert_eq!(floating("1.f"), (Scalar::Float, Some(1)));
        assert_eq!(floating(".75e1f"), (Scalar::Float, Some(7)));
        assert_eq!(floating("0x1.fp3f"), (Scalar::Float, None));
        assert_eq!(floating("1.0h"), (Scalar::Half, Some(1)));
    }

    #[test]
    fn characters_and_strings() {
        assert_eq!(character("'a'"), 97);
        assert_eq!(character("'\\n'"), 10);
        assert_eq!(character("'\\x41'"), 65);
        assert_eq!(string_length("\"a\\n\\x41b\\0\""), 4);
    }
}
