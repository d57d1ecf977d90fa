//! Laws about variables and literals.

use std::collections::BTreeSet;

use checker::{
    objects::{Lifetime, Object, ObjectKind, StorageClass, StoredPointer, TypeKind},
    space::Space,
};

use super::{AbsenceReason, Comparing, Law, is_compound_literal, is_named, without_number};
use crate::{
    error::ModulePlace,
    layout::{StoredNumber, Type},
    module::{Function, Global, Parameter, Variable},
};

/// An object of the module that is one of the program.
#[derive(Clone, Copy)]
struct EmittedObject<'m> {
    ty: &'m Type,
    alignment: Option<u64>,
    place: ModulePlace,
}

impl<'c> Comparing<'c> {
    /// Checks every object.
    pub(super) fn objects(&mut self) {
        let mut taken = MatchedObjects::default();
        let program = self.program;
        for object in &program.objects {
            self.comparison.expected += 1;
            match (object.kind, object.lifetime) {
                (ObjectKind::StringLiteral, _) => self.string(object),
                (ObjectKind::CompoundLiteral, Lifetime::Program) => self.comparison.found += 1,
                (_, Lifetime::Block) => self.private(object, &mut taken),
                (_, Lifetime::Program | Lifetime::WorkGroup) => self.global(object, &mut taken),
            }
        }
    }

    fn unneeded(&mut self, reason: AbsenceReason) {
        *self.comparison.unneeded.entry(reason).or_default() += 1;
    }

    /// Checks an object that is a variable of the module.
    fn global(&mut self, object: &Object, taken: &mut MatchedObjects) {
        let Some(number) = self.target.number(object.space) else {
            self.comparison.found += 1;
            return;
        };
        let subject = subject(object);
        let law = match object.lifetime {
            Lifetime::WorkGroup => Law::LocalObject,
            _ => Law::ProgramObject,
        };
        let candidates = self.candidates(object);
        let free = |global: &&&Global| !taken.globals.contains(&global.place);
        let fits = |global: &&Global| self.size_fits(object, &global.ty);
        let found = candidates
            .iter()
            .find(|global| free(global) && fits(global) && global.space == number)
            .or_else(|| candidates.iter().find(|global| free(global) && fits(global)))
            .or_else(|| candidates.iter().find(free))
            .copied();
        let Some(global) = found else {
            match self.reason_without(object) {
                Some(reason) => self.unneeded(reason),
                None => {
                    let as_private = self.variable_instead(object);
                    let message = match as_private {
                        Some((_, function)) => format!(
                            "it is in {}; the module has a variable of the function `{function}`",
                            object.space.name()
                        ),
                        None => format!("the module has no variable in {}", object.space.name()),
                    };
                    let place = as_private.map_or(ModulePlace::Whole, |(place, _)| place);
                    self.break_law(law, &subject, (Some(&object.place), place), message);
                }
            }
            return;
        };
        self.comparison.found += 1;
        if object.storage != Some(StorageClass::Extern) {
            taken.globals.insert(global.place);
        }
        let places = (Some(&object.place), global.place);
        if global.space != number {
            let message = format!(
                "it is in {}; the module has it in {}",
                object.space.name(),
                self.target.name_of(global.space)
            );
            self.break_law(law, &subject, places, message);
            return;
        }
        if global.is_declared && object.storage != Some(StorageClass::Extern) {
            let message = "it is defined; the module only declares it".to_owned();
            self.break_law(law, &subject, places, message);
            return;
        }
        let emitted =
            EmittedObject { ty: &global.ty, alignment: global.alignment, place: global.place };
        if self.layout(object, &subject, emitted) {
            self.initializer(object, &subject, global);
        }
    }

