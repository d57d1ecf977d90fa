//! Numbers: operators and functions on them as the text defines them, in the widths of their types.

use super::super::{
    memory::UndefinedBehaviour,
    tree::{AtomicFunction, Binary, Compare, NumberFunction},
    types::Scalar,
};

/// Returns the result if the type has it; unsigned numbers wrap, signed ones must not leave their range
/// ([operators-arithmetic], C99 6.5).
/// A result of type `float` in its range is exact ([relative-error-as-ulps]).
fn in_range(scalar: Scalar, value: i128) -> Result<i128, UndefinedBehaviour> {
    if scalar.is_signed() {
        if scalar.holds(value) { Ok(value) } else { Err(UndefinedBehaviour::Overflow) }
    } else {
        Ok(scalar.of_bits(value))
    }
}

/// Returns an operator on two numbers of a type that arithmetic does not promote.
pub(super) fn binary(
    scalar: Scalar,
    operator: Binary,
    left: i128,
    right: i128,
) -> Result<i128, UndefinedBehaviour> {
    if scalar.is_float() {
        return match operator {
            Binary::Add => in_range(scalar, left + right),
            Binary::Subtract => in_range(scalar, left - right),
            // A negative zero is not distinguished from zero here, but is in memory.
            Binary::Multiply if left * right == 0 && left.min(right) < 0 => {
                Err(UndefinedBehaviour::Operands)
            }
            Binary::Multiply => in_range(scalar, left * right),
            _ => Err(UndefinedBehaviour::Operands),
        };
    }
    match operator {
        Binary::Add => in_range(scalar, left + right),
        Binary::Subtract => in_range(scalar, left - right),
        // Of two of the widest numbers the product need not fit.
        Binary::Multiply => in_range(scalar, left.wrapping_mul(right)),
        Binary::Divide => {
            let quotient = left.checked_div(right).ok_or(UndefinedBehaviour::DivisionByZero)?;
            in_range(scalar, quotient)
        }
        Binary::Remainder => {
            let remainder = left.checked_rem(right).ok_or(UndefinedBehaviour::DivisionByZero)?;
            in_range(scalar, left / right).map(|_| remainder)
        }
        Binary::And => Ok(left & right),
        Binary::Or => Ok(left | right),
        Binary::Xor => Ok(left ^ right),
        // Only this many low bits of the distance count ([operators-shift]).
        Binary::ShiftLeft => {
            if scalar.is_signed() {
                return Err(UndefinedBehaviour::Overflow);
            }
            Ok(scalar.of_bits(left << distance(scalar, right)))
        }
        Binary::ShiftRight => Ok(left >> distance(scalar, right)),
    }
}

fn distance(scalar: Scalar, value: i128) -> i128 {
    value & i128::from(scalar.bits() - 1)
}

/// Returns the result of a comparison: 0 or 1.
pub(super) fn compare(operator: Compare, left: i128, right: i128) -> i128 {
    i128::from(match operator {
        Compare::Equal => left == right,
        Compare::Unequal => left != right,
        Compare::Less => left < right,
        Compare::LessOrEqual => left <= right,
    })
}

/// Returns `(T)x`. The result is known for a signed type only where the type has the value: C99 6.3.1.3 leaves other
/// results to the implementation. A `float` outside the range of the type has no defined result (C99 6.3.1.4).
pub(super) fn convert(from: Scalar, to: Scalar, value: i128) -> Result<i128, UndefinedBehaviour> {
    if from.is_float() && !to.holds(value) {
        return Err(UndefinedBehaviour::Overflow);
    }
    in_range(to, value)
}

/// Returns the same bits, as another type of that size ([reinterpreting-data-as-another-type]).
pub(super) fn reinterpret(
    from: Scalar,
    to: Scalar,
    value: i128,
) -> Result<i128, UndefinedBehaviour> {
    if from.bits() != to.bits() || to.is_float() && !from.is_float() {
        return Err(UndefinedBehaviour::OtherType);
    }
    Ok(if to.is_float() { value } else { to.of_bits(bits(from, value)) })
}

/// Returns the sum of a number's bytes.
pub(super) fn sum_of_bytes(scalar: Scalar, value: i128) -> i128 {
    let bytes = bits(scalar, value).to_le_bytes();
    bytes[..scalar.bits() as usize / 8].iter().map(|&byte| i128::from(byte)).sum()
}

