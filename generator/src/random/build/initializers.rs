//! Initializers: braces, designators, strings.

use expectations::dialect::Version;

use super::Builder;
use crate::random::{
    settings::Feature,
    tree::{Designator, Element, Expression},
    types::{CHAR, Kind, Ty},
};

impl Builder<'_> {
    /// What a brace-enclosed initializer of `ty` holds.
    pub(in crate::random) fn elements(&mut self, ty: Ty, fuel: u32) -> Vec<Element> {
        match self.types.kind(ty) {
            Kind::Array(element, length) => self.elements_of_array(element, length, fuel),
            Kind::Record(index) => self.elements_of_record(index, fuel),
            _ => {
                let value = self.converted(ty, fuel);
                vec![Element { designator: Designator::None, value }]
            }
        }
    }

    fn elements_of_array(&mut self, element: Ty, length: u8, fuel: u32) -> Vec<Element> {
        let count = 1 + self.choices.below(u32::from(length));
        match self.choices.below(4) {
            2 => {
                if let Kind::Array(inner, inner_length) = self.types.kind(element)
                    && self.types.is_number(inner)
                {
                    // The inner braces may be left out.
                    let count = self.choices.below(count * u32::from(inner_length)) + 1;
                    return (0..count).map(|_| self.undesignated(inner, fuel)).collect();
                }
                (0..count).map(|_| self.undesignated(element, fuel)).collect()
            }
            3 => {
                let index = self.choices.below(u32::from(length)) as u8;
                let (designator, ty) = self.designator(index, element);
                let value = self.initial(ty, fuel);
                vec![Element { designator, value }]
            }
            _ => (0..count).map(|_| self.undesignated(element, fuel)).collect(),
        }
    }

    /// For this element of an array, or for a part of it, whose type it gives too.
    fn designator(&mut self, index: u8, element: Ty) -> (Designator, Ty) {
        match self.types.kind(element) {
            Kind::Array(inner, length) if self.choices.one_in(2) => {
                let inner_index = self.choices.below(u32::from(length)) as u8;
                (Designator::Indices(index, inner_index), inner)
            }
            Kind::Record(record) if self.choices.one_in(2) => {
                let member = self.types.record_of(record).members[0];
                (Designator::IndexMember(index, member.name), member.ty)
            }
            _ => (Designator::Index(index), element),
        }
    }

    fn elements_of_record(&mut self, index: u16, fuel: u32) -> Vec<Element> {
        let record = self.types.record_of(index);
        let (is_union, count) = (record.is_union, record.members.len() as u32);
        if self.choices.one_in(4) {
            let chosen = self.choices.below(count) as usize;
            let member = self.types.record_of(index).members[chosen];
            let (designator, ty) = match self.types.kind(member.ty) {
                Kind::Array(element, length) if self.choices.one_in(2) => {
                    let inner = self.choices.below(u32::from(length)) as u8;
                    (Designator::MemberIndex(member.name, inner), element)
                }
                _ => (Designator::Member(member.name), member.ty),
            };
            let value = self.initial(ty, fuel);
            return vec![Element { designator, value }];
        }
        let given = if is_union { 1 } else { 1 + self.choices.below(count) };
        (0..given as usize)
            .map(|position| {
                let ty = self.types.record_of(index).members[position].ty;
                self.undesignated(ty, fuel)
            })
            .collect()
    }

    fn undesignated(&mut self, ty: Ty, fuel: u32) -> Element {
        Element { designator: Designator::None, value: self.initial(ty, fuel) }
    }

    /// An initializer of an automatic object.
    pub(in crate::random) fn initial(&mut self, ty: Ty, fuel: u32) -> Expression {
        match self.types.kind(ty) {
            Kind::Array(..) => Expression::List(self.elements(ty, fuel)),
            Kind::Record(_) if self.choices.below(2) == 0 => {
                Expression::List(self.elements(ty, fuel))
            }
            _ => self.converted(ty, fuel),
        }
    }

    /// `"abc"` or `{ "abc" }`, of an array of four characters.
    pub(super) fn text_initializer(&mut self) -> Expression {
        let text = Expression::Word("\"abc\"");
        if self.choices.one_in(3) {
            Expression::List(vec![Element { designator: Designator::None, value: text }])
        } else {
            text
        }
    }

    /// The type of an array of characters that is initialized in a function, where there are such.
    pub(super) fn text_type(&mut self) -> Option<Ty> {
        // Stores of single bytes are optional in 1.0.
        let has = self.since(Version::V1_1) && self.one_in_with(Feature::StringLiterals, 8);
        has.then(|| self.types.array(CHAR, 4))
    }

    /// Whether the array's length can be, and is, left to its initializer.
    pub(super) fn may_be_unsized(&mut self, ty: Ty, initializer: Option<&Expression>) -> bool {
        let Kind::Array(element, length) = self.types.kind(ty) else { return false };
        if self.types.alias(ty).is_some() {
            return false;
        }
        let Some(Expression::List(elements)) = initializer else { return false };
        let is_whole = elements.len() == usize::from(length)
            && elements.iter().all(|given| {
                matches!(given.designator, Designator::None)
                    && (!self.types.is_array(element) || matches!(given.value, Expression::List(_)))
            });
        is_whole && self.choices.one_in(2)
    }
}
