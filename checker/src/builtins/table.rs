//! The table of built-in functions, read once per process from `table.txt`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::{
    gate::Gate,
    shape::{Access, ImageKind, Scalar, Space, SpaceSet},
};
use crate::dialect::{Feature, Version};

/// Everything known of the built-in functions.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) by_name: FxHashMap<&'static str, u16>,
    pub(super) functions: Vec<Function>,
    pub(super) overloads: Vec<Overload>,
    pub(super) params: Vec<Param>,
}

/// A name and the range of its overloads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) first: u16,
    pub(super) end: u16,
}

/// One signature; gentype ranges over `kinds` and `widths`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overload {
    pub(super) gate: Gate,
    pub(super) kinds: KindSet,
    pub(super) widths: Widths,
    pub(super) result: Param,
    pub(super) first_param: u16,
    pub(super) params: u8,
    pub(super) variadic: bool,
}

/// The scalar types that gentype may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KindSet(u16);

impl KindSet {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn contains(self, scalar: Scalar) -> bool {
        self.0 & (1 << scalar as u16) != 0
    }

    fn with(self, scalar: Scalar) -> Self {
        Self(self.0 | 1 << scalar as u16)
    }
}

/// Whether gentype may be a scalar, a vector or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Widths {
    Any,
    Scalars,
    Vectors,
}

/// The component type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elem {
    Fixed(Scalar),
    Gentype,
    Unsigned,
    Signed,
    /// `int` for scalars, else the signed integer of gentype's size.
    Relational,
    Wider,
}

/// The number of components of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Fixed(u8),
    Gentype,
    /// The width of the shuffle mask.
    Mask,
}

/// The target of a pointer parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Value(Elem, Width),
    Atomic,
    AtomicFlag,
    Event,
    ClkEvent,
    Any,
}

/// The spaces that a pointer parameter takes, without and with the generic address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spaces {
    pub(super) named: SpaceSet,
    pub(super) generic: SpaceSet,
}

/// The access qualifiers that an image or pipe parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccessSet(u8);

impl AccessSet {
    const fn of(accesses: &[Access]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < accesses.len() {
            bits |= 1 << accesses[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    pub(super) const fn contains(self, access: Access) -> bool {
        self.0 & (1 << access as u8) != 0
    }
}

/// The components that a coordinate parameter may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinate {
    Integer,
    Floating,
    Either,
    Derivative,
}

/// The type of a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param {
    Void,
    Any,
    Value(Elem, Width),
    Pointer {
        target: Target,
        spaces: Spaces,
        read_only: bool,
    },
    /// A pointer into this space to the target of the first argument. Results only.
    Same(Space),
    Image {
        kinds: u16,
        access: AccessSet,
    },
    Coordinate(Coordinate),
    Pipe(AccessSet),
    Sampler,
    Event,
    ClkEvent,
    Queue,
    NdRange,
    ReserveId,
    Block,
}

impl Table {
    /// Returns the table; the first call in a process reads it.
    pub(super) fn get() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| {
            read(include_str!("table.txt")).unwrap_or_else(|error| unreachable!("{error}"))
        })
    }

    pub(super) fn overloads(&self, function: u16) -> &[Overload] {
        let Function { first, end, .. } = self.functions[usize::from(function)];
        &self.overloads[usize::from(first)..usize::from(end)]
    }

    pub(super) fn params(&self, overload: &Overload) -> &[Param] {
        let first = usize::from(overload.first_param);
        &self.params[first..first + usize::from(overload.params)]
    }
}

/// Reads the whole table. The error names the first line that is not understood.
fn read(text: &'static str) -> Result<Table, String> {
    let mut gate = Gate::ALWAYS;
    let mut table = Table {
        by_name: FxHashMap::with_capacity_and_hasher(1024, rustc_hash::FxBuildHasher),
        functions: Vec::with_capacity(1024),
        overloads: Vec::new(),
        params: Vec::with_capacity(1024),
    };
    // Overloads in the order of the text, threaded per function, then laid out function by function.
    let mut found: Vec<(u16, Overload)> = Vec::with_capacity(2048);
    for line in text.lines() {
        let read_line = || match line.as_bytes().first() {
            None | Some(b'#') => Some(()),
            Some(b'=') => {
                gate = read_gate(&line[1..])?;
                Some(())
            }
            Some(_) => read_signature(line, gate, &mut table, &mut found),
        };
        let mut read_line = read_line;
        read_line().ok_or_else(|| format!("built-in table: {line}"))?;
    }
    found.sort_by_key(|&(function, _)| function);
    table.overloads.reserve(found.len());
    for (function, overload) in found {
        let at = table.overloads.len() as u16;
        let function = &mut table.functions[usize::from(function)];
        if function.end == 0 {
            function.first = at;
        }
        function.end = at + 1;
        table.overloads.push(overload);
    }
    Ok(table)
}

