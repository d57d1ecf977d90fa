//! Statements and the declarations among them.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, Place, Variable};
use crate::random::{
    tree::{Declaration, Expression, Statement},
    types::{CHAR, INT, Kind, Ty},
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
            let mut statements = builder.statements(builder.size.statements / 2);
            builder.statement_faults(&mut statements);
            statements
        })
    }

    fn looped(&mut self) -> Vec<Statement> {
        self.loops += 1;
        let mut body = self.inner();
        self.loops -= 1;
        if self.choices.one_in(4) {
            body.push(Statement::Jump(self.choices.pick(&["break", "continue"])));
        }
        body
    }

    fn statement(&mut self) -> Statement {
        let kinds = if self.depth > self.size.depth { 8 } else { 15 };
        match self.choices.below(kinds) {
            0..=3 => self.local_declaration(),
            4..=6 => self.assignment(),
            7 => {
                let call = self.writing_builtin(1);
                Statement::Expression(call)
            }
            8 => {
                let condition = self.condition(self.size.fuel);
                let then = self.inner();
                let otherwise = self.choices.one_in(2).then(|| self.inner());
                Statement::If(condition, then, otherwise)
            }
            9 => {
                let condition = self.condition(self.size.fuel);
                let body = self.looped();
                Statement::While(condition, body)
            }
            10 => {
                let body = self.looped();
                let condition = self.condition(self.size.fuel);
                Statement::Do(body, condition)
            }
            11 => self.counted_loop(),
            12 => {
                let value = self.value(INT, 1);
                let count = 1 + self.choices.below(2);
                let cases = (0..count)
                    .map(|_| {
                        let mut case = self.inner();
                        case.push(Statement::Jump("break"));
                        case
                    })
                    .collect();
                Statement::Switch(value, cases)
            }
            13 => {
                let label = self.local_name('l');
                let skipped = self.inner();
                Statement::Goto(label, skipped)
            }
            _ => {
                let body = self.inner();
                Statement::Block(body)
            }
        }
    }

    fn counted_loop(&mut self) -> Statement {
        let place = if self.place == Place::Helper { Place::Helper } else { Place::Nested };
        self.scoped(place, |builder| {
            let name = builder.local_name('i');
            let space = builder.choices.one_in(4).then_some(AddressSpace::Private);
            let initializer = Some(builder.value(INT, 1));
            let counter = Declaration {
                storage: "",
                space,
                is_const: false,
                is_volatile: false,
                ty: INT,
                name,
                initializer,
            };
            builder.declare(&counter, AddressSpace::Private);
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
    pub(in crate::random) fn declare(&mut self, declaration: &Declaration, space: AddressSpace) {
        self.variables.push(Variable {
            name: declaration.name,
            ty: declaration.ty,
            space,
            is_const: declaration.is_const,
            is_volatile: declaration.is_volatile,
        });
    }

    fn local_declaration(&mut self) -> Statement {
        let ty = self.object_type();
        let kinds = if self.place == Place::Kernel { 8 } else { 6 };
        let (storage, space) = match self.choices.below(kinds) {
            5 if self.since(Version::V2_0) => {
                let globals = self.dialect.program_scope_globals && self.choices.one_in(2);
                ("static ", if globals { AddressSpace::Global } else { AddressSpace::Constant })
            }
            6 => ("", AddressSpace::Local),
            7 => ("", AddressSpace::Constant),
            _ => ("", AddressSpace::Private),
        };
        let name = self.local_name('v');
        let is_private = space == AddressSpace::Private;
        let is_written = !is_private || self.style.explicit_private || self.choices.one_in(8);
        let is_local = space == AddressSpace::Local;
        let is_const = !is_local && self.choices.one_in(6);
        let initializer = match space {
            AddressSpace::Private if is_const || self.choices.below(4) > 0 => {
                Some(self.initial(ty, self.size.fuel))
            }
            AddressSpace::Private | AddressSpace::Local => None,
            AddressSpace::Global if self.choices.one_in(2) => None,
            _ => Some(self.constant_initializer(ty)),
        };
        let declaration = Declaration {
            storage,
            space: is_written.then_some(space),
            is_const,
            is_volatile: !is_const && self.choices.one_in(10),
            ty,
            name,
            initializer,
        };
        self.declare(&declaration, space);
        Statement::Declaration(declaration)
    }

    fn assignment(&mut self) -> Statement {
        // Stores of single bytes are optional in 1.0.
        let bytes = self.since(Version::V1_1);
        let place = self.place_where(|types, spot| {
            spot.is_writable()
                && (bytes || spot.ty != CHAR)
                && !matches!(types.kind(spot.ty), Kind::Array(..) | Kind::Void)
        });
        let Some((target, spot)) = place else {
            let value = self.value(INT, self.size.fuel);
            return Statement::Expression(Expression::Cast(
                crate::random::types::VOID,
                Box::new(value),
            ));
        };
        let fuel = self.size.fuel;
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
        let value = self.converted(result, self.size.fuel);
        Statement::Return(Some(value))
    }
}
