//! The arithmetic of `#if`: 64 bits, signed or unsigned.

use crate::{
    lex::{PpKind, PpToken},
    span::Span,
    symbol::Interner,
    token::Punct,
};

/// Deepest nesting of parentheses and operators.
const MAX_DEPTH: u32 = 256;

/// A mistake in a condition, and its place.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) span: Span,
    pub(super) message: String,
}

/// Whether the expanded tokens of a condition are not zero; `line` is reported when there are none.
pub(super) fn evaluate(
    tokens: &[PpToken],
    interner: &Interner,
    line: Span,
) -> Result<bool, Problem> {
    let mut parser = Parser { tokens, interner, position: 0, depth: 0, line };
    let value = parser.conditional(Mode::Evaluated)?;
    match parser.peek() {
        None => Ok(value.bits != 0),
        Some(token) => Err(parser.problem(*token, "is not expected after the condition")),
    }
}

#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    const fn signed(value: i64) -> Self {
        Self { bits: value.cast_unsigned(), unsigned: false }
    }

    const fn truth(value: bool) -> Self {
        Self::signed(value as i64)
    }
}

/// Whether an operand counts: division by zero is an error only if it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Evaluated,
    Skipped,
}

impl Mode {
    fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::Skipped }
    }
}

struct Parser<'run> {
    tokens: &'run [PpToken],
    interner: &'run Interner,
    position: usize,
    depth: u32,
    line: Span,
}

impl Parser<'_> {
    fn conditional(&mut self, mode: Mode) -> Result<Value, Problem> {
        self.enter()?;
        let condition = self.binary(0, mode)?;
        let value = if self.accept(Punct::Question) {
            let holds = condition.bits != 0;
            let first = self.conditional(mode.when(holds))?;
            self.expect(Punct::Colon)?;
            let second = self.conditional(mode.when(!holds))?;
            let bits = if holds { first.bits } else { second.bits };
            Value { bits, unsigned: first.unsigned || second.unsigned }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Evaluates operators that bind at least as strongly as `weakest`.
    fn binary(&mut self, weakest: u8, mode: Mode) -> Result<Value, Problem> {
        let mut left = self.unary(mode)?;
        while let Some(&token) = self.peek()
            && let PpKind::Punct(operator) = token.kind
            && let Some(strength) = operator.precedence()
            && strength >= weakest
        {
            self.position += 1;
            let right_mode = match operator {
                Punct::AmpAmp => mode.when(left.bits != 0),
                Punct::PipePipe => mode.when(left.bits == 0),
                _ => mode,
            };
            let right = self.binary(strength + 1, right_mode)?;
            left = self.apply(token, operator, left, right, mode)?;
        }
        Ok(left)
    }

    fn apply(
        &self,
        token: PpToken,
        operator: Punct,
        left: Value,
        right: Value,
        mode: Mode,
    ) -> Result<Value, Problem> {
        let unsigned = left.unsigned || right.unsigned;
        let (a, b) = (left.bits, right.bits);
        let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
        let compare = |unsigned_holds: bool, signed_holds: bool| {
            Value::truth(if unsigned { unsigned_holds } else { signed_holds })
        };
        let bits = match operator {
            Punct::PipePipe => return Ok(Value::truth(a != 0 || b != 0)),
            Punct::AmpAmp => return Ok(Value::truth(a != 0 && b != 0)),
            Punct::EqEq => return Ok(Value::truth(a == b)),
            Punct::Ne => return Ok(Value::truth(a != b)),
            Punct::Lt => return Ok(compare(a < b, signed_a < signed_b)),
            Punct::Gt => return Ok(compare(a > b, signed_a > signed_b)),
            Punct::Le => return Ok(compare(a <= b, signed_a <= signed_b)),
            Punct::Ge => return Ok(compare(a >= b, signed_a >= signed_b)),
            Punct::Shl | Punct::Shr => {
                let bits = shift(left, right, operator == Punct::Shl);
                return Ok(Value { bits, unsigned: left.unsigned });
            }
            Punct::Comma => return Ok(right),
            Punct::Pipe => a | b,
            Punct::Caret => a ^ b,
            Punct::Amp => a & b,
            Punct::Plus => a.wrapping_add(b),
            Punct::Minus => a.wrapping_sub(b),
            Punct::Star => a.wrapping_mul(b),
            _ if b == 0 => {
                if mode == Mode::Evaluated {
                    return Err(self.problem(token, "divides by zero"));
                }
                0
            }
            Punct::Slash if unsigned => a / b,
            Punct::Slash => signed_a.wrapping_div(signed_b).cast_unsigned(),
            _ if unsigned => a % b,
            _ => signed_a.wrapping_rem(signed_b).cast_unsigned(),
        };
        Ok(Value { bits, unsigned })
    }

    fn unary(&mut self, mode: Mode) -> Result<Value, Problem> {
        let Some(&token) = self.peek() else {
            let message = "the condition lacks an operand".to_owned();
            return Err(Problem { span: self.line, message });
        };
        self.position += 1;
        match token.kind {
            PpKind::Punct(Punct::LParen) => {
                let mut value = self.conditional(mode)?;
                while self.accept(Punct::Comma) {
                    value = self.conditional(mode)?;
                }
                self.expect(Punct::RParen)?;
                Ok(value)
            }
            PpKind::Punct(operator @ (Punct::Plus | Punct::Minus | Punct::Tilde | Punct::Bang)) => {
                self.enter()?;
                let operand = self.unary(mode)?;
                self.depth -= 1;
                Ok(match operator {
                    Punct::Plus => operand,
                    Punct::Minus => Value { bits: operand.bits.wrapping_neg(), ..operand },
                    Punct::Tilde => Value { bits: !operand.bits, ..operand },
                    _ => Value::truth(operand.bits == 0),
                })
            }
            PpKind::Number => number(self.interner.text(token.symbol))
                .ok_or_else(|| self.problem(token, "is not an integer constant")),
            PpKind::Character => Ok(Value::signed(character(self.interner.text(token.symbol)))),
            // A name that is not a macro counts as 0.
            PpKind::Identifier => Ok(Value::signed(0)),
            _ => Err(self.problem(token, "is not allowed in a condition")),
        }
    }

    fn enter(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("the condition is nested more than {MAX_DEPTH} deep");
            return Err(Problem { span: self.line, message });
        }
        Ok(())
    }

    fn peek(&self) -> Option<&PpToken> {
        self.tokens.get(self.position)
    }

    fn accept(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, punct: Punct) -> Result<(), Problem> {
        if self.accept(punct) {
            return Ok(());
        }
        let span = self.peek().map_or(self.line, |token| token.span);
        Err(Problem { span, message: format!("the condition lacks a `{}`", punct.text()) })
    }

    fn problem(&self, token: PpToken, what: &str) -> Problem {
        let text = match token.kind {
            PpKind::Punct(punct) => punct.text(),
            _ => self.interner.text(token.symbol),
        };
        Problem { span: token.span, message: format!("`{text}` {what}") }
    }
}

