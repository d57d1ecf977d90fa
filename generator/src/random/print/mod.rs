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
        Binary, Expression, Fence, Form, Helper, Initializer, Item, Kernel, Leave, Node, Place,
        PlaceNode, Program, Side, SpacePosition, Statement, Step, Variable, VariableId, WorkItem,
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
    printer.out.reserve(2048);
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

/// A piece of a line.
#[derive(Clone, Copy)]
enum Piece<'e> {
    Text(&'e str),
    Value(&'e Expression),
    /// Values with commas between.
    Values(&'e [Expression]),
    Place(&'e Place),
    Type(Ty),
}

use Piece::{Text, Type as TypeName, Value, Values};

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
        let mut out = self.begin_line();
        out.push_str(text);
        self.end_line(out);
    }

    fn line_of(&mut self, pieces: &[Piece<'_>]) {
        let mut out = self.begin_line();
        self.put(&mut out, pieces);
        self.end_line(out);
    }

    /// Returns what is written so far, with a new line begun; [`Self::end_line`] takes it back.
    fn begin_line(&mut self) -> String {
        let mut out = std::mem::take(&mut self.out);
        for _ in 0..self.indent {
            out.push_str("  ");
        }
        out
    }

    fn end_line(&mut self, mut out: String) {
        out.push('\n');
        self.out = out;
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
        if self.program.spelling.space == SpacePosition::AfterType {
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
        let mut out = String::new();
        self.put_name(&mut out, variable);
        out
    }

    fn put_name(&self, out: &mut String, variable: VariableId) {
        let VariableId(number) = self.program.variables[usize::from(variable.0)].named_as;
        let is_program_scope = self.program.variables[usize::from(number)].is_program_scope;
        let _ = write!(out, "{}v{number}", if is_program_scope { self.prefix } else { "" });
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
        let declared = self.declared_in_function(variable);
        let mut out = self.begin_line();
        self.put(&mut out, &[Text(storage), Text(&declared)]);
        if let Some(initializer) = &self.program.variables[usize::from(variable.0)].initializer {
            out.push_str(" = ");
            self.put_initializer(&mut out, initializer);
        }
        out.push(';');
        self.end_line(out);
    }

    /// Writes a variable of a kernel that stays; one in constant needs no word.
    fn static_variable(&mut self, variable: VariableId) {
        let is_global =
            self.program.variables[usize::from(variable.0)].space == AddressSpace::Global;
        self.stored(if is_global { "static " } else { "" }, variable);
    }

    pub(super) fn initializer(&self, initializer: &Initializer) -> String {
        let mut out = String::new();
        self.put_initializer(&mut out, initializer);
        out
    }

    fn put_initializer(&self, out: &mut String, initializer: &Initializer) {
        match initializer {
            Initializer::Value(value) => self.put_value(out, value),
            Initializer::Text(text) => out.push_str(&string_literal(text)),
            Initializer::Designated(place, value) => {
                let _ = write!(out, "{{ [{place}] = ");
                self.put_initializer(out, value);
                out.push_str(" }");
            }
            Initializer::List(parts) => {
                out.push_str("{ ");
                for (number, part) in parts.iter().enumerate() {
                    out.push_str(if number == 0 { "" } else { ", " });
                    self.put_initializer(out, part);
                }
                out.push_str(" }");
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
                let called = format!(
                    "{} = {}f{}(",
                    self.declared_in_function(*variable),
                    self.prefix,
                    call.helper
                );
                return self.line_of(&[Text(&called), Values(&call.arguments), Text(");")]);
            }
            Statement::Assign(place, value) => {
                let pieces = [Piece::Place(place), Text(" = "), Value(value), Text(";")];
                return self.line_of(&pieces);
            }
            Statement::Update(operator, place, operand) => {
                let operator = operator_text(*operator);
                let place = Piece::Place(place);
                let pieces =
                    [place, Text(" "), Text(operator), Text("= "), Value(operand), Text(";")];
                return self.line_of(&pieces);
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
                self.line_of(&[Text("if ("), Value(condition), Text(") {")]);
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
                self.line_of(&[Text("switch ("), Value(value), Text(") {")]);
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
                let pieces = [Text("if ("), Value(condition), Text(") "), Text(word), Text(";")];
                return self.line_of(&pieces);
            }
            Statement::Return(value) => {
                return self.line_of(&[Text("return "), Value(value), Text(";")]);
            }
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
            self.filled_line(line, &mut values);
        }
        self.block(&form.body);
        for line in form.after.lines() {
            self.filled_line(line, &mut values);
        }
    }

    fn filled_line<'e>(&mut self, line: &str, values: &mut impl Iterator<Item = &'e Expression>) {
        let mut out = self.begin_line();
        self.put_filled(&mut out, line, None, values);
        self.end_line(out);
    }

    /// Appends a pattern with its values put in.
    fn put_filled<'e>(
        &self,
        out: &mut String,
        pattern: &str,
        ty: Option<Ty>,
        values: &mut impl Iterator<Item = &'e Expression>,
    ) {
        let mut rest = pattern;
        while let Some(start) = rest.find('{') {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            if let Some(after) = rest.strip_prefix("{}") {
                if let Some(value) = values.next() {
                    self.put_value(out, value);
                }
                rest = after;
            } else if let Some(after) = rest.strip_prefix("{T}") {
                out.extend(ty.map(|ty| self.type_name(ty)));
                rest = after;
            } else {
                out.push('{');
                rest = &rest[1..];
            }
        }
        out.push_str(rest);
    }

    fn vector_length(&self, ty: Ty) -> u8 {
        match self.program.types.get(ty) {
            Type::Vector(_, length) => length,
            _ => 1,
        }
    }

    /// Returns a value, in parentheses where it has an operator.
    pub(super) fn value(&self, expression: &Expression) -> String {
        let mut out = String::new();
        self.put_value(&mut out, expression);
        out
    }

    /// Appends pieces one after the other.
    fn put(&self, out: &mut String, pieces: &[Piece<'_>]) {
        for piece in pieces {
            match *piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value(value) => self.put_value(out, value),
                Piece::Values(values) => self.put_values(out, values),
                Piece::Place(place) => self.put_place(out, place),
                Piece::Type(ty) => out.push_str(&self.type_name(ty)),
            }
        }
    }

    fn put_values(&self, out: &mut String, values: &[Expression]) {
        for (number, value) in values.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { ", " });
            self.put_value(out, value);
        }
    }

    /// Appends a value, in parentheses where it has an operator.
    fn put_value(&self, out: &mut String, expression: &Expression) {
        let ty = expression.ty;
        let pieces: &[Piece<'_>] = match &expression.node {
            Node::Literal(value) => return self.put_literal(out, ty, *value),
            Node::WorkItem(what) => &[Text(match what {
                WorkItem::GlobalId => "(uint)get_global_id(0)",
                WorkItem::LocalId => "(uint)get_local_id(0)",
                WorkItem::GroupId => "(uint)get_group_id(0)",
                WorkItem::LocalSize => "(uint)get_local_size(0)",
                WorkItem::Groups => "(uint)get_num_groups(0)",
            })],
            Node::Read(place) => return self.put_place(out, place),
            Node::Complement(operand) => &[Text("~"), Value(operand)],
            Node::Binary(operator, left, right) => {
                out.push('(');
                self.put_binary(out, *operator, left, right);
                return out.push(')');
            }
            Node::Compare(operator, left, right) => {
                let operator = comparison_text(*operator);
                &[
                    Text("("),
                    Value(left),
                    Text(" "),
                    Text(operator),
                    Text(" "),
                    Value(right),
                    Text(")"),
                ]
            }
            Node::Convert(operand) | Node::Cast(operand) => {
                &[Text("("), TypeName(ty), Text(")"), Value(operand)]
            }
            Node::Reinterpret(operand) => {
                &[Text("as_"), TypeName(ty), Text("("), Value(operand), Text(")")]
            }
            Node::Bytes(pointer) => return out.push_str(&self.sum_of_bytes(pointer)),
            Node::Conditional(condition, yes, no) => &[
                Text("("),
                Value(condition),
                Text(" ? "),
                Value(yes),
                Text(" : "),
                Value(no),
                Text(")"),
            ],
            Node::Function(function, operands) => {
                let is_float = self.program.types.number_in(ty).is_some_and(Scalar::is_float);
                let name = function_name(*function, is_float);
                &[Text(name), Text("("), Values(operands), Text(")")]
            }
            Node::Vector(parts) => &[Text("("), TypeName(ty), Text(")("), Values(parts), Text(")")],
            Node::LoadVector(index, pointer) => {
                let _ = write!(out, "vload{}(", self.vector_length(ty));
                &[Value(index), Text(", "), Value(pointer), Text(")")]
            }
            Node::AtomicLoad(object, manner) => {
                return out.push_str(&self.atomic_load(object, *manner));
            }
            Node::Address(Place { node: PlaceNode::Element(array, index), .. })
                if matches!(index.node, Node::Literal(0)) =>
            {
                return self.put_place(out, array);
            }
            Node::Address(place) => &[Text("&"), Piece::Place(place)],
            Node::Offset(pointer, index) => {
                &[Text("("), Value(pointer), Text(" + "), Value(index), Text(")")]
            }
            Node::Implicit(pointer) => return self.put_value(out, pointer),
            Node::ToSpace(pointer) => {
                let to = self.program.types.as_pointer(ty).map(|pointer| pointer.space);
                let name = to.map_or("generic", |space| space.facts().name);
                &[Text("to_"), Text(name), Text("("), Value(pointer), Text(")")]
            }
            Node::SamePlace(wanted, left, right) => {
                let operator = equality(*wanted);
                &[
                    Text("("),
                    Value(left),
                    Text(" "),
                    Text(operator),
                    Text(" "),
                    Value(right),
                    Text(")"),
                ]
            }
            Node::IsNull(wanted, pointer) => {
                &[Text("("), Value(pointer), Text(" "), Text(equality(*wanted)), Text(" 0)")]
            }
            Node::Before(left, right) => {
                &[Text("("), Value(left), Text(" < "), Value(right), Text(")")]
            }
            Node::Distance(left, right) => {
                &[Text("(int)("), Value(left), Text(" - "), Value(right), Text(")")]
            }
            Node::Text(text) => return out.push_str(&string_literal(text)),
            Node::Null => &[Text("0")],
            Node::Form(pattern, values) => {
                return self.put_filled(out, pattern, Some(ty), &mut values.iter());
            }
            Node::Enumerator(enumeration, constant) => {
                return out.push_str(&self.enumerator(*enumeration, *constant));
            }
            Node::CompoundLiteral(initializer) => {
                let list = match &**initializer {
                    Initializer::List(_) | Initializer::Designated(..) => {
                        self.initializer(initializer)
                    }
                    other => format!("{{ {} }}", self.initializer(other)),
                };
                return self.put(out, &[Text("("), TypeName(ty), Text(")"), Text(&list)]);
            }
            Node::Fork(fork) => {
                self.put_value(out, fork.on(self.side));
                return out.push(GUILTY);
            }
        };
        self.put(out, pieces);
    }

    fn put_binary(
        &self,
        out: &mut String,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) {
        let operator = operator_text(operator);
        self.put(out, &[Value(left), Text(" "), Text(operator), Text(" "), Value(right)]);
    }

    fn put_literal(&self, out: &mut String, ty: Ty, value: i128) {
        let suffix = match self.program.types.as_scalar(ty) {
            Some(Scalar::Uint) => "u",
            Some(Scalar::Ulong) => "ul",
            Some(Scalar::Long) => "l",
            Some(Scalar::Float) => ".0f",
            _ => "",
        };
        let _ = if value < 0 {
            write!(out, "({value}{suffix})")
        } else {
            write!(out, "{value}{suffix}")
        };
    }

    fn put_place(&self, out: &mut String, place: &Place) {
        match &place.node {
            PlaceNode::Variable(variable) => self.put_name(out, *variable),
            PlaceNode::Element(array, index) => {
                self.put_aggregate(out, array);
                self.put_index(out, index);
            }
            PlaceNode::Member(record, member) => {
                match &record.node {
                    PlaceNode::Target(pointer, None) => {
                        self.put_operand(out, pointer);
                        out.push_str("->");
                    }
                    _ => self.put(out, &[Piece::Place(record), Text(".")]),
                }
                let _ = write!(out, "m{member}");
            }
            PlaceNode::Component(vector, component) => {
                self.put_aggregate(out, vector);
                let _ = write!(out, ".s{component:x}");
            }
            PlaceNode::Target(pointer, None) => {
                out.push('*');
                self.put_operand(out, pointer);
            }
            PlaceNode::Target(pointer, Some(index)) => {
                self.put_operand(out, pointer);
                self.put_index(out, index);
            }
        }
    }

    /// Appends a place that a part is taken of, in parentheses where it needs them.
    fn put_aggregate(&self, out: &mut String, place: &Place) {
        match &place.node {
            PlaceNode::Target(_, None) => {
                self.put(out, &[Text("("), Piece::Place(place), Text(")")]);
            }
            _ => self.put_place(out, place),
        }
    }

    /// Appends an operand of `*`, `->` or `[]`.
    fn put_operand(&self, out: &mut String, pointer: &Expression) {
        let is_simple = match &pointer.node {
            Node::Read(place) => !matches!(place.node, PlaceNode::Target(_, None)),
            _ => false,
        };
        if is_simple {
            self.put_value(out, pointer);
        } else {
            self.put(out, &[Text("("), Value(pointer), Text(")")]);
        }
    }

    /// Appends an index in its brackets, which need no parentheses in them.
    fn put_index(&self, out: &mut String, index: &Expression) {
        out.push('[');
        match &index.node {
            Node::Binary(operator, left, right) => self.put_binary(out, *operator, left, right),
            _ => self.put_value(out, index),
        }
        out.push(']');
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
