//! Laws of programs that run.

use std::collections::BTreeMap;

use expectations::{
    probe::compare::{compare, ideal},
    space::AddressSpace,
};

use super::{
    answers::DefinedProgram,
    build,
    choices::Choices,
    device::Ideal,
    evaluate::{evaluate, evaluate_in_turns},
    memory::UndefinedBehaviour,
    print, probe,
    settings::{FEATURES, Mix, Settings, Share, Size},
    smaller,
    tree::{
        self, AtomicCall, AtomicFunction, AtomicOperation, Binary, CallForm, Compare, Expression,
        Fence, Kernel, Loop, Node, NumberFunction, Program, Scope, Side, Statement, Step,
    },
    types,
    used::UsedParts,
    visit::Visitor,
};
use expectations::dialect::Dialect;

/// Programs of each size in each dialect that the laws are checked on.
const PROGRAMS: u64 = 20;

pub(super) fn each_program(check: impl FnMut(Program, Dialect)) {
    each_program_of(Settings::default(), check);
}

/// Programs with the control flow that is on request.
fn each_program_with_flow(check: impl FnMut(Program, Dialect)) {
    let mix = FEATURES.iter().filter(|row| row.is_chosen_for_runs());
    let mix = mix.fold(Mix::default(), |mix, row| mix.with(row.feature, Share::More));
    each_program_of(Settings { mix, ..Settings::default() }, check);
}

fn each_program_of(settings: Settings, mut check: impl FnMut(Program, Dialect)) {
    for dialect in Dialect::OPENCL_C {
        for size in [Size::Small, Size::Medium, Size::Large] {
            for seed in 0..PROGRAMS {
                check(program(dialect, Settings { size, ..settings }, seed), dialect);
            }
        }
    }
}

fn program(dialect: Dialect, settings: Settings, seed: u64) -> Program {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    build::evaluated(dialect, settings, &mut Choices::from_seed(&key))
}

#[test]
fn huge_programs_have_answers() {
    let settings = Settings { size: Size::Huge, ..Settings::default() };
    for dialect in Dialect::OPENCL_C {
        let program = program(dialect, settings, 0);
        assert!(evaluate(&program).is_ok(), "{}", text_of(&program, dialect));
    }
}

fn text_of(program: &Program, dialect: Dialect) -> String {
    print::print(program, Some(&UsedParts::of(program)), dialect, Side::Control, "").source
}

#[test]
fn nearly_every_program_is_defined_as_it_is_built() {
    let mut all = 0;
    let mut undefined = BTreeMap::new();
    each_program(|program, _| {
        all += 1;
        if let Err(why) = evaluate(&program) {
            *undefined.entry(why).or_insert(0) += 1;
        }
    });
    let count: u32 = undefined.values().sum();
    assert!(count * 100 < all, "{count} of {all}: {undefined:?}");
}

#[test]
fn a_program_written_in_another_way_computes_the_same() {
    let (mut all, mut changed) = (0, 0);
    let mut check = |program: Program, dialect| {
        let Ok(answer) = evaluate(&program) else { return };
        let mut choices = Choices::from_seed(&[program.variables.len() as u8; 32]);
        for _ in 0..3 {
            let varied = program.varied(&mut choices);
            let text = text_of(&varied, dialect);
            let seen = evaluate(&varied);
            assert!(
                seen == Ok(answer.clone()) || seen == Err(UndefinedBehaviour::TooLong),
                "{text}"
            );
            all += 1;
            changed += usize::from(text.contains("do {") || text.contains("== 0u"));
        }
    };
    each_program(&mut check);
    each_program_with_flow(&mut check);
    assert!(changed * 3 > all, "{changed} of {all}");
}

/// Tries short programs alone, because every part of a long one takes too long.
#[test]
fn only_parts_that_may_use_a_construct_are_taken_out_for_it() {
    let mut held = 0;
    each_program(|program, dialect| {
        if held == 12 || text_of(&program, dialect).len() > 1_500 {
            return;
        }
        let Some(whole) = DefinedProgram::of(program, dialect) else { return };
        held += 1;
        let all = |rest: &Program| -> Vec<usize> {
            let is_part =
                |part: &usize| !matches!(rest.without(*part), smaller::Without::NoSuchPart);
            (0..usize::MAX).take_while(is_part).collect()
        };
        let text = |rest: Option<DefinedProgram>| rest.map(|rest| rest.source(""));
        for construct in whole.constructs().parts {
            let few = text(whole.without_construct(&construct));
            let many = text(whole.without_construct_among(&construct, all));
            assert_eq!(few, many, "{construct} in\n{}", whole.source(""));
        }
    });
    assert_eq!(held, 12);
}

