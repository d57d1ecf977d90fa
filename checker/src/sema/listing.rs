//! Listing the objects and the numbers in their initializers.

use crate::{
    access::AccessKind,
    parse::syntax::Storage,
    sema::{
        analyser::Analyser,
        constants::wrapped,
        inventory::{ObjectOrigin, StoredNumber},
        operand::{Category, Constness, Operand},
        scopes::ObjectId,
    },
    space::Space,
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

    /// Notes that the object which an operand designates is read or written.
    pub(super) fn list_access(&mut self, operand: &Operand, kind: AccessKind) {
        let Some(space) = self.arena.types.space(operand.ty).filter(|_| operand.is_lvalue()) else {
            return;
        };
        self.arena.inventory.access(kind, space);
        // The rest of the vector stays.
        if operand.category == Category::VectorComponent {
            self.arena.inventory.access(AccessKind::Read, space);
        }
    }

    /// Notes that a built-in function may read and write what its arguments point to. It may take them as pointers into
    /// generic.
    pub(super) fn list_accesses_by_arguments(&mut self, arguments: &[Operand]) {
        for argument in arguments {
            let pointee = self.arena.types.pointee(argument.ty);
            let Some(space) = pointee.and_then(|pointee| self.arena.types.space(pointee)) else {
                continue;
            };
            let generic = Some(Space::Generic);
            let generic =
                generic.filter(|generic| self.dialect.generic_space() && generic.encloses(space));
            for space in [Some(space), generic].into_iter().flatten() {
                self.arena.inventory.access(AccessKind::Read, space);
                self.arena.inventory.access(AccessKind::Write, space);
            }
        }
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
