//! Statements and expressions that the evaluator does not know, from tables of patterns.

use expectations::{dialect::Version, requirement::Requirement, space::AddressSpace};

use super::{
    Builder, Position, Purpose,
    declared::{FLAG, SAMPLER, variable_of},
    place_of,
    places::{Base, Search},
    read,
};
use crate::random::{
    settings::Feature,
    tree::{Expression, Form, Leave, Node, Statement, Step, VariableId},
    types::{INT, Pointer, Scalar, Ty, Type, Types, UINT},
};

/// Something that a pattern has a place for.
#[derive(Clone, Copy)]
enum Operand {
    Number(Scalar),
    Vector(Scalar, u8),
    /// A literal below four.
    Small,
    /// A place of a number that can be written.
    Written(Scalar),
    /// A pointer to numbers in memory that can be written.
    To(Scalar),
    /// A pointer to numbers in any memory, which are not written.
    From(Scalar),
    /// A pointer to numbers in global, which are not written.
    FromGlobal(Scalar),
    /// A pointer to numbers in local.
    ToLocal(Scalar),
    /// A pointer to volatile numbers in global or local.
    Shared(Scalar),
    /// A pointer to an atomic object.
    Atomic(Scalar),
    /// A pointer to a flag.
    Flag,
    Sampler,
    /// An image with its access.
    Image(&'static str),
    /// A pointer of any type.
    Pointer,
}

use Operand::{
    Atomic, Flag, From, FromGlobal, Image, Number, Sampler, Shared, Small, To, ToLocal, Vector,
    Written,
};
use Scalar::{Float, Int, Uint};

/// A row of the table.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    feature: Feature,
    since: Version,
    /// The type of the value; none of a statement.
    result: Option<Scalar>,
    text: &'static str,
    operands: &'static [Operand],
    /// Whether every work-item of a group has to reach it.
    is_collective: bool,
}

const fn value(
    feature: Feature,
    result: Scalar,
    text: &'static str,
    operands: &'static [Operand],
) -> Pattern {
    let since = Version::V1_0;
    Pattern { feature, since, result: Some(result), text, operands, is_collective: false }
}

const fn statement(feature: Feature, text: &'static str, operands: &'static [Operand]) -> Pattern {
    let since = Version::V1_0;
    Pattern { feature, since, result: None, text, operands, is_collective: false }
}

const fn since(since: Version, pattern: Pattern) -> Pattern {
    Pattern { since, ..pattern }
}

const fn collective(pattern: Pattern) -> Pattern {
    Pattern { is_collective: true, ..pattern }
}

