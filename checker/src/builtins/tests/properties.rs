//! Properties of the whole table, and of calls with arguments of any kind.

use proptest::prelude::*;

use super::*;
use crate::builtins::table::{Coordinate, Elem, Overload, Param, Table, Target, Width, Widths};

const DIALECTS: [&str; 7] =
    ["1.0", "1.1", "1.2", "2.0", "3.0", "3.0-min", "3.0-generic_address_space"];

/// Returns one list of arguments that `overload` was written for.
fn fitting(table: &Table, overload: &Overload) -> Vec<Arg> {
    let kind = Scalar::distinct().rev().find(|&kind| overload.kinds.contains(kind));
    let width = if overload.widths == Widths::Vectors { 4 } else { 1 };
    let value = |elem, place| {
        let scalar = match elem {
            Elem::Fixed(scalar) => scalar,
            Elem::Unsigned => kind.unwrap().unsigned(),
            Elem::Signed | Elem::Relational => kind.unwrap().signed(),
            Elem::Gentype | Elem::Wider => kind.unwrap(),
        };
        match place {
            Width::Fixed(n) => (scalar, n),
            Width::Gentype | Width::Mask => (scalar, width),
        }
    };
    let shaped = |(scalar, n)| if n == 1 { Arg::Scalar(scalar) } else { Arg::Vector(scalar, n) };
    let image = table.params(overload).iter().find_map(|param| match *param {
        Param::Image { kinds, .. } => {
            ImageKind::ALL.iter().copied().find(|kind| kinds & (1 << *kind as u16) != 0)
        }
        _ => None,
    });
    let accesses = [Access::ReadOnly, Access::WriteOnly];
    let argument = |param: Param| match param {
        Param::Value(elem, place) => shaped(value(elem, place)),
        Param::Pointer { target, spaces, read_only } => Arg::Pointer {
            pointee: match target {
                Target::Value(elem, place) => {
                    let (scalar, n) = value(elem, place);
                    Pointee::Value(scalar, n)
                }
                Target::Atomic => Pointee::Atomic(kind.unwrap()),
                Target::AtomicFlag => Pointee::AtomicFlag,
                Target::Event => Pointee::Event,
                Target::ClkEvent => Pointee::ClkEvent,
                Target::Any => Pointee::Other,
            },
            space: spaces.named.iter().next().unwrap(),
            constant: read_only,
        },
        Param::Image { access, .. } => {
            let access = accesses.into_iter().find(|&each| access.contains(each)).unwrap();
            Arg::Image(image.unwrap(), access)
        }
        Param::Pipe(access) => {
            Arg::Pipe(accesses.into_iter().find(|&each| access.contains(each)).unwrap())
        }
        Param::Coordinate(Coordinate::Derivative) => {
            shaped((Scalar::Float, image.unwrap().derivatives()))
        }
        Param::Coordinate(Coordinate::Integer) => {
            shaped((Scalar::Int, image.unwrap().coordinates()))
        }
        Param::Coordinate(_) => shaped((Scalar::Float, image.unwrap().coordinates())),
        Param::Sampler => Arg::Sampler,
        Param::Event => Arg::Event,
        Param::ClkEvent => Arg::ClkEvent,
        Param::Queue => Arg::Queue,
        Param::NdRange => Arg::NdRange,
        Param::ReserveId => Arg::ReserveId,
        Param::Block => Arg::Block,
        Param::Any => Arg::Other,
        Param::Void | Param::Same(_) => unreachable!("results only"),
    };
    table.params(overload).iter().map(|&param| argument(param)).collect()
}

/// Calls `check` with each name, dialect, parameters and fitting arguments of every signature the dialect has.
fn for_every_signature(check: impl Fn(&str, Dialect, &[Param], &[Arg])) {
    let table = Table::get();
    for (at, function) in table.functions.iter().enumerate() {
        for overload in table.overloads(at as u16) {
            for dialect in DIALECTS.map(dialect) {
                if overload.gate.admits(dialect) {
                    let args = fitting(table, overload);
                    check(function.name, dialect, table.params(overload), &args);
                }
            }
        }
    }
}

fn outcome(name: &str, args: &[Arg], dialect: Dialect) -> Outcome {
    find(name).unwrap().resolve(args, dialect)
}

#[test]
fn every_signature_matches_a_call_written_for_it() {
    for_every_signature(|name, dialect, _, args| {
        let outcome = outcome(name, args, dialect);
        assert!(matches!(outcome, Outcome::Match(_)), "{name} {args:?} {dialect:?}: {outcome:?}");
    });
}

#[test]
fn each_space_is_taken_or_rejected_as_the_parameter_says() {
    for_every_signature(|name, dialect, params, args| {
        for (at, &param) in params.iter().enumerate() {
            let Param::Pointer { spaces, .. } = param else { continue };
            let takes = if dialect.generic_space() { spaces.generic } else { spaces.named };
            for space in Space::ALL {
                let mut args = args.to_vec();
                let Arg::Pointer { space: given, .. } = &mut args[at] else { unreachable!() };
                *given = space;
                let outcome = outcome(name, &args, dialect);
                let accepted = matches!(outcome, Outcome::Match(_));
                // The other direction of an async copy takes the space, but then not the other argument's.
                assert_eq!(
                    accepted,
                    takes.contains(space),
                    "{name} {args:?} {dialect:?}: {outcome:?}"
                );
                let named = matches!(outcome, Outcome::WrongSpace { takes, .. } if takes != SpaceSet::EMPTY);
                assert!(accepted || named, "{name} {args:?} {dialect:?}: {outcome:?}");
            }
        }
    });
}