#[test]
fn constructs_can_be_taken_out() {
    for construct in ["barrier in an unequal loop", "parameter assigned to another"] {
        let (mut all, mut without) = (0, 0);
        each_program_with_flow(|program, dialect| {
            let Some(whole) = DefinedProgram::of(program, dialect) else { return };
            if !whole.constructs().parts.contains(construct) {
                return;
            }
            all += 1;
            if let Some(rest) = (all < 8).then(|| whole.without_construct(construct)).flatten() {
                without += 1;
                assert!(!rest.constructs().parts.contains(construct), "{}", rest.source(""));
            }
        });
        assert!(all > 7 && without > 3, "{construct}: {all}, {without}");
    }
}

#[test]
fn in_what_order_work_items_take_their_turns_does_not_matter() {
    each_program(|program, dialect| {
        let backwards: Vec<u32> = (0..program.group).rev().collect();
        let (answer, other) = (evaluate(&program), evaluate_in_turns(&program, Ideal, &backwards));
        assert_eq!(answer, other, "{}", text_of(&program, dialect));
    });
}

#[test]
fn an_ideal_device_is_right_and_one_that_does_nothing_is_not() {
    each_program(|program, dialect| {
        let Ok(answer) = evaluate(&program) else { return };
        let probe = probe::probe(&program, &answer, "p_");
        let limits = BTreeMap::new();
        let text = || text_of(&program, dialect);
        let run = compare(&probe, &limits, &ideal(&probe, &limits).unwrap());
        assert_eq!(run.differing, 0, "{}", text());
        let idle = evaluate(&Program { kernels: idle(&program), ..program.clone() }).unwrap();
        assert_ne!(answer, idle, "{}", text());
    });
}

/// Returns the same kernels with empty bodies.
fn idle(program: &Program) -> Vec<Kernel> {
    let kernels = program.kernels.iter();
    kernels.map(|kernel| Kernel { steps: Vec::new(), ..kernel.clone() }).collect()
}

/// A visitor of every value.
struct Each<F>(F);

impl<F: FnMut(&mut Expression)> Visitor for Each<F> {
    fn value(&mut self, value: &mut Expression) {
        self.0(value);
    }
}

/// A visitor of every call of an atomic function.
struct EachAtomic<F>(F);

impl<F: FnMut(&mut AtomicCall)> Visitor for EachAtomic<F> {
    fn atomic(&mut self, call: &mut AtomicCall) {
        self.0(call);
    }
}

/// A wrong device, as what it makes of a value.
type Wrong = fn(&Program, &mut Expression);

/// The same, as what it makes of a call of an atomic function.
type WrongCall = fn(&mut AtomicOperation);

/// Number of programs that find a wrong device at the latest.
const FOUND_WITHIN: usize = 720;

/// Whether a device is found that makes of every program what `wrong` does.
fn is_found(name: &str, wrong: impl Fn(&mut Program)) {
    let mut found = 0;
    let mut number = 0;
    each_program(|program, _| {
        number += 1;
        let mut other = program.clone();
        wrong(&mut other);
        // It is not known whether undefined behaviour is seen.
        if let (Ok(answer), Ok(seen)) = (evaluate(&program), evaluate(&other)) {
            found += usize::from(answer != seen);
        }
    });
    assert_eq!(number, FOUND_WITHIN);
    assert!(found > 0, "{name} is not noticed in {number} programs");
}