/// Returns the bits of a number in memory; no zero of these programs is negative.
fn bits(scalar: Scalar, value: i128) -> i128 {
    if scalar.is_float() { i128::from((value as f32).to_bits()) } else { value }
}

/// Returns a function of numbers ([integer-functions]).
pub(super) fn function(
    scalar: Scalar,
    function: NumberFunction,
    values: &[i128],
) -> Result<i128, UndefinedBehaviour> {
    let &[first, second, third] = values else { return Err(UndefinedBehaviour::Operands) };
    if scalar.is_float() && !function.takes_floats() {
        return Err(UndefinedBehaviour::Operands);
    }
    let (least, greatest) = scalar.range();
    let bits = scalar.bits();
    let pattern = first & ((1 << bits) - 1);
    Ok(match function {
        NumberFunction::Minimum => first.min(second),
        NumberFunction::Maximum => first.max(second),
        NumberFunction::Clamp if second > third => return Err(UndefinedBehaviour::Operands),
        NumberFunction::Clamp => first.clamp(second, third),
        NumberFunction::Rotate => {
            let by = distance(scalar, second);
            scalar.of_bits(pattern << by | pattern >> (i128::from(bits) - by))
        }
        NumberFunction::LeadingZeros => i128::from(pattern.leading_zeros() - (i128::BITS - bits)),
        NumberFunction::HalvingAdd => (first + second) >> 1,
        NumberFunction::HighProduct => high_product(bits, first, second),
        NumberFunction::SaturatingAdd => (first + second).clamp(least, greatest),
        NumberFunction::SaturatingSubtract => (first - second).clamp(least, greatest),
    })
}

/// Returns the high half of a product that has twice the bits: of two numbers of 64 bits it is taken in parts.
fn high_product(bits: u32, first: i128, second: i128) -> i128 {
    let (low, high) = (second & 0xffff_ffff, second >> 32);
    let upper = first * high + ((first * low) >> 32);
    upper >> (bits - 32)
}

