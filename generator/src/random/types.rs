//! Types of random programs: numbers of known widths, and pointers that always have a known number of elements before
//! them.

use expectations::space::AddressSpace;

/// A number's type ([built-in-scalar-data-types]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Scalar {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    /// Integers alone: their sums and products are exact, contracted or not.
    Float,
}

impl Scalar {
    /// Returns the spelling.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Uchar => "uchar",
            Self::Short => "short",
            Self::Ushort => "ushort",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Long => "long",
            Self::Ulong => "ulong",
            Self::Float => "float",
        }
    }

    /// Returns the width in bits.
    pub(super) const fn bits(self) -> u32 {
        match self {
            Self::Char | Self::Uchar => 8,
            Self::Short | Self::Ushort => 16,
            Self::Int | Self::Uint | Self::Float => 32,
            Self::Long | Self::Ulong => 64,
        }
    }

    /// Whether it has negative values.
    pub(super) const fn is_signed(self) -> bool {
        matches!(self, Self::Char | Self::Short | Self::Int | Self::Long | Self::Float)
    }

    /// Whether it is a floating-point type.
    pub(super) const fn is_float(self) -> bool {
        matches!(self, Self::Float)
    }

    /// Returns the smallest and the largest value; for `float` those between which it has every integer.
    pub(super) const fn range(self) -> (i128, i128) {
        if self.is_float() {
            return (-(1 << 24), 1 << 24);
        }
        match (self.is_signed(), self.bits()) {
            (true, bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (false, bits) => (0, (1 << bits) - 1),
        }
    }

    /// Whether it has that value.
    pub(super) const fn holds(self, value: i128) -> bool {
        let (least, greatest) = self.range();
        least <= value && value <= greatest
    }

    /// Returns the value with the same lowest bits; the text makes signed types two's complement.
    pub(super) const fn of_bits(self, value: i128) -> i128 {
        let unused = 128 - self.bits();
        if self.is_signed() { (value << unused) >> unused } else { value & self.range().1 }
    }

    /// Returns the range of objects in these programs: for signed types so small that a few can be added and
    /// multiplied.
    pub(super) const fn kept(self) -> (i128, i128) {
        match self {
            Self::Char => (-63, 63),
            Self::Short | Self::Int | Self::Long | Self::Float => (-500, 500),
            _ => self.range(),
        }
    }
}

/// A type, by its place in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ty(u16);

/// The structure of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A number.
    Scalar(Scalar),
    /// A vector of 2, 4 or 8 numbers.
    Vector(Scalar, u8),
    /// An array with its length.
    Array(Ty, u16),
    /// A structure or union, by its place in [`Types::records`].
    Record(u16),
    Pointer(Pointer),
    /// An atomic number ([atomic-integer-and-floating-point-types]), used only by atomic functions.
    Atomic(Scalar),
    /// An enumerated type, by its place in [`Types::enumerations`].
    Enumeration(u16),
    /// A type whose objects only built-in functions take, with its access: images, samplers and flags.
    Opaque(&'static str),
}

/// A pointer type. Two that differ only in [`Pointer::run`] have the same spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    /// The type of the elements.
    pub(super) to: Ty,
    /// The space they are in.
    pub(super) space: AddressSpace,
    /// Whether they are not written through it.
    pub(super) is_const: bool,
    /// Whether they are `volatile`.
    pub(super) is_volatile: bool,
    /// Number of elements from where it points, a power of two.
    pub(super) run: u16,
}

/// A structure, a union whose members agree: the shorter ones are the beginning of the longest; or a union of two
/// numbers of one size, the first of which is written and the second read.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Whether the members overlap.
    pub(super) is_union: bool,
    /// The types of its members, of a union the longest first.
    pub(super) members: Vec<Ty>,
}

impl Record {
    /// Members that are of the type they were written as.
    pub(super) fn plain(&self, types: &Types) -> &[Ty] {
        if self.is_reinterpreted(types) { &self.members[..1] } else { &self.members }
    }

    /// Whether the second member reads the bits of the first.
    pub(super) fn is_reinterpreted(&self, types: &Types) -> bool {
        self.is_union
            && matches!(*self.members, [first, second] if first != second
                && types.as_scalar(first).is_some() && types.as_scalar(second).is_some())
    }
}

impl Pointer {
    /// Returns a pointer to one element that is not qualified.
    pub(super) const fn to(to: Ty, space: AddressSpace) -> Self {
        // Constant objects are never written.
        let is_const = matches!(space, AddressSpace::Constant);
        Self { to, space, is_const, is_volatile: false, run: 1 }
    }

    /// Returns a pointer to the same in another space.
    pub(super) const fn into_space(self, space: AddressSpace) -> Self {
        let was_constant = matches!(self.space, AddressSpace::Constant);
        let is_constant = matches!(space, AddressSpace::Constant);
        Self { space, is_const: is_constant || self.is_const && !was_constant, ..self }
    }
}

