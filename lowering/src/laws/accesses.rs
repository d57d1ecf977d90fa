//! The law about reads and writes of memory.

use std::collections::{BTreeMap, BTreeSet};

use checker::{
    objects::{AccessKind, Function as TextFunction},
    space::Space,
};

use super::{BLOCK_BODY, Comparing, Law, text_name};
use crate::module::{Function, Parameter};

impl Comparing<'_> {
    /// Compares the accesses of functions with those of their expressions.
    pub(super) fn accesses(&mut self) {
        let mut overloads: BTreeMap<&str, Vec<&TextFunction>> = BTreeMap::new();
        for function in &self.program.functions {
            overloads.entry(&function.name).or_default().push(function);
        }
        for (name, same) in &overloads {
            let emitted: Vec<&Function> = self.index.bodies(name).collect();
            for body in emitted.into_iter().filter(|body| !is_block(body)) {
                self.accesses_of(&with_inlined(&overloads, same, body), body);
            }
        }
    }

    /// Compares the accesses of a function with those of the functions of the text that it contains: the first is its
    /// own.
    fn accesses_of(&mut self, functions: &[&TextFunction], body: &Function) {
        // Memory that the caller's convention adds: slots of results, and arguments that are passed by a pointer.
        let is_added = |parameter: &&Parameter| {
            parameter.copy_of.is_some()
                || parameter.reference_to.is_some()
                || parameter.result_slot.is_some()
        };
        let added = body.parameters.iter().filter(is_added);
        let mut known: BTreeSet<(AccessKind, u32)> = added
            .filter_map(|parameter| parameter.points_into)
            .chain([self.target.variables()])
            .flat_map(|space| [(AccessKind::Read, space), (AccessKind::Write, space)])
            .collect();
        if body.names.contains(PRINTF_BUFFER)
            && let Some(global) = self.target.number(Space::Global)
        {
            known.insert((AccessKind::Write, global));
        }
        let stated = functions.iter().flat_map(|function| &function.accesses);
        known.extend(stated.filter_map(|access| {
            self.target.number(access.space).map(|space| (access.kind, space))
        }));
        for access in &body.accesses {
            if !known.insert((access.kind, access.space)) {
                continue;
            }
            let verb = match access.kind {
                AccessKind::Read => "reads",
                AccessKind::Write => "writes",
            };
            let message = format!(
                "it {verb} memory in {}; none of its expressions does",
                self.target.name_of(access.space)
            );
            let places = (Some(&functions[0].place), access.place);
            self.break_law(Law::AccessSpace, &functions[0].name, places, message);
        }
    }
}

/// Returns the functions of the text whose expressions a function of the module contains: those that have its name, and
/// what they call without the module having a call.
fn with_inlined<'c>(
    overloads: &BTreeMap<&str, Vec<&'c TextFunction>>,
    own: &[&'c TextFunction],
    body: &Function,
) -> Vec<&'c TextFunction> {
    let called: BTreeSet<&str> = body.names.iter().map(|name| text_name(name)).collect();
    let mut contained = own.to_vec();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut next = 0;
    while let Some(function) = contained.get(next) {
        next += 1;
        let calls = function.calls.iter().map(String::as_str);
        let inlined: Vec<&str> =
            calls.filter(|callee| !called.contains(callee) && seen.insert(callee)).collect();
        let bodies = inlined.into_iter().filter_map(|callee| overloads.get(callee));
        contained.extend(bodies.flatten().copied());
    }
    contained
}

/// The function that allocates the memory in global which a compiler for AMDGPU has `printf` write to.
const PRINTF_BUFFER: &str = "__printf_alloc";

/// Whether a function is the body of a block literal, which reads what it captures by a pointer of the compiler's.
fn is_block(function: &Function) -> bool {
    function.name.contains(BLOCK_BODY)
}
