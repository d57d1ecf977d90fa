//! Notes on names for editors.

use crate::{
    mention::Mention,
    rule::SPECIFICATION,
    sema::{
        analyser::Analyser,
        scopes::{FunctionId, ObjectId},
    },
    space::Space,
    span::Span,
    types::QualifiedType,
};

impl Analyser<'_> {
    /// Notes a variable or parameter at `place`.
    pub(super) fn mention_object(&mut self, id: ObjectId, place: Span) {
        if self.arena.mentions.is_none() {
            return;
        }
        let object = *self.object(id);
        let name = self.interner.text(object.name);
        let because = |is_inferred| if is_inferred { ", because nothing is written" } else { "" };
        let own = self.arena.types.space(object.ty).map_or("no address space", Space::name);
        let mut is_inferred = object.places.object.is_some();
        let mut text = format!(
            "```opencl\n{} {name}\n```\n`{name}` is in `{own}`{}",
            self.spelled(object.ty),
            because(is_inferred)
        );
        if let Some(pointee) = self.arena.types.pointee(object.ty) {
            let space = self.space_of(pointee).name();
            is_inferred |= object.places.pointee.missing().is_some();
            text.push_str("; it points to `");
            text.push_str(space);
            text.push('`');
            text.push_str(because(object.places.pointee.missing().is_some()));
        }
        let clause = if is_inferred { "addr-spaces-inference" } else { "address-space-qualifiers" };
        let text = format!("{text}.\n\n[{clause}]({SPECIFICATION}#{clause})");
        let declaration = object.span;
        self.arena.mentions.get_or_insert_default().push(Mention { place, declaration, text });
    }

    /// Notes a function at `place`.
    pub(super) fn mention_function(&mut self, id: FunctionId, name: &str, place: Span) {
        if self.arena.mentions.is_none() {
            return;
        }
        let function = self.function(id);
        let signature = self.arena.types.signature(function.signature);
        let parameters: Vec<String> = self
            .arena
            .types
            .parameters(&signature)
            .iter()
            .map(|parameter| self.parameter_text(parameter.ty, parameter.name))
            .collect();
        let kernel = if function.is_kernel { "kernel " } else { "" };
        let result = self.spelled(signature.result);
        let text = format!("```opencl\n{kernel}{result} {name}({})\n```", parameters.join(", "));
        let declaration = function.span;
        self.arena.mentions.get_or_insert_default().push(Mention { place, declaration, text });
    }

    fn parameter_text(&self, ty: QualifiedType, name: Option<crate::symbol::Symbol>) -> String {
        let name = name.map_or("", |name| self.interner.text(name));
        format!("{} {name}", self.spelled(ty)).trim_end().to_owned()
    }
}
