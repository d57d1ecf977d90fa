//# all | loads and stores
kernel void k(global int *g, local int *l, constant int *c) {
  int p[4];
  int4 v = vload4(0, g) + vload4(0, l) + vload4(0, c) + vload4(0, p);
  vstore4(v, 0, g);
  vstore4(v, 0, p);
  vstore4(v, 0, c);
//              ^ builtin/argument
}
//# all | results through pointers
kernel void k(constant float *c, global float *g) {
  float x;
  float r = fract(1.5f, &x) + fract(1.5f, g);
  r = modf(1.5f, c);
//               ^ builtin/argument
}
//# all | copies pair global and local
kernel void k(global int *g, local int *l, constant int *c) {
  event_t e = async_work_group_copy(l, g, 4, 0);
  e = async_work_group_copy(g, g, 4, e);
//                          ^ builtin/argument
  e = async_work_group_copy(l, c, 4, e);
//                             ^ builtin/argument
  prefetch(g, 4);
  prefetch(l, 4);
//         ^ builtin/argument
  wait_group_events(1, &e);
}
//# generic | generic pointers where they are taken
void f(int *q, local int *l, constant int *c) {
  int4 v = vload4(0, q);
  vstore4(v, 0, q);
  async_work_group_copy(l, q, 4, 0);
//                         ^ builtin/argument
  global int *g = to_global(q);
  local int *m = to_global(q);
//               ^^^^^^^^^^^^ conversion/implicit
  to_local(c);
//         ^ builtin/argument
}
//# generic | what a cast by function points to stays const
void f(const int *r) {
  *to_global(r) = 1;
//^^^^^^^^^^^^^ qualifier/const-write
}
//# no-generic | functions of the generic space
kernel void k(global int *g) {
  global int *q = to_global(g);
//                ^^^^^^^^^ builtin/unavailable
}
//# 1.2 2.0 3.0 | formats are in constant
kernel void k(void) {
  private char f[4] = "x\n";
  printf("%d\n", 1);
  printf(f);
//       ^ builtin/argument
}
//# 1.0 1.1 | predefined identifiers came with 1.2
kernel void k(void) { constant char *s = __func__; }
//                                       ^^^^^^^^ builtin/unavailable
//# all | the program's own function comes first
float fract(float x, constant float *p) { return x + *p; }
kernel void k(constant float *c, global float *g) {
  float a = fract(1.0f, c);
  a = fract(1.0f, g);
//                ^ conversion/implicit
}
//# 1.2 2.0 3.0 | the space of the function's name is not stated
kernel void k(void) {
  constant const char *a = __func__;
//                         ~~~~~~~~ -
  local const char *b = __func__;
//                      ^^^^^^^^ conversion/implicit
  printf("%s\n", __func__);
}
//# 1.0 1.1 1.2 | enumeration constants of later versions
constant int scope = memory_scope_work_group;
//                   ^^^^^^^^^^^^^^^^^^^^^^^ builtin/unavailable
kernel void k(global int *g) {
  g[0] = memory_order_relaxed;
//       ^^^^^^^^^^^^^^^^^^^^ builtin/unavailable
}
//# 3.0-none | enumeration constants of optional features
kernel void k(global int *g) {
  g[0] = memory_order_relaxed + memory_scope_work_group;
  g[1] = memory_order_seq_cst;
//       ^^^^^^^^^^^^^^^^^^^^ builtin/unavailable
}
//# 1.2 | names that a later version has are free
constant int memory_order_relaxed = 3;
kernel void k(global int *g) {
  int memory_scope_device = 2;
  g[0] = memory_order_relaxed + memory_scope_device;
}
