//! Programs as `OpenCL` C.

mod atomics;
mod bytes;
mod steps;
mod values;
mod words;
mod work_item;

use std::fmt::Write as _;

use expectations::{dialect::Dialect, space::AddressSpace};

use self::values::{
    Piece,
    Piece::{Name, Number, Text, Value, Values},
    put_number,
};
pub(super) use self::{
    atomics::atomic_name,
    words::{collective_name, comparison_text, function_name, operator_text},
};
use super::{
    tree::{
        Expression, Form, Initializer, Item, Kernel, Leave, Program, Side, SpacePosition,
        Statement, VariableId,
    },
    types::{Ty, Type},
    used::UsedParts,
};
use crate::templates;

/// The mark of a guilty line, until the end.
const GUILTY: char = '\u{1}';
/// The mark in text that stands for the prefix of names of file scope.
pub(super) const PREFIX: &str = "\u{2}";

/// Returns one of the two programs of a tree: its used parts where they are given, or all of it. `prefix` begins every
/// name of file scope.
pub(super) fn print(
    program: &Program,
    used: Option<&UsedParts>,
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
    if !text.contains(GUILTY) {
        return templates::Kernel { source: text, guilty_lines: Vec::new() };
    }
    let (mut source, mut guilty_lines) = (String::with_capacity(text.len()), Vec::new());
    let mut line = 1;
    for (number, part) in text.split(GUILTY).enumerate() {
        if number > 0 && guilty_lines.last() != Some(&line) {
            guilty_lines.push(line);
        }
        line += part.bytes().filter(|&byte| byte == b'\n').count() as u32;
        source.push_str(part);
    }
    templates::Kernel { source, guilty_lines }
}

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
    /// Labels so far.
    labels: u64,
}

impl<'p> Printer<'p> {
    pub(super) fn new(program: &'p Program, dialect: Dialect, side: Side, prefix: &'p str) -> Self {
        Self { program, dialect, side, prefix, out: String::new(), indent: 0, labels: 0 }
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

    fn item(&mut self, item: &Item, used: Option<&UsedParts>) {
        if !used.is_none_or(|used| used.has(item)) {
            return;
        }
        match item {
            Item::Record(number) => self.record(*number),
            Item::Enumeration(number) => self.enumeration(*number),
            Item::Alias(ty) => self.alias(*ty),
            Item::Variable(variable) => self.file_scope_variable(*variable),
            Item::Definition(variable) => self.declaration(*variable),
            Item::Prototype(helper) => {
                let mut out = self.begin_line();
                self.put_head(&mut out, *helper);
                out.push(';');
                self.end_line(out);
            }
            Item::Helper(helper) => self.helper(*helper),
            Item::Kernel(kernel) => self.kernel(*kernel, &self.program.kernels[*kernel]),
            Item::Text(text) => self.text(text),
            Item::Fork(fork) => {
                let start = self.out.len();
                self.item(fork.on(self.side), used);
                self.mark_from(start);
            }
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
            let mut out = self.begin_line();
            out.push_str("typedef ");
            self.put_before_unnamed(&mut out, ty, None, "");
            self.put_alias(&mut out, number);
            self.put_behind_unnamed(&mut out, ty);
            out.push(';');
            self.end_line(out);
        }
    }

    fn put_alias(&self, out: &mut String, number: u16) {
        out.push_str(self.prefix);
        out.push('T');
        put_number(out, number.into());
    }

    /// Writes a variable at program scope; what is declared `extern` is defined elsewhere.
    fn file_scope_variable(&mut self, variable: VariableId) {
        let known = &self.program.variables[usize::from(variable.0)];
        if known.storage == "extern " {
            let mut out = self.begin_line();
            out.push_str("extern ");
            self.put_variable(&mut out, variable, object_space(known.space));
            out.push(';');
            return self.end_line(out);
        }
        self.stored(known.storage, variable);
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
        let mut out = self.begin_line();
        self.put_record(&mut out, number);
        out.push_str(" {");
        let members = &self.program.types.records()[usize::from(number)].members;
        for (member, &ty) in members.iter().enumerate() {
            out.push(' ');
            self.put_declarator(&mut out, ty, None, "", |out| {
                out.push('m');
                put_number(out, member as u64);
            });
            out.push(';');
        }
        out.push_str(" };");
        self.end_line(out);
    }

    /// Appends the type that a structure or union is.
    fn put_record(&self, out: &mut String, number: u16) {
        let is_union = self.program.types.records()[usize::from(number)].is_union;
        out.push_str(if is_union { "union " } else { "struct " });
        out.push_str(self.prefix);
        out.push('R');
        put_number(out, number.into());
    }

    fn keyword(&self, space: AddressSpace) -> &'static str {
        let facts = space.facts();
        let is_underscored = self.program.spelling.underscored & 1 << space as u8 != 0;
        if is_underscored { facts.underscored } else { facts.name }
    }

