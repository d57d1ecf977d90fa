//! Types of modules, their sizes and alignments, and numbers in constants.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// A type, as far as sizes and address spaces go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer of that many bits.
    Integer(u32),
    /// A floating-point number of that many bits.
    Floating(u32),
    /// A pointer into the address space of that number.
    Pointer(u32),
    /// A vector: number of components and their type.
    Vector(u64, Arc<Type>),
    /// An array: number of elements and their type.
    Array(u64, Arc<Type>),
    /// A structure of the module.
    Structure {
        /// Whether its members follow each other without padding.
        is_packed: bool,
        /// Types of its members.
        members: Arc<[Type]>,
    },
    /// The type with that number in [`Layouts::named`].
    Named(u32),
    /// A type without a size.
    Unsized,
}

/// The size and the alignment of a type, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes from one element of an array to the next.
    pub size: u64,
    /// Alignment by default.
    pub alignment: u64,
}

/// Number of types within each other that are followed.
pub const DEPTH_LIMIT: u32 = 200;

/// Number of types that are looked at for one layout: a structure of structures can have very many members.
const PATIENCE: u32 = 100_000;

/// The work that may still be done for one layout.
#[derive(Debug)]
struct Patience {
    depth: u32,
    steps: u32,
}

impl Patience {
    fn whole() -> Self {
        Self { depth: DEPTH_LIMIT, steps: PATIENCE }
    }

    /// Takes a step one level further in, where one is left.
    fn step(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }
}

/// Facts on which layouts depend.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    /// Types that have a name; `None` if the module does not define one.
    pub named: Vec<Option<Type>>,
    /// Size of pointers in bytes, by the number of the address space they point into; 8 for the others.
    pub pointers: BTreeMap<u32, u64>,
}

impl Layouts {
    /// Returns the layout of a type; `None` if it has none.
    pub fn of(&self, ty: &Type) -> Option<Layout> {
        self.within(ty, &mut Patience::whole())
    }

    fn within(&self, ty: &Type, patience: &mut Patience) -> Option<Layout> {
        patience.step()?;
        let layout = self.composed(ty, patience);
        patience.depth += 1;
        layout
    }

    fn composed(&self, ty: &Type, patience: &mut Patience) -> Option<Layout> {
        let plain = |size: u64| Some(Layout { size, alignment: size.max(1) });
        match ty {
            Type::Integer(bits) => {
                let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
                Some(Layout { size: bytes, alignment: bytes.clamp(1, 16) })
            }
            Type::Floating(bits) => plain(u64::from(bits / 8)),
            Type::Pointer(space) => plain(self.pointers.get(space).copied().unwrap_or(8)),
            Type::Vector(count, element) => {
                let element = self.within(element, patience)?;
                let bytes = element.size.checked_mul(*count)?;
                plain(bytes.checked_next_power_of_two()?)
            }
            Type::Array(count, element) => {
                let element = self.within(element, patience)?;
                let size = element.size.checked_mul(*count)?;
                Some(Layout { size, alignment: element.alignment })
            }
            Type::Structure { is_packed, members } => {
                let end = self.offsets(*is_packed, members, patience)?.last()?;
                Some(Layout { size: end.0, alignment: end.1 })
            }
            Type::Named(number) => self.within(self.named(*number)?, patience),
            Type::Unsized => None,
        }
    }

    fn named(&self, number: u32) -> Option<&Type> {
        self.named.get(number as usize)?.as_ref()
    }

    /// Returns the offset and alignment of each member, and at the end those of the whole structure.
    fn offsets(
        &self,
        is_packed: bool,
        members: &[Type],
        patience: &mut Patience,
    ) -> Option<impl DoubleEndedIterator<Item = (u64, u64)>> {
        let mut offsets = Vec::with_capacity(members.len() + 1);
        let (mut end, mut whole) = (0_u64, 1);
        for member in members {
            let Layout { size, alignment } = self.within(member, patience)?;
            let alignment = if is_packed { 1 } else { alignment };
            end = end.checked_next_multiple_of(alignment)?;
            offsets.push((end, alignment));
            end = end.checked_add(size)?;
            whole = whole.max(alignment);
        }
        offsets.push((end.checked_next_multiple_of(whole)?, whole));
        Some(offsets.into_iter())
    }

