//! The tokens of a line of LLVM IR.

use crate::error::{ModulePlace, ReadError};

/// Number of brackets within each other that are followed.
const DEPTH_LIMIT: u32 = 1000;

/// A token of LLVM IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A keyword, a type or a number.
    Word(&'t str),
    /// `@name`, without the `@`.
    Global(&'t str),
    /// `%name`, without the `%`.
    Local(&'t str),
    /// The inside of `"..."`.
    Text(&'t str),
    /// The inside of `c"..."`.
    Bytes(&'t str),
    Punct(char),
    End,
}

/// A line that is read from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    line: &'t str,
    at: usize,
    number: u32,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(line: &'t [u8], number: u32) -> Result<Self, ReadError> {
        match str::from_utf8(line) {
            Ok(line) => Ok(Self { line, at: 0, number }),
            Err(error) => Err(ReadError {
                place: ModulePlace::Line { line: number, column: error.valid_up_to() as u32 + 1 },
                message: "this byte is not UTF-8".to_owned(),
            }),
        }
    }

    /// Returns the first byte of the line; 0 if it is empty.
    pub(super) fn first_byte(&self) -> u8 {
        self.line.as_bytes().first().copied().unwrap_or(0)
    }

    /// Returns the whole line.
    pub(super) fn line(&self) -> &'t str {
        self.line
    }

    /// Returns the same line from an offset on.
    pub(super) fn starting_at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    pub(super) fn line_place(&self) -> ModulePlace {
        ModulePlace::Line { line: self.number, column: 0 }
    }

    pub(super) fn error(&self, message: &str) -> ReadError {
        let place = ModulePlace::Line { line: self.number, column: self.at as u32 + 1 };
        ReadError { place, message: message.to_owned() }
    }

    /// Whether only a comment is left.
    pub(super) fn is_at_end(&self) -> bool {
        let mut ahead = *self;
        ahead.skip_blanks();
        matches!(ahead.line.as_bytes().get(ahead.at), None | Some(b';'))
    }

    fn skip_blanks(&mut self) {
        let rest = &self.line.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// Returns the next token and moves past it.
    pub(super) fn next(&mut self) -> Result<Token<'t>, ReadError> {
        self.skip_blanks();
        let bytes = self.line.as_bytes();
        let Some(&first) = bytes.get(self.at) else { return Ok(Token::End) };
        Ok(match first {
            b';' => Token::End,
            b'@' => Token::Global(self.name()?),
            b'%' => Token::Local(self.name()?),
            b'"' => Token::Text(self.text()?),
            b'c' if bytes.get(self.at + 1) == Some(&b'"') => {
                self.at += 1;
                Token::Bytes(self.text()?)
            }
            byte if is_of_word(byte) => Token::Word(self.word()),
            _ => {
                let Some(c) = self.line[self.at..].chars().next() else { return Ok(Token::End) };
                self.at += c.len_utf8();
                Token::Punct(c)
            }
        })
    }

    /// Returns the next token without moving.
    pub(super) fn peek(&self) -> Result<Token<'t>, ReadError> {
        let mut ahead = *self;
        ahead.next()
    }

    fn word(&mut self) -> &'t str {
        let rest = &self.line[self.at..];
        let length = rest.bytes().take_while(|&byte| is_of_word(byte)).count();
        self.at += length;
        &rest[..length]
    }

    fn name(&mut self) -> Result<&'t str, ReadError> {
        self.at += 1;
        if self.line.as_bytes().get(self.at) == Some(&b'"') { self.text() } else { Ok(self.word()) }
    }

    fn text(&mut self) -> Result<&'t str, ReadError> {
        let inside = &self.line[self.at + 1..];
        let Some(length) = inside.find('"') else {
            return Err(self.error("this string does not end on its line"));
        };
        self.at += length + 2;
        Ok(&inside[..length])
    }

    /// Moves past a word if it is the next token.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let is_next = ahead.next().is_ok_and(|token| token == Token::Word(word));
        if is_next {
            *self = ahead;
        }
        is_next
    }

    /// Moves past a character if it is the next token.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let mut ahead = *self;
        let is_next = ahead.next().is_ok_and(|token| token == Token::Punct(c));
        if is_next {
            *self = ahead;
        }
        is_next
    }

    pub(super) fn expect(&mut self, c: char) -> Result<(), ReadError> {
        if self.eat(c) { Ok(()) } else { Err(self.error(&format!("`{c}` is expected here"))) }
    }

    /// Reads a number.
    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Result<N, ReadError> {
        let before = *self;
        let number = match self.next()? {
            Token::Word(word) => word.parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| before.error("a number is expected here"))
    }

    /// Reads `(number)`. The names `"A"`, `"G"` and `"P"` of address spaces stand for those of the data layout, which
    /// no compiler of OpenCL C prints.
    pub(super) fn number_in_parentheses<N: std::str::FromStr>(&mut self) -> Result<N, ReadError> {
        self.expect('(')?;
        let number = self.number()?;
        self.expect(')')?;
        Ok(number)
    }

    /// Moves past the bracket that closes the one before.
    pub(super) fn skip_to_close(&mut self) -> Result<(), ReadError> {
        let mut depth = 1_u32;
        loop {
            match self.next()? {
                Token::Punct('(' | '[' | '{' | '<') => depth += 1,
                Token::Punct(')' | ']' | '}' | '>') => depth -= 1,
                Token::End => return Err(self.error("a bracket is not closed on its line")),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            if depth > DEPTH_LIMIT {
                return Err(self.error("brackets are nested too deeply"));
            }
        }
    }
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-' | b'+')
}