#[test]
fn every_wrong_operation_is_noticed() {
    let operators: [(&str, Wrong); 28] = [
        ("+", |_, value| swap(value, Binary::Add, Binary::Xor)),
        ("-", |_, value| swap(value, Binary::Subtract, Binary::Add)),
        ("*", |_, value| swap(value, Binary::Multiply, Binary::Add)),
        ("/", |_, value| swap(value, Binary::Divide, Binary::Remainder)),
        ("%", |_, value| swap(value, Binary::Remainder, Binary::Divide)),
        ("&", |_, value| swap(value, Binary::And, Binary::Remainder)),
        ("|", |_, value| swap(value, Binary::Or, Binary::Xor)),
        ("^", |_, value| swap(value, Binary::Xor, Binary::Or)),
        ("<<", |_, value| swap(value, Binary::ShiftLeft, Binary::ShiftRight)),
        (">>", |_, value| swap(value, Binary::ShiftRight, Binary::ShiftLeft)),
        ("<", |_, value| swap_comparison(value, Compare::Less, Compare::LessOrEqual)),
        ("<=", |_, value| swap_comparison(value, Compare::LessOrEqual, Compare::Less)),
        ("==", |_, value| swap_comparison(value, Compare::Equal, Compare::LessOrEqual)),
        ("!=", |_, value| swap_comparison(value, Compare::Unequal, Compare::Less)),
        ("~", |_, value| drop_operation(value, |node| matches!(node, Node::Complement(_)))),
        ("?:", |_, value| {
            if let Node::Conditional(_, yes, no) = &mut value.node {
                std::mem::swap(yes, no);
            }
        }),
        ("p == q", |_, value| {
            if let Node::SamePlace(wanted, ..) = &mut value.node {
                *wanted = !*wanted;
            }
        }),
        ("p == 0", |_, value| {
            if let Node::IsNull(wanted, _) = &mut value.node {
                *wanted = !*wanted;
            }
        }),
        ("p < q", |_, value| {
            if let Node::Before(left, right) = &mut value.node {
                std::mem::swap(left, right);
            }
        }),
        ("p - q", |_, value| {
            if let Node::Distance(left, right) = &mut value.node {
                std::mem::swap(left, right);
            }
        }),
        ("p + i", |_, value| {
            if let Node::Offset(_, index) = &mut value.node {
                index.node = Node::Literal(0);
            }
        }),
        ("bytes", |_, value| {
            if let Node::Bytes(_) = &value.node {
                value.node = Node::Literal(255);
            }
        }),
        ("union", |program, value| {
            if let Node::Read(place) = &value.node
                && let tree::PlaceNode::Member(union, 1) = &place.node
                && let types::Type::Record(record) = program.types.get(union.ty)
                && program.types.records()[usize::from(record)].is_reinterpreted(&program.types)
            {
                value.node = Node::Literal(1);
            }
        }),
        ("string literal", |_, value| {
            if let Node::Text(text) = &mut value.node {
                text[2..].fill(b'0');
            }
        }),
        ("atomic_load", |_, value| {
            if let Node::AtomicLoad(..) = &value.node {
                value.node = Node::Literal(0);
            }
        }),
        ("vector", |_, value| {
            if let Node::Vector(parts) = &mut value.node {
                parts.reverse();
            }
        }),
        ("to_space", |program, value| {
            let is_global = program
                .types
                .as_pointer(value.ty)
                .is_some_and(|pointer| pointer.space == AddressSpace::Global);
            if matches!(value.node, Node::ToSpace(_)) && is_global {
                value.node = Node::Null;
            }
        }),
        ("get_local_id", |_, value| {
            if let Node::WorkItem(what @ tree::WorkItem::LocalId) = &mut value.node {
                *what = tree::WorkItem::GroupId;
            }
        }),
    ];
    for (name, wrong) in operators {
        is_found(name, |program| {
            let known = program.clone();
            program.visit(&mut Each(|value: &mut Expression| wrong(&known, value)));
        });
    }
}