    /// Returns the scalar, pointer or type without parts that begins at an offset in a type.
    pub fn part<'t>(&'t self, ty: &'t Type, offset: u64) -> Option<&'t Type> {
        self.part_within(ty, offset, &mut Patience::whole())
    }

    fn part_within<'t>(
        &'t self,
        ty: &'t Type,
        offset: u64,
        patience: &mut Patience,
    ) -> Option<&'t Type> {
        patience.step()?;
        match ty {
            Type::Named(number) => self.part_within(self.named(*number)?, offset, patience),
            Type::Array(_, element) | Type::Vector(_, element) => {
                let own = self.within(element, patience)?.size;
                self.part_within(element, offset.checked_rem(own)?, patience)
            }
            Type::Structure { is_packed, members } => {
                let offsets = self.offsets(*is_packed, members, patience)?;
                let before = offsets.zip(members.iter()).filter(|((start, _), _)| *start <= offset);
                let ((start, _), member) = before.last()?;
                self.part_within(member, offset - start, patience)
            }
            _ => (offset == 0).then_some(ty),
        }
    }

    /// Returns the address spaces that those pointers in a constant point into whose bits are all zero.
    pub fn zero_pointers(&self, ty: &Type, constant: &Constant) -> BTreeSet<u32> {
        let mut spaces = BTreeSet::new();
        // A type without an end has no constant.
        _ = self.zero_pointers_within(ty, constant, &mut spaces, &mut Patience::whole());
        spaces
    }

    fn zero_pointers_within(
        &self,
        ty: &Type,
        constant: &Constant,
        spaces: &mut BTreeSet<u32>,
        patience: &mut Patience,
    ) -> Option<()> {
        patience.step()?;
        let parts = match constant {
            Constant::Zero => None,
            Constant::Parts(parts) => Some(parts),
            _ => {
                patience.depth += 1;
                return Some(());
            }
        };
        // Elements that are all zero are alike.
        let part = |index: usize| parts.map_or(Some(&Constant::Zero), |parts| parts.get(index));
        match ty {
            Type::Pointer(space) if parts.is_none() => _ = spaces.insert(*space),
            Type::Named(number) => {
                self.zero_pointers_within(self.named(*number)?, constant, spaces, patience)?;
            }
            Type::Array(_, element) | Type::Vector(_, element) => {
                let count = parts.map_or(1, |parts| parts.len());
                for index in 0..count {
                    self.zero_pointers_within(element, part(index)?, spaces, patience)?;
                }
            }
            Type::Structure { members, .. } => {
                for (index, member) in members.iter().enumerate() {
                    self.zero_pointers_within(member, part(index)?, spaces, patience)?;
                }
            }
            _ => {}
        }
        patience.depth += 1;
        Some(())
    }

    /// Returns the number of `size` bytes at an offset in a constant.
    pub fn number(&self, ty: &Type, constant: &Constant, offset: u64, size: u64) -> StoredNumber {
        self.number_within(ty, constant, offset, size, &mut Patience::whole())
            .unwrap_or(StoredNumber::Unknown)
    }

    fn number_within(
        &self,
        ty: &Type,
        constant: &Constant,
        offset: u64,
        size: u64,
        patience: &mut Patience,
    ) -> Option<StoredNumber> {
        patience.step()?;
        let ty = match ty {
            Type::Named(number) => self.named(*number)?,
            ty => ty,
        };
        let parts = match constant {
            Constant::Zero => return Some(StoredNumber::Known(0)),
            Constant::Undefined => return Some(StoredNumber::Undefined),
            Constant::Unknown => return None,
            Constant::Number(bits) => {
                let own = self.of(ty)?.size;
                let is_whole = offset == 0 && own == size;
                return is_whole.then_some(StoredNumber::Known(*bits));
            }
            Constant::Bytes(bytes) => {
                let end = offset.checked_add(size)?;
                let part = bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)?;
                let bits = part.iter().rev().try_fold(0_u64, |bits, byte| {
                    Some(bits.checked_mul(1 << 8)? | u64::from(*byte))
                });
                return bits.map(StoredNumber::Known);
            }
            Constant::Parts(parts) => parts,
        };
        let mut at_element = |element: &Type| {
            let own = self.within(element, patience)?.size;
            let index = offset.checked_div(own)?;
            let part = parts.get(usize::try_from(index).ok()?)?;
            self.number_within(element, part, offset % own, size, patience)
        };
        match ty {
            Type::Array(_, element) | Type::Vector(_, element) => at_element(element),
            Type::Structure { is_packed, members } => {
                let mut found = None;
                let offsets = self.offsets(*is_packed, members, patience)?;
                for ((start, _), (member, part)) in offsets.zip(members.iter().zip(parts.iter())) {
                    if start <= offset {
                        found = Some((start, member, part));
                    }
                }
                let (start, member, part) = found?;
                self.number_within(member, part, offset - start, size, patience)
            }
            _ => None,
        }
    }
}

