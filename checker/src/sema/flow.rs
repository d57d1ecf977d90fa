//! Judgements of labels and jumps: C99 6.8.1, 6.8.4.2 and 6.8.6.

use crate::{
    rule::Rule,
    sema::{
        analyser::Analyser,
        constants::wrapped,
        jumps::{CaseLabel, FlowMark, Label, Switch, Target},
        operand::{Constness, Operand},
        operators::promoted,
    },
    span::Span,
    symbol::Symbol,
    types::Type,
};

impl Analyser<'_> {
    /// Opens the statements and labels of a body. Returns those of the body around it.
    pub(super) fn open_flow(&mut self) -> FlowMark {
        let inner = self.arena.flow.mark();
        std::mem::replace(&mut self.arena.flow.base, inner)
    }

    /// Judges the jumps of the innermost body and returns to the body around it.
    pub(super) fn close_flow(&mut self, outer: FlowMark) {
        let base = self.arena.flow.base;
        for index in base.gotos..self.arena.flow.gotos.len() {
            let Label { name, span } = self.arena.flow.gotos[index];
            let is_there =
                self.arena.flow.labels[base.labels..].iter().any(|label| label.name == name);
            if !is_there {
                let message = format!("there is no label `{}` here", self.interner.text(name));
                self.mistake(Rule::CLabelMissing, span, message);
            }
        }
        self.arena.flow.truncate(base);
        self.arena.flow.base = outer;
    }

    pub(super) fn open_loop(&mut self) {
        self.arena.flow.targets.push(Target::Loop);
    }

    /// Opens a `switch` on `condition`, which was used.
    pub(super) fn open_switch(&mut self, condition: &Operand) {
        let scalar = match self.arena.types.of(condition.ty) {
            Type::Scalar(scalar) if !scalar.is_float() => Some(promoted(scalar)),
            Type::Error => None,
            _ => {
                let message = format!(
                    "the condition of `switch` must be an integer, not `{}`",
                    self.spelled(condition.ty)
                );
                self.mistake(Rule::CCondition, condition.span, message);
                None
            }
        };
        self.arena
            .flow
            .targets
            .push(Target::Switch(Switch { promoted: scalar, ..Switch::default() }));
    }

    /// Closes the innermost loop or `switch`.
    pub(super) fn close_target(&mut self) {
        self.arena.flow.targets.pop();
    }

    /// Judges `case first:` or GNU's `case first ... last:`.
    pub(super) fn judge_case(&mut self, keyword: Span, first: Operand, last: Option<Operand>) {
        let first = self.rvalue(first);
        let last = last.map(|last| self.rvalue(last));
        let bounds = [Some(first), last];
        let wrong = bounds.iter().flatten().find(|bound| !self.is_integer_constant(bound));
        if let Some(wrong) = wrong {
            let message = "the value of a case label must be an integer constant";
            self.mistake(Rule::CCaseConstant, wrong.span, message);
        }
        let Some(switch) = self.arena.flow.innermost_switch() else {
            self.mistake(Rule::CCaseOutside, keyword, "`case` is not in a switch");
            return;
        };
        let (Some(scalar), Some(low)) = (switch.promoted, first.integer()) else { return };
        let high = match last {
            None => low,
            Some(last) => match last.integer() {
                Some(high) => high,
                None => return,
            },
        };
        let (low, high) = (wrapped(low, scalar), wrapped(high, scalar));
        let span = first.span;
        let before = switch.cases.range(..=high.max(low)).next_back();
        let twice = before.filter(|(_, label)| label.last >= low).map(|(_, label)| label.span);
        switch.cases.entry(low).or_insert(CaseLabel { last: high.max(low), span });
        if let Some(earlier) = twice {
            self.repeated(
                Rule::CCaseTwice,
                span,
                "this switch has a label with this value",
                earlier,
            );
        }
    }

    fn is_integer_constant(&self, value: &Operand) -> bool {
        match self.arena.types.of(value.ty) {
            Type::Error => true,
            Type::Scalar(scalar) => !scalar.is_float() && value.constness != Constness::Variable,
            _ => false,
        }
    }

    /// Reports a `default` outside a `switch`, or a second one in it.
    pub(super) fn judge_default(&mut self, keyword: Span) {
        let Some(switch) = self.arena.flow.innermost_switch() else {
            self.mistake(Rule::CCaseOutside, keyword, "`default` is not in a switch");
            return;
        };
        match switch.default {
            None => switch.default = Some(keyword),
            Some(earlier) => {
                self.repeated(Rule::CCaseTwice, keyword, "this switch has a default", earlier);
            }
        }
    }

    /// Notes a statement by which work-items part.
    pub(super) fn note_jump(&mut self) {
        if let Some(body) = &mut self.body {
            body.has_jump = true;
        }
    }

    /// Judges a label that `goto` can name.
    pub(super) fn judge_label(&mut self, name: Symbol, span: Span) {
        self.note_jump();
        let flow = &mut self.arena.flow;
        let own = &flow.labels[flow.base.labels.min(flow.labels.len())..];
        let earlier = own.iter().find(|label| label.name == name).map(|label| label.span);
        flow.labels.push(Label { name, span });
        if let Some(earlier) = earlier {
            let message = format!("this function has a label `{}`", self.interner.text(name));
            self.repeated(Rule::CLabelTwice, span, message, earlier);
        }
    }

    pub(super) fn note_goto(&mut self, name: Symbol, span: Span) {
        self.note_jump();
        self.arena.flow.gotos.push(Label { name, span });
    }

    /// Reports a `break` outside a loop and a `switch`.
    pub(super) fn judge_break(&mut self, keyword: Span) {
        if self.arena.flow.own_targets().is_empty() {
            self.mistake(Rule::CJumpOutside, keyword, "`break` is not in a loop or a switch");
        }
    }

    /// Reports a `continue` outside a loop.
    pub(super) fn judge_continue(&mut self, keyword: Span) {
        let is_in_loop =
            self.arena.flow.own_targets().iter().any(|target| matches!(target, Target::Loop));
        if !is_in_loop {
            self.mistake(Rule::CJumpOutside, keyword, "`continue` is not in a loop");
        }
    }

    /// Judges the condition of `if` or of a loop, which was used. `[operators-ternary-selection]` alone decides on
    /// vectors.
    pub(super) fn judge_condition(&mut self, condition: &Operand) {
        let is_scalar = matches!(
            self.arena.types.of(condition.ty),
            Type::Error
                | Type::Scalar(_)
                | Type::Pointer(_)
                | Type::Atomic(_)
                | Type::Opaque(_)
                | Type::Block(_)
        );
        if !is_scalar {
            let message =
                format!("a condition must be a scalar, not `{}`", self.spelled(condition.ty));
            self.mistake(Rule::CCondition, condition.span, message);
        }
    }
}
