//! Pointers to elements of their type.

use expectations::space::AddressSpace;

use super::{
    Builder,
    places::{Base, Root, Search},
    read,
    statics::TEXT,
};
use crate::random::{
    settings::Feature,
    tree::{Binary, Expression, Node, Place, PlaceNode},
    types::{CHAR, Pointer, Ty, Type, UINT},
};

impl Builder<'_> {
    /// Whether pointers of one type convert implicitly to another: the run of elements is as long, their space is
    /// enclosed, and nothing becomes writable ([addr-spaces-conversions]).
    pub(super) fn converts(&self, from: Ty, to: Ty) -> bool {
        let types = &self.program.types;
        let (Some(from), Some(to)) = (types.as_pointer(from), types.as_pointer(to)) else {
            return false;
        };
        from.to == to.to
            && to.space.encloses(from.space)
            && from.run >= to.run
            && (to.is_const || !from.is_const)
            && (to.is_volatile || !from.is_volatile)
    }

    /// Returns a pointer of a type that may be used here.
    pub(super) fn pointer(&mut self, ty: Ty) -> Option<Expression> {
        self.pointer_to_keep(ty, self.depth)
    }

    /// Returns a pointer where a value becomes one of the type, to something that lives as long as a scope; this is
    /// where the flow of pointers can be edited.
    pub(super) fn converted(&mut self, ty: Ty, depth: u8) -> Option<Expression> {
        self.edge_fault(ty).or_else(|| self.pointer_to_keep(ty, depth))
    }

    /// Returns a pointer of the very type, which is not a null pointer constant.
    pub(super) fn exact_pointer(&mut self, pointer: Pointer) -> Expression {
        let ty = self.program.types.intern(Type::Pointer(pointer));
        match self.pointer(ty) {
            Some(pointer) => explicit(pointer),
            None => Expression::new(ty, Node::Cast(Box::new(Expression::new(ty, Node::Null)))),
        }
    }

    /// Returns a pointer of a type to something that lives as long as a scope.
    pub(super) fn pointer_to_keep(&mut self, ty: Ty, depth: u8) -> Option<Expression> {
        let first = self.one_pointer(ty, depth)?;
        let wanted = self.program.types.as_pointer(ty)?;
        Some(match self.choices.below(8) {
            5 => {
                let second = self.one_pointer(ty, depth)?;
                let condition = self.condition(0);
                let (first, second) = (Box::new(explicit(first)), Box::new(explicit(second)));
                Expression::new(ty, Node::Conditional(Box::new(condition), first, second))
            }
            // To generic and back: it is known where it points.
            6 if self.dialect.generic
                && matches!(
                    wanted.space,
                    AddressSpace::Global | AddressSpace::Local | AddressSpace::Private
                ) =>
            {
                let generic = Pointer { space: AddressSpace::Generic, ..wanted };
                let generic = self.program.types.intern(Type::Pointer(generic));
                let there = Expression::new(generic, Node::Cast(Box::new(first)));
                // The function takes pointers to objects that are neither const, pointers nor atomic
                // ([address-space-qualifier-functions]).
                let is_plain = self.has(Feature::Builtins)
                    && !wanted.is_const
                    && !wanted.is_volatile
                    && !self.program.types.is_array(wanted.to)
                    && self.program.types.as_pointer(wanted.to).is_none()
                    && self.program.types.as_atomic(wanted.to).is_none();
                if !is_plain || self.choices.below(2) == 0 {
                    Expression::new(ty, Node::Cast(Box::new(there)))
                } else {
                    Expression::new(ty, Node::ToSpace(Box::new(there)))
                }
            }
            _ => first,
        })
    }

    fn one_pointer(&mut self, ty: Ty, depth: u8) -> Option<Expression> {
        let wanted = self.program.types.as_pointer(ty)?;
        let reads = |root: &Root| root.depth <= depth;
        let is_text = wanted.to == CHAR && wanted.space == AddressSpace::Constant;
        let is_text = is_text && self.has(Feature::StringLiterals);
        if is_text && wanted.run <= TEXT && self.choices.below(2) == 1 {
            return Some(self.text(ty));
        }
        let is_read = self.choices.below(3) == 2;
        if is_read && let Some((place, _)) = self.place(Search::PointerTo(ty), reads) {
            let pointer = read(place);
            return Some(as_type(pointer, ty));
        }
        let agrees = |root: &Root| {
            root.depth <= depth
                && wanted.space.encloses(root.space)
                && (root.is_writable || wanted.is_const)
                && (!root.is_volatile || wanted.is_volatile)
        };
        // The elements themselves, or an array in them.
        let fits =
            |root: &Root| agrees(root) && root.element == wanted.to && root.run >= wanted.run;
        let whole = self.roots.iter().filter(|root| fits(root)).count();
        let inside = Search::Run(wanted.to, wanted.run);
        let is_inside = |root: &Root| {
            agrees(root)
                && !fits(root)
                && !matches!(*root.base, Base::Place(ref p) if p.ty == wanted.to)
        };
        if whole > 0 && self.choices.below(4) != 3 {
            let number = self.choices.below(whole as u32) as usize;
            let root = self.roots.iter().filter(|root| fits(root)).nth(number)?.clone();
            return Some(self.address_of_root(&root, ty, wanted));
        }
        if let Some((place, root)) = self.place(inside, is_inside) {
            return Some(self.address_of_place(place, &root, ty, wanted));
        }
        let first = self.roots.iter().find(|root| fits(root))?.clone();
        Some(self.address_of_root(&first, ty, wanted))
    }

    /// Returns the type of pointers to a root's elements, before they are converted to a type.
    fn own_type(&mut self, root: &Root, ty: Ty, wanted: Pointer) -> Ty {
        let (space, is_const) = (root.space, !root.is_writable);
        let pointer = Pointer { space, is_const, is_volatile: root.is_volatile, ..wanted };
        if pointer == wanted { ty } else { self.program.types.intern(Type::Pointer(pointer)) }
    }

    /// Returns `&a[1]`, `a + i`, or the pointer itself.
    fn address_of_root(&mut self, root: &Root, to: Ty, wanted: Pointer) -> Expression {
        let own = self.own_type(root, to, wanted);
        let spare = root.run - wanted.run;
        let ahead = if spare > 0 { self.choices.below(u32::from(spare) + 1) } else { 0 };
        let from = match &*root.base {
            Base::Place(_) => None,
            Base::Array(_, from) | Base::Pointer(_, from) => from.clone(),
        };
        let index = match (from, ahead) {
            (None, 0) => None,
            (None, ahead) => Some(Expression::literal(UINT, ahead.into())),
            (Some(from), 0) => Some(from),
            (Some(from), ahead) => {
                let ahead = Expression::literal(UINT, ahead.into());
                let sum = Node::Binary(Binary::Add, Box::new(from), Box::new(ahead));
                Some(Expression::new(UINT, sum))
            }
        };
        let element = |node| Place { ty: wanted.to, node };
        let pointer = match &*root.base {
            Base::Place(place) => Expression::new(own, Node::Address(place.clone())),
            Base::Array(array, _) => {
                let index = index.unwrap_or_else(|| Expression::literal(UINT, 0));
                let node = PlaceNode::Element(Box::new(array.clone()), Box::new(index));
                Expression::new(own, Node::Address(element(node)))
            }
            Base::Pointer(pointer, _) => match index {
                None => as_type(pointer.clone(), own),
                Some(index) if self.choices.below(2) == 0 => {
                    let sum = Node::Offset(Box::new(pointer.clone()), Box::new(index));
                    Expression::new(own, sum)
                }
                Some(index) => {
                    let node = PlaceNode::Target(Box::new(pointer.clone()), Some(Box::new(index)));
                    Expression::new(own, Node::Address(element(node)))
                }
            },
        };
        as_type(pointer, to)
    }

    /// Returns `&place`; for an array the address of its first element.
    fn address_of_place(
        &mut self,
        place: Place,
        root: &Root,
        to: Ty,
        wanted: Pointer,
    ) -> Expression {
        let own = self.own_type(root, to, wanted);
        let place = match self.program.types.get(place.ty) {
            Type::Array(element, _) if place.ty != wanted.to => {
                let first = Box::new(Expression::literal(UINT, 0));
                Place { ty: element, node: PlaceNode::Element(Box::new(place), first) }
            }
            _ => place,
        };
        let pointer = Expression::new(own, Node::Address(place));
        as_type(pointer, to)
    }
}

/// Returns a pointer with its conversion, if it has one, written as a cast: operands of `?:` and `==` in two named
/// spaces have nothing in common ([addr-spaces-conversions]).
pub(super) fn explicit(pointer: Expression) -> Expression {
    match pointer.node {
        Node::Implicit(inner) => Expression::new(pointer.ty, Node::Cast(inner)),
        node => Expression::new(pointer.ty, node),
    }
}

/// Returns a pointer in place of one of another type to which it converts.
fn as_type(pointer: Expression, ty: Ty) -> Expression {
    if pointer.ty == ty { pointer } else { Expression::new(ty, Node::Implicit(Box::new(pointer))) }
}
