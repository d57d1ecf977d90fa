//! The objects that the checker lists, in one line each.

use std::fmt::Write as _;

use checker::{Checker, Dialect, Version, objects::Object};
use expect_test::{Expect, expect};

#[expect(clippy::needless_pass_by_value, reason = "the macro makes values")]
fn check(text: &str, expected: Expect) {
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    let report = checker.check("k.cl", text);
    let said: Vec<&str> = report.diagnostics.iter().map(|said| said.message.as_str()).collect();
    assert!(said.is_empty(), "{said:?}");
    let listed = checker.objects();
    let mut lines = String::new();
    for function in &listed.functions {
        for parameter in &function.parameters {
            let name = parameter.name.as_deref().unwrap_or("-");
            let levels: Vec<&str> = parameter.ty.levels.iter().map(|space| space.name()).collect();
            let levels = levels.join(", ");
            let _ = writeln!(
                lines,
                "{}({name}) {} to [{levels}]",
                function.name, parameter.ty.spelling
            );
        }
    }
    for object in &listed.objects {
        lines += &line(object);
    }
    expected.assert_eq(&lines);
}

fn line(object: &Object) -> String {
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let values: Vec<String> =
        object.values.iter().map(|value| format!("{}:{:#x}", value.offset, value.bits)).collect();
    let named_in: Vec<&str> =
        object.named_in.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
    format!(
        "{:?} {} in {}: {} {:?} size {} alignment {} values [{}] named in [{}]\n",
        object.kind,
        object.name.as_deref().unwrap_or("-"),
        object.function.as_deref().unwrap_or("-"),
        object.space.name(),
        object.lifetime,
        number(object.ty.size),
        number(object.ty.alignment),
        values.join(" "),
        named_in.join(" ")
    )
}