#[test]
fn every_wrong_operation_on_floats_is_noticed() {
    let operators: [(&str, Wrong); 7] = [
        ("+", |_, value| swap(value, Binary::Add, Binary::Subtract)),
        ("-", |_, value| swap(value, Binary::Subtract, Binary::Add)),
        ("*", |_, value| swap(value, Binary::Multiply, Binary::Add)),
        ("fmin", |_, value| swap_function(value, NumberFunction::Minimum, NumberFunction::Maximum)),
        ("fmax", |_, value| swap_function(value, NumberFunction::Maximum, NumberFunction::Minimum)),
        ("clamp", |_, value| {
            swap_function(value, NumberFunction::Clamp, NumberFunction::Minimum);
        }),
        ("conversions", |_, value| {
            if let Node::Convert(_) = value.node {
                value.node = Node::Literal(1);
            }
        }),
    ];
    for (name, wrong) in operators {
        is_found(&format!("{name} of floats"), |program| {
            let known = program.clone();
            program.visit(&mut Each(|value: &mut Expression| {
                if known.types.number_in(value.ty).is_some_and(types::Scalar::is_float) {
                    wrong(&known, value);
                }
            }));
        });
    }
    is_found("comparison of floats", |program| {
        let known = program.clone();
        program.visit(&mut Each(|value: &mut Expression| {
            if let Node::Compare(operator, left, _) = &mut value.node
                && known.types.number_in(left.ty).is_some_and(types::Scalar::is_float)
            {
                *operator = Compare::Unequal;
            }
        }));
    });
}

#[test]
fn every_wrong_function_is_noticed() {
    use NumberFunction as F;
    for (function, other) in [
        (F::Minimum, F::Maximum),
        (F::Maximum, F::Minimum),
        (F::Clamp, F::Minimum),
        (F::Rotate, F::HalvingAdd),
        (F::LeadingZeros, F::HalvingAdd),
        (F::HalvingAdd, F::SaturatingAdd),
        (F::HighProduct, F::Minimum),
        (F::SaturatingAdd, F::HalvingAdd),
        (F::SaturatingSubtract, F::Minimum),
    ] {
        is_found(&format!("{function:?}"), |program| {
            program.visit(&mut Each(|value: &mut Expression| match &mut value.node {
                Node::Function(known, _) if *known == function => *known = other,
                _ => {}
            }));
        });
    }
}

#[test]
fn every_wrong_atomic_function_is_noticed() {
    use AtomicFunction as F;
    for form in [true, false] {
        for (function, other) in [
            (F::Add, F::Xor),
            (F::Subtract, F::Add),
            (F::Minimum, F::Maximum),
            (F::Maximum, F::Minimum),
            (F::And, F::Or),
            (F::Or, F::Xor),
            (F::Xor, F::Or),
        ] {
            is_found(&format!("{function:?}, legacy: {form}"), |program| {
                program.visit(&mut EachAtomic(|call: &mut AtomicCall| match &mut call.operation {
                    AtomicOperation::Fetch(known)
                        if *known == function && form == (call.manner.form == CallForm::Legacy) =>
                    {
                        *known = other;
                    }
                    _ => {}
                }));
            });
        }
    }
    let operations: [(&str, WrongCall); 3] = [
        ("store", |call| {
            if let AtomicOperation::Store = call {
                *call = AtomicOperation::Fetch(F::Or);
            }
        }),
        ("exchange", |call| {
            if let AtomicOperation::Exchange = call {
                *call = AtomicOperation::Fetch(F::Add);
            }
        }),
        ("compare_exchange", |call| {
            if let AtomicOperation::CompareExchange(_) = call {
                *call = AtomicOperation::Exchange;
            }
        }),
    ];
    for (name, wrong) in operations {
        is_found(name, |program| {
            program.visit(&mut EachAtomic(|call: &mut AtomicCall| wrong(&mut call.operation)));
        });
    }
}

/// Statements that a device does not execute.
struct Without(fn(&Statement) -> bool);

impl Visitor for Without {
    fn statements(&mut self, statements: &mut Vec<Statement>) {
        statements.retain(|statement| !self.0(statement));
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        steps.retain(|step| !matches!(step, Step::Each(statement) if self.0(statement)));
    }
}

#[test]
fn every_copy_of_bytes_that_is_not_made_is_noticed() {
    is_found("copy of bytes", |program| {
        program.visit(&mut Without(|statement| matches!(statement, Statement::CopyBytes(..))));
    });
}

#[test]
fn what_is_atomic_in_a_group_is_not_atomic_for_others() {
    let mut races = 0;
    each_program(|mut program, _| {
        if evaluate(&program).is_err() {
            return;
        }
        program.visit(&mut EachAtomic(|call: &mut AtomicCall| call.manner.scope = Scope::Group));
        races += usize::from(evaluate(&program) == Err(UndefinedBehaviour::Race));
    });
    assert!(races > 0);
}

