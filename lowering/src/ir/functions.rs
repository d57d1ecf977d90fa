//! The functions of LLVM IR: headers, variables, casts, and the names in their bodies.

use std::collections::BTreeSet;

use checker::objects::AccessKind;

use crate::{
    error::ReadError,
    ir::{
        Reader,
        accesses::skip_words,
        cursor::{Cursor, Token},
    },
    layout::Type,
    module::{Cast, Function, Parameter, Variable, ZeroPointer},
};

/// The instruction, and constant expression, that changes the address space of a pointer.
const CAST: &str = "addrspacecast";

/// The instruction, with the blank behind it, that compares integers and pointers.
const COMPARISON: &str = "icmp ";

/// The pointer whose bits are all zero.
const ZERO: &str = "null";

impl<'t> Reader<'t> {
    /// Reads a function whose header is the line of `cursor`.
    pub(super) fn function(
        &mut self,
        cursor: &mut Cursor<'t>,
        lines: &mut impl Iterator<Item = Cursor<'t>>,
    ) -> Result<Function, ReadError> {
        let mut function = self.header(cursor, false)?;
        self.variable_addresses.clear();
        let unfinished = cursor.error("this function has no end");
        loop {
            let Some(line) = lines.next() else { return Err(unfinished) };
            match line.first_byte() {
                b'}' => return Ok(function),
                b'd' | b'@'
                    if ["define ", "declare ", "@"]
                        .iter()
                        .any(|head| line.line().starts_with(head)) =>
                {
                    return Err(unfinished);
                }
                _ => self.instruction(line, &mut function)?,
            }
        }
    }

    /// Reads the header of a function after `define` or `declare`.
    pub(super) fn header(
        &mut self,
        cursor: &mut Cursor<'t>,
        is_declared: bool,
    ) -> Result<Function, ReadError> {
        let place = cursor.line_place();
        let name = loop {
            match cursor.next()? {
                Token::Global(name) => break name,
                Token::End => return Err(cursor.error("the name of a function is missing")),
                _ => {}
            }
        };
        cursor.expect('(')?;
        let mut parameters = Vec::new();
        while !cursor.eat(')') {
            if cursor.eat_word("...") {
                cursor.expect(')')?;
                break;
            }
            parameters.push(self.parameter(cursor)?);
            if !cursor.eat(',') {
                cursor.expect(')')?;
                break;
            }
        }
        Ok(Function {
            name: name.to_owned(),
            is_declared,
            parameters,
            variables: Vec::new(),
            casts: Vec::new(),
            accesses: Vec::new(),
            zero_pointers: Vec::new(),
            names: BTreeSet::new(),
            place,
        })
    }

    fn parameter(&mut self, cursor: &mut Cursor<'t>) -> Result<Parameter, ReadError> {
        let points_into = match self.ty(cursor)? {
            Type::Pointer(space) => Some(space),
            _ => None,
        };
        let mut parameter = Parameter {
            name: String::new(),
            points_into,
            copy_of: None,
            reference_to: None,
            result_slot: None,
            alignment: None,
        };
        loop {
            match cursor.peek()? {
                Token::Punct(',' | ')') => return Ok(parameter),
                Token::Local(name) => {
                    cursor.next()?;
                    name.clone_into(&mut parameter.name);
                }
                Token::Word(word @ ("byval" | "byref" | "sret")) => {
                    cursor.next()?;
                    // Long ago the attribute had no type.
                    let mut ty = Type::Unsized;
                    if cursor.eat('(') {
                        ty = self.ty(cursor)?;
                        cursor.expect(')')?;
                    }
                    let slot = match word {
                        "byval" => &mut parameter.copy_of,
                        "byref" => &mut parameter.reference_to,
                        _ => &mut parameter.result_slot,
                    };
                    *slot = Some(ty);
                }
                Token::Word("align") => {
                    cursor.next()?;
                    let is_called = cursor.eat('(');
                    parameter.alignment = Some(cursor.number()?);
                    if is_called {
                        cursor.expect(')')?;
                    }
                }
                Token::Punct('(') => {
                    cursor.next()?;
                    cursor.skip_to_close()?;
                }
                Token::End => return Err(cursor.error("the parameters have no end")),
                _ => _ = cursor.next()?,
            }
        }
    }

