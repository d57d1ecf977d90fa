//! The types of LLVM IR.

use std::sync::Arc;

use crate::{
    error::ReadError,
    ir::{
        Reader,
        cursor::{Cursor, Token},
    },
    layout::{DEPTH_LIMIT, Type},
};

impl<'t> Reader<'t> {
    /// Reads a type, with the `*` and the parameters of typed pointers and functions after it.
    pub(super) fn ty(&mut self, cursor: &mut Cursor<'t>) -> Result<Type, ReadError> {
        self.type_within(cursor, DEPTH_LIMIT)
    }

    fn type_within(&mut self, cursor: &mut Cursor<'t>, depth: u32) -> Result<Type, ReadError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(cursor.error("this type is nested too deeply"));
        };
        let before = *cursor;
        let mut ty = match cursor.next()? {
            Token::Word("ptr") => {
                let in_space = cursor.eat_word("addrspace");
                Type::Pointer(if in_space { cursor.number_in_parentheses()? } else { 0 })
            }
            Token::Word("half" | "bfloat") => Type::Floating(16),
            Token::Word("float") => Type::Floating(32),
            Token::Word("double") => Type::Floating(64),
            Token::Word("fp128") => Type::Floating(128),
            Token::Word("void" | "label" | "metadata" | "token" | "opaque" | "x86_amx") => {
                Type::Unsized
            }
            Token::Word("target") => {
                cursor.expect('(')?;
                cursor.skip_to_close()?;
                Type::Unsized
            }
            Token::Word(word) => {
                let bits = word.strip_prefix('i').and_then(|bits| bits.parse().ok());
                // The largest integer of LLVM has 2^23 bits.
                let bits = bits.filter(|&bits: &u32| bits > 0 && bits <= 1 << 23);
                Type::Integer(bits.ok_or_else(|| before.error("there is no such type"))?)
            }
            Token::Local(name) => Type::Named(self.type_number(name)),
            Token::Punct('[') => {
                let (count, element) = self.counted(cursor, depth)?;
                cursor.expect(']')?;
                Type::Array(count, element)
            }
            Token::Punct('<') if cursor.eat('{') => {
                let members = self.members(cursor, depth)?;
                cursor.expect('>')?;
                Type::Structure { is_packed: true, members }
            }
            Token::Punct('<') => {
                let (count, element) = self.counted(cursor, depth)?;
                cursor.expect('>')?;
                Type::Vector(count, element)
            }
            Token::Punct('{') => {
                Type::Structure { is_packed: false, members: self.members(cursor, depth)? }
            }
            _ => return Err(before.error("a type is expected here")),
        };
        // Up to LLVM 16 a pointer names the type of its object.
        loop {
            let mut ahead = *cursor;
            let mut space = 0;
            if ahead.eat_word("addrspace") {
                space = ahead.number_in_parentheses()?;
            }
            if ahead.eat('*') {
                ty = Type::Pointer(space);
            } else if ahead.eat('(') {
                ahead.skip_to_close()?;
                ty = Type::Unsized;
            } else {
                return Ok(ty);
            }
            *cursor = ahead;
        }
    }

    /// Reads `count x type`.
    fn counted(
        &mut self,
        cursor: &mut Cursor<'t>,
        depth: u32,
    ) -> Result<(u64, Arc<Type>), ReadError> {
        if cursor.eat_word("vscale") {
            return Err(cursor.error("vectors without a known length are not read"));
        }
        let count = cursor.number()?;
        if !cursor.eat_word("x") {
            return Err(cursor.error("`x` is expected here"));
        }
        Ok((count, Arc::new(self.type_within(cursor, depth)?)))
    }

    fn members(&mut self, cursor: &mut Cursor<'t>, depth: u32) -> Result<Arc<[Type]>, ReadError> {
        let mut members = Vec::new();
        while !cursor.eat('}') {
            members.push(self.type_within(cursor, depth)?);
            if !cursor.eat(',') {
                cursor.expect('}')?;
                break;
            }
        }
        Ok(members.into())
    }
}