/// Functions and operators ([math-functions], [vector-data-load-and-store-functions], [atomic-functions],
/// [image-read-and-write-functions], [operators]).
#[rustfmt::skip]
static PATTERNS: [Pattern; 55] = [
    value(Feature::Builtins, Float, "fract({}, {})", &[Number(Float), To(Float)]),
    value(Feature::Builtins, Float, "modf({}, {})", &[Number(Float), To(Float)]),
    value(Feature::Builtins, Float, "sincos({}, {})", &[Number(Float), To(Float)]),
    value(Feature::Builtins, Float, "frexp({}, {})", &[Number(Float), To(Int)]),
    value(Feature::Builtins, Float, "lgamma_r({}, {})", &[Number(Float), To(Int)]),
    value(Feature::Builtins, Float, "remquo({}, {}, {})", &[Number(Float), Number(Float), To(Int)]),
    value(Feature::Builtins, Float, "vload4({}, {}).x", &[Small, From(Float)]),
    value(Feature::Builtins, Int, "vload4({}, {}).y", &[Small, From(Int)]),
    value(Feature::Builtins, Uint, "vload2({}, {}).x", &[Small, From(Uint)]),
    value(Feature::LegacyAtomics, Int, "atomic_add({}, {})", &[Shared(Int), Number(Int)]),
    value(Feature::LegacyAtomics, Uint, "atomic_add({}, {})", &[Shared(Uint), Number(Uint)]),
    value(Feature::LegacyAtomics, Uint, "atomic_inc({})", &[Shared(Uint)]),
    value(Feature::LegacyAtomics, Int, "atomic_cmpxchg({}, {}, {})", &[Shared(Int), Number(Int), Number(Int)]),
    value(Feature::LegacyAtomics, Float, "atomic_xchg({}, {})", &[Shared(Float), Number(Float)]),
    value(Feature::LegacyAtomics, Uint, "atomic_min({}, {})", &[Shared(Uint), Number(Uint)]),
    value(Feature::LegacyAtomics, Int, "atomic_or({}, {})", &[Shared(Int), Number(Int)]),
    value(Feature::Atomics, Int, "(int)atomic_compare_exchange_weak_explicit({}, {}, {}, memory_order_relaxed, memory_order_relaxed, memory_scope_work_group)", &[Atomic(Uint), To(Uint), Number(Uint)]),
    value(Feature::Atomics, Float, "atomic_exchange_explicit({}, {}, memory_order_relaxed, memory_scope_work_group)", &[Atomic(Float), Number(Float)]),
    value(Feature::Atomics, Float, "atomic_load_explicit({}, memory_order_relaxed, memory_scope_work_group)", &[Atomic(Float)]),
    value(Feature::Atomics, Int, "(int)atomic_flag_test_and_set_explicit({}, memory_order_relaxed, memory_scope_work_group)", &[Flag]),
    value(Feature::Operators, Int, "(!{})", &[Number(Int)]),
    value(Feature::Operators, Int, "(!{})", &[Operand::Pointer]),
    value(Feature::Operators, Int, "({} && {})", &[Number(Int), Operand::Pointer]),
    value(Feature::Operators, Int, "({} || {})", &[Operand::Pointer, Number(Int)]),
    value(Feature::Operators, Int, "({} >= {})", &[Number(Int), Number(Int)]),
    value(Feature::Operators, Int, "({}, {})", &[Operand::Pointer, Number(Int)]),
    value(Feature::Operators, Int, "(+{})", &[Number(Int)]),
    value(Feature::Operators, Uint, "(-{})", &[Number(Uint)]),
    value(Feature::Operators, Uint, "({}, {})", &[Number(Int), Number(Uint)]),
    value(Feature::Operators, Uint, "(uint)sizeof({})", &[Operand::Pointer]),
    value(Feature::Operators, Uint, "({} = {})", &[Written(Uint), Number(Uint)]),
    value(Feature::Operators, Uint, "(({})++)", &[Written(Uint)]),
    value(Feature::Operators, Float, "(-{})", &[Number(Float)]),
    value(Feature::Images, Float, "read_imagef({}, {}, (int2)({}, {})).x", &[Image("read_only image2d_t"), Sampler, Number(Int), Number(Int)]),
    value(Feature::Images, Uint, "read_imageui({}, {}, (float2)({}, {})).y", &[Image("read_only image2d_t"), Sampler, Number(Float), Number(Float)]),
    value(Feature::Images, Int, "read_imagei({}, {}, (int4)({}, {}, 0, 0)).z", &[Image("read_only image3d_t"), Sampler, Number(Int), Number(Int)]),
    since(Version::V1_2, value(Feature::Images, Float, "read_imagef({}, (int2)({}, {})).w", &[Image("read_only image2d_t"), Number(Int), Number(Int)])),
    value(Feature::Images, Int, "get_image_width({})", &[Image("read_only image2d_t")]),
    statement(Feature::Builtins, "prefetch({}, 1);", &[FromGlobal(Int)]),
    statement(Feature::Builtins, "vstore4({}, {}, {});", &[Vector(Float, 4), Small, To(Float)]),
    statement(Feature::Builtins, "mem_fence(CLK_LOCAL_MEM_FENCE);", &[]),
    collective(statement(Feature::Builtins, "barrier(CLK_GLOBAL_MEM_FENCE);", &[])),
    collective(statement(Feature::Builtins, "async_work_group_copy({}, {}, 2, 0);", &[ToLocal(Int), FromGlobal(Int)])),
    since(Version::V1_2, statement(Feature::StringLiterals, "printf(\"%d\", {});", &[Number(Int)])),
    since(Version::V1_2, statement(Feature::StringLiterals, "printf(\"%p\", {});", &[Operand::Pointer])),
    statement(Feature::Atomics, "atomic_flag_clear_explicit({}, memory_order_relaxed, memory_scope_work_group);", &[Flag]),
    statement(Feature::Atomics, "atomic_init({}, {});", &[Atomic(Float), Number(Float)]),
    statement(Feature::Atomics, "atomic_store_explicit({}, {}, memory_order_relaxed, memory_scope_work_group);", &[Atomic(Float), Number(Float)]),
    statement(Feature::Operators, "({})++;", &[Written(Uint)]),
    statement(Feature::Operators, "--{};", &[Written(Int)]),
    statement(Feature::Operators, "{} -= {};", &[Written(Float), Number(Float)]),
    statement(Feature::Operators, "{} <<= {};", &[Written(Uint), Small]),
    statement(Feature::Operators, "(void){};", &[Operand::Pointer]),
    statement(Feature::Operators, ";", &[]),
    statement(Feature::Images, "write_imagef({}, (int2)({}, {}), {});", &[Image("write_only image2d_t"), Number(Int), Number(Int), Vector(Float, 4)]),
];

