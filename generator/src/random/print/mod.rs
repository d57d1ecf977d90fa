//! Programs as `OpenCL` C.

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
        Expression, Fence, Form, Helper, Initializer, Item, Kernel, Leave, Node, Place, PlaceNode,
        Program, Side, Statement, Step, Variable, VariableId, WorkItem,
    },
    types::{Scalar, Ty, Type},
    used::Used,
};
use crate::templates;

/// The mark of a guilty line, until the end.
const GUILTY: char = '\u{1}';
/// The mark in text that stands for the prefix of names of file scope.
pub(super) const PREFIX: &str = "\u{2}";

/// Returns one of the two programs of a tree, as far as it is used; `prefix` begins every name of file scope.
pub(super) fn print(
    program: &Program,
    used: &Used,
    dialect: Dialect,
    side: Side,
    prefix: &str,
) -> templates::Kernel {
    let mut printer = Printer::new(program, dialect, side, prefix);
    printer.macros();
    for item in &program.file_scope {
        printer.item(item, used);
    }
    finish(printer.out)
}

/// Takes the marks out and notes their lines.
fn finish(text: String) -> templates::Kernel {
    let mut guilty_lines = Vec::new();
    if !text.contains(GUILTY) {
        return templates::Kernel { source: text, guilty_lines };
    }
    for (line, number) in text.lines().zip(1..) {
        if line.contains(GUILTY) {
            guilty_lines.push(number);
        }
    }
    templates::Kernel { source: text.replace(GUILTY, ""), guilty_lines }
}

/// Returns the name of a kernel.
pub(super) fn kernel_name(prefix: &str, number: usize) -> String {
    format!("{prefix}k{number}")
}

/// Spells parts of one program.
pub(super) struct Printer<'p> {
    program: &'p Program,
    dialect: Dialect,
    side: Side,
    prefix: &'p str,
    out: String,
    indent: usize,
}

impl<'p> Printer<'p> {
    pub(super) fn new(program: &'p Program, dialect: Dialect, side: Side, prefix: &'p str) -> Self {
        Self { program, dialect, side, prefix, out: String::new(), indent: 0 }
    }

    /// Writes the macros that spell spaces.
    fn macros(&mut self) {
        for space in AddressSpace::ALL {
            if space.facts().spelled && self.is_through_macro(space) {
                let name = macro_name(self.prefix, space);
                self.line(&format!("#define {name} {}", self.keyword(space)));
            }
        }
    }

    fn item(&mut self, item: &Item, used: &Used) {
        match item {
            Item::Record(number) if used.records.contains(number) => self.record(*number),
            Item::Enumeration(number) => self.enumeration(*number),
            Item::Alias(ty) => self.alias(*ty),
            Item::Variable(variable) if used.variables.contains(variable) => {
                self.file_scope_variable(*variable);
            }
            Item::Definition(variable) => self.declaration(*variable),
            Item::Prototype(helper) if used.helpers.contains(helper) => {
                let head = self.head(*helper, &self.program.helpers[*helper]);
                self.line(&format!("{head};"));
            }
            Item::Helper(helper) if used.helpers.contains(helper) => {
                self.helper(*helper, &self.program.helpers[*helper]);
            }
            Item::Kernel(kernel) if used.kernels.contains(kernel) => {
                self.kernel(*kernel, &self.program.kernels[*kernel]);
            }
            Item::Text(text) => self.text(text),
            Item::Fork(fork) => {
                let start = self.out.len();
                self.item(fork.on(self.side), used);
                self.mark_from(start);
            }
            Item::Record(_)
            | Item::Variable(_)
            | Item::Prototype(_)
            | Item::Helper(_)
            | Item::Kernel(_) => {}
        }
    }

    /// Marks an edited part without a mark of its own where it begins.
    fn mark_from(&mut self, start: usize) {
        if !self.out[start..].contains(GUILTY) {
            let end = self.out[start..].find('\n').map_or(self.out.len(), |index| start + index);
            self.out.insert(end, GUILTY);
        }
    }

    /// Writes lines of text: [`PREFIX`] in it stands for the prefix, `@` marks the line as guilty.
    fn text(&mut self, text: &str) {
        for line in text.lines() {
            let line =
                line.replace(PREFIX, self.prefix).replace('@', GUILTY.encode_utf8(&mut [0; 4]));
            self.line(&line);
        }
    }

