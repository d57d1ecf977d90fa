//! Programs made by choices: everything that is made has a type, and every pointer a known run of elements.
//!
//! Programs stay defined because each work-item writes its own part of shared memory; an index is taken modulo the
//! run; signed numbers are kept small where they are stored; a pointer is kept only where its target lives as long;
//! a call is a statement of its own. The evaluator has the last word. Constructs that it does not know are features
//! that only programs to be built have.

mod atomics;
mod bytes;
mod declared;
mod exits;
pub(super) mod faults;
mod flow;
mod forms;
mod numbers;
mod objects;
mod places;
mod pointers;
mod shapes;
mod statements;
mod statics;
mod steps;
mod sweeps;

use expectations::{
    dialect::{Dialect, Version},
    requirement::Requirement,
    space::AddressSpace,
};

use self::{faults::Pending, flow::Flow, forms::Pattern, objects::KernelArgument, places::Root};
use super::{
    choices::Choices,
    settings::{FEATURES, Feature, Mix, Settings, Share, Size, evaluated_in},
    tree::{
        Axis, Expression, Helper, Initializer, Item, Kernel, Node, Place, PlaceNode, Program,
        SpacePosition, Spelling, Variable, VariableId, WorkItem,
    },
    types::{FLOAT, Pointer, Record, Scalar, Ty, Type, Types, UINT, ULONG},
};

/// Elements of shared memory that each work-item owns, if it owns several.
const OWN: u16 = 4;

/// A program to be built, with an edit or without.
#[derive(Clone, Debug)]
pub(super) struct EditedProgram {
    /// The program, or two that differ in one fork.
    pub(super) program: Program,
    /// A bit per feature that it may use.
    pub(super) features: u32,
    /// Requirements besides the dialect.
    pub(super) requirements: Vec<Requirement>,
    /// The shape of the edit, without what varies from seed to seed; empty if nothing was edited.
    pub(super) shape: String,
}

/// Returns a program that the evaluator knows, made by these choices.
pub(super) fn evaluated(dialect: Dialect, settings: Settings, choices: &mut Choices) -> Program {
    let mut builder = Builder::new(Purpose::Answer, dialect, settings.size, choices);
    builder.features = evaluated_in(dialect, settings.mix);
    builder.choose_shape(settings.size);
    builder.uses_atomic_types = builder.chooses_atomic_types();
    builder.every_order = builder.chooses_every_order();
    builder.everything();
    builder.program
}

/// Returns a program to be built, made by these choices; `pending` is the edit to be made in it.
pub(super) fn edited(
    dialect: Dialect,
    settings: Settings,
    pending: Option<Pending>,
    choices: &mut Choices,
) -> EditedProgram {
    let mut builder = Builder::new(Purpose::Edit, dialect, settings.size, choices);
    builder.pending = pending;
    builder.choose_features(settings.mix);
    builder.patterns = builder.known_patterns();
    builder.uses_atomic_types = builder.has(Feature::Atomics);
    builder.every_order = builder.uses_atomic_types && builder.chooses_every_order();
    builder.choose_spelling();
    builder.everything();
    let Builder { mut program, features, mut requirements, shape, .. } = builder;
    requirements.extend(super::requirements(&mut program, dialect));
    requirements.sort_unstable();
    requirements.dedup();
    EditedProgram { program, features, requirements, shape }
}

/// The use that a program is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The evaluator computes its answer.
    Answer,
    /// A front end accepts it, or rejects the edit in it.
    Edit,
}

/// The numbers of a size.
#[derive(Clone, Copy, Debug)]
struct Limits {
    helpers: u32,
    steps: u32,
    statements: u32,
    nesting: u32,
    fuel: u32,
    /// One turn in this many is the last, if their number is not chosen first.
    turns: u32,
}

impl Limits {
    const fn of(purpose: Purpose, size: Size) -> Self {
        let (helpers, steps, statements, nesting, fuel, turns) = match (purpose, size) {
            (Purpose::Answer, Size::Small) => (1, 3, 1, 1, 1, 4),
            (Purpose::Answer, Size::Medium) => (2, 7, 2, 2, 2, 4),
            (Purpose::Answer, Size::Large) => (4, 16, 3, 3, 3, 12),
            (Purpose::Answer, Size::Huge) => (8, 60, 4, 3, 3, 60),
            (Purpose::Edit, Size::Small) => (1, 1, 1, 0, 0, 2),
            (Purpose::Edit, Size::Medium) => (2, 3, 2, 1, 0, 3),
            (Purpose::Edit, Size::Large) => (4, 8, 3, 1, 0, 6),
            (Purpose::Edit, Size::Huge) => (8, 30, 4, 1, 0, 30),
        };
        Self { helpers, steps, statements, nesting, fuel, turns }
    }
}

