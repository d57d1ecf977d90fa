//# all | pointers of a kernel point to a named space
kernel void a(global int *x, local float4 *y, constant char *z) {}
kernel void b(int *x) {}
//                 ^ parameter/kernel-pointee
kernel void c(private int *x) {}
//                         ^ parameter/kernel-pointee
kernel void d(int x[]) {}
//                ^ parameter/kernel-pointee
kernel void e(private int x[4]) {}
//                        ^ parameter/kernel-pointee
kernel void f(global int x[4]) {}
kernel void g(void *v) {}
//                  ^ parameter/kernel-pointee
kernel void h(global void *v);
kernel void i(int *v);
//                 ^ parameter/kernel-pointee
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void j(int *x) {}
//                                                                  ^ parameter/kernel-pointee
//# 1.0 1.1 1.2 | no pointers to pointers before 2.0
kernel void k(global int *global *p) {}
//                                ^ parameter/kernel-pointer-to-pointer
kernel void l(global int *constant p[2]) {}
//                                 ^ parameter/kernel-pointer-to-pointer
void f(global int *private *p) {}
//# 2.0 3.0 3.0-none | pointers to pointers
kernel void k(global int *global *p) {}
kernel void l(int *global *p) {}
//                         ~ parameter/kernel-pointee
//# all | by value
kernel void k(local int x) {}
//            ^^^^^ parameter/qualified
kernel void l(size_t n) {}
//                   ^ parameter/kernel-type
kernel void m(bool b, ptrdiff_t a, intptr_t i, uintptr_t u) {}
//                 ^ parameter/kernel-type
//                              ^ parameter/kernel-type
//                                          ^ parameter/kernel-type
//                                                       ^ parameter/kernel-type
struct s { int n; struct { size_t a[2]; } i; };
kernel void n(struct s s) {}
//                     ^ parameter/kernel-type
kernel void o(global struct s *s, global size_t *p) {}
typedef size_t mine;
kernel void p(mine n) {}
//                 ^ parameter/kernel-type
kernel void q(event_t e) {}
//                    ^ type/event-use
struct t { global int *p; };
kernel void r(struct t t) {}
//                     ~ parameter/kernel-type
//# all | a kernel returns void
kernel int k(void) { return 0; }
//         ^ kernel/return-type
kernel global void l(void) {}
//     ^^^^^^ return/qualified
kernel int *m(global int *p);
//          ^ kernel/return-type
//# all | calling a kernel is a call
kernel void a(local int *x) { x[0] = 1; }
kernel void k(global int *g, local int *l) {
  a(l);
  a(g);
//  ^ conversion/implicit
}
//# all | prototype and definition agree
kernel void k(global int *g);
kernel void k(local int *g) { g[0] = 1; }
//          ^ declaration/conflicting
//# all | main
kernel void main(global int *g) { g[0] = 1; }
//          ^^^^ kernel/main
//# 2.0 3.0 | types without a meaning on the host
kernel void k(clk_event_t e, ndrange_t r, reserve_id_t i, queue_t q) {}
//                        ~ parameter/kernel-type
//                                     ~ parameter/kernel-type
//                                                     ~ parameter/kernel-type
//# all | attributes change nothing
__attribute__((reqd_work_group_size(8, 8, 1))) __attribute__((vec_type_hint(float4)))
kernel void k(__global __attribute__((nosvm)) float *a, __constant float *b __attribute__((aligned(16)))) { a[0] = b[0]; }
//# all | a kernel by its prototype
kernel void k(global int *g);
void k(global int *g) { local int a; a = 1; }