    fn is_through_macro(&self, space: AddressSpace) -> bool {
        self.program.spelling.through_macro & 1 << space as u8 != 0
    }

    /// Appends the word for a space with a blank after it, where one is written.
    fn put_space(&self, out: &mut String, space: Option<AddressSpace>) {
        let Some(space) = space else { return };
        if self.is_through_macro(space) {
            out.push_str(&macro_name(self.prefix, space));
        } else {
            out.push_str(self.keyword(space));
        }
        out.push(' ');
    }

    /// Returns the space of a pointee, where it is written: not where it is inferred.
    fn pointee_space(&self, space: AddressSpace) -> Option<AddressSpace> {
        let is_inferred = match space {
            AddressSpace::Generic => true,
            AddressSpace::Private => {
                !self.dialect.generic && !self.program.spelling.private_pointees
            }
            _ => false,
        };
        (!is_inferred).then_some(space)
    }

    /// Appends a declaration without its end: `local uint v3[4]`, `global uint *local v2`. Members and parameters have
    /// no space to write.
    fn put_declarator(
        &self,
        out: &mut String,
        ty: Ty,
        space: Option<AddressSpace>,
        qualifiers: &str,
        put_name: impl FnOnce(&mut String),
    ) {
        self.put_before(out, ty, space, qualifiers);
        put_name(out);
        self.put_behind(out, ty);
    }

    fn put_specifiers(
        &self,
        out: &mut String,
        space: Option<AddressSpace>,
        qualifiers: &str,
        put_type: impl FnOnce(&mut String),
    ) {
        let position = self.program.spelling.space;
        if position == SpacePosition::BeforeType {
            self.put_space(out, space);
        }
        out.push_str(qualifiers);
        put_type(out);
        out.push(' ');
        if position == SpacePosition::AfterType {
            self.put_space(out, space);
        }
    }

    /// Appends the part of a declaration before the name.
    fn put_before(&self, out: &mut String, ty: Ty, space: Option<AddressSpace>, qualifiers: &str) {
        match self.program.types.alias(ty) {
            Some(number) => {
                self.put_specifiers(out, space, qualifiers, |out| self.put_alias(out, number));
            }
            None => self.put_before_unnamed(out, ty, space, qualifiers),
        }
    }

    /// Appends the same without the name that the type may have.
    fn put_before_unnamed(
        &self,
        out: &mut String,
        ty: Ty,
        space: Option<AddressSpace>,
        qualifiers: &str,
    ) {
        let known = self.program.types.get(ty);
        match known {
            Type::Array(element, _) => self.put_before(out, element, space, qualifiers),
            Type::Pointer(pointer) => {
                let is_const = pointer.is_const && pointer.space != AddressSpace::Constant;
                let of_pointee = qualifier_words(is_const, pointer.is_volatile);
                self.put_before(out, pointer.to, self.pointee_space(pointer.space), of_pointee);
                out.push_str(if self.is_unnamed_array(pointer.to) { "(*" } else { "*" });
                self.put_space(out, space);
                out.push_str(qualifiers);
            }
            _ => self.put_specifiers(out, space, qualifiers, |out| self.put_word(out, known)),
        }
    }

    /// Appends the part of a declaration after the name.
    fn put_behind(&self, out: &mut String, ty: Ty) {
        if self.program.types.alias(ty).is_none() {
            self.put_behind_unnamed(out, ty);
        }
    }

