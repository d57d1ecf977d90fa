//! Objects seen as bytes, and unions whose members are of other types: answers do not depend on the order of bytes.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, places::Search, read};
use crate::random::{
    tree::{Expression, Node, Place, PlaceNode, Statement},
    types::{FLOAT, INT, Pointer, Record, Scalar, Ty, Type, Types, UINT},
};

impl Builder<'_> {
    /// Returns a union of a number and a `uint` that reads its bits ([reinterpreting-types-using-unions]).
    pub(super) fn reinterpreted(&mut self) -> Ty {
        let first = self.choices.pick(&[INT, FLOAT]);
        self.add_record(Record { is_union: true, members: vec![first, UINT] })
    }

    /// Returns the bits of what was written to the other member of a union.
    pub(super) fn other_member(&mut self) -> Option<Expression> {
        let types = &self.program.types;
        let unions: Vec<Ty> = self
            .elements
            .iter()
            .copied()
            .filter(|&ty| match types.get(ty) {
                Type::Record(record) => {
                    types.records()[usize::from(record)].is_reinterpreted(types)
                }
                _ => false,
            })
            .collect();
        if unions.is_empty() {
            return None;
        }
        let union = self.choices.pick(&unions);
        let (place, _) = self.place(Search::Type(union), |_| true)?;
        Some(read(Place { ty: UINT, node: PlaceNode::Member(Box::new(place), 1) }))
    }

    /// Returns the sum of the bytes of a number.
    pub(super) fn bytes(&mut self) -> Option<Expression> {
        let scalar = self.choices.pick(&[Scalar::Uint, Scalar::Ulong, Scalar::Int, Scalar::Float]);
        let ty = self.pointer_type(Types::scalar(scalar), 1);
        let pointer = Box::new(self.pointer(ty)?);
        Some(Expression::new(UINT, Node::Bytes(pointer)))
    }

    /// Returns an object copied byte by byte, which 1.0 leaves to the device ([restrictions]).
    pub(super) fn copy_bytes(&mut self) -> Option<Vec<Statement>> {
        if self.dialect.version < Version::V1_1 {
            return None;
        }
        let ty = self.element_without_pointers();
        if !self.program.types.is_dense(ty) {
            return None;
        }
        let to = self.pointer_type(ty, 1);
        let from = self.pointer_type(ty, 1);
        let known = self.program.types.as_pointer(to)?;
        // Bytes are written there.
        let space = match known.space {
            AddressSpace::Constant => AddressSpace::Private,
            space => space,
        };
        let to = Pointer { space, is_const: false, is_volatile: false, ..known };
        let to = self.program.types.intern(Type::Pointer(to));
        let (to, from) = (self.pointer(to)?, self.pointer(from)?);
        Some(vec![Statement::CopyBytes(to, from)])
    }
}
