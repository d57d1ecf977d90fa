//! Prose in pages: text between backticks is code, as in the book.

use tera::{Kwargs, State, TeraResult, Value};

/// Implements the filter `prose`: everything escaped, code as `<code>`. A backtick without another stays a backtick.
pub(super) fn prose(text: &str, _: Kwargs, state: &State<'_>) -> TeraResult<Value> {
    let mut html = String::new();
    let mut rest = text;
    while let Some((before, code, behind)) = first_code(rest) {
        html.push_str(&state.escape(before)?);
        html.push_str("<code>");
        html.push_str(&state.escape(code)?);
        html.push_str("</code>");
        rest = behind;
    }
    html.push_str(&state.escape(rest)?);
    Ok(Value::safe_string(&html))
}

/// Splits a text into the part before the first code, the code, and the part after it.
fn first_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, begun) = text.split_once('`')?;
    let (code, behind) = begun.split_once('`')?;
    (!code.is_empty()).then_some((before, code, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_code_and_everything_is_escaped() {
        let mut tera = tera::Tera::new();
        tera.register_filter("prose", prose);
        tera.add_raw_template("page.html", "{{ text | prose }}").unwrap();
        let check = |text: &str, html: &str| {
            let mut context = tera::Context::new();
            context.insert("text", text);
            assert_eq!(tera.render("page.html", &context).unwrap(), html);
        };
        check("plain", "plain");
        check("takes `int *` or `a<b>`", "takes <code>int *</code> or <code>a&lt;b&gt;</code>");
        check("<b> and one ` alone", "&lt;b&gt; and one ` alone");
        check("nothing `` in it", "nothing `` in it");
        check("`<script>`", "<code>&lt;script&gt;</code>");
    }
}