/// The turns of making parts one after the other.
struct Turns {
    /// Number of turns taken at most.
    most: u32,
    taken: u32,
}

/// The kind of scope that something is made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Program,
    Helper,
    Kernel,
}

struct Builder<'c> {
    purpose: Purpose,
    dialect: Dialect,
    choices: &'c mut Choices,
    limits: Limits,
    program: Program,
    /// A bit per feature that the program has.
    features: u32,
    requirements: Vec<Requirement>,
    /// Patterns that the program may use, of those that the evaluator does not know.
    patterns: Vec<&'static Pattern>,
    /// The edit that is still to be made.
    pending: Option<Pending>,
    shape: String,
    /// Places in reach.
    roots: Vec<Root>,
    /// Counters of the loops around, with how far they count.
    counters: Vec<(VariableId, u32)>,
    /// Images, samplers and flags that can be used.
    opaque: Vec<VariableId>,
    /// Types that objects are made of.
    elements: Vec<Ty>,
    /// Arguments of every kernel.
    given: Vec<KernelArgument>,
    /// Depth of the scope: objects of a deeper one do not live as long.
    depth: u8,
    position: Position,
    /// Whether some objects have atomic types.
    uses_atomic_types: bool,
    /// Whether atomic functions may have every order, and the scope of a device.
    every_order: bool,
    /// String literals so far.
    texts: u8,
    flow: Flow,
}

impl<'c> Builder<'c> {
    fn new(purpose: Purpose, dialect: Dialect, size: Size, choices: &'c mut Choices) -> Self {
        let ranges = [(2, 2), (1, 1), (4, 2), (6, 3), (8, 4), (4, 1), (5, 5)];
        let (items, group) = choices.pick(&ranges);
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
            axes: vec![Axis { group, groups: items / group }],
            spelling: Spelling::default(),
        };
        Self {
            purpose,
            dialect,
            choices,
            limits: Limits::of(purpose, size),
            program,
            features: 0,
            requirements: Vec::new(),
            patterns: Vec::new(),
            pending: None,
            shape: String::new(),
            roots: Vec::new(),
            counters: Vec::new(),
            opaque: Vec::new(),
            elements: vec![UINT],
            given: Vec::new(),
            depth: 0,
            position: Position::Program,
            uses_atomic_types: false,
            every_order: false,
            texts: 0,
            flow: Flow::default(),
        }
    }
}

