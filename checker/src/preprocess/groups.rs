//! Conditional groups: `#if` and its like, and the groups that they skip.

use super::{Condition, Run, condition};
use crate::{
    lex::{PpKind, PpToken},
    span::Span,
    token::Punct,
};

impl Run<'_> {
    pub(super) fn if_directive(&mut self, name: PpToken) {
        let taken = self.condition_holds(name);
        self.buffers.conditions.push(Condition { opened: name.span, taken, seen_else: false });
        if !taken {
            self.skip_groups();
        }
    }

    /// Returns the condition of this file that `name` belongs to. Reports a fatal diagnostic if there is none.
    pub(super) fn open_condition(&mut self, name: PpToken) -> Option<&mut Condition> {
        let base = self.buffers.files.last().map_or(0, |file| file.conditions);
        if self.buffers.conditions.len() <= base {
            let message = format!("`#{}` without `#if`", self.interner.text(name.symbol));
            self.fatal(name.span, message);
            return None;
        }
        self.buffers.conditions.last_mut()
    }

    /// Skips from an `#elif` or `#else` after a group that was read to the `#endif`.
    pub(super) fn end_taken_group(&mut self, name: PpToken) {
        let is_else = name.symbol == self.names.else_;
        if self.check_else(name, is_else) {
            self.skip_groups();
        }
    }

    pub(super) fn check_else(&mut self, name: PpToken, is_else: bool) -> bool {
        let Some(condition) = self.open_condition(name) else { return false };
        if condition.seen_else {
            let message = format!("`#{}` after `#else`", self.interner.text(name.symbol));
            self.fatal(name.span, message);
            return false;
        }
        condition.seen_else = is_else;
        true
    }

    /// Whether the condition of `#if`, `#ifdef`, `#ifndef` or the `#elif` forms holds.
    fn condition_holds(&mut self, name: PpToken) -> bool {
        let names = self.names;
        let defined = if name.symbol == names.ifdef || name.symbol == names.elifdef {
            true
        } else if name.symbol == names.ifndef || name.symbol == names.elifndef {
            false
        } else {
            return self.arithmetic(name);
        };
        self.macro_name().is_some_and(|token| self.macros.find(token.symbol).is_some() == defined)
    }

    fn arithmetic(&mut self, name: PpToken) -> bool {
        let base = self.buffers.arguments.len();
        loop {
            let token = self.condition_token();
            if token.kind == PpKind::End {
                break;
            }
            self.buffers.arguments.push(token);
        }
        if self.stopped {
            return false;
        }
        let tokens = &self.buffers.arguments[base..];
        let result = condition::evaluate(tokens, self.interner, name.span);
        self.buffers.arguments.truncate(base);
        result.unwrap_or_else(|problem| {
            self.fatal(problem.span, problem.message);
            false
        })
    }

    /// Returns the next token of a condition, with macros and `defined X` replaced.
    fn condition_token(&mut self) -> PpToken {
        let token = self.expanded();
        if token.kind != PpKind::Identifier || token.symbol != self.names.defined {
            return token;
        }
        let mut operand = self.fetch();
        let parenthesized = operand.is(Punct::LParen);
        if parenthesized {
            operand = self.fetch();
        }
        let closed = !parenthesized || self.fetch().is(Punct::RParen);
        if operand.kind != PpKind::Identifier || !closed {
            self.fatal(token.span, "`defined` takes the name of a macro");
            return operand;
        }
        let holds = self.macros.find(operand.symbol).is_some();
        let symbol = self.interner.intern(if holds { "1" } else { "0" });
        PpToken { kind: PpKind::Number, symbol, ..token }
    }

    /// Skips groups up to the first that the innermost condition takes, or to its `#endif`.
    fn skip_groups(&mut self) {
        let position = |run: &Self| run.buffers.files.last().map_or(0, |file| file.lexer.position);
        let start = position(self);
        self.skip_to_group();
        self.sources.note_skipped(Span::new(start, position(self)));
    }

    fn skip_to_group(&mut self) {
        self.skip_rest();
        let names = self.names;
        let mut nested = 0u32;
        loop {
            let Some(name) = self.next_directive_name() else { return };
            let symbol = name.symbol;
            if symbol == names.if_ || symbol == names.ifdef || symbol == names.ifndef {
                nested += 1;
            } else if symbol == names.endif {
                if nested == 0 {
                    self.buffers.conditions.pop();
                    return;
                }
                nested -= 1;
            } else if nested == 0
                && [names.elif, names.elifdef, names.elifndef, names.else_].contains(&symbol)
                && self.reads_group(name)
            {
                return;
            }
            self.skip_rest();
        }
    }

    /// Whether the group after this `#elif` or `#else` should be read.
    fn reads_group(&mut self, name: PpToken) -> bool {
        let is_else = name.symbol == self.names.else_;
        if !self.check_else(name, is_else) {
            return false;
        }
        let taken = self.buffers.conditions.last().is_some_and(|condition| condition.taken);
        let reads = !taken && (is_else || self.condition_holds(name));
        if reads && let Some(condition) = self.buffers.conditions.last_mut() {
            condition.taken = true;
        }
        reads
    }

    /// Skips from the end of a line to the next directive and returns its name; `None` at the end of the file.
    fn next_directive_name(&mut self) -> Option<PpToken> {
        if self.stopped {
            return None;
        }
        let text = self.sources.bytes();
        let lexer = &mut self.buffers.files.last_mut()?.lexer;
        loop {
            if lexer.position >= lexer.end {
                return None;
            }
            // At a newline, or at the first line of the file's text.
            lexer.position += u32::from(text[lexer.position as usize] == b'\n');
            lexer.skip_space(text);
            let hash = lexer.position;
            let rest = &text[hash as usize..lexer.end as usize];
            let length = match rest {
                [b'#', ..] => 1,
                [b'%', b':', ..] => 2,
                _ => {
                    lexer.skip_line(text);
                    continue;
                }
            };
            lexer.position += length;
            let name = lexer.next_in_line(text, self.interner);
            if name.kind == PpKind::Identifier {
                return Some(name);
            }
            lexer.skip_line(text);
        }
    }
}
