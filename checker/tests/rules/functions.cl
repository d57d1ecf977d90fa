//# all | what is returned has no space of its own
global int f(void) { return 1; }
//^1:6^ return/qualified
private int g(void) { return 1; }
//^1:7^ return/qualified
local int *h(local int *p) { return p; }
local int *private i(local int *p) { return p; }
//         ^^^^^^^ return/qualified
local int *global j(local int *p) { return p; }
//         ^^^^^^ return/qualified
typedef global int gint;
gint l(void) { return 1; }
//^1:4^ return/qualified
gint *m(global int *p) { return p; }
//# all | parameters are private
void f(global int a) {}
//     ^^^^^^ parameter/qualified
void g(local float4 a) {}
//     ^^^^^ parameter/qualified
void h(int *global a) {}
//          ^^^^^^ parameter/qualified
void i(global int *a) {}
void j(global int a[4]) {}
typedef constant int cint;
void l(cint a) {}
//     ^^^^ parameter/qualified
//# all | private on a parameter is disputed
void f(private int a, global int *private b) {}
//     ~~~~~~~ parameter/qualified
//                                ~~~~~~~ parameter/qualified
//# all | arrays as parameters point to their elements
void f(local int a[4], local int b[]) { a[0] = b[1]; a++; }
kernel void k(global int *g, local int *l) {
  f(l, l);
  f(g, l);
//  ^ conversion/implicit
}
//# all | arguments meet their parameters
void f(local int *x) { *x = 1; }
kernel void k(global int *g, local int *l, constant int *c) {
  f(l);
  f(g);
//  ^ conversion/implicit
  (f)(c);
//    ^ conversion/implicit
  f(0);
}
//# all | returned values meet the result
local int *f(global int *a) { return a; }
//                                   ^ conversion/implicit
local int *g(local int *a) { if (a) return a; return 0; }
//# generic | unqualified pointers are generic
void f(int *x) { *x = 1; }
int *g(global int *a) { return a; }
int *h(constant int *a) { return a; }
//                               ^ conversion/implicit
global int *i(int *a) { return a; }
//                             ^ conversion/implicit
kernel void k(global int *g, local int *l, constant int *c) {
  int x;
  f(g);
  f(l);
  f(&x);
  f(c);
//  ^ conversion/implicit
}
//# no-generic | unqualified pointers are private
void f(int *x) { *x = 1; }
int *g(global int *a) { return a; }
//                             ^ conversion/implicit
private int *h(int *a) { return a; }
kernel void k(global int *g) {
  int x;
  f(&x);
  f(g);
//  ^ conversion/implicit
}
//# all | a call's result keeps its space
local int *f(local int *a) { return a; }
void h(global int *x) { *x = 1; }
kernel void k(local int *l) { h(f(l)); }
//                              ^^^^ conversion/implicit
//# all | no variable number of arguments
void f(int n, ...) {}
//            ^^^ parameter/variadic
//# all | no pointers to functions
void f(global int *x) {}
kernel void k(global int *g) {
  void (*q)(global int *) = 0;
//      ^ type/function-pointer
  f(g);
}
typedef int (*callback)(int);
//           ^ type/function-pointer
int (*table[4])(int);
//   ^ type/function-pointer
//# all | functions are only called
int f(int a) { return a; }
kernel void k(global int *g) {
  g[0] = (int)f;
//            ^ type/function-pointer
  g[1] = (int)&f;
//            ^^ type/function-pointer
  g[2] = (*f)(1);
//         ^ type/function-pointer
}
//# all | a function as a parameter
void f(int g(int)) {}
//         ^ type/function-pointer
//# all | main
int main(void) { return 0; }
//  ^^^^ kernel/main
//# all | any function of a vendor may be called
kernel void k(global int *g, local int *l) { qcom_function(g, l, 1); g[0] = __other(l) + 1; global int *p = third_ext(l); }