    /// Appends the same without the name that the type may have.
    fn put_behind_unnamed(&self, out: &mut String, ty: Ty) {
        match self.program.types.get(ty) {
            Type::Array(element, length) => {
                out.push('[');
                put_number(out, length.into());
                out.push(']');
                self.put_behind(out, element);
            }
            Type::Pointer(pointer) => {
                if self.is_unnamed_array(pointer.to) {
                    out.push(')');
                }
                self.put_behind(out, pointer.to);
            }
            _ => {}
        }
    }

    fn is_unnamed_array(&self, ty: Ty) -> bool {
        self.program.types.is_array(ty) && self.program.types.alias(ty).is_none()
    }

    /// Appends the word for a type that is neither an array nor a pointer.
    fn put_word(&self, out: &mut String, ty: Type) {
        match ty {
            Type::Scalar(scalar) => out.push_str(scalar.name()),
            Type::Vector(scalar, length) => {
                out.push_str(scalar.name());
                put_number(out, length.into());
            }
            Type::Atomic(scalar) => {
                out.push_str("atomic_");
                out.push_str(scalar.name());
            }
            Type::Opaque(spelling) => out.push_str(spelling),
            Type::Enumeration(number) => {
                out.push_str("enum ");
                out.push_str(self.prefix);
                out.push('E');
                put_number(out, number.into());
            }
            Type::Record(number) => self.put_record(out, number),
            Type::Array(..) | Type::Pointer(_) => {}
        }
    }

