//! Blocks of templates that do not balance, which the template engine reports only at the end of the file.

/// Tags that open a block which must be closed.
const OPENERS: [&str; 5] = ["if", "for", "filter", "macro", "block"];

/// Returns the first block of a template that is not closed, or is closed without being opened: its byte offset and a
/// message.
pub(crate) fn unbalanced(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(usize, &str, &str)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('[').map(|found| at + found) {
        let (ending, is_block) = match text.as_bytes().get(found + 1) {
            Some(b'%') => ("%]", true),
            Some(b'#') => ("#]", false),
            Some(b'<') => (">]", false),
            _ => {
                at = found + 1;
                continue;
            }
        };
        let opening = &text[found..found + 2];
        let Some(length) = text[found + 2..].find(ending) else {
            return Some((found, format!("`{opening}` is never closed: write `{ending}`")));
        };
        let inside = &text[found + 2..found + 2 + length];
        if opening != "[#" && ["[<", "[%", "[#"].iter().any(|other| inside.contains(other)) {
            return Some((found, format!("`{opening}` is never closed: write `{ending}`")));
        }
        let inside = inside.trim_matches('-').trim();
        at = found + 2 + length + 2;
        if !is_block {
            continue;
        }
        let word = inside.split_whitespace().next().unwrap_or_default();
        if OPENERS.contains(&word) {
            open.push((found, word, inside));
        } else if let Some(closed) = word.strip_prefix("end").filter(|word| OPENERS.contains(word))
        {
            match open.pop() {
                Some((_, opened, _)) if opened == closed => {}
                Some((_, opened, inside)) => {
                    let message = format!(
                        "`[% end{closed} %]` cannot close `[% {inside} %]`: write `[% end{opened} %]` before it"
                    );
                    return Some((found, message));
                }
                None => {
                    let message = format!(
                        "`[% end{closed} %]` closes nothing: no `[% {closed} ... %]` is open"
                    );
                    return Some((found, message));
                }
            }
        }
    }
    open.pop().map(|(found, opened, inside)| {
        (found, format!("`[% {inside} %]` is never closed: write `[% end{opened} %]`"))
    })
}

#[cfg(test)]
mod tests {
    use super::unbalanced;

    #[test]
    fn the_block_that_is_wrong_is_named() {
        for (text, expected) in [
            ("a[0] [% if x %]b[% else %]c[% endif %][# [% if #][< p >]", None),
            ("[% if x %]", Some((0, "`[% if x %]` is never closed: write `[% endif %]`"))),
            (
                "[% for a in b %][%- if x %][% endfor %]",
                Some((
                    27,
                    "`[% endfor %]` cannot close `[% if x %]`: write `[% endif %]` before it",
                )),
            ),
            (
                "x\n[% endif %]",
                Some((2, "`[% endif %]` closes nothing: no `[% if ... %]` is open")),
            ),
            ("[< p [< q >]", Some((0, "`[<` is never closed: write `>]`"))),
            ("[< p ", Some((0, "`[<` is never closed: write `>]`"))),
        ] {
            let expected = expected.map(|(at, message): (usize, &str)| (at, message.to_owned()));
            assert_eq!(unbalanced(text), expected, "{text}");
        }
    }
}
