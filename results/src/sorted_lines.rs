//! Any number of lines in the order of their keys, in bounded memory: sorted parts on disk, merged.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek as _, Write},
    path::{Path, PathBuf},
};

/// Number of parts from which on they are merged into one, far below the number of files a process may open.
const FAN_IN: usize = 128;

/// A key with its line.
pub(crate) type KeyedLine = (String, Vec<u8>);

/// A sorter that takes lines in any order.
pub(crate) struct Sorter {
    folder: PathBuf,
    /// Bytes held in memory before a part is written.
    budget: usize,
    held: Vec<KeyedLine>,
    held_bytes: usize,
    parts: Vec<File>,
}

impl Sorter {
    /// Returns a sorter with its parts in a folder, without names: they vanish with the process.
    pub(crate) fn new(folder: &Path, budget: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            budget,
            held: Vec::new(),
            held_bytes: 0,
            parts: Vec::new(),
        }
    }

    /// Takes a line.
    pub(crate) fn push(&mut self, key: String, line: Vec<u8>) -> io::Result<()> {
        self.held_bytes += key.len() + line.len() + size_of::<KeyedLine>();
        self.held.push((key, line));
        if self.held_bytes >= self.budget {
            let mut held = std::mem::take(&mut self.held);
            self.held_bytes = 0;
            held.sort_unstable();
            self.write_part(held.into_iter().map(Ok))?;
        }
        if self.parts.len() >= FAN_IN {
            let parts = std::mem::take(&mut self.parts);
            self.write_part(MergedLines::new(parts, Vec::new())?)?;
        }
        Ok(())
    }

    /// Returns every line, in order.
    pub(crate) fn finish(mut self) -> io::Result<impl Iterator<Item = io::Result<KeyedLine>>> {
        self.held.sort_unstable();
        MergedLines::new(self.parts, self.held)
    }

    fn write_part(&mut self, lines: impl Iterator<Item = io::Result<KeyedLine>>) -> io::Result<()> {
        let mut part = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        for line in lines {
            let (key, line) = line?;
            for text in [key.as_bytes(), &line] {
                part.write_all(&(text.len() as u64).to_le_bytes())?;
                part.write_all(text)?;
            }
        }
        let mut file = part.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.parts.push(file);
        Ok(())
    }
}

/// Several sorted sources, merged.
struct MergedLines {
    parts: Vec<BufReader<File>>,
    held: std::vec::IntoIter<KeyedLine>,
    /// First line of every source that is not at its end.
    heads: BinaryHeap<Reverse<(KeyedLine, usize)>>,
}

impl MergedLines {
    fn new(parts: Vec<File>, held: Vec<KeyedLine>) -> io::Result<Self> {
        let mut merged = Self {
            parts: parts.into_iter().map(BufReader::new).collect(),
            held: held.into_iter(),
            heads: BinaryHeap::new(),
        };
        for source in 0..=merged.parts.len() {
            merged.refill(source)?;
        }
        Ok(merged)
    }

    /// Puts the next line of a source among the heads; the last source is the one in memory.
    fn refill(&mut self, source: usize) -> io::Result<()> {
        let next = match self.parts.get_mut(source) {
            Some(part) => read_line(part)?,
            None => self.held.next(),
        };
        self.heads.extend(next.map(|line| Reverse((line, source))));
        Ok(())
    }
}

impl Iterator for MergedLines {
    type Item = io::Result<KeyedLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((line, source)) = self.heads.pop()?;
        Some(self.refill(source).map(|()| line))
    }
}

fn read_line(part: &mut impl Read) -> io::Result<Option<KeyedLine>> {
    let Some(key) = read_text(part)? else { return Ok(None) };
    let line = read_text(part)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let key = String::from_utf8(key).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Some((key, line)))
}

fn read_text(part: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match part.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut text = Vec::new();
    let wanted = u64::from_le_bytes(length);
    if part.take(wanted).read_to_end(&mut text)? as u64 != wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn lines_come_out_sorted_whatever_the_budget(
            lines in prop::collection::vec((".{0,8}", prop::collection::vec(any::<u8>(), 0..40)), 0..400),
            budget in 1_usize..20_000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(folder.path(), budget);
            for (key, line) in lines.clone() {
                sorter.push(key, line).unwrap();
            }
            let sorted: Vec<KeyedLine> = sorter.finish().unwrap().map(Result::unwrap).collect();
            let mut expected = lines;
            expected.sort();
            prop_assert_eq!(sorted, expected);
        }
    }
}
