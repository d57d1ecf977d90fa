//# without a semicolon after a statement
kernel void k(global int *g, local int *l) {
  g = l //! conversion/implicit
  l = g; //! syntax //! conversion/implicit
  int x = 1
  int y = 2; //! syntax
  return
} //! syntax
//# without a semicolon after a declaration at program scope
constant int a = 1
constant int b; //! syntax //! initializer/constant-missing
kernel void k(void) { local int c = 1; } //! initializer/local
//# without a semicolon before a closing brace
kernel void k(global int *g, local int *l) {
  if (g) { g = l } //! conversion/implicit //! syntax
  l = g; //! conversion/implicit
}
//# without a semicolon after a prototype
void f(local int *p)
kernel void k(global int *g) { //! syntax
  f(g); //! conversion/implicit
}
//# without a semicolon after a member
struct s {
  int a
  global int b; //! syntax //! member/qualified
};
kernel void k(global struct s *s) { local int *p = &s->a; } //! conversion/implicit
//# without a closing brace
kernel void k(global int *g, local int *l) {
  g = l; //! conversion/implicit
kernel void m(global int *g, local int *l) { //! syntax
  l = g; //! conversion/implicit
}
//# without the closing brace of a block
kernel void k(global int *g, local int *l) {
  if (g) {
    g = l; //! conversion/implicit
  l = g; //! conversion/implicit
}
void f(void) { constant int a = 1; } //! syntax //! declaration/constant-outside-kernel
//# without the last closing brace
kernel void k(global int *g, local int *l) {
  g = l; //! conversion/implicit
//! syntax
//# without an opening brace
kernel void k(global int *g, local int *l)
  int x; //! syntax
  g = l;
}
kernel void m(global int *g, local int *l) { g = l; } //! conversion/implicit
//# with a closing brace too many
kernel void k(global int *g, local int *l) { g = l; } //! conversion/implicit
} //! syntax
kernel void m(global int *g, local int *l) { l = g; } //! conversion/implicit
//# without a closing parenthesis
kernel void k(global int *g, local int *l) {
  int x = min(1, 2; //! syntax
  g = l; //! conversion/implicit
  if (x { //! syntax
    l = g; //! conversion/implicit
  }
}
//# a for without one of its semicolons
kernel void k(global int *g, local int *l) {
  for (int i = 0; i < 3 i++) { //! syntax
    g = l; //! conversion/implicit
  }
  for (int i = 0, j; i < 3) l = g; //! syntax //! conversion/implicit
}
//# an unknown type
kernel void k(global int *g, local int *l) {
  matrix_t m = g; //! syntax
  m.x = 1;
  g = l; //! conversion/implicit
}
//# an expression that is none
kernel void k(global int *g, local int *l) {
  int x = 1 + ; //! syntax
  x = (2 * ) + 3; //! syntax
  g = l; //! conversion/implicit
}
//# an else without an if
kernel void k(global int *g, local int *l) {
  else g = l; //! syntax //! conversion/implicit
}
//# an if that is none, with an else
kernel void k(global int *g, local int *l) {
  if () g = l; else l = g; //! syntax //! conversion/implicit //! conversion/implicit
}
//# a parameter list that is none
kernel void k(global int *g, , local int *l) { //! syntax
  g = l;
}
kernel void m(global int *g, local int *l) { l = g; } //! conversion/implicit
//# six broken rules and four mistakes
constant int a; //! initializer/constant-missing
local int b; //! declaration/program-scope-space
struct s { local int c; } //! member/qualified
kernel void k(int *p, global int *g, local int *l) { //! parameter/kernel-pointee //! syntax
  g = l //! conversion/implicit
  l[0] = 1; *g = ; //! syntax //! syntax
  l = g //! conversion/implicit
} //! syntax
