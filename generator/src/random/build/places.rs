//! Places that a statement can read and write.

use std::rc::Rc;

use expectations::space::AddressSpace;

use super::{Builder, place_of, read};
use crate::random::{
    tree::{Binary, Expression, Node, Place, PlaceNode, VariableId},
    types::{Scalar, Ty, Type, UINT},
};

/// One or more elements of a type that can be reached.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// The place of the elements.
    pub(super) base: Rc<Base>,
    /// The type of an element.
    pub(super) element: Ty,
    /// Number of elements, a power of two.
    pub(super) run: u16,
    /// The space they are in, as far as it is known.
    pub(super) space: AddressSpace,
    /// Whether they may be written.
    pub(super) is_writable: bool,
    /// Whether they are `volatile`.
    pub(super) is_volatile: bool,
    /// The scope they stay in, at least.
    pub(super) depth: u8,
    /// The scope that pointers in them stay in, at least; behind a pointer it is not known.
    pub(super) keeps: u8,
}

/// The place of a root's elements.
#[derive(Clone, Debug)]
pub(super) enum Base {
    /// One place.
    Place(Place),
    /// Elements of an array, from this one on.
    Array(Place, Option<Expression>),
    /// Elements that a pointer points to, from this one on.
    Pointer(Expression, Option<Expression>),
}

/// A search among the places in reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Places of a type.
    Type(Ty),
    /// Arrays of at least this many elements of a type.
    Run(Ty, u16),
    /// Places that hold pointers, one of which converts implicitly to this type.
    PointerTo(Ty),
}

impl Search {
    /// Whether it is an object of the type as a whole.
    fn is_all_of(self, ty: Ty) -> bool {
        matches!(self, Self::Type(own) | Self::Run(own, 1) if own == ty)
    }
}