    /// Reads a line of a body.
    fn instruction(&mut self, line: Cursor<'t>, function: &mut Function) -> Result<(), ReadError> {
        self.names(line, function)?;
        zero_pointers(line, function)?;
        let mut cursor = line;
        match cursor.next()? {
            Token::Local(name) if cursor.eat('=') => match cursor.next()? {
                Token::Word("alloca") => {
                    let variable = self.variable(name, &mut cursor)?;
                    function.variables.push(variable);
                    self.variable_addresses.insert(name);
                }
                Token::Word("addrspacecast" | "bitcast") => self.address(name, cursor)?,
                Token::Word("getelementptr") => {
                    skip_words(&mut cursor, &["inbounds", "nuw", "nusw"]);
                    self.ty(&mut cursor)?;
                    cursor.expect(',')?;
                    self.address(name, cursor)?;
                }
                Token::Word("load") => self.load_or_store(AccessKind::Read, cursor, function)?,
                Token::Word("atomicrmw" | "cmpxchg") => self.exchange(cursor, function)?,
                _ => {}
            },
            Token::Word("store") => self.load_or_store(AccessKind::Write, cursor, function)?,
            Token::Word("call") => self.copy(cursor, function)?,
            _ => {}
        }
        Ok(())
    }

    /// Reads the variable that `alloca` makes.
    fn variable(&mut self, name: &'t str, cursor: &mut Cursor<'t>) -> Result<Variable, ReadError> {
        let place = cursor.line_place();
        cursor.eat_word("inalloca");
        let ty = self.ty(cursor)?;
        let (mut space, mut alignment) = (0, None);
        while cursor.eat(',') {
            match cursor.next()? {
                Token::Word("align") => alignment = Some(cursor.number()?),
                Token::Word("addrspace") => space = cursor.number_in_parentheses()?,
                // The number of elements, or metadata.
                _ => {
                    while !matches!(cursor.peek()?, Token::Punct(',') | Token::End) {
                        cursor.next()?;
                    }
                }
            }
        }
        Ok(Variable { name: name.to_owned(), space, ty, alignment, place })
    }

    /// Finds the variables and functions that a line names, and the casts in it.
    fn names(&mut self, line: Cursor<'t>, function: &mut Function) -> Result<(), ReadError> {
        let text = line.line();
        if text.contains('@') {
            let mut cursor = line;
            loop {
                match cursor.next()? {
                    Token::Global(name) if !function.names.contains(name) => {
                        function.names.insert(name.to_owned());
                    }
                    Token::End => break,
                    _ => {}
                }
            }
        }
        for (at, _) in text.match_indices(CAST) {
            let mut cursor = line.starting_at(at + CAST.len());
            // The letters may be part of a name.
            let is_word = text[..at].chars().next_back().is_none_or(|c| {
                !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '%' | '@' | '"')
            });
            if !is_word || !text[at + CAST.len()..].starts_with(' ') {
                continue;
            }
            let is_expression = cursor.eat('(');
            let from = self.ty(&mut cursor)?;
            loop {
                match cursor.next()? {
                    Token::Punct('(' | '<' | '[' | '{') => cursor.skip_to_close()?,
                    Token::Word("to") => break,
                    Token::End => return Err(cursor.error("the cast has no `to`")),
                    _ => {}
                }
            }
            let to = self.ty(&mut cursor)?;
            if is_expression {
                cursor.expect(')')?;
            }
            if let (Some(from), Some(to)) = (pointed_space(&from), pointed_space(&to)) {
                function.casts.push(Cast { from, to, place: line.line_place() });
            }
        }
        Ok(())
    }
}

/// Finds the pointers whose bits are all zero in a line that compares pointers. In others, such a pointer may be an
/// integer of the program that was cast.
fn zero_pointers(line: Cursor<'_>, function: &mut Function) -> Result<(), ReadError> {
    let text = line.line();
    if !text.contains(COMPARISON) || !text.contains(ZERO) {
        return Ok(());
    }
    let mut cursor = line;
    // The operands have their type once, in front of the first.
    let mut into = 0;
    loop {
        match cursor.next()? {
            Token::Word("ptr") => into = 0,
            Token::Word("addrspace") => into = cursor.number_in_parentheses()?,
            Token::Word(ZERO) => {
                function.zero_pointers.push(ZeroPointer { into, place: line.line_place() });
            }
            Token::End => return Ok(()),
            _ => {}
        }
    }
}

/// Returns the address space that a pointer, or each pointer of a vector, points into.
fn pointed_space(ty: &Type) -> Option<u32> {
    match ty {
        Type::Pointer(space) => Some(*space),
        Type::Vector(_, element) => pointed_space(element),
        _ => None,
    }
}