    /// Returns the variables of the module that may be an object, by their names.
    fn candidates(&self, object: &Object) -> Vec<&'c Global> {
        let Some(name) = object.name.as_deref() else { return Vec::new() };
        let is_extern = object.storage == Some(StorageClass::Extern);
        let mut candidates = Vec::new();
        let mut add = |emitted: &str| {
            let same = self.index.globals.get(without_number(emitted));
            let same = same.into_iter().flatten().copied();
            candidates.extend(same.filter(|global| is_named(&global.name, emitted)));
        };
        match object.function.as_deref().filter(|_| !is_extern) {
            None => add(name),
            Some(function) => {
                for body in self.index.bodies(function) {
                    add(&format!("{}.{name}", body.name));
                }
                add(&format!("{function}.{name}"));
                add(name);
            }
        }
        // The name without a number is the first that LLVM gives.
        candidates.sort_by_key(|global| (global.name.len(), global.place));
        candidates.dedup_by_key(|global| global.place);
        if object.function.is_none() {
            // Program scope has one object of a name, which has no number unless another program has it too.
            let exact = candidates.iter().any(|global| global.name == name);
            candidates.retain(|global| !exact || global.name == name);
        }
        candidates
    }

    /// Returns the place of a function's variable that replaces an object of the module.
    fn variable_instead(&self, object: &Object) -> Option<(ModulePlace, &'c str)> {
        let name = object.name.as_deref()?;
        let function = object.function.as_deref()?;
        self.index.bodies(function).find_map(|body| {
            let variable = body.variables.iter().find(|variable| variable.name == name)?;
            Some((variable.place, body.name.as_str()))
        })
    }

    /// Returns the reason why the module may do without an object.
    fn reason_without(&self, object: &Object) -> Option<AbsenceReason> {
        if object.ty.type_kind == TypeKind::Opaque {
            return Some(AbsenceReason::NoMemory);
        }
        if object.storage == Some(StorageClass::Extern) && !object.is_initialized {
            return Some(AbsenceReason::DeclaredOnly);
        }
        if let Some(function) = object.function.as_deref()
            && self.index.bodies(function).next().is_none()
        {
            return Some(AbsenceReason::FunctionUnused);
        }
        let is_internal = object.function.is_some() || object.storage == Some(StorageClass::Static);
        if !is_internal {
            return None;
        }
        if object.function.is_none() {
            if object.named_in.is_empty() {
                return Some(AbsenceReason::NeverNamed);
            }
            let is_there = |name: &Option<String>| match name {
                Some(name) => self.index.bodies(name).next().is_some(),
                None => true,
            };
            if !object.named_in.iter().any(is_there) {
                return Some(AbsenceReason::NamedByAbsentFunctions);
            }
            let is_number = matches!(object.ty.type_kind, TypeKind::Scalar | TypeKind::Vector);
            if is_number && object.is_read_only && object.is_initialized {
                return Some(AbsenceReason::ValueKnown);
            }
        }
        None
    }

    /// Checks an object that is a variable of its function.
    fn private(&mut self, object: &Object, taken: &mut MatchedObjects) {
        if object.space != Space::Private && object.kind == ObjectKind::Variable {
            // A vendor's space, or one that a rule about declarations has judged.
            self.comparison.found += 1;
            return;
        }
        let Some(function) = object.function.as_deref() else {
            self.comparison.found += 1;
            return;
        };
        let subject = subject(object);
        let bodies: Vec<&Function> = self.index.bodies(function).collect();
        if bodies.is_empty() {
            self.unneeded(AbsenceReason::FunctionUnused);
            return;
        }
        let is_it = |variable: &Variable| match object.name.as_deref() {
            Some(name) => is_named(&variable.name, name),
            None => is_compound_literal(variable),
        };
        let variables = bodies.iter().flat_map(|body| &body.variables);
        let candidates: Vec<&Variable> = variables.filter(|variable| is_it(variable)).collect();
        let free = |variable: &&&Variable| !taken.variables.contains(&variable.place);
        let exact = |variable: &&&Variable| Some(variable.name.as_str()) == object.name.as_deref();
        let fits = |variable: &&&Variable| self.size_fits(object, &variable.ty);
        let found = candidates
            .iter()
            .find(|variable| free(variable) && exact(variable) && fits(variable))
            .or_else(|| candidates.iter().find(|variable| free(variable) && fits(variable)))
            .or_else(|| candidates.iter().find(free))
            .copied()
            .or_else(|| self.returned(object, &bodies));
        let Some(variable) = found else {
            match self.result_slot(object, &bodies) {
                Some(slot) => self.slot(object, &subject, slot, bodies[0].place),
                None => self.no_variable(object, &subject),
            }
            return;
        };
        taken.variables.insert(variable.place);
        self.comparison.found += 1;
        if variable.space != self.target.variables() {
            let message = format!(
                "it is in private; the module has it in {}",
                self.target.name_of(variable.space)
            );
            let places = (Some(&object.place), variable.place);
            self.break_law(Law::PrivateObject, &subject, places, message);
            return;
        }
        let emitted = EmittedObject {
            ty: &variable.ty,
            alignment: variable.alignment,
            place: variable.place,
        };
        self.layout(object, &subject, emitted);
    }

    /// Returns the variable with the result of a function, which is the object where the function returns it.
    fn returned(&self, object: &Object, bodies: &[&'c Function]) -> Option<&'c Variable> {
        let is_it = |variable: &&Variable| {
            variable.name == "retval" && self.size_fits(object, &variable.ty)
        };
        let is_record = object.ty.type_kind == TypeKind::Record;
        bodies.iter().filter(|_| is_record).flat_map(|body| &body.variables).find(is_it)
    }

    /// Returns the slot of the result that may be a private object: one that is returned needs no copy.
    fn result_slot(&self, object: &Object, bodies: &[&'c Function]) -> Option<&'c Parameter> {
        let fits = |parameter: &&Parameter| {
            let slot = parameter.result_slot.as_ref();
            slot.is_some_and(|ty| self.size_fits(object, ty))
        };
        bodies.iter().flat_map(|body| &body.parameters).find(fits)
    }

    /// Checks the slot of a result that is a private object.
    fn slot(&mut self, object: &Object, subject: &str, slot: &Parameter, place: ModulePlace) {
        self.comparison.found += 1;
        let into = slot.points_into.unwrap_or_else(|| self.target.variables());
        if into != self.target.variables() {
            let message = format!(
                "it is in private; the module has it in the caller's slot for the result, in {}",
                self.target.name_of(into)
            );
            self.break_law(Law::PrivateObject, subject, (Some(&object.place), place), message);
        }
    }

    /// Judges a private object that is not a variable of its function.
    fn no_variable(&mut self, object: &Object, subject: &str) {
        if object.ty.type_kind == TypeKind::Opaque {
            return self.unneeded(AbsenceReason::NoMemory);
        }
        let instead = self
            .candidates(object)
            .into_iter()
            .find(|global| object.name.is_some() && global.name.contains('.'));
        let (place, message) = match instead {
            Some(global) => (
                global.place,
                format!(
                    "it is in private; the module has one object for all work-items, `{}` in {}",
                    global.name,
                    self.target.name_of(global.space)
                ),
            ),
            None if object.kind == ObjectKind::CompoundLiteral => {
                return self.unneeded(AbsenceReason::ValueKnown);
            }
            None if object.named_in.is_empty() => return self.unneeded(AbsenceReason::NeverNamed),
            None => (ModulePlace::Whole, "the function has no variable of this name".to_owned()),
        };
        self.break_law(Law::PrivateObject, subject, (Some(&object.place), place), message);
    }

    /// Whether a type of the module may be that of an object.
    fn size_fits(&self, object: &Object, ty: &Type) -> bool {
        match (object.ty.size, self.module.layouts.of(ty)) {
            (Some(size), Some(layout)) => size == layout.size || object.ty.has_pointers,
            _ => true,
        }
    }

    /// Checks the size and the alignment of an object. Returns whether the size is right.
    fn layout(&mut self, object: &Object, subject: &str, emitted: EmittedObject<'_>) -> bool {
        let places = (Some(&object.place), emitted.place);
        let layout = self.module.layouts.of(emitted.ty);
        if let (Some(size), Some(layout)) = (object.ty.size, layout)
            && size != layout.size
            && !object.ty.has_pointers
        {
            let message = format!(
                "`{}` has {size} bytes; the module has {}",
                object.ty.spelling, layout.size
            );
            self.break_law(Law::ObjectSize, subject, places, message);
            return false;
        }
        let natural = layout.map(|layout| layout.alignment);
        if let (Some(required), Some(aligned)) =
            (object.ty.alignment, emitted.alignment.or(natural))
            && !aligned.is_multiple_of(required)
            && !object.ty.has_pointers
        {
            let message = format!(
                "`{}` is aligned to {required} bytes; the module aligns it to {aligned}",
                object.ty.spelling
            );
            self.break_law(Law::ObjectAlignment, subject, places, message);
        }
        self.pointers(object, subject, emitted);
        true
    }

    /// Checks the spaces of the pointers in an object.
    fn pointers(&mut self, object: &Object, subject: &str, emitted: EmittedObject<'_>) {
        let layouts = &self.module.layouts;
        let number = |pointer: &StoredPointer| self.target.number(pointer.into);
        // The offsets are those of pointers of 8 bytes.
        let is_wide = |space: u32| layouts.pointers.get(&space).is_none_or(|size| *size == 8);
        let is_alone = object.ty.type_kind == TypeKind::Pointer;
        if !is_alone && !object.pointers.iter().filter_map(number).all(is_wide) {
            return;
        }
        for pointer in &object.pointers {
            let Some(into) = number(pointer) else { continue };
            let instead = match layouts.part(emitted.ty, pointer.offset) {
                Some(Type::Pointer(space)) if *space != into => {
                    format!("a pointer into {}", self.target.name_of(*space))
                }
                Some(Type::Integer(bits)) => format!("an integer of {bits} bits"),
                _ => continue,
            };
            let message = format!(
                "its pointer at byte {} points into {}; the module has {instead} there",
                pointer.offset,
                pointer.into.name()
            );
            let places = (Some(&object.place), emitted.place);
            self.break_law(Law::PointerObject, subject, places, message);
            return;
        }
    }

    /// Checks the values of an initializer.
    fn initializer(&mut self, object: &Object, subject: &str, global: &Global) {
        let places = (Some(&object.place), global.place);
        let Some(constant) = &global.initializer else {
            if object.is_initialized && object.storage != Some(StorageClass::Extern) {
                let message = "it has an initializer; the module gives it no value".to_owned();
                self.break_law(Law::Initializer, subject, places, message);
            }
            return;
        };
        for value in &object.values {
            let number = self.module.layouts.number(&global.ty, constant, value.offset, value.size);
            let emitted = match number {
                StoredNumber::Known(bits) if bits == value.bits => continue,
                StoredNumber::Unknown => continue,
                StoredNumber::Known(bits) => format!("{bits:#x}"),
                StoredNumber::Undefined => "no value".to_owned(),
            };
            let message = format!(
                "its {} bytes at {} begin as {:#x}; the module has {emitted}",
                value.size, value.offset, value.bits
            );
            self.break_law(Law::Initializer, subject, places, message);
            return;
        }
    }

    /// Checks a string literal.
    fn string(&mut self, object: &Object) {
        if let Some(function) = object.function.as_deref()
            && self.index.bodies(function).next().is_none()
        {
            return self.unneeded(AbsenceReason::FunctionUnused);
        }
        let constant = self.target.number(Space::Constant);
        // A longer string may end in a shorter one.
        let strings = self.index.globals.get(".str").map_or(&[][..], Vec::as_slice);
        let holds = |global: &&&Global| {
            let size = self.module.layouts.of(&global.ty).map(|layout| layout.size);
            size.zip(object.ty.size).is_none_or(|(has, needs)| has >= needs)
        };
        let mut holding = strings.iter().filter(holds);
        let Some(first) = holding.clone().next() else {
            return self.unneeded(AbsenceReason::ValueKnown);
        };
        self.comparison.found += 1;
        if !holding.any(|global| Some(global.space) == constant) {
            let message = format!(
                "a string literal is in constant; the module has it in {}",
                self.target.name_of(first.space)
            );
            let places = (Some(&object.place), first.place);
            self.break_law(Law::StringLiteral, &subject(object), places, message);
        }
    }
}

/// The objects of the module that are objects of the program already.
#[derive(Default)]
struct MatchedObjects {
    globals: BTreeSet<ModulePlace>,
    variables: BTreeSet<ModulePlace>,
}

/// Returns the name of an object for messages.
fn subject(object: &Object) -> String {
    let name = object.name.as_deref().unwrap_or(match object.kind {
        ObjectKind::StringLiteral => "a string literal",
        _ => "a compound literal",
    });
    match object.function.as_deref() {
        Some(function) => format!("{function}.{name}"),
        None => name.to_owned(),
    }
}
