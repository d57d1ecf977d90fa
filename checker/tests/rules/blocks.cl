//# device-enqueue | blocks keep the spaces of what they take
kernel void k(global int *g, local int *l) {
  void (^a)(global int *) = ^(global int *x) { *x = 1; };
  void (^b)(local int *) = ^(global int *x) { *x = 1; };
//                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ block/type-mismatch
  void (^c)(void) = ^{ global int *q = l; };
//                                     ^ conversion/implicit
  void (^d)(void) = ^{ local int *q = l; };
  a(g);
  a(l);
//  ^ conversion/implicit
  c();
}
//# device-enqueue | captured variables are const
kernel void k(global int *g, int n) {
  int x = 0;
  int t[2] = {1, 2};
  struct { int a; } s;
  static global int y = 0;
  local int z;
  void (^a)(void) = ^{ x = 1; };
//                     ^ block/capture-write
  void (^b)(void) = ^{ y = 1; z = 2; g[0] = x; t[0] = 1; };
  void (^c)(int) = ^(int m) { int o = n; o = m; m = 1; };
  void (^d)(void) = ^{ s.a = 1; n++; };
//                     ^^^ block/capture-write
//                              ^ block/capture-write
  void (^e)(void) = ^{ ^{ x = 2; }; };
//                        ^ block/capture-write
}
//# device-enqueue | a captured array points into its space
kernel void k(void) {
  int x[2] = {0, 1};
  void (^a)(void) = ^{ const int *p = x; };
  void (^b)(void) = ^{ global const int *p = x; };
//                                           ^ conversion/implicit
}
//# device-enqueue | blocks at program scope
int v = 0;
int (^a)(void) = ^{ return v; };
int (^b)(void);
//    ^ block/initializer
typedef float (^B)(float, float);
B c = ^(float x, float y) { return x + y; };
kernel void k(global float *g) { g[0] = c(1, 2) + a(); }
//# device-enqueue | block variables are not assigned
kernel void k(int n) {
  int (^a)(int) = ^(int x) { return x; };
  a = ^(int x) { return x + n; };
//^ block/initializer
}
//# device-enqueue | no pointers to blocks, no arrays of them
typedef int (^B)(int);
kernel void k(void) {
  B b = ^(int x) { return x; };
  B *p;
//  ^ type/block-pointer
  B a[2];
//   ^^^ type/block-pointer
  &b;
//^^ type/block-pointer
  *b;
//^^ type/block-pointer
}
//# device-enqueue | parameters of blocks are parameters
kernel void k(void) {
  void (^b)(int) = ^(local int x) {};
//                   ^^^^^ parameter/qualified
  void (^c)(int, ...) = 0;
//               ^^^ parameter/variadic
}
//# device-enqueue | enqueued blocks take pointers to local void
kernel void k(queue_t q, global int *g) {
  ndrange_t n = ndrange_1D(4);
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, n, ^{ g[0] = 1; });
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, n, ^(local void *p) {}, 4u);
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, n, ^(global void *p) {}, 4u);
//                                                                   ^ block/enqueue-parameter
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, n, ^(local int *p) {}, 4u);
//                                                                 ~ block/enqueue-parameter
  g[0] = get_kernel_work_group_size(^(global void *p) {});
//                                                 ^ block/enqueue-parameter
  g[0] = get_kernel_work_group_size(^(local void *p) {});
}
//# device-enqueue | local variables in a block literal are disputed
kernel void k(void) {
  void (^a)(void) = ^{ local int x; x = 1; };
//                     ~~~~~ declaration/local-nested-scope
  void (^b)(void) = ^{ if (1) { local int y; } };
//                              ^^^^^ declaration/local-nested-scope
}
void f(void) {
  void (^a)(void) = ^{ local int x; };
//                     ^^^^^ declaration/local-outside-kernel
}
//# device-enqueue | return types are inferred
kernel void k(global int *g) {
  global int *(^a)(void) = ^{ return g; };
  local int *(^b)(void) = ^{ return g; };
//                        ^^^^^^^^^^^^^^ block/type-mismatch
  int (^c)(int) = ^int(int x) { if (x) return 1; return x; };
  g = a();
  local int *l = a();
//               ^^^ conversion/implicit
}
//# device-enqueue | blocks as arguments
void f(global int *x, int (^b)(int, int)) { *x = b(*x, *x); }
kernel void k(global int *x, global int *z) {
  f(x, ^int(int x, int y) { return x + y + *z; });
}
