//! Laws about a module as a whole.

use std::collections::BTreeSet;

use checker::{
    objects::{ProgramObjects, TypeFacts},
    space::Space,
};

use super::{Comparing, Law, text_name};
use crate::module::Function;

/// Types of handles whose value may be 0.
const HANDLES: [&str; 3] = ["event_t", "queue_t", "reserve_id_t"];

/// The version of SPIR-V from which on entry points list every variable.
const LISTS_EVERY_VARIABLE: (u8, u8) = (1, 4);

impl Comparing<'_> {
    /// Checks the casts between address spaces.
    pub(super) fn casts(&mut self) {
        let generic = self.target.number(Space::Generic);
        let module = self.module;
        let in_functions = module
            .functions
            .iter()
            .flat_map(|function| function.casts.iter().map(|cast| (function.name.as_str(), cast)));
        let in_constants = module.constant_casts.iter().map(|cast| ("a constant", cast));
        for (subject, cast) in in_functions.chain(in_constants) {
            if generic == Some(cast.from) || generic == Some(cast.to) || cast.from == cast.to {
                continue;
            }
            let message = format!(
                "a pointer to {} is cast to one to {}",
                self.target.name_of(cast.from),
                self.target.name_of(cast.to)
            );
            self.break_law(Law::PointerCast, subject, (None, cast.place), message);
        }
    }

    /// Checks that no pointer has address 0 where this is the address of an object.
    pub(super) fn null_pointers(&mut self) {
        let (module, target) = (self.module, self.target);
        let with_handles = functions_with_handles(self.program);
        let mut break_law = |subject: &str, into, place| {
            let message = format!(
                "a pointer to {} has the bits 0, the address of an object there",
                target.name_of(into)
            );
            self.break_law(Law::NullPointer, subject, (None, place), message);
        };
        for global in &module.globals {
            let Some(constant) = &global.initializer else { continue };
            let spaces = module.layouts.zero_pointers(&global.ty, constant);
            for into in spaces.into_iter().filter(|into| target.is_null_nonzero(*into)) {
                break_law(&global.name, into, global.place);
            }
        }
        let has_handles = |function: &Function| {
            with_handles.contains(text_name(&function.name))
                || function.names.iter().any(|name| name.contains("ocl_"))
        };
        for function in module.functions.iter().filter(|function| !has_handles(function)) {
            for pointer in &function.zero_pointers {
                if target.is_null_nonzero(pointer.into) {
                    break_law(&function.name, pointer.into, pointer.place);
                }
            }
        }
    }

    /// Checks the interfaces of entry points.
    pub(super) fn interfaces(&mut self) {
        let module = self.module;
        let Some(version) = module.spirv_version else { return };
        for entry in &module.entry_points {
            let is_built_in = |name: &&String| {
                let global = module.globals.iter().find(|global| global.name == **name);
                global.is_some_and(|global| global.space == INPUT)
            };
            let must_list = |name: &&String| version >= LISTS_EVERY_VARIABLE || is_built_in(name);
            let missing: Vec<&String> =
                entry.uses.difference(&entry.interface).filter(must_list).collect();
            for name in missing {
                let message =
                    format!("`{name}` is used and not in the interface of `{}`", entry.name);
                self.break_law(Law::EntryInterface, &entry.name, (None, entry.place), message);
            }
            if version < LISTS_EVERY_VARIABLE {
                let listed: Vec<&String> =
                    entry.interface.iter().filter(|name| !is_built_in(name)).collect();
                for name in listed {
                    let message = format!(
                        "`{name}` is in the interface of `{}`, which lists only Input and Output \
                         before SPIR-V 1.4",
                        entry.name
                    );
                    self.break_law(Law::EntryInterface, &entry.name, (None, entry.place), message);
                }
            }
        }
    }
}

/// The storage class `Input`.
const INPUT: u32 = 1;

/// Returns the functions of the program with events and other handles, which a compiler may make pointers.
fn functions_with_handles(program: &ProgramObjects) -> BTreeSet<&str> {
    let has_handle = |ty: &TypeFacts| HANDLES.iter().any(|handle| ty.spelling.contains(handle));
    let of_objects = program
        .objects
        .iter()
        .filter(|object| has_handle(&object.ty))
        .filter_map(|object| object.function.as_deref());
    let of_parameters = program
        .functions
        .iter()
        .filter(|function| function.parameters.iter().any(|parameter| has_handle(&parameter.ty)))
        .map(|function| function.name.as_str());
    of_objects.chain(of_parameters).collect()
}
