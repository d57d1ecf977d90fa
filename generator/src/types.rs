//! The types that axes named `type`, or ending in `_type`, choose from.

use expectations::{
    dialect::{Dialect, Version},
    requirement::Requirement,
    rule::Rule,
};

/// A type as templates use it. `$` in the texts represents the case's prefix.
#[derive(Clone, Copy, Debug)]
pub struct TypeFacts {
    /// The axis value.
    pub name: &'static str,
    /// Spelling in OpenCL C.
    pub spelling: &'static str,
    /// File-scope declarations it needs; empty or one line.
    pub declaration: &'static str,
    /// An initializer made of constant expressions, not zero.
    pub initializer: &'static str,
    /// Whether its values can be assigned; arrays cannot.
    pub assignable: bool,
    /// The first version that knows it.
    pub since: Version,
    /// Requirement of reading and writing objects of the type.
    pub requirement: Option<Requirement>,
}

const fn plain(name: &'static str, initializer: &'static str) -> TypeFacts {
    TypeFacts {
        name,
        spelling: name,
        declaration: "",
        initializer,
        assignable: true,
        since: Version::V1_0,
        requirement: None,
    }
}

const fn needing(
    requirement: Requirement,
    name: &'static str,
    initializer: &'static str,
) -> TypeFacts {
    TypeFacts { requirement: Some(requirement), ..plain(name, initializer) }
}

const fn user(
    name: &'static str,
    spelling: &'static str,
    declaration: &'static str,
    initializer: &'static str,
) -> TypeFacts {
    TypeFacts { spelling, declaration, ..plain(name, initializer) }
}

/// The table of types. `char`, `short` and their kin need byte-addressable stores in 1.0 ([restrictions]).
pub const TYPES: [TypeFacts; 32] = [
    needing(Requirement::ByteAddressableStore, "char", "1"),
    needing(Requirement::ByteAddressableStore, "uchar", "1"),
    needing(Requirement::ByteAddressableStore, "short", "1"),
    needing(Requirement::ByteAddressableStore, "ushort", "1"),
    plain("int", "1"),
    plain("uint", "1"),
    plain("long", "1"),
    plain("ulong", "1"),
    plain("size_t", "1"),
    plain("ptrdiff_t", "1"),
    plain("intptr_t", "1"),
    plain("uintptr_t", "1"),
    plain("float", "1.0f"),
    needing(Requirement::Fp64, "double", "1.0"),
    needing(Requirement::Fp16, "half", "1.0h"),
    needing(Requirement::ByteAddressableStore, "char2", "(char2)(1, 2)"),
    plain("char4", "(char4)(1, 2, 3, 4)"),
    plain("short8", "(short8)(1, 2, 3, 4, 5, 6, 7, 8)"),
    plain("int2", "(int2)(1, 2)"),
    // Three-component vectors came with 1.1 ([built-in-vector-data-types]).
    TypeFacts { since: Version::V1_1, ..plain("int3", "(int3)(1, 2, 3)") },
    plain("uint4", "(uint4)(1, 2, 3, 4)"),
    plain("float2", "(float2)(1.0f, 2.0f)"),
    plain("float4", "(float4)(1.0f, 2.0f, 3.0f, 4.0f)"),
    plain("float16", "(float16)(1.0f)"),
    needing(Requirement::Fp64, "double2", "(double2)(1.0, 2.0)"),
    user("struct", "struct $S", "struct $S { int a; float4 b; };", "{ 1, (float4)(2.0f) }"),
    user(
        "nested-struct",
        "struct $N",
        "struct $M { int a[2]; }; struct $N { struct $M m; int b; };",
        "{ { { 1, 2 } }, 3 }",
    ),
    user("union", "union $U", "union $U { int a; float b; };", "{ 1 }"),
    user("enum", "enum $E", "enum $E { $E0, $E1 };", "$E1"),
    user("typedef", "$T", "typedef int $T;", "1"),
    TypeFacts { assignable: false, ..user("array", "$A", "typedef int $A[4];", "{ 1, 2 }") },
    TypeFacts {
        assignable: false,
        ..user("array2d", "$B", "typedef int $B[2][3];", "{ { 1, 2, 3 }, { 4 } }")
    },
];

impl TypeFacts {
    /// Returns the layout of its objects in the notation of probes ([alignment-of-types]).
    pub fn layout(&self) -> &'static str {
        match self.name {
            "struct" => "int, pad 12, float4",
            "nested-struct" => "int2, int",
            "union" | "enum" | "typedef" => "int",
            // Where probes look at them a pointer has 64 bits: the requirements of atomics on them show this.
            "size_t" | "uintptr_t" => "ulong",
            "ptrdiff_t" | "intptr_t" => "long",
            "array" => "int4",
            "array2d" => "int4, int2",
            name => name,
        }
    }
}

/// Returns the row of that name.
pub fn find(name: &str) -> Option<&'static TypeFacts> {
    TYPES.iter().find(|facts| facts.name == name)
}

/// Whether values of the axis name types.
pub fn is_type_axis(axis: &str) -> bool {
    axis == "type" || axis.ends_with("_type")
}

/// Whether the dialect knows the types a point names.
pub fn known_in(rule: &Rule, point: &[u16], dialect: Dialect) -> bool {
    rule.axes.iter().zip(point).all(|((axis, values), &value)| {
        !is_type_axis(axis)
            || find(&values[usize::from(value)]).is_none_or(|facts| facts.since <= dialect.version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, facts) in TYPES.iter().enumerate() {
            assert_eq!(
                TYPES.iter().position(|other| other.name == facts.name),
                Some(index),
                "{}",
                facts.name
            );
        }
    }
}
