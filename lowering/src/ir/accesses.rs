//! The reads and writes of memory in LLVM IR.

use checker::objects::AccessKind;

use crate::{
    error::ReadError,
    ir::{
        Reader,
        cursor::{Cursor, Token},
    },
    layout::Type,
    module::{Access, Function},
};

impl<'t> Reader<'t> {
    /// Reads the operand of an instruction that computes an address, and notes whether it is that of a variable.
    pub(super) fn address(
        &mut self,
        name: &'t str,
        mut cursor: Cursor<'t>,
    ) -> Result<(), ReadError> {
        self.ty(&mut cursor)?;
        let is_of_variable = match cursor.peek()? {
            Token::Local(base) => self.variable_addresses.contains(base),
            Token::Global(_) => true,
            _ => false,
        };
        if is_of_variable {
            self.variable_addresses.insert(name);
        }
        Ok(())
    }

    /// Reads the operands of `load` or `store`, which have a type in front of the pointer.
    pub(super) fn load_or_store(
        &mut self,
        kind: AccessKind,
        mut cursor: Cursor<'t>,
        function: &mut Function,
    ) -> Result<(), ReadError> {
        skip_words(&mut cursor, &["atomic", "volatile"]);
        self.ty(&mut cursor)?;
        skip_operand(&mut cursor)?;
        self.access(&mut cursor, &[kind], function)
    }

    /// Reads the pointer of `atomicrmw` or `cmpxchg`.
    pub(super) fn exchange(
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
    pub(super) fn copy(
        &mut self,
        mut cursor: Cursor<'t>,
        function: &mut Function,
    ) -> Result<(), ReadError> {
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

    /// Reads a pointer that memory is accessed by, and adds the accesses unless it is the address of a variable.
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
        if let Token::Local(name) = cursor.peek()?
            && !self.variable_addresses.contains(name)
        {
            let accesses = kinds.iter().map(|&kind| Access { kind, space, place });
            function.accesses.extend(accesses);
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
pub(super) fn skip_words(cursor: &mut Cursor<'_>, words: &[&str]) {
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
        check(
            "%e = getelementptr i8, ptr addrspace(2) @x, i64 %i\n  %a = load i8, ptr addrspace(2) %e",
            &[],
        );
        check("%v = alloca i32, addrspace(5)\n  store i32 1, ptr addrspace(5) %v", &[]);
        check(
            "%v = alloca [2 x i32], addrspace(5)\n  %g = addrspacecast ptr addrspace(5) %v to ptr\n  \
             %e = getelementptr inbounds [2 x i32], ptr %g, i64 0, i64 1\n  store i32 1, ptr %e",
            &[],
        );
    }
}
