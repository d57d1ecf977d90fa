//! Lvalues within reach: objects, what they point to, elements and members.

use expectations::space::AddressSpace;

use super::{Builder, Variable};
use crate::random::{
    tree::{Expression, Name},
    types::{Kind, Pointee, Ty, Types},
};

/// How far an lvalue is from a name.
const REACH: usize = 3;

/// An lvalue's type and where the object is.
#[derive(Clone, Copy, Debug)]
pub(in crate::random) struct Spot {
    pub(in crate::random) ty: Ty,
    pub(in crate::random) space: AddressSpace,
    pub(in crate::random) is_const: bool,
    pub(in crate::random) is_volatile: bool,
}

impl Spot {
    /// Whether it can be assigned to, its type allowing.
    pub(in crate::random) fn is_writable(self) -> bool {
        !self.is_const && self.space.facts().writable
    }

    /// What a pointer to an object of type `to` there points to.
    pub(in crate::random) fn pointed_to(self, to: Ty) -> Pointee {
        let Self { space, is_const, is_volatile, .. } = self;
        Pointee { to, space, is_const, is_volatile }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Pointer,
    Element(u8),
    Member(Name),
}

struct Search<'t, W> {
    types: &'t Types,
    wanted: W,
    skip: u32,
    path: Vec<Step>,
    found: Option<(Vec<Step>, Spot)>,
}

impl<W: Fn(&Types, &Spot) -> bool> Search<'_, W> {
    /// True once the search is over.
    fn walk(&mut self, spot: Spot) -> bool {
        if (self.wanted)(self.types, &spot) {
            self.found = Some((self.path.clone(), spot));
            if self.skip == 0 {
                return true;
            }
            self.skip -= 1;
        }
        if self.path.len() == REACH {
            return false;
        }
        match self.types.kind(spot.ty) {
            Kind::Pointer(pointee) => {
                let inner = Spot {
                    ty: pointee.to,
                    space: pointee.space,
                    is_const: pointee.is_const,
                    is_volatile: pointee.is_volatile,
                };
                self.step(Step::Pointer, inner)
            }
            Kind::Array(element, length) => {
                let index = (self.path.len() as u8 + self.skip as u8) % length;
                self.step(Step::Element(index), Spot { ty: element, ..spot })
            }
            Kind::Record(index) => {
                let types = self.types;
                let mut members = types.record_of(index).members.iter();
                members.any(|member| {
                    self.step(Step::Member(member.name), Spot { ty: member.ty, ..spot })
                })
            }
            _ => false,
        }
    }

    fn step(&mut self, step: Step, spot: Spot) -> bool {
        self.path.push(step);
        let over = self.walk(spot);
        self.path.pop();
        over
    }
}

impl Builder<'_> {
    /// An lvalue that is `wanted`, if there is one.
    pub(in crate::random) fn place_where(
        &mut self,
        wanted: impl Fn(&Types, &Spot) -> bool,
    ) -> Option<(Expression, Spot)> {
        self.place_among(wanted, |_| true)
    }

    /// The same, begun from a variable that will do.
    pub(in crate::random) fn place_among(
        &mut self,
        wanted: impl Fn(&Types, &Spot) -> bool,
        base: impl Fn(&Variable) -> bool,
    ) -> Option<(Expression, Spot)> {
        let count = self.variables.len();
        if count == 0 {
            return None;
        }
        // The newest first: zero is near.
        let start = self.choices.below(count as u32) as usize;
        let skip = self.choices.below(3);
        let mut search = Search { types: &self.types, wanted, skip, path: Vec::new(), found: None };
        let mut found = None;
        for offset in 0..count {
            let variable = self.variables[(2 * count - 1 - start - offset) % count];
            if variable.is_hidden || !base(&variable) {
                continue;
            }
            let over = search.walk(Spot {
                ty: variable.ty,
                space: variable.space,
                is_const: variable.is_const,
                is_volatile: variable.is_volatile,
            });
            if let Some((path, spot)) = search.found.take() {
                found = Some((variable.name, path, spot));
            }
            if over {
                break;
            }
        }
        let (name, path, spot) = found?;
        Some((self.spelled(name, &path), spot))
    }

    fn spelled(&mut self, name: Name, path: &[Step]) -> Expression {
        let mut expression = Expression::Name(name);
        let mut steps = path.iter().peekable();
        while let Some(step) = steps.next() {
            expression = match (*step, steps.peek()) {
                (Step::Pointer, Some(Step::Member(member))) => {
                    let member = *member;
                    steps.next();
                    Expression::Member(Box::new(expression), "->", member)
                }
                (Step::Pointer, _) if self.choices.below(2) == 0 => {
                    Expression::Prefix("*", Box::new(expression))
                }
                (Step::Pointer, _) => {
                    let index = Expression::Number(self.choices.below(4), "");
                    Expression::Index(Box::new([expression, index]))
                }
                (Step::Element(index), _) => {
                    let index = Expression::Number(u32::from(index), "");
                    Expression::Index(Box::new([expression, index]))
                }
                (Step::Member(member), _) => Expression::Member(Box::new(expression), ".", member),
            };
        }
        expression
    }
}