#[test]
fn what_a_barrier_orders_is_not_ordered_without_it() {
    let mut races = 0;
    each_program(|mut program, _| {
        if evaluate(&program).is_err() {
            return;
        }
        for kernel in &mut program.kernels {
            weaken(&mut kernel.steps);
        }
        races += usize::from(evaluate(&program) == Err(UndefinedBehaviour::Race));
    });
    assert!(races > 0);
}

/// Makes barriers order nothing any more, as far as this can be written: only the other memory.
fn weaken(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::Barrier(fence) => {
                *fence = match fence {
                    Fence::Local => Fence::Global,
                    Fence::Global | Fence::Both => Fence::Local,
                }
            }
            Step::Repeat(_, _, steps)
            | Step::Skip(_, steps)
            | Step::Loop(Loop { body: steps, .. }) => weaken(steps),
            Step::If(_, then, otherwise) => {
                weaken(then);
                weaken(otherwise);
            }
            Step::Switch(_, cases) => cases.iter_mut().for_each(|case| weaken(case)),
            Step::Each(_)
            | Step::Local(_)
            | Step::Static(_)
            | Step::Copy { .. }
            | Step::Leave(..)
            | Step::Return(..)
            | Step::Call(..)
            | Step::Collective(..) => {}
        }
    }
}

fn swap(value: &mut Expression, from: Binary, to: Binary) {
    if let Node::Binary(operator, ..) = &mut value.node
        && *operator == from
    {
        *operator = to;
    }
}

fn swap_function(value: &mut Expression, from: NumberFunction, to: NumberFunction) {
    if let Node::Function(function, _) = &mut value.node
        && *function == from
    {
        *function = to;
    }
}

fn swap_comparison(value: &mut Expression, from: Compare, to: Compare) {
    if let Node::Compare(operator, ..) = &mut value.node
        && *operator == from
    {
        *operator = to;
    }
}

fn drop_operation(value: &mut Expression, is_it: impl Fn(&Node) -> bool) {
    if is_it(&value.node)
        && let Node::Complement(inner) = &value.node
    {
        *value = (**inner).clone();
    }
}

#[test]
fn nearly_every_program_with_control_flow_is_defined() {
    let mut all = 0;
    let mut undefined = BTreeMap::new();
    each_program_with_flow(|program, dialect| {
        all += 1;
        let backwards: Vec<u32> = (0..program.group).rev().collect();
        let (answer, other) = (evaluate(&program), evaluate_in_turns(&program, Ideal, &backwards));
        assert_eq!(answer, other, "{}", text_of(&program, dialect));
        if let Err(why) = answer {
            *undefined.entry(why).or_insert(0) += 1;
        }
    });
    let count: u32 = undefined.values().sum();
    assert!(count * 20 < all, "{count} of {all}: {undefined:?}");
}

#[test]
fn what_is_left_of_a_program_with_control_flow_is_defined() {
    let (mut held, mut with_steps) = (0, 0);
    each_program_with_flow(|program, dialect| {
        if held == 24 || text_of(&program, dialect).len() > 4_000 {
            return;
        }
        let Some(mut rest) = DefinedProgram::of(program, dialect) else { return };
        held += 1;
        // Down a way that takes every third part.
        for part in (0..).step_by(3) {
            match rest.without(part) {
                smaller::Without::Rest(smaller) => rest = smaller,
                smaller::Without::Nothing => continue,
                smaller::Without::NoSuchPart => break,
            }
            let program = rest.program();
            let backwards: Vec<u32> = (0..program.group).rev().collect();
            let other = evaluate_in_turns(program, Ideal, &backwards);
            assert_eq!(evaluate(program), other, "{}", rest.source(""));
            let is_flow = |step: &Step| matches!(step, Step::If(..) | Step::Loop(_));
            with_steps +=
                usize::from(program.kernels.iter().any(|kernel| kernel.steps.iter().any(is_flow)));
        }
    });
    assert!(held == 24 && with_steps > 100, "{held} {with_steps}");
}

