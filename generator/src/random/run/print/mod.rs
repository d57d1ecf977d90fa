//! Programs that run as `OpenCL` C.

mod atomics;
mod bytes;
mod words;

use std::fmt::Write as _;

use expectations::{dialect::Dialect, space::AddressSpace};

use self::words::equality;
pub(super) use self::{
    atomics::atomic_name,
    words::{comparison_text, function_name, operator_text},
};
use super::{
    tree::{
        Expression, Fence, Helper, Initializer, Kernel, Leave, Node, Place, PlaceNode, Program,
        Statement, Step, VariableId, WorkItem,
    },
    types::{Scalar, Ty, Type},
    used::Used,
};

/// The program's text, as far as its launches use it; `prefix` begins every name of file scope.
pub(super) fn print(program: &Program, dialect: Dialect, prefix: &str) -> String {
    let mut printer = Printer { program, dialect, prefix, out: String::new(), indent: 0 };
    let used = Used::of(program);
    for &record in &used.records {
        printer.record(record);
    }
    for &variable in program.file_scope.iter().filter(|known| used.variables.contains(known)) {
        printer.declaration(variable);
    }
    for &helper in &used.helpers {
        printer.helper(helper, &program.helpers[helper]);
    }
    for &kernel in &used.kernels {
        printer.kernel(kernel, &program.kernels[kernel]);
    }
    printer.out
}

pub(super) fn kernel_name(prefix: &str, number: usize) -> String {
    format!("{prefix}k{number}")
}

