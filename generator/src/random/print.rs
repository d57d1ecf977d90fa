//! Trees in, `OpenCL` C out.

use std::fmt::Write as _;

use expectations::{dialect::Dialect, space::AddressSpace};

use super::{
    tree::{
        Declaration, Designator, Element, Expression, Fork, Function, Header, Item, Name,
        Parameter, Program, Side, Statement, Style,
    },
    types::{Kind, Pointee, Ty, Types},
};
use crate::templates::Kernel;

/// Stands for the prefix of file-scope names until the end.
const PREFIX: char = '$';
/// Marks a line as guilty until the end.
const GUILTY: char = '@';

/// One of the two programs of a tree; `prefix` begins every file-scope name.
pub(super) fn print(program: &Program, side: Side, dialect: Dialect, prefix: &str) -> Kernel {
    let mut printer = Printer::new(&program.types, program.style, dialect, side);
    printer.macros();
    for item in &program.items {
        printer.item(item);
    }
    finish(&printer.out, prefix)
}

/// Put the prefix in, take the marks out and note their lines.
fn finish(text: &str, prefix: &str) -> Kernel {
    let mut source = String::with_capacity(text.len() * 2);
    let mut guilty_lines = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(index) = rest.find([PREFIX, GUILTY, '\n']) {
        source.push_str(&rest[..index]);
        match rest.as_bytes()[index] {
            b'\n' => {
                line += 1;
                source.push('\n');
            }
            b'$' => source.push_str(prefix),
            _ if guilty_lines.last() == Some(&line) => {}
            _ => guilty_lines.push(line),
        }
        rest = &rest[index + 1..];
    }
    source.push_str(rest);
    Kernel { source, guilty_lines }
}

/// Spells parts of one program.
pub(super) struct Printer<'t> {
    types: &'t Types,
    style: Style,
    dialect: Dialect,
    side: Side,
    out: String,
    indent: usize,
}

