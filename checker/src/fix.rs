//! Fixes: the change that a rule proposes, and its edits of the text.

use crate::{space::Space, span::Span};

/// A change that the broken rule proposes; it was not tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mend {
    /// Delete a qualifier or storage class.
    Remove(Span),
    /// Write a space where none is written.
    Qualify { place: u32, space: Space },
    /// Replace a space.
    Requalify { span: Span, space: Space },
    /// Replace the space that a pointer points into by that of what it is given.
    Redirect { span: Span, space: Space },
    /// Replace the space in one declaration of a function by that in another. Only a change of the other requires it.
    Adapt { span: Span, space: Space },
    /// Move a qualifier.
    Move { span: Span, place: u32 },
    /// Move the declaration that begins at `start` to `place`, the beginning of the function.
    Hoist { start: u32, place: u32 },
    /// Move the declaration that begins at `start` to `place`, before the function.
    Lift { start: u32, place: u32 },
    /// Write `static`.
    MakeStatic { place: u32 },
    /// Let one work-item assign its value to the variable `name`, whose declaration begins at `start`.
    AssignOnce { start: u32, name: Span },
    /// Declare the variable `name` of a helper in the kernels that call it, and pass it.
    Pass { name: Span },
}

impl Mend {
    /// Whether this change may require `further` in another place.
    pub(crate) fn leads_to(self, further: Self) -> bool {
        match further {
            Self::Qualify { .. } => true,
            Self::Adapt { .. } => matches!(self, Self::Requalify { .. } | Self::Redirect { .. }),
            // A word that is written is evidence: only what contradicts it already may go on to contradict it.
            Self::Redirect { .. } => matches!(self, Self::Redirect { .. }),
            _ => false,
        }
    }
}

/// The place of an address space in a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpaceSite {
    /// The space cannot be written here.
    #[default]
    Nowhere,
    /// Place for a space where none is written.
    Missing(u32),
    /// The word, or the typedef name, that names the space.
    Written(Span),
}

impl SpaceSite {
    /// Returns the place for the space, if none is written.
    pub(crate) fn missing(self) -> Option<u32> {
        match self {
            Self::Missing(place) => Some(place),
            Self::Nowhere | Self::Written(_) => None,
        }
    }

    /// Returns the word that names the space, if one is written.
    pub(crate) fn written(self) -> Option<Span> {
        match self {
            Self::Written(span) => Some(span),
            Self::Nowhere | Self::Missing(_) => None,
        }
    }

    /// Returns the change that writes `space`, if none is written.
    pub(crate) fn qualified(self, space: Space) -> Option<Mend> {
        self.missing().map(|place| Mend::Qualify { place, space })
    }

    /// Returns the change that writes `space`, also in place of another one.
    pub(crate) fn requalified(self, space: Space) -> Option<Mend> {
        let replaced = self.written().map(|span| Mend::Requalify { span, space });
        self.qualified(space).or(replaced)
    }

    /// Returns the change that makes a pointer point into `space`.
    pub(crate) fn redirected(self, space: Space) -> Option<Mend> {
        let replaced = self.written().map(|span| Mend::Redirect { span, space });
        self.qualified(space).or(replaced)
    }

    /// Returns the change that gives this declaration the space of another one.
    pub(crate) fn adapted(self, space: Space) -> Option<Mend> {
        let replaced = self.written().map(|span| Mend::Adapt { span, space });
        self.qualified(space).or(replaced)
    }
}

/// Places for the address spaces of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Place for the space of the declared object; `None` if it is written.
    pub(crate) object: Option<u32>,
    /// Place of the space of its target.
    pub(crate) pointee: SpaceSite,
}

/// A range of the main file and its new text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Text to delete. Empty for a pure insertion.
    pub span: Span,
    /// Text to insert.
    pub text: String,
}

/// Edits that mend one finding, in the order of the text. They were tried: the finding is gone and there is no new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Effect of the edits: lower case, no full stop.
    pub title: String,
    /// Edits that do not overlap.
    pub edits: Vec<Edit>,
}