#[test]
fn constant_is_taken_by_loads_and_formats_only() {
    for_every_signature(|name, _, params, _| {
        for param in params {
            let Param::Pointer { spaces, read_only, .. } = *param else { continue };
            let constant = [spaces.named, spaces.generic].map(|set| set.contains(Space::Constant));
            let reads = name.starts_with("vload") || name == "printf";
            assert_eq!(constant, [reads; 2], "{name}");
            assert!(read_only || !reads, "{name}");
        }
    });
}

#[test]
fn names_are_found_and_unknown_ones_are_not() {
    assert!(names().count() > 400);
    for name in names() {
        assert!(find(name).is_some(), "{name}");
    }
    for name in [
        "intel_sub_group_shuffle",
        "amd_bitalign",
        "arm_dot",
        "convert_struct",
        "convert_int5",
        "convert_int_rte_sat",
        "as_bool",
        "as_",
        "convert_",
        "",
        "vload5",
    ] {
        assert!(find(name).is_none(), "{name}");
    }
}

fn any_arg() -> impl Strategy<Value = Arg> {
    let scalar = || prop::sample::select(Scalar::distinct().collect::<Vec<_>>());
    let width = || prop::sample::select(&[1_u8, 2, 3, 4, 8, 16][..]);
    let pointee = prop_oneof![
        (scalar(), width()).prop_map(|(scalar, n)| Pointee::Value(scalar, n)),
        scalar().prop_map(Pointee::Atomic),
        Just(Pointee::Void),
        Just(Pointee::AtomicFlag),
        Just(Pointee::Event),
        Just(Pointee::ClkEvent),
        Just(Pointee::Other),
    ];
    let space = prop::sample::select(&Space::ALL[..]);
    let accesses =
        || prop::sample::select(&[Access::ReadOnly, Access::WriteOnly, Access::ReadWrite][..]);
    prop_oneof![
        4 => (pointee, space, any::<bool>())
            .prop_map(|(pointee, space, constant)| Arg::Pointer { pointee, space, constant }),
        2 => scalar().prop_map(Arg::Scalar),
        2 => (scalar(), width()).prop_map(|(scalar, n)| match n {
            1 => Arg::Scalar(scalar),
            n => Arg::Vector(scalar, n),
        }),
        1 => (prop::sample::select(ImageKind::ALL), accesses())
            .prop_map(|(kind, access)| Arg::Image(kind, access)),
        1 => accesses().prop_map(Arg::Pipe),
        2 => prop::sample::select(&[
            Arg::Unknown, Arg::Null, Arg::Sampler, Arg::Event, Arg::ClkEvent, Arg::Queue, Arg::NdRange,
            Arg::ReserveId, Arg::Block, Arg::Other,
        ][..]),
    ]
}

proptest! {
    #[test]
    fn constant_never_becomes_generic_nor_is_written(
        at in any::<prop::sample::Index>(),
        args in prop::collection::vec(any_arg(), 0..8),
        dialect_name in prop::sample::select(&DIALECTS[..]),
    ) {
        let all: Vec<_> = names().collect();
        let name = *at.get(&all);
        let constant = |arg: &Arg| matches!(arg, Arg::Pointer { space: Space::Constant, .. });
        if let Outcome::Match(shape) = outcome(name, &args, dialect(dialect_name)) {
            let reads = name.starts_with("vload") || name == "printf" || name == "vec_step";
            prop_assert!(reads || name == "enqueue_kernel" || !args.iter().any(constant));
            let named = !matches!(
                shape,
                Shape::SamePointer { space: Space::Generic | Space::Constant, .. }
            );
            prop_assert!(named);
        }
    }
}

#[test]
fn types_and_macros_are_unique_in_each_dialect() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, ..) in types() {
        assert!(seen.insert(name), "{name}");
    }
    for dialect in DIALECTS.map(dialect) {
        let mut seen = std::collections::BTreeSet::new();
        for (name, _) in macros(dialect) {
            assert!(seen.insert(name), "{name}");
        }
    }
    let has = |text, name| macros(dialect(text)).any(|(other, _)| other == name);
    assert!(has("1.0", "M_PI_F") && has("3.0-min", "CLK_LOCAL_MEM_FENCE"));
    assert!(!has("3.0-min", "CLK_NULL_QUEUE") && !has("1.2", "ATOMIC_FLAG_INIT"));
    assert!(!has("3.0-min", "HALF_MAX") && has("3.0", "HALF_MAX"));
}

#[test]
fn constants_follow_their_features() {
    let has = |text, name| {
        constants().any(|constant| constant.name == name && constant.gate.admits(dialect(text)))
    };
    assert!(has("2.0", "memory_scope_device") && !has("3.0-min", "memory_scope_device"));
    assert!(has("3.0-min", "memory_order_relaxed") && !has("1.2", "memory_order_relaxed"));
    assert!(has("3.0", "memory_scope_all_devices") && !has("2.0", "memory_scope_all_devices"));
}