impl<'t> Printer<'t> {
    pub(super) fn new(types: &'t Types, style: Style, dialect: Dialect, side: Side) -> Self {
        Self { types, style, dialect, side, out: String::with_capacity(2048), indent: 0 }
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    /// The macros that spell spaces.
    fn macros(&mut self) {
        for space in AddressSpace::ALL {
            if space.facts().spelled && self.style.through_macro & 1 << space as u8 != 0 {
                let spelling = spelling(space, self.style);
                let _ = writeln!(self.out, "#define {PREFIX}{} {spelling}", macro_name(space));
            }
        }
    }

    fn word(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line_start(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    pub(super) fn name(&mut self, name: Name) {
        if name.is_file_scope {
            self.out.push(PREFIX);
        }
        self.out.push(name.letter);
        let _ = write!(self.out, "{}", name.index);
    }

    fn space(&mut self, space: AddressSpace) {
        if self.style.through_macro & 1 << space as u8 != 0 {
            self.out.push(PREFIX);
            self.out.push_str(macro_name(space));
        } else {
            self.out.push_str(spelling(space, self.style));
        }
        self.out.push(' ');
    }

    /// The qualifiers of a pointee; its space is left out where inference says the same.
    fn pointee_qualifiers(&mut self, pointee: Pointee) -> Qualifiers {
        let inferred = AddressSpace::of_pointee(expectations::space::UNQUALIFIED, self.dialect);
        let written = pointee.space.facts().spelled
            && (inferred != Some(pointee.space) || self.style.explicit_private);
        Qualifiers {
            space: written.then_some(pointee.space),
            is_const: pointee.is_const,
            is_volatile: pointee.is_volatile,
        }
    }

    fn qualifiers(&mut self, qualifiers: Qualifiers) {
        if qualifiers.is_const {
            self.word("const ");
        }
        if qualifiers.is_volatile {
            self.word("volatile ");
        }
        if let Some(space) = qualifiers.space {
            self.space(space);
        }
    }

    /// What stands before the name in a declaration.
    fn before(&mut self, ty: Ty, qualifiers: Qualifiers) {
        if let Some(alias) = self.types.alias(ty) {
            self.qualifiers(qualifiers);
            self.name(alias);
            self.out.push(' ');
            return;
        }
        match self.types.kind(ty) {
            Kind::Array(element, _) => self.before(element, qualifiers),
            Kind::Pointer(pointee) => {
                let inner = self.pointee_qualifiers(pointee);
                self.before(pointee.to, inner);
                self.word(if self.is_spelled_array(pointee.to) { "(*" } else { "*" });
                self.qualifiers(qualifiers);
            }
            _ if self.style.space_last => {
                self.specifier(ty);
                self.qualifiers(qualifiers);
            }
            _ => {
                self.qualifiers(qualifiers);
                self.specifier(ty);
            }
        }
    }

    fn specifier(&mut self, ty: Ty) {
        match self.types.kind(ty) {
            Kind::Integer(spelling)
            | Kind::Floating(spelling)
            | Kind::Vector(spelling, ..)
            | Kind::Atomic(spelling, _)
            | Kind::Opaque(spelling) => self.word(spelling),
            Kind::Record(index) => {
                let record = self.types.record_of(index);
                self.word(if record.is_union { "union " } else { "struct " });
                self.name(record.name);
            }
            Kind::Enumeration(index) => {
                self.word("enum ");
                self.name(self.types.enumeration_of(index).name);
            }
            Kind::Void | Kind::Array(..) | Kind::Pointer(_) => self.word("void"),
        }
        self.out.push(' ');
    }

    /// What stands after the name.
    fn after(&mut self, ty: Ty) {
        if self.types.alias(ty).is_some() {
            return;
        }
        match self.types.kind(ty) {
            Kind::Array(element, length) => {
                let _ = write!(self.out, "[{length}]");
                self.after(element);
            }
            Kind::Pointer(pointee) => {
                if self.is_spelled_array(pointee.to) {
                    self.word(")");
                }
                self.after(pointee.to);
            }
            _ => {}
        }
    }

    fn is_spelled_array(&self, ty: Ty) -> bool {
        self.types.alias(ty).is_none() && matches!(self.types.kind(ty), Kind::Array(..))
    }

    pub(super) fn type_name(&mut self, ty: Ty) {
        self.before(ty, Qualifiers::default());
        while self.out.ends_with(' ') {
            self.out.pop();
        }
        self.after(ty);
    }

    pub(super) fn declarator(&mut self, ty: Ty, qualifiers: Qualifiers, name: Name) {
        self.before(ty, qualifiers);
        self.name(name);
        self.after(ty);
    }

    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.word(declaration.storage);
        let qualifiers = Qualifiers {
            space: declaration.space,
            is_const: declaration.is_const,
            is_volatile: declaration.is_volatile,
        };
        match self.types.kind(declaration.ty) {
            Kind::Array(element, _) if declaration.is_unsized => {
                self.before(element, qualifiers);
                self.name(declaration.name);
                self.word("[]");
                self.after(element);
            }
            _ => self.declarator(declaration.ty, qualifiers, declaration.name),
        }
        if let Some(value) = &declaration.initializer {
            self.word(" = ");
            self.argument(value);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Record(ty) => self.record(*ty),
            Item::Enumeration(ty) => self.enumeration(*ty),
            Item::Typedef(ty, name) => {
                self.word("typedef ");
                self.unaliased(*ty, *name);
                self.word(";\n");
            }
            Item::Object(declaration) => {
                self.declaration(declaration);
                self.word(";\n");
            }
            Item::Prototype(header) => {
                self.header(header);
                self.word(";\n");
            }
            Item::Function(function) => self.function(function),
            Item::Text(text) => self.text(text),
            Item::Fork(fork) => {
                let side = self.side_of(fork);
                let mark = self.out.len();
                self.item(side);
                self.mark_from(mark);
            }
        }
    }

    /// An edited part without a mark of its own is guilty where it begins.
    fn mark_from(&mut self, start: usize) {
        if !self.out[start..].contains(GUILTY) {
            let end = self.out[start..].find('\n').map_or(self.out.len(), |index| start + index);
            self.out.insert(end, GUILTY);
        }
    }

    fn side_of<'f, T>(&self, fork: &'f Fork<T>) -> &'f T {
        match self.side {
            Side::Control => &fork.control,
            Side::Edited => &fork.edited,
        }
    }

