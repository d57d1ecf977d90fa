//! Listing the objects and the numbers in their initializers.

use crate::{
    parse::syntax::Storage,
    sema::{
        analyser::Analyser,
        constants::wrapped,
        inventory::{ObjectOrigin, StoredNumber},
        operand::{Constness, Operand},
        scopes::ObjectId,
    },
    span::Span,
    types::{LayoutAttributes, QualifiedType, Scalar, Type},
};

impl Analyser<'_> {
    /// Notes that a literal makes an object.
    pub(super) fn list_literal(&mut self, origin: ObjectOrigin, ty: QualifiedType, span: Span) {
        let is_in_block = self.body.is_some_and(|body| body.is_block);
        self.arena.inventory.add(origin, ty, span, is_in_block);
    }

    /// Notes that a variable is declared.
    pub(super) fn list_variable(
        &mut self,
        id: ObjectId,
        storage: Option<Storage>,
        layout: LayoutAttributes,
    ) {
        let object = *self.object(id);
        self.list_literal(ObjectOrigin::Variable { id, storage, layout }, object.ty, object.span);
    }

    /// Notes the value that an initializer gives to a part of a variable, where it is a number that is known.
    pub(super) fn list_number(
        &mut self,
        object: ObjectId,
        ty: QualifiedType,
        offset: u64,
        value: &Operand,
    ) {
        let (Constness::Integer(number), Type::Scalar(own)) =
            (value.constness, self.arena.types.of(value.ty))
        else {
            return;
        };
        // The number of an expression may be wider than its type.
        let value = wrapped(number, own);
        let Type::Scalar(scalar) = self.arena.types.of(ty) else { return };
        let size = scalar.size();
        let bits = match scalar.underlying() {
            Scalar::Half => return,
            Scalar::Float | Scalar::Double if value.unsigned_abs() > EXACT_IN_FLOAT => return,
            Scalar::Float => u64::from((value as f32).to_bits()),
            Scalar::Double => (value as f64).to_bits(),
            scalar => wrapped(value, scalar).cast_unsigned() & (u64::MAX >> (64 - 8 * size)),
        };
        self.arena.inventory.numbers.push(StoredNumber { object, offset, size, bits });
    }
}

/// Integers up to this one are `float` values too.
const EXACT_IN_FLOAT: u64 = 1 << 24;