fn read_gate(text: &str) -> Option<Gate> {
    let mut words = text.split_ascii_whitespace();
    let mut gate = Gate::since(match words.next()? {
        "1.0" => Version::V1_0,
        "1.1" => Version::V1_1,
        "1.2" => Version::V1_2,
        "2.0" => Version::V2_0,
        "3.0" => Version::V3_0,
        "3.1" => Version::V3_1,
        _ => return None,
    });
    for word in words {
        if word == "half" {
            gate = gate.with_half();
            continue;
        }
        let named = |feature: &&Feature| feature.name().strip_prefix("__opencl_c_") == Some(word);
        gate = gate.with(*Feature::ALL.iter().find(named)?);
    }
    Some(gate)
}

fn read_signature(
    line: &'static str,
    gate: Gate,
    table: &mut Table,
    found: &mut Vec<(u16, Overload)>,
) -> Option<()> {
    let mut fields = line.split('|').map(str::trim);
    let (kinds, widths) = read_kinds(fields.next()?)?;
    let names = fields.next()?;
    let result = read_param(fields.next()?)?;
    let params = fields.next()?;
    let first_param = table.params.len() as u16;
    let mut variadic = false;
    for param in params.split(',').map(str::trim).filter(|param| !param.is_empty()) {
        if param == "..." {
            variadic = true;
        } else {
            table.params.push(read_param(param)?);
        }
    }
    let params = (table.params.len() - usize::from(first_param)) as u8;
    let overload = Overload { gate, kinds, widths, result, first_param, params, variadic };
    for name in names.split_ascii_whitespace() {
        let next = table.functions.len() as u16;
        let function = *table.by_name.entry(name).or_insert(next);
        if function == next {
            table.functions.push(Function { name, first: 0, end: 0 });
        }
        found.push((function, overload));
    }
    Some(())
}

fn read_kinds(text: &str) -> Option<(KindSet, Widths)> {
    let (kinds, widths) = match text.split_once('/') {
        Some((kinds, "1")) => (kinds, Widths::Scalars),
        Some((kinds, "v")) => (kinds, Widths::Vectors),
        Some(_) => return None,
        None => (text, Widths::Any),
    };
    let mut set = KindSet::NONE;
    if kinds == "-" {
        return Some((set, widths));
    }
    for word in kinds.split('+') {
        let admits = |scalar: Scalar| match word {
            "all" => scalar != Scalar::Bool,
            "fp" => scalar.is_float(),
            "integer" => !scalar.is_float() && scalar != Scalar::Bool,
            _ => scalar.name() == word,
        };
        let before = set;
        set = Scalar::distinct().filter(|&scalar| admits(scalar)).fold(set, KindSet::with);
        if set == before {
            return None;
        }
    }
    Some((set, widths))
}

fn read_param(text: &str) -> Option<Param> {
    if let Some(target) = text.strip_suffix('*') {
        return read_pointer(target);
    }
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let access = match (word, rest) {
        ("pipe", "r") | ("RO", _) => AccessSet::of(&[Access::ReadOnly]),
        ("pipe", "w") | ("WO", _) => AccessSet::of(&[Access::WriteOnly]),
        ("RD", _) => AccessSet::of(&[Access::ReadOnly, Access::ReadWrite]),
        ("WR", _) => AccessSet::of(&[Access::WriteOnly, Access::ReadWrite]),
        _ => AccessSet::of(&[Access::ReadOnly, Access::WriteOnly, Access::ReadWrite]),
    };
    Some(match word {
        "void" => Param::Void,
        "any" => Param::Any,
        "pipe" => Param::Pipe(access),
        "RO" | "WO" | "RD" | "WR" | "ANY" => Param::Image { kinds: read_images(rest)?, access },
        "ci" => Param::Coordinate(Coordinate::Integer),
        "cf" => Param::Coordinate(Coordinate::Floating),
        "cx" => Param::Coordinate(Coordinate::Either),
        "df" => Param::Coordinate(Coordinate::Derivative),
        "sampler_t" => Param::Sampler,
        "event_t" => Param::Event,
        "clk_event_t" => Param::ClkEvent,
        "queue_t" => Param::Queue,
        "ndrange_t" => Param::NdRange,
        "reserve_id_t" => Param::ReserveId,
        "block" => Param::Block,
        _ => {
            let (elem, width) = read_value(word)?;
            Param::Value(elem, width)
        }
    })
}

