//! Laws about a module as a whole.

use checker::space::Space;

use super::{Comparing, Law};

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

    /// Checks that no variable of the module begins with a pointer to address 0, and that none is compared with it, where
    /// this is the address of an object.
    pub(super) fn null_pointers(&mut self) {
        let (module, target) = (self.module, self.target);
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
        for function in &module.functions {
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