impl Builder<'_> {
    /// Returns an expression whose value is a number, in some programs.
    pub(super) fn form_of(&mut self, scalar: Scalar) -> Option<Expression> {
        if self.purpose == Purpose::Answer || !self.choices.one_in(4) {
            return None;
        }
        if scalar == Int && self.one_in_with(Feature::Enumerations, 3) {
            return self.any_enumerator();
        }
        if self.one_in_with(Feature::CompoundLiterals, 4) && self.position != Position::Program {
            return self.compound_literal(scalar);
        }
        let (text, values) = self.pattern(Some(scalar))?;
        Some(Expression::new(Types::scalar(scalar), Node::Form(text, values)))
    }

    /// Returns the patterns that a program with these features may use.
    pub(super) fn known_patterns(&self) -> Vec<&'static Pattern> {
        let is_known =
            |pattern: &&Pattern| self.has(pattern.feature) && pattern.since <= self.dialect.version;
        PATTERNS.iter().filter(is_known).collect()
    }

    /// Returns one of the patterns of this result, with its values.
    fn pattern(&mut self, result: Option<Scalar>) -> Option<(&'static str, Vec<Expression>)> {
        let is_in_kernel = self.is_in_kernel();
        let fits = |pattern: &&&Pattern| {
            pattern.result == result && (!pattern.is_collective || is_in_kernel)
        };
        let fitting = self.patterns.iter().filter(fits).count() as u32;
        if fitting == 0 {
            return None;
        }
        let number = self.choices.below(fitting) as usize;
        let &pattern = self.patterns.iter().filter(fits).nth(number)?;
        let values = pattern.operands.iter().map(|&operand| self.operand(operand));
        Some((pattern.text, values.collect::<Option<_>>()?))
    }

    fn operand(&mut self, operand: Operand) -> Option<Expression> {
        use AddressSpace::{Constant, Global, Local, Private};
        let to = |scalar, space| Pointer::to(Types::scalar(scalar), space);
        Some(match operand {
            Number(scalar) => self.number_of(scalar, 0),
            Vector(scalar, length) => {
                let ty = self.program.types.intern(Type::Vector(scalar, length));
                self.vector(ty, scalar, length, 0)
            }
            Small => Expression::literal(UINT, self.choices.below(4).into()),
            Written(scalar) => {
                let wanted = Search::Type(Types::scalar(scalar));
                read(self.place(wanted, |root| root.is_writable)?.0)
            }
            To(scalar) => {
                let space = self.choices.pick(&[Global, Private, Local]);
                self.exact_pointer(to(scalar, space))
            }
            From(scalar) => {
                let space = self.choices.pick(&[Global, Private, Local, Constant]);
                self.exact_pointer(Pointer { is_const: true, ..to(scalar, space) })
            }
            FromGlobal(scalar) => {
                self.exact_pointer(Pointer { is_const: true, ..to(scalar, Global) })
            }
            ToLocal(scalar) => self.exact_pointer(to(scalar, Local)),
            Shared(scalar) => {
                let space = self.choices.pick(&[Global, Local]);
                self.exact_pointer(Pointer { is_volatile: true, ..to(scalar, space) })
            }
            Atomic(scalar) => {
                let ty = self.program.types.intern(Type::Atomic(scalar));
                let space = self.choices.pick(&[Global, Local]);
                self.exact_pointer(Pointer { is_volatile: true, ..Pointer::to(ty, space) })
            }
            Flag => {
                let ty = self.program.types.intern(FLAG);
                match self.opaque_of(ty) {
                    Some(flag) => Expression::new(ty, Node::Form("&{}", vec![flag])),
                    None => self.exact_pointer(Pointer::to(ty, Local)),
                }
            }
            Sampler => {
                let ty = self.program.types.intern(SAMPLER);
                self.opaque_of(ty)?
            }
            Image(spelling) => {
                let ty = self.program.types.intern(Type::Opaque(spelling));
                self.opaque_of(ty)?
            }
            Operand::Pointer => {
                let pointer = self.any_pointer();
                self.exact_pointer(pointer)
            }
        })
    }

    /// Returns what some pointer in reach points to, or anything.
    pub(super) fn any_pointer(&mut self) -> Pointer {
        if self.choices.one_in(2) && !self.roots.is_empty() {
            let root = self.choices.below(self.roots.len() as u32) as usize;
            let root = &self.roots[root];
            let is_const = !root.is_writable;
            let is_volatile = root.is_volatile;
            let is_plain = !self.program.types.is_array(root.element);
            if is_plain && self.program.types.as_atomic(root.element).is_none() {
                return Pointer { is_const, is_volatile, ..Pointer::to(root.element, root.space) };
            }
        }
        let element = self.choices.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float]);
        let spaces = self.pointer_spaces();
        Pointer::to(Types::scalar(element), self.choices.pick(spaces))
    }

    /// Returns a number in a compound literal, or one that its address points to.
    fn compound_literal(&mut self, scalar: Scalar) -> Option<Expression> {
        let ty = Types::scalar(scalar);
        let initializer = self.initializer(ty, 0)?;
        let literal = Expression::new(ty, Node::CompoundLiteral(Box::new(initializer)));
        Some(match self.choices.below(3) {
            0 => literal,
            1 => Expression::new(ty, Node::Form("*&{}", vec![literal])),
            _ => {
                let row = self.program.types.intern(Type::Array(ty, 2));
                let initializer = self.initializer(row, 0)?;
                let literal = Expression::new(row, Node::CompoundLiteral(Box::new(initializer)));
                Expression::new(ty, Node::Form("({})[1]", vec![literal]))
            }
        })
    }

    /// Returns a statement, in some programs; what it declares for others can be used.
    pub(super) fn form(&mut self, nesting: u32) -> Option<Vec<Statement>> {
        if self.purpose == Purpose::Answer || !self.choices.one_in(3) {
            return None;
        }
        let kinds = if nesting > 0 { 10 } else { 3 };
        let inner = nesting.saturating_sub(1);
        match self.choices.below(kinds) {
            0 => {
                let (text, values) = self.pattern(None)?;
                Some(vec![Form::simple(text, values)])
            }
            1 if self.has(Feature::Blocks) => Some(self.closure()),
            2 => Some(self.uninitialized()),
            3 | 4 if self.has(Feature::Loops) => Some(vec![self.endless(inner)]),
            5 if self.has(Feature::Jumps) => Some(vec![self.jump(inner)]),
            6 if self.has(Feature::Jumps) => Some(vec![self.early_return()]),
            7 | 8 if self.has(Feature::Shadowing) => self.shadowed(inner),
            9 => Some(vec![braces(self.block(inner))]),
            _ => None,
        }
    }

    /// Returns a variable without an initializer.
    fn uninitialized(&mut self) -> Vec<Statement> {
        if self.is_in_kernel() && self.one_in_with(Feature::Images, 3) {
            return vec![Statement::Declare(self.sampler())];
        }
        let element = self.element_type();
        let ty = match self.choices.below(3) {
            0 => element,
            1 => self.pointer_type(element, 1),
            _ => self.program.types.intern(Type::Array(element, 4)),
        };
        let variable = self.variable(ty, AddressSpace::Private, None);
        self.add_variable_roots(variable);
        vec![Statement::Declare(variable)]
    }

    /// Returns a loop without a counter, which ends only by its condition or a jump.
    fn endless(&mut self, nesting: u32) -> Statement {
        let condition = self.condition(1);
        let mut body = self.block(nesting);
        if self.one_in_with(Feature::Jumps, 3) {
            let leave = self.choices.pick(&[Leave::Break, Leave::Continue]);
            body.push(Statement::Leave(self.condition(0), leave));
        }
        let (before, after) =
            self.choices.pick(&[("while ({}) {", "}"), ("do {", "} while ({});")]);
        Statement::Form(Form { before, body, after, values: vec![condition] })
    }

    /// Returns a label with a jump over statements, or back to them.
    fn jump(&mut self, nesting: u32) -> Statement {
        let label = self.name_of(UINT);
        let body = self.block(nesting);
        if self.choices.one_in(3) {
            let values = vec![label.clone(), self.condition(1), label];
            let (before, after) = ("{}: {", "}\nif ({}) goto {};");
            return Statement::Form(Form { before, body, after, values });
        }
        let (before, after) = ("goto {};\n{", "}\n{}: ;");
        Statement::Form(Form { before, body, after, values: vec![label.clone(), label] })
    }

    /// Returns a name that is used for nothing else.
    fn name_of(&mut self, ty: Ty) -> Expression {
        let variable = self.variable(ty, AddressSpace::Private, None);
        read(place_of(variable, ty))
    }

    fn early_return(&mut self) -> Statement {
        let condition = self.condition(1);
        let text = match self.position {
            // Null, or zero: whatever the function returns.
            Position::Helper => "if ({}) return 0;",
            _ => "if ({}) return;",
        };
        Form::simple(text, vec![condition])
    }

    /// Returns a block with a variable that hides one outside.
    fn shadowed(&mut self, nesting: u32) -> Option<Vec<Statement>> {
        let roots = self.roots.clone();
        self.depth += 1;
        let hidden = self.hide();
        let mut body: Vec<Statement> = hidden.map(Statement::Declare).into_iter().collect();
        if hidden.is_some() {
            body.extend(self.statements(nesting));
        }
        self.depth -= 1;
        self.roots = roots;
        hidden.map(|_| vec![braces(body)])
    }

    /// Returns a block of Apple's kind, `int (^b)(int p) = ^(int p) { return x; };`, and a call of it.
    fn closure(&mut self) -> Vec<Statement> {
        self.requirements.push(Requirement::DeviceEnqueue);
        let (name, parameter) =
            (self.name_of(INT), self.variable(INT, AddressSpace::Private, None));
        // An edit is judged by what is around it, and much of that is different in a block.
        let (pending, roots) = (self.pending.take(), self.roots.clone());
        let is_captured: Vec<bool> =
            roots.iter().map(|root| self.is_captured(&root.base)).collect();
        let mut captured = is_captured.into_iter();
        self.roots.retain(|_| captured.next().unwrap_or_default());
        self.roots.iter_mut().for_each(|root| root.is_writable = false);
        let opaque = std::mem::take(&mut self.opaque);
        self.add_variable_roots(parameter);
        let result = self.number_of(Int, 1);
        (self.pending, self.roots, self.opaque) = (pending, roots, opaque);
        let written = read(place_of(parameter, INT));
        let values = vec![name.clone(), written.clone(), written];
        let body = vec![Statement::Return(result)];
        let (before, after) = ("int (^{})(int {}) = ^(int {}) {", "};");
        let argument = self.number_of(Int, 0);
        vec![
            Statement::Form(Form { before, body, after, values }),
            Form::simple("(void){}({});", vec![name, argument]),
        ]
    }

    /// Whether a block may use the variable of this base: automatic variables are captured by value, arrays are not
    /// captured, and for variables in local the text does not define it.
    fn is_captured(&self, base: &Base) -> bool {
        let Some(variable) = variable_of(base) else { return false };
        let known = &self.program.variables[usize::from(variable.0)];
        match (known.space, self.program.types.get(known.ty)) {
            _ if known.is_program_scope => true,
            (AddressSpace::Local, _) | (AddressSpace::Private, Type::Array(..)) => false,
            _ => true,
        }
    }

    /// Returns a flag of the group, at most one of a kernel.
    pub(super) fn local_flag(&mut self) -> Option<Step> {
        if self.purpose == Purpose::Answer || !self.one_in_with(Feature::Atomics, 2) {
            return None;
        }
        let ty = self.program.types.intern(FLAG);
        let variable: VariableId = self.variable(ty, AddressSpace::Local, None);
        self.opaque.push(variable);
        Some(Step::Local(variable))
    }
}

fn braces(body: Vec<Statement>) -> Statement {
    Statement::Form(Form { before: "{", body, after: "}", values: Vec::new() })
}
