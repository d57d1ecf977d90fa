//! Reduction of a text that keeps a property, with many candidates in each round.
//!
//! Delta debugging over lines, then over words, where a bracket goes with its partner. The test is a build on a
//! device, which takes a tenth of a second alone and little more with a hundred others: so programs are tested in
//! rounds.

use std::collections::BTreeSet;

/// Candidates of one round.
const ROUND: usize = 64;

/// Returns the smallest text found for which `holds`; `holds` judges several texts at once.
pub fn reduce<E>(
    text: &str,
    mut holds: impl FnMut(&[String]) -> Result<Vec<bool>, E>,
) -> Result<String, E> {
    let mut holds = |texts: &[[String; 1]]| holds(texts.as_flattened());
    let mut current = text.to_owned();
    loop {
        let before = current.len();
        for pieces in [lines, words] {
            let pieces = pieces(&current).into_iter().map(|piece| [piece]).collect();
            [current] = reduce_pieces(pieces, &mut holds)?;
        }
        if current.len() == before {
            return Ok(current);
        }
    }
}

/// Reduces two texts at once: lines are removed from both, and lines in which they differ stay.
pub fn reduce_pair<E>(
    texts: &[String; 2],
    mut holds: impl FnMut(&[[String; 2]]) -> Result<Vec<bool>, E>,
) -> Result<[String; 2], E> {
    reduce_pair_by(texts, lines, &mut holds)
}

/// Reduces two texts by lines and then by words, until nothing can be removed.
pub fn reduce_pair_to_words<E>(
    texts: &[String; 2],
    mut holds: impl FnMut(&[[String; 2]]) -> Result<Vec<bool>, E>,
) -> Result<[String; 2], E> {
    let mut current = texts.clone();
    loop {
        let before = current[0].len();
        for pieces in [lines, words] {
            current = reduce_pair_by(&current, pieces, &mut holds)?;
        }
        if current[0].len() == before {
            return Ok(current);
        }
    }
}

