//! Edits along the flow of pointers: conversions, combinations and writes.

use expectations::{
    dialect::{Dialect, Version},
    space::AddressSpace,
};

use super::{Edit, Make, NUMBERS, Where};
use crate::random::{
    build::{Builder, places::Search, read},
    tree::{Expression, Fork, Form, Initializer, Node, Place, PlaceNode, Statement},
    types::{FLOAT, INT, Pointer, Scalar, Type, Types, UINT},
};

fn always(_: Dialect) -> bool {
    true
}

fn since_1_1(dialect: Dialect) -> bool {
    dialect.version >= Version::V1_1
}

const fn statement(
    breaks: &'static str,
    when: fn(Dialect) -> bool,
    make: fn(&mut Builder<'_>) -> Fork<Statement>,
) -> Edit {
    Edit { breaks, place: Where::Function, when, needs: &[], make: Make::Statement(make) }
}

const fn edge(
    breaks: &'static str,
    make: fn(&mut Builder<'_>, Pointer) -> Option<Fork<Expression>>,
) -> Edit {
    Edit { breaks, place: Where::Edge, when: always, needs: &[], make: Make::Edge(make) }
}

pub(super) static EDITS: [Edit; 12] = [
    edge("conversion/implicit", another_space),
    edge("conversion/cast", cast_from_elsewhere),
    edge("conversion/nested", another_inner_space),
    statement("expression/compare", always, compare),
    statement("expression/subtract", always, subtract),
    statement("expression/conditional", always, conditional),
    statement("expression/nested", always, nested),
    statement("constant/write", always, write_constant),
    statement("qualifier/const-write", always, write_const),
    statement("builtin/argument", always, written_argument),
    statement("builtin/argument", always, prefetched),
    statement("builtin/argument", since_1_1, atomic),
];

impl Builder<'_> {
    /// Returns the spaces pointers can point into.
    fn spaces(&self) -> impl Iterator<Item = AddressSpace> + use<> {
        let generic = self.dialect.generic;
        AddressSpace::ALL
            .into_iter()
            .filter(move |&space| generic || space != AddressSpace::Generic)
    }

    fn space_where(&mut self, wanted: impl Fn(AddressSpace) -> bool) -> Option<AddressSpace> {
        let spaces: Vec<AddressSpace> = self.spaces().filter(|&space| wanted(space)).collect();
        (!spaces.is_empty()).then(|| self.choices.pick(&spaces))
    }

    /// Declares `T *v = ...` for an edge; the edit is made there.
    pub(super) fn declare_pointer(&mut self, wanted: Pointer) -> Statement {
        let known = self.roots.len();
        let first = self.declare_edge(wanted);
        if self.pending.is_none() {
            return first;
        }
        // It cannot be shown on this pointer, which is not declared after all.
        self.roots.truncate(known);
        let inner = self.some_pointer();
        let to = self.type_of(inner);
        self.declare_edge(Pointer { to, ..wanted })
    }

    fn declare_edge(&mut self, wanted: Pointer) -> Statement {
        let ty = self.type_of(wanted);
        let value =
            self.converted(ty, self.depth).unwrap_or_else(|| Expression::new(ty, Node::Null));
        let variable = self.variable(ty, AddressSpace::Private, Some(Initializer::Value(value)));
        self.add_variable_roots(variable);
        Statement::Declare(variable)
    }

    /// Returns a pointer to a number in some space.
    fn some_pointer(&mut self) -> Pointer {
        let to = self.choices.pick(&NUMBERS);
        let spaces = self.pointer_spaces();
        Pointer::to(to, self.choices.pick(spaces))
    }
}

fn another_space(builder: &mut Builder<'_>, wanted: Pointer) -> Option<Fork<Expression>> {
    let space = builder.space_where(|space| !wanted.space.encloses(space))?;
    builder.shape = between(wanted.space, "from", space);
    let control = builder.exact_pointer(wanted);
    let edited = builder.exact_pointer(wanted.into_space(space));
    Some(Fork { control, edited })
}

fn cast_from_elsewhere(builder: &mut Builder<'_>, wanted: Pointer) -> Option<Fork<Expression>> {
    let space = builder.space_where(|space| !wanted.space.overlaps(space))?;
    builder.shape = between(wanted.space, "cast from", space);
    let to = if builder.choices.one_in(3) { builder.choices.pick(&NUMBERS) } else { wanted.to };
    let control = builder.exact_pointer(Pointer { to, ..wanted });
    let edited = builder.exact_pointer(Pointer { to, ..wanted }.into_space(space));
    let ty = builder.type_of(wanted);
    let cast = |inner| Expression::new(ty, Node::Cast(Box::new(inner)));
    Some(Fork { control: cast(control), edited: cast(edited) })
}

fn another_inner_space(builder: &mut Builder<'_>, wanted: Pointer) -> Option<Fork<Expression>> {
    let inner = builder.program.types.as_pointer(wanted.to)?;
    let space = builder.space_where(|space| space != inner.space)?;
    let to = builder.type_of(inner.into_space(space));
    builder.shape = between(inner.space, "inside from", space);
    let control = builder.exact_pointer(wanted);
    let edited = builder.exact_pointer(Pointer { to, ..wanted });
    Some(Fork { control, edited })
}

/// Combines two pointers: both to `left` in the control, to `left` and `right` in the edited program.
fn combined(
    builder: &mut Builder<'_>,
    left: Pointer,
    right: Pointer,
    combine: impl Fn(Expression, Expression) -> Statement,
) -> Fork<Statement> {
    let first = builder.exact_pointer(left);
    let neighbour = builder.exact_pointer(left);
    let stranger = builder.exact_pointer(right);
    Fork { control: combine(first.clone(), neighbour), edited: combine(first, stranger) }
}

fn between(left: AddressSpace, relation: &str, right: AddressSpace) -> String {
    format!("{} {relation} {}", left.facts().name, right.facts().name)
}

/// Returns two pointers to one type, in spaces that have no object in common.
fn strangers(builder: &mut Builder<'_>) -> (Pointer, Pointer) {
    let left = builder.any_pointer();
    let space =
        builder.space_where(|space| !space.overlaps(left.space)).unwrap_or(AddressSpace::Global);
    (left, left.into_space(space))
}

fn binary(pattern: &'static str) -> impl Fn(Expression, Expression) -> Statement {
    move |left, right| Form::simple(pattern, vec![left, right])
}

fn compare(builder: &mut Builder<'_>) -> Fork<Statement> {
    let (left, right) = strangers(builder);
    let (operator, pattern) = builder.choices.pick(&[
        ("==", "(void)({} == {});"),
        ("!=", "(void)({} != {});"),
        ("<", "(void)({} < {});"),
        (">=", "(void)({} >= {});"),
    ]);
    builder.shape = between(left.space, operator, right.space);
    combined(builder, left, right, binary(pattern))
}

fn subtract(builder: &mut Builder<'_>) -> Fork<Statement> {
    let (left, right) = strangers(builder);
    builder.shape = between(left.space, "-", right.space);
    combined(builder, left, right, binary("(void)({} - {});"))
}

fn conditional(builder: &mut Builder<'_>) -> Fork<Statement> {
    let (left, mut right) = strangers(builder);
    let is_private = |pointer: Pointer| pointer.space == AddressSpace::Private;
    // Where generic encloses both, the text on private beside global or local has two readings.
    if builder.dialect.generic && (is_private(left) || is_private(right)) {
        right = right.into_space(AddressSpace::Constant);
    }
    let left = if left.space == right.space { left.into_space(AddressSpace::Global) } else { left };
    builder.shape = between(left.space, ":", right.space);
    joined(builder, left, right)
}

/// Combines the operands of `?:`, which converts them to one type; comparisons convert neither.
fn joined(builder: &mut Builder<'_>, left: Pointer, right: Pointer) -> Fork<Statement> {
    let condition = builder.condition(1);
    combined(builder, left, right, move |first, second| {
        Form::simple("(void)({} ? {} : {});", vec![condition.clone(), first, second])
    })
}

fn nested(builder: &mut Builder<'_>) -> Fork<Statement> {
    let inner = builder.some_pointer();
    let space = builder.space_where(|space| space != inner.space).unwrap_or(AddressSpace::Constant);
    let spaces = builder.pointer_spaces();
    let outer = builder.choices.pick(spaces);
    let left = Pointer::to(builder.type_of(inner), outer);
    let right = Pointer::to(builder.type_of(inner.into_space(space)), outer);
    builder.shape = between(inner.space, ":", space);
    joined(builder, left, right)
}

/// Reads a number in a place like these in the control, and writes it in the edited program.
fn written(
    builder: &mut Builder<'_>,
    is_one: impl Fn(AddressSpace, bool) -> bool,
    otherwise: Pointer,
) -> Fork<Statement> {
    let scalar = builder.choices.pick(&[Scalar::Uint, Scalar::Int, Scalar::Float, Scalar::Long]);
    let ty = Types::scalar(scalar);
    let found = builder.place(Search::Type(ty), |root| is_one(root.space, root.is_writable));
    let place = match found {
        Some((place, _)) => place,
        None => {
            let pointer = builder.exact_pointer(Pointer { to: ty, ..otherwise });
            Place { ty, node: PlaceNode::Target(Box::new(pointer), None) }
        }
    };
    let target = read(place);
    let (shape, pattern) = match builder.choices.below(3) {
        1 if !scalar.is_float() => ("incremented", "({})++;"),
        2 => ("added to", "{} += {};"),
        _ => ("assigned", "{} = {};"),
    };
    shape.clone_into(&mut builder.shape);
    let control = Form::simple("(void){};", vec![target.clone()]);
    let value = builder.number_of(scalar, 1);
    Fork { control, edited: Form::simple(pattern, vec![target, value]) }
}

fn write_constant(builder: &mut Builder<'_>) -> Fork<Statement> {
    let otherwise = Pointer::to(UINT, AddressSpace::Constant);
    written(builder, |space, _| space == AddressSpace::Constant, otherwise)
}

fn write_const(builder: &mut Builder<'_>) -> Fork<Statement> {
    let otherwise = Pointer { is_const: true, ..Pointer::to(UINT, AddressSpace::Global) };
    written(
        builder,
        |space, is_writable| space != AddressSpace::Constant && !is_writable,
        otherwise,
    )
}

/// Calls a function whose pointer points into `good` in the control, into `bad` in the edited program.
fn called(
    builder: &mut Builder<'_>,
    pattern: &'static str,
    good: Pointer,
    bad: AddressSpace,
    before: &[Expression],
) -> Fork<Statement> {
    let call = |pointer| {
        let values = before.iter().cloned().chain([pointer]).collect();
        Form::simple(pattern, values)
    };
    let control = call(builder.exact_pointer(good));
    let edited = call(builder.exact_pointer(good.into_space(bad)));
    Fork { control, edited }
}

fn written_argument(builder: &mut Builder<'_>) -> Fork<Statement> {
    let space =
        builder.choices.pick(&[AddressSpace::Global, AddressSpace::Private, AddressSpace::Local]);
    let (name, pattern, to) = builder.choices.pick(&[
        ("fract", "fract({}, {});", FLOAT),
        ("frexp", "frexp({}, {});", INT),
        ("vstore4", "vstore4({}, 0, {});", FLOAT),
        ("modf", "modf({}, {});", FLOAT),
    ]);
    let value = if name == "vstore4" {
        let ty = builder.program.types.intern(Type::Vector(Scalar::Float, 4));
        builder.vector(ty, Scalar::Float, 4, 1)
    } else {
        builder.number_of(Scalar::Float, 1)
    };
    builder.shape = format!("{name} constant");
    called(builder, pattern, Pointer::to(to, space), AddressSpace::Constant, &[value])
}

fn prefetched(builder: &mut Builder<'_>) -> Fork<Statement> {
    let bad =
        builder.space_where(|space| space != AddressSpace::Global).unwrap_or(AddressSpace::Local);
    let to = builder.choices.pick(&NUMBERS);
    let good = Pointer { is_const: true, ..Pointer::to(to, AddressSpace::Global) };
    builder.shape = format!("prefetch {}", bad.facts().name);
    called(builder, "prefetch({}, 1);", good, bad, &[])
}

fn atomic(builder: &mut Builder<'_>) -> Fork<Statement> {
    let good = builder.choices.pick(&[AddressSpace::Global, AddressSpace::Local]);
    let bad = builder
        .space_where(|space| !matches!(space, AddressSpace::Global | AddressSpace::Local))
        .unwrap_or(AddressSpace::Private);
    let (name, pattern) = builder.choices.pick(&[
        ("atomic_add", "atomic_add({}, 1);"),
        ("atomic_xchg", "atomic_xchg({}, 1);"),
        ("atomic_and", "atomic_and({}, 1);"),
    ]);
    let good = Pointer { is_volatile: true, ..Pointer::to(INT, good) };
    builder.shape = format!("{name} {}", bad.facts().name);
    called(builder, pattern, good, bad, &[])
}
