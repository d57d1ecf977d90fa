//! The files of one program: their bytes end to end, and file, line and column for each offset.

use memchr::{memchr, memchr_iter, memrchr};
use thiserror::Error;

use crate::span::Span;

/// Number of a file within a [`SourceMap`], in order of appearance: the main file is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Largest total size of the files of one program, in bytes.
pub const MAX_TOTAL_SIZE: usize = 1 << 30;

/// A program that is larger than the checker reads.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{name}` makes the program larger than {MAX_TOTAL_SIZE} bytes, the most that is read")]
pub struct TooLarge {
    /// The file that did not fit.
    pub name: String,
}

/// A file: its name, the range of its bytes, and the place of its inclusion.
#[derive(Clone, Debug)]
struct File {
    name: Box<str>,
    start: u32,
    end: u32,
    included_at: Option<u32>,
}

/// A `#line` directive or a line marker: from `offset` on, lines count from `line`.
#[derive(Clone, Debug)]
struct LineMark {
    offset: u32,
    line: u32,
    name: Option<Box<str>>,
}

/// File, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<'map> {
    /// The file, as `#line` presents it.
    pub file: &'map str,
    /// The line, counted from 1, as `#line` presents it.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
}

/// Every file of a program in one space of `u32` offsets; [`Span`]s refer to it.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    text: Vec<u8>,
    files: Vec<File>,
    marks: Vec<LineMark>,
    /// The outermost calls of macros, with their arguments.
    macro_calls: Vec<Span>,
    /// The parts that conditions leave out.
    skipped: Vec<Span>,
    /// Offsets of the newlines before `indexed`.
    newlines: Vec<u32>,
    indexed: u32,
}