    /// A declarator of a pointer or an array, whose own name is not to be used.
    fn unaliased(&mut self, ty: Ty, name: Name) {
        match self.types.kind(ty) {
            Kind::Pointer(pointee) => {
                let inner = self.pointee_qualifiers(pointee);
                self.before(pointee.to, inner);
                let is_array = self.is_spelled_array(pointee.to);
                self.word(if is_array { "(*" } else { "*" });
                self.name(name);
                self.word(if is_array { ")" } else { "" });
                self.after(pointee.to);
            }
            Kind::Array(element, length) => {
                self.before(element, Qualifiers::default());
                self.name(name);
                let _ = write!(self.out, "[{length}]");
                self.after(element);
            }
            _ => {
                self.specifier(ty);
                self.name(name);
            }
        }
    }

    fn enumeration(&mut self, ty: Ty) {
        let Kind::Enumeration(index) = self.types.kind(ty) else { return };
        let enumeration = self.types.enumeration_of(index);
        self.word("enum ");
        self.name(enumeration.name);
        self.word(" { ");
        for (index, (name, value)) in enumeration.constants.iter().enumerate() {
            if index > 0 {
                self.word(", ");
            }
            self.name(*name);
            if let Some(value) = value {
                let _ = write!(self.out, " = {value}");
            }
        }
        self.word(" };\n");
    }

    fn record(&mut self, ty: Ty) {
        let Kind::Record(index) = self.types.kind(ty) else { return };
        let record = self.types.record_of(index);
        self.word(if record.is_union { "union " } else { "struct " });
        self.name(record.name);
        self.word(" { ");
        for member in &record.members {
            self.declarator(member.ty, Qualifiers::default(), member.name);
            self.word("; ");
        }
        self.word("};\n");
    }

    fn header(&mut self, header: &Header) {
        if header.is_kernel {
            self.word(if self.style.underscored_kernel { "__kernel " } else { "kernel " });
        }
        self.word(header.before);
        self.before(header.result, Qualifiers::default());
        self.name(header.name);
        self.parameters(&header.parameters);
        self.after(header.result);
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        self.word("(");
        for (index, parameter) in parameters.iter().enumerate() {
            if index > 0 {
                self.word(", ");
            }
            self.parameter(parameter);
        }
        self.word(if parameters.is_empty() { "void)" } else { ")" });
    }

    fn parameter(&mut self, parameter: &Parameter) {
        match (self.types.kind(parameter.ty), parameter.as_array) {
            (Kind::Pointer(pointee), Some(length)) => {
                let qualifiers = self.pointee_qualifiers(pointee);
                self.before(pointee.to, qualifiers);
                self.name(parameter.name);
                match length {
                    0 => self.word("[]"),
                    _ => {
                        let _ = write!(self.out, "[{length}]");
                    }
                }
                self.after(pointee.to);
            }
            _ => self.declarator(parameter.ty, Qualifiers::default(), parameter.name),
        }
    }

    fn function(&mut self, function: &Function) {
        self.header(&function.header);
        self.word(" {\n");
        self.body(&function.body);
        self.word("}\n");
    }

    fn body(&mut self, statements: &[Statement]) {
        self.indent += 1;
        for statement in statements {
            self.statement(statement);
        }
        self.indent -= 1;
    }

