//! A local variable that one work-item assigns to, in place of its initializer.
//!
//! Every work-item would write the value otherwise, some of them after others have changed it: a data race.

use crate::{
    check::Report,
    fix::Edit,
    lex::PpKind,
    mending::{named::NamedFunction, text::Text},
    span::Span,
    token::Punct,
};

/// The condition that one work-item of a group meets.
const IS_FIRST: &str = "get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0";

/// Returns the edits that make an assignment before a barrier of the initializer of the variable `name`, which is
/// declared at the outermost level of a kernel; `None` unless every work-item reaches the declaration.
pub(super) fn edits(start: u32, name: Span, report: Report<'_>) -> Option<Vec<Edit>> {
    let text = Text::new(report.sources);
    let kernel = report.arena.sites.function_at(start)?;
    // Another kernel may call this one from a branch.
    let named = NamedFunction::new(kernel, report.arena, &text)?;
    if report.arena.sites.is_shared(start) || !named.calls.is_empty() {
        return None;
    }
    let begins_item =
        |kind| matches!(kind, PpKind::Punct(Punct::LBrace | Punct::RBrace | Punct::Semi));
    text.before(start).filter(|token| begins_item(token.kind))?;
    let [equals, first, ..] = text.from(name.end) else { return None };
    if !equals.is(Punct::Eq) || first.is(Punct::LBrace) {
        return None;
    }
    let end = text.semicolon(name.end)?.end;
    let variable = text.slice(name)?;
    let insertion = |place, text| Edit { span: Span::new(place, place), text };
    Some(vec![
        insertion(name.end, format!("; if ({IS_FIRST}) {variable}")),
        insertion(end, " barrier(CLK_LOCAL_MEM_FENCE);".to_owned()),
    ])
}
