//# all | members have no space of their own
struct s { global int a; };
//         ^^^^^^ member/qualified
struct t { private int a; int b; };
//         ^^^^^^^ member/qualified
struct u { int *local p; };
//              ^^^^^ member/qualified
struct v { constant int a[4]; };
//         ^^^^^^^^ member/qualified
typedef local int lint;
struct w { lint a; };
//         ^^^^ member/qualified
union x { local float a; int b; };
//        ^^^^^ member/qualified
struct y { global struct { int a; } s; };
//         ^^^^^^ member/qualified
struct z { global int *g; local float *l; constant char *c; };
//# all | a member is where its object is
struct s { int a; int t[2]; struct { int b; } i; };
kernel void k(global struct s *g, constant struct s *c) {
  private int *q = &g->a;
//                 ^^^^^ conversion/implicit
  global int *r = &g->a;
  r = g->t;
  r = &g->i.b;
  struct s p;
  q = &p.a;
  q = p.t;
  r = p.t;
//    ^^^ conversion/implicit
  c->i.b = 1;
//^^^^^^ constant/write
  q = c->t;
//    ^^^^ conversion/implicit
}
//# generic | an unqualified member points to generic
struct s { int *a; };
kernel void k(global int *g, constant int *c) {
  struct s s;
  s.a = g;
  s.a = c;
//      ^ conversion/implicit
}
//# no-generic | an unqualified member points to private
struct s { int *a; };
kernel void k(global int *g) {
  struct s s;
  s.a = g;
//      ^ conversion/implicit
}
//# all | lists name the space of the next element
struct node { int n; global struct node *next; };
kernel void k(global struct node *g, local int *l) {
  g = g->next->next;
  local struct node *m = g->next;
//                       ^^^^^^^ conversion/implicit
  private int *p = &g->next->n;
//                 ^^^^^^^^^^^ conversion/implicit
}
//# all | anonymous members
struct s { int a; union { int b; struct { int c; global int *g; }; }; };
kernel void k(local struct s *l, global int *g) {
  l->g = g;
  l->g = l;
//       ^ conversion/implicit
  global int *p = &l->c;
//                ^^^^^ conversion/implicit
  struct s s = {.c = 1, .g = g};
}
//# all | unions of pointers
union u { global int *g; local int *l; };
kernel void k(global int *g, local int *l) {
  union u u;
  u.g = g;
  u.l = l;
  u.g = l;
//      ^ conversion/implicit
}
//# all | no member without a size
struct s { int n; int a[]; };
//                    ^ declaration/array-size
struct t { int n[2]; };
//# all | bit-fields are read over
struct s { int a : 3; unsigned b : 5, : 0, c : 1; };
kernel void k(global struct s *s) { s->a = s->b + s->c; }