/// An enumerated type: the values of its constants, where they are given.
pub(super) type Enumeration = Vec<Option<u32>>;

/// The types of one program, each once.
#[derive(Clone, Debug)]
pub(super) struct Types {
    all: Vec<Type>,
    records: Vec<Record>,
    enumerations: Vec<Enumeration>,
    /// Types that have a name of their own.
    aliases: Vec<Ty>,
}

pub(super) const CHAR: Ty = Ty(Scalar::Char as u16);
pub(super) const UINT: Ty = Ty(Scalar::Uint as u16);
pub(super) const INT: Ty = Ty(Scalar::Int as u16);
pub(super) const ULONG: Ty = Ty(Scalar::Ulong as u16);
pub(super) const LONG: Ty = Ty(Scalar::Long as u16);
pub(super) const FLOAT: Ty = Ty(Scalar::Float as u16);

/// Every number's type, in the order of their places.
const SCALARS: [Scalar; 9] = [
    Scalar::Char,
    Scalar::Uchar,
    Scalar::Short,
    Scalar::Ushort,
    Scalar::Int,
    Scalar::Uint,
    Scalar::Long,
    Scalar::Ulong,
    Scalar::Float,
];

impl Types {
    pub(super) fn new() -> Self {
        let all = SCALARS.map(Type::Scalar).to_vec();
        Self { all, records: Vec::new(), enumerations: Vec::new(), aliases: Vec::new() }
    }

    /// Returns the structure of a type.
    pub(super) fn get(&self, ty: Ty) -> Type {
        self.all[usize::from(ty.0)]
    }

    /// Returns the type that is this.
    pub(super) fn intern(&mut self, wanted: Type) -> Ty {
        let place = self.all.iter().rposition(|&known| known == wanted).unwrap_or_else(|| {
            self.all.push(wanted);
            self.all.len() - 1
        });
        Ty(place as u16)
    }

    /// Returns a number's type.
    pub(super) const fn scalar(scalar: Scalar) -> Ty {
        Ty(scalar as u16)
    }

