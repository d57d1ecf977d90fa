//! Edits along the flow of pointers: what a value is converted to, combined with or written through.

use expectations::{
    dialect::{Dialect, Version},
    space::AddressSpace,
};

use super::{Edit, Make, Where};
use crate::random::{
    build::{Builder, pointers::Fit},
    tree::{Declaration, Expression, Fork, Statement},
    types::{FLOAT, FLOAT4, INT, Kind, Pointee, SCALARS, VALUES, VOID},
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
    make: fn(&mut Builder<'_>, Pointee) -> Option<Fork<Expression>>,
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
    /// The spaces pointers can point into.
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

    /// `T *v = ...` for an edge; the edit is made there.
    pub(super) fn declare_pointer(&mut self, wanted: Pointee) -> Statement {
        let known = self.variables.len();
        let first = self.declared(wanted);
        if self.pending.is_none() {
            return first;
        }
        // It cannot be shown on this pointer, which is not declared after all.
        self.variables.truncate(known);
        let inner = Pointee::new(self.choices.pick(&SCALARS), self.pointee_space());
        let to = self.types.pointer(inner);
        self.declared(Pointee { to, ..wanted })
    }

    fn declared(&mut self, wanted: Pointee) -> Statement {
        let ty = self.types.pointer(wanted);
        let initializer = Some(self.converted(ty, 1));
        let declaration = Declaration::plain(ty, self.local_name('v'), initializer);
        self.declare(&declaration, AddressSpace::Private, None);
        Statement::Declaration(declaration)
    }
}

fn another_space(builder: &mut Builder<'_>, wanted: Pointee) -> Option<Fork<Expression>> {
    let space = builder.space_where(|space| !wanted.space.encloses(space))?;
    builder.shape = between(wanted.space, "from", space);
    let control = builder.pointer(wanted, Fit::Same, 1);
    let edited = builder.pointer(Pointee { space, ..wanted }, Fit::Same, 1);
    Some(Fork { control, edited })
}

fn cast_from_elsewhere(builder: &mut Builder<'_>, wanted: Pointee) -> Option<Fork<Expression>> {
    let space = builder.space_where(|space| !wanted.space.overlaps(space))?;
    builder.shape = between(wanted.space, "cast from", space);
    let to = if builder.choices.one_in(3) { builder.choices.pick(&VALUES) } else { wanted.to };
    let control = builder.pointer(Pointee { to, ..wanted }, Fit::Same, 1);
    let edited = builder.pointer(Pointee { to, space, ..wanted }, Fit::Same, 1);
    let ty = builder.types.pointer(wanted);
    let cast = |inner| Expression::Cast(ty, Box::new(inner));
    Some(Fork { control: cast(control), edited: cast(edited) })
}

fn another_inner_space(builder: &mut Builder<'_>, wanted: Pointee) -> Option<Fork<Expression>> {
    let inner = builder.types.pointee(wanted.to)?;
    let space = builder.space_where(|space| space != inner.space)?;
    let to = builder.types.pointer(Pointee { space, ..inner });
    builder.shape = between(inner.space, "inside from", space);
    let control = builder.pointer(wanted, Fit::Same, 1);
    let edited = builder.pointer(Pointee { to, ..wanted }, Fit::Same, 1);
    Some(Fork { control, edited })
}

/// An operator over two pointers: both to `left` in the control, to `left` and `right` in the edited program.
fn combined(
    builder: &mut Builder<'_>,
    left: Pointee,
    right: Pointee,
    combine: impl Fn(Expression, Expression) -> Expression,
) -> Fork<Statement> {
    let first = builder.pointer(left, Fit::Same, 1);
    let neighbour = builder.pointer(left, Fit::Same, 1);
    let stranger = builder.pointer(right, Fit::Same, 1);
    let statement =
        |expression| Statement::Expression(Expression::Cast(VOID, Box::new(expression)));
    Fork {
        control: statement(combine(first.clone(), neighbour)),
        edited: statement(combine(first, stranger)),
    }
}

fn between(left: AddressSpace, relation: &str, right: AddressSpace) -> String {
    format!("{} {relation} {}", left.facts().name, right.facts().name)
}

/// Two pointees of one type in spaces no object can be in both of.
fn strangers(builder: &mut Builder<'_>) -> (Pointee, Pointee) {
    let left = builder.any_pointee();
    let space =
        builder.space_where(|space| !space.overlaps(left.space)).unwrap_or(AddressSpace::Global);
    (left, Pointee { space, ..left })
}

fn binary(operator: &'static str) -> impl Fn(Expression, Expression) -> Expression {
    move |left, right| Expression::Binary(operator, Box::new([left, right]))
}

fn compare(builder: &mut Builder<'_>) -> Fork<Statement> {
    let (left, right) = strangers(builder);
    let operator = builder.choices.pick(&[" == ", " != ", " < ", " >= "]);
    builder.shape = between(left.space, operator.trim(), right.space);
    combined(builder, left, right, binary(operator))
}

fn subtract(builder: &mut Builder<'_>) -> Fork<Statement> {
    let (left, right) = strangers(builder);
    builder.shape = between(left.space, "-", right.space);
    combined(builder, left, right, binary(" - "))
}

fn conditional(builder: &mut Builder<'_>) -> Fork<Statement> {
    let (left, mut right) = strangers(builder);
    let is_private = |pointee: Pointee| pointee.space == AddressSpace::Private;
    // Where generic encloses both, the text on private beside global or local has two readings.
    if builder.dialect.generic && (is_private(left) || is_private(right)) {
        right.space = AddressSpace::Constant;
    }
    let left = if left.space == right.space {
        Pointee { space: AddressSpace::Global, ..left }
    } else {
        left
    };
    builder.shape = between(left.space, ":", right.space);
    joined(builder, left, right)
}

/// The operands of ?:, which converts them to one type; comparisons convert neither.
fn joined(builder: &mut Builder<'_>, left: Pointee, right: Pointee) -> Fork<Statement> {
    let condition = builder.condition(1);
    combined(builder, left, right, move |first, second| {
        Expression::Conditional(Box::new([condition.clone(), first, second]))
    })
}

fn nested(builder: &mut Builder<'_>) -> Fork<Statement> {
    let inner = Pointee::new(builder.choices.pick(&SCALARS), builder.pointee_space());
    let space = builder.space_where(|space| space != inner.space).unwrap_or(AddressSpace::Constant);
    let outer = builder.pointee_space();
    let left = Pointee::new(builder.types.pointer(inner), outer);
    let right = Pointee::new(builder.types.pointer(Pointee { space, ..inner }), outer);
    builder.shape = between(inner.space, ":", space);
    joined(builder, left, right)
}

/// Read in the control, written in the edited program.
fn written(
    builder: &mut Builder<'_>,
    target: Expression,
    ty: crate::random::types::Ty,
) -> Fork<Statement> {
    let control = Statement::Expression(Expression::Cast(VOID, Box::new(target.clone())));
    let edited = match (builder.types.kind(ty), builder.choices.below(3)) {
        (Kind::Integer(_), 1) => Expression::Postfix(Box::new(target), "++"),
        (Kind::Integer(_) | Kind::Floating(_) | Kind::Vector(..), 2) => {
            let value = builder.value(ty, 1);
            Expression::Binary(" += ", Box::new([target, value]))
        }
        _ => {
            let value = builder.converted(ty, 1);
            Expression::Binary(" = ", Box::new([target, value]))
        }
    };
    let shape = match &edited {
        Expression::Postfix(..) => "incremented",
        Expression::Binary(" += ", _) => "added to",
        _ => "assigned",
    };
    shape.clone_into(&mut builder.shape);
    Fork { control, edited: Statement::Expression(edited) }
}

fn write_constant(builder: &mut Builder<'_>) -> Fork<Statement> {
    let place = builder.place_where(|types, spot| {
        spot.space == AddressSpace::Constant && !spot.is_const && types.is_assigned(spot.ty)
    });
    let (target, ty) = match place {
        Some((target, spot)) => (target, spot.ty),
        None => {
            let to = builder.choices.pick(&VALUES);
            let pointer = builder.null_of(Pointee::new(to, AddressSpace::Constant));
            (Expression::Prefix("*", Box::new(pointer)), to)
        }
    };
    written(builder, target, ty)
}

fn write_const(builder: &mut Builder<'_>) -> Fork<Statement> {
    let place = builder.place_where(|types, spot| {
        spot.space.facts().writable && spot.is_const && types.is_assigned(spot.ty)
    });
    let (target, ty) = match place {
        Some((target, spot)) => (target, spot.ty),
        None => {
            let to = builder.choices.pick(&VALUES);
            let pointee = Pointee { is_const: true, ..Pointee::new(to, AddressSpace::Global) };
            let null = builder.null_of(pointee);
            (Expression::Prefix("*", Box::new(null)), to)
        }
    };
    written(builder, target, ty)
}

/// A call whose pointer argument points into `good` in the control, into `bad` in the edited program.
fn called(
    builder: &mut Builder<'_>,
    good: Pointee,
    bad: AddressSpace,
    call: impl Fn(Expression) -> Expression,
) -> Fork<Statement> {
    let control = builder.pointer(good, Fit::Same, 1);
    let edited = builder.pointer(Pointee { space: bad, ..good }, Fit::Same, 1);
    Fork {
        control: Statement::Expression(call(control)),
        edited: Statement::Expression(call(edited)),
    }
}

fn written_argument(builder: &mut Builder<'_>) -> Fork<Statement> {
    let space =
        builder.choices.pick(&[AddressSpace::Global, AddressSpace::Private, AddressSpace::Local]);
    let (name, to) = builder.choices.pick(&[
        ("fract", FLOAT),
        ("frexp", INT),
        ("vstore4", FLOAT),
        ("modf", FLOAT),
    ]);
    let first = if name == "vstore4" { FLOAT4 } else { FLOAT };
    let value = builder.value(first, 1);
    let value = if first == FLOAT { Expression::Cast(FLOAT, Box::new(value)) } else { value };
    builder.shape = format!("{name} constant");
    called(builder, Pointee::new(to, space), AddressSpace::Constant, |pointer| {
        let arguments = if name == "vstore4" {
            vec![value.clone(), Expression::Number(0, ""), pointer]
        } else {
            vec![value.clone(), pointer]
        };
        Expression::CallBuiltin(name, arguments)
    })
}

fn prefetched(builder: &mut Builder<'_>) -> Fork<Statement> {
    let bad =
        builder.space_where(|space| space != AddressSpace::Global).unwrap_or(AddressSpace::Local);
    let good = Pointee {
        is_const: true,
        ..Pointee::new(builder.choices.pick(&VALUES), AddressSpace::Global)
    };
    builder.shape = format!("prefetch {}", bad.facts().name);
    called(builder, good, bad, |pointer| {
        Expression::CallBuiltin("prefetch", vec![pointer, Expression::Number(1, "")])
    })
}

fn atomic(builder: &mut Builder<'_>) -> Fork<Statement> {
    let good = builder.choices.pick(&[AddressSpace::Global, AddressSpace::Local]);
    let bad = builder
        .space_where(|space| !matches!(space, AddressSpace::Global | AddressSpace::Local))
        .unwrap_or(AddressSpace::Private);
    let name = builder.choices.pick(&["atomic_add", "atomic_xchg", "atomic_and"]);
    let good = Pointee { is_volatile: true, ..Pointee::new(INT, good) };
    builder.shape = format!("{name} {}", bad.facts().name);
    called(builder, good, bad, |pointer| {
        Expression::CallBuiltin(name, vec![pointer, Expression::Number(1, "")])
    })
}