/// The bytes that some editors write before a text in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl SourceMap {
    /// Forgets every file, keeping the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.files.clear();
        self.marks.clear();
        self.macro_calls.clear();
        self.skipped.clear();
        self.newlines.clear();
        self.indexed = 0;
    }

    /// Indexes the ends of lines in all files so far, which makes positions quick to find.
    pub fn index_lines(&mut self) {
        let unread = &self.text[self.indexed as usize..];
        self.newlines.extend(memchr_iter(b'\n', unread).map(|at| self.indexed + at as u32));
        self.indexed = self.text.len() as u32;
    }

    /// Appends a file. `included_at` is the offset of the `#include` that asked for it.
    pub fn add(
        &mut self,
        name: &str,
        bytes: &[u8],
        included_at: Option<u32>,
    ) -> Result<FileId, TooLarge> {
        // One byte more than the file keeps an end of file apart from the next file's start.
        if bytes.len() + 1 > MAX_TOTAL_SIZE - self.text.len() {
            return Err(TooLarge { name: name.to_owned() });
        }
        let start = self.text.len() as u32;
        self.text.extend_from_slice(bytes);
        let end = self.text.len() as u32;
        self.text.push(0);
        self.files.push(File { name: name.into(), start, end, included_at });
        Ok(FileId(self.files.len() as u32 - 1))
    }

    /// Lets lines count from `line` and belong to `name` (the file's own if `None`) from `offset` on. Marks of one file
    /// are given in increasing order.
    pub fn mark_line(&mut self, offset: u32, line: u32, name: Option<&str>) {
        let at = self.marks.partition_point(|mark| mark.offset <= offset);
        self.marks.insert(at, LineMark { offset, line, name: name.map(Into::into) });
    }

    /// Notes that the outermost call of a macro that begins at `start` reaches at least up to `end`.
    pub(crate) fn note_macro_call(&mut self, start: u32, end: u32) {
        match self.macro_calls.last_mut() {
            Some(last) if last.start == start => last.end = last.end.max(end),
            _ => self.macro_calls.push(Span::new(start, end)),
        }
    }

    /// Notes that a condition leaves `span` out.
    pub(crate) fn note_skipped(&mut self, span: Span) {
        // An included file lies behind the file that includes it.
        let at = self.skipped.partition_point(|skipped| skipped.start <= span.start);
        self.skipped.insert(at, span);
    }

    /// Whether a condition leaves out the text at `offset`.
    pub(crate) fn is_skipped(&self, offset: u32) -> bool {
        let after = self.skipped.partition_point(|skipped| skipped.start <= offset);
        after.checked_sub(1).is_some_and(|index| offset < self.skipped[index].end)
    }

    /// Whether some of `span` lies in the call of a macro; an empty one may stand before it and after it.
    pub(crate) fn is_in_macro_call(&self, span: Span) -> bool {
        self.macro_calls.iter().any(|call| span.start < call.end && call.start < span.end)
    }

    /// Whether some call of a macro lies partly in `span` and partly outside.
    pub(crate) fn cuts_macro_call(&self, span: Span) -> bool {
        self.macro_calls.iter().any(|call| {
            let is_within = span.start <= call.start && call.end <= span.end;
            span.start < call.end && call.start < span.end && !is_within
        })
    }

    /// Whether `#line` gives lines of `file` other names or numbers.
    pub(crate) fn has_line_marks(&self, file: FileId) -> bool {
        let range = self.range(file);
        self.marks.iter().any(|mark| (range.start..=range.end).contains(&mark.offset))
    }

    /// Returns the bytes of all files; offsets index it.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Returns the range of offsets of `file`.
    pub fn range(&self, file: FileId) -> Span {
        let file = &self.files[file.0 as usize];
        Span::new(file.start, file.end)
    }

    /// Returns the name `file` was added under.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// Returns the number of files.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Returns the offset of the `#include` that asked for `file`; `None` for the main file.
    pub fn included_at(&self, file: FileId) -> Option<u32> {
        self.files[file.0 as usize].included_at
    }

    /// Returns the file that holds `offset`; `None` in an empty map.
    pub fn file_at(&self, offset: u32) -> Option<FileId> {
        let after = self.files.partition_point(|file| file.start <= offset);
        after.checked_sub(1).map(|index| FileId(index as u32))
    }

    /// Returns the bytes of `span`, as far as they exist.
    pub fn slice(&self, span: Span) -> &[u8] {
        {
            let end = (span.end as usize).min(self.text.len());
            self.text.get(span.start as usize..end).unwrap_or_default()
        }
    }

    /// Returns file, line and column of `offset`, as `#line` presents them.
    pub fn position(&self, offset: u32) -> Position<'_> {
        let Some(id) = self.file_at(offset) else {
            return Position { file: "", line: 1, column: 1 };
        };
        let file = &self.files[id.0 as usize];
        let offset = offset.min(file.end);
        let in_force = self.mark_before(file, offset);
        let name = in_force.and_then(|mark| mark.name.as_deref()).unwrap_or_else(|| self.name(id));
        let (counted_from, line) =
            in_force.map_or((file.start, 1), |mark| (mark.offset, mark.line));
        let newlines = self.count_lines(counted_from, offset);
        Position {
            file: name,
            line: line.saturating_add(newlines),
            column: offset - self.first_column(id, offset) + 1,
        }
    }

    /// Returns the offset of column 1 on the line of `offset`: a byte order mark has no column.
    pub(crate) fn first_column(&self, file: FileId, offset: u32) -> u32 {
        let start = self.line_start(file, offset);
        let mark = BYTE_ORDER_MARK.len() as u32;
        let has_mark = start == self.range(file).start
            && offset >= start + mark
            && self.slice(Span::new(start, start + mark)) == BYTE_ORDER_MARK;
        if has_mark { start + mark } else { start }
    }

    /// Returns the line of `offset` within its file as it lies on disk, counted from 1.
    pub fn physical_line(&self, offset: u32) -> u32 {
        let start = self.file_at(offset).map_or(0, |id| self.range(id).start);
        1 + self.count_lines(start, offset)
    }

    /// Returns the offset at which the line of `offset` begins.
    pub fn line_start(&self, file: FileId, offset: u32) -> u32 {
        let start = self.range(file).start;
        let offset = offset.max(start);
        if offset <= self.indexed {
            let before = self.newlines_before(offset);
            return before.checked_sub(1).map_or(start, |last| start.max(self.newlines[last] + 1));
        }
        let before = &self.text[start as usize..offset as usize];
        start + memrchr(b'\n', before).map_or(0, |at| at as u32 + 1)
    }

    /// Returns the offset at which the line of `offset` ends, its newline not included.
    pub fn line_end(&self, file: FileId, offset: u32) -> u32 {
        let end = self.range(file).end;
        let after = self.slice(Span::new(offset, end));
        memchr(b'\n', after).map_or(end, |at| offset + at as u32)
    }

    /// Returns the number of newlines in `from..to`.
    pub(crate) fn count_lines(&self, from: u32, to: u32) -> u32 {
        if from <= to && to <= self.indexed {
            return (self.newlines_before(to) - self.newlines_before(from)) as u32;
        }
        let range = self.text.get(from as usize..to as usize).unwrap_or_default();
        memchr_iter(b'\n', range).count() as u32
    }

    fn newlines_before(&self, offset: u32) -> usize {
        self.newlines.partition_point(|&newline| newline < offset)
    }

    fn mark_before(&self, file: &File, offset: u32) -> Option<&LineMark> {
        let after = self.marks.partition_point(|mark| mark.offset <= offset);
        let mark = self.marks.get(after.checked_sub(1)?)?;
        (mark.offset >= file.start).then_some(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_files_and_lines() {
        let mut map = SourceMap::default();
        let main = map.add("main.cl", b"one\ntwo\n#line 7 \"x\"\nthree\n", None).expect("small");
        let other = map.add("other.h", b"four\n\nfive", Some(4)).expect("small");
        map.mark_line(20, 7, Some("x"));
        let place = |offset| {
            let place = map.position(offset);
            format!("{}:{}:{}", place.file, place.line, place.column)
        };
        assert_eq!(place(0), "main.cl:1:1");
        assert_eq!(place(5), "main.cl:2:2");
        assert_eq!(place(21), "x:7:2");
        let start = map.range(other).start;
        assert_eq!(place(start + 6), "other.h:3:1");
        assert_eq!(map.file_at(start), Some(other));
        assert_eq!(map.file_at(start - 1), Some(main));
        assert_eq!(map.included_at(other), Some(4));
        assert_eq!(map.physical_line(21), 4);

        let mut indexed = map.clone();
        indexed.index_lines();
        for offset in 0..=map.bytes().len() as u32 {
            assert_eq!(map.position(offset), indexed.position(offset), "{offset}");
            assert_eq!(map.physical_line(offset), indexed.physical_line(offset), "{offset}");
        }
    }

    #[test]
    fn a_mark_of_one_file_does_not_reach_the_next() {
        let mut map = SourceMap::default();
        map.add("a", b"x\n", None).expect("small");
        map.mark_line(0, 100, Some("y"));
        let b = map.add("b", b"x\n", None).expect("small");
        assert_eq!(map.position(map.range(b).start).file, "b");
        assert_eq!(map.position(1).line, 100);
    }
}