fn read_images(text: &str) -> Option<u16> {
    text.split_ascii_whitespace().try_fold(0, |kinds, word| {
        let kind = ImageKind::ALL.iter().find(|kind| kind.short() == word)?;
        Some(kinds | 1 << *kind as u16)
    })
}

fn read_value(word: &str) -> Option<(Elem, Width)> {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = match &word[letters.len()..] {
        "" => Width::Fixed(1),
        digits => Width::Fixed(digits.parse().ok()?),
    };
    Some(match letters {
        "g" if width == Width::Fixed(1) => (Elem::Gentype, Width::Gentype),
        "g" => (Elem::Gentype, width),
        "e" => (Elem::Gentype, Width::Fixed(1)),
        "ug" => (Elem::Unsigned, Width::Gentype),
        "ig" => (Elem::Signed, Width::Gentype),
        "rg" => (Elem::Relational, Width::Gentype),
        "wg" => (Elem::Wider, Width::Gentype),
        "gm" => (Elem::Gentype, Width::Mask),
        "um" => (Elem::Unsigned, Width::Mask),
        "size_t" => (Elem::Fixed(Scalar::ULong), Width::Fixed(1)),
        _ => {
            let named = |name: &str| Scalar::distinct().find(|scalar| scalar.name() == name);
            match named(letters) {
                Some(scalar) => (Elem::Fixed(scalar), width),
                None => (Elem::Fixed(named(letters.strip_suffix('n')?)?), Width::Gentype),
            }
        }
    })
}

fn read_pointer(text: &str) -> Option<Param> {
    const NAMED: [Space; 3] = [Space::Global, Space::Local, Space::Private];
    const WRITABLE: SpaceSet = SpaceSet::of(&NAMED);
    const FLEXIBLE: SpaceSet = WRITABLE.union(SpaceSet::of(&[Space::Generic]));
    const CONSTANT: SpaceSet = SpaceSet::of(&[Space::Constant]);
    const SHARED: SpaceSet = SpaceSet::of(&[Space::Global, Space::Local]);
    let both = |set| Spaces { named: set, generic: set };
    let (word, target) = text.split_once(' ').unwrap_or((text, ""));
    let space = Space::ALL.into_iter().find(|space| space.name() == word);
    if let (Some(space), "") = (space, target) {
        return Some(Param::Same(space));
    }
    let spaces = match (word, space) {
        (_, Some(space)) => both(SpaceSet::of(&[space])),
        ("gl", _) => both(SHARED),
        ("out", _) => Spaces { named: WRITABLE, generic: FLEXIBLE },
        ("in", _) => Spaces { named: WRITABLE.union(CONSTANT), generic: FLEXIBLE.union(CONSTANT) },
        ("plain", _) => Spaces { named: SpaceSet::of(&[Space::Private]), generic: FLEXIBLE },
        ("obj", _) => Spaces { named: SHARED, generic: FLEXIBLE },
        _ => return None,
    };
    let (read_only, target) = match target.strip_prefix("const ") {
        Some(target) => (true, target),
        None => (false, target),
    };
    let target = match target {
        "atomic" => Target::Atomic,
        "atomic_flag" => Target::AtomicFlag,
        "event_t" => Target::Event,
        "clk_event_t" => Target::ClkEvent,
        "any" => Target::Any,
        _ => {
            let (elem, width) = read_value(target)?;
            Target::Value(elem, width)
        }
    };
    Some(Param::Pointer { target, spaces, read_only })
}
