//! Text that the work-items of a launch must print with `printf`, and its comparison with what a device printed.
//!
//! The text of one work-item has an order, and the texts of several may be intermixed ([printf-output-synchronization]):
//! the output must be an interleaving of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    expression::{self, Expression},
    memory::Round,
    plan::MOST_PRINTED,
};

/// Ways in which the beginning of an output can be an interleaving; an output with more is not judged.
const MOST_WAYS: usize = 4096;
/// Characters of a line of a device that are shown.
const SHOWN: usize = 120;

/// Lines that every chosen work-item of a launch must print, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Printing {
    pub lines: Vec<Line>,
    /// Condition on the work-item `i`; every work-item where there is none.
    pub only: Option<Expression>,
}

/// A line of output, with a newline behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line(Vec<Piece>);

/// Part of a line.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    /// The value of an expression about the work-item `i`, in decimal.
    Value(Expression),
    /// The rest of the line: an address, written as the device likes. Addresses of one name are written alike.
    Address(String),
}

/// A printed text that is not as it must be, as the line where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrintedDifference {
    pub(super) expected: String,
    pub(super) seen: String,
}

/// A line that a work-item must print, its values computed.
#[derive(Clone, Debug)]
struct RequiredLine {
    text: String,
    /// Name of the address behind the text.
    address: Option<String>,
}

impl Line {
    /// Parses the text of a line: `{EXPRESSION}` is a value, `{address NAME}` at the end an address.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.contains('\n') {
            return Err("a line ends with its text: write two lines".to_owned());
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            let Some((inner, behind)) =
                brace.strip_prefix('{').and_then(|inner| inner.split_once('}'))
            else {
                return Err(format!("a brace of `{text}` has no partner"));
            };
            pieces.push(Piece::Text(before.to_owned()));
            match inner.strip_prefix("address ") {
                Some(_) if !behind.is_empty() => {
                    return Err(format!("an address ends its line, and `{behind}` is behind it"));
                }
                Some(name) => pieces.push(Piece::Address(name.trim().to_owned())),
                None => pieces.push(Piece::Value(expression::parse(inner)?)),
            }
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    fn of_item(&self, item: usize, round: &Round<'_>) -> Result<RequiredLine, String> {
        let mut line = RequiredLine { text: String::new(), address: None };
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => line.text.push_str(text),
                Piece::Value(value) => {
                    line.text.push_str(&round.of_item(item, value)?.to_string());
                }
                Piece::Address(name) => line.address = Some(name.clone()),
            }
        }
        Ok(line)
    }
}

/// Returns the lines of each work-item that prints something.
fn required(printings: &[Printing], round: &Round<'_>) -> Result<Vec<Vec<RequiredLine>>, String> {
    let mut texts = Vec::new();
    for item in 0..round.shape.item_count() {
        let mut lines = Vec::new();
        for printing in printings {
            let is_chosen = match &printing.only {
                Some(condition) => round.of_item(item, condition)? != 0,
                None => true,
            };
            if is_chosen {
                for line in &printing.lines {
                    lines.push(line.of_item(item, round)?);
                }
            }
        }
        if !lines.is_empty() {
            texts.push(lines);
        }
    }
    let lines = || texts.iter().flatten();
    if lines().any(|line| line.address.is_some()) && texts.len() > 1 {
        return Err("an address is known again only where one work-item prints".to_owned());
    }
    if lines().map(|line| line.text.len() + 1).sum::<usize>() >= MOST_PRINTED {
        return Err(format!("a launch prints less than {MOST_PRINTED} bytes"));
    }
    Ok(texts)
}

/// Returns the output of a device without defects.
pub(super) fn ideal(printings: &[Printing], round: &Round<'_>) -> Result<Vec<u8>, String> {
    let lines = required(printings, round)?.into_iter().flatten();
    let lines = lines.map(|line| match line.address {
        Some(name) => format!("{}0x{name}\n", line.text),
        None => line.text + "\n",
    });
    Ok(lines.collect::<String>().into_bytes())
}

/// Compares the output of a device with the lines that its work-items must print.
pub(super) fn difference(
    printings: &[Printing],
    round: &Round<'_>,
    seen: &[u8],
) -> Result<Option<PrintedDifference>, String> {
    let required = required(printings, round)?;
    let texts: Vec<Vec<String>> = match required.as_slice() {
        [one] => vec![with_addresses(one, seen)],
        several => {
            let texts = several.iter().map(|lines| lines.iter().map(|line| line.text.clone()));
            texts.map(Iterator::collect).collect()
        }
    };
    if is_interleaving(&texts, seen)? {
        return Ok(None);
    }
    Ok(Some(first_difference(&texts, seen)))
}

