//! Contents of memory in the form that other testers use: numbers, or their bits.

use expectations::probe::element::{Layout, Scalar, Value};

/// Returns the type and the values of memory: numbers where these represent every value exactly, else bits.
pub(super) fn values(layout: &Layout, bytes: &[u8]) -> (Scalar, Vec<Value>) {
    let first = layout.fields[0].scalar;
    let are_alike = layout.fields.iter().all(|field| field.scalar == first);
    let scalar = if are_alike { first } else { Scalar::Unsigned(1) };
    let are_plain = bytes.chunks(scalar.size()).all(|bytes| is_plain(scalar, bytes));
    let shown = if are_plain { scalar } else { bits(scalar) };
    (shown, bytes.chunks(shown.size()).map(|bytes| shown.value(bytes)).collect())
}

/// Returns the type and the value of a scalar in the same form.
pub(super) fn value(scalar: Scalar, bytes: &[u8]) -> (Scalar, Value) {
    let shown = if is_plain(scalar, bytes) { scalar } else { bits(scalar) };
    (shown, shown.value(bytes))
}

/// Returns the type that holds the bits of another.
fn bits(scalar: Scalar) -> Scalar {
    Scalar::Unsigned(scalar.size())
}

/// Whether a decimal number represents a value exactly.
fn is_plain(scalar: Scalar, bytes: &[u8]) -> bool {
    match scalar.value(bytes) {
        Value::Integer(_) => true,
        Value::Floating(value) => {
            scalar.size() > 2 && value.is_finite() && !(value == 0.0 && value.is_sign_negative())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_where_these_say_all() {
        let check = |layout: &str, bytes: &[u8], name: &str, expected: &[&str]| {
            let layout = Layout::parse(layout).unwrap();
            let (scalar, values) = values(&layout, bytes);
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            assert_eq!(
                (scalar.name(), values),
                (name, expected.iter().map(ToString::to_string).collect())
            );
        };
        check("short2", &[1, 0, 255, 255], "short", &["1", "-1"]);
        check("float", &1.5_f32.to_le_bytes(), "float", &["1.5"]);
        let mixed = [1.5_f32.to_le_bytes(), f32::NAN.to_le_bytes()].concat();
        check("float2", &mixed, "uint", &["1069547520", "2143289344"]);
        check("half", &[0, 60], "ushort", &["15360"]);
        check("double", &(-0.0_f64).to_le_bytes(), "ulong", &["9223372036854775808"]);
        check("uint, char", &[1, 2, 3, 4, 5], "uchar", &["1", "2", "3", "4", "5"]);
    }
}