/// The value of an initializer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// All bytes are zero.
    Zero,
    /// No value is given.
    Undefined,
    /// A value that is not followed, an address for instance.
    Unknown,
    /// A number, as its bits.
    Number(u64),
    /// The bytes of a string.
    Bytes(Vec<u8>),
    /// The values of the parts of an array, a vector or a structure.
    Parts(Arc<[Constant]>),
}

/// A number in a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredNumber {
    /// Bits of the number.
    Known(u64),
    /// The module gives no value.
    Undefined,
    /// The module gives a value that is not followed.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_padding_unless_they_are_packed() {
        let layouts = Layouts::default();
        let members: Arc<[Type]> = [Type::Integer(8), Type::Integer(32)].into();
        let check = |is_packed, size, alignment| {
            let ty = Type::Structure { is_packed, members: Arc::clone(&members) };
            assert_eq!(layouts.of(&ty), Some(Layout { size, alignment }));
        };
        check(false, 8, 4);
        check(true, 5, 1);
    }

    #[test]
    fn parts_are_found_by_their_offset() {
        let layouts = Layouts::default();
        let members: Arc<[Type]> = [Type::Integer(32), Type::Pointer(3)].into();
        let ty = Type::Array(2, Arc::new(Type::Structure { is_packed: false, members }));
        for (offset, part) in [
            (0, Some(&Type::Integer(32))),
            (2, None),
            (8, Some(&Type::Pointer(3))),
            (24, Some(&Type::Pointer(3))),
        ] {
            assert_eq!(layouts.part(&ty, offset), part, "{offset}");
        }
    }

    #[test]
    fn numbers_are_found_by_their_offset() {
        let layouts = Layouts::default();
        let row = Arc::new(Type::Array(2, Arc::new(Type::Integer(32))));
        let ty = Type::Array(2, row);
        let numbers = Constant::Parts([Constant::Number(1), Constant::Number(2)].into());
        let constant = Constant::Parts([numbers, Constant::Zero].into());
        for (offset, size, number) in [
            (0, 4, StoredNumber::Known(1)),
            (4, 4, StoredNumber::Known(2)),
            (8, 4, StoredNumber::Known(0)),
            (2, 4, StoredNumber::Unknown),
            (16, 4, StoredNumber::Unknown),
            (u64::MAX, 8, StoredNumber::Unknown),
        ] {
            assert_eq!(layouts.number(&ty, &constant, offset, size), number, "{offset}");
        }
    }
}