#[test]
fn every_object_has_its_space_and_its_function() {
    check(
        "global int g = 7; void f(int x) { static long n = 5; int a = n; }\n\
         kernel void k(global int *o) { local int l; constant int c = 2; l = c; o[0] = g; }",
        expect![[r#"
            f(x) int to []
            k(o) global int * to [global]
            Variable g in -: global Program size 4 alignment 4 values [0:0x7] named in [k]
            Variable n in f: global Program size 8 alignment 8 values [0:0x5] named in [f]
            Variable a in f: private Block size 4 alignment 4 values [] named in []
            Variable l in k: local WorkGroup size 4 alignment 4 values [] named in [k]
            Variable c in k: constant Program size 4 alignment 4 values [0:0x2] named in [k]
        "#]],
    );
}

#[test]
fn literals_are_objects_unless_they_initialize_an_array() {
    check(
        "void f(void) { constant char *s = \"abc\"; char a[] = \"xyz\", b[] = {\"xyz\"}; int *p = (int[]){1, 2, 3}; }",
        expect![[r#"
            StringLiteral - in f: constant Program size 4 alignment 1 values [] named in []
            Variable s in f: private Block size 8 alignment 8 values [] named in []
            Variable a in f: private Block size 4 alignment 1 values [] named in []
            Variable b in f: private Block size 4 alignment 1 values [] named in []
            CompoundLiteral - in f: private Block size 12 alignment 4 values [] named in []
            Variable p in f: private Block size 8 alignment 8 values [] named in []
        "#]],
    );
}

#[test]
fn the_space_of_each_level_is_listed() {
    check(
        "kernel void k(global int *global *p, local float4 *l) { }\nvoid f(int **q, constant char *s) { }",
        expect![[r#"
            k(p) global int *global * to [global, global]
            k(l) local float4 * to [local]
            f(q) generic int *generic * to [generic, generic]
            f(s) constant char * to [constant]
        "#]],
    );
}

#[test]
fn attributes_change_sizes_and_alignments() {
    check(
        "struct __attribute__((packed)) P { char c; int a[3]; };\n\
         struct A { char c; int a[3]; } __attribute__((aligned(16)));\n\
         struct M { char c; int x __attribute__((aligned(8))); };\n\
         void f(void) { struct P p; struct A a; struct M m; int i __attribute__((aligned(32))); \
         int j __attribute__((aligned)); }",
        expect![[r#"
            Variable p in f: private Block size 13 alignment 1 values [] named in []
            Variable a in f: private Block size 16 alignment 16 values [] named in []
            Variable m in f: private Block size ? alignment ? values [] named in []
            Variable i in f: private Block size 4 alignment 32 values [] named in []
            Variable j in f: private Block size 4 alignment ? values [] named in []
        "#]],
    );
}

#[test]
fn numbers_of_initializers_have_their_offsets() {
    check(
        "struct S { char c; int v[2]; };\n\
         constant int t[2][2] = { {1, 2}, {-3} };\n\
         constant struct S s[2] = { {1, {2, 3}}, [1].v[1] = 4 };\n\
         constant ulong big = ~0u; constant uchar narrow = -1; constant float f[] = {1, 2.5f, -3};\n\
         constant int again[2] = {1, 2, [0] = 3};",
        expect![[r#"
            Variable t in -: constant Program size 16 alignment 4 values [0:0x1 4:0x2 8:0xfffffffd] named in []
            Variable s in -: constant Program size 24 alignment 4 values [0:0x1 4:0x2 8:0x3 20:0x4] named in []
            Variable big in -: constant Program size 8 alignment 8 values [0:0xffffffff] named in []
            Variable narrow in -: constant Program size 1 alignment 1 values [0:0xff] named in []
            Variable f in -: constant Program size 12 alignment 4 values [0:0x3f800000 8:0xc0400000] named in []
            Variable again in -: constant Program size 8 alignment 4 values [4:0x2 0:0x3] named in []
        "#]],
    );
}

#[test]
fn a_second_declaration_is_no_second_object() {
    check(
        "extern global int g; global int g = 1; kernel void k(void) { extern global int g; g = 2; }",
        expect![[r#"
            Variable g in -: global Program size 4 alignment 4 values [0:0x1] named in [k]
        "#]],
    );
}

#[test]
fn a_statement_that_a_constant_condition_leaves_out_names_no_object() {
    check(
        "kernel void k(global int *o) { int a, b, c, d, e; if (0) a = *o; else b = *o; while (0) c = *o; for (; 0;) d = *o; if (1) e = *o; else a = *o; }",
        expect![[r#"
            k(o) global int * to [global]
            Variable a in k: private Block size 4 alignment 4 values [] named in []
            Variable b in k: private Block size 4 alignment 4 values [] named in [k]
            Variable c in k: private Block size 4 alignment 4 values [] named in []
            Variable d in k: private Block size 4 alignment 4 values [] named in []
            Variable e in k: private Block size 4 alignment 4 values [] named in [k]
        "#]],
    );
}

#[expect(clippy::needless_pass_by_value, reason = "the macro makes values")]
fn check_accesses(text: &str, expected: Expect) {
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    let report = checker.check("k.cl", text);
    assert_eq!(report.diagnostics, []);
    let mut lines = String::new();
    for function in &checker.objects().functions {
        let accesses = function.accesses.iter();
        let accesses: Vec<String> =
            accesses.map(|access| format!("{:?} {}", access.kind, access.space.name())).collect();
        let (accesses, calls) = (accesses.join(", "), function.calls.join(", "));
        let _ = writeln!(lines, "{}: {accesses}; calls [{calls}]", function.name);
    }
    expected.assert_eq(&lines);
}

#[test]
fn accesses_have_the_space_of_their_expression() {
    check_accesses(
        "void f(int *p, local int *l) { *p += 1; l[0]; }\n\
         void g(global float4 *v, constant int *c) { v->x = sizeof(*c); }\n\
         kernel void k(global int *o, local int *l, constant int *c) {\n\
           f(o, l); f(l, l); (void)c[0]; o[1] = l[1]; global int *q = &o[2]; }\n\
         void h(local int *l) { vload2(0, l); }",
        expect![[r#"
            f: Read private, Write generic, Read generic, Read local; calls []
            g: Read private, Write global, Read global; calls []
            k: Read private, Read constant, Write global, Read local; calls [f]
            h: Read private, Read local, Write local, Read generic, Write generic; calls []
        "#]],
    );
}