/// Returns the text with every edit applied; `None` if two different edits overlap or one is not within the text.
/// Equal edits count once.
pub fn apply<'e>(text: &[u8], edits: impl IntoIterator<Item = &'e Edit>) -> Option<Vec<u8>> {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort();
    edits.dedup();
    let mut edited = Vec::with_capacity(text.len() + 16 * edits.len());
    let mut done = 0;
    let mut before: Option<Span> = None;
    for edit in edits {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        // Two insertions at one place have no order.
        if start < done || before.is_some_and(|before| before.start == edit.span.start) {
            return None;
        }
        edited.extend_from_slice(text.get(done..start)?);
        edited.extend_from_slice(edit.text.as_bytes());
        text.get(start..end)?;
        done = end;
        before = Some(edit.span);
    }
    edited.extend_from_slice(text.get(done..)?);
    Some(edited)
}

/// Returns the place in a text that is at `place` once `edits`, which are in order, are applied; `None` within an
/// inserted text.
pub(crate) fn place_before(edits: &[Edit], place: u32) -> Option<u32> {
    let mut behind = place;
    for Edit { span, text } in edits {
        if behind <= span.start {
            break;
        }
        let inserted = text.len() as u32;
        behind = span.end + behind.checked_sub(span.start + inserted)?;
    }
    Some(behind)
}

/// Returns the edit of a text whose effect is that of `edit` once `edits`, which are in order, are applied; `None` if it
/// changes what one of them inserts or replaces.
pub(crate) fn edit_before(edits: &[Edit], edit: Edit) -> Option<Edit> {
    let start = place_before(edits, edit.span.start)?;
    let end = place_before(edits, edit.span.end)?;
    let changes = |own: &Edit| own.span.start < end && start < own.span.end;
    (!edits.iter().any(changes)).then(|| Edit { span: Span::new(start, end), text: edit.text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_before_edits() {
        let edit =
            |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
        let edits = [edit(2, 2, "abc"), edit(6, 9, "")];
        let places: Vec<_> = [1, 2, 3, 5, 7, 9, 10].map(|at| place_before(&edits, at)).into();
        let expected = [Some(1), Some(2), None, Some(2), Some(4), Some(6), Some(10)];
        assert_eq!(places, expected);
    }

    #[test]
    fn edits_before_edits() {
        let edit =
            |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
        let edits = [edit(2, 2, "abc"), edit(6, 9, "x")];
        let before =
            |start, end| edit_before(&edits, edit(start, end, "new")).map(|edit| edit.span);
        assert_eq!(before(0, 1), Some(Span::new(0, 1)));
        assert_eq!(before(5, 8), Some(Span::new(2, 5)));
        assert_eq!(before(11, 12), Some(Span::new(10, 11)));
        assert_eq!(before(3, 4), None, "within an insertion");
        assert_eq!(before(9, 10), None, "what was replaced");
    }

    #[track_caller]
    fn check(edits: &[(u32, u32, &str)], expected: Option<&str>) {
        let edits: Vec<Edit> = edits
            .iter()
            .map(|&(start, end, text)| Edit { span: Span::new(start, end), text: text.to_owned() })
            .collect();
        let edited = apply(b"one two", &edits);
        assert_eq!(edited.as_deref(), expected.map(str::as_bytes));
    }

    #[test]
    fn edits_are_carried_out_together_or_not_at_all() {
        check(&[], Some("one two"));
        check(&[(4, 7, "2"), (0, 0, "a ")], Some("a one 2"));
        check(&[(0, 0, "a "), (0, 0, "a ")], Some("a one two"));
        check(&[(0, 3, "1"), (3, 3, "!")], Some("1! two"));
        check(&[(0, 0, "a "), (0, 0, "b ")], None);
        check(&[(0, 3, ""), (2, 4, "")], None);
        check(&[(0, 3, ""), (0, 0, "a")], None);
        check(&[(5, 9, "")], None);
        check(&[(9, 9, "x")], None);
    }
}