impl Builder<'_> {
    fn everything(&mut self) {
        self.types();
        self.declined_types();
        self.program_scope();
        self.arguments();
        self.helpers();
        self.group_helpers();
        self.kernels();
        self.definitions();
    }

    /// Begins to make this many parts, and up to this many more. Programs that run are taken apart as they are, and
    /// their number of parts is chosen first. The others are made smaller by taking out choices: each part has its own,
    /// and there may be none.
    fn turns(&mut self, least: u32, more: u32) -> Turns {
        let most = match self.purpose {
            Purpose::Answer => least + self.choices.below(more + 1),
            Purpose::Edit => least + more,
        };
        Turns { most, taken: 0 }
    }

    /// Takes the next turn, if there is one; its choices are one part from here until it is closed.
    fn takes_turn(&mut self, turns: &mut Turns) -> bool {
        if turns.taken == turns.most {
            if self.purpose == Purpose::Edit {
                self.choices.zero();
            }
            return false;
        }
        self.choices.open();
        let is_taken = match self.purpose {
            Purpose::Answer => true,
            // The choice is there in every turn: a part that is taken out leaves the next in its place.
            Purpose::Edit => self.choices.below(self.limits.turns) > 0,
        };
        if !is_taken {
            self.choices.close();
            turns.most = turns.taken;
        }
        turns.taken += 1;
        is_taken
    }

    /// Whether the program has a feature.
    fn has(&self, feature: Feature) -> bool {
        self.features & 1 << feature as u32 != 0
    }

    /// Whether the program has a feature that the evaluator knows only in part, so that only programs that are just
    /// built have all of it.
    fn has_more(&self, feature: Feature) -> bool {
        self.purpose == Purpose::Edit && self.has(feature)
    }

    /// Chooses once in `count` times, if the program has the feature.
    fn one_in_with(&mut self, feature: Feature, count: u32) -> bool {
        self.has(feature) && self.choices.one_in(count)
    }

    fn choose_features(&mut self, mix: Mix) {
        for row in &FEATURES {
            let has = match mix.share(row.feature) {
                Share::Without => false,
                Share::More => true,
                Share::Usual if row.of_twelve == 0 => false,
                Share::Usual => self.choices.below(12) >= 12 - row.of_twelve,
            };
            if has && (row.exists_in)(self.dialect) {
                self.features |= 1 << row.feature as u32;
            }
        }
    }

    fn choose_spelling(&mut self) {
        self.program.spelling = Spelling {
            underscored: self.choices.below(32) as u8,
            through_macro: if self.has(Feature::Macros) { self.choices.below(32) as u8 } else { 0 },
            space: if self.choices.one_in(4) {
                SpacePosition::AfterType
            } else {
                SpacePosition::BeforeType
            },
            private_pointees: self.choices.one_in(3),
            private_objects: self.choices.one_in(3),
            underscored_kernel: self.choices.one_in(3),
        };
    }

    /// Vectors, structures and unions beside the numbers.
    fn types(&mut self) {
        let scalars = self.scalars();
        let mut turns = self.turns(0, 2);
        while self.takes_turn(&mut turns) {
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
        let mut turns = self.turns(0, 2);
        while self.takes_turn(&mut turns) {
            let record = self.record();
            self.elements.extend(record);
            self.choices.close();
        }
    }

    /// Returns numbers that objects may hold: those of less than 32 bits can be stored in every version but 1.0
    /// ([restrictions]).
    fn scalars(&self) -> &'static [Scalar] {
        use Scalar::{Char, Float, Int, Long, Short, Uchar, Uint, Ulong, Ushort};
        if self.dialect.version < Version::V1_1 {
            &[Uint, Int, Ulong, Long, Float]
        } else {
            &[Uint, Int, Ulong, Uchar, Ushort, Long, Char, Short, Float]
        }
    }

    /// Returns a structure of what there is, or a union whose shorter members are the beginning of the longest.
    fn record(&mut self) -> Option<Ty> {
        if self.one_in_with(Feature::Unions, 6) {
            return Some(self.reinterpreted());
        }
        if self.one_in_with(Feature::Unions, 4) {
            let scalar = self.choices.pick(self.scalars());
            let element = Types::scalar(scalar);
            let longest = self.program.types.intern(Type::Array(element, 4));
            let shorter = match self.choices.below(2) {
                0 => element,
                _ => self.program.types.intern(Type::Array(element, 2)),
            };
            let record = Record { is_union: true, members: vec![longest, shorter] };
            return Some(self.add_record(record));
        }
        if !self.has(Feature::Structures) {
            return None;
        }
        let count = 1 + self.choices.below(3);
        let mut members = Vec::new();
        for _ in 0..count {
            let element = self.element_type();
            let member = match self.choices.below(4) {
                0 | 1 => element,
                2 => {
                    let row = self.program.types.intern(Type::Array(element, 2));
                    self.array_of_arrays(row)
                }
                _ => self.pointer_type(element, 1),
            };
            members.push(member);
        }
        Some(self.add_record(Record { is_union: false, members }))
    }

    /// Adds a new structure or union, and declares it.
    fn add_record(&mut self, record: Record) -> Ty {
        let ty = self.program.types.add_record(record);
        if let Type::Record(number) = self.program.types.get(ty) {
            self.program.file_scope.push(Item::Record(number));
        }
        ty
    }

    /// Returns a type of pointers to elements of a type, in a space that pointers of this dialect may have.
    fn pointer_type(&mut self, to: Ty, run: u16) -> Ty {
        let spaces = self.pointer_spaces();
        let mut space = self.choices.pick(spaces);
        // Only program scope has constant objects, and they hold no pointers.
        if space == AddressSpace::Constant && self.program.types.has_pointer(to) {
            space = AddressSpace::Private;
        }
        let is_plain = space != AddressSpace::Constant && !self.program.types.is_array(to);
        let is_const =
            space == AddressSpace::Constant || is_plain && self.one_in_with(Feature::Qualifiers, 4);
        let is_volatile = is_plain && self.one_in_with(Feature::Qualifiers, 8);
        let pointer = Pointer { to, space, is_const, is_volatile, run };
        self.program.types.intern(Type::Pointer(pointer))
    }

    /// Returns spaces of pointees, the simplest first.
    fn pointer_spaces(&self) -> &'static [AddressSpace] {
        use AddressSpace::{Constant, Generic, Global, Local, Private};
        if self.dialect.generic {
            &[Private, Generic, Global, Local, Generic, Constant]
        } else {
            &[Private, Global, Local, Constant]
        }
    }

    /// Returns a type that objects are made of.
    fn element_type(&mut self) -> Ty {
        let number = self.choices.below(self.elements.len() as u32);
        self.elements[number as usize]
    }

    /// Returns the same, without pointers.
    fn element_without_pointers(&mut self) -> Ty {
        let types = &self.program.types;
        let among: Vec<Ty> =
            self.elements.iter().copied().filter(|&ty| !types.has_pointer(ty)).collect();
        self.choices.pick(&among)
    }

    /// Returns a new variable.
    fn variable(
        &mut self,
        ty: Ty,
        space: AddressSpace,
        initializer: Option<Initializer>,
    ) -> VariableId {
        let is_program_scope = self.position == Position::Program;
        let variable = Variable { space, is_program_scope, initializer, ..Variable::private(ty) };
        self.program.add_variable(variable)
    }

    /// Returns a variable by its place.
    fn known(&mut self, variable: VariableId) -> &mut Variable {
        &mut self.program.variables[usize::from(variable.0)]
    }

    /// Returns a query of a work-item.
    fn work_item(what: WorkItem) -> Expression {
        Expression::new(UINT, Node::WorkItem(what))
    }

    fn helpers(&mut self) {
        let mut turns = self.turns(0, self.limits.helpers);
        while self.takes_turn(&mut turns) {
            self.helper();
            self.choices.close();
            self.item_faults();
        }
    }

    fn helper(&mut self) {
        let (outside, opaque) = (self.roots.len(), self.opaque.len());
        self.position = Position::Helper;
        let helper = self.new_helper();
        self.position = Position::Program;
        self.roots.truncate(outside);
        self.opaque.truncate(opaque);
        let number = self.program.helpers.len();
        if self.one_in_with(Feature::Prototypes, 2) {
            self.program.file_scope.push(Item::Prototype(number));
        }
        self.program.helpers.push(helper);
        self.program.file_scope.push(Item::Helper(number));
    }

    fn new_helper(&mut self) -> Helper {
        let mut parameters = Vec::new();
        let mut turns = self.turns(1, 2);
        while self.takes_turn(&mut turns) {
            if let Some(image) = self.opaque_parameter() {
                parameters.push(image);
                self.choices.close();
                continue;
            }
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
                    self.pointer_to_pointer(inner)
                }
            };
            let parameter = self.variable(ty, AddressSpace::Private, None);
            parameters.push(parameter);
            self.add_parameter_roots(parameter);
            self.choices.close();
        }
        let is_noinline = self.choices.below(2) == 1;
        let storage = if self.has_more(Feature::StorageClasses) {
            self.choices.pick(&["", "", "static ", "static inline "])
        } else {
            ""
        };
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
            None => {
                self.converted(result, 0).unwrap_or_else(|| Expression::new(result, Node::Null))
            }
        };
        body.push(super::tree::Statement::Return(value));
        self.depth = 0;
        Helper { parameters, result, is_noinline, storage, steps: Vec::new(), body }
    }

    fn kernels(&mut self) {
        let mut turns = match self.purpose {
            Purpose::Answer => {
                let count = u32::from(self.choices.one_in(3));
                Turns { most: count, taken: 0 }
            }
            Purpose::Edit => self.turns(0, 1),
        };
        while self.takes_turn(&mut turns) {
            self.kernel(false);
            self.choices.close();
        }
        self.last_item_fault();
        self.choices.open();
        self.kernel(true);
        self.choices.close();
        self.program.launches.push(0);
        for _ in 0..self.choices.below(2) {
            let kernel = self.choices.below(self.program.kernels.len() as u32);
            self.program.launches.push(kernel as usize);
        }
        if self.program.kernels.len() == 2 {
            self.program.launches.push(1);
        }
    }

    /// Adds a kernel; in the last one every edit not yet made is made.
    fn kernel(&mut self, is_last: bool) {
        let (outside, opaque) = (self.roots.len(), self.opaque.len());
        self.position = Position::Kernel;
        let mut parameters = self.parameters();
        self.begin_flow(&parameters);
        parameters.extend(self.opaque_parameter());
        parameters.extend(self.opaque_parameter());
        let steps = self.kernel_steps(&parameters, is_last);
        self.position = Position::Program;
        self.roots.truncate(outside);
        self.opaque.truncate(opaque);
        self.program.file_scope.push(Item::Kernel(self.program.kernels.len()));
        self.program.kernels.push(Kernel { parameters, steps });
    }
}

/// Returns the place that a variable is.
fn place_of(variable: VariableId, ty: Ty) -> Place {
    Place { ty, node: PlaceNode::Variable(variable) }
}

/// Returns a pointer's value.
fn read(place: Place) -> Expression {
    Expression::new(place.ty, Node::Read(place))
}
