//# all | declarators
typedef int A[4];
typedef A *PA;
kernel void k(global int *g, local int *l) {
  global int *a[2], *(*b)[2] = &a, (*c)[4] = 0, **d = a;
  A e;
  PA f = &e;
  int g1 = sizeof(int(*)[3]) + sizeof(A *) + sizeof(int[2][3]);
  a[0] = (*b)[1] = d[0];
  a[1] = l;
//       ^ conversion/implicit
  (*b)[0] = l;
//          ^ conversion/implicit
}
//# all | statements
kernel void k(global int *g, int n) {
  for (int i = 0, j = 1; i < n; ++i, --j) { if (i == 3) continue; else if (i > 4) break; else g[i] = j; }
  while (n--) ;
  do { n++; } while (n < 10);
  switch (n) { case 1: case 2 ... 5: g[0] = 1; break; default: g[1] = 2; }
again:
  if (n) goto again;
  { int n = 1; g[n] = n; }
  ;
  return;
}
//# all | vectors
kernel void k(global float4 *g, global float *h, int n) {
  float4 v = (float4)(1.0f, (float2)(2.0f, 3.0f), 4.0f), w = (float4)1.0f;
  float2 a = v.xy, b = v.hi, c = v.s03, d = v.even;
  v.xz = w.yw;
  v.lo = (float2)(0);
  v.s3 = w.w;
  float16 x = (float16)(v, w, v, w);
  float s = x.sF + x.sa + v.r;
  int4 m = v < w;
  v = m ? v : w;
  v = convert_float4_rte(m) + as_float4(m);
  uchar4 u = convert_uchar4_sat(v);
  g[n] = v * 2.0f + s;
  h[n] = dot(v, w);
  g[n].x += 1.0f;
  int step = vec_step(float4) + vec_step(v);
}
//# all | attributes anywhere
typedef struct __attribute__((packed)) { char a; int b; } __attribute__((aligned(8))) P;
__attribute__((always_inline)) inline int f(int a) { return a; }
int g(int a) __attribute__((pure));
typedef float vec8 __attribute__((ext_vector_type(8)));
__kernel __attribute__((vec_type_hint(float4))) void k(__global P *p __attribute__((unused))) {
  int a __attribute__((aligned(16))) = f(1);
  __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; i++) p[i].b = a;
#pragma unroll 4
  for (int i = 0; i < 4; i++) p[i].b = a;
  vec8 v = (vec8)(1.0f);
  p->b = (int)v.s7;
}
//# all | scopes of typedef names
typedef int T;
int f(int T) { T = 1; { typedef float T; T x = 1.0f; } return T; }
T g(T T1) { int T = 2; return T * T1; }
struct T { T T; };
kernel void k(global struct T *p) { p->T = sizeof(T); }
//# all | enumerations and unions
enum color { RED, GREEN = 4, BLUE };
kernel void k(global int *g) {
  enum color c = BLUE;
  union { int i; float f; uchar b[4]; } u;
  u.f = 1.0f;
  g[0] = u.i + c + GREEN;
  _Static_assert(BLUE == 5, "values count up");
}
//# 1.0 1.1 1.2 3.0-none | an enumeration's variable is a variable
enum color { RED } c1;
//                 ^^ declaration/global-unsupported
//# all | literals
kernel void k(global long *g, global float *f) {
  g[0] = 1 + 2u + 3L + 4UL + 0x10 + 010 + 'a' + '\n' + '\x41';
  f[0] = 1.0f + .5f + 1e3f + 0x1.8p3f + 1.f;
}
//# all | one mistake is one finding
kernel void k(global int *g, local int *l) {
  global int *p = (global int *)l;
//                ^^^^^^^^^^^^^^^ conversion/cast
  local int *q = (global int *)(l == g ? l : l);
//               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ conversion/cast
//               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ conversion/implicit
//                                ^^ expression/compare
  p = intel_function(g);
  l = intel_function(l)->x[1](g);
}
//# 1.0 1.1 1.2 | a flag that no text of these versions has
kernel void k(void) {
  barrier(CLK_IMAGE_MEM_FENCE);
//        ~~~~~~~~~~~~~~~~~~~ -
}
//# globals | a device query as a name
global char c[CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE];
//            ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ -
//# all | kernels written in other orders
void kernel k(int global *g, __constant int const *c) { *g = *c; }
__kernel __attribute__((reqd_work_group_size(1,1,1))) void __attribute__((unused)) l(global int *g);
//# all | operators bind as in C
typedef int A[1 + 2 * 3 - 8 / 2 == 3 ? 1 : -1];
typedef int B[(1 | 6 & 3 ^ 2) == 1 && 7 - 2 - 1 == 4 ? 1 : -1];
typedef int C[1 << 2 + 1 == 8 == 1 || 0 ? 1 : -1];
typedef int D[16 >> 2 >> 1 == 2 && 5 % 3 * 2 == 4 && !(1 > 2 != 0) ? 1 : -1];
typedef int E[0 ? -1 : 1 ? 2 : -1];
typedef int F[-1 - -3 == 2 && ~0 + 1 == 0 && (int)3.7f + 0 ? 1 : -1];
typedef int G[2 - 3];
//            ^^^^^ declaration/array-size
