//# all | two cases of one value
kernel void k(global int *o) { switch (o[0]) { case 1: break; case 1: break; } }
//                                                                 ^ c/case-twice
//# all | two cases of one value, written differently
enum { one = 1 };
kernel void k(global int *o) { switch (o[0]) { case 'a': break; case one + 96: break; } }
//                                                                   ^^^^^^^^ c/case-twice
//# all | a range and a value within it
kernel void k(global int *o) { switch (o[0]) { case 1 ... 5: break; case 3: break; } }
//                                                                       ^ c/case-twice
//# all | two values that the type of the switch makes one
kernel void k(global uint *o) { switch (o[0]) { case -1: break; case 0xffffffff: break; } }
//                                                                   ^^^^^^^^^^ c/case-twice
//# all | cases of switches within each other are apart
kernel void k(global int *o) { switch (o[0]) { case 1: switch (o[1]) { case 1: default: break; } default: break; } }
//# all | two defaults
kernel void k(global int *o) { switch (o[0]) { default: break; case 1: default: break; } }
//                                                                     ^^^^^^^ c/case-twice
//# all | case without switch
kernel void k(global int *o) { while (o[0]) { case 1: o[0] = 0; } }
//                                            ^^^^ c/case-outside
//# all | default without switch
kernel void k(global int *o) { default: o[0] = 0; }
//                             ^^^^^^^ c/case-outside
//# all | a case that is no constant
kernel void k(global int *o, int n) { switch (o[0]) { case n: break; } }
//                                                         ^ c/case-constant
//# all | a case with a fraction
kernel void k(global int *o) { switch (o[0]) { case 1.5f: break; } }
//                                                  ^^^^ c/case-constant
//# all | switch on a float
kernel void k(global float *o) { switch (o[0]) { case 1: break; } }
//                                       ^^^^ c/condition
//# all | break outside of loops
kernel void k(global int *o) { if (o[0]) break; }
//                                       ^^^^^ c/jump-outside
//# all | continue in a switch
kernel void k(global int *o) { switch (o[0]) { case 1: continue; } }
//                                                     ^^^^^^^^ c/jump-outside
//# all | continue in a switch in a loop
kernel void k(global int *o) { for (;;) { switch (o[0]) { case 1: continue; default: break; } break; } }
//# all | goto to no label
kernel void k(global int *o) { goto out; }
//                                  ^^^ c/label-missing
//# all | goto to a label of another function
void f(void) { out: return; }
kernel void k(global int *o) { goto out; }
//                                  ^^^ c/label-missing
//# all | goto forward and back
kernel void k(global int *o) { again: if (o[0]) goto out; o[0] = 1; goto again; out: return; }
//# all | a label twice
kernel void k(global int *o) { a: o[0] = 1; a: o[1] = 1; }
//                                          ^ c/label-twice
//# all | if on a vector
kernel void k(global int4 *o) { if (o[0]) o[0] = 1; }
//                                  ^^^^ c/condition
//# all | while on a structure
struct s { int x; };
kernel void k(global struct s *o) { while (o[0]) o[0].x = 1; }
//                                         ^^^^ c/condition
//# all | a value from a void function
void f(int x) { return x; }
//              ^^^^^^ c/return-value
//# all | no value from a function
int f(int x) { return; }
//             ^^^^^^ c/return-value
//# all | & on a float
kernel void k(global float *o) { o[0] = o[1] & 1; }
//                                           ^ c/operands
//# all | | and ^ on vectors of floats
kernel void k(global float4 *o) { o[0] = o[1] | o[2]; o[0] = o[1] ^ o[2]; }
//                                            ^ c/operands
//                                                                ^ c/operands
//# all | % on floats
kernel void k(global float *o) { o[0] = o[1] % 2.0f; }
//                                           ^ c/operands
//# all | %= on a float
kernel void k(global float *o) { o[0] %= 2; }
//                               ^^^^^^^^^ c/operands
//# all | ~ on a float
kernel void k(global float *o) { o[0] = ~o[1]; }
//                                      ^^^^^ c/operands
//# all | shift of a float, shift by a float
kernel void k(global int *o, float x) { o[0] = x << 1; o[1] = o[0] >> x; }
//                                               ^^ c/operands
//                                                                 ^^ c/operands
//# all | shift of a scalar by a vector
kernel void k(global int *o, int2 v) { o[0] = (1 << v).x; }
//                                               ^^ c/operands
//# all | shift of a vector by a scalar and by a vector of another sign
kernel void k(global int2 *o, uint2 v) { o[0] = o[1] << 1; o[0] = o[1] >> v; }
//# all | - on a pointer, - on a structure
struct s { int x; };
kernel void k(global int *o, struct s s) { o[0] = (int)-o; o[1] = -s; }
//                                                     ^^ c/operands
//                                                                ^^ c/operands
//# all | + on structures
struct s { int x; };
kernel void k(struct s a) { struct s b = a + a; }
//                                         ^ c/operands
//# all | + on pointers
kernel void k(global int *o) { o = o + o; }
//                                   ^ c/operands
//# all | a pointer times 2
kernel void k(global int *o) { o = o * 2; }
//                                   ^ c/operands
//# all | a pointer plus a fraction
kernel void k(global int *o) { o = o + 1.5f; }
//                                   ^ c/operands
//# all | && on a structure
struct s { int x; };
kernel void k(global int *o, struct s s) { o[0] = s && 1; }
//                                                  ^^ c/operands
//# all | a choice between a structure and a number
struct s { int x; };
kernel void k(global int *o, struct s s) { o[0] ? s : 1; }
//                                         ^^^^^^^^^^^^ c/operands
//# all | vectors of unlike length
kernel void k(global float4 *o, float2 b) { o[0] = o[1] + b; }
//                                                      ^ c/vector-operands
//# all | vectors of unlike elements
kernel void k(global float4 *o, int4 b) { o[0] = o[1] * b; }
//                                                    ^ c/vector-operands
//# all | vectors of unlike length compared
kernel void k(global int4 *o, float4 a, float2 b) { o[0] = a < b; }
//                                                           ^ c/vector-operands
//# all | a choice by a vector of another length
kernel void k(global float4 *o, int2 c) { o[0] = c ? o[1] : o[2]; }
//                                               ^^^^^^^^^^^^^^^ c/vector-operands
//# all | too few components
kernel void k(global float4 *o) { o[0] = (float4)(1.0f, 2.0f, 3.0f); }
//                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^ c/vector-literal
//# all | too many components
kernel void k(global float4 *o) { o[0] = (float4)(o[1], 1.0f); }
//                                       ^^^^^^^^^^^^^^^^^^^^ c/vector-literal
//# all | one vector of another length
kernel void k(global float4 *o, float2 v) { o[0] = (float4)(v); }
//                                                 ^^^^^^^^^^^ c/vector-literal
//# all | literals that are right
kernel void k(global float4 *o, float2 v) { o[0] = (float4)(v, v); o[1] = (float4)(1.0f); o[2] = (float4)(1, v, 2); }
//# all | a component that is not there
kernel void k(global float *o, float2 v) { o[0] = v.z; }
//                                                  ^ c/vector-components
//# all | a numbered component that is not there
kernel void k(global float *o, float4 v) { o[0] = v.s4; }
//                                                  ^^ c/vector-components
//# all | five components
kernel void k(global float *o, float8 v) { o[0] = v.s01234.s0; }
//                                                  ^^^^^^ c/vector-components
//# all | two sets of component names at once
kernel void k(global float2 *o, float4 v) { o[0] = v.xs1; }
//                                                   ^^^ c/vector-components
//# all | a component written twice at once
kernel void k(global float4 *o) { o[0].xx = (float2)(1.0f, 2.0f); }
//                                ^^^^^^^ c/assignable
//# all | components read twice
kernel void k(global float4 *o) { o[0] = o[1].xxyy; }
//# all | a member that is not there
struct s { int x; };
kernel void k(global int *o, struct s s) { o[0] = s.y; }
//                                                  ^ c/member
//# all | . on a pointer
struct s { int x; };
kernel void k(global struct s *o) { o.x = 1; }
//                                    ^ c/member
//# all | a member of a number
kernel void k(global int *o) { o[0] = o[1].x; }
//                                         ^ c/member
//# all | a subscript with a fraction
kernel void k(global int *o) { o[1.5f] = 1; }
//                               ^^^^ c/subscript
//# all | a subscript on a number
kernel void k(global int *o, int n) { o[0] = n[1]; }
//                                           ^^^^ c/subscript
//# all | * on an integer
kernel void k(global int *o, int n) { o[0] = *n; }
//                                           ^^ c/indirection
//# all | -> on a structure
struct s { int x; };
kernel void k(global int *o, struct s s) { o[0] = s->x; }
//                                                ^ c/indirection
//# all | & on a value
kernel void k(global int *o, int n) { private int *p = &(n + 1); }
//                                                     ^^^^^^^^ c/address
//# all | a sum is assigned to
kernel void k(global int *o) { o[0] + 1 = 2; }
//                             ^^^^^^^^ c/assignable
//# all | an array is assigned to
kernel void k(global int *o) { int a[2], b[2]; a = b; }
//                                             ^ c/assignable
//# all | a literal is incremented
kernel void k(global int *o) { o[0] = 1++; }
//                                    ^ c/assignable
//# all | assignment between different structures
struct s { int x; };
struct t { int x; };
kernel void k(global struct s *o, global struct t *p) { o[0] = p[0]; }
//                                                             ^^^^ c/assignment
//# all | a structure initialized by a number, a number by a structure
struct s { int x; };
kernel void k(global struct s *o) { struct s s = 1; int n = o[0]; }
//                                               ^ c/assignment
//                                                          ^^^^ c/assignment
//# all | a vector of another length is assigned
kernel void k(global float4 *o, float2 v) { o[0] = v; }
//                                                 ^ c/assignment
//# all | a vector of other elements is passed
void f(float4 v) {}
kernel void k(int4 v) { f(v); }
//                        ^ c/assignment
//# all | a vector is returned as a number
float f(float4 v) { return v; }
//                         ^ c/assignment
//# all | a pointer becomes a floating number, a floating number a pointer
kernel void k(global int *o) { float n = o; o = 1.5f; n += o; }
//                                       ^ c/assignment
//                                              ^^^^ c/assignment
//                                                    ^^^^^^ c/operands
//# all | the value of a void function
void f(void) {}
kernel void k(global int *o) { o[0] = f(); }
//                                    ^^^ c/assignment
//# all | a vector is cast to another
kernel void k(global uint4 *o, int4 v) { o[0] = (uint4)v; }
//                                              ^^^^^^^^ c/cast
//# all | a vector is cast to a number
kernel void k(global float *o, float4 v) { o[0] = (float)v; }
//                                                ^^^^^^^^ c/cast
//# all | a structure is cast, a pointer is cast to a float
struct s { int x; };
kernel void k(global int *o, struct s s) { o[0] = (int)s; o[1] = (float)o; }
//                                                ^^^^^^ c/cast
//                                                               ^^^^^^^^ c/cast
//# all | too few arguments
int add(int a, int b) { return a + b; }
kernel void k(global int *o) { o[0] = add(1); }
//                                    ^^^^^^ c/argument-count
//# all | too many arguments
int zero(void) { return 0; }
kernel void k(global int *o) { o[0] = zero(1); }
//                                    ^^^^^^^ c/argument-count
//# all | too few arguments of a built-in function
kernel void k(global float *o) { o[0] = clamp(o[1], 0.0f); }
//                                      ^^^^^ c/argument-count
//# all | too many arguments of a built-in function
kernel void k(global float *o) { o[0] = sqrt(o[1], 0.0f); }
//                                      ^^^^ c/argument-count
//# all | a number is called
kernel void k(global int *o, int n) { o[0] = n(1); }
//                                           ^ c/callee
//# all | a function without a declaration
kernel void k(global float *o) { o[0] = sqroot(o[1]); }
//                                      ^^^^^^ c/undeclared-function
//# all | a function that is declared too late
kernel void k(global int *o) { o[0] = one(); }
//                                    ^^^ c/undeclared-function
int one(void) { return 1; }
//# all | a vendor's function
kernel void k(global uint *o) { o[0] = amd_future_function(o[1]); o[1] = __builtin_future(o[0]); }
//# all | a parameter twice
void f(int a, float a) {}
//                  ^ c/declared-twice
//# all | a member twice
struct s { int x; float x; };
//                      ^ c/declared-twice
//# all | a member twice, once without a name around it
struct s { int x; union { float x; int y; }; };
//                              ^ c/declared-twice
//# all | an enumeration constant twice
enum { a, b, a };
//           ^ c/declared-twice
//# all | a variable twice in a block
kernel void k(global int *o) { int n = 0; int n = 1; o[0] = n; }
//                                            ^ c/declared-twice
//# all | a variable of a parameter's name
kernel void k(global int *o, int n) { int n = 1; o[0] = n; }
//                                        ^ c/declared-twice
//# all | a variable of an outer one's name
kernel void k(global int *o, int n) { { int n = 1; o[0] = n; } }
//# all | a kernel defined twice
kernel void k(global int *o) {}
kernel void k(global int *o) {}
//          ^ c/defined-twice
//# all | a function defined twice, once declared
int f(int x);
int f(int x) { return x; }
int f(int x) { return x; }
//  ^ c/defined-twice
//# all | a structure defined twice
struct s { int x; };
struct s { int x; };
//     ^ c/defined-twice
//# all | a variable initialized twice
constant int n = 1;
constant int n = 1;
//           ^ c/defined-twice
//# all | a function declared with another type
int f(int x);
float f(int x);
//    ^ c/other-type
int g(int x);
int g(float x);
//  ^ c/other-type
//# all | functions of one name that are overloaded
int __attribute__((overloadable)) f(int x) { return x; }
float __attribute__((overloadable)) f(float x) { return x; }
//# all | a variable declared with another type
constant int n = 1;
constant float n;
//             ^ c/other-type
//             ^ initializer/constant-missing
//# all | a variable of a function's name, a function of a variable's, a typedef of either
void f(void) {}
constant int f = 1;
//           ^ c/declared-twice
constant int n = 1;
void n(void) {}
//   ^ c/other-type
typedef int n;
//          ^ c/other-type
//# all | a typedef with another type
typedef int number;
typedef float number;
//            ^^^^^^ c/other-type
typedef global int *pointer;
typedef global const int *pointer;
//                        ^^^^^^^ c/other-type
//# all | a variable declared with other qualifiers
constant int n = 1;
constant volatile int n;
//                    ^ c/other-type
//# since-1.2 | a declaration with other qualifiers below a pointer
extern constant int *constant p;
extern constant volatile int *constant p;
//                                     ^ c/other-type
//# all | a function declared with other qualifiers below a pointer
void f(global const int *p);
void f(global int *p) {}
//   ^ c/other-type
//# all | a function declared with other qualifiers of its parameters themselves
void f(const int n, global int *restrict p);
void f(int n, global int *p) {}
//# since-1.2 | an array that has got its length
extern constant int a[];
extern constant int a[2];
extern constant int a[3];
//                  ^ c/other-type
//# all | a variable in one block with two types
kernel void k(global int *o) { int n = 0; float n = 1; o[0] = n; }
//                                              ^ c/declared-twice
//# all | a variable in an inner block with another type
kernel void k(global int *o) { int n = 0; { float n = 1; o[0] = n; } o[1] = n; }
//# 3.0 | a tentative definition with another type
int n;
float n;
//    ^ c/other-type
//# 3.0 | tentative definitions
int n;
int n;
extern int n;
int n = 1;
//# 3.0 | a variable with linkage beside one without
kernel void k(global int *o) { int n = 0; extern int n; o[0] = n; }
//                                                   ^ c/declared-twice
//# all | an enumeration of a structure's tag, a structure of an enumeration's
struct s { int x; };
enum s { a };
//   ^ c/other-type
enum e { b };
struct e *f(void);
//     ^ c/other-type
//# all | a typedef repeated
typedef int number;
typedef int number;
//# all | a tag of another kind
struct s { int x; };
kernel void k(global union s *o) {}
//                         ^ c/other-type
//# all | a variable of an incomplete structure
struct s;
kernel void k(global int *o) { struct s s; }
//                                      ^ c/incomplete-type
//# all | a variable of void
kernel void k(global int *o) { void v; }
//                                  ^ c/incomplete-type
//# all | a structure within itself
struct s { int x; struct s next; };
//                         ^^^^ c/incomplete-type
//# all | a parameter of an incomplete structure
struct s;
void f(struct s s) {}
//              ^ c/incomplete-type
//# all | an array of void
kernel void k(global int *o) { void v[3]; }
//                                   ^^^ c/incomplete-type
//# all | a member of an incomplete structure
struct s;
kernel void k(global struct s *o) { o->x = 1; }
//                                  ^^^^ c/incomplete-type
//# all | the size of an incomplete structure
struct s;
kernel void k(global int *o) { o[0] = sizeof(struct s); }
//                                    ^^^^^^^^^^^^^^^^ c/incomplete-type
//# all | a pointer to an incomplete structure
struct s;
void f(global struct s *p) {}
//# all | a function calls itself
int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
//                                    ^ c/recursion
//# all | two functions call each other
int g(int n);
int f(int n) { return n ? g(n - 1) : 0; }
//                        ^ c/recursion
int g(int n) { return n ? f(n - 1) : 1; }
//# all | three functions call each other
int h(int n);
int f(int n) { return n ? h(n - 1) : 0; }
//                        ^ c/recursion
int g(int n) { return f(n); }
int h(int n) { return g(n); }
//# all | a function is declared before and calls no caller
int g(int n);
int f(int n) { return g(n); }
int g(int n) { return n; }
//# all | a function called twice
int f(int n) { return n; }
int g(int n) { return f(n) + f(f(n)); }
//# 2.0 3.0 | a block starts its kernel again
kernel void k(global int *o) {
  ndrange_t one = ndrange_1D(1);
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^{ k(o); });
}
//# 2.0 3.0 | jumps do not leave a block literal
kernel void k(global int *o) {
  while (o[0]) { void (^b)(void) = ^{ break; }; out: b(); }
//                                    ^^^^^ c/jump-outside
  void (^c)(void) = ^{ goto out; };
//                          ^^^ c/label-missing
}
//# all | strings in braces
constant char text[4] = { "abc" };
struct s { char text[4]; int x; };
kernel void k(global int *o) { struct s s = { { "abc" }, 1 }; o[0] = s.x; }
//# 1.0 1.1 1.2 3.0-none | blocks where there are none
void f(void) {
  void (^b)(void) = ^{};
//      ^ c/block
  int (^c)(int);
//      ^ block/initializer
}
