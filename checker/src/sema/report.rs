//! Reporting of findings.

use crate::{
    diagnostic::{Diagnostic, Label, Severity},
    fix::Mend,
    rule::Rule,
    sema::{analyser::Analyser, operand::Operand, scopes::Object},
    space::Space,
    span::Span,
    types::QualifiedType,
};

/// A broken rule, to be completed and handed to [`Analyser::report`].
#[derive(Debug)]
pub(crate) struct Finding {
    diagnostic: Diagnostic,
    rule: Rule,
}

impl Finding {
    pub(crate) fn new(rule: Rule, span: Span, message: impl Into<String>) -> Self {
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            rule: Some(rule),
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            note: None,
            suppression: None,
            mends: [None; 2],
        };
        Self { diagnostic, rule }
    }

    pub(crate) fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.diagnostic.labels.push(Label { span, message: message.into() });
        self
    }

    pub(crate) fn labels(mut self, labels: impl IntoIterator<Item = Label>) -> Self {
        self.diagnostic.labels.extend(labels);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic.help = Some(help.into());
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.diagnostic.note = Some(note.into());
        self
    }

    /// Proposes a change; the first one proposed is the best.
    pub(crate) fn mend(mut self, mend: impl Into<Option<Mend>>) -> Self {
        let free = self.diagnostic.mends.iter_mut().find(|slot| slot.is_none());
        if let Some(slot) = free {
            *slot = mend.into();
        }
        self
    }

    pub(crate) fn maybe_note(mut self, note: Option<impl Into<String>>) -> Self {
        self.diagnostic.note = note.map(Into::into);
        self
    }
}

/// Reason why an object is in a space that is not written.
pub(crate) const NOTHING_WRITTEN: &str = "because nothing is written";

/// Dialects with generic pointers.
pub(crate) const WITH_GENERIC: &str = "OpenCL C 2.0, or 3.0 with __opencl_c_generic_address_space";

/// Dialects in which variables may be in global.
pub(crate) const WITH_PROGRAM_SCOPE_GLOBALS: &str =
    "OpenCL C 2.0, or 3.0 with __opencl_c_program_scope_global_variables";

impl Analyser<'_> {
    /// Reports a broken rule, unless that rule is switched off.
    pub(crate) fn report(&mut self, finding: Finding) {
        if !self.disabled.contains(finding.rule) {
            self.diagnostics.push(finding.diagnostic);
        }
    }

    /// Reports a broken rule with only a sentence.
    pub(crate) fn broken(&mut self, rule: Rule, span: Span, message: impl Into<String>) {
        if !self.disabled.contains(rule) {
            self.report(Finding::new(rule, span, message));
        }
    }

    /// Reports a mistake in plain C with only a sentence, unless it may follow from a part that was skipped.
    pub(crate) fn mistake(&mut self, rule: Rule, span: Span, message: impl Into<String>) {
        if !self.has_skipped {
            self.broken(rule, span, message);
        }
    }

    /// Reports something that a program has twice.
    pub(super) fn repeated(
        &mut self,
        rule: Rule,
        span: Span,
        message: impl Into<String>,
        earlier: Span,
    ) {
        if self.has_skipped {
            return;
        }
        self.report(
            Finding::new(rule, span, format!("{} already", message.into())).label(earlier, "here"),
        );
    }

    /// Reports a broken rule that is kept when the word at `span` is deleted.
    pub(crate) fn superfluous(&mut self, rule: Rule, span: Span, message: impl Into<String>) {
        if !self.disabled.contains(rule) {
            self.report(Finding::new(rule, span, message).mend(Mend::Remove(span)));
        }
    }

    /// Reports an accepted construct that one reading of the text forbids.
    pub(crate) fn disputed(
        &mut self,
        rule: impl Into<Option<Rule>>,
        span: Span,
        message: impl Into<String>,
        readings: &str,
    ) {
        let rule = rule.into();
        if rule.is_some_and(|rule| self.disabled.contains(rule)) {
            return;
        }
        self.diagnostics.push(Diagnostic {
            severity: Severity::Note,
            rule,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            note: Some(readings.to_owned()),
            suppression: None,
            mends: [None; 2],
        });
    }

    /// Reports a mistake in plain C.
    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>) {
        if self.has_skipped {
            return;
        }
        self.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            rule: None,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            note: None,
            suppression: None,
            mends: [None; 2],
        });
    }

    pub(crate) fn spelled(&self, ty: QualifiedType) -> String {
        self.arena.types.spell(ty, self.interner)
    }

    /// Whether nothing is written for the space of an object, or for the space that it points into.
    pub(crate) fn is_space_inferred(&self, object: &Object) -> bool {
        match self.arena.types.pointee(object.ty) {
            Some(_) => object.places.pointee.missing().is_some(),
            None => object.places.object.is_some(),
        }
    }

    /// Returns labels for the declarations of operands that are variables.
    pub(crate) fn origins<'o>(
        &self,
        operands: impl IntoIterator<Item = &'o Operand>,
    ) -> Vec<Label> {
        let origins = operands.into_iter().filter_map(|operand| operand.origin);
        let labels = origins.map(|id| {
            let object = self.object(id);
            let name = self.interner.text(object.name);
            let is_inferred = self.is_space_inferred(object);
            let (verb, place) = match self.arena.types.pointee(object.ty) {
                Some(pointee) => ("points to", self.arena.types.space(pointee)),
                None => ("is in", self.arena.types.space(object.ty)),
            };
            let place = place.map_or("no space", Space::name);
            let because = if is_inferred { format!(", {NOTHING_WRITTEN}") } else { String::new() };
            let message = format!("`{name}` {verb} `{place}` here{because}");
            Label { span: object.span, message }
        });
        labels.collect()
    }
}

/// Returns a note on the inferred space that `what` points to, where `place` says that none is written.
pub(crate) fn inferred(what: &str, space: Space, place: Option<u32>) -> Option<String> {
    place.map(|_| format!("{what} points to `{}`, {NOTHING_WRITTEN}", space.name()))
}
