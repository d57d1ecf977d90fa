//# all | spellings with and without underscores are the same space
kernel void k(__global int *g, __local int *l, __constant int *c) {
  __private int x = 0;
  global int *a = g;
  local int *b = l;
  constant int *d = c;
  global int *e = l;
//                ^ conversion/implicit
}
//# all | qualifiers may stand anywhere among the specifiers
kernel void k(global int *g) {
  int const global *a = g;
  const int volatile global *b = g;
  int const local *c = g;
//                     ^ conversion/implicit
}
//# all | two spaces at one level
kernel void k() {
  private local int i;
//        ^^^^^ qualifier/conflicting
  global int local *p = 0;
//           ^^^^^ qualifier/conflicting
}
//# all | two spaces, one from a typedef
typedef global int gint;
kernel void k(global int *g) {
  local gint *q = 0;
//^^^^^ qualifier/conflicting
  gint *r = g;
}
//# all | two spaces on a pointer
kernel void k(global int *g) {
  int *private local p;
//             ^^^^^ qualifier/conflicting
}
//# all | the same space twice is disputed
kernel void k(global int *g) {
  global global int *q = g;
//       ~~~~~~ qualifier/conflicting
}
//# all | a typedef carries its space
typedef global int *gp;
kernel void k(local int *l, global int *g) {
  gp p = g;
  gp q = l;
//       ^ conversion/implicit
}
//# all | qualifying a typedef of a pointer qualifies the pointer
typedef global int *ip;
kernel void k(global int *g) {
  local ip q;
  q = g;
  private ip *r = &q;
//                ^^ conversion/implicit
}
//# all | spaces are reserved names
kernel void k(global int *g) {
  int local = 0;
//    ^^^^^ qualifier/reserved-name
  g[0] = local;
}
//# all | reserved as a function's name
void constant(void) {}
//   ^^^^^^^^ qualifier/reserved-name
//# all | reserved as a tag
struct private { int a; };
//     ^^^^^^^ qualifier/reserved-name
//# all | reserved as a member's name
struct s { int global; };
//             ^^^^^^ qualifier/reserved-name
//# all | reserved as a pointer's name
kernel void k(int n) {
  int *private = 0;
//     ^^^^^^^ qualifier/reserved-name
}
//# 2.0 3.0 3.0-none | generic is reserved from 2.0 on
kernel void k(int n) {
  int *generic = 0;
//     ^^^^^^^ qualifier/reserved-name
}
//# 1.0 1.1 1.2 | generic as a name before 2.0
struct generic { int __generic; };
//     ~~~~~~~ qualifier/reserved-name
int f(int generic) { return generic * 2 + generic; }
kernel void k(global int *generic) { generic[0] = 1; struct generic s = {1}; s.__generic = f(2); }
//# all | reserved as a label
kernel void k(int n) {
  global: n = 1;
//^^^^^^ qualifier/reserved-name
}
//# all | reserved as an enumeration constant
enum e { a, local = 2 };
//          ^^^^^ qualifier/reserved-name
//# all | reserved as a parameter's name
void f(int local, int b) {}
//         ^^^^^ qualifier/reserved-name
//# all | a parameter without a name ends with its qualifiers
int f(int private, constant int *private, int private[3], float private b);
//        ~~~~~~~ parameter/qualified
//                               ~~~~~~~ parameter/qualified
//                                                              ~~~~~~~ parameter/qualified
int g(int __private) __attribute__((pure));
//        ~~~~~~~~~ parameter/qualified
kernel void k(global int *g) {
  int h(int private);
//          ~~~~~~~ parameter/qualified
  g[0] = h(1) + sizeof(int private) + sizeof(int *private);
}
//# 1.2 2.0 | the qualifier of a parameter without a name
int f(int local, int constant[2], int *global);
//        ^^^^^ parameter/qualified
//                                     ^^^^^^ parameter/qualified
//# all | the parameters of a definition have names
void f(int private, int b) {}
//         ^^^^^^^ qualifier/reserved-name
//# all | of a pointer too
void f(int b, global int *private) {}
//                        ^^^^^^^ qualifier/reserved-name
//# all | of an array too
void f(int local[2]) __attribute__((unused)) {}
//         ^^^^^ qualifier/reserved-name
//# device-enqueue | and of a block
kernel void k(global int *g) {
  int (^b)(int private) = ^(int a) { return a; };
//             ~~~~~~~ parameter/qualified
  g[0] = b(1);
  int (^c)(int) = ^(int local) { return 1; };
//                      ^^^^^ qualifier/reserved-name
}
//# all | a parenthesized name
kernel void k(int n) {
  int (*local)[2] = 0;
//      ^^^^^ qualifier/reserved-name
}
//# all | a function that returns a pointer
int *constant(void);
//   ^^^^^^^^ qualifier/reserved-name
//# all | a qualifier before a parenthesized name
kernel void k(int n) {
  int private (a) = n;
  int private (*p) = &a;
  int private *private (*q) = &p;
  int *private (b);
}
//# all | reserved as a typedef
typedef int constant;
//          ^^^^^^^^ qualifier/reserved-name
//# no-generic | generic is no qualifier
kernel void k(global int *g) {
  generic int *q = g;
//^^^^^^^ qualifier/generic-spelled
}
//# generic | generic as a qualifier is disputed
kernel void k(global int *g) {
  generic int *q = g;
//~~~~~~~ qualifier/generic-spelled
  *q = 1;
}
//# generic | no object is in the generic space
kernel void k() {
  generic int x;
//^^^^^^^ qualifier/generic-spelled
//~~~~~~~ qualifier/generic-spelled
}
//# all | function types are not qualified
typedef int F(int);
global F f;
//^1:6^ qualifier/function-type
//# all | restrict is for pointers
typedef global int *gp;
kernel void k(global int *restrict g, int restrict n) {
//                                        ^^^^^^^^ qualifier/restrict
  restrict gp p = g;
}
//# all | compound literals in functions are private
kernel void k(local int *l) {
  global int *q = &(global int){1};
//                  ^^^^^^ qualifier/compound-literal
  private int *r = &(int){1};
  private int *s = (private int[]){1, 2};
//                  ~~~~~~~ qualifier/compound-literal
  int *t = &(int){2};
  local int *u = &(int){3};
//               ^^^^^^^^^ conversion/implicit
}
//# since-1.2 | compound literals outside functions
constant int *constant p = &(constant int){1};
//# all | const objects are not written
kernel void k(global const int *g, int *const p, const int n) {
//                                            ^ parameter/kernel-pointee
  g[0] = 1;
//^^^^ qualifier/const-write
  *g += 1;
//^^ qualifier/const-write
  n++;
//^ qualifier/const-write
}
//# all | const below the pointer, const above it
void f(global const int *g, global int *const h, global int *i) {
  h[0] = 1;
  h = i;
//^ qualifier/const-write
  g = i;
  *g = 2;
//^^ qualifier/const-write
}
//# all | a vendor's address spaces are not judged
kernel void k(global int *g) {
  __attribute__((address_space(3))) int *q = g;
  g = q;
}
//# all | a space beside a tag only
local struct s { int a; };
//^1:5~ -
struct t { int a; } global;
//                  ~~~~~~ -
kernel void k() { struct s x; x.a = 1; }
//# all | casts to a qualified object type
kernel void k(int x) { int y = (global int)x; }
//                             ~~~~~~~~~~~~~ -
//# all | void behind spaces
kernel void k(local int *l) {
  local void *v = l;
  global void *w = l;
//                 ^ conversion/implicit
}
//# all | what is meant by each declarator
kernel void k() {
  local int a, *q = &a;
  private int *r = q;
//                 ^ conversion/implicit
}
//# all | spaces come out of macros
#define SP(x) __##x
#define G global
kernel void k(SP(global) int *g, SP(local) int *l) {
  G int *a = g;
  G int *b = l;
//           ^ conversion/implicit
}
//# 2.0 3.0 | the space of a compound literal outside functions is not stated
global int *global p = (int[]){1, 2};
//                     ~~~~~~~~~~~~~ -
int *constant q = (int[]){1, 2};
//                ~~~~~~~~~~~~~ -
local int *global r = (int[]){1, 2};
//                    ^^^^^^^^^^^^^ conversion/implicit
//# all | endian is for pointers to global and constant
void f(global int *a __attribute__((endian(host))), local int *b __attribute__((endian(device)))) {
//                                                                              ~~~~~~ -
  constant int *c __attribute__((endian(host))) = 0;
  int d __attribute__((endian(host))) = 0;
//                     ~~~~~~ -
}
//# all | qualifiers within the outermost brackets of an array parameter are the parameter's own
void f(global int a[const 4], local int b[static restrict 2], constant int c[const]) {
  a = 0;
//^ qualifier/const-write
  b = 0;
}
//# all | the space within an array parameter's brackets is no space of its elements
void f(global int a[global 4]) {}
//                  ^^^^^^ parameter/qualified
void g(int [static const local 4]);
//                       ^^^^^ parameter/qualified
void h(constant int (a)[private 4]) {}
//                      ~~~~~~~ parameter/qualified
void i(global int *a[constant 4]) {}
//                   ^^^^^^^^ parameter/qualified
typedef global int G[4];
void j(G a[volatile __local 2]) {}
//                  ^^^^^^^ parameter/qualified
//# all | qualifiers within other brackets
kernel void k(global int *o) {
  int a[const 4];
//      ^^^^^ qualifier/array-brackets
  local int b[local 4];
//            ^^^^^ qualifier/array-brackets
  int c[2][static 4];
//         ^^^^^^ qualifier/array-brackets
  global int (*d)[global 4] = (global int (*)[volatile 4])o;
//                ^^^^^^ qualifier/array-brackets
//                                            ^^^^^^^^ qualifier/array-brackets
  typedef int T[constant 4];
//              ^^^^^^^^ qualifier/array-brackets
  struct { int m[private 4]; } e;
//               ^^^^^^^ qualifier/array-brackets
  o[0] = sizeof(int[const 4]);
//                  ^^^^^ qualifier/array-brackets
}
void f(global int a[2][const 4], local int (*b)[const 4], global int c[const 2][static global 4]) {}
//                     ^^^^^ qualifier/array-brackets
//                                              ^^^^^ qualifier/array-brackets
//                                                                              ^^^^^^ qualifier/array-brackets
//# all | the parameters of a function type within brackets
typedef void F(global int a[const 4]);
void f(int (*a[const 4])[2]) {}