    fn text(&mut self, text: &str) {
        for line in text.lines() {
            self.line_start();
            self.word(line);
            self.word("\n");
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Text(text) => return self.text(text),
            Statement::Fork(fork) => {
                let side = self.side_of(fork);
                let mark = self.out.len();
                self.statement(side);
                return self.mark_from(mark);
            }
            _ => self.line_start(),
        }
        match statement {
            Statement::Declaration(declaration) => {
                self.declaration(declaration);
                self.word(";\n");
            }
            Statement::Expression(value) => {
                self.expression(value);
                self.word(";\n");
            }
            Statement::If(condition, then, otherwise) => {
                self.word("if (");
                self.expression(condition);
                self.word(") {\n");
                self.body(then);
                if let Some(otherwise) = otherwise {
                    self.line_start();
                    self.word("} else {\n");
                    self.body(otherwise);
                }
                self.close();
            }
            Statement::While(condition, body) => {
                self.word("while (");
                self.expression(condition);
                self.word(") {\n");
                self.body(body);
                self.close();
            }
            Statement::Do(body, condition) => {
                self.word("do {\n");
                self.body(body);
                self.line_start();
                self.word("} while (");
                self.expression(condition);
                self.word(");\n");
            }
            Statement::For(counter, condition, step, body) => {
                self.word("for (");
                self.declaration(counter);
                self.word("; ");
                self.expression(condition);
                self.word("; ");
                self.expression(step);
                self.word(") {\n");
                self.body(body);
                self.close();
            }
            Statement::Switch(value, cases) => {
                self.word("switch (");
                self.expression(value);
                self.word(") {\n");
                for (index, case) in cases.iter().enumerate() {
                    self.line_start();
                    if index + 1 == cases.len() {
                        self.word("default: {\n");
                    } else {
                        let _ = writeln!(self.out, "case {index}: {{");
                    }
                    self.body(case);
                    self.close();
                }
                self.close();
            }
            Statement::Block(body) => {
                self.word("{\n");
                self.body(body);
                self.close();
            }
            Statement::Return(value) => {
                self.word("return");
                if let Some(value) = value {
                    self.word(" ");
                    self.expression(value);
                }
                self.word(";\n");
            }
            Statement::Jump(word) => {
                self.word(word);
                self.word(";\n");
            }
            Statement::Goto(label, body) => {
                self.word("goto ");
                self.name(*label);
                self.word(";\n");
                self.line_start();
                self.word("{\n");
                self.body(body);
                self.close();
                self.line_start();
                self.name(*label);
                self.word(": ;\n");
            }
            Statement::Again(label, body, condition) => {
                self.name(*label);
                self.word(": {\n");
                self.body(body);
                self.close();
                self.line_start();
                self.word("if (");
                self.expression(condition);
                self.word(") goto ");
                self.name(*label);
                self.word(";\n");
            }
            Statement::Nothing => self.word(";\n"),
            Statement::Closure(closure) => {
                self.word("int (^");
                self.name(closure.name);
                self.word(")");
                self.parameters(&closure.parameters);
                self.word(" = ^");
                self.parameters(&closure.parameters);
                self.word(" {\n");
                self.body(&closure.body);
                self.line_start();
                self.word("};\n");
            }
            Statement::Text(_) | Statement::Fork(_) => {}
        }
    }

    fn close(&mut self) {
        self.line_start();
        self.word("}\n");
    }

