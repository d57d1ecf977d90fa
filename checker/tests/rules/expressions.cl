//# all | compared pointers overlap
kernel void k(global int *g, local int *l, constant int *c, global void *v) {
  int b = g == l;
//          ^^ expression/compare
  b = g != c;
//      ^^ expression/compare
  b = l < g;
//      ^ expression/compare
  b = g >= g + 1;
  b = l == 0;
  b = NULL == c;
  b = v == g;
  b = v == l;
//      ^^ expression/compare
  b = l == (global int *)0;
//      ^^ expression/compare
  b = g && l || !c;
}
//# generic | generic pointers compare with all but constant
kernel void k(global int *g, constant int *c) {
  int x;
  int *q = &x;
  int b = q == g;
  b = g <= q;
  b = q == c;
//      ^^ expression/compare
  b = c > q;
//      ^ expression/compare
}
//# all | subtracted pointers overlap
kernel void k(global int *g, local int *l, constant int *c) {
  long d = g - g;
  d = g - l;
//      ^ expression/subtract
  g[0] += l - c;
//          ^ expression/subtract
}
//# generic | generic pointers are subtracted
kernel void k(global int *g, constant int *c) {
  int *q = g;
  long d = q - g;
  d = c - q;
//      ^ expression/subtract
}
//# all | nested spaces in expressions
kernel void k(int n) {
  local int *private *ll = 0;
  global int *private *gl = 0;
  int b = ll == gl;
//           ~~ expression/nested
  long d = ll - gl;
//            ~ expression/nested
  n ? ll : gl;
//^^^^^^^^^^^ expression/nested
  b = ll < ll;
}
//# all | ?: on disjoint spaces
kernel void k(global int *g, local int *l, constant int *c, int n, global void *v) {
  global int *a = n ? g : g + 1;
  a = n ? g : 0;
  a = n ? NULL : g;
  a = n ? g : l;
//    ^^^^^^^^^ expression/conditional
  c = n ? c : l;
//    ^^^^^^^^^ expression/conditional
  v = n ? v : g;
  v = n ? v : l;
//    ^^^^^^^^^ expression/conditional
  l = n ? g : g;
//    ^^^^^^^^^ conversion/implicit
  constant char *s = n ? "a" : "b";
}
//# generic | ?: with a generic pointer
kernel void k(global int *g, constant int *c, int n) {
  int *q = g;
  q = n ? q : g;
  g = n ? g : q;
//    ^^^^^^^^^ conversion/implicit
  q = n ? c : q;
//    ^^^^^^^^^ expression/conditional
  void *v = n ? (void *)q : g;
}
//# generic | ?: on private and another space is disputed
kernel void k(global int *g, int n) {
  int b;
  local int c;
  int *p = n ? &b : &c;
//         ~~~~~~~~~~~ expression/conditional
  p = n ? g : &b;
//    ~~~~~~~~~~ expression/conditional
  global int *r = n ? g : &b;
//                ^^^^^^^^^^ expression/conditional
//                ~~~~~~~~~~ expression/conditional
}
//# no-generic | ?: on private and another space
kernel void k(global int *g, int n) {
  int b;
  int *p = n ? g : &b;
//         ^^^^^^^^^^ expression/conditional
}
//# all | addresses of objects
kernel void k(global int *g, constant int *c, int n) {
  int x;
  local int y;
  private int *a = &x;
  local int *b = &y;
  a = &n;
  a = &y;
//    ^^ conversion/implicit
  global int *d = &*g;
  d = &g[1];
  a = &g[1];
//    ^^^^^ conversion/implicit
  a = &c[1];
//    ^^^^^ conversion/implicit
  global int *private *e = &g;
  global int *global *f = &g;
//                        ^^ conversion/implicit
}
//# all | addresses of vector components
kernel void k(global float4 *g) {
  float4 v;
  private float *p = &v.x;
//                   ^^^^ expression/vector-component-address
  global float *q = &g->y;
//                  ^^^^^ expression/vector-component-address
  q = &g[0].s3;
//    ^^^^^^^^ expression/vector-component-address
  p = (private float *)&v;
  private float2 *h = &v.hi;
//                    ^^^^^ expression/vector-component-address
}
//# all | nothing in constant is written
constant int a = 1;
constant struct { int x; int y[2]; } s = {1, {2, 3}};
kernel void k(constant int *c, constant float4 *v) {
  a = 2;
//^ constant/write
  c[0] = 1;
//^^^^ constant/write
  *c += 1;
//^^ constant/write
  s.x++;
//^^^ constant/write
  s.y[1] = 3;
//^^^^^^ constant/write
  v->x = 1.0f;
//^^^^ constant/write
  c = c + 1;
  c++;
  "abc"[0] = 'x';
//^^^^^^^^ constant/write
  global int *constant p = 0;
  p = 0;
//^ constant/write
}
//# all | the left side of each assignment
kernel void k(global int *g, local int *l) {
  global int *a = g, *b = l;
//                        ^ conversion/implicit
  a = b = l;
//        ^ conversion/implicit
  struct { local int *p; } s;
  s.p = g;
//      ^ conversion/implicit
  local int *t[2];
  t[1] = g;
//       ^ conversion/implicit
  (&s)->p = l;
}
//# all | unevaluated operands are judged
kernel void k(global int *g, local int *l) {
  int n = sizeof(g == l);
//                 ^^ expression/compare
  typeof((local int *)g) p = l;
//       ^^^^^^^^^^^^^^ conversion/cast
  if (0) g = l;
//           ^ conversion/implicit
}
//# all | statement expressions and typeof
kernel void k(global int *g, local int *l) {
  typeof(g) p = g;
  typeof(*g) x = 1;
  global int *q = ({ int y = x; g + y; });
  p = ({ l; });
//    ^^^^^^^^ conversion/implicit
}
//# all | a type in parentheses behind a cast to a vector begins another cast, no vector literal
kernel void k(global float8 *g, float f) {
  g[0] = (float8)(float)0;
  g[1] = (float8)(float)f + (float8)(f);
  g[2] = (float8)((float)0, f, f, f, f, f, f, (float)(int)f);
}
