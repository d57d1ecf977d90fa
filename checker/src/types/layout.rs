//! Sizes, alignments and offsets on a 64-bit device.

use super::{Contents, LARGE, Length, Member, RecordId, Type, TypeId, Types};

/// The attributes that change sizes and alignments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayoutAttributes {
    pub(crate) is_packed: bool,
    /// Largest number in `aligned(n)`.
    pub(crate) alignment: Option<u64>,
    /// Whether there is an alignment that is not a plain number.
    pub(crate) is_unknown: bool,
}

impl LayoutAttributes {
    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl Types {
    /// Sets the members of a record.
    pub(crate) fn complete_record(
        &mut self,
        id: RecordId,
        members: &[Member],
        layout: LayoutAttributes,
    ) {
        let mut contents = Contents::default();
        for member in members {
            let own = self.contents(member.ty);
            contents.unportable |= own.unportable;
            contents.pointer |= own.pointer;
        }
        let is_union = self.record(id).is_union;
        let mut size = Some(0_u64).filter(|_| !layout.is_unknown);
        let mut align = layout.alignment.unwrap_or(1);
        for member in members {
            let member_align = if layout.is_packed { 1 } else { self.align_of(member.ty.id) };
            align = align.max(member_align);
            let has_plain_layout = !member.is_bit_field && !member.has_layout;
            let member_size = self.size_of(member.ty.id).filter(|_| has_plain_layout);
            size = size.zip(member_size).and_then(|(size, member_size)| {
                if is_union {
                    Some(size.max(member_size))
                } else {
                    size.checked_next_multiple_of(member_align)?.checked_add(member_size)
                }
            });
        }
        let first = self.members.len() as u32;
        self.members.extend_from_slice(members);
        if members.len() > LARGE {
            for (index, member) in members.iter().enumerate() {
                if let Some(name) = member.name {
                    self.large.entry((first, name)).or_insert(index as u32);
                }
            }
        }
        let record = &mut self.records[id.0 as usize];
        record.complete = true;
        record.contents = contents;
        record.first = first;
        record.count = members.len() as u32;
        record.size = size.and_then(|size| size.checked_next_multiple_of(align));
        record.align = align;
        record.is_packed = layout.is_packed;
    }

    /// Returns the size in bytes on a 64-bit device, where it is known.
    pub(crate) fn size_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Some(scalar.size()),
            Type::Vector { element, width } => {
                Some(element.size() * u64::from(width.next_power_of_two()))
            }
            Type::Pointer(_) => Some(8),
            Type::Array { element, length: Length::Known(length) } => {
                self.size_of(element.id)?.checked_mul(length)
            }
            Type::Record(id) => self.record(id).size.filter(|_| self.record(id).complete),
            _ => None,
        }
    }

    /// Returns the offset of a member or an element, where it is known.
    pub(crate) fn offset_of(&self, id: TypeId, index: u64) -> Option<u64> {
        match self.get(id) {
            Type::Array { element, .. } => self.size_of(element.id)?.checked_mul(index),
            Type::Record(id) => {
                let record = self.record(id);
                record.size?;
                let mut offset = 0_u64;
                for (member, at) in self.members(&record).iter().zip(0_u64..) {
                    if record.is_union {
                        return Some(0);
                    }
                    if !record.is_packed {
                        offset = offset.checked_next_multiple_of(self.align_of(member.ty.id))?;
                    }
                    if at == index {
                        return Some(offset);
                    }
                    offset = offset.checked_add(self.size_of(member.ty.id)?)?;
                }
                None
            }
            _ => None,
        }
    }

    /// Returns the alignment in bytes on a 64-bit device.
    pub(crate) fn align_of(&self, id: TypeId) -> u64 {
        let innermost = self.innermost(id.plain()).id;
        match self.get(innermost) {
            Type::Record(id) => self.record(id).align,
            Type::Array { .. } => 1,
            _ => self.size_of(innermost).unwrap_or(1).clamp(1, 128),
        }
    }
}