/// Shifts by any amount; a negative one shifts the other way.
fn shift(left: Value, right: Value, to_left: bool) -> u64 {
    let backwards = !right.unsigned && right.bits.cast_signed() < 0;
    let amount = if backwards { right.bits.wrapping_neg() } else { right.bits };
    if to_left != backwards {
        return if amount < 64 { left.bits << amount } else { 0 };
    }
    if left.unsigned {
        if amount < 64 { left.bits >> amount } else { 0 }
    } else {
        (left.bits.cast_signed() >> amount.min(63)).cast_unsigned()
    }
}

fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let (digits, radix) = if let Some(rest) = digits.strip_prefix("0x") {
        (rest, 16)
    } else if let Some(rest) = digits.strip_prefix("0b") {
        (rest, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    let bits = u64::from_str_radix(digits, radix).ok()?;
    let unsigned = suffix.contains('u') || bits > i64::MAX as u64;
    Some(Value { bits, unsigned })
}

/// Returns the value of a character constant. Each of several characters is 8 bits.
fn character(text: &str) -> i64 {
    let inside = text.trim_start_matches('L');
    let inside = inside.get(1..inside.len().saturating_sub(1)).unwrap_or_default();
    let mut bytes = inside.bytes().peekable();
    let mut value = 0i32;
    let mut count = 0;
    while let Some(byte) = bytes.next() {
        let code = if byte == b'\\' { escape(&mut bytes) } else { i32::from(byte.cast_signed()) };
        count += 1;
        value = if count == 1 { code } else { value.wrapping_shl(8) | code & 0xff };
    }
    i64::from(value)
}

fn escape(bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>) -> i32 {
    let digit = |byte: u8, radix| char::from(byte).to_digit(radix);
    match bytes.next() {
        Some(b'n') => 10,
        Some(b't') => 9,
        Some(b'r') => 13,
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'v') => 11,
        Some(b'e') => 27,
        Some(b'x') => {
            let mut value = 0u32;
            while let Some(next) = bytes.peek().and_then(|&byte| digit(byte, 16)) {
                value = value << 4 | next;
                bytes.next();
            }
            i32::from((value as u8).cast_signed())
        }
        Some(first @ b'0'..=b'7') => {
            let mut value = u32::from(first - b'0');
            for _ in 0..2 {
                let Some(next) = bytes.peek().and_then(|&byte| digit(byte, 8)) else { break };
                value = value << 3 | next;
                bytes.next();
            }
            i32::from((value as u8).cast_signed())
        }
        Some(other) => i32::from(other.cast_signed()),
        None => 0,
    }
}
