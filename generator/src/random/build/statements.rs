//! Statements and the declarations among them.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, Place, Scope, Variable};
use crate::random::{
    settings::Feature,
    tree::{Declaration, Expression, Statement},
    types::{ATOMIC_FLAG, ATOMICS, CHAR, INT, Kind, Ty, VOID},
};

impl Builder<'_> {
    /// The statements of one scope.
    pub(super) fn statements(&mut self, most: u32) -> Vec<Statement> {
        let mut statements = Vec::new();
        self.repeat(most, |builder| {
            builder.statement_faults(&mut statements);
            let statement = builder.statement();
            statements.push(statement);
        });
        statements
    }

    fn inner(&mut self) -> Vec<Statement> {
        let place = if self.place == Place::Helper { Place::Helper } else { Place::Nested };
        self.scoped(place, |builder| {
            let mut statements = builder.statements(builder.limits.statements / 2);
            builder.statement_faults(&mut statements);
            statements
        })
    }

    fn looped(&mut self) -> Vec<Statement> {
        let mut body = self.inner();
        if self.one_in_with(Feature::Jumps, 3) {
            body.push(Statement::Jump(self.choices.pick(&["break", "continue"])));
        }
        body
    }

    fn statement(&mut self) -> Statement {
        let kinds = if self.depth > self.limits.depth { 12 } else { 20 };
        match self.choices.below(kinds) {
            0..=3 => self.local_declaration(),
            7 => Statement::Expression(self.writing_builtin(1)),
            8 => self.call_statement(),
            9 if self.has(Feature::Blocks) && self.choices.one_in(2) => self.closure(),
            9 | 10 if self.has(Feature::Atomics) => Statement::Expression(self.atomic_statement(1)),
            10 | 11 if self.has(Feature::Images) => {
                let write = self.image_write(1);
                write.map_or(Statement::Nothing, Statement::Expression)
            }
            11 if self.choices.one_in(4) => Statement::Nothing,
            12 if self.has(Feature::Loops) => {
                let condition = self.condition(self.limits.fuel);
                let body = self.looped();
                Statement::While(condition, body)
            }
            13 if self.has(Feature::Loops) => {
                let body = self.looped();
                let condition = self.condition(self.limits.fuel);
                Statement::Do(body, condition)
            }
            14 if self.has(Feature::Loops) => self.counted_loop(),
            15 if self.has(Feature::Jumps) => self.switch(),
            16 if self.has(Feature::Jumps) => {
                let label = self.local_name('l');
                let body = self.inner();
                if self.choices.one_in(3) {
                    let condition = self.condition(1);
                    Statement::Again(label, body, condition)
                } else {
                    Statement::Goto(label, body)
                }
            }
            17 if self.has(Feature::Jumps) => self.early_return(),
            18 => Statement::Block(self.inner()),
            19 => {
                let condition = self.condition(self.limits.fuel);
                let then = self.inner();
                let otherwise = self.choices.one_in(2).then(|| self.inner());
                Statement::If(condition, then, otherwise)
            }
            // What the program is without as well.
            _ => self.assignment(),
        }
    }

    fn switch(&mut self) -> Statement {
        let value = self.value(INT, 1);
        let count = 1 + self.choices.below(3);
        let cases = (0..count)
            .map(|_| {
                let mut case = self.inner();
                // Without a break it falls through to the next.
                if self.choices.below(4) < 3 {
                    case.push(Statement::Jump("break"));
                }
                case
            })
            .collect();
        Statement::Switch(value, cases)
    }

    fn early_return(&mut self) -> Statement {
        let condition = self.condition(1);
        let value = match self.result {
            Some(VOID) | None => None,
            Some(result) => Some(self.converted(result, 1)),
        };
        Statement::If(condition, vec![Statement::Return(value)], None)
    }

    /// A call for what it does: of a function that gives nothing, or whose value is not used.
    fn call_statement(&mut self) -> Statement {
        match self.callee_where(|_, _| true) {
            Some(index) => Statement::Expression(self.call(index, 1)),
            None => self.assignment(),
        }
    }

    fn counted_loop(&mut self) -> Statement {
        let place = if self.place == Place::Helper { Place::Helper } else { Place::Nested };
        self.scoped(place, |builder| {
            let (name, hides) = builder.inner_name('i');
            let space = builder.choices.one_in(4).then_some(AddressSpace::Private);
            let initializer = Some(builder.value(INT, 1));
            let counter = Declaration { space, ..Declaration::plain(INT, name, initializer) };
            builder.declare(&counter, AddressSpace::Private, hides);
            let limit = Expression::Number(builder.choices.below(8), "");
            let condition = Expression::Binary(" < ", Box::new([Expression::Name(name), limit]));
            let step = if builder.choices.one_in(2) {
                Expression::Prefix("++", Box::new(Expression::Name(name)))
            } else {
                Expression::Postfix(Box::new(Expression::Name(name)), "++")
            };
            let body = builder.looped();
            Statement::For(counter, condition, step, body)
        })
    }

    /// From now on it can be used.
    pub(in crate::random) fn declare(
        &mut self,
        declaration: &Declaration,
        space: AddressSpace,
        hides: Option<usize>,
    ) {
        let variable = Variable::of(declaration, space, Scope::Function);
        self.variables.push(Variable { hides, ..variable });
    }

    fn local_declaration(&mut self) -> Statement {
        if self.place == Place::Kernel {
            if self.one_in_with(Feature::Atomics, 4) {
                return self.local_atomic();
            }
            if self.one_in_with(Feature::Images, 6) {
                let sampler = self.sampler('v', false);
                self.declare(&sampler, AddressSpace::Constant, None);
                return Statement::Declaration(sampler);
            }
        }
        let (storage, space) = self.storage_and_space();
        let text = if space == AddressSpace::Local { None } else { self.text_type() };
        let ty = text.unwrap_or_else(|| self.object_type());
        let (name, hides) = self.inner_name('v');
        let is_private = space == AddressSpace::Private;
        let is_written = !is_private || self.style.explicit_private || self.choices.one_in(8);
        let is_local = space == AddressSpace::Local;
        let is_const = !is_local && self.choices.one_in(6);
        let initializer = match space {
            AddressSpace::Local => None,
            _ if text.is_some() => Some(self.text_initializer()),
            AddressSpace::Private if is_const || self.choices.below(4) > 0 => {
                Some(self.initial(ty, self.limits.fuel))
            }
            AddressSpace::Private => None,
            AddressSpace::Global if self.choices.one_in(2) => None,
            _ => Some(self.constant_initializer(ty)),
        };
        let is_unsized = if text.is_some() {
            self.choices.one_in(2)
        } else {
            self.may_be_unsized(ty, initializer.as_ref())
        };
        let declaration = Declaration {
            storage,
            space: is_written.then_some(space),
            is_const,
            is_volatile: !is_const && self.choices.one_in(10),
            is_unsized,
            ..Declaration::plain(ty, name, initializer)
        };
        self.declare(&declaration, space, hides);
        Statement::Declaration(declaration)
    }

    fn storage_and_space(&mut self) -> (&'static str, AddressSpace) {
        let kinds = if self.place == Place::Kernel { 8 } else { 6 };
        match self.choices.below(kinds) {
            5 if self.since(Version::V2_0) && self.has(Feature::StorageClasses) => {
                let globals = self.dialect.program_scope_globals && self.choices.one_in(2);
                ("static ", if globals { AddressSpace::Global } else { AddressSpace::Constant })
            }
            6 => ("", AddressSpace::Local),
            7 => ("", AddressSpace::Constant),
            _ => ("", AddressSpace::Private),
        }
    }

    /// `local atomic_int v;`
    fn local_atomic(&mut self) -> Statement {
        let is_flag = self.choices.one_in(5);
        let ty = if is_flag { ATOMIC_FLAG } else { self.choices.pick(&ATOMICS) };
        let (name, hides) = self.inner_name('v');
        let declaration = Declaration {
            space: Some(AddressSpace::Local),
            is_volatile: self.choices.one_in(4),
            ..Declaration::plain(ty, name, None)
        };
        self.declare(&declaration, AddressSpace::Local, hides);
        Statement::Declaration(declaration)
    }

    pub(super) fn assignment(&mut self) -> Statement {
        // Stores of single bytes are optional in 1.0.
        let bytes = self.since(Version::V1_1);
        let place = self.place_where(|types, spot| {
            spot.is_writable() && (bytes || spot.ty != CHAR) && types.is_assigned(spot.ty)
        });
        let Some((target, spot)) = place else {
            let value = self.value(INT, self.limits.fuel);
            return Statement::Expression(Expression::Cast(VOID, Box::new(value)));
        };
        let fuel = self.limits.fuel;
        let assignment = match (self.types.kind(spot.ty), self.choices.below(4)) {
            (Kind::Integer(_), 2) => {
                let operator = self.choices.pick(&["++", "--"]);
                if self.choices.one_in(2) {
                    Expression::Prefix(operator, Box::new(target))
                } else {
                    Expression::Postfix(Box::new(target), operator)
                }
            }
            (Kind::Pointer(_), 2) => Expression::Postfix(Box::new(target), "++"),
            (Kind::Integer(_) | Kind::Floating(_), 3) => {
                let value = self.value(spot.ty, fuel);
                let operator = self.choices.pick(&[" += ", " *= ", " -= "]);
                Expression::Binary(operator, Box::new([target, value]))
            }
            _ => {
                let value = self.converted(spot.ty, fuel);
                Expression::Binary(" = ", Box::new([target, value]))
            }
        };
        Statement::Expression(assignment)
    }

    /// What a function ends with.
    pub(super) fn return_statement(&mut self, result: Ty) -> Statement {
        let value = self.converted(result, self.limits.fuel);
        Statement::Return(Some(value))
    }
}
