//! Elements of buffers: how the host and a kernel lay them out in memory, and which values they can hold.

use std::fmt;

use half::f16;
use rand_chacha::{ChaCha8Rng, rand_core::Rng};

/// A scalar type with the size every device gives it ([built-in-scalar-data-types]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A signed integer of this many bytes.
    Signed(usize),
    /// An unsigned integer of this many bytes.
    Unsigned(usize),
    /// `half`, `float` or `double`, by bytes.
    Floating(usize),
}

/// The types a field may have.
const SCALARS: [(&str, Scalar); 11] = [
    ("char", Scalar::Signed(1)),
    ("short", Scalar::Signed(2)),
    ("int", Scalar::Signed(4)),
    ("long", Scalar::Signed(8)),
    ("uchar", Scalar::Unsigned(1)),
    ("ushort", Scalar::Unsigned(2)),
    ("uint", Scalar::Unsigned(4)),
    ("ulong", Scalar::Unsigned(8)),
    ("half", Scalar::Floating(2)),
    ("float", Scalar::Floating(4)),
    ("double", Scalar::Floating(8)),
];

/// A value as it was found in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Value of an integer type.
    Integer(i128),
    /// Value of a floating-point type.
    Floating(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Floating(value) => write!(f, "{value:?}"),
        }
    }
}

impl Scalar {
    /// Returns the name of the type in OpenCL C, such as `char` or `uint`.
    pub fn name(self) -> &'static str {
        SCALARS.iter().find(|(_, known)| *known == self).map_or("uchar", |(name, _)| name)
    }

    /// Returns the size of an object of the type in bytes.
    pub fn size(self) -> usize {
        let (Self::Signed(size) | Self::Unsigned(size) | Self::Floating(size)) = self;
        size
    }

    /// Returns the bytes of the value nearest to `value`. Integers wrap, as they do in a kernel.
    pub fn bytes(self, value: i128) -> Vec<u8> {
        match self {
            Self::Floating(2) => f16::from_f64(value as f64).to_le_bytes().to_vec(),
            Self::Floating(4) => (value as f32).to_le_bytes().to_vec(),
            Self::Floating(_) => (value as f64).to_le_bytes().to_vec(),
            Self::Signed(size) | Self::Unsigned(size) => value.to_le_bytes()[..size].to_vec(),
        }
    }

    /// Returns the value that these bytes hold.
    pub fn value(self, bytes: &[u8]) -> Value {
        let mut wide = [0; 8];
        wide[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
        let unsigned = u64::from_le_bytes(wide);
        match self {
            Self::Unsigned(_) => Value::Integer(i128::from(unsigned)),
            Self::Signed(size) => {
                let unused = 128 - 8 * size as u32;
                Value::Integer((i128::from(unsigned) << unused) >> unused)
            }
            Self::Floating(2) => Value::Floating(f16::from_bits(unsigned as u16).to_f64()),
            Self::Floating(4) => Value::Floating(f64::from(f32::from_bits(unsigned as u32))),
            Self::Floating(_) => Value::Floating(f64::from_bits(unsigned)),
        }
    }

    /// Returns a random value. An unsigned type may give any of its values. Values of a signed type are so small that a
    /// few of them can be added. A floating-point type gives integers that it holds exactly, and whose sums it holds
    /// exactly too.
    pub fn random(self, rng: &mut ChaCha8Rng) -> i128 {
        let bits = i128::from(rng.next_u64());
        match self {
            Self::Unsigned(size) => bits & ((1 << (8 * size)) - 1),
            Self::Signed(size) => {
                let bound = 1 << (8 * size - 4);
                bits % (2 * bound) - bound
            }
            Self::Floating(2) => bits % 1024 - 512,
            Self::Floating(_) => bits % 200_000 - 100_000,
        }
    }
}

/// One field of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Type of the field.
    pub scalar: Scalar,
    /// Bytes before it in the element.
    pub offset: usize,
}

/// Layout of an element in memory: its fields and the padding between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The fields, in order.
    pub fields: Vec<Field>,
    /// Bytes of an element.
    pub size: usize,
}

impl Layout {
    /// Parses a type, such as `int` or `float4`, or the parts of a structure: `int, pad 12, float4`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut layout = Self { fields: Vec::new(), size: 0 };
        for part in text.split(',').map(str::trim) {
            if let Some(bytes) = part.strip_prefix("pad ") {
                layout.size += bytes
                    .trim()
                    .parse::<usize>()
                    .ok()
                    .filter(|&bytes| bytes < 4096)
                    .ok_or_else(|| format!("`{part}` gives no number of bytes"))?;
                continue;
            }
            let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
            let (name, count) = part.split_at(digits);
            let Some(&(_, scalar)) = SCALARS.iter().find(|(known, _)| *known == name) else {
                let known = SCALARS.map(|(known, _)| known);
                let hint = crate::predicate::suggestion(name, &known);
                return Err(format!("`{}` is not a type of a field{hint}", part.escape_debug()));
            };
            let count = match count {
                "" => 1,
                "2" | "3" | "4" | "8" | "16" => count.parse().unwrap_or(1),
                _ => return Err(format!("`{part}` is not a vector type")),
            };
            for _ in 0..count {
                layout.fields.push(Field { scalar, offset: layout.size });
                layout.size += scalar.size();
            }
            // A vector of three takes the room of four ([alignment-of-types]).
            layout.size += if count == 3 { scalar.size() } else { 0 };
        }
        if layout.fields.is_empty() {
            return Err(format!("`{text}` has no field"));
        }
        Ok(layout)
    }

    /// Returns the range of bytes that a field of an element takes in the buffer.
    pub fn range(&self, element: usize, field: &Field) -> std::ops::Range<usize> {
        let start = element * self.size + field.offset;
        start..start + field.scalar.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn values_survive_memory() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (name, scalar) in SCALARS {
            for _ in 0..1000 {
                let value = scalar.random(&mut rng);
                let bytes = scalar.bytes(value);
                assert_eq!(bytes.len(), scalar.size());
                let seen = match scalar.value(&bytes) {
                    Value::Integer(seen) => seen,
                    Value::Floating(seen) => seen as i128,
                };
                assert_eq!(seen, value, "{name}");
            }
        }
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(Scalar::Unsigned(1).bytes(257), [1]);
        assert_eq!(Scalar::Signed(2).bytes(-1), [255, 255]);
        assert_eq!(Scalar::Signed(2).value(&[254, 255]), Value::Integer(-2));
    }

    #[test]
    fn layouts_have_offsets() {
        let offsets = |text: &str| {
            let layout = Layout::parse(text)?;
            let offsets: Vec<usize> = layout.fields.iter().map(|field| field.offset).collect();
            Ok::<_, String>((offsets, layout.size))
        };
        assert_eq!(offsets("int"), Ok((vec![0], 4)));
        assert_eq!(offsets("short3"), Ok((vec![0, 2, 4], 8)));
        assert_eq!(offsets("int, pad 12, float4"), Ok((vec![0, 16, 20, 24, 28], 32)));
        assert_eq!(
            offsets("itn").unwrap_err(),
            "`itn` is not a type of a field; did you mean `int`?"
        );
        assert_eq!(offsets("int5").unwrap_err(), "`int5` is not a vector type");
        assert_eq!(offsets("pad x").unwrap_err(), "`pad x` gives no number of bytes");
        assert_eq!(offsets("pad 4").unwrap_err(), "`pad 4` has no field");
    }
}