/// Returns the number that an atomic function leaves.
pub(super) fn atomic(function: AtomicFunction, old: i128, operand: i128) -> i128 {
    match function {
        AtomicFunction::Add => old + operand,
        AtomicFunction::Subtract => old - operand,
        AtomicFunction::Minimum => old.min(operand),
        AtomicFunction::Maximum => old.max(operand),
        AtomicFunction::And => old & operand,
        AtomicFunction::Or => old | operand,
        AtomicFunction::Xor => old ^ operand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_do_what_the_text_says() {
        let (uint, int) = (Scalar::Uint, Scalar::Int);
        for (scalar, operator, left, right, expected) in [
            (uint, Binary::Add, 0xffff_ffff, 2, Ok(1)),
            (uint, Binary::Subtract, 1, 2, Ok(0xffff_ffff)),
            (uint, Binary::Multiply, 0x1_0001, 0x1_0001, Ok(0x2_0001)),
            (Scalar::Ulong, Binary::Multiply, u64::MAX.into(), u64::MAX.into(), Ok(1)),
            (int, Binary::Add, 0x7fff_ffff, 1, Err(UndefinedBehaviour::Overflow)),
            (int, Binary::Divide, -7, 2, Ok(-3)),
            (int, Binary::Remainder, -7, 2, Ok(-1)),
            (int, Binary::Divide, 1, 0, Err(UndefinedBehaviour::DivisionByZero)),
            (int, Binary::Divide, -0x8000_0000, -1, Err(UndefinedBehaviour::Overflow)),
            (int, Binary::Remainder, -0x8000_0000, -1, Err(UndefinedBehaviour::Overflow)),
            (int, Binary::ShiftRight, -5, 1, Ok(-3)),
            (int, Binary::ShiftLeft, 1, 1, Err(UndefinedBehaviour::Overflow)),
            (uint, Binary::ShiftLeft, 3, 33, Ok(6)),
            (uint, Binary::ShiftRight, 0x8000_0000, 63, Ok(1)),
            (int, Binary::And, -1, 6, Ok(6)),
        ] {
            let seen = binary(scalar, operator, left, right);
            assert_eq!(seen, expected, "{left} {operator:?} {right}");
        }
        assert_eq!(convert(int, Scalar::Uchar, -1), Ok(255));
        assert_eq!(convert(int, Scalar::Char, 200), Err(UndefinedBehaviour::Overflow));
    }

    #[test]
    fn bits_are_reinterpreted() {
        let (int, uint, float) = (Scalar::Int, Scalar::Uint, Scalar::Float);
        assert_eq!(reinterpret(int, uint, -1), Ok(0xffff_ffff));
        assert_eq!(reinterpret(float, uint, 1), Ok(0x3f80_0000));
        assert_eq!(reinterpret(float, int, -1), Ok(i128::from(0xbf80_0000_u32.cast_signed())));
        assert_eq!(reinterpret(uint, Scalar::Ulong, 1), Err(UndefinedBehaviour::OtherType));
        assert_eq!(reinterpret(uint, float, 1), Err(UndefinedBehaviour::OtherType));
        assert_eq!(sum_of_bytes(Scalar::Long, -1), 8 * 255);
        assert_eq!(sum_of_bytes(Scalar::Ushort, 0x0102), 3);
        assert_eq!(sum_of_bytes(float, 1), 0x3f + 0x80);
    }

    #[test]
    fn floats_are_exact() {
        let float = Scalar::Float;
        for (operator, left, right, expected) in [
            (Binary::Add, 1 << 23, 1 << 23, Ok(1 << 24)),
            (Binary::Add, 1 << 24, 1, Err(UndefinedBehaviour::Overflow)),
            (Binary::Subtract, 3, 5, Ok(-2)),
            (Binary::Multiply, -3, 5, Ok(-15)),
            (Binary::Multiply, 0, 5, Ok(0)),
            (Binary::Multiply, 0, -5, Err(UndefinedBehaviour::Operands)),
            (Binary::Divide, 6, 3, Err(UndefinedBehaviour::Operands)),
        ] {
            let seen = binary(float, operator, left, right);
            assert_eq!(seen, expected, "{left} {operator:?} {right}");
        }
        assert_eq!(convert(float, Scalar::Uint, -1), Err(UndefinedBehaviour::Overflow));
        assert_eq!(convert(Scalar::Uint, float, 0xffff_ffff), Err(UndefinedBehaviour::Overflow));
        assert_eq!(
            function(float, NumberFunction::Rotate, &[1, 1, 0]),
            Err(UndefinedBehaviour::Operands)
        );
    }

    #[test]
    fn functions_do_what_the_text_says() {
        let (uint, int, ulong) = (Scalar::Uint, Scalar::Int, Scalar::Ulong);
        for (scalar, name, values, expected) in [
            (int, NumberFunction::Clamp, [9, -1, 3], Ok(3)),
            (int, NumberFunction::Clamp, [9, 3, 1], Err(UndefinedBehaviour::Operands)),
            (uint, NumberFunction::Rotate, [0x8000_0001, 33, 0], Ok(3)),
            (int, NumberFunction::Rotate, [-0x8000_0000, 1, 0], Ok(1)),
            (uint, NumberFunction::Rotate, [5, 32, 0], Ok(5)),
            (uint, NumberFunction::LeadingZeros, [0, 0, 0], Ok(32)),
            (int, NumberFunction::LeadingZeros, [-1, 0, 0], Ok(0)),
            (ulong, NumberFunction::LeadingZeros, [1, 0, 0], Ok(63)),
            (int, NumberFunction::HalvingAdd, [-3, 0, 0], Ok(-2)),
            (uint, NumberFunction::HighProduct, [0xffff_ffff, 0xffff_ffff, 0], Ok(0xffff_fffe)),
            (int, NumberFunction::HighProduct, [-3, 2, 0], Ok(-1)),
            (
                ulong,
                NumberFunction::HighProduct,
                [u64::MAX.into(), u64::MAX.into(), 0],
                Ok(i128::from(u64::MAX) - 1),
            ),
            (Scalar::Long, NumberFunction::HighProduct, [i64::MIN.into(), 2, 0], Ok(-1)),
            (uint, NumberFunction::SaturatingSubtract, [1, 2, 0], Ok(0)),
            (int, NumberFunction::SaturatingAdd, [0x7fff_ffff, 1, 0], Ok(0x7fff_ffff)),
        ] {
            assert_eq!(function(scalar, name, &values), expected, "{name:?} {values:?}");
        }
    }
}
