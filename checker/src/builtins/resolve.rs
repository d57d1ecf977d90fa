//! Overload resolution for built-in functions: the overload that a call selects, and the argument that disagrees.

use super::{
    gate::Gate,
    shape::{Arg, Pointee, Scalar, Shape, SpaceSet},
    table::{Coordinate, Elem, Overload, Param, Table, Target, Width, Widths},
};
use crate::dialect::Dialect;

/// The judgement of a call of a built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The call is fine and has this type.
    Match(Shape),
    /// A pointer argument points into a space that no overload takes there.
    WrongSpace {
        /// Index of the argument, from 0.
        argument: u8,
        /// The spaces the overloads take there.
        takes: SpaceSet,
        /// The type the call would have.
        result: Shape,
    },
    /// An image or pipe is declared with an access qualifier the function cannot work with.
    WrongAccess {
        /// Index of the argument, from 0.
        argument: u8,
        /// The type the call would have.
        result: Shape,
    },
    /// No overload takes that many arguments. The type is the one that the call would have.
    WrongCount(Shape),
    /// The arguments disagree in a way that has nothing to do with spaces.
    Mismatch(Shape),
    /// The dialect does not have the function, or the only overload that the call agrees with. The gate names the
    /// dialects that have it.
    Unavailable(Gate),
}

/// The best overload has the lowest cost. A single disagreement of one class outweighs several of the class below
/// it: conversions are not a disagreement at all; a pointee is only guessed wrong before a space is.
mod cost {
    pub(super) const CONVERSION: u32 = 1;
    pub(super) const TYPE: u32 = 40;
    pub(super) const ACCESS: u32 = 400;
    pub(super) const SPACE: u32 = 1_000;
    pub(super) const STRUCTURE: u32 = 10_000;
    pub(super) const COUNT: u32 = 1_000_000;
}

/// An overload compared with the arguments of a call.
#[derive(Clone, Copy)]
struct Trial {
    cost: u32,
    space: Option<(u8, SpaceSet)>,
    access: Option<u8>,
    result: Shape,
}

/// Judges a call of `function` with `args` in `dialect`.
pub(super) fn resolve(table: &Table, function: u16, args: &[Arg], dialect: Dialect) -> Outcome {
    let overloads = table.overloads(function);
    let mut best: Option<Trial> = None;
    let mut rejected = false;
    for overload in overloads {
        if !overload.gate.admits(dialect) {
            rejected = true;
            continue;
        }
        let trial = try_overload(table, overload, args, dialect);
        if best.is_none_or(|best| trial.cost < best.cost) {
            best = Some(trial);
            if trial.cost == 0 {
                break;
            }
        }
    }
    let Some(best) = best else {
        return Outcome::Unavailable(least_gate(overloads));
    };
    if rejected && best.cost >= cost::STRUCTURE {
        let fits = |overload: &&Overload| {
            !overload.gate.admits(dialect)
                && try_overload(table, overload, args, dialect).cost < cost::ACCESS
        };
        if let Some(overload) = overloads.iter().find(fits) {
            return Outcome::Unavailable(overload.gate);
        }
    }
    conclude(table, overloads, args, dialect, best)
}

/// Returns the gate of the least demanding overload.
pub(super) fn least_gate(overloads: &[Overload]) -> Gate {
    let gates = overloads.iter().map(|overload| overload.gate);
    gates.min_by_key(|gate| (gate.since, gate.features().count())).unwrap_or(Gate::ALWAYS)
}

fn conclude(
    table: &Table,
    overloads: &[Overload],
    args: &[Arg],
    dialect: Dialect,
    best: Trial,
) -> Outcome {
    let result = best.result;
    if best.cost >= cost::COUNT {
        return Outcome::WrongCount(result);
    }
    if best.cost >= cost::STRUCTURE {
        return Outcome::Mismatch(result);
    }
    if let Some((argument, _)) = best.space {
        let takes = overloads
            .iter()
            .filter(|overload| overload.gate.admits(dialect))
            .map(|overload| try_overload(table, overload, args, dialect))
            .filter(|trial| trial.cost == best.cost)
            .filter_map(|trial| trial.space)
            .filter(|&(other, _)| other == argument)
            .fold(SpaceSet::EMPTY, |union, (_, takes)| union.union(takes));
        return Outcome::WrongSpace { argument, takes, result };
    }
    match best.access {
        Some(argument) => Outcome::WrongAccess { argument, result },
        None if best.cost >= cost::TYPE => Outcome::Mismatch(result),
        None => Outcome::Match(result),
    }
}

/// The meaning of gentype, and the width of a shuffle mask, in one call.
#[derive(Clone, Copy)]
struct Binding {
    kind: Option<Scalar>,
    width: u8,
    mask: u8,
    cost: u32,
}

