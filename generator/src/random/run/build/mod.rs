//! Programs that run, made by choices: whatever is made has a type, and every pointer a known run of elements.
//!
//! What keeps programs defined: each work-item writes its own part of shared memory; an index is taken modulo the
//! run; signed numbers are kept small where they are stored; a pointer is kept only where what it points to stays
//! as long; a call stands alone. The evaluator has the last word.

mod atomics;
mod bytes;
mod numbers;
mod objects;
mod places;
mod pointers;
mod statements;
mod statics;
mod steps;

use expectations::{
    dialect::{Dialect, Version},
    space::AddressSpace,
};

use self::{objects::Given, places::Root};
use super::{
    tree::{
        Expression, Helper, Initializer, Kernel, Node, Place, PlaceNode, Program, Spelling,
        Statement, Variable, VariableId, WorkItem,
    },
    types::{FLOAT, Pointer, Record, Scalar, Ty, Type, Types, UINT, ULONG},
};
use crate::random::{choices::Choices, settings::Size};

/// Elements of shared memory that each work-item has for its own, where it has several.
const OWN: u16 = 4;

/// A program made by these choices.
pub(super) fn program(dialect: Dialect, size: Size, choices: &mut Choices) -> Program {
    let (items, group) = choices.pick(&[(2, 2), (1, 1), (4, 2), (6, 3), (8, 4), (4, 1), (5, 5)]);
    let program = Program {
        types: Types::new(),
        variables: Vec::new(),
        file_scope: Vec::new(),
        helpers: Vec::new(),
        kernels: Vec::new(),
        arguments: Vec::new(),
        launches: Vec::new(),
        items,
        group,
        spelling: Spelling::default(),
    };
    let mut builder = Builder {
        dialect,
        choices,
        limits: Limits::of(size),
        program,
        roots: Vec::new(),
        counters: Vec::new(),
        elements: vec![UINT],
        given: Vec::new(),
        depth: 0,
        place: Where::Program,
        uses_atomic_types: false,
        every_order: false,
        texts: 0,
    };
    builder.uses_atomic_types = builder.chooses_atomic_types();
    builder.every_order = builder.chooses_every_order();
    builder.types();
    builder.program_scope();
    builder.arguments();
    builder.helpers();
    builder.kernels();
    builder.program
}

/// The numbers of a size.
#[derive(Clone, Copy, Debug)]
struct Limits {
    helpers: u32,
    steps: u32,
    statements: u32,
    nesting: u32,
    fuel: u32,
}

impl Limits {
    const fn of(size: Size) -> Self {
        match size {
            Size::Small => Self { helpers: 1, steps: 3, statements: 1, nesting: 1, fuel: 1 },
            Size::Medium => Self { helpers: 2, steps: 7, statements: 2, nesting: 2, fuel: 2 },
            Size::Large => Self { helpers: 4, steps: 16, statements: 3, nesting: 3, fuel: 3 },
        }
    }
}

/// Whose statements are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Program,
    Helper,
    Kernel,
}

struct Builder<'c> {
    dialect: Dialect,
    choices: &'c mut Choices,
    limits: Limits,
    program: Program,
    /// What can be used.
    roots: Vec<Root>,
    /// Counters of the loops around, with how far they count.
    counters: Vec<(VariableId, u32)>,
    /// Types that objects are made of.
    elements: Vec<Ty>,
    /// What every kernel is given.
    given: Vec<Given>,
    /// How deep the scope is: what a deeper one declares does not stay as long.
    depth: u8,
    place: Where,
    /// Some objects have atomic types.
    uses_atomic_types: bool,
    /// Atomic functions may have every order, and the scope of a device.
    every_order: bool,
    /// String literals so far.
    texts: u8,
}

