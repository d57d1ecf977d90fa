//# no-globals | program-scope variables must be in constant
global int a;
//^1:6^ declaration/global-unsupported
int b;
//  ^ declaration/global-unsupported
const int c = 1;
//        ^ declaration/global-unsupported
int *p;
//   ^ declaration/global-unsupported
global int *q;
//          ^ declaration/global-unsupported
constant int d = 1;
global int *constant r = 0;
//# 3.0 3.0-globals | program-scope variables may be in global
global int a;
int b;
const int c = 1;
int *p;
global int *q;
constant int d = 1;
global int *constant r = 0;
//# 2.0 | a pointer without a space of its own is disputed
global int *q;
//          ~ declaration/global-unsupported
int *p;
global int *global r;
//# all | never in local or private
local int a;
//^1:5^ declaration/program-scope-space
private int b = 1;
//^1:7^ declaration/program-scope-space
int *local p;
//   ^^^^^ declaration/program-scope-space
typedef local int lint;
lint c;
//^1:4^ declaration/program-scope-space
//# all | local variables in a kernel
kernel void k(int n) {
  local int a;
  local float4 b[4];
  a = n;
  if (n) {
    local int c;
//  ^^^^^ declaration/local-nested-scope
    c = n;
  }
  for (local int i; n;) break;
//     ^^^^^ declaration/local-nested-scope
  { local int d[2]; }
//  ^^^^^ declaration/local-nested-scope
  switch (n) { case 1: ; local int e; }
//                       ^^^^^ declaration/local-nested-scope
}
//# all | local variables elsewhere
void f(int n) {
  local int a;
//^^^^^ declaration/local-outside-kernel
  a = 1;
  { local int b; }
//  ^^^^^ declaration/local-outside-kernel
  private int c = n;
}
//# all | constant variables in a kernel
kernel void k(global int *g) {
  constant int a = 1;
  g[0] = a;
  while (g[1]) {
    constant int b = 2;
//  ^^^^^^^^ declaration/constant-nested-scope
    g[0] = b;
  }
}
//# all | constant variables elsewhere
int f(void) {
  constant int a = 1;
//^^^^^^^^ declaration/constant-outside-kernel
  return a;
}
//# all | pointers to any space may be declared anywhere
void f(local int *l, global int *g, constant int *c) {
  if (l) {
    local int *a = l;
    global int *b = g;
    constant int *d = c;
  }
}
//# all | private may be written on automatic variables
void f(int n) {
  private int a = 1;
  for (private int i = 0; i < n; i++) { private float b = a; }
}
//# no-globals | global variables in functions
void f(int n) {
  global int a;
//^^^^^^ declaration/automatic-global
}
//# globals | global variables in functions must be static
void f(int n) {
  global int a;
//^^^^^^ declaration/automatic-global
  static global int b = 1;
  static int c;
  extern global int d;
  extern int e;
  while (n) { static global int inside; inside = n; }
}
//# 1.2 3.0-none | static variables need a space where there are no globals
void f(int n) {
  static int c;
//           ^ declaration/global-unsupported
  static constant int *p = 0;
//                     ^ declaration/global-unsupported
}
//# 1.2 | static constant in a function, in 1.2
void f(int n) {
  static constant int a = 1;
//                    ~ declaration/storage-class-version
}
//# 2.0 3.0 3.0-none | static constant in a function
int f(int n) {
  if (n) { static constant int a = 1; return a; }
  extern constant int b;
  return b;
}
//# since-1.2 | static and extern have no other space
void f(int n) {
  static local int a;
//       ^^^^^ declaration/static-space
  static private int b;
//       ^^^^^^^ declaration/static-space
  extern local int c;
//       ^^^^^ declaration/extern-space
  extern private int d;
//       ^^^^^^^ declaration/extern-space
}
//# 1.0 1.1 | static and extern came with 1.2
static constant int a = 1;
//^1:6^ declaration/storage-class-version
extern constant int b;
//^1:6^ declaration/storage-class-version
static void f(void) {}
//^1:6^ declaration/storage-class-version
extern void g(void);
//^1:6^ declaration/storage-class-version
kernel void k(void) { static constant int c = 1; }
//                    ^^^^^^ declaration/storage-class-version
//# since-1.2 | static and extern
static constant int a = 1;
extern constant int b;
static inline void f(void) {}
extern void g(void);
//# since-1.2 | kernels are not static
static kernel void k(void) {}
//^1:6^ declaration/static-kernel
extern kernel void l(void);
//# all | auto and register
kernel void k(void) {
  register int a = 1;
//^^^^^^^^ declaration/auto-register
  auto int b = 2;
//^^^^ declaration/auto-register
}
void f(register int n) {}
//     ^^^^^^^^ declaration/auto-register
//# since-1.2 | redeclared objects agree in their spaces
extern global int *constant a;
extern local int *constant a;
//                         ^ declaration/conflicting
extern __global int *constant a;
//# all | redeclared functions agree in their spaces
void f(__global int *p);
void f(local int *p) { *p = 1; }
//   ^ declaration/conflicting
global int *g(void);
local int *g(void);
//         ^ declaration/conflicting
void h(global int *p);
void h(__global int *q);
//# all | no call is blamed for a conflict
void f(global int *x);
void f(constant int *x);
//   ^ declaration/conflicting
kernel void k(global int *g) { f(g); }
//# all | overloadable functions may differ in spaces only
__attribute__((overloadable)) void f(global int *p) {}
__attribute__((overloadable)) void f(local int *p) {}
void __attribute__((overloadable)) f(float a);
kernel void k(global int *g, local int *l, constant int *c) {
  f(g);
  f(l);
  f(1.0f);
  f(c);
//  ^ conversion/implicit
}
//# all | arrays have a constant size
kernel void k(int n) {
  int a[n];
//    ^ declaration/array-size
  local int b[n + 1];
//          ^ declaration/array-size
  int c[];
//    ^ declaration/array-size
  int d[4];
  int e[] = {1, 2};
  int f[n ? 1 : 2];
//    ^ declaration/array-size
}
constant int t[] = {1, 2, 3};
typedef int m[-1];
//            ^^ declaration/array-size
//# all | sizes an implementation can work out
constant int N = 4;
enum { M = 2 };
kernel void k(void) {
  const int n = 3;
  int a[N];
  int b[M * 2];
  int c[n + 1];
//      ~~~~~ declaration/array-size
  int d[sizeof(int) == 4 ? 4 : -1];
}
//# all | an inner name may stand for another space
kernel void k(global int *g, local int *l) {
  global int *p = g;
  {
    local int *p = l;
    *p = 1;
  }
  global int *q = p;
  local int *r = p;
//               ^ conversion/implicit
}
//# all | typedefs declare no object
typedef local int lint;
void f(void) {
  typedef global float *gf;
  gf p = 0;
}
kernel void k(void) { lint a; a = 1; }
//# all | jumping over a local variable
kernel void k(int n) {
  if (n) goto out;
  local int a;
  a = 1;
  out: ;
}
//# all | no parameter of variable length
void f(int n, global int a[n], local int b[][2], int c[static 4], global int (*d)[3]) {}
//                       ^ declaration/array-size
void g(int n, int a[][n]) {}
//                ^ declaration/array-size
//# 2.0 3.0 | extern in a function and the object itself agree
void f(void) {
  extern constant int a;
  extern global int b;
  extern int c;
}
void g(void) {
  extern global int a;
//                  ^ declaration/conflicting
}
int a = 1;
//  ^ declaration/conflicting
int b = 1;
constant int c = 1;
//           ^ declaration/conflicting
constant int d = 1;
void h(void) {
  extern constant int d;
  extern global int d;
//                  ^ declaration/conflicting
}