fn try_overload(table: &Table, overload: &Overload, args: &[Arg], dialect: Dialect) -> Trial {
    let params = table.params(overload);
    let binding = bind(overload, params, args);
    let count_agrees = args.len() == params.len() || overload.variadic && args.len() > params.len();
    let mut trial = Trial {
        cost: if count_agrees { binding.cost } else { cost::COUNT },
        space: None,
        access: None,
        result: result(overload.result, binding, args),
    };
    for (at, (&param, &arg)) in params.iter().zip(args).enumerate() {
        weigh(&mut trial, at as u8, param, arg, binding, args, dialect);
    }
    trial
}

/// Finds gentype. A pointer's target decides before a vector, a vector before the widest of the scalars.
fn bind(overload: &Overload, params: &[Param], args: &[Arg]) -> Binding {
    let mut kind: Option<(u8, Scalar)> = None;
    let (mut width, mut mask) = (1, 1);
    let mut offer = |rank: u8, scalar: Scalar| match kind {
        Some((held, _)) if held > rank => {}
        Some((held, other)) if held == rank && (rank > 1 || other >= scalar) => {}
        _ => kind = Some((rank, scalar)),
    };
    for (&param, &arg) in params.iter().zip(args) {
        let (elem, place, scalar, components, rank) = match (param, arg) {
            (Param::Value(elem, place), Arg::Scalar(scalar) | Arg::Zero(scalar)) => {
                (elem, place, scalar, 1, 1)
            }
            (Param::Value(elem, place), Arg::Vector(scalar, n)) => (elem, place, scalar, n, 2),
            (
                Param::Pointer { target: Target::Value(elem, place), .. },
                Arg::Pointer { pointee: Pointee::Value(scalar, n), .. },
            ) => (elem, place, scalar, n, 3),
            (
                Param::Pointer { target: Target::Atomic, .. },
                Arg::Pointer {
                    pointee: Pointee::Atomic(scalar) | Pointee::Value(scalar, 1), ..
                },
            ) => (Elem::Gentype, Width::Fixed(1), scalar, 1, 3),
            _ => continue,
        };
        match elem {
            Elem::Gentype => offer(rank, scalar),
            Elem::Unsigned | Elem::Signed => offer(0, scalar),
            Elem::Fixed(_) | Elem::Relational | Elem::Wider => {}
        }
        match place {
            Width::Gentype => width = width.max(components),
            Width::Mask => mask = mask.max(components),
            Width::Fixed(_) => {}
        }
    }
    let mut cost = match overload.widths {
        Widths::Scalars if width > 1 => cost::TYPE,
        Widths::Vectors if width == 1 => cost::TYPE / 2,
        _ => 0,
    };
    let kind = kind.map(|(rank, scalar)| {
        if overload.kinds.contains(scalar) {
            return scalar;
        }
        cost += if rank > 1 { cost::TYPE } else { cost::CONVERSION };
        nearest(overload, scalar)
    });
    Binding { kind, width, mask, cost }
}

/// Returns the type of the overload that an argument of type `scalar` most likely converts to.
fn nearest(overload: &Overload, scalar: Scalar) -> Scalar {
    let preferred = if scalar.is_float() {
        [Scalar::Float, Scalar::Double, Scalar::Half, Scalar::Int, Scalar::UInt]
    } else {
        [Scalar::Int, Scalar::UInt, Scalar::Float, Scalar::Double, Scalar::Half]
    };
    let admitted = |scalar: &Scalar| overload.kinds.contains(*scalar);
    preferred.into_iter().chain(Scalar::distinct()).find(admitted).unwrap_or(scalar)
}

impl Binding {
    /// Returns the type a parameter has in this call; `None` if nothing is known of gentype.
    fn value(self, elem: Elem, width: Width) -> Option<(Scalar, u8)> {
        let width = match width {
            Width::Fixed(n) => n,
            Width::Gentype => self.width,
            Width::Mask => self.mask,
        };
        let scalar = match elem {
            Elem::Fixed(scalar) => scalar,
            Elem::Gentype => self.kind?,
            Elem::Unsigned => self.kind?.unsigned(),
            Elem::Wider => self.kind?.wider(),
            Elem::Relational if width == 1 => Scalar::Int,
            Elem::Signed | Elem::Relational => self.kind?.signed(),
        };
        Some((scalar, width))
    }
}

fn weigh(
    trial: &mut Trial,
    at: u8,
    param: Param,
    arg: Arg,
    binding: Binding,
    args: &[Arg],
    dialect: Dialect,
) {
    trial.cost += match (param, arg) {
        _ if agrees_whole(param, arg) => 0,
        (Param::Value(elem, width), _) => weigh_value(binding.value(elem, width), arg),
        (Param::Coordinate(coordinate), _) => weigh_coordinate(coordinate, arg, args),
        (
            Param::Pointer { target, spaces, read_only },
            Arg::Pointer { pointee, space, constant },
        ) => {
            let takes = if dialect.generic_space() { spaces.generic } else { spaces.named };
            let mut cost = weigh_pointee(target, pointee, binding);
            // A write through a pointer to const breaks only plain C; constant memory is a space of its own.
            if constant && !read_only {
                cost += cost::TYPE;
            }
            if !takes.contains(space) {
                trial.space = trial.space.or(Some((at, takes)));
                cost += cost::SPACE;
            }
            cost
        }
        (Param::Image { kinds, access }, Arg::Image(kind, declared)) => {
            if kinds & (1 << kind as u16) == 0 {
                cost::STRUCTURE
            } else if access.contains(declared) {
                0
            } else {
                trial.access = trial.access.or(Some(at));
                cost::ACCESS
            }
        }
        (Param::Pipe(access), Arg::Pipe(declared)) => {
            if access.contains(declared) {
                0
            } else {
                trial.access = trial.access.or(Some(at));
                cost::ACCESS
            }
        }
        _ => cost::STRUCTURE,
    };
}

