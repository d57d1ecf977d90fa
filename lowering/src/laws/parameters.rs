//! Laws about parameters.

use checker::objects::{Function as TextFunction, Parameter as TextParameter, TypeKind};

use super::{AbsenceReason, Comparing, Law};
use crate::module::{Function, Parameter};

impl Comparing<'_> {
    /// Checks the parameters of every function.
    pub(super) fn parameters(&mut self) {
        for function in &self.program.functions {
            self.comparison.expected += function.parameters.len();
            let emitted: Vec<&Function> = self.index.bodies(&function.name).collect();
            if emitted.is_empty() {
                self.absent_function(function);
                continue;
            }
            for parameter in &function.parameters {
                self.comparison.found += 1;
                self.parameter(function, parameter, &emitted);
            }
        }
    }

    /// Judges the absence of a function.
    fn absent_function(&mut self, function: &TextFunction) {
        let is_called =
            self.module.functions.iter().any(|caller| caller.names.contains(&function.name));
        if function.is_kernel || is_called {
            let message = "the function is not in the module".to_owned();
            let places = (Some(&function.place), crate::error::ModulePlace::Whole);
            self.break_law(Law::PointerParameter, &function.name, places, message);
        } else {
            *self.comparison.unneeded.entry(AbsenceReason::FunctionUnused).or_default() +=
                function.parameters.len();
        }
    }

    fn parameter(
        &mut self,
        function: &TextFunction,
        parameter: &TextParameter,
        emitted: &[&Function],
    ) {
        let Some(name) = parameter.name.as_deref() else { return };
        // Overloads have parameters of the same names: one that fits is enough.
        let named = |function: &&Function| {
            function.parameters.iter().find(|parameter| parameter.name == name).cloned()
        };
        let same: Vec<Parameter> = emitted.iter().filter_map(named).collect();
        let Some(first) = same.first() else { return };
        let subject = format!("{}({name})", function.name);
        let place = emitted[0].place;
        match parameter.ty.type_kind {
            TypeKind::Pointer => {
                let Some(space) = parameter.ty.levels.first() else { return };
                let Some(number) = self.target.number(*space) else { return };
                if same.iter().any(|same| same.points_into == Some(number)) {
                    return;
                }
                let into = first.points_into.map(|space| self.target.name_of(space));
                let message = format!(
                    "it is declared to point into {}; the module has {}",
                    space.name(),
                    into.map_or("no pointer".to_owned(), |into| format!("a pointer into {into}"))
                );
                self.break_law(
                    Law::PointerParameter,
                    &subject,
                    (Some(&function.place), place),
                    message,
                );
            }
            TypeKind::Record => {
                let is_copy = |same: &Parameter| {
                    same.points_into.is_none()
                        || same.copy_of.is_some()
                        || same.reference_to.is_some()
                };
                if !same.iter().any(is_copy) {
                    let message =
                        "it is passed by value; the module has a pointer to the caller's object"
                            .to_owned();
                    self.break_law(
                        Law::ParameterCopy,
                        &subject,
                        (Some(&function.place), place),
                        message,
                    );
                }
            }
            _ => {}
        }
    }
}
