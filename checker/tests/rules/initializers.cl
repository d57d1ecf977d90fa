//# all | local variables are not initialized
kernel void k(void) {
  local float a = 1;
//                ^ initializer/local
  local int b[2] = {0};
//                 ^^^ initializer/local
  local struct { int a; } s = {.a = 1};
//                            ^^^^^^^^ initializer/local
  int *local p = 0;
//               ^ initializer/local
  local int *q = 0;
  local float4 v = (float4)(0);
//                 ^^^^^^^^^^^ initializer/local
}
//# all | constant variables are initialized
constant int a;
//           ^ initializer/constant-missing
constant int b = 1;
constant int c[4] = {1};
kernel void k(void) {
  constant int d;
//             ^ initializer/constant-missing
  constant int e = 1;
}
//# 2.0 3.0 | static constant variables are initialized
void f(void) {
  static constant int a;
//                    ^ initializer/constant-missing
  extern constant int b;
}
//# all | a later declaration may initialize
constant int d;
constant int d = 1;
//# all | constant variables have constant values
int f(void) { return 1; }
kernel void k(global int *g, int n) {
  constant int a = n;
//                 ^ initializer/not-constant
  constant int b = 7 * 3 + sizeof(int);
  constant float c[] = {1.0f, n, 2.0f};
//                            ^ initializer/not-constant
  constant int d = g[0];
//                 ^^^^ initializer/not-constant
  constant int e = f();
//                 ^^^ initializer/not-constant
  constant float4 v = (float4)(1, 2, 3, 4);
  constant int *constant p = &b;
}
//# all | the value of another constant variable is not settled
constant int a = 1;
constant int b = a;
constant int c[2] = {a, a + 1};
//# all | addresses of static objects are constant
constant int a = 1;
constant int t[4] = {1, 2, 3, 4};
constant int *constant p = &a;
constant int *constant q = t + 2;
constant int *constant r = &t[1];
constant char *constant s = "text";
struct s { int x; int y[2]; };
constant struct s u = {1, {2, 3}};
constant int *constant v = &u.y[1];
//# all | addresses of other objects are not
kernel void k(int n) {
  int x = 1;
  local int l;
  private int *constant p = &x;
//                          ^^ initializer/not-constant
  local int *constant q = &l;
//                        ^^ initializer/not-constant
  private int *constant r = &n;
//                          ^^ initializer/not-constant
}
//# 2.0 | global variables have constant values, in 2.0
int f(void) { return 1; }
global int a = 1;
global int b = f();
//             ^^^ initializer/not-constant
int c = 1 + 2;
global int *global p = &a;
global int *q = &a;
//          ~ declaration/global-unsupported
int *r = &a;
kernel void k(int n) {
  static global int d = n;
//                      ^ initializer/not-constant
  static int e = 4;
}
//# 3.0 | global variables have constant values
int f(void) { return 1; }
global int a = 1;
global int b = f();
//             ^^^ initializer/not-constant
int c = 1 + 2;
global int *global p = &a;
global int *q = &a;
int *r = &a;
kernel void k(int n) {
  static global int d = n;
//                      ^ initializer/not-constant
  static int e = 4;
}
//# all | private variables have any value
kernel void k(global int *g, int n) {
  int a = g[0];
  private int b = n;
  int c[] = {n, g[1]};
  struct { int x; global int *p; } s = {n, g};
  int d;
}
//# 1.2 | extern in a function has no value, in 1.2
void f(void) {
  extern constant int a = 1;
//                    ~ declaration/storage-class-version
//                        ^ initializer/extern-in-function
}
//# 2.0 3.0 3.0-none | extern in a function has no value
void f(void) {
  extern constant int a = 1;
//                        ^ initializer/extern-in-function
}
//# 2.0 3.0 | atomic macros
global atomic_int a = ATOMIC_VAR_INIT(1);
atomic_int b = ATOMIC_VAR_INIT(2);
constant atomic_int c = ATOMIC_VAR_INIT(3);
//                      ^^^^^^^^^^^^^^^ initializer/atomic-macro
global atomic_flag d = ATOMIC_FLAG_INIT;
constant atomic_flag e = ATOMIC_FLAG_INIT;
//                       ^^^^^^^^^^^^^^^^ initializer/atomic-macro
//# all | every value of a list meets its part
struct in { local int *l; constant int *c; };
struct out { int n; global int *g; struct in i; global int *a[2]; };
kernel void k(global int *g, local int *l, constant int *c) {
  struct out a = {1, g, {l, c}, {g, g}};
  struct out b = {1, l, {g, c}, {g, l}};
//                   ^ conversion/implicit
//                       ^ conversion/implicit
//                                  ^ conversion/implicit
  struct out d = {.i.c = l, .a[1] = c, .g = g};
//                       ^ conversion/implicit
//                                  ^ conversion/implicit
  struct out e = {1, g, l, c, g, l};
//                               ^ conversion/implicit
  struct out f = {.i = {.c = c, .l = g}};
//                                   ^ conversion/implicit
  global int *h[2][2] = {{g, l}, g, g};
//                           ^ conversion/implicit
  global int *i[] = {[2] = g, [0] = l, l};
//                                  ^ conversion/implicit
//                                     ^ conversion/implicit
  union { global int *g; local int *l; } u = {l}, v = {.l = l};
//                                            ^ conversion/implicit
  global int *j = {l};
//                 ^ conversion/implicit
  global int *x[4] = {[0 ... 3] = c};
//                                ^ conversion/implicit
}
//# all | structs are copied whole
struct s { global int *g; int n; };
struct t { struct s a; global int *h; };
kernel void k(global int *g, local int *l, global struct s *p) {
  struct s s = *p;
  struct t t = {s, l};
//                 ^ conversion/implicit
  struct t u = {*p, g};
}
//# all | strings fill arrays
constant char a[] = "abc";
constant char b[2][4] = {"abc", "de"};
kernel void k(void) {
  char c[4] = "abc";
  char d[] = {"abc"};
  struct { char t[4]; constant char *s; char *p; } e = {"abc", "d", "e"};
//                                                                  ^^^ conversion/implicit
}
//# all | more values than parts
kernel void k(local int *l) {
  int a[2] = {1, 2, 3};
  struct { int a; } s = {1, l};
}
//# all | vectors take values in braces
constant float4 v = {1, 2, 3, 4};
kernel void k(float a) { float4 v = {a, 1, 2, 3}; float2 w = {v.xy}; float4 t[2] = {{1, 2, 3, 4}, v}; }
//# since-1.2 | an extern declaration lacks no initializer, the definition behind it does
extern constant int a;
constant int a;
//           ^ initializer/constant-missing
extern constant int b;
constant int b = 1;
//# all | an integer constant cast to a pointer is an address constant
struct S { int n; int m[2]; global int *q; };
global int *constant a = (global int *)16;
global int *constant b[2] = { (global int *)16 + 2, &((global int *)16)[1] };
local int *constant c = &*(local int *)16;
constant int *constant d = ((constant struct S *)16)->m;
constant int *constant e = &((constant struct S *)16)->n;
global int *constant f = (local int *)16;
//                       ^^^^^^^^^^^^^^^ conversion/implicit
//# all | what memory at an integer holds is no constant
struct S { int n; int m[2]; global int *q; };
constant int a = *(constant int *)16;
//               ^^^^^^^^^^^^^^^^^^^ initializer/not-constant
global int *constant b = *(global int *constant *)16;
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^ initializer/not-constant
global int *constant c = ((constant struct S *)16)->q;
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ initializer/not-constant
constant int d = ((constant struct S *)16)->m[1];
//               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ initializer/not-constant
constant float e = ((constant float4 *)16)->x;
//                 ^^^^^^^^^^^^^^^^^^^^^^^^^^ initializer/not-constant