/// Returns the lines of the only work-item that prints, with the addresses that the device printed: the first address of
/// a name is right, whatever it is, and the others must be like it.
fn with_addresses(lines: &[RequiredLine], seen: &[u8]) -> Vec<String> {
    let mut seen = seen.split(|&byte| byte == b'\n');
    let mut known: BTreeMap<&str, String> = BTreeMap::new();
    let mut texts = Vec::new();
    for line in lines {
        let seen = String::from_utf8_lossy(seen.next().unwrap_or_default()).into_owned();
        let Some(name) = &line.address else {
            texts.push(line.text.clone());
            continue;
        };
        let printed = seen.strip_prefix(&line.text).filter(|address| !address.is_empty());
        let address =
            known.entry(name).or_insert_with(|| printed.unwrap_or("(an address)").to_owned());
        texts.push(format!("{}{address}", line.text));
    }
    texts
}

/// Whether an output is an interleaving of these texts, each a list of lines.
fn is_interleaving(texts: &[Vec<String>], seen: &[u8]) -> Result<bool, String> {
    let lines: Vec<Vec<&[u8]>> =
        texts.iter().map(|lines| lines.iter().map(String::as_bytes).collect()).collect();
    let seen_lines: Vec<&[u8]> = match seen.strip_suffix(b"\n") {
        Some(seen) => seen.split(|&byte| byte == b'\n').collect(),
        None => Vec::new(),
    };
    // Most devices print whole lines, and there are few ways in which lines are intermixed.
    if seen.is_empty() || seen.ends_with(b"\n") {
        let lines = lines.iter().map(Vec::as_slice);
        if is_made_of(lines.collect(), &seen_lines) == Ok(true) {
            return Ok(true);
        }
    }
    let texts: Vec<String> = texts.iter().map(|lines| lines.join("\n") + "\n").collect();
    is_made_of(texts.iter().map(String::as_bytes).collect(), seen)
}

/// Whether a sequence is an interleaving of others.
fn is_made_of<T: Ord>(mut parts: Vec<&[T]>, whole: &[T]) -> Result<bool, String> {
    if parts.iter().map(|part| part.len()).sum::<usize>() != whole.len() {
        return Ok(false);
    }
    // What is left of the parts, for each way in which they can have made the whole so far.
    parts.sort_unstable();
    let mut ways = BTreeSet::from([parts]);
    for next in whole {
        let mut longer = BTreeSet::new();
        for left in &ways {
            for (index, part) in left.iter().enumerate() {
                // Work-items with as much left are alike.
                let is_first = index == 0 || left[index - 1] != *part;
                if let Some((_, behind)) = part.split_first().filter(|(first, _)| *first == next)
                    && is_first
                {
                    let mut left = left.clone();
                    left[index] = behind;
                    left.sort_unstable();
                    longer.insert(left);
                }
            }
        }
        if longer.len() > MOST_WAYS {
            return Err("the lines of different work-items begin too much alike".to_owned());
        }
        ways = longer;
    }
    Ok(!ways.is_empty())
}

/// Returns the first line that must be printed and is not, and the first that is printed and must not be.
fn first_difference(texts: &[Vec<String>], seen: &[u8]) -> PrintedDifference {
    let seen = String::from_utf8_lossy(seen).into_owned();
    let mut left: Vec<&str> = seen.lines().collect();
    let mut missing = None;
    for line in texts.iter().flatten() {
        match left.iter().position(|seen| seen == line) {
            Some(at) => _ = left.remove(at),
            None => _ = missing.get_or_insert(line.as_str()),
        }
    }
    match (missing, left.first()) {
        (None, None) => PrintedDifference {
            expected: "the lines of each work-item in their order".to_owned(),
            seen: shown(seen.lines().next().unwrap_or_default()) + " and so on, in another order",
        },
        (expected, found) => PrintedDifference {
            expected: expected.map_or_else(|| "no such line".to_owned(), shown),
            seen: match found {
                Some(line) => shown(line),
                None if seen.is_empty() => "nothing is printed".to_owned(),
                None => "no such line".to_owned(),
            },
        },
    }
}

/// Returns a line of a device as text that can be shown, cut where it is long.
fn shown(line: &str) -> String {
    let cut: String = line.chars().take(SHOWN).collect();
    let dots = if cut.len() < line.len() { "..." } else { "" };
    format!("`{}`{dots}", cut.escape_debug())
}

#[cfg(test)]
mod tests {
    use crate::{
        outcome::{Run, RunKind},
        probe::{
            Limits,
            compare::{compare, ideal},
            plan::{Observation, RoundAnswer, RunAnswer},
            read::read,
        },
    };

    fn probe(prints: &str) -> String {
        format!(
            r#"seed = 1
shapes = [{{ items = [4], group = [2] }}]
[buffer.in]
holds = "int"
length = "items"
fill = "10 * i"
[[step]]
launch = {{ kernel = "k", arguments = ["in"], prints = {prints} }}
"#
        )
    }

    /// The comparison of an output with these lines.
    fn printed(prints: &str, output: &str) -> Run {
        let limits = Limits::new();
        let probe = read("p.toml", &probe(prints)).unwrap();
        let RunAnswer::Done { rounds, .. } = ideal(&probe, &limits).unwrap() else { panic!() };
        let mut observations = rounds[0].observations.clone();
        assert!(matches!(observations[0], Observation::Printed(_)), "{observations:?}");
        observations[0] = Observation::Printed(output.as_bytes().to_vec());
        let rounds = vec![RoundAnswer { observations, failed: None }];
        compare(&probe, &limits, &RunAnswer::Done { rounds, seconds: 0.0 })
    }

