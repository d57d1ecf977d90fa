//! Edits that are texts: declarations and statements of their own, put among others.

use expectations::{
    dialect::{Dialect, Version},
    requirement::Requirement::{self, DeviceEnqueue, Images, Pipes},
};

use super::{Edit, Make, Where};
use Where::{Function, Helper, Kernel, Nested, Program};

const fn always(_: Dialect) -> bool {
    true
}

fn since_1_1(dialect: Dialect) -> bool {
    dialect.version >= Version::V1_1
}

fn since_1_2(dialect: Dialect) -> bool {
    dialect.version >= Version::V1_2
}

fn before_1_1(dialect: Dialect) -> bool {
    !since_1_1(dialect)
}

fn before_1_2(dialect: Dialect) -> bool {
    !since_1_2(dialect)
}

fn since_2_0(dialect: Dialect) -> bool {
    dialect.version >= Version::V2_0
}

fn before_2_0(dialect: Dialect) -> bool {
    !since_2_0(dialect)
}

fn globals(dialect: Dialect) -> bool {
    dialect.program_scope_globals
}

fn no_globals(dialect: Dialect) -> bool {
    !dialect.program_scope_globals
}

fn no_globals_since_1_2(dialect: Dialect) -> bool {
    no_globals(dialect) && since_1_2(dialect)
}

fn no_globals_since_2_0(dialect: Dialect) -> bool {
    no_globals(dialect) && since_2_0(dialect)
}

fn no_generic(dialect: Dialect) -> bool {
    !dialect.generic
}

const fn edit(
    breaks: &'static str,
    place: Where,
    when: fn(Dialect) -> bool,
    control: &'static str,
    edited: &'static str,
) -> Edit {
    Edit { breaks, place, when, needs: &[], make: Make::Text { control, edited } }
}

const fn needing(
    needs: &'static [Requirement],
    breaks: &'static str,
    place: Where,
    control: &'static str,
    edited: &'static str,
) -> Edit {
    Edit { breaks, place, when: always, needs, make: Make::Text { control, edited } }
}