/// Whether parameter and argument agree without weighing. 0 counts as any opaque object.
fn agrees_whole(param: Param, arg: Arg) -> bool {
    matches!(
        (param, arg),
        (_, Arg::Unknown)
            | (Param::Any, _)
            | (Param::Pointer { .. }, Arg::Zero(_) | Arg::Null)
            | (Param::Sampler, Arg::Sampler | Arg::Scalar(_) | Arg::Zero(_))
            | (Param::Event, Arg::Event | Arg::Scalar(_) | Arg::Zero(_))
            | (Param::ClkEvent, Arg::ClkEvent | Arg::Scalar(_) | Arg::Zero(_))
            | (Param::Queue, Arg::Queue | Arg::Scalar(_) | Arg::Zero(_))
            | (Param::ReserveId, Arg::ReserveId | Arg::Scalar(_) | Arg::Zero(_))
            | (Param::NdRange, Arg::NdRange)
            | (Param::Block, Arg::Block)
    )
}

fn weigh_value(expected: Option<(Scalar, u8)>, arg: Arg) -> u32 {
    // Gentype is unknown only where no argument is arithmetic; unknown arguments agreed before.
    let Some((scalar, width)) = expected else { return cost::STRUCTURE };
    match arg {
        Arg::Scalar(given) | Arg::Zero(given) if width == 1 => {
            cost::CONVERSION * u32::from(given != scalar)
        }
        Arg::Scalar(_) | Arg::Zero(_) => cost::TYPE,
        Arg::Vector(given, n) if n == width => cost::TYPE * u32::from(given != scalar),
        Arg::Vector(..) if width > 1 => 2 * cost::TYPE,
        _ => cost::STRUCTURE,
    }
}

fn weigh_coordinate(coordinate: Coordinate, arg: Arg, args: &[Arg]) -> u32 {
    let Some(&Arg::Image(kind, _)) = args.first() else { return 0 };
    let width = match (coordinate, kind.coordinates()) {
        (Coordinate::Derivative, n) => kind.derivatives().min(n),
        (_, n) => n,
    };
    let expected = match coordinate {
        Coordinate::Integer => Scalar::Int,
        Coordinate::Floating | Coordinate::Derivative => Scalar::Float,
        Coordinate::Either => match arg {
            Arg::Scalar(given) | Arg::Vector(given, _) if given.is_float() => Scalar::Float,
            _ => Scalar::Int,
        },
    };
    weigh_value(Some((expected, width)), arg)
}

fn weigh_pointee(target: Target, pointee: Pointee, binding: Binding) -> u32 {
    let agrees = match (target, pointee) {
        (Target::Value(elem, width), Pointee::Value(scalar, n)) => {
            binding.value(elem, width).is_none_or(|expected| expected == (scalar, n))
        }
        // `void *` converts to any pointer, but does not say which gentype is meant.
        (Target::Value(elem, width), Pointee::Void) => binding.value(elem, width).is_some(),
        _ => matches!(
            (target, pointee),
            (_, Pointee::Unknown | Pointee::Void)
                | (Target::Any, _)
                | (Target::Atomic, Pointee::Atomic(_))
                | (Target::AtomicFlag, Pointee::AtomicFlag)
                | (Target::Event, Pointee::Event)
                | (Target::ClkEvent, Pointee::ClkEvent)
        ),
    };
    if agrees { 0 } else { cost::TYPE }
}

fn result(result: Param, binding: Binding, args: &[Arg]) -> Shape {
    match result {
        Param::Void => Shape::Void,
        Param::Value(elem, width) => match binding.value(elem, width) {
            Some((scalar, 1)) => Shape::Scalar(scalar),
            Some((scalar, n)) => Shape::Vector(scalar, n),
            None => Shape::Unknown,
        },
        Param::Same(space) if matches!(args.first(), Some(Arg::Pointer { .. })) => {
            Shape::SamePointer { argument: 0, space }
        }
        Param::Event => Shape::Event,
        Param::ClkEvent => Shape::ClkEvent,
        Param::Queue => Shape::Queue,
        Param::NdRange => Shape::NdRange,
        Param::ReserveId => Shape::ReserveId,
        _ => Shape::Unknown,
    }
}