    fn enumeration(&mut self, number: u16) {
        let constants = &self.program.types.enumerations()[usize::from(number)];
        let constants: Vec<String> = constants
            .iter()
            .zip(0..)
            .map(|(value, constant)| {
                let name = self.enumerator(number, constant);
                value.map_or(name.clone(), |value| format!("{name} = {value}"))
            })
            .collect();
        self.line(&format!("enum {}E{number} {{ {} }};", self.prefix, constants.join(", ")));
    }

    fn enumerator(&self, enumeration: u16, constant: u16) -> String {
        format!("{}e{enumeration}_{constant}", self.prefix)
    }

    fn alias(&mut self, ty: Ty) {
        if let Some(number) = self.program.types.alias(ty) {
            let name = format!("{}T{number}", self.prefix);
            let text = self.unnamed_declarator(ty, "", "", &name);
            self.line(&format!("typedef {text};"));
        }
    }

    /// Writes a variable at program scope; what is declared `extern` is defined elsewhere.
    fn file_scope_variable(&mut self, variable: VariableId) {
        let Variable { storage, .. } = self.program.variables[usize::from(variable.0)];
        if storage == "extern " {
            return self.line(&format!("extern {};", self.declared(variable)));
        }
        self.stored(storage, variable);
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    fn record(&mut self, number: u16) {
        {
            let record = &self.program.types.records()[usize::from(number)];
            let keyword = if record.is_union { "union" } else { "struct" };
            let mut text = format!("{keyword} {}R{number} {{", self.prefix);
            for (member, &ty) in record.members.iter().enumerate() {
                let _ = write!(text, " {};", self.declarator(ty, "", "", &format!("m{member}")));
            }
            self.line(&format!("{text} }};"));
        }
    }

    fn keyword(&self, space: AddressSpace) -> &'static str {
        let facts = space.facts();
        let is_underscored = self.program.spelling.underscored & 1 << space as u8 != 0;
        if is_underscored { facts.underscored } else { facts.name }
    }

    fn is_through_macro(&self, space: AddressSpace) -> bool {
        self.program.spelling.through_macro & 1 << space as u8 != 0
    }

    /// Returns the word for a space with a blank behind.
    fn space_word(&self, space: AddressSpace) -> String {
        if self.is_through_macro(space) {
            return format!("{} ", macro_name(self.prefix, space));
        }
        format!("{} ", self.keyword(space))
    }

    /// Returns the word for the space of a pointee; what is inferred is left out.
    fn pointee_space(&self, space: AddressSpace) -> String {
        let is_inferred = match space {
            AddressSpace::Generic => true,
            AddressSpace::Private => {
                !self.dialect.generic && !self.program.spelling.private_pointees
            }
            _ => false,
        };
        if is_inferred { String::new() } else { self.space_word(space) }
    }

    /// Returns the word for the space of an object; what is inferred is left out.
    fn object_space(&self, space: AddressSpace) -> String {
        if space == AddressSpace::Private { String::new() } else { self.space_word(space) }
    }

    /// Returns a declaration without its end: `local uint v3[4]`, `global uint *local v2`. The object's space is
    /// empty where there is none to be said, in members and parameters.
    fn declarator(&self, ty: Ty, space: &str, qualifiers: &str, name: &str) -> String {
        match self.program.types.alias(ty) {
            Some(number) => {
                let alias = format!("{}T{number}", self.prefix);
                self.specified(&alias, space, qualifiers, name)
            }
            None => self.unnamed_declarator(ty, space, qualifiers, name),
        }
    }

    fn specified(&self, ty: &str, space: &str, qualifiers: &str, name: &str) -> String {
        if self.program.spelling.space_last {
            format!("{qualifiers}{ty} {space}{name}")
        } else {
            format!("{space}{qualifiers}{ty} {name}")
        }
    }

