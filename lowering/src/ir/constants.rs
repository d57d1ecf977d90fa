//! The constants of LLVM IR.

use crate::{
    error::ReadError,
    ir::{
        Reader,
        cursor::{Cursor, Token},
    },
    layout::{Constant, DEPTH_LIMIT, Type},
};

impl<'t> Reader<'t> {
    /// Reads a constant of that type.
    pub(super) fn constant(
        &mut self,
        cursor: &mut Cursor<'t>,
        ty: &Type,
    ) -> Result<Constant, ReadError> {
        self.constant_within(cursor, ty, DEPTH_LIMIT)
    }

    fn constant_within(
        &mut self,
        cursor: &mut Cursor<'t>,
        ty: &Type,
        depth: u32,
    ) -> Result<Constant, ReadError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(cursor.error("this constant is nested too deeply"));
        };
        let constant = match cursor.next()? {
            Token::Word("zeroinitializer" | "null") => Constant::Zero,
            Token::Word("undef" | "poison") => Constant::Undefined,
            Token::Word("true") => Constant::Number(1),
            Token::Word("false") => Constant::Number(0),
            Token::Global(_) => Constant::Unknown,
            Token::Word(word) => match number(word, ty) {
                Some(number) => number,
                None => {
                    operands(cursor)?;
                    Constant::Unknown
                }
            },
            Token::Bytes(text) => Constant::Bytes(unescaped(text)),
            Token::Punct('[') => self.parts(cursor, ']', depth)?,
            Token::Punct('<') if cursor.eat('{') => {
                let parts = self.parts(cursor, '}', depth)?;
                cursor.expect('>')?;
                parts
            }
            Token::Punct('<') => self.parts(cursor, '>', depth)?,
            Token::Punct('{') => self.parts(cursor, '}', depth)?,
            _ => return Err(cursor.error("a constant is expected here")),
        };
        Ok(constant)
    }

    fn parts(
        &mut self,
        cursor: &mut Cursor<'t>,
        close: char,
        depth: u32,
    ) -> Result<Constant, ReadError> {
        let mut parts = Vec::new();
        while !cursor.eat(close) {
            let ty = self.ty(cursor)?;
            parts.push(self.constant_within(cursor, &ty, depth)?);
            if !cursor.eat(',') {
                cursor.expect(close)?;
                break;
            }
        }
        Ok(Constant::Parts(parts.into()))
    }
}

/// Skips the flags and operands of a constant expression.
fn operands(cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
    loop {
        match cursor.next()? {
            Token::Punct('(') => {
                cursor.skip_to_close()?;
                // `inrange(-16, 8)` is a flag.
                if cursor.peek()? != Token::Punct('(') {
                    return Ok(());
                }
            }
            Token::Word(_) => {}
            _ => return Err(cursor.error("the operands of a constant are expected here")),
        }
    }
}

/// Returns the bits of a number of that type; `None` if the word is none.
fn number(word: &str, ty: &Type) -> Option<Constant> {
    let bits = match *ty {
        Type::Integer(bits) if bits <= 64 => {
            let value: i128 = word.parse().ok()?;
            let mask = u64::MAX >> (64 - bits);
            u64::try_from(value.rem_euclid(1 << 64)).ok()? & mask
        }
        Type::Integer(_) => return word.parse::<i128>().ok().map(|_| Constant::Unknown),
        Type::Floating(bits) => match word.strip_prefix("0x") {
            Some(digits) => match (digits.strip_prefix('H'), bits) {
                (Some(digits), 16) => u64::from_str_radix(digits, 16).ok()?,
                (None, 64) => u64::from_str_radix(digits, 16).ok()?,
                // A `float` is written as the `double` of the same value.
                (None, 32) => as_float(f64::from_bits(u64::from_str_radix(digits, 16).ok()?)),
                _ => return Some(Constant::Unknown),
            },
            None => {
                let value: f64 = word.parse().ok()?;
                match bits {
                    32 => as_float(value),
                    64 => value.to_bits(),
                    _ => return Some(Constant::Unknown),
                }
            }
        },
        _ => return None,
    };
    Some(Constant::Number(bits))
}

fn as_float(value: f64) -> u64 {
    u64::from((value as f32).to_bits())
}

/// Returns the bytes of a string, in which `\41` is an `A`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        let digits = rest.as_slice().get(..2).filter(|_| byte == b'\\');
        let escaped = digits.and_then(|digits| str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                bytes.push(escaped);
                rest.nth(1);
            }
            None if byte == b'\\' && rest.as_slice().first() == Some(&b'\\') => {
                bytes.push(b'\\');
                rest.next();
            }
            None => bytes.push(byte),
        }
    }
    bytes
}
