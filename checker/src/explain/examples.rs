//! An example for each rule.

use super::Example;
use crate::{
    dialect::{Dialect, Version},
    rule::Rule,
};

const CL1_0_WITHOUT_BYTES: Dialect = Dialect::new(Version::V1_0).without_features();
const CL1_1: Dialect = Dialect::new(Version::V1_1);
const CL1_2: Dialect = Dialect::new(Version::V1_2);
const CL1_2_WITHOUT_HALF: Dialect = CL1_2.without_features();
const CL3_0: Dialect = Dialect::new(Version::V3_0);

macro_rules! examples {
    ($($rule:ident $dialect:ident $broken:literal $valid:literal)*) => {
        pub(super) const fn of(rule: Rule) -> Example {
            match rule {
                $(Rule::$rule => Example { dialect: $dialect, broken: $broken, valid: $valid },)*
            }
        }
    };
}

examples! {
    QualifierConflicting CL3_0
        "kernel void k(global local int *p) {}"
        "kernel void k(global int *p) {}"
    QualifierReservedName CL3_0
        "void f(void) { int local = 1; }"
        "void f(void) { int local_size = 1; }"
    QualifierGenericSpelled CL1_2
        "void f(generic int *p) {}"
        "void f(global int *p) {}"
    QualifierFunctionType CL3_0
        "typedef int callback(int);\nglobal callback f;"
        "typedef int callback(int);\ncallback f;"
    QualifierArrayBrackets CL3_0
        "kernel void k(void) { int x[const 4]; }"
        "void f(int x[const 4]) {}"
    QualifierRestrict CL3_0
        "void f(int restrict n) {}"
        "void f(global int *restrict p) {}"
    QualifierCompoundLiteral CL3_0
        "kernel void k(global int *out) { *out = (global int){1}; }"
        "kernel void k(global int *out) { *out = (int){1}; }"
    QualifierConstWrite CL3_0
        "kernel void k(global const int *p) { *p = 1; }"
        "kernel void k(global int *p) { *p = 1; }"
    DeclarationProgramScopeSpace CL3_0
        "local int scratch;"
        "global int scratch;"
    DeclarationGlobalUnsupported CL1_2
        "int table[2] = {1, 2};"
        "constant int table[2] = {1, 2};"
    DeclarationLocalNestedScope CL3_0
        "kernel void k(int n) {\n  if (n) {\n    local int shared;\n    shared = n;\n  }\n}"
        "kernel void k(int n) {\n  local int shared;\n  if (n) {\n    shared = n;\n  }\n}"
    DeclarationLocalOutsideKernel CL3_0
        "void f(int n) {\n  local int shared;\n  shared = n;\n}"
        "kernel void f(int n) {\n  local int shared;\n  shared = n;\n}"
    DeclarationConstantNestedScope CL3_0
        "kernel void k(void) {\n  {\n    constant int n = 1;\n  }\n}"
        "kernel void k(void) {\n  constant int n = 1;\n}"
    DeclarationConstantOutsideKernel CL3_0
        "void f(void) { constant int n = 1; }"
        "kernel void f(void) { constant int n = 1; }"
    DeclarationAutomaticGlobal CL3_0
        "kernel void k(void) { global int count; }"
        "kernel void k(void) { static global int count; }"
    DeclarationStaticSpace CL3_0
        "kernel void k(void) { static local int shared; }"
        "kernel void k(void) { local int shared; }"
    DeclarationExternSpace CL3_0
        "kernel void k(void) { extern local int shared; }"
        "kernel void k(void) { extern global int shared; }"
    DeclarationStorageClassVersion CL1_1
        "static constant int n = 1;"
        "constant int n = 1;"
    DeclarationAutoRegister CL3_0
        "void f(void) { register int n = 1; }"
        "void f(void) { int n = 1; }"
    DeclarationStaticKernel CL3_0
        "static kernel void k(void) {}"
        "kernel void k(void) {}"
    DeclarationConflicting CL3_0
        "extern global int n;\nextern constant int n;"
        "extern global int n;\nextern global int n;"
    DeclarationArraySize CL3_0
        "kernel void k(int n) { int a[n]; }"
        "kernel void k(int n) { int a[16]; }"
    InitializerLocal CL3_0
        "kernel void k(void) { local int shared = 1; }"
        "kernel void k(void) {\n  local int shared;\n  shared = 1;\n}"
    InitializerConstantMissing CL3_0
        "constant int n;"
        "constant int n = 1;"
    InitializerNotConstant CL3_0
        "kernel void k(int n) { constant int twice = 2 * n; }"
        "kernel void k(int n) { constant int twice = 2 * 4; }"
    InitializerExternInFunction CL3_0
        "kernel void k(void) { extern global int n = 1; }"
        "kernel void k(void) { extern global int n; }"
    InitializerAtomicMacro CL3_0
        "constant atomic_int n = ATOMIC_VAR_INIT(1);"
        "global atomic_int n = ATOMIC_VAR_INIT(1);"
    ReturnQualified CL3_0
        "global int f(void) { return 1; }"
        "int f(void) { return 1; }"
    ParameterQualified CL3_0
        "void f(local int n) {}"
        "void f(local int *n) {}"
    ParameterKernelPointee CL3_0
        "kernel void k(private int *p) {}"
        "kernel void k(global int *p) {}"
    ParameterKernelPointerToPointer CL1_2
        "kernel void k(global int *global *p) {}"
        "kernel void k(global int *p) {}"
    ParameterKernelType CL3_0
        "kernel void k(bool flag) {}"
        "kernel void k(int flag) {}"
    ParameterVariadic CL3_0
        "void f(int n, ...) {}"
        "void f(int n, int m) {}"
    ConversionImplicit CL1_2
        "kernel void k(global int *p) { local int *q = p; }"
        "kernel void k(global int *p) { global int *q = p; }"
    ConversionCast CL3_0
        "kernel void k(global int *p) { local uint *q = (local uint *)p; }"
        "kernel void k(global int *p) { global uint *q = (global uint *)p; }"
    ConversionNested CL3_0
        "void f(global int *private *p) { local int **q = p; }"
        "void f(global int *private *p) { global int **q = p; }"
    ExpressionCompare CL3_0
        "int f(global int *p, local int *q) { return p == q; }"
        "int f(global int *p, global int *q) { return p == q; }"
    ExpressionSubtract CL3_0
        "int f(global int *p, local int *q) { return p - q; }"
        "int f(global int *p, global int *q) { return p - q; }"
    ExpressionConditional CL1_2
        "int f(global int *p, local int *q, int n) { return *(n ? p : q); }"
        "int f(global int *p, global int *q, int n) { return *(n ? p : q); }"
    ExpressionNested CL3_0
        "int f(int n, global int **p, local int **q) { return (n ? p : q) != 0; }"
        "int f(int n, global int **p, global int **q) { return (n ? p : q) != 0; }"
    ExpressionVectorComponentAddress CL3_0
        "void f(int4 v) { int *p = &v.x; }"
        "void f(int4 v) { int4 *p = &v; }"
    ConstantWrite CL3_0
        "kernel void k(constant int *p) { *p = 1; }"
        "kernel void k(global int *p) { *p = 1; }"
    MemberQualified CL3_0
        "struct node { global int n; };"
        "struct node { global int *n; };"
    TypeImageQualified CL3_0
        "kernel void k(global read_only image2d_t image) {}"
        "kernel void k(read_only image2d_t image) {}"
    TypeImageUse CL3_0
        "struct picture { image2d_t image; };"
        "void f(image2d_t image) {}"
    TypeImageAccess CL3_0
        "void f(image2d_t a, image2d_t b) { a = b; }"
        "int f(image2d_t a) { return get_image_width(a); }"
    TypeSamplerQualified CL3_0
        "kernel void k(void) { local sampler_t s; }"
        "kernel void k(void) { const sampler_t s = CLK_FILTER_NEAREST; }"
    TypeSamplerUse CL3_0
        "struct setup { sampler_t s; };"
        "void f(sampler_t s) {}"
    TypeEventQualified CL3_0
        "kernel void k(void) { local event_t e; }"
        "kernel void k(void) { event_t e; }"
    TypeEventUse CL3_0
        "kernel void k(event_t e) {}"
        "void f(event_t e) {}"
    TypeProgramScope CL3_0
        "clk_event_t e;"
        "kernel void k(void) { clk_event_t e; }"
    TypeHalf CL1_2_WITHOUT_HALF
        "void f(void) { half h; }"
        "void f(global half *h) {}"
    TypePipeUse CL3_0
        "struct plumbing { pipe int p; };"
        "kernel void k(read_only pipe int p) {}"
    TypeBlockPointer CL3_0
        "void f(void) { int (^blocks[2])(int); }"
        "void f(void) { int (^const block)(int) = ^(int n) { return n; }; }"
    TypeFunctionPointer CL3_0
        "void f(void) { int (*p)(int); }"
        "void f(void) { int *p; }"
    TypeByteStore CL1_0_WITHOUT_BYTES
        "kernel void k(global char *p) { *p = 1; }"
        "kernel void k(global int *p) { *p = 1; }"
    BuiltinArgument CL3_0
        "kernel void k(constant float *p) { vstore4((float4)(0.0f), 0, p); }"
        "kernel void k(global float *p) { vstore4((float4)(0.0f), 0, p); }"
    BuiltinUnavailable CL1_2
        "kernel void k(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }"
        "kernel void k(void) { barrier(CLK_LOCAL_MEM_FENCE); }"
    BlockEnqueueParameter CL3_0
        "kernel void k(queue_t q) {\n  enqueue_kernel(q, 0, ndrange_1D(1), ^(global void *p) {}, 4);\n}"
        "kernel void k(queue_t q) {\n  enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) {}, 4);\n}"
    BlockCaptureWrite CL3_0
        "void f(void) {\n  int n = 0;\n  void (^const block)(void) = ^{ n = 1; };\n}"
        "void f(void) {\n  int n = 0;\n  void (^const block)(void) = ^{ int m = n; };\n}"
    BlockInitializer CL3_0
        "void f(void) { int (^block)(void); }"
        "void f(void) { int (^block)(void) = ^{ return 1; }; }"
    BlockTypeMismatch CL3_0
        "void f(void) { int (^const block)(global int *) = ^(local int *p) { return *p; }; }"
        "void f(void) { int (^const block)(local int *) = ^(local int *p) { return *p; }; }"
    KernelMain CL3_0
        "void main(void) {}"
        "void start(void) {}"
    KernelReturnType CL3_0
        "kernel int k(void) { return 1; }"
        "kernel void k(void) {}"
    CCaseTwice CL3_0
        "void f(int i) { switch (i) { case 1: break; case 1: break; } }"
        "void f(int i) { switch (i) { case 1: break; case 2: break; } }"
    CCaseOutside CL3_0
        "void f(int i) { case 1: i = 2; }"
        "void f(int i) { switch (i) { case 1: i = 2; } }"
    CCaseConstant CL3_0
        "void f(int i, int n) { switch (i) { case n: break; } }"
        "enum { n = 3 };\nvoid f(int i) { switch (i) { case n: break; } }"
    CJumpOutside CL3_0
        "void f(int i) { if (i) break; }"
        "void f(int i) { while (i) break; }"
    CLabelMissing CL3_0
        "void f(void) { goto end; }"
        "void f(void) { goto end; end: return; }"
    CLabelTwice CL3_0
        "void f(int i) { again: i++; again: i--; }"
        "void f(int i) { again: i++; once_more: i--; }"
    CCondition CL3_0
        "void f(float4 v) { if (v) v = 0; }"
        "void f(float4 v) { if (v.x) v = 0; }"
    CReturnValue CL3_0
        "int f(void) { return; }"
        "int f(void) { return 1; }"
    COperands CL3_0
        "int f(float x) { return x % 2; }"
        "int f(int x) { return x % 2; }"
    CVectorOperands CL3_0
        "float4 f(float4 a, float2 b) { return a + b; }"
        "float4 f(float4 a, float2 b) { return a + b.xyxy; }"
    CVectorLiteral CL3_0
        "float4 f(void) { return (float4)(1.0f, 2.0f); }"
        "float4 f(void) { return (float4)(1.0f, 2.0f, 0.0f, 0.0f); }"
    CVectorComponents CL3_0
        "float f(float2 v) { return v.z; }"
        "float f(float3 v) { return v.z; }"
    CMember CL3_0
        "struct point { int x, y; };\nint f(struct point p) { return p.z; }"
        "struct point { int x, y; };\nint f(struct point p) { return p.y; }"
    CSubscript CL3_0
        "int f(global int *p, float i) { return p[i]; }"
        "int f(global int *p, float i) { return p[(int)i]; }"
    CIndirection CL3_0
        "int f(int x) { return *x; }"
        "int f(private int *x) { return *x; }"
    CAddress CL3_0
        "private int *f(int x) { return &(x + 1); }"
        "private int *f(private int *x) { return &x[1]; }"
    CAssignable CL3_0
        "void f(int x) { x + 1 = 2; }"
        "void f(int x) { x = 2; }"
    CAssignment CL3_0
        "float4 f(int4 v) { return v; }"
        "float4 f(int4 v) { return convert_float4(v); }"
    CCast CL3_0
        "float4 f(int4 v) { return (float4)v; }"
        "float4 f(int4 v) { return convert_float4(v); }"
    CArgumentCount CL3_0
        "int add(int a, int b) { return a + b; }\nint f(void) { return add(1); }"
        "int add(int a, int b) { return a + b; }\nint f(void) { return add(1, 2); }"
    CCallee CL3_0
        "int f(int x) { return x(1); }"
        "int x(int);\nint f(void) { return x(1); }"
    CUndeclaredFunction CL3_0
        "float f(float x) { return square(x); }"
        "float square(float x) { return x * x; }\nfloat f(float x) { return square(x); }"
    CDeclaredTwice CL3_0
        "void f(int a, int a) {}"
        "void f(int a, int b) {}"
    CDefinedTwice CL3_0
        "kernel void k(void) {}\nkernel void k(void) {}"
        "kernel void k(void);\nkernel void k(void) {}"
    COtherType CL3_0
        "int f(int);\nint f(float);"
        "int f(int);\nint f(int);"
    CIncompleteType CL3_0
        "struct point;\nvoid f(void) { struct point p; }"
        "struct point { int x; };\nvoid f(void) { struct point p; }"
    CBlock CL1_2
        "void f(void) { void (^b)(void) = ^{}; b(); }"
        "void b(void) {}\nvoid f(void) { b(); }"
    CRecursion CL3_0
        "int f(int n) { return n ? n * f(n - 1) : 1; }"
        "int f(int n) { int r = 1; while (n) r *= n--; return r; }"
}