    /// Returns the declaration without the name that the type may have.
    fn unnamed_declarator(&self, ty: Ty, space: &str, qualifiers: &str, name: &str) -> String {
        let word = match self.program.types.get(ty) {
            Type::Scalar(scalar) => scalar.name().into(),
            Type::Vector(scalar, length) => format!("{}{length}", scalar.name()),
            Type::Atomic(scalar) => format!("atomic_{}", scalar.name()),
            Type::Opaque(spelling) => spelling.into(),
            Type::Enumeration(number) => format!("enum {}E{number}", self.prefix),
            Type::Record(number) => {
                let record = &self.program.types.records()[usize::from(number)];
                let keyword = if record.is_union { "union" } else { "struct" };
                format!("{keyword} {}R{number}", self.prefix)
            }
            Type::Array(element, length) => {
                return self.declarator(element, space, qualifiers, &format!("{name}[{length}]"));
            }
            Type::Pointer(pointer) => {
                let is_array = self.program.types.is_array(pointer.to)
                    && self.program.types.alias(pointer.to).is_none();
                let inner = if is_array {
                    format!("(*{space}{qualifiers}{name})")
                } else {
                    format!("*{space}{qualifiers}{name}")
                };
                let space = self.pointee_space(pointer.space);
                let is_const = pointer.is_const && pointer.space != AddressSpace::Constant;
                let qualifiers = qualifier_words(is_const, pointer.is_volatile);
                return self.declarator(pointer.to, &space, qualifiers, &inner);
            }
        };
        self.specified(&word, space, qualifiers, name)
    }