    /// Returns the number a type is.
    pub(super) fn as_scalar(&self, ty: Ty) -> Option<Scalar> {
        match self.get(ty) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Returns the type of number that values of a type are, or consist of.
    pub(super) fn number_in(&self, ty: Ty) -> Option<Scalar> {
        match self.get(ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(scalar),
            _ => None,
        }
    }

    /// Returns the pointer that a type is.
    pub(super) fn as_pointer(&self, ty: Ty) -> Option<Pointer> {
        match self.get(ty) {
            Type::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// Returns the number an atomic type is of.
    pub(super) fn as_atomic(&self, ty: Ty) -> Option<Scalar> {
        match self.get(ty) {
            Type::Atomic(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Returns a new structure or union.
    pub(super) fn add_record(&mut self, record: Record) -> Ty {
        self.records.push(record);
        self.intern(Type::Record(self.records.len() as u16 - 1))
    }

    /// Returns every structure and union, in the order they are declared in.
    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds a new enumerated type.
    pub(super) fn add_enumeration(&mut self, enumeration: Enumeration) -> Ty {
        self.enumerations.push(enumeration);
        self.intern(Type::Enumeration(self.enumerations.len() as u16 - 1))
    }

    /// Returns every enumerated type, in the order they are declared in.
    pub(super) fn enumerations(&self) -> &[Enumeration] {
        &self.enumerations
    }

    /// Gives a type a name of its own, if no type has been made since there were this many.
    pub(super) fn add_alias(&mut self, ty: Ty, known: usize) -> bool {
        let is_new = usize::from(ty.0) >= known;
        if is_new {
            self.aliases.push(ty);
        }
        is_new
    }

    /// Returns the number in a type's name, if it has one.
    pub(super) fn alias(&self, ty: Ty) -> Option<u16> {
        self.aliases.contains(&ty).then_some(ty.0)
    }

    /// Returns how many types there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Whether a type is an array.
    pub(super) fn is_array(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Array(..))
    }

    /// Returns the number of numbers and pointers in an object of the type; bytes between them hold nothing.
    pub(super) fn leaves(&self, ty: Ty) -> u32 {
        match self.get(ty) {
            Type::Scalar(_)
            | Type::Pointer(_)
            | Type::Atomic(_)
            | Type::Enumeration(_)
            | Type::Opaque(_) => 1,
            Type::Vector(_, length) => u32::from(length),
            Type::Array(element, length) => self.leaves(element) * u32::from(length),
            Type::Record(place) => {
                let record = &self.records[usize::from(place)];
                let members = record.members.iter().map(|&member| self.leaves(member));
                if record.is_union { members.max().unwrap_or(0) } else { members.sum() }
            }
        }
    }

    /// Returns the number of leaves of a record before one of its members.
    pub(super) fn leaves_before(&self, place: u16, member: u16) -> u32 {
        let record = &self.records[usize::from(place)];
        if record.is_union {
            return 0;
        }
        record.members[..usize::from(member)].iter().map(|&before| self.leaves(before)).sum()
    }

    /// Whether every byte of objects of the type belongs to a number.
    pub(super) fn is_dense(&self, ty: Ty) -> bool {
        let layout = self.layout(ty);
        let bytes = layout.fields.iter().map(|(scalar, _)| scalar.bits() as usize / 8);
        !self.has_pointer(ty) && bytes.sum::<usize>() == layout.size
    }

    /// Whether there is a pointer in objects of the type.
    pub(super) fn has_pointer(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Scalar(_)
            | Type::Vector(..)
            | Type::Atomic(_)
            | Type::Enumeration(_)
            | Type::Opaque(_) => false,
            Type::Pointer(_) => true,
            Type::Array(element, _) => self.has_pointer(element),
            Type::Record(place) => {
                let members = &self.records[usize::from(place)].members;
                members.iter().any(|&member| self.has_pointer(member))
            }
        }
    }

    /// Returns the numbers in an object of a type without pointers, with the bytes before each, and the object's size
    /// and alignment ([alignment-of-types]).
    pub(super) fn layout(&self, ty: Ty) -> Layout {
        match self.get(ty) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Layout::of(scalar, 1),
            Type::Vector(scalar, length) => Layout::of(scalar, usize::from(length)),
            Type::Enumeration(_) => Layout::of(Scalar::Int, 1),
            Type::Pointer(_) | Type::Opaque(_) => {
                Layout { fields: Vec::new(), size: 0, alignment: 1 }
            }
            Type::Array(element, length) => {
                let of_element = self.layout(element);
                let mut layout = Layout { fields: Vec::new(), size: 0, ..of_element };
                for _ in 0..length {
                    layout.append(&of_element);
                }
                layout
            }
            Type::Record(place) => {
                let record = &self.records[usize::from(place)];
                let mut layout = Layout { fields: Vec::new(), size: 0, alignment: 1 };
                for &member in &record.members {
                    let of_member = self.layout(member);
                    if record.is_union {
                        layout.overlay(&of_member);
                    } else {
                        layout.append(&of_member);
                    }
                }
                layout.size = layout.size.next_multiple_of(layout.alignment);
                layout
            }
        }
    }
}

/// The layout of an object in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The numbers, in order, with the bytes before each.
    pub(super) fields: Vec<(Scalar, usize)>,
    /// Bytes it takes.
    pub(super) size: usize,
    alignment: usize,
}

impl Layout {
    fn of(scalar: Scalar, count: usize) -> Self {
        let bytes = scalar.bits() as usize / 8;
        let fields = (0..count).map(|index| (scalar, index * bytes)).collect();
        Self { fields, size: bytes * count, alignment: bytes * count }
    }

    fn append(&mut self, next: &Self) {
        let start = self.size.next_multiple_of(next.alignment);
        let moved = next.fields.iter().map(|&(scalar, offset)| (scalar, start + offset));
        self.fields.extend(moved);
        self.size = start + next.size;
        self.alignment = self.alignment.max(next.alignment);
    }

    /// Adds a member of a union: the members agree, and the longest has all their numbers.
    fn overlay(&mut self, member: &Self) {
        if member.fields.len() > self.fields.len() {
            self.fields.clone_from(&member.fields);
        }
        self.size = self.size.max(member.size);
        self.alignment = self.alignment.max(member.alignment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_read_in_two_s_complement() {
        for (scalar, value, read) in [
            (Scalar::Char, 0xff, -1),
            (Scalar::Uchar, -1, 0xff),
            (Scalar::Int, 0x8000_0000, -0x8000_0000),
            (Scalar::Ulong, -1, (1 << 64) - 1),
        ] {
            assert_eq!(scalar.of_bits(value), read, "{scalar:?}");
            assert!(scalar.holds(read) && !scalar.holds(value));
        }
    }

    #[test]
    fn objects_lie_as_the_text_says() {
        let mut types = Types::new();
        let vector = types.intern(Type::Vector(Scalar::Uint, 4));
        let bytes = types.intern(Type::Array(Types::scalar(Scalar::Uchar), 3));
        let record = Record { is_union: false, members: vec![bytes, vector, UINT] };
        let record = types.add_record(record);
        let layout = types.layout(record);
        let offsets: Vec<usize> = layout.fields.iter().map(|&(_, offset)| offset).collect();
        assert_eq!((offsets, layout.size), (vec![0, 1, 2, 16, 20, 24, 28, 32], 48));
        assert_eq!(types.leaves(record), 8);
        assert_eq!(types.leaves_before(0, 2), 7);
    }
}