/// Control and edited text of each, see [`super::substitution`]; `@` marks the guilty line if it is not the first.
#[rustfmt::skip]
pub(super) const EDITS: &[Edit] = &[
    edit("qualifier/conflicting", Function, always, "%S %T *%n = 0;", "%S %X %T *%n = 0;"),
    edit("qualifier/conflicting", Function, always, "%S %T *%n = 0;", "%S %T %X *%n = 0;"),
    edit("qualifier/conflicting", Program, always, "typedef %S %T %N;\ntypedef %N *%M;", "typedef %S %T %N;\ntypedef %X %N *%M;@"),
    edit("qualifier/conflicting", Program, always, "int %N(%S %T *%n);", "int %N(%S %X %T *%n);"),
    edit("qualifier/reserved-name", Function, always, "int %n = 1;", "int %R = 1;"),
    edit("qualifier/reserved-name", Program, always, "struct %N { int %n; };", "struct %N { int %n, %R; };"),
    edit("qualifier/reserved-name", Program, always, "int %N(int %n) { return %n; }", "int %N(int %R) { return %R; }"),
    edit("qualifier/generic-spelled", Function, always, "private int %n;", "generic int %n;"),
    edit("qualifier/generic-spelled", Function, always, "__private %T %n;", "__generic %T %n;"),
    edit("qualifier/function-type", Program, always, "typedef %V %N(int);\n%N %M;", "typedef %V %N(int);\n%S %N %M;@"),
    edit("qualifier/restrict", Function, always, "%S %V *restrict %n = 0;", "%S %V restrict *%n = 0;"),
    edit("qualifier/restrict", Program, always, "int %N(%S %V *restrict %n);", "int %N(%S %V restrict *%n);"),
    edit("qualifier/compound-literal", Function, always, "int %n = (int){ %i };", "int %n = (%Y int){ %i };"),
    edit("qualifier/compound-literal", Function, always, "int %n = ((int[2]){ 1, 2 })[1];", "int %n = ((%Y int[2]){ 1, 2 })[1];"),

    edit("declaration/program-scope-space", Program, always, "constant %T %N = %k;", "private %T %N = %k;"),
    edit("declaration/program-scope-space", Program, always, "constant %T %N = %k;", "local %T %N;"),
    edit("declaration/program-scope-space", Program, since_1_2, "static constant %T %N = %k;", "static private %T %N = %k;"),
    edit("declaration/program-scope-space", Program, always, "%S int *constant %N = 0;", "%S int *private %N = 0;"),
    edit("declaration/global-unsupported", Program, no_globals, "constant %T %N = %k;", "global %T %N = %k;"),
    edit("declaration/global-unsupported", Program, no_globals, "constant %T %N = %k;", "%T %N = %k;"),
    edit("declaration/global-unsupported", Program, no_globals, "constant %T %N = %k;", "const %T %N = %k;"),
    edit("declaration/global-unsupported", Program, no_globals_since_1_2, "static constant %T %N = %k;", "static %T %N = %k;"),
    edit("declaration/global-unsupported", Function, no_globals_since_2_0, "static constant %T %n = %k;", "static %T %n = %k;"),
    edit("declaration/global-unsupported", Function, no_globals_since_2_0, "static constant %T %n = %k;", "static global %T %n = %k;"),
    edit("declaration/local-nested-scope", Nested, always, "private %T %n;", "local %T %n;"),
    edit("declaration/local-nested-scope", Nested, always, "%T %n[2];", "local %T %n[2];"),
    edit("declaration/local-outside-kernel", Helper, always, "%T %n;", "local %T %n;"),
    edit("declaration/local-outside-kernel", Helper, always, "%S %T *%n;", "%S %T *local %n;"),
    edit("declaration/constant-nested-scope", Nested, always, "%T %n = %k;", "constant %T %n = %k;"),
    edit("declaration/constant-outside-kernel", Helper, always, "%T %n = %k;", "constant %T %n = %k;"),
    edit("declaration/automatic-global", Function, always, "%T %n;", "global %T %n;"),
    edit("declaration/automatic-global", Function, always, "%S %T *%n;", "%S %T *global %n;"),
    edit("declaration/static-space", Function, since_1_2, "private %T %n;", "static private %T %n;"),
    edit("declaration/static-space", Kernel, since_1_2, "local %T %n;", "static local %T %n;"),
    edit("declaration/extern-space", Function, since_1_2, "private %T %N;", "extern private %T %N;"),
    edit("declaration/extern-space", Kernel, since_1_2, "local %T %N;", "extern local %T %N;"),
    edit("declaration/storage-class-version", Program, before_1_2, "constant %T %N = %k;", "static constant %T %N = %k;"),
    edit("declaration/storage-class-version", Program, before_1_2, "%V %N(int %n);", "static %V %N(int %n);"),
    edit("declaration/storage-class-version", Program, before_1_2, "%V %N(int %n);", "extern %V %N(int %n);"),
    edit("declaration/auto-register", Function, always, "%T %n;", "auto %T %n;"),
    edit("declaration/auto-register", Function, always, "%S %T *%n = 0;", "register %S %T *%n = 0;"),
    edit("declaration/static-kernel", Program, since_1_2, "kernel void %N(global int *%n) { }", "static kernel void %N(global int *%n) { }"),
    edit("declaration/conflicting", Program, always, "int %N(%S %T *%n);\nint %N(%S %T *%n) { return 0; }", "int %N(%S %T *%n);\nint %N(%X %T *%n) { return 0; }@"),
    edit("declaration/conflicting", Program, always, "%S %T *%N(int %n);\n%S %T *%N(int %n) { return 0; }", "%S %T *%N(int %n);\n%X %T *%N(int %n) { return 0; }@"),
    edit("declaration/conflicting", Program, since_1_2, "extern %S %T *constant %N;\n%S %T *constant %N = 0;", "extern %S %T *constant %N;\n%X %T *constant %N = 0;@"),
    edit("declaration/array-size", Function, always, "int %n[4];", "int %n[get_local_size(0)];"),
    edit("declaration/array-size", Function, always, "int %m = 2;\n%T %n[2];", "int %m = 2;\n%T %n[%m];@"),
    edit("declaration/array-size", Kernel, always, "local %T %n[4];", "local %T %n[];"),
    edit("qualifier/array-brackets", Function, always, "%T %n[4];", "%T %n[const 4];"),
    edit("qualifier/array-brackets", Kernel, always, "local %T %n[4];", "local %T %n[restrict 4];"),
    edit("qualifier/array-brackets", Program, always, "int %N(%S %T (*%n)[4]);", "int %N(%S %T (*%n)[volatile 4]);"),

    edit("initializer/local", Kernel, always, "local %T %n;", "local %T %n = %k;"),
    edit("initializer/local", Kernel, always, "local %V %n[2];", "local %V %n[2] = { 0 };"),
    edit("initializer/local", Kernel, always, "%S %T *local %n;", "%S %T *local %n = 0;"),
    edit("initializer/constant-missing", Program, always, "constant %T %N = %k;", "constant %T %N;"),
    edit("initializer/constant-missing", Kernel, always, "constant %T %n = %k;", "constant %T %n;"),
    edit("initializer/constant-missing", Function, since_2_0, "static constant %T %n = %k;", "static constant %T %n;"),
    edit("initializer/not-constant", Kernel, always, "constant int %n = 1;", "constant int %n = (int)get_global_id(0);"),
    edit("initializer/not-constant", Kernel, always, "int %m = 2;\nconstant int %n[2] = { 1, 2 };", "int %m = 2;\nconstant int %n[2] = { 1, %m };@"),
    edit("initializer/not-constant", Function, since_2_0, "static constant int %n = 1;", "static constant int %n = (int)get_local_id(0);"),
    edit("initializer/not-constant", Program, globals, "global int %N = 1;", "global int %N = (int)get_global_id(0);"),
    edit("initializer/extern-in-function", Function, since_2_0, "extern constant %T %N;", "extern constant %T %N = %k;"),
    edit("initializer/atomic-macro", Program, globals, "global atomic_int %N = ATOMIC_VAR_INIT(1);", "constant atomic_int %N = ATOMIC_VAR_INIT(1);"),
    edit("initializer/atomic-macro", Program, no_globals_since_2_0, "constant int %N = 1;", "constant atomic_int %N = ATOMIC_VAR_INIT(1);"),

    edit("return/qualified", Program, always, "%T %N(void);", "%S %T %N(void);"),
    edit("return/qualified", Program, always, "%S int *%N(%S int *%n) { return %n; }", "%S int *%X %N(%S int *%n) { return %n; }"),
    edit("parameter/qualified", Program, always, "int %N(%T %n);", "int %N(%Z %T %n);"),
    edit("parameter/qualified", Program, always, "int %N(%S %T *%n) { return 0; }", "int %N(%S %T *%Z %n) { return 0; }"),
    edit("parameter/kernel-pointee", Program, always, "kernel void %N(%Z %P *%n) { }", "kernel void %N(private %P *%n) { }"),
    edit("parameter/kernel-pointee", Program, always, "kernel void %N(%Z %P *%n) { }", "kernel void %N(%P *%n) { }"),
    edit("parameter/kernel-pointee", Program, always, "kernel void %N(%Z %P %n[4]) { }", "kernel void %N(%P %n[4]) { }"),
    edit("parameter/kernel-pointer-to-pointer", Program, before_2_0, "kernel void %N(%Z %P *%n) { }", "kernel void %N(%Y %P *%Z *%n) { }"),
    edit("parameter/kernel-type", Program, always, "kernel void %N(int %n) { }", "kernel void %N(bool %n) { }"),
    edit("parameter/kernel-type", Program, always, "kernel void %N(ulong %n) { }", "kernel void %N(size_t %n) { }"),
    edit("parameter/kernel-type", Program, always, "kernel void %N(global int *%m, long %n) { }", "kernel void %N(global int *%m, ptrdiff_t %n) { }"),
    edit("parameter/kernel-type", Program, always, "struct %M { int %m; ulong %n; };\nkernel void %N(struct %M %n) { }", "struct %M { int %m; uintptr_t %n; };\nkernel void %N(struct %M %n) { }@"),
    edit("parameter/variadic", Program, always, "int %N(%S %T *%n);", "int %N(%S %T *%n, ...);"),

    edit("expression/vector-component-address", Function, always, "%S float4 *%n = 0;\n%S float *%m = (%S float *)&%n[1];", "%S float4 *%n = 0;\n%S float *%m = &%n->y;@"),
    edit("expression/vector-component-address", Function, always, "private float4 %n = (float4)(%i);\n(void)&%n;", "private float4 %n = (float4)(%i);\n(void)&%n.x;@"),
    edit("member/qualified", Program, always, "struct %N { %T %m; };", "struct %N { %S %T %m; };"),
    edit("member/qualified", Program, always, "union %N { %S %T *%m; };", "union %N { %S %T *%X %m; };"),
    edit("member/qualified", Function, always, "struct { int %n; %T %m; } %N;", "struct { int %n; %S %T %m; } %N;"),

    needing(&[Images], "type/image-qualified", Program, "int %N(read_only image2d_t %n);", "int %N(%Z read_only image2d_t %n);"),
    needing(&[Images], "type/image-qualified", Program, "kernel void %N(write_only image2d_t %n) { }", "kernel void %N(%Z write_only image2d_t %n) { }"),
    needing(&[Images], "type/image-use", Program, "void %N(image2d_t %n);", "void %N(image2d_t *%n);"),
    needing(&[Images], "type/image-use", Program, "struct %N { int %m; };", "struct %N { int %m; image3d_t %n; };"),
    needing(&[Images], "type/image-use", Function, "int %n;", "image2d_t %n;"),
    needing(&[Images], "type/image-access", Program, "void %N(image2d_t %n, image2d_t %m) {\n  get_image_width(%n);\n}", "void %N(image2d_t %n, image2d_t %m) {\n  %n = %m;@\n}"),
    needing(&[Images], "type/image-access", Program, "int %N(image3d_t %n) {\n  return get_image_depth(%n);\n}", "int %N(image3d_t %n) {\n  return %n[0];@\n}"),
    needing(&[Images], "type/sampler-qualified", Kernel, "const sampler_t %n = %L;", "local sampler_t %n;"),
    Edit { when: globals, ..needing(&[Images], "type/sampler-qualified", Program, "constant sampler_t %N = %L;", "global sampler_t %N = %L;") },
    needing(&[Images], "type/sampler-use", Program, "void %N(sampler_t %n);", "void %N(sampler_t *%n);"),
    needing(&[Images], "type/sampler-use", Program, "struct %N { int %m; };", "struct %N { int %m; sampler_t %n; };"),
    needing(&[Images], "type/sampler-use", Program, "void %N(sampler_t %n, sampler_t %m) { }", "void %N(sampler_t %n, sampler_t %m) { %n = %m; }"),
    edit("type/event-qualified", Kernel, always, "event_t %n;", "local event_t %n;"),
    edit("type/event-qualified", Kernel, always, "event_t %n;", "constant event_t %n = 0;"),
    edit("type/event-use", Program, always, "struct %N { int %m; };", "struct %N { int %m; event_t %n; };"),
    edit("type/event-use", Program, always, "kernel void %N(int %n) { }", "kernel void %N(event_t %n) { }"),
    edit("type/event-use", Program, globals, "global int %N;", "global event_t %N;"),
    needing(&[DeviceEnqueue], "type/program-scope", Program, "global int %N;", "global queue_t %N;"),
    needing(&[DeviceEnqueue], "type/program-scope", Program, "%V %N;", "ndrange_t %N;"),
    needing(&[DeviceEnqueue], "type/program-scope", Program, "static %V %N[2];", "static clk_event_t %N[2];"),
    edit("type/half", Function, always, "%Z half *%n = 0;", "half %n;"),
    edit("type/half", Program, always, "float %N(%Z half *%n) {\n  return vload_half(0, %n);\n}", "float %N(%Z half *%n) {\n  return *%n;@\n}"),
    needing(&[Pipes], "type/pipe-use", Program, "void %N(read_only pipe %P %n);", "void %N(read_only pipe %P *%n);"),
    needing(&[Pipes], "type/pipe-use", Program, "struct %N { int %m; };", "struct %N { int %m; pipe int %n; };"),
    needing(&[DeviceEnqueue], "type/block-pointer", Function, "int (^%n)(int) = ^(int %m) { return %m; };", "int (^*%n)(int);"),
    needing(&[DeviceEnqueue], "type/block-pointer", Function, "void (^%n)(%S %T *) = ^(%S %T *%m) { };", "void (^%n[2])(%S %T *);"),
    edit("type/function-pointer", Function, always, "%S %V *%n = 0;", "int (*%n)(%S %V *);"),
    edit("type/function-pointer", Program, always, "typedef int %N(%S %V *);", "typedef int (*%N)(%S %V *);"),
    edit("type/function-pointer", Program, always, "struct %N { %S %V *%m; };", "struct %N { int (*%m)(%S %V *); };"),
    edit("type/byte-store", Function, before_1_1, "%W char *%n = 0;\nint %m = %n[1];", "%W char *%n = 0;\n%n[1] = 2;@"),
    edit("type/byte-store", Program, before_1_1, "void %N(%W int *%n) {\n  *%n = 1;\n}", "void %N(%W short *%n) {\n  *%n = 1;@\n}"),

    edit("builtin/unavailable", Function, before_2_0, "mem_fence(CLK_LOCAL_MEM_FENCE);", "work_group_barrier(CLK_LOCAL_MEM_FENCE);"),
    edit("builtin/unavailable", Function, before_1_1, "%Z int *%n = 0;\nint %m = vload2(0, %n).x;", "global int *%n = 0;\nint %m = atomic_add(%n, 1);@"),
    edit("builtin/unavailable", Function, no_generic, "%W int *%n = 0;\nint %m = %n != 0;", "%W int *%n = 0;\nint %m = to_global(%n) != 0;@"),
    needing(&[DeviceEnqueue], "block/enqueue-parameter", Program,
        "kernel void %N(queue_t %n, global uint *%m) {\n  %m[0] = enqueue_kernel(%n, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^(local void *a) { }, 4u);\n}",
        "kernel void %N(queue_t %n, global uint *%m) {\n  %m[0] = enqueue_kernel(%n, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^(%Y void *a) { }, 4u);@\n}"),
    needing(&[DeviceEnqueue], "block/capture-write", Function, "int %n = %i;\nint (^%m)(int) = ^(int a) {\n  return a + %n;\n};", "int %n = %i;\nint (^%m)(int) = ^(int a) {\n  return a + %n++;@\n};"),
    needing(&[DeviceEnqueue], "block/initializer", Function, "int (^%n)(void) = ^{ return 1; };", "int (^%n)(void);"),
    needing(&[DeviceEnqueue], "block/initializer", Function, "int (^%n)(%S int *) = ^(%S int *a) { return 1; };\nint %m = %n(0);", "int (^%n)(%S int *) = ^(%S int *a) { return 1; };\n%n = ^(%S int *a) { return 2; };@"),
    needing(&[DeviceEnqueue], "block/type-mismatch", Function, "void (^%n)(%S %T *) = ^(%S %T *%m) { };", "void (^%n)(%S %T *) = ^(%X %T *%m) { };"),
    edit("kernel/main", Program, always, "kernel void %N(global int *%n) { }", "kernel void main(global int *%n) { }"),
    edit("kernel/return-type", Program, always, "kernel void %N(global %P *%n) { }", "kernel int %N(global %P *%n) {\n  return 0;\n}"),
];