struct Printer<'p> {
    program: &'p Program,
    dialect: Dialect,
    prefix: &'p str,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    fn record(&mut self, number: u16) {
        {
            let record = &self.program.types.records()[usize::from(number)];
            let keyword = if record.is_union { "union" } else { "struct" };
            let mut text = format!("{keyword} {}R{number} {{", self.prefix);
            for (member, &ty) in record.members.iter().enumerate() {
                let _ =
                    write!(text, " {};", self.declarator(ty, None, false, &format!("m{member}")));
            }
            self.line(&format!("{text} }};"));
        }
    }

    /// The word for a space where a pointee or an object is in it, with a blank behind; what is inferred is left out.
    fn space(&self, space: AddressSpace, of_pointee: bool) -> &'static str {
        let is_said = of_pointee && (self.dialect.generic || self.program.spelling.private);
        let with_underscores = match space {
            AddressSpace::Global => "__global ",
            AddressSpace::Local => "__local ",
            AddressSpace::Constant => "__constant ",
            AddressSpace::Private if is_said => "__private ",
            AddressSpace::Private | AddressSpace::Generic => "",
        };
        let plain = with_underscores.trim_start_matches('_');
        if self.program.spelling.underscores { with_underscores } else { plain }
    }

    /// A declaration without its end: `local uint v3[4]`, `global uint *local v2`. The object's space is left out
    /// where there is none to be said, in members and parameters.
    fn declarator(&self, ty: Ty, space: Option<&str>, is_const: bool, name: &str) -> String {
        let space = space.unwrap_or_default();
        let qualifier = if is_const { "const " } else { "" };
        match self.program.types.get(ty) {
            Type::Scalar(scalar) => format!("{space}{qualifier}{} {name}", scalar.name()),
            Type::Vector(scalar, length) => {
                format!("{space}{qualifier}{}{length} {name}", scalar.name())
            }
            Type::Atomic(scalar) => format!("{space}{qualifier}atomic_{} {name}", scalar.name()),
            Type::Record(number) => {
                let record = &self.program.types.records()[usize::from(number)];
                let keyword = if record.is_union { "union" } else { "struct" };
                format!("{space}{qualifier}{keyword} {}R{number} {name}", self.prefix)
            }
            Type::Array(element, length) => {
                self.declarator(element, Some(space), is_const, &format!("{name}[{length}]"))
            }
            Type::Pointer(pointer) => {
                let inner = format!("*{space}{qualifier}{name}");
                let space = self.space(pointer.space, true);
                let is_const = pointer.is_const && pointer.space != AddressSpace::Constant;
                self.declarator(pointer.to, Some(space), is_const, &inner)
            }
        }
    }

    /// A type as casts have it.
    fn type_name(&self, ty: Ty) -> String {
        self.declarator(ty, None, false, "").trim_end().to_owned()
    }

    fn name(&self, variable: VariableId) -> String {
        let known = &self.program.variables[usize::from(variable.0)];
        let prefix = if known.is_program_scope { self.prefix } else { "" };
        format!("{prefix}v{}", variable.0)
    }

    fn declared(&self, variable: VariableId) -> String {
        let known = &self.program.variables[usize::from(variable.0)];
        let space = self.space(known.space, false);
        self.declarator(known.ty, Some(space), known.is_const, &self.name(variable))
    }

    fn declaration(&mut self, variable: VariableId) {
        let mut text = self.declared(variable);
        if let Some(initializer) = &self.program.variables[usize::from(variable.0)].initializer {
            let _ = write!(text, " = {}", self.initializer(initializer));
        }
        self.line(&format!("{text};"));
    }

    /// What is in constant stays without a word.
    fn static_variable(&mut self, variable: VariableId) {
        let known = &self.program.variables[usize::from(variable.0)];
        if known.space == AddressSpace::Global {
            self.line(&format!("static {};", self.declared(variable)));
        } else {
            self.declaration(variable);
        }
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Value(value) => self.value(value),
            Initializer::Text(text) => string_literal(text),
            Initializer::List(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.initializer(part)).collect();
                format!("{{ {} }}", parts.join(", "))
            }
        }
    }

    fn parameters(&self, parameters: &[VariableId]) -> String {
        let parameters: Vec<String> =
            parameters.iter().map(|&parameter| self.declared(parameter)).collect();
        parameters.join(", ")
    }

    fn helper(&mut self, number: usize, helper: &Helper) {
        if helper.is_noinline {
            self.line("__attribute__((noinline))");
        }
        let parameters = self.parameters(&helper.parameters);
        let name = format!("{}f{number}({parameters})", self.prefix);
        let head = self.declarator(helper.result, None, false, &name);
        self.line(&format!("{head} {{"));
        self.block(&helper.body);
        self.line("}");
    }

    fn kernel(&mut self, number: usize, kernel: &Kernel) {
        let parameters = self.parameters(&kernel.parameters);
        let name = kernel_name(self.prefix, number);
        self.line(&format!("kernel void {name}({parameters}) {{"));
        self.indent += 1;
        self.steps(&kernel.steps);
        self.indent -= 1;
        self.line("}");
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Each(statement) => self.statement(statement),
                Step::Local(variable) => self.declaration(*variable),
                Step::Static(variable) => self.static_variable(*variable),
                Step::Barrier(fence) => {
                    let flags = match fence {
                        Fence::Local => "CLK_LOCAL_MEM_FENCE",
                        Fence::Global => "CLK_GLOBAL_MEM_FENCE",
                        Fence::Both => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
                    };
                    self.line(&format!("barrier({flags});"));
                }
                Step::Repeat(counter, times, steps) => {
                    self.loop_head(*counter, *times);
                    self.indent += 1;
                    self.steps(steps);
                    self.indent -= 1;
                    self.line("}");
                }
                Step::Copy { to, from, count } => {
                    let (to, from) = (self.value(to), self.value(from));
                    self.line("{");
                    self.indent += 1;
                    self.line(&format!(
                        "event_t e = async_work_group_copy({to}, {from}, {count}, 0);"
                    ));
                    self.line("wait_group_events(1, &e);");
                    self.indent -= 1;
                    self.line("}");
                }
            }
        }
    }

    fn loop_head(&mut self, counter: VariableId, times: u32) {
        let name = self.name(counter);
        self.line(&format!("for (uint {name} = 0; {name} < {times}; {name}++) {{"));
    }

    fn block(&mut self, statements: &[Statement]) {
        self.indent += 1;
        for statement in statements {
            self.statement(statement);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        let line = match statement {
            Statement::Declare(variable) => return self.declaration(*variable),
            Statement::DeclareCall(variable, call) => {
                let arguments: Vec<String> =
                    call.arguments.iter().map(|argument| self.value(argument)).collect();
                format!(
                    "{} = {}f{}({});",
                    self.declared(*variable),
                    self.prefix,
                    call.helper,
                    arguments.join(", ")
                )
            }
            Statement::Assign(place, value) => {
                format!("{} = {};", self.place(place), self.value(value))
            }
            Statement::Update(operator, place, operand) => {
                let (place, operand) = (self.place(place), self.value(operand));
                format!("{place} {}= {operand};", operator_text(*operator))
            }
            Statement::StoreVector(value, index, pointer) => {
                let length = self.vector_length(value.ty);
                let (value, index) = (self.value(value), self.value(index));
                format!("vstore{length}({value}, {index}, {});", self.value(pointer))
            }
            Statement::CopyBytes(to, from) => return self.copy_bytes(to, from),
            Statement::Atomic(call) => format!("{};", self.atomic(call)),
            Statement::DeclareAtomic(variable, call) => {
                format!("{} = {};", self.declared(*variable), self.atomic(call))
            }
            Statement::Once(body) => {
                self.line("do {");
                self.block(body);
                "} while (0);".to_owned()
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                self.line(&format!("if ({condition}) {{"));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                "}".to_owned()
            }
            Statement::For(counter, times, body) => {
                self.loop_head(*counter, *times);
                self.block(body);
                "}".to_owned()
            }
            Statement::Switch(value, cases) => {
                let value = self.value(value);
                self.line(&format!("switch ({value}) {{"));
                for (number, case) in cases.iter().enumerate() {
                    let label = if number + 1 == cases.len() {
                        "default: {".to_owned()
                    } else {
                        format!("case {number}: {{")
                    };
                    self.line(&label);
                    self.block(case);
                    self.line("} break;");
                }
                "}".to_owned()
            }
            Statement::Leave(condition, leave) => {
                let word = match leave {
                    Leave::Break => "break",
                    Leave::Continue => "continue",
                };
                format!("if ({}) {word};", self.value(condition))
            }
            Statement::Return(value) => format!("return {};", self.value(value)),
        };
        self.line(&line);
    }

    fn vector_length(&self, ty: Ty) -> u8 {
        match self.program.types.get(ty) {
            Type::Vector(_, length) => length,
            _ => 1,
        }
    }

    /// A value, in parentheses where it has an operator.
    fn value(&self, expression: &Expression) -> String {
        let ty = expression.ty;
        match &expression.node {
            Node::Literal(value) => self.literal(ty, *value),
            Node::WorkItem(what) => {
                let call = match what {
                    WorkItem::GlobalId => "get_global_id(0)",
                    WorkItem::LocalId => "get_local_id(0)",
                    WorkItem::GroupId => "get_group_id(0)",
                    WorkItem::LocalSize => "get_local_size(0)",
                    WorkItem::Groups => "get_num_groups(0)",
                };
                format!("(uint){call}")
            }
            Node::Read(place) => self.place(place),
            Node::Complement(operand) => format!("~{}", self.value(operand)),
            Node::Binary(operator, left, right) => {
                format!("({} {} {})", self.value(left), operator_text(*operator), self.value(right))
            }
            Node::Compare(operator, left, right) => {
                let operator = comparison_text(*operator);
                format!("({} {operator} {})", self.value(left), self.value(right))
            }
            Node::Convert(operand) | Node::Cast(operand) => {
                format!("({}){}", self.type_name(ty), self.value(operand))
            }
            Node::Reinterpret(operand) => {
                format!("as_{}({})", self.type_name(ty), self.value(operand))
            }
            Node::Bytes(pointer) => self.sum_of_bytes(pointer),
            Node::Conditional(condition, yes, no) => {
                format!("({} ? {} : {})", self.value(condition), self.value(yes), self.value(no))
            }
            Node::Function(function, operands) => {
                let is_float = self.program.types.number_in(ty).is_some_and(Scalar::is_float);
                format!("{}({})", function_name(*function, is_float), self.values(operands))
            }
            Node::Vector(parts) => format!("({})({})", self.type_name(ty), self.values(parts)),
            Node::LoadVector(index, pointer) => {
                let length = self.vector_length(ty);
                format!("vload{length}({}, {})", self.value(index), self.value(pointer))
            }
            Node::AtomicLoad(object, manner) => self.atomic_load(object, *manner),
            Node::Address(Place { node: PlaceNode::Element(array, index), .. })
                if matches!(index.node, Node::Literal(0)) =>
            {
                self.place(array)
            }
            Node::Address(place) => format!("&{}", self.place(place)),
            Node::Offset(pointer, index) => {
                format!("({} + {})", self.value(pointer), self.value(index))
            }
            Node::Implicit(pointer) => self.value(pointer),
            Node::ToSpace(pointer) => {
                let to = self.program.types.as_pointer(ty).map(|pointer| pointer.space);
                let name = to.map_or("generic", |space| space.facts().name);
                format!("to_{name}({})", self.value(pointer))
            }
            Node::SamePlace(wanted, left, right) => {
                format!("({} {} {})", self.value(left), equality(*wanted), self.value(right))
            }
            Node::IsNull(wanted, pointer) => {
                format!("({} {} 0)", self.value(pointer), equality(*wanted))
            }
            Node::Before(left, right) => {
                format!("({} < {})", self.value(left), self.value(right))
            }
            Node::Distance(left, right) => {
                format!("(int)({} - {})", self.value(left), self.value(right))
            }
            Node::Text(text) => string_literal(text),
            Node::Null => "0".to_owned(),
        }
    }

    fn values(&self, values: &[Expression]) -> String {
        let values: Vec<String> = values.iter().map(|value| self.value(value)).collect();
        values.join(", ")
    }

    fn literal(&self, ty: Ty, value: i128) -> String {
        let suffix = match self.program.types.as_scalar(ty) {
            Some(Scalar::Uint) => "u",
            Some(Scalar::Ulong) => "ul",
            Some(Scalar::Long) => "l",
            Some(Scalar::Float) => ".0f",
            _ => "",
        };
        if value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
    }

    fn place(&self, place: &Place) -> String {
        match &place.node {
            PlaceNode::Variable(variable) => self.name(*variable),
            PlaceNode::Element(array, index) => {
                format!("{}[{}]", self.place(array), self.index(index))
            }
            PlaceNode::Member(record, member) => match &record.node {
                PlaceNode::Target(pointer, None) => {
                    format!("{}->m{member}", self.operand(pointer))
                }
                _ => format!("{}.m{member}", self.place(record)),
            },
            PlaceNode::Component(vector, component) => {
                let vector = match &vector.node {
                    PlaceNode::Target(_, None) => format!("({})", self.place(vector)),
                    _ => self.place(vector),
                };
                format!("{vector}.s{component:x}")
            }
            PlaceNode::Target(pointer, None) => format!("*{}", self.operand(pointer)),
            PlaceNode::Target(pointer, Some(index)) => {
                format!("{}[{}]", self.operand(pointer), self.index(index))
            }
        }
    }

    /// What `*`, `->` and `[]` are applied to.
    fn operand(&self, pointer: &Expression) -> String {
        let text = self.value(pointer);
        let is_simple = match &pointer.node {
            Node::Read(place) => !matches!(place.node, PlaceNode::Target(_, None)),
            _ => false,
        };
        if is_simple { text } else { format!("({text})") }
    }

    /// Brackets need no parentheses in them.
    fn index(&self, index: &Expression) -> String {
        let text = self.value(index);
        match &index.node {
            Node::Binary(..) => text[1..text.len() - 1].to_owned(),
            _ => text,
        }
    }
}

/// Of characters that need no escape, with one at the end that is not written.
fn string_literal(text: &[u8]) -> String {
    let shown = text.strip_suffix(&[0]).unwrap_or(text);
    format!("\"{}\"", String::from_utf8_lossy(shown))
}
