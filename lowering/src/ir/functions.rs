//! The functions of LLVM IR: headers, variables, casts, and the names in their bodies.

use std::collections::BTreeSet;

use checker::objects::AccessKind;

use crate::{
    error::ReadError,
    ir::{
        Reader,
        cursor::{Cursor, Token},
    },
    layout::Type,
    module::{Access, Cast, Function, Parameter, Variable, ZeroPointer},
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
                }
                Token::Word("load") => self.load(cursor, function)?,
                Token::Word("atomicrmw" | "cmpxchg") => self.exchange(cursor, function)?,
                _ => {}
            },
            Token::Word("store") => self.store(cursor, function)?,
            Token::Word("call") => self.copy(cursor, function)?,
            _ => {}
        }
        Ok(())
    }

    /// Reads the operands of `load`.
    fn load(&mut self, mut cursor: Cursor<'t>, function: &mut Function) -> Result<(), ReadError> {
        skip_words(&mut cursor, &["atomic", "volatile"]);
        self.ty(&mut cursor)?;
        cursor.expect(',')?;
        self.access(&mut cursor, &[AccessKind::Read], function)
    }

    /// Reads the operands of `store`.
    fn store(&mut self, mut cursor: Cursor<'t>, function: &mut Function) -> Result<(), ReadError> {
        skip_words(&mut cursor, &["atomic", "volatile"]);
        self.ty(&mut cursor)?;
        skip_operand(&mut cursor)?;
        self.access(&mut cursor, &[AccessKind::Write], function)
    }

    /// Reads the pointer of `atomicrmw` or `cmpxchg`.
    fn exchange(
        &mut self,
        mut cursor: Cursor<'t>,
        function: &mut Function,
    ) -> Result<(), ReadError> {
        let before_operation = cursor;
        // The operation is a word, as the types are; a pointer's type begins behind it.
        while matches!(cursor.peek()?, Token::Word(word) if !is_type(word)) {
            cursor.next()?;
        }
        if cursor.peek()? == Token::End {
            return Err(before_operation.error("the pointer is missing"));
        }
        self.access(&mut cursor, &[AccessKind::Read, AccessKind::Write], function)
    }

    /// Reads the pointers of a call that copies or fills memory.
    fn copy(&mut self, mut cursor: Cursor<'t>, function: &mut Function) -> Result<(), ReadError> {
        if !cursor.line().contains("@llvm.mem") {
            return Ok(());
        }
        let name = loop {
            match cursor.next()? {
                Token::Global(name) => break name,
                Token::End => return Ok(()),
                _ => {}
            }
        };
        let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
        if !copies && !name.starts_with("llvm.memset.") {
            return Ok(());
        }
        cursor.expect('(')?;
        self.access(&mut cursor, &[AccessKind::Write], function)?;
        if copies {
            skip_operand(&mut cursor)?;
            self.access(&mut cursor, &[AccessKind::Read], function)?;
        }
        Ok(())
    }

    /// Reads a pointer that memory is accessed by, and adds the accesses if it is a value of the function.
    fn access(
        &mut self,
        cursor: &mut Cursor<'t>,
        kinds: &[AccessKind],
        function: &mut Function,
    ) -> Result<(), ReadError> {
        let place = cursor.line_place();
        let Type::Pointer(space) = self.ty(cursor)? else {
            return Err(cursor.error("a pointer is expected here"));
        };
        // The attributes of an argument: `align 4`.
        while matches!(cursor.peek()?, Token::Word(_)) {
            cursor.next()?;
        }
        if matches!(cursor.peek()?, Token::Local(_)) {
            let accesses = kinds.iter().map(|&kind| Access { kind, space, place });
            function.accesses.extend(accesses);
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

/// Whether a word is a type, and not the operation of `atomicrmw`.
fn is_type(word: &str) -> bool {
    let is_integer = |bits: &str| bits.bytes().all(|byte| byte.is_ascii_digit());
    matches!(word, "ptr" | "half" | "float" | "double")
        || word.strip_prefix('i').is_some_and(is_integer)
}

/// Moves past those of these words that come next.
fn skip_words(cursor: &mut Cursor<'_>, words: &[&str]) {
    while words.iter().any(|word| cursor.eat_word(word)) {}
}

/// Moves past the rest of an operand and the comma behind it.
fn skip_operand(cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
    loop {
        match cursor.next()? {
            Token::Punct(',') => return Ok(()),
            Token::Punct('(' | '[' | '{' | '<') => cursor.skip_to_close()?,
            Token::End => return Err(cursor.error("an operand is missing")),
            _ => {}
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir;

    fn check(line: &str, expected: &[(AccessKind, u32)]) {
        let text = format!("define void @f() {{\n  {line}\n}}\n");
        let module = ir::read(text.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        let accesses = module.functions[0].accesses.iter();
        let accesses: Vec<(AccessKind, u32)> =
            accesses.map(|access| (access.kind, access.space)).collect();
        assert_eq!(accesses, expected, "{line}");
    }

    #[test]
    fn accesses_have_the_space_of_their_pointer() {
        use AccessKind::{Read, Write};
        check("%a = load i32, ptr %p, align 4", &[(Read, 0)]);
        check("%a = load atomic volatile i32, ptr addrspace(1) %p seq_cst, align 4", &[(Read, 1)]);
        check("%a = load i32, i32 addrspace(3)* %p, align 4", &[(Read, 3)]);
        check("%a = load i32, ptr addrspace(1) @x, align 4", &[]);
        check("store ptr addrspace(1) %q, ptr addrspace(5) %p, align 8", &[(Write, 5)]);
        check("store <2 x i32> <i32 1, i32 2>, ptr addrspace(3) %p, align 8", &[(Write, 3)]);
        check("store ptr getelementptr (i8, ptr @x, i64 1), ptr addrspace(1) %p", &[(Write, 1)]);
        check(
            "%a = atomicrmw volatile uinc_wrap ptr addrspace(3) %p, i32 1 seq_cst",
            &[(Read, 3), (Write, 3)],
        );
        check(
            "%a = cmpxchg weak i32 addrspace(1)* %p, i32 %c, i32 %n monotonic monotonic",
            &[(Read, 1), (Write, 1)],
        );
        check(
            "call void @llvm.memcpy.p1.p4.i64(ptr addrspace(1) align 4 %a, ptr addrspace(4) align 4 %b, i64 8, i1 false)",
            &[(Write, 1), (Read, 4)],
        );
        check(
            "call void @llvm.memcpy.p5.p4.i64(ptr addrspace(5) %a, ptr addrspace(4) @c, i64 8, i1 false)",
            &[(Write, 5)],
        );
        check(
            "call void @llvm.memset.p3.i64(ptr addrspace(3) align 4 %a, i8 0, i64 8, i1 false)",
            &[(Write, 3)],
        );
        check("call spir_func void @llvm.memory(ptr addrspace(3) %a)", &[]);
    }
}