fn reduce_pair_by<E>(
    texts: &[String; 2],
    pieces_of: fn(&str) -> Vec<String>,
    holds: &mut impl FnMut(&[[String; 2]]) -> Result<Vec<bool>, E>,
) -> Result<[String; 2], E> {
    let [left, right] = texts.each_ref().map(|text| pieces_of(text));
    let before = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let rest = left.len().min(right.len()) - before;
    let after =
        left.iter().rev().zip(right.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let common = |line: &String| [line.clone(), line.clone()];
    let mut pieces: Vec<[String; 2]> = left[..before].iter().map(common).collect();
    pieces.push([
        left[before..left.len() - after].concat(),
        right[before..right.len() - after].concat(),
    ]);
    pieces.extend(left[left.len() - after..].iter().map(common));
    reduce_pieces(pieces, holds)
}

/// Returns two programs as one text, which is the second where `name` is defined.
pub fn as_one(texts: &[String; 2], name: &str) -> String {
    let [left, right] = texts.each_ref().map(|text| text.lines().collect::<Vec<_>>());
    let before = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let rest = left.len().min(right.len()) - before;
    let after =
        left.iter().rev().zip(right.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let ifdef = format!("#ifdef {name}");
    let all = left[..before]
        .iter()
        .copied()
        .chain([ifdef.as_str()])
        .chain(right[before..right.len() - after].iter().copied())
        .chain(["#else"])
        .chain(left[before..left.len() - after].iter().copied())
        .chain(["#endif"])
        .chain(left[left.len() - after..].iter().copied());
    all.flat_map(|line| [line, "\n"]).collect()
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Splits a text into names, numbers, literals and signs, each with the white space after it.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = Class::Space;
    for character in text.chars() {
        let class = Class::of(character);
        match words.last_mut() {
            Some(word)
                if class == Class::Space || (class == Class::Name && last == Class::Name) =>
            {
                word.push(character);
            }
            _ => words.push(character.to_string()),
        }
        last = class;
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Name,
    Space,
    Sign,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            c if c.is_whitespace() => Self::Space,
            c if c.is_alphanumeric() || c == '_' => Self::Name,
            _ => Self::Sign,
        }
    }
}

fn reduce_pieces<const N: usize, E>(
    mut pieces: Vec<[String; N]>,
    holds: &mut impl FnMut(&[[String; N]]) -> Result<Vec<bool>, E>,
) -> Result<[String; N], E> {
    loop {
        let removals = removals(&pieces);
        let mut found = None;
        for round in removals.chunks(ROUND) {
            let texts: Vec<[String; N]> =
                round.iter().map(|removal| without(&pieces, removal)).collect();
            let answers = holds(&texts)?;
            // Those that work alone often work together.
            let working: Vec<&BTreeSet<usize>> = round
                .iter()
                .zip(&answers)
                .filter_map(|(removal, &holds)| holds.then_some(removal))
                .collect();
            let Some(&largest) = working.iter().max_by_key(|removal| removal.len()) else {
                continue;
            };
            let all: BTreeSet<usize> =
                working.iter().flat_map(|removal| removal.iter().copied()).collect();
            let together = all.len() > largest.len() && holds(&[without(&pieces, &all)])? == [true];
            found = Some(if together { all } else { largest.clone() });
            break;
        }
        let Some(removal) = found else { return Ok(without(&pieces, &BTreeSet::new())) };
        let mut index = 0;
        pieces.retain(|_| {
            index += 1;
            !removal.contains(&(index - 1))
        });
    }
}

fn without<const N: usize>(pieces: &[[String; N]], removal: &BTreeSet<usize>) -> [String; N] {
    let mut texts = std::array::from_fn(|_| String::new());
    for (_, piece) in pieces.iter().enumerate().filter(|(index, _)| !removal.contains(index)) {
        for (text, part) in texts.iter_mut().zip(piece) {
            text.push_str(part);
        }
    }
    texts
}

/// Returns the sets of pieces to remove, the largest first: halves, quarters and so on to single pieces, the text
/// between two brackets, and brackets alone.
fn removals<const N: usize>(pieces: &[[String; N]]) -> Vec<BTreeSet<usize>> {
    let count = pieces.len();
    let mut removals: Vec<BTreeSet<usize>> = Vec::new();
    let mut size = count.div_ceil(2);
    while size > 0 {
        removals.extend(
            (0..count).step_by(size).map(|start| (start..count.min(start + size)).collect()),
        );
        size = if size == 1 { 0 } else { size / 2 };
    }
    for (open, close) in brackets(pieces) {
        removals.push((open..=close).collect());
        removals.push((open + 1..close).collect());
        removals.push([open, close].into());
        // A statement or function with what introduces it.
        if let Some(before) = open.checked_sub(1) {
            removals.push((before..=close).collect());
        }
    }
    let stays = |index: &usize| pieces[*index].iter().any(|part| *part != pieces[*index][0]);
    removals.retain(|removal| {
        !removal.is_empty() && removal.len() < count && !removal.iter().any(stays)
    });
    removals.sort_by_key(|removal| std::cmp::Reverse(removal.len()));
    removals.dedup();
    removals
}

/// Pieces that open and close a bracket.
fn brackets<const N: usize>(pieces: &[[String; N]]) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        for character in piece.iter().take(1).flat_map(|part| part.chars()) {
            match character {
                '(' | '[' | '{' => open.push(index),
                ')' | ']' | '}' => pairs
                    .extend(open.pop().filter(|&start| start < index).map(|start| (start, index))),
                _ => {}
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, keeps: &[&str], expected: &str) {
        let reduced = reduce(text, |texts: &[String]| {
            let holds =
                |text: &String| keeps.iter().all(|kept| text.contains(kept)) && balanced(text);
            Ok::<_, ()>(texts.iter().map(holds).collect())
        });
        assert_eq!(reduced.unwrap(), expected);
    }

    fn balanced(text: &str) -> bool {
        let depth = text.chars().try_fold(0_i32, |depth, c| match c {
            '{' | '(' => Some(depth + 1),
            '}' | ')' => (depth > 0).then_some(depth - 1),
            _ => Some(depth),
        });
        depth == Some(0)
    }

    #[test]
    fn what_matters_is_left() {
        check("int a;\nint b;\nint c;\n", &["b"], "b");
        check("f(x) {\n  if (y) {\n    z;\n  }\n}\n", &["z"], "z");
        check("f(x, (y + 1), z)", &["f(", "y"], "f(y )");
        check("one two", &["one two"], "one two");
    }

    #[test]
    fn lines_go_out_of_both_texts() {
        let texts = ["a;\nb;\nint x;\nc;\n", "a;\nb;\nlocal int x;\nc;\n"].map(str::to_owned);
        let reduced = reduce_pair(&texts, |texts: &[[String; 2]]| {
            let holds = |[left, right]: &[String; 2]| left.contains('c') && right.contains("local");
            Ok::<_, ()>(texts.iter().map(holds).collect())
        });
        assert_eq!(reduced.unwrap(), ["int x;\nc;\n", "local int x;\nc;\n"]);
    }

    #[test]
    fn words_go_out_of_both_texts_and_one_program_is_left() {
        let texts = ["a; b; c;\nf(x, int y);\nd;\n", "a; b; c;\nf(x, local int y);\nd;\n"];
        let reduced = reduce_pair_to_words(&texts.map(str::to_owned), |texts: &[[String; 2]]| {
            let holds = |[left, right]: &[String; 2]| left.contains('b') && right.contains("local");
            Ok::<_, ()>(texts.iter().map(holds).collect())
        });
        let reduced = reduced.unwrap();
        assert_eq!(reduced, ["b", "blocal "]);
        assert_eq!(as_one(&reduced, "CONTROL"), "#ifdef CONTROL\nblocal \n#else\nb\n#endif\n");
        let whole = as_one(&texts.map(str::to_owned), "CONTROL");
        assert_eq!(
            whole,
            "a; b; c;\n#ifdef CONTROL\nf(x, local int y);\n#else\nf(x, int y);\n#endif\nd;\n"
        );
    }

    #[test]
    fn errors_of_the_test_end_the_reduction() {
        assert_eq!(reduce("a b", |_: &[String]| Err("no device")), Err("no device"));
    }
}