/// Returns a program in which a group of two work-items takes the steps in a kernel without arguments.
fn group_of_two(steps: Vec<Step>, variables: Vec<tree::Variable>) -> Program {
    let mut choices = Choices::from_seed(&[0; 32]);
    let mut program = build::evaluated(Dialect::OPENCL_C[2], Settings::default(), &mut choices);
    program.file_scope.clear();
    program.helpers.clear();
    program.arguments.clear();
    program.variables = variables;
    program.kernels = vec![Kernel { parameters: Vec::new(), steps }];
    program.launches = vec![0];
    (program.items, program.group) = (2, 2);
    program
}

// Every barrier must be met by all work-items of a group, in the same iteration ([table-builtin-synchronization]).
#[test]
fn a_barrier_that_only_some_come_to_is_found() {
    use tree::{Leave, LoopForm, VariableId, WorkItem};
    let uint = |value| Expression::literal(types::UINT, value);
    let id = || Expression::new(types::UINT, Node::WorkItem(WorkItem::LocalId));
    let compare = |operator, left, right| {
        let node = Node::Compare(operator, Box::new(left), Box::new(right));
        Expression::new(types::INT, node)
    };
    let first = || compare(Compare::Equal, id(), uint(0));
    let both = || compare(Compare::Less, id(), uint(2));
    let barrier = || Step::Barrier(Fence::Local);
    let repeat = |form, bound, body| Step::Loop(Loop { form, counter: VariableId(0), bound, body });
    let counter = || {
        let place = tree::Place { ty: types::UINT, node: tree::PlaceNode::Variable(VariableId(0)) };
        Expression::new(types::UINT, Node::Read(place))
    };
    let uneven = || {
        let node = Node::Binary(Binary::Add, Box::new(id()), Box::new(uint(1)));
        Expression::new(types::UINT, node)
    };
    let divergent = Err(UndefinedBehaviour::Divergent);
    for (what, steps, expected) in [
        ("if of one", vec![Step::If(first(), vec![barrier()], vec![])], divergent),
        ("both sides", vec![Step::If(first(), vec![barrier()], vec![barrier()])], divergent),
        ("if of both", vec![Step::If(both(), vec![barrier()], vec![])], Ok(())),
        ("goto of one", vec![Step::Skip(first(), vec![barrier()])], divergent),
        ("goto of both", vec![Step::Skip(both(), vec![barrier()])], Ok(())),
        ("switch", vec![Step::Switch(id(), vec![vec![barrier()], vec![]])], divergent),
        ("return of one", vec![Step::Return(first(), None), barrier()], divergent),
        ("return behind", vec![barrier(), Step::Return(first(), None)], Ok(())),
        ("return of both", vec![Step::Return(both(), None), barrier()], Ok(())),
        ("uneven for", vec![repeat(LoopForm::For, uneven(), vec![barrier()])], divergent),
        ("uneven while", vec![repeat(LoopForm::While, uneven(), vec![barrier()])], divergent),
        ("uneven do", vec![repeat(LoopForm::Do, uneven(), vec![barrier()])], divergent),
        ("even", vec![repeat(LoopForm::Do, uint(3), vec![barrier()])], Ok(())),
        (
            "as long as all are in the loop",
            vec![repeat(
                LoopForm::For,
                uneven(),
                vec![Step::If(compare(Compare::Less, counter(), uint(1)), vec![barrier()], vec![])],
            )],
            Ok(()),
        ),
        (
            "continue of one before",
            vec![repeat(
                LoopForm::For,
                uint(2),
                vec![Step::Leave(first(), Leave::Continue), barrier()],
            )],
            divergent,
        ),
        (
            "continue of one behind",
            vec![repeat(
                LoopForm::For,
                uint(2),
                vec![barrier(), Step::Leave(first(), Leave::Continue)],
            )],
            Ok(()),
        ),
        (
            "break of one behind",
            vec![repeat(
                LoopForm::For,
                uint(2),
                vec![barrier(), Step::Leave(first(), Leave::Break)],
            )],
            divergent,
        ),
    ] {
        let variables = vec![tree::Variable::private(types::UINT)];
        let seen = evaluate(&group_of_two(steps, variables)).map(|_| ());
        assert_eq!(seen, expected, "{what}");
    }
}
