//! Calls written as text, judged, and compared with the specification.

use super::*;
use crate::dialect::{Feature, Version};

mod calls;
mod properties;

/// Reads `1.2`, `3.0`, `3.0-min` or `3.0-generic` (everything but the generic address space).
fn dialect(text: &str) -> Dialect {
    let (number, rest) = text.split_once('-').unwrap_or((text, ""));
    let version = match number {
        "1.0" => Version::V1_0,
        "1.1" => Version::V1_1,
        "1.2" => Version::V1_2,
        "2.0" => Version::V2_0,
        "3.0" => Version::V3_0,
        "3.1" => Version::V3_1,
        _ => panic!("dialect {text}"),
    };
    let whole = Dialect::new(version);
    match rest {
        "" => whole,
        "min" => whole.without_features().with(Feature::Images),
        feature => {
            let named = |other: &&Feature| other.name().ends_with(feature);
            whole.without(*Feature::ALL.iter().find(named).expect(feature))
        }
    }
}

/// Reads one argument type, for example `global const float4*`, `r image2d_t`, `pipe w`, `0`, `?`.
fn arg(text: &str) -> Arg {
    if let Some(pointee) = text.strip_suffix('*') {
        return pointer(pointee);
    }
    if let Some(kind) = text.split(' ').nth(1).and_then(image) {
        let access = match text.split(' ').next() {
            Some("r") => Access::ReadOnly,
            Some("w") => Access::WriteOnly,
            _ => Access::ReadWrite,
        };
        return Arg::Image(kind, access);
    }
    match text {
        "?" => Arg::Unknown,
        "0" => Arg::Zero(Scalar::Int),
        "0uc" => Arg::Zero(Scalar::UChar),
        "NULL" => Arg::Null,
        "struct" => Arg::Other,
        "block" => Arg::Block,
        "pipe r" => Arg::Pipe(Access::ReadOnly),
        "pipe w" => Arg::Pipe(Access::WriteOnly),
        "sampler_t" => Arg::Sampler,
        "event_t" => Arg::Event,
        "clk_event_t" => Arg::ClkEvent,
        "queue_t" => Arg::Queue,
        "ndrange_t" => Arg::NdRange,
        "reserve_id_t" => Arg::ReserveId,
        _ => match value(text) {
            Some((scalar, 1)) => Arg::Scalar(scalar),
            Some((scalar, n)) => Arg::Vector(scalar, n),
            None => panic!("argument {text}"),
        },
    }
}

fn image(text: &str) -> Option<ImageKind> {
    ImageKind::ALL.iter().copied().find(|kind| kind.name() == text)
}

fn value(text: &str) -> Option<(Scalar, u8)> {
    let named = |text| Scalar::distinct().find(|scalar| scalar.name() == text);
    match types().find(|(name, ..)| *name == text) {
        Some((_, NamedType::Vector(scalar, n), _)) => Some((scalar, n)),
        Some((_, NamedType::Scalar(scalar), _)) => Some((scalar, 1)),
        _ => named(text).map(|scalar| (scalar, 1)),
    }
}

fn pointer(text: &str) -> Arg {
    let (space, text) = text.split_once(' ').expect(text);
    let space = Space::ALL.into_iter().find(|other| other.name() == space).expect(space);
    let (constant, text) = match text.strip_prefix("const ") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let pointee = match text {
        "void" => Pointee::Void,
        "struct" => Pointee::Other,
        "event_t" => Pointee::Event,
        "clk_event_t" => Pointee::ClkEvent,
        "atomic_flag" => Pointee::AtomicFlag,
        _ => match types().find(|(name, ..)| *name == text) {
            Some((_, NamedType::Atomic(scalar), _)) => Pointee::Atomic(scalar),
            _ => value(text).map(|(scalar, n)| Pointee::Value(scalar, n)).expect(text),
        },
    };
    Arg::Pointer { pointee, space, constant }
}

/// Judges `name(type, ...) @ dialect`.
fn judge(call: &str) -> Outcome {
    let (call, text) = call.split_once('@').expect(call);
    let (name, args) = call.trim().trim_end_matches(')').split_once('(').expect(call);
    let args: Vec<Arg> =
        args.split(',').map(str::trim).filter(|text| !text.is_empty()).map(arg).collect();
    find(name).expect(name).resolve(&args, dialect(text.trim()))
}

/// Returns an outcome in the words of `calls.txt`.
fn words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Match(shape) => shape_words(shape),
        Outcome::WrongSpace { argument, takes, .. } => {
            format!("argument {} takes {takes}", argument + 1)
        }
        Outcome::WrongAccess { argument, .. } => format!("access of argument {}", argument + 1),
        Outcome::WrongCount(shape) => format!("wrong count, {}", shape_words(shape)),
        Outcome::Mismatch(shape) => format!("mismatch, {}", shape_words(shape)),
        Outcome::Unavailable(gate) => format!("requires {gate}"),
    }
}

fn shape_words(shape: Shape) -> String {
    match shape {
        Shape::Unknown => "unknown".to_owned(),
        Shape::Void => "void".to_owned(),
        Shape::Scalar(scalar) => scalar.name().to_owned(),
        Shape::Vector(scalar, n) => format!("{}{n}", scalar.name()),
        Shape::SamePointer { argument, space } => {
            format!("{} pointer to what {} points to", space.name(), argument + 1)
        }
        Shape::Event => "event_t".to_owned(),
        Shape::ClkEvent => "clk_event_t".to_owned(),
        Shape::Queue => "queue_t".to_owned(),
        Shape::NdRange => "ndrange_t".to_owned(),
        Shape::ReserveId => "reserve_id_t".to_owned(),
    }
}
