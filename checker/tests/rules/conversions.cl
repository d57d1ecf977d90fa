//# all | between named spaces
kernel void k(global int *g, local int *l, constant int *c) {
  private int x;
  private int *p = &x;
  g = l;
//    ^ conversion/implicit
  g = c;
//    ^ conversion/implicit
  l = g;
//    ^ conversion/implicit
  c = l;
//    ^ conversion/implicit
  p = g;
//    ^ conversion/implicit
  c = p;
//    ^ conversion/implicit
  g = g + 1;
  p = &x;
}
//# generic | to and from the generic space
kernel void k(global int *g, local int *l, constant int *c) {
  int x;
  int *q = &x;
  private int *p;
  q = g;
  q = l;
  q = p;
  q = c;
//    ^ conversion/implicit
  g = q;
//    ^ conversion/implicit
  l = q;
//    ^ conversion/implicit
  p = q;
//    ^ conversion/implicit
  c = q;
//    ^ conversion/implicit
}
//# all | casts between named spaces
kernel void k(global int *g, local int *l, constant int *c) {
  g = (global int *)l;
//    ^^^^^^^^^^^^^^^ conversion/cast
  g = (global float *)c;
//    ^^^^^^^^^^^^^^^^^ conversion/cast
  l = (local int *)(local void *)g;
//                 ^^^^^^^^^^^^^^^ conversion/cast
  c = (constant int *)c;
  size_t n = sizeof((local int *)g);
//                  ^^^^^^^^^^^^^^ conversion/cast
}
//# generic | casts to and from the generic space
kernel void k(global int *g, local int *l, constant int *c) {
  int *q = (int *)g;
  q = (int *)c;
//    ^^^^^^^^ conversion/cast
  g = (global int *)q;
  l = (local int *)q;
  private int *p = (private int *)q;
  c = (constant int *)q;
//    ^^^^^^^^^^^^^^^^^ conversion/cast
}
//# no-generic | an unqualified pointer is private
kernel void k(global int *g) {
  int x;
  int *q = &x;
  private int *r = q;
  q = r;
  q = g;
//    ^ conversion/implicit
  q = (int *)g;
//    ^^^^^^^^ conversion/cast
}
//# all | below the outermost pointer
kernel void k(void) {
  local int *private *ll = 0;
  global int *private *gl = 0;
  int *private *nl = 0;
  ll = gl;
//     ^^ conversion/nested
  nl = ll;
//     ^^ conversion/nested
  ll = (local int *private *)gl;
  private void *v = gl;
  const private int *private *cl = 0;
}
//# all | below an array
kernel void k(local int *l) {
  local int *s[2] = {l, l};
  global int *(*p)[2] = &s;
//                      ^^ conversion/nested
  local int *(*q)[2] = &s;
  global int *private *r = s;
//                         ^ conversion/nested
}
//# all | outer level of a pointer to a pointer
kernel void k(void) {
  int *q = 0;
  int **qq = &q;
  int *constant *r = &q;
//                   ^^ conversion/implicit
  local int *private *ll = 0;
  local int *global *s = (local int *global *)ll;
//                       ^^^^^^^^^^^^^^^^^^^^^^^ conversion/cast
}
//# all | null pointer constants
kernel void k(global int *g, local int *l, constant int *c) {
  g = 0;
  l = NULL;
  c = (void *)0;
  int *z = 0;
  g = 1 - 1;
  l = (global int *)0;
//    ^^^^^^^^^^^^^^^ conversion/implicit
  l = (global void *)0;
//    ^^^^^^^^^^^^^^^^ conversion/implicit
}
//# 1.2 3.0-none | a null pointer constant in a cast, without generic
kernel void k(void) {
  local int *l = (local int *)(void *)0;
//               ~~~~~~~~~~~~~~~~~~~~~~ conversion/cast
}
//# 2.0 3.0 | a null pointer constant in a cast, with generic
kernel void k(void) {
  local int *l = (local int *)NULL;
  constant int *c = (constant int *)NULL;
//                  ~~~~~~~~~~~~~~~~~~~~ conversion/cast
}
//# all | through integers
kernel void k(global int *g, local int *l) {
  g = (global int *)(uintptr_t)l;
  uintptr_t n = (uintptr_t)g;
  l = (local int *)16;
  g = (local int *)16;
//    ^^^^^^^^^^^^^^^ conversion/implicit
}
//# 2.0 3.0 | an integer without a cast is disputed
kernel void k(void) {
  global int *a = 0xdeadbeef;
//                ~~~~~~~~~~ -
}
//# all | void pointers
kernel void k(global int *g, local int *l) {
  global void *v = g;
  g = v;
  local void *w = g;
//                ^ conversion/implicit
}
//# all | const and other types are not a matter of spaces
kernel void k(const global int *g, global float *f) {
  global int *q = g;
  q = f;
  const volatile global int *r = q;
}
//# all | values come out of any space
struct s { int a[2]; };
kernel void k(global struct s *g, constant struct s *c, local int *l) {
  *g = *c;
  l[0] = g->a[1] + c->a[0];
  *c = *g;
//^^ constant/write
}
//# all | arithmetic keeps the space
kernel void k(global int *g, local int *l) {
  l = g + 1;
//    ^^^^^ conversion/implicit
  l = 1 + g;
//    ^^^^^ conversion/implicit
  l = g++;
//    ^^^ conversion/implicit
  l = --g;
//    ^^^ conversion/implicit
  l = &g[2];
//    ^^^^^ conversion/implicit
  l += 1;
  l = (g, l);
  l = (l, g);
//    ^^^^^^ conversion/implicit
  l = (g);
//    ^^^ conversion/implicit
}
//# generic | an assignment has the type of its left side
kernel void k(global int *g) {
  int *q;
  global int *r;
  q = r = g;
  r = q = g;
//    ^^^^^ conversion/implicit
}
//# all | arrays decay into their space
kernel void k(void) {
  local int a[4];
  local int b[2][4];
  local int *p = a;
  private int *q = a;
//                 ^ conversion/implicit
  local int (*r)[4] = b;
  global int (*s)[4] = b;
//                     ^ conversion/implicit
  local int *t = b[1];
  global int *u = b[1];
//                ^^^^ conversion/implicit
}
//# generic | decayed arrays become generic, but for constant ones
constant int t[2] = {1, 2};
void f(const int *x) {}
kernel void k(void) {
  local int a[2];
  f(a);
  f(t);
//  ^ conversion/implicit
}
//# all | string literals are in constant
int f(global const char *s) { return s[0]; }
const char *g(void) { return "abc"; }
//                           ^^^^^ conversion/implicit
constant char *h(void) { return "abc"; }
kernel void k(void) {
  constant char *a = "abc";
  const char *b = "abc";
//                ^^^^^ conversion/implicit
  private char *c = "abc";
//                  ^^^^^ conversion/implicit
  private char (*d)[4] = &"abc";
//                       ^^^^^^ conversion/implicit
  constant char (*e)[4] = &"abc";
  f("abc");
//  ^^^^^ conversion/implicit
  a = "a" "b";
}
//# all | no nested constants lose their way
kernel void k(constant int *c) {
  constant int *private *a = &c;
  constant int *const private *b = &c;
  global int *private *d = &c;
//                         ^^ conversion/nested
}
//# all | a pointer becomes an integer, an integer a pointer: the text does not say that a build must fail
global int *f(global int *p, int n) { return p == n ? p : n; }
kernel void k(global int *o) { int n = o; o = n; n += o; n = *f(n, o); }