impl Builder<'_> {
    /// Adds a variable, and the objects it points to, to the places in reach.
    pub(super) fn add_variable_roots(&mut self, variable: VariableId) {
        self.add_roots(variable, self.depth, self.depth);
    }

    /// Adds a parameter to the places in reach: the parameter ends with the call, the objects it points to do not.
    pub(super) fn add_parameter_roots(&mut self, parameter: VariableId) {
        self.add_roots(parameter, 1, 0);
    }

    fn add_roots(&mut self, variable: VariableId, depth: u8, depth_of_pointee: u8) {
        let known = &self.program.variables[usize::from(variable.0)];
        let place = place_of(variable, known.ty);
        let is_writable = known.space != AddressSpace::Constant && !known.is_const;
        let (base, element, run) = match self.program.types.get(known.ty) {
            Type::Array(element, length) => (Base::Array(place.clone(), None), element, length),
            _ => (Base::Place(place.clone()), known.ty, 1),
        };
        let (ty, space, is_volatile) = (known.ty, known.space, known.is_volatile);
        self.roots.push(Root {
            base: Rc::new(base),
            element,
            run,
            space,
            is_writable,
            is_volatile,
            depth,
            keeps: depth,
        });
        if let Some(pointer) = self.program.types.as_pointer(ty) {
            self.roots.push(Root {
                base: Rc::new(Base::Pointer(read(place), None)),
                element: pointer.to,
                run: pointer.run,
                space: pointer.space,
                is_writable: !pointer.is_const,
                is_volatile: pointer.is_volatile,
                depth: depth_of_pointee,
                keeps: 0,
            });
        }
    }

    /// Returns `from` plus an index below `run`, a power of two.
    fn index(&mut self, from: Option<&Expression>, run: u16) -> Option<Expression> {
        let add = |left: Expression, right: Expression| {
            Expression::new(UINT, Node::Binary(Binary::Add, Box::new(left), Box::new(right)))
        };
        if run == 1 {
            return from.cloned();
        }
        let within = self.below(run);
        Some(match from {
            Some(from) => add(from.clone(), within),
            None => within,
        })
    }

    /// Returns a number below a power of two.
    pub(super) fn below(&mut self, bound: u16) -> Expression {
        let counter = self.counters.iter().rev().find(|(_, times)| *times <= u32::from(bound));
        match (self.choices.below(4), counter) {
            (2, Some(&(counter, _))) => read(place_of(counter, UINT)),
            (3, _) => {
                let number = self.number_of(Scalar::Uint, 0);
                let mask = Expression::literal(UINT, i128::from(bound) - 1);
                let masked = Node::Binary(Binary::And, Box::new(number), Box::new(mask));
                Expression::new(UINT, masked)
            }
            _ => {
                let value = self.choices.below(u32::from(bound));
                Expression::literal(UINT, value.into())
            }
        }
    }

    /// Returns one of a root's elements.
    pub(super) fn element(&mut self, root: &Root) -> Place {
        let node = match &*root.base {
            Base::Place(place) => return place.clone(),
            Base::Array(array, from) => {
                let index = self.index(from.as_ref(), root.run);
                let index = index.unwrap_or_else(|| Expression::literal(UINT, 0));
                PlaceNode::Element(Box::new(array.clone()), Box::new(index))
            }
            Base::Pointer(pointer, from) => {
                let index = self.index(from.as_ref(), root.run).map(Box::new);
                PlaceNode::Target(Box::new(pointer.clone()), index)
            }
        };
        Place { ty: root.element, node }
    }

    /// Whether objects of a type contain what is wanted.
    pub(super) fn holds(&self, ty: Ty, wanted: Search) -> bool {
        let types = &self.program.types;
        let is_it = match (wanted, types.get(ty)) {
            (Search::Type(wanted), _) => ty == wanted,
            (Search::Run(element, run), Type::Array(of, length)) => of == element && length >= run,
            (Search::Run(element, run), _) => run == 1 && ty == element,
            (Search::PointerTo(to), _) => self.converts(ty, to),
        };
        is_it
            || match types.get(ty) {
                // A component of a vector has no address.
                Type::Vector(scalar, _) => wanted == Search::Type(super::Types::scalar(scalar)),
                Type::Array(element, _) => self.holds(element, wanted),
                Type::Record(record) => {
                    let members = types.records()[usize::from(record)].plain(types);
                    members.iter().any(|&member| self.holds(member, wanted))
                }
                Type::Scalar(_)
                | Type::Pointer(_)
                | Type::Atomic(_)
                | Type::Enumeration(_)
                | Type::Opaque(_) => false,
            }
    }

    /// Returns the part of a place that is wanted.
    pub(super) fn within(&mut self, place: Place, wanted: Search) -> Place {
        let ty = place.ty;
        let inner = match self.program.types.get(ty) {
            Type::Vector(scalar, length) if !wanted.is_all_of(ty) => {
                let component = self.choices.below(u32::from(length)) as u8;
                let scalar = super::Types::scalar(scalar);
                Place { ty: scalar, node: PlaceNode::Component(Box::new(place), component) }
            }
            Type::Array(element, length) => {
                let is_whole =
                    matches!(wanted, Search::Run(of, run) if of == element && run <= length);
                if is_whole {
                    return place;
                }
                let index = self.below(length);
                Place { ty: element, node: PlaceNode::Element(Box::new(place), Box::new(index)) }
            }
            Type::Record(record) if !wanted.is_all_of(ty) => {
                let types = &self.program.types;
                let members = types.records()[usize::from(record)].plain(types).to_vec();
                let fit: Vec<u16> = (0..)
                    .zip(&members)
                    .filter(|(_, member)| self.holds(**member, wanted))
                    .map(|(number, _)| number)
                    .collect();
                let member = self.choices.pick(&fit);
                let ty = members[usize::from(member)];
                Place { ty, node: PlaceNode::Member(Box::new(place), member) }
            }
            _ => return place,
        };
        self.within(inner, wanted)
    }

    /// Returns a place to read or to write, in one of the roots that agree.
    pub(super) fn place(
        &mut self,
        wanted: Search,
        agrees: impl Fn(&Root) -> bool,
    ) -> Option<(Place, Root)> {
        let fit: Vec<usize> = (0..self.roots.len())
            .filter(|&root| {
                agrees(&self.roots[root]) && self.holds(self.roots[root].element, wanted)
            })
            .collect();
        if fit.is_empty() {
            return None;
        }
        let root = self.choices.pick(&fit);
        let root = self.roots[root].clone();
        let element = self.element(&root);
        Some((self.within(element, wanted), root))
    }

    /// Returns a place of a number's type that may be read.
    pub(super) fn readable(&mut self, scalar: Scalar) -> Option<Expression> {
        let wanted = Search::Type(super::Types::scalar(scalar));
        self.place(wanted, |_| true).map(|(place, _)| read(place))
    }
}

/// Returns the element of a root that has this index.
pub(super) fn element_of(root: &Root, index: &Expression) -> Place {
    let after = |from: &Option<Expression>| match (from, &index.node) {
        (None, _) => index.clone(),
        (Some(from), Node::Literal(0)) => from.clone(),
        (Some(from), _) => Builder::binary(Binary::Add, from.clone(), index.clone()),
    };
    let node = match &*root.base {
        Base::Place(place) => return place.clone(),
        Base::Array(array, from) => {
            PlaceNode::Element(Box::new(array.clone()), Box::new(after(from)))
        }
        Base::Pointer(pointer, from) => {
            PlaceNode::Target(Box::new(pointer.clone()), Some(Box::new(after(from))))
        }
    };
    Place { ty: root.element, node }
}
