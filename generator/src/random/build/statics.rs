//! Static variables of kernels, and string literals.

use expectations::space::AddressSpace;

use super::{Builder, OWN, place_of};
use crate::random::{
    settings::Feature,
    tree::{Expression, Initializer, Node, Place, PlaceNode, Step, WorkItem},
    types::{CHAR, Pointer, Ty, Type},
};

/// Characters of every string literal, with what ends it.
pub(super) const TEXT: u16 = 8;

impl Builder<'_> {
    /// Returns a table in constant, or a static variable in global in which each work-item has a part.
    pub(super) fn static_variable(&mut self) -> Step {
        let has_globals = self.dialect.program_scope_globals && self.has(Feature::StorageClasses);
        if has_globals && self.choices.below(2) == 1 {
            let element = self.shared_element();
            let length = OWN * self.program.items as u16;
            let ty = self.program.types.intern(Type::Array(element, length));
            let variable = self.variable(ty, AddressSpace::Global, None);
            self.add_own_part(place_of(variable, ty), element, WorkItem::GlobalId, OWN);
            return Step::Static(variable);
        }
        let element = self.element_without_pointers();
        let ty = self.program.types.intern(Type::Array(element, OWN));
        let initializer = self.constants(ty);
        let variable = self.variable(ty, AddressSpace::Constant, Some(initializer));
        self.add_variable_roots(variable);
        Step::Static(variable)
    }

    /// Adds an array in constant memory that a string literal initializes.
    pub(super) fn table_of_characters(&mut self) {
        let ty = self.program.types.intern(Type::Array(CHAR, TEXT));
        let text = Initializer::Text(self.characters());
        let variable = self.variable(ty, AddressSpace::Constant, Some(text));
        self.declare_at_program_scope(variable);
        self.add_variable_roots(variable);
    }

    /// Returns the type `constant char *`.
    pub(super) fn text_type(&mut self) -> Ty {
        let (to, space, is_const) = (CHAR, AddressSpace::Constant, true);
        self.program.types.intern(Type::Pointer(Pointer {
            to,
            space,
            is_const,
            is_volatile: false,
            run: TEXT,
        }))
    }

    /// Returns a string literal ([addr-spaces-inference]: it is in constant).
    pub(super) fn text(&mut self, ty: Ty) -> Expression {
        let text = self.characters();
        Expression::new(ty, Node::Text(text))
    }

    /// Returns a character of a string literal.
    pub(super) fn character(&mut self) -> Expression {
        let text = self.text_type();
        let text = Box::new(self.text(text));
        let index = Some(Box::new(self.below(TEXT)));
        super::read(Place { ty: CHAR, node: PlaceNode::Target(text, index) })
    }

    /// Characters that objects of `char` may hold. The first two differ from string to string: whether equal ones are
    /// one object is not defined (C99 6.4.5).
    fn characters(&mut self) -> Vec<u8> {
        let number = self.texts;
        self.texts = self.texts.wrapping_add(1);
        let mut text = vec![b'0' + number % 10, b'*' + number / 10 % 6];
        while text.len() + 1 < usize::from(TEXT) {
            text.push(self.choices.pick(b"0123456789 +-<=>:;,.#$&()"));
        }
        text.push(0);
        text
    }
}