    /// Expected and seen line of an output that is wrong.
    fn told(prints: &str, output: &str) -> (String, String) {
        let run = printed(prints, output);
        assert_eq!((run.kind, run.differing), (RunKind::Completed, 1), "{run:?}");
        let difference = run.differences[0].clone();
        assert_eq!(difference.place, "printed at step 1, 4 work-items in groups of 2");
        (difference.expected, difference.seen)
    }

    fn is_right(prints: &str, output: &str) {
        let run = printed(prints, output);
        assert_eq!((run.kind, run.differing), (RunKind::Completed, 0), "{run:?}");
    }

    const ALL: &str = r#"[{ lines = ["{i}: {in[i]}", "{i}: end"] }]"#;
    const ONE: &str =
        r#"[{ lines = ["a {in[1]}"], only = "i == 1" }, { lines = ["b"], only = "i == 1" }]"#;

    #[test]
    fn what_several_work_items_print_may_be_intermixed() {
        is_right(ALL, "0: 0\n0: end\n1: 10\n1: end\n2: 20\n2: end\n3: 30\n3: end\n");
        is_right(ALL, "3: 30\n0: 0\n2: 20\n1: 10\n1: end\n2: end\n0: end\n3: end\n");
        is_right(ALL, "3: 0: 300\n\n0: end\n1: 10\n1: end\n2: 20\n2: end\n3: end\n");
        is_right("[{ lines = [\"all alike\"] }]", &"all alike\n".repeat(4));
    }

    #[test]
    fn what_one_work_item_prints_has_an_order() {
        is_right(ONE, "a 10\nb\n");
        assert_eq!(
            told(ONE, "b\na 10\n"),
            (
                "the lines of each work-item in their order".to_owned(),
                "`b` and so on, in another order".to_owned()
            )
        );
        told(ALL, "0: end\n0: 0\n1: 10\n1: end\n2: 20\n2: end\n3: 30\n3: end\n");
    }

    #[test]
    fn a_difference_names_lines() {
        let none = ("`a 10`".to_owned(), "nothing is printed".to_owned());
        assert_eq!(told(ONE, ""), none);
        assert_eq!(told(ONE, "a 11\nb\n"), ("`a 10`".to_owned(), "`a 11`".to_owned()));
        assert_eq!(told(ONE, "a 10\nb\nb\n"), ("no such line".to_owned(), "`b`".to_owned()));
        assert_eq!(told(ONE, "a 10\n"), ("`b`".to_owned(), "no such line".to_owned()));
        assert_eq!(told("[]", "x\n"), ("no such line".to_owned(), "`x`".to_owned()));
        is_right("[]", "");
        // A value of another work-item.
        told(ALL, "0: 10\n0: end\n1: 0\n1: end\n2: 20\n2: end\n3: 30\n3: end\n");
    }

    #[test]
    fn a_devices_text_is_escaped_and_cut() {
        let hostile = format!("\u{1b}[2J\u{0}{}", "x".repeat(1000));
        let (_, seen) = told(ONE, &hostile);
        assert_eq!(seen, format!("`\\u{{1b}}[2J\\0{}`...", "x".repeat(115)));
    }

    #[test]
    fn an_address_is_known_again() {
        let prints =
            r#"[{ lines = ["x {address x}", "y {address y}", "x {address x}"], only = "i == 0" }]"#;
        is_right(prints, "x 0xff\ny (nil)\nx 0xff\n");
        is_right(prints, "x 7\ny 7\nx 7\n");
        assert_eq!(
            told(prints, "x 0xff\ny 0xfe\nx 0xfe\n"),
            ("`x 0xff`".to_owned(), "`x 0xfe`".to_owned())
        );
        assert_eq!(
            told(prints, "x \ny 0xfe\nx \n"),
            ("`x (an address)`".to_owned(), "`x `".to_owned())
        );
        let everyone = read("p.toml", &probe(r#"[{ lines = ["{address x}"] }]"#)).unwrap();
        let why = ideal(&everyone, &Limits::new()).unwrap_err();
        assert_eq!(why, "an address is known again only where one work-item prints");
    }

    #[test]
    fn bad_lines_are_rejected_with_place_and_remedy() {
        for (line, expected) in [
            ("a {i", "p.toml:8:67: a brace of `a {i` has no partner"),
            ("a } {i}", "p.toml:8:67: a brace of `a } {i}` has no partner"),
            ("{i +}", "p.toml:8:67: a value is missing at the end"),
            ("{address x}.", "p.toml:8:67: an address ends its line, and `.` is behind it"),
            ("a\\nb", "p.toml:8:67: a line ends with its text: write two lines"),
        ] {
            let text = probe(&format!("[{{ lines = [\"{line}\"] }}]"));
            assert_eq!(read("p.toml", &text).unwrap_err().to_string(), expected);
        }
        let text = probe("[{ line = [\"a\"] }]");
        let error = read("p.toml", &text).unwrap_err().to_string();
        assert!(error.ends_with("unknown key `line`; did you mean `lines`?"), "{error}");
    }
}