    /// Returns a type as casts have it.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        self.declarator(ty, "", "", "").trim_end().to_owned()
    }

    fn name(&self, variable: VariableId) -> String {
        let VariableId(number) = self.program.variables[usize::from(variable.0)].named_as;
        let is_program_scope = self.program.variables[usize::from(number)].is_program_scope;
        format!("{}v{number}", if is_program_scope { self.prefix } else { "" })
    }

    fn declared(&self, variable: VariableId) -> String {
        let known = &self.program.variables[usize::from(variable.0)];
        let space = self.object_space(known.space);
        let qualifiers = qualifier_words(known.is_const, known.is_volatile);
        self.declarator(known.ty, &space, qualifiers, &self.name(variable))
    }

    /// Returns the same of a variable in a function, whose space may be written though it is inferred.
    fn declared_in_function(&self, variable: VariableId) -> String {
        let known = &self.program.variables[usize::from(variable.0)];
        let is_opaque = matches!(self.program.types.get(known.ty), Type::Opaque(_));
        let is_written = self.program.spelling.private_objects
            && known.space == AddressSpace::Private
            && !is_opaque;
        if !is_written {
            return self.declared(variable);
        }
        let qualifiers = qualifier_words(known.is_const, known.is_volatile);
        let space = self.space_word(known.space);
        self.declarator(known.ty, &space, qualifiers, &self.name(variable))
    }

    fn declaration(&mut self, variable: VariableId) {
        self.stored("", variable);
    }

    fn stored(&mut self, storage: &str, variable: VariableId) {
        let mut text = format!("{storage}{}", self.declared_in_function(variable));
        if let Some(initializer) = &self.program.variables[usize::from(variable.0)].initializer {
            let _ = write!(text, " = {}", self.initializer(initializer));
        }
        self.line(&format!("{text};"));
    }

    /// Writes a variable of a kernel that stays; one in constant needs no word.
    fn static_variable(&mut self, variable: VariableId) {
        let is_global =
            self.program.variables[usize::from(variable.0)].space == AddressSpace::Global;
        self.stored(if is_global { "static " } else { "" }, variable);
    }

    pub(super) fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Value(value) => self.value(value),
            Initializer::Text(text) => string_literal(text),
            Initializer::Designated(place, value) => {
                format!("{{ [{place}] = {} }}", self.initializer(value))
            }
            Initializer::List(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.initializer(part)).collect();
                format!("{{ {} }}", parts.join(", "))
            }
        }
    }

    fn parameters(&self, parameters: &[VariableId]) -> String {
        let parameters: Vec<String> =
            parameters.iter().map(|&parameter| self.declared(parameter)).collect();
        if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") }
    }

    fn head(&self, number: usize, helper: &Helper) -> String {
        let parameters = self.parameters(&helper.parameters);
        let name = format!("{}f{number}({parameters})", self.prefix);
        format!("{}{}", helper.storage, self.declarator(helper.result, "", "", &name))
    }

    fn helper(&mut self, number: usize, helper: &Helper) {
        if helper.is_noinline {
            self.line("__attribute__((noinline))");
        }
        self.line(&format!("{} {{", self.head(number, helper)));
        self.block(&helper.body);
        self.line("}");
    }

    fn kernel(&mut self, number: usize, kernel: &Kernel) {
        let parameters = self.parameters(&kernel.parameters);
        let name = kernel_name(self.prefix, number);
        let word = if self.program.spelling.underscored_kernel { "__kernel" } else { "kernel" };
        self.line(&format!("{word} void {name}({parameters}) {{"));
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
                    self.declared_in_function(*variable),
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
                format!("{} = {};", self.declared_in_function(*variable), self.atomic(call))
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
            Statement::Form(form) => return self.form(form),
            Statement::Text(text) => return self.text(text),
            Statement::Fork(fork) => {
                let start = self.out.len();
                self.statement(fork.on(self.side));
                return self.mark_from(start);
            }
        };
        self.line(&line);
    }

    fn form(&mut self, form: &Form) {
        let mut values = form.values.iter();
        for line in form.before.lines() {
            let line = self.filled(line, None, &mut values);
            self.line(&line);
        }
        self.block(&form.body);
        for line in form.after.lines() {
            let line = self.filled(line, None, &mut values);
            self.line(&line);
        }
    }

    /// Returns a pattern with its values put in.
    fn filled<'e>(
        &self,
        pattern: &str,
        ty: Option<Ty>,
        values: &mut impl Iterator<Item = &'e Expression>,
    ) -> String {
        let (mut text, mut rest) = (String::new(), pattern);
        while let Some(start) = rest.find('{') {
            text.push_str(&rest[..start]);
            rest = &rest[start..];
            if let Some(after) = rest.strip_prefix("{}") {
                text.extend(values.next().map(|value| self.value(value)));
                rest = after;
            } else if let Some(after) = rest.strip_prefix("{T}") {
                text.extend(ty.map(|ty| self.type_name(ty)));
                rest = after;
            } else {
                text.push('{');
                rest = &rest[1..];
            }
        }
        text + rest
    }

    fn vector_length(&self, ty: Ty) -> u8 {
        match self.program.types.get(ty) {
            Type::Vector(_, length) => length,
            _ => 1,
        }
    }

    /// Returns a value, in parentheses where it has an operator.
    pub(super) fn value(&self, expression: &Expression) -> String {
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
            Node::Form(pattern, values) => self.filled(pattern, Some(ty), &mut values.iter()),
            Node::Enumerator(enumeration, constant) => self.enumerator(*enumeration, *constant),
            Node::CompoundLiteral(initializer) => {
                let list = match &**initializer {
                    Initializer::List(_) | Initializer::Designated(..) => {
                        self.initializer(initializer)
                    }
                    other => format!("{{ {} }}", self.initializer(other)),
                };
                format!("({}){list}", self.type_name(ty))
            }
            Node::Fork(fork) => format!("{}{GUILTY}", self.value(fork.on(self.side))),
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
                format!("{}[{}]", self.aggregate(array), self.index(index))
            }
            PlaceNode::Member(record, member) => match &record.node {
                PlaceNode::Target(pointer, None) => {
                    format!("{}->m{member}", self.operand(pointer))
                }
                _ => format!("{}.m{member}", self.place(record)),
            },
            PlaceNode::Component(vector, component) => {
                format!("{}.s{component:x}", self.aggregate(vector))
            }
            PlaceNode::Target(pointer, None) => format!("*{}", self.operand(pointer)),
            PlaceNode::Target(pointer, Some(index)) => {
                format!("{}[{}]", self.operand(pointer), self.index(index))
            }
        }
    }

    /// Returns a place that a part is taken of, in parentheses where it needs them.
    fn aggregate(&self, place: &Place) -> String {
        match &place.node {
            PlaceNode::Target(_, None) => format!("({})", self.place(place)),
            _ => self.place(place),
        }
    }

    /// Returns an operand of `*`, `->` or `[]`.
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

/// Returns a string literal of characters that need no escape; the last one is not written.
fn string_literal(text: &[u8]) -> String {
    let shown = text.strip_suffix(&[0]).unwrap_or(text);
    format!("\"{}\"", String::from_utf8_lossy(shown))
}

fn qualifier_words(is_const: bool, is_volatile: bool) -> &'static str {
    match (is_const, is_volatile) {
        (false, false) => "",
        (true, false) => "const ",
        (false, true) => "volatile ",
        (true, true) => "const volatile ",
    }
}

/// Returns the name of the macro that spells a space.
fn macro_name(prefix: &str, space: AddressSpace) -> String {
    format!("{prefix}{}", space.facts().name.to_uppercase())
}