    /// Returns a type as casts have it.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        let mut out = String::new();
        self.put_type_name(&mut out, ty);
        out
    }

    fn put_type_name(&self, out: &mut String, ty: Ty) {
        self.put_declarator(out, ty, None, "", |_| {});
        out.truncate(out.trim_end().len());
    }

    fn put_name(&self, out: &mut String, variable: VariableId) {
        let VariableId(number) = self.program.variables[usize::from(variable.0)].named_as;
        if self.program.variables[usize::from(number)].is_program_scope {
            out.push_str(self.prefix);
        }
        out.push('v');
        put_number(out, number.into());
    }

    /// Appends the declaration of a variable, with this space written.
    fn put_variable(&self, out: &mut String, variable: VariableId, space: Option<AddressSpace>) {
        let known = &self.program.variables[usize::from(variable.0)];
        let qualifiers = qualifier_words(known.is_const, known.is_volatile);
        self.put_declarator(out, known.ty, space, qualifiers, |out| self.put_name(out, variable));
    }

    /// Appends the declaration of a variable in a function, whose space may be written though it is inferred.
    fn put_variable_in_function(&self, out: &mut String, variable: VariableId) {
        let known = &self.program.variables[usize::from(variable.0)];
        let is_opaque = matches!(self.program.types.get(known.ty), Type::Opaque(_));
        let is_spelled = self.program.spelling.private_objects && !is_opaque;
        let space = if is_spelled { Some(known.space) } else { object_space(known.space) };
        self.put_variable(out, variable, space);
    }

    fn declaration(&mut self, variable: VariableId) {
        self.stored("", variable);
    }

    fn stored(&mut self, storage: &str, variable: VariableId) {
        let mut out = self.begin_line();
        out.push_str(storage);
        self.put_variable_in_function(&mut out, variable);
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

    fn put_parameters(&self, out: &mut String, parameters: &[VariableId]) {
        out.push('(');
        if parameters.is_empty() {
            out.push_str("void");
        }
        for (number, &parameter) in parameters.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { ", " });
            let space = self.program.variables[usize::from(parameter.0)].space;
            self.put_variable(out, parameter, object_space(space));
        }
        out.push(')');
    }

    fn put_head(&self, out: &mut String, number: usize) {
        let helper = &self.program.helpers[number];
        out.push_str(helper.storage);
        self.put_declarator(out, helper.result, None, "", |out| {
            self.put_helper_name(out, number);
            self.put_parameters(out, &helper.parameters);
        });
    }

    fn put_helper_name(&self, out: &mut String, number: usize) {
        out.push_str(self.prefix);
        out.push('f');
        put_number(out, number as u64);
    }

    fn helper(&mut self, number: usize) {
        let helper = &self.program.helpers[number];
        if helper.is_noinline {
            self.line("__attribute__((noinline))");
        }
        let mut out = self.begin_line();
        self.put_head(&mut out, number);
        out.push_str(" {");
        self.end_line(out);
        self.nested_steps(&helper.steps);
        self.block(&helper.body);
        self.line("}");
    }

    fn kernel(&mut self, number: usize, kernel: &Kernel) {
        let word = if self.program.spelling.underscored_kernel { "__kernel" } else { "kernel" };
        let mut out = self.begin_line();
        out.push_str(word);
        out.push_str(" void ");
        out.push_str(&kernel_name(self.prefix, number));
        self.put_parameters(&mut out, &kernel.parameters);
        out.push_str(" {");
        self.end_line(out);
        self.nested_steps(&kernel.steps);
        self.line("}");
    }

    fn loop_head(&mut self, counter: VariableId, times: u32) {
        let counter = Name(counter);
        self.line_of(&[
            Text("for (uint "),
            counter,
            Text(" = 0; "),
            counter,
            Text(" < "),
            Number(times.into()),
            Text("; "),
            counter,
            Text("++) {"),
        ]);
    }

    /// Writes a `switch` without its last brace, each case by `write_case`.
    fn switch<T>(&mut self, value: &Expression, cases: &[Vec<T>], write_case: fn(&mut Self, &[T])) {
        self.line_of(&[Text("switch ("), Value(value), Text(") {")]);
        for (number, case) in cases.iter().enumerate() {
            if number + 1 == cases.len() {
                self.line("default: {");
            } else {
                self.line_of(&[Text("case "), Number(number as u64), Text(": {")]);
            }
            write_case(self, case);
            self.line("} break;");
        }
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
                let mut out = self.begin_line();
                self.put_variable_in_function(&mut out, *variable);
                out.push_str(" = ");
                self.put_helper_name(&mut out, call.helper);
                self.put(&mut out, &[Text("("), Values(&call.arguments), Text(");")]);
                return self.end_line(out);
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
                return self.line_of(&[
                    Text("vstore"),
                    Number(self.vector_length(value.ty).into()),
                    Text("("),
                    Value(value),
                    Text(", "),
                    Value(index),
                    Text(", "),
                    Value(pointer),
                    Text(");"),
                ]);
            }
            Statement::CopyBytes(to, from) => return self.copy_bytes(to, from),
            Statement::Atomic(call) => {
                let mut out = self.begin_line();
                self.put_atomic(&mut out, call);
                out.push(';');
                return self.end_line(out);
            }
            Statement::DeclareAtomic(variable, call) => {
                let mut out = self.begin_line();
                self.put_variable_in_function(&mut out, *variable);
                out.push_str(" = ");
                self.put_atomic(&mut out, call);
                out.push(';');
                return self.end_line(out);
            }
            Statement::Once(body) => {
                self.line("do {");
                self.block(body);
                "} while (0);"
            }
            Statement::If(condition, then, otherwise) => {
                self.line_of(&[Text("if ("), Value(condition), Text(") {")]);
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                "}"
            }
            Statement::For(counter, times, body) => {
                self.loop_head(*counter, *times);
                self.block(body);
                "}"
            }
            Statement::Switch(value, cases) => {
                self.switch(value, cases, Self::block);
                "}"
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
        self.line(line);
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
                if let Some(ty) = ty {
                    self.put_type_name(out, ty);
                }
                rest = after;
            } else {
                out.push('{');
                rest = &rest[1..];
            }
        }
        out.push_str(rest);
    }
}

/// Returns a string literal of characters that need no escape; the last one is not written.
fn string_literal(text: &[u8]) -> String {
    let shown = text.strip_suffix(&[0]).unwrap_or(text);
    format!("\"{}\"", String::from_utf8_lossy(shown))
}

/// Returns the space of an object, where it is written: not where it is inferred.
fn object_space(space: AddressSpace) -> Option<AddressSpace> {
    (space != AddressSpace::Private).then_some(space)
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
