//! A results file read line by line, whatever its length.

use std::io::BufRead;

use data_encoding::HEXLOWER;
use expectations::device::load_device;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{
    line::{FORMAT, Header, Line, parse, rename_rules, to_json},
    text::{is_dangerous, one_line, printable},
};

/// A results file that cannot be used.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Cause of the error.
        source: std::io::Error,
    },
    /// A line is not a record.
    #[error("{path}:{line}: {message}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the error.
        message: String,
    },
}

/// The place of a line in its file: the offset in the upper 40 bits, the length in the lower 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// Returns the place; `None` if the file or the line is too long for it.
    pub fn new(offset: u64, length: usize) -> Option<Self> {
        (offset < 1 << 40 && length < 1 << 24).then_some(Self(offset << 24 | length as u64))
    }

    /// Returns the place as bytes, which sort as the places do.
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the place of these bytes.
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    /// Returns the offset of the first byte.
    pub const fn offset(self) -> u64 {
        self.0 >> 24
    }

    /// Returns the number of bytes.
    pub const fn length(self) -> usize {
        (self.0 & 0xff_ffff) as usize
    }
}

/// A line after the header.
#[derive(Debug)]
pub enum Record {
    /// A record, and its text.
    Whole(Box<Line>, Vec<u8>),
    /// No record: the file was damaged.
    Damaged(ResultsError),
}

/// A results file, read line by line.
#[derive(Debug)]
pub struct Reader<R> {
    path: String,
    input: R,
    header: Header,
    number: usize,
    intact_bytes: u64,
    last_length: usize,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    pub fn new(path: &str, mut input: R) -> Result<Self, ResultsError> {
        let path = path.to_owned();
        let reject = |message: String| ResultsError::Line { path: path.clone(), line: 1, message };
        let Some(text) = whole_line(&path, &mut input)? else {
            return Err(reject(
                "no header: this is not a results file, or the run was ended before it began"
                    .to_owned(),
            ));
        };
        // A header of another format may have other fields.
        if let Some(format) = format_of(&text).filter(|format| *format != u64::from(FORMAT)) {
            return Err(reject(format!(
                "format {format}, this program reads format {FORMAT}: run the suite again"
            )));
        }
        match parse(&text).map_err(reject)? {
            Line::Header(header) => {
                check_kept_files(&header).map_err(reject)?;
                Ok(Self {
                    path,
                    input,
                    header,
                    number: 1,
                    intact_bytes: text.len() as u64,
                    last_length: 0,
                })
            }
            _ => Err(reject("the first line must be the header".to_owned())),
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the place of the last line; `None` if it is too long for a place.
    pub fn last_place(&self) -> Option<Place> {
        Place::new(self.intact_bytes - self.last_length as u64, self.last_length)
    }

    /// Returns the number of bytes of the whole lines read.
    pub const fn intact_bytes(&self) -> u64 {
        self.intact_bytes
    }

    /// Reads the next line after the header; returns it with its text, in which rules have their current names.
    pub fn next_line(&mut self) -> Result<Option<(Line, Vec<u8>)>, ResultsError> {
        match self.next_record()? {
            None => Ok(None),
            Some(Record::Whole(line, text)) => Ok(Some((*line, text))),
            Some(Record::Damaged(error)) => Err(error),
        }
    }

    /// Reads the next line after the header, whether it is a record or not.
    pub fn next_record(&mut self) -> Result<Option<Record>, ResultsError> {
        let Some(text) = whole_line(&self.path, &mut self.input)? else { return Ok(None) };
        self.number += 1;
        let reject = |message: String| ResultsError::Line {
            path: self.path.clone(),
            line: self.number,
            message,
        };
        self.intact_bytes += text.len() as u64;
        self.last_length = text.len();
        if self.last_place().is_none() {
            return Ok(Some(Record::Damaged(reject("the line is too long".to_owned()))));
        }
        match parse(&text) {
            Ok(Line::Header(_)) => {
                Err(reject("a second header: two runs were mixed in one file".to_owned()))
            }
            Ok(mut line) => {
                let is_as_written = !rename_rules(&mut line) && !holds_dangerous(&text);
                let text = if is_as_written { text } else { to_json(&line).into_bytes() };
                Ok(Some(Record::Whole(Box::new(line), text)))
            }
            Err(message) => Ok(Some(Record::Damaged(reject(message)))),
        }
    }
}

/// Checks that the files kept in a header are whole, and files of entries.
fn check_kept_files(header: &Header) -> Result<(), String> {
    for file in &header.judged_by {
        let Some(text) = &file.text else { continue };
        let path = one_line(&file.path, 200);
        if HEXLOWER.encode(&Sha256::digest(text)) != file.sha256 {
            return Err(format!("the file {path} that is kept in it has the wrong hash"));
        }
        load_device(&header.device, &path, text).map_err(|error| {
            format!("a file kept in it is wrong: {}", printable(&error.to_string()))
        })?;
    }
    Ok(())
}

/// Whether a line has characters that a terminal could act on; its line break is none.
fn holds_dangerous(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.trim_end_matches('\n').chars().any(is_dangerous)
}

/// Returns the format that a header names, whatever else it contains.
fn format_of(text: &[u8]) -> Option<u64> {
    let header: serde_json::Value = serde_json::from_slice(text).ok()?;
    header.get("format")?.as_u64()
}

/// Reads a line with its line break; returns `None` at the end, and before a line without one.
fn whole_line(path: &str, input: &mut impl BufRead) -> Result<Option<Vec<u8>>, ResultsError> {
    let mut text = Vec::new();
    input
        .read_until(b'\n', &mut text)
        .map_err(|source| ResultsError::Io { path: path.to_owned(), source })?;
    Ok((text.last() == Some(&b'\n')).then_some(text))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, io::Write as _};

    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::{
        line::{CaseResult, Interaction, UnreproducedFailure},
        load::LoadedFile,
        run::{Ending, Run},
    };

    fn read(text: &[u8]) -> Result<Run, ResultsError> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        Ok(LoadedFile::read("".as_ref(), "r", file)?.run)
    }

