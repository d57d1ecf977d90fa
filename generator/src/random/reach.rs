//! Parts of the language that a program uses, by address space.

use std::collections::BTreeSet;

use expectations::space::AddressSpace;

use super::{
    tree::{
        AtomicCall, CallForm, Expression, Leave, Loop, LoopForm, Node, Program, Statement, Step,
    },
    types::{Scalar, Ty, Type},
    used::UsedParts,
    visit::Visitor,
};

/// A part of the language, and the space of what it is used on.
pub type ReachedPart = (&'static str, AddressSpace);

/// Returns the parts that a program uses.
pub(super) fn reached(program: &Program) -> BTreeSet<ReachedPart> {
    let mut found = BTreeSet::new();
    for variable in &program.variables {
        found.insert((object(program, variable.ty), variable.space));
        if program.types.has_pointer(variable.ty) {
            found.insert(("pointers kept in objects", variable.space));
        }
    }
    let mut reach = Reach { program, found };
    program.clone().visit(&mut reach);
    let mut found = reach.found;
    found.extend(launch(program).into_iter().map(|what| (what, AddressSpace::Global)));
    for kernel in &program.kernels {
        found.extend(kernel.parameters.iter().filter_map(|&parameter| {
            let variable = &program.variables[usize::from(parameter.0)];
            let what = match program.types.get(variable.ty) {
                Type::Record(_) => "structures and unions by value to kernels",
                Type::Vector(..) => "vectors by value to kernels",
                _ => return None,
            };
            Some((what, variable.space))
        }));
    }
    for kernel in &program.kernels {
        barriers(&kernel.steps, &BTreeSet::new(), &mut found);
    }
    for &helper in &UsedParts::of(program).helpers {
        let helper = &program.helpers[helper];
        barriers(&helper.steps, &BTreeSet::from(["barriers in functions"]), &mut found);
    }
    found
}

/// Returns the facts of the shape that every launch has.
fn launch(program: &Program) -> Vec<&'static str> {
    let facts = [
        (program.axes.len() == 2, "launches in two dimensions"),
        (program.axes.len() == 3, "launches in three dimensions"),
        (program.group == 1, "groups of one work-item"),
        (program.group > 1 && program.group % 2 == 1, "groups of an odd number of work-items"),
        (program.group > 512, "groups of more than 512 work-items"),
    ];
    facts.into_iter().filter_map(|(is_so, what)| is_so.then_some(what)).collect()
}

/// Adds the constructs that barriers are in or after, where these are around the steps. Returns those that what
/// follows the steps is behind.
fn barriers(
    steps: &[Step],
    around: &BTreeSet<&'static str>,
    found: &mut BTreeSet<ReachedPart>,
) -> BTreeSet<&'static str> {
    let mut here = around.clone();
    let mut behind = BTreeSet::new();
    for step in steps {
        let mut inside = |name: &'static str, of_items: &'static str, blocks: &[&[Step]]| {
            if !blocks.iter().any(|block| has_barrier(block)) {
                found.insert((of_items, AddressSpace::Private));
            }
            let mut around = here.clone();
            around.insert(name);
            let ends = blocks.iter().flat_map(|block| barriers(block, &around, found));
            ends.collect::<BTreeSet<_>>()
        };
        let ends = match step {
            Step::Barrier(fence) => {
                for space in [AddressSpace::Local, AddressSpace::Global] {
                    if fence.orders(space) {
                        found.extend(here.iter().map(|&what| (what, space)));
                    }
                }
                BTreeSet::new()
            }
            Step::Copy { .. } => {
                if !here.is_empty() {
                    found.insert(("asynchronous copies in control flow", AddressSpace::Local));
                }
                BTreeSet::new()
            }
            Step::Collective(..) => {
                found.insert(("functions of whole groups", AddressSpace::Private));
                BTreeSet::new()
            }
            Step::If(_, then, otherwise) => {
                inside("barriers in `if`", "`if` of work-items", &[then, otherwise])
            }
            Step::Switch(_, cases) => {
                let cases: Vec<&[Step]> = cases.iter().map(Vec::as_slice).collect();
                inside("barriers in `switch`", "`switch` of work-items", &cases)
            }
            Step::Skip(_, body) => {
                inside("barriers that `goto` jumps over", "`goto` of work-items", &[body])
            }
            Step::Repeat(_, _, body) => {
                inside("barriers in counted `for`", "counted `for` between barriers", &[body])
            }
            Step::Loop(Loop { form, body, .. }) => {
                let (of_group, of_items) = match form {
                    LoopForm::For => ("barriers in `for`", "`for` of work-items"),
                    LoopForm::While => ("barriers in `while`", "`while` of work-items"),
                    LoopForm::Do => ("barriers in `do`", "`do` of work-items"),
                };
                let mut ends = inside(of_group, of_items, &[body]);
                ends.retain(|end| *end == BEHIND_RETURN);
                ends
            }
            Step::Leave(_, Leave::Break) => BTreeSet::from(["barriers behind `break`"]),
            Step::Leave(_, Leave::Continue) => BTreeSet::from(["barriers behind `continue`"]),
            Step::Return(..) => {
                found.insert(("`return` before the end", AddressSpace::Private));
                BTreeSet::from([BEHIND_RETURN])
            }
            Step::Each(_) | Step::Local(_) | Step::Static(_) | Step::Call(..) => BTreeSet::new(),
        };
        here.extend(&ends);
        behind.extend(ends);
    }
    behind
}

