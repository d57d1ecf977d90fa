//! Edits that change nothing: another spelling, order, typedef, macro or place of the same declaration.

use expectations::dialect::Dialect;

use super::{Edit, Make, Where};
use crate::random::{
    tree::{Expression, Node, Place, PlaceNode},
    types::UINT,
};
use Where::{Function, Kernel, Program};

fn always(_: Dialect) -> bool {
    true
}

fn globals(dialect: Dialect) -> bool {
    dialect.program_scope_globals
}

fn no_generic(dialect: Dialect) -> bool {
    !dialect.generic
}

const fn text(
    place: Where,
    when: fn(Dialect) -> bool,
    control: &'static str,
    edited: &'static str,
) -> Edit {
    Edit { breaks: "", place, when, needs: &[], make: Make::Text { control, edited } }
}

const fn rewritten(make: fn(Expression) -> Expression) -> Edit {
    Edit { breaks: "", place: Where::Edge, when: always, needs: &[], make: Make::Rewrite(make) }
}

#[rustfmt::skip]
pub(super) static EDITS: [Edit; 28] = [
    text(Function, always, "int %n = %i;", "private int %n = %i;"),
    text(Function, always, "int %n = %i;", "int __private %n = %i;"),
    text(Function, always, "%T %n;", "%T private %n;"),
    text(Function, always, "%S %T *%n = 0;", "%s %T *%n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "%T %S *%n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "%S %T *%n;\n%n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "%S %T *private %n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "typedef %S %T %m;\n%m *%n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "typedef %S %T *%m;\n%m %n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "#define %N %S\n%N %T *%n = 0;"),
    text(Function, always, "%S %T *%n = 0;", "#define %N(a) %S a *\n%N(%T) %n = 0;"),
    text(Function, always, "%S %T *%n = 0, *%m = %n;", "%S %T *%n = 0;\n%S %T *%m = %n;"),
    text(Function, no_generic, "%T *%n = 0;", "private %T *%n = 0;"),
    text(Kernel, always, "local %T %n[2];", "%T local %n[2];"),
    text(Kernel, always, "constant %T %n = %k;", "__constant %T %n = %k;"),
    text(Kernel, always, "constant %T %n = %k;", "const constant %T %n = %k;"),
    text(Program, always, "constant %T %N = %k;", "%T constant %N = %k;"),
    text(Program, always, "constant %T %N = %k;", "typedef constant %T %M;\n%M %N = %k;"),
    text(Program, always, "constant %T %N = %k;", "#define %M __constant\n%M %T %N = %k;"),
    text(Program, globals, "global %T %N;", "%T %N;"),
    text(Program, globals, "global %T %N = %k;", "global %T %N;\nglobal %T %N = %k;"),
    text(Program, always, "int %N(%S %T *%n) { return 0; }", "int %N(%S %T *%n);\nint %N(%S %T *%n) { return 0; }"),
    text(Program, always, "int %N(%S %T *%n) { return 0; }", "int %N(%S %T %n[]) { return 0; }"),
    text(Program, always, "int %N(%S %T *%n) { return 0; }", "int %N(%s %T *const %n) { return 0; }"),
    text(Program, always, "kernel void %N(%Z %P *%n) { }", "__kernel void %N(%P %Z *%n) { }"),
    rewritten(cast_to_itself),
    rewritten(stepped),
    rewritten(dereferenced),
];

fn cast_to_itself(pointer: Expression) -> Expression {
    Expression::new(pointer.ty, Node::Cast(Box::new(pointer)))
}

fn stepped(pointer: Expression) -> Expression {
    let zero = Box::new(Expression::literal(UINT, 0));
    Expression::new(pointer.ty, Node::Offset(Box::new(pointer), zero))
}

fn dereferenced(pointer: Expression) -> Expression {
    let ty = pointer.ty;
    // Nothing there has a value that is used.
    let target = Place { ty: UINT, node: PlaceNode::Target(Box::new(pointer), None) };
    Expression::new(ty, Node::Address(target))
}