impl Builder<'_> {
    /// Vectors, structures and unions beside the numbers.
    fn types(&mut self) {
        let scalars = self.scalars();
        for _ in 0..self.choices.below(3) {
            self.choices.open();
            let scalar = self.choices.pick(scalars);
            self.elements.push(Types::scalar(scalar));
            self.choices.close();
        }
        if self.choices.below(2) == 1 {
            self.choices.open();
            let scalar = self.choices.pick(&[Scalar::Uint, Scalar::Ulong, Scalar::Float]);
            let length = self.choices.pick(&[2, 4]);
            let vector = self.program.types.intern(Type::Vector(scalar, length));
            self.elements.push(vector);
            self.choices.close();
        }
        for _ in 0..self.choices.below(3) {
            self.choices.open();
            let record = self.record();
            self.elements.push(record);
            self.choices.close();
        }
    }

    /// Numbers that objects may hold: those of less than 32 bits can be stored in every version but 1.0
    /// ([restrictions]).
    fn scalars(&self) -> &'static [Scalar] {
        use Scalar::{Char, Float, Int, Long, Short, Uchar, Uint, Ulong, Ushort};
        if self.dialect.version < Version::V1_1 {
            &[Uint, Int, Ulong, Long, Float]
        } else {
            &[Uint, Int, Ulong, Uchar, Ushort, Long, Char, Short, Float]
        }
    }

    /// A structure of what there is, or a union whose shorter members are the beginning of the longest.
    fn record(&mut self) -> Ty {
        if self.choices.one_in(6) {
            return self.reinterpreted();
        }
        if self.choices.one_in(4) {
            let scalar = self.choices.pick(self.scalars());
            let element = Types::scalar(scalar);
            let longest = self.program.types.intern(Type::Array(element, 4));
            let shorter = match self.choices.below(2) {
                0 => element,
                _ => self.program.types.intern(Type::Array(element, 2)),
            };
            let record = Record { is_union: true, members: vec![longest, shorter] };
            return self.program.types.add_record(record);
        }
        let count = 1 + self.choices.below(3);
        let mut members = Vec::new();
        for _ in 0..count {
            let element = self.element_type();
            let member = match self.choices.below(4) {
                0 | 1 => element,
                2 => self.program.types.intern(Type::Array(element, 2)),
                _ => self.pointer_type(element, 1),
            };
            members.push(member);
        }
        self.program.types.add_record(Record { is_union: false, members })
    }

    /// A type of pointers to elements of a type, in a space that pointers of this dialect may have.
    fn pointer_type(&mut self, to: Ty, run: u16) -> Ty {
        let spaces = self.pointer_spaces();
        let mut space = self.choices.pick(spaces);
        // Program scope alone has constant objects, and they hold no pointers.
        if space == AddressSpace::Constant && self.program.types.has_pointer(to) {
            space = AddressSpace::Private;
        }
        let is_const = space == AddressSpace::Constant;
        self.program.types.intern(Type::Pointer(Pointer { to, space, is_const, run }))
    }

    /// Spaces of pointees, the simplest first.
    fn pointer_spaces(&self) -> &'static [AddressSpace] {
        use AddressSpace::{Constant, Generic, Global, Local, Private};
        if self.dialect.generic {
            &[Private, Generic, Global, Local, Generic, Constant]
        } else {
            &[Private, Global, Local, Constant]
        }
    }

    /// A type that objects are made of.
    fn element_type(&mut self) -> Ty {
        let number = self.choices.below(self.elements.len() as u32);
        self.elements[number as usize]
    }

    /// The same, without pointers.
    fn element_without_pointers(&mut self) -> Ty {
        let types = &self.program.types;
        let among: Vec<Ty> =
            self.elements.iter().copied().filter(|&ty| !types.has_pointer(ty)).collect();
        self.choices.pick(&among)
    }

    /// A new variable.
    fn variable(
        &mut self,
        ty: Ty,
        space: AddressSpace,
        initializer: Option<Initializer>,
    ) -> VariableId {
        let is_program_scope = self.place == Where::Program;
        let is_const = false;
        self.program.variables.push(Variable {
            ty,
            space,
            is_const,
            is_program_scope,
            initializer,
        });
        VariableId(self.program.variables.len() as u16 - 1)
    }

    /// Work-items of the whole range, or of a group.
    fn work_item(what: WorkItem) -> Expression {
        Expression::new(UINT, Node::WorkItem(what))
    }

    fn helpers(&mut self) {
        let outside = self.roots.len();
        self.place = Where::Helper;
        for _ in 0..self.choices.below(self.limits.helpers + 1) {
            self.choices.open();
            let helper = self.helper();
            self.program.helpers.push(helper);
            self.choices.close();
            self.roots.truncate(outside);
        }
    }

    fn helper(&mut self) -> Helper {
        let mut parameters = Vec::new();
        for _ in 0..=self.choices.below(3) {
            self.choices.open();
            let element = self.element_type();
            let ty = match self.choices.below(if self.uses_atomic_types { 5 } else { 4 }) {
                0 | 1 => {
                    let run = self.choices.pick(&[1, OWN]);
                    self.pointer_type(element, run)
                }
                4 => self.atomic_pointer_type(1),
                2 => element,
                _ => {
                    let inner = self.pointer_type(element, 1);
                    self.pointer_type(inner, 1)
                }
            };
            let parameter = self.variable(ty, AddressSpace::Private, None);
            parameters.push(parameter);
            self.add_parameter_roots(parameter);
            self.choices.close();
        }
        let is_noinline = self.choices.below(2) == 1;
        let pointers: Vec<Ty> = parameters
            .iter()
            .map(|parameter| self.program.variables[usize::from(parameter.0)].ty)
            .filter(|&ty| self.program.types.as_pointer(ty).is_some())
            .collect();
        let result = match pointers.first() {
            Some(&pointer) if self.choices.one_in(3) => pointer,
            _ => self.choices.pick(&[UINT, ULONG, FLOAT]),
        };
        // What is declared here ends with the call.
        self.depth = 1;
        let mut body = self.statements(self.limits.nesting);
        let value = match self.program.types.as_scalar(result) {
            Some(scalar) => self.number_of(scalar, self.limits.fuel),
            None => self
                .pointer_to_keep(result, 0)
                .unwrap_or_else(|| Expression::new(result, Node::Null)),
        };
        body.push(Statement::Return(value));
        self.depth = 0;
        Helper { parameters, result, is_noinline, body }
    }

    fn kernels(&mut self) {
        let outside = self.roots.len();
        self.place = Where::Kernel;
        let kernels = 1 + u32::from(self.choices.one_in(3));
        for _ in 0..kernels {
            self.choices.open();
            let parameters = self.parameters();
            let steps = self.kernel_steps(&parameters);
            self.program.kernels.push(Kernel { parameters, steps });
            self.choices.close();
            self.roots.truncate(outside);
        }
        self.program.launches.push(0);
        for _ in 0..self.choices.below(2) {
            let kernel = self.choices.below(self.program.kernels.len() as u32);
            self.program.launches.push(kernel as usize);
        }
        if kernels == 2 {
            self.program.launches.push(1);
        }
    }
}

/// The place that a variable is.
fn place_of(variable: VariableId, ty: Ty) -> Place {
    Place { ty, node: PlaceNode::Variable(variable) }
}

/// A pointer's value.
fn read(place: Place) -> Expression {
    Expression::new(place.ty, Node::Read(place))
}