    pub(super) fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Number(value, suffix) => {
                let _ = write!(self.out, "{value}{suffix}");
            }
            Expression::Word(word) => self.word(word),
            Expression::Name(name) => self.name(*name),
            Expression::Prefix(operator, operand) => {
                self.word(operator);
                self.operand(operand);
            }
            Expression::Postfix(operand, operator) => {
                self.operand(operand);
                self.word(operator);
            }
            Expression::Binary(operator, operands) => {
                self.operand(&operands[0]);
                self.word(operator);
                self.operand(&operands[1]);
            }
            Expression::Conditional(operands) => {
                self.operand(&operands[0]);
                self.word(" ? ");
                self.operand(&operands[1]);
                self.word(" : ");
                self.operand(&operands[2]);
            }
            Expression::Cast(ty, operand) => {
                self.word("(");
                self.type_name(*ty);
                self.word(")");
                self.operand(operand);
            }
            Expression::Call(name, arguments) => {
                self.name(*name);
                self.arguments(arguments);
            }
            Expression::CallBuiltin(name, arguments) => {
                self.word(name);
                self.arguments(arguments);
            }
            Expression::Index(operands) => {
                self.operand(&operands[0]);
                self.word("[");
                self.expression(&operands[1]);
                self.word("]");
            }
            Expression::Member(operand, operator, member) => {
                self.operand(operand);
                self.word(operator);
                self.name(*member);
            }
            Expression::CompoundLiteral(ty, elements) => {
                self.word("(");
                self.type_name(*ty);
                self.word(")");
                self.list(elements);
            }
            Expression::VectorLiteral(ty, components) => {
                self.word("(");
                self.type_name(*ty);
                self.word(")");
                self.arguments(components);
            }
            Expression::List(elements) => self.list(elements),
            Expression::SizeOf(ty) => {
                self.word("sizeof(");
                self.type_name(*ty);
                self.word(")");
            }
            Expression::Fork(fork) => {
                let side = self.side_of(fork);
                self.expression(side);
                self.out.push(GUILTY);
            }
        }
    }

    /// In parentheses unless it binds tightest anyway.
    fn operand(&mut self, expression: &Expression) {
        let is_simple = match expression {
            Expression::Binary(..)
            | Expression::Conditional(_)
            | Expression::Cast(..)
            | Expression::Prefix(..)
            | Expression::VectorLiteral(..)
            | Expression::Postfix(..) => false,
            Expression::Fork(fork) => {
                let side = self.side_of(fork);
                self.operand(side);
                self.out.push(GUILTY);
                return;
            }
            _ => true,
        };
        if is_simple {
            return self.expression(expression);
        }
        self.word("(");
        self.expression(expression);
        self.word(")");
    }

    /// Where a comma operator would end it.
    fn argument(&mut self, expression: &Expression) {
        match expression {
            Expression::Binary(", ", _) => self.operand(expression),
            Expression::Fork(fork) => {
                let side = self.side_of(fork);
                self.argument(side);
                self.out.push(GUILTY);
            }
            _ => self.expression(expression),
        }
    }

    fn arguments(&mut self, arguments: &[Expression]) {
        self.word("(");
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.word(", ");
            }
            self.argument(argument);
        }
        self.word(")");
    }

    fn list(&mut self, elements: &[Element]) {
        self.word("{ ");
        for (index, Element { designator, value }) in elements.iter().enumerate() {
            if index > 0 {
                self.word(", ");
            }
            match designator {
                Designator::None => {}
                Designator::Member(name) => {
                    self.word(".");
                    self.name(*name);
                    self.word(" = ");
                }
                Designator::Index(number) => {
                    let _ = write!(self.out, "[{number}] = ");
                }
                Designator::Indices(outer, inner) => {
                    let _ = write!(self.out, "[{outer}][{inner}] = ");
                }
                Designator::IndexMember(number, name) => {
                    let _ = write!(self.out, "[{number}].");
                    self.name(*name);
                    self.word(" = ");
                }
                Designator::MemberIndex(name, number) => {
                    self.word(".");
                    self.name(*name);
                    let _ = write!(self.out, "[{number}] = ");
                }
            }
            self.argument(value);
        }
        self.word(" }");
    }
}

/// Qualifiers of one level of a type, as written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Qualifiers {
    pub(super) space: Option<AddressSpace>,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
}

fn spelling(space: AddressSpace, style: Style) -> &'static str {
    if style.underscored & 1 << space as u8 == 0 {
        space.facts().name
    } else {
        space.facts().underscored
    }
}

fn macro_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Global => "GLOBAL",
        AddressSpace::Local => "LOCAL",
        AddressSpace::Constant => "CONSTANT",
        AddressSpace::Private => "PRIVATE",
        AddressSpace::Generic => "GENERIC",
    }
}
