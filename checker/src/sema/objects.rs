//! Variables: their declaration, and agreement with earlier declarations.

use crate::{
    parse::syntax::Storage,
    rule::Rule,
    sema::{
        analyser::Analyser,
        placement::VariableDeclaration,
        report::Finding,
        scopes::{Binding, Object, ObjectId, Role},
    },
    space::Space,
    symbol::Symbol,
    types::{Agreement, Length, QualifiedType, Type},
};

/// A variable whose initializer may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) object: Option<ObjectId>,
    /// Type, with its space.
    pub(crate) ty: QualifiedType,
    /// Reason why its initializer must be constant, if it must.
    pub(crate) constant_for: Option<&'static str>,
    /// Whether the declaration breaks no rule, so that its initializer is judged too.
    pub(super) is_sound: bool,
}

impl Analyser<'_> {
    /// Judges a variable's declaration up to its initializer and declares its name.
    pub(crate) fn declare_variable(&mut self, declared: &VariableDeclaration) -> Variable {
        let is_extern = matches!(declared.storage, Some((Storage::Extern, _)));
        let is_static = matches!(declared.storage, Some((Storage::Static, _)));
        let placed = match self.restricted_variable(declared) {
            Some(placed) => placed,
            None => self.place_variable(declared),
        };
        let mut is_sound = placed.is_sound;
        if let Some(message) = self.unsupported_size(declared.ty)
            && !self.may_be_unsized(declared, is_extern)
        {
            self.broken(Rule::DeclarationArraySize, declared.span, message);
            is_sound = false;
        }
        let ty = self.arena.types.in_space(declared.ty, placed.space);
        let constant_for = match (self.body, placed.space) {
            _ if !is_sound => None,
            (_, Space::Constant) => Some("a variable in constant"),
            (None, _) => Some("a variable at program scope"),
            (Some(_), _) if is_static => Some("a static variable"),
            _ => None,
        };
        let object = Object {
            name: declared.name.unwrap_or(Symbol::EMPTY),
            ty,
            span: declared.span,
            duration: placed.duration,
            level: self.body.map_or(0, |body| body.level),
            role: if self.body.is_none() { Role::ProgramScope } else { Role::InFunction },
            is_initialized: declared.has_initializer,
            wants_initializer: is_sound
                && self.body.is_none()
                && placed.space == Space::Constant
                && !is_extern
                && !declared.has_initializer,
            value: None,
            places: declared.places,
        };
        let object = declared.name.map(|_| self.declare_or_merge(object, is_extern));
        self.judge_completeness(declared, object, is_extern);
        if let Some(object) = object {
            self.note_helper_variable(declared, object, placed.space);
        }
        Variable { object, ty, constant_for, is_sound }
    }

    /// Judges that the type of a variable is complete. At program scope it may become so later (C99 6.9.2).
    fn judge_completeness(
        &mut self,
        declared: &VariableDeclaration,
        object: Option<ObjectId>,
        is_extern: bool,
    ) {
        if !self.is_incomplete(declared.ty) {
            return;
        }
        if matches!(self.arena.types.of(declared.ty), Type::Record(_))
            && self.body.is_none()
            && !declared.has_initializer
        {
            self.arena.incomplete.extend(object.filter(|_| !is_extern));
        } else if !is_extern || declared.has_initializer {
            self.report_incomplete(declared.ty, declared.span);
        }
    }

    fn may_be_unsized(&self, declared: &VariableDeclaration, is_extern: bool) -> bool {
        let Type::Array { element, length: Length::Unsized } = self.arena.types.of(declared.ty)
        else {
            return false;
        };
        (declared.has_initializer || is_extern) && self.unsupported_size(element).is_none()
    }

    /// Declares `object`, or merges it with the one declared before.
    fn declare_or_merge(&mut self, object: Object, is_extern: bool) -> ObjectId {
        let name = object.name;
        let in_function = self.body.is_some();
        let visible = match (in_function, is_extern) {
            (true, true) => self.arena.names.get(name),
            _ => self.arena.names.get_here(name),
        };
        let previous = match visible {
            Some(Binding::Object(id))
                if !in_function || self.object(id).role == Role::ProgramScope =>
            {
                Some(id)
            }
            Some(Binding::Unknown) => None,
            Some(_) if !is_extern || self.is_without_linkage_here(name) => {
                let name = self.interner.text(name);
                let message = format!("`{name}` was declared before in this scope");
                self.mistake(Rule::CDeclaredTwice, object.span, message);
                None
            }
            _ => None,
        };
        let linked = if in_function && !is_extern { None } else { self.arena.linked.get(name) };
        if let Some(id) = previous.or(linked)
            && self.agrees_with(id, &object)
            && previous.is_some()
        {
            let earlier = *self.object(id);
            if earlier.is_initialized && object.is_initialized {
                let message = format!("`{}` is initialized", self.interner.text(name));
                self.repeated(Rule::CDefinedTwice, object.span, message, earlier.span);
            }
            let is_length_new = matches!(
                self.arena.types.of(earlier.ty),
                Type::Array { length: Length::Unsized, .. }
            );
            let merged = self.object_mut(id);
            if is_length_new {
                merged.ty = object.ty;
            }
            if object.wants_initializer && !merged.wants_initializer {
                // The error belongs to this declaration: an `extern` one before it needs no initializer.
                merged.span = object.span;
            }
            merged.is_initialized |= object.is_initialized;
            merged.wants_initializer |= object.wants_initializer;
            return id;
        }
        let id = self.declare_object(object);
        if in_function && is_extern && linked.is_none() {
            self.arena.linked.declare(name, id);
        }
        id
    }

    /// Whether the current scope declares a name, and the name is not an object with linkage.
    fn is_without_linkage_here(&self, name: Symbol) -> bool {
        match self.arena.names.get_here(name) {
            None | Some(Binding::Unknown) => false,
            Some(Binding::Object(id)) => self.arena.linked.get(name) != Some(id),
            Some(_) => true,
        }
    }

    /// Judges a further declaration of an object. Returns `false` if the types differ by more than spaces.
    fn agrees_with(&mut self, id: ObjectId, object: &Object) -> bool {
        let previous = *self.object(id);
        let name = self.interner.text(object.name);
        match self.arena.types.agreement(previous.ty, object.ty) {
            Agreement::Same if !self.arena.types.qualified_alike(previous.ty, object.ty) => {
                let message = format!("`{name}` was declared with other qualifiers");
                self.mistake(Rule::COtherType, object.span, message);
                true
            }
            Agreement::Same => true,
            Agreement::SpacesDiffer => {
                let finding = Finding::new(
                    Rule::DeclarationConflicting,
                    object.span,
                    format!("`{name}` was declared with other address spaces"),
                )
                .label(previous.span, format!("as `{}` here", self.spelled(previous.ty)));
                self.report(finding);
                true
            }
            Agreement::Different => {
                let message = format!("`{name}` was declared with another type");
                self.mistake(Rule::COtherType, object.span, message);
                false
            }
        }
    }
}