const BEHIND_RETURN: &str = "barriers behind `return`";

/// Whether all work-items of a group must come to one of the steps.
pub(super) fn has_barrier(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Barrier(_) | Step::Copy { .. } | Step::Collective(..) | Step::Call(..) => true,
        Step::If(_, then, otherwise) => has_barrier(then) || has_barrier(otherwise),
        Step::Switch(_, cases) => cases.iter().any(|case| has_barrier(case)),
        Step::Skip(_, body) | Step::Repeat(_, _, body) | Step::Loop(Loop { body, .. }) => {
            has_barrier(body)
        }
        Step::Each(_) | Step::Local(_) | Step::Static(_) | Step::Leave(..) | Step::Return(..) => {
            false
        }
    })
}

/// Finds what is used.
struct Reach<'p> {
    program: &'p Program,
    found: BTreeSet<ReachedPart>,
}

impl Visitor for Reach<'_> {
    fn value(&mut self, value: &mut Expression) {
        let to = |ty: Ty| self.program.types.as_pointer(ty);
        let (what, ty) = done_with_pointers(value).unwrap_or(("pointers", value.ty));
        let outer = to(ty);
        let inner = outer.and_then(|outer| to(outer.to));
        self.found.extend(outer.map(|pointer| (what, pointer.space)));
        self.found.extend(inner.map(|pointer| ("pointers to pointers into", pointer.space)));
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        self.copies(statements.iter());
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        for step in &*steps {
            if let Step::Static(variable) = step {
                let space = self.program.variables[usize::from(variable.0)].space;
                self.found.insert(("variables of functions that stay", space));
            }
        }
        self.copies(steps.iter().filter_map(|step| match step {
            Step::Each(statement) => Some(statement),
            _ => None,
        }));
    }

    fn atomic(&mut self, call: &mut AtomicCall) {
        let what = match call.manner.form {
            CallForm::Legacy => "atomic functions of 1.1",
            _ => "atomic functions of C11",
        };
        let object = self.program.types.as_pointer(call.object.ty);
        self.found.extend(object.map(|pointer| (what, pointer.space)));
    }
}

impl Reach<'_> {
    fn copies<'s>(&mut self, statements: impl Iterator<Item = &'s Statement>) {
        for statement in statements {
            if let Statement::CopyBytes(to, _) = statement {
                let pointer = self.program.types.as_pointer(to.ty);
                self.found.extend(pointer.map(|pointer| ("copies of bytes", pointer.space)));
            }
        }
    }
}

/// Returns the operation of an expression on a pointer and the pointer's type; for `?:` the type of the result.
pub(super) fn done_with_pointers(value: &Expression) -> Option<(&'static str, Ty)> {
    Some(match &value.node {
        Node::Address(_) => ("addresses taken", value.ty),
        Node::Offset(..) => ("pointer arithmetic", value.ty),
        Node::Conditional(..) => ("`?:` of pointers", value.ty),
        Node::Implicit(from) => ("implicit conversions from", from.ty),
        Node::Cast(from) => ("casts from", from.ty),
        Node::ToSpace(_) => ("`to_global`, `to_local`, `to_private`", value.ty),
        Node::SamePlace(_, left, _) => ("`==` and `!=`", left.ty),
        Node::Before(left, _) => ("`<`", left.ty),
        Node::Distance(left, _) => ("differences", left.ty),
        Node::IsNull(_, pointer) => ("comparison with null", pointer.ty),
        Node::LoadVector(_, pointer) => ("`vload`", pointer.ty),
        Node::Text(_) => ("string literals", value.ty),
        Node::Bytes(pointer) => ("bytes of numbers", pointer.ty),
        Node::AtomicLoad(pointer, _) => ("`atomic_load`", pointer.ty),
        _ => return None,
    })
}

fn object(program: &Program, ty: Ty) -> &'static str {
    match program.types.get(ty) {
        Type::Scalar(Scalar::Float) => "floating-point numbers",
        Type::Scalar(_) | Type::Enumeration(_) => "numbers",
        Type::Vector(..) => "vectors",
        Type::Array(element, _) if program.types.as_atomic(element).is_some() => "atomic objects",
        Type::Array(..) => "arrays",
        Type::Record(_) => "structures and unions",
        Type::Pointer(_) => "pointer variables",
        Type::Atomic(_) => "atomic objects",
        Type::Opaque(_) => "images and samplers",
    }
}