    fn header() -> Header {
        Header {
            format: FORMAT,
            program: "0.1.0".to_owned(),
            suite: "ab".to_owned(),
            selection: BTreeMap::new(),
            cases: 1,
            device: "pocl".to_owned(),
            device_as_typed: String::new(),
            through: String::new(),
            judged_by: Vec::new(),
            front_end: "clang 15".to_owned(),
            begun: String::new(),
            options: BTreeMap::new(),
            machine: BTreeMap::new(),
            identity: BTreeMap::new(),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
        }
    }

    #[test]
    fn renamed_rules_have_their_current_names() {
        let old = Line::Case(CaseResult {
            control: Some("code/null-pointer/cl12/a=c".to_owned()),
            ..case("code/null-pointer/cl12/a=b", "")
        });
        let torn = Line::Unreproduced(UnreproducedFailure {
            cases: vec!["run/barrier/cl12/a=b".to_owned()],
            what: String::new(),
        });
        let fault = Line::Interaction(Interaction {
            programs: vec![Vec::new(), vec!["run/barrier/cl12/a=b".to_owned()]],
            what: String::new(),
            times: 3,
            builds: 3,
        });
        let lines = [Line::Header(header()), old, torn, fault];
        let text: String = lines.iter().map(to_json).collect();
        let results = read(text.as_bytes()).unwrap();
        assert_eq!(results.cases.get(0).id, "codegen/null-pointer-conversions/cl12/a=b");
        assert_eq!(
            results.cases.get(0).control.as_deref(),
            Some("codegen/null-pointer-conversions/cl12/a=c")
        );
        assert_eq!(results.unreproduced[0].cases, ["execution/barrier/cl12/a=b"]);
        assert_eq!(results.interactions[0].programs[1], ["execution/barrier/cl12/a=b"]);
        let mut reader = Reader::new("r", text.as_bytes()).unwrap();
        let (line, line_text) = reader.next_line().unwrap().unwrap();
        assert_eq!(line_text, to_json(&line).into_bytes());
    }

    fn case(id: &str, log: &str) -> CaseResult {
        let outcome = Outcome { log: log.to_owned(), ..Outcome::new(OutcomeKind::Rejected) };
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::RejectsValid };
        CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Accept,
            outcome,
            finding,
        )
    }

    #[test]
    fn hostile_texts_are_escapes_and_hostile_ids_are_damage() {
        let written =
            to_json(&Line::Case(case("a/b/cl12/x=1", "\u{202e}\u{9b}31m\u{1fffe}\u{7f}")));
        assert!(written.contains(r"\u202e\u009b31m\ud83f\udffe\u007f"), "{written}");
        let raw = written.replace(r"\u202e", "\u{202e}");
        let text = to_json(&Line::Header(header())) + &raw;
        let mut reader = Reader::new("r", text.as_bytes()).unwrap();
        let (_, taken) = reader.next_line().unwrap().unwrap();
        assert_eq!(String::from_utf8(taken).unwrap(), written);
        for id in ["\u{1b}[31m", "';touch x;'", "a b", "a\nb", "$(x)", "`x`", "é", "<b>"] {
            let text = to_json(&Line::Header(header())) + &to_json(&Line::Case(case(id, "")));
            let run = read(text.as_bytes()).unwrap();
            assert_eq!(run.cases.len(), 0, "{id:?}");
            let faults = run.partial().unwrap();
            assert!(faults.contains("is not an id of a case or rule"), "{id:?}: {faults}");
        }
    }

    proptest! {
        #[test]
        fn a_file_cut_anywhere_is_read_up_to_the_last_whole_line(logs in prop::collection::vec(any::<String>(), 0..6), cut in any::<prop::sample::Index>()) {
            let mut text = to_json(&Line::Header(header()));
            let header_length = text.len();
            for (index, log) in logs.iter().enumerate() {
                text.push_str(&to_json(&Line::Case(case(&index.to_string(), log))));
            }
            let cut = cut.index(text.len() + 1);
            let part = &text.as_bytes()[..cut];
            let whole_lines = part.split(|&byte| byte == b'\n').count() - 1;
            let results = read(part);
            if cut < header_length {
                prop_assert!(results.is_err());
            } else {
                let results = results.unwrap();
                prop_assert_eq!(results.cases.len(), whole_lines - 1);
                prop_assert!(matches!(results.ending, Ending::Missing));
                for (case, log) in results.cases.iter().zip(&logs) {
                    prop_assert_eq!(&case.outcome.log, log);
                }
            }
        }

        #[test]
        fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn rejections_name_the_line() {
        let good = to_json(&Line::Header(header()));
        for (text, expected) in [
            (
                good.replace(&format!("\"format\":{FORMAT}"), "\"format\":9"),
                format!("r:1: format 9, this program reads format {FORMAT}: run the suite again"),
            ),
            (
                format!("{good}{good}"),
                "r:2: a second header: two runs were mixed in one file".to_owned(),
            ),
            (
                String::new(),
                "r:1: no header: this is not a results file, or the run was ended before it began"
                    .to_owned(),
            ),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), expected);
        }
    }
}
