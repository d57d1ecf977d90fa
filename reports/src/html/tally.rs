//! Counts of one rule on one device in one dialect, and their state at a glance.

use results::run::Status;
use serde::Serialize;

/// The state of a cell of a matrix, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Unexpected,
    Known,
    Pass,
    Disputed,
    Unsupported,
    Nothing,
}

impl State {
    /// Returns the state of a case.
    pub(super) const fn of(status: Status) -> Self {
        match status {
            Status::Pass => Self::Pass,
            Status::ExpectedFailure => Self::Known,
            Status::Fail => Self::Unexpected,
            Status::Disputed => Self::Disputed,
            Status::Unsupported => Self::Unsupported,
        }
    }

    /// Returns the name of the colour in the style sheet, which is the letter in the page's data.
    pub(super) const fn class(self) -> char {
        match self {
            Self::Unexpected => 'x',
            Self::Known => 'k',
            Self::Pass => 'p',
            Self::Disputed => 'd',
            Self::Unsupported => 'u',
            Self::Nothing => 'n',
        }
    }

    pub(super) const fn sign(self) -> char {
        match self {
            Self::Unexpected => '✗',
            Self::Known => '!',
            Self::Pass => '✓',
            Self::Disputed => '?',
            Self::Unsupported => '–',
            Self::Nothing => '·',
        }
    }

    /// Returns a word for screen readers.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Unexpected => "unexpected",
            Self::Known => "expected failure",
            Self::Pass => "as required",
            Self::Disputed => "disputed text",
            Self::Unsupported => "not supported",
            Self::Nothing => "no case",
        }
    }
}

/// Counts of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) unexpected: usize,
    pub(super) known: usize,
    pub(super) pass: usize,
    pub(super) disputed: usize,
    pub(super) unsupported: usize,
}

impl Tally {
    /// Counts a case.
    pub(super) fn count(&mut self, state: State) {
        *match state {
            State::Unexpected => &mut self.unexpected,
            State::Known => &mut self.known,
            State::Pass => &mut self.pass,
            State::Disputed => &mut self.disputed,
            State::Unsupported | State::Nothing => &mut self.unsupported,
        } += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.unexpected += other.unexpected;
        self.known += other.known;
        self.pass += other.pass;
        self.disputed += other.disputed;
        self.unsupported += other.unsupported;
    }

    pub(super) const fn state(&self) -> State {
        if self.unexpected > 0 {
            State::Unexpected
        } else if self.known > 0 {
            State::Known
        } else if self.pass > 0 {
            State::Pass
        } else if self.disputed > 0 {
            State::Disputed
        } else if self.unsupported > 0 {
            State::Unsupported
        } else {
            State::Nothing
        }
    }

    /// Returns the number of cases in [`Self::state`].
    pub(super) const fn number(&self) -> usize {
        match self.state() {
            State::Unexpected => self.unexpected,
            State::Known => self.known,
            State::Pass => self.pass,
            State::Disputed => self.disputed,
            State::Unsupported | State::Nothing => self.unsupported,
        }
    }

    /// Returns the number of cases that were run.
    pub(super) const fn run(&self) -> usize {
        self.unexpected + self.known + self.pass + self.disputed
    }
}

/// A cell for a template.
#[derive(Serialize)]
pub(super) struct Cell {
    class: char,
    sign: char,
    word: &'static str,
    /// Number of cases in the state; empty if there are no cases.
    number: String,
    /// Number of cases that were run.
    run: usize,
    /// Colour and count of each band of adjacent dialects with equal states.
    strip: Vec<Band>,
    /// State and number by dialect, for the page's filter.
    data: String,
    /// Path of the page on the counted deviations.
    path: Option<String>,
}

#[derive(Serialize)]
struct Band {
    class: char,
    width: usize,
}

impl Cell {
    /// Returns a cell that sums up all dialects.
    pub(super) fn over(dialects: &[Tally]) -> Self {
        let mut all = Tally::default();
        let mut strip: Vec<Band> = Vec::new();
        let mut data = String::new();
        for tally in dialects {
            all.add(tally);
            let class = tally.state().class();
            match strip.last_mut() {
                Some(band) if band.class == class => band.width += 1,
                _ => strip.push(Band { class, width: 1 }),
            }
            if !data.is_empty() {
                data.push(',');
            }
            data.push(class);
            if tally.number() > 0 {
                data.push_str(&tally.number().to_string());
            }
        }
        Self { strip, data, ..Self::of(&all) }
    }

    /// Returns a cell without parts.
    pub(super) fn of(tally: &Tally) -> Self {
        let state = tally.state();
        let number = match state {
            State::Unsupported | State::Nothing => String::new(),
            _ => grouped(tally.number()),
        };
        Self {
            class: state.class(),
            sign: state.sign(),
            word: state.word(),
            number,
            run: tally.run(),
            strip: Vec::new(),
            data: String::new(),
            path: None,
        }
    }

    /// Returns the cell with a link to its deviations.
    pub(super) fn leading_to(self, path: Option<String>) -> Self {
        Self { path, ..self }
    }
}

/// Returns a number with separators: `12,345`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_decides() {
        let mut tally = Tally::default();
        assert_eq!(tally.state(), State::Nothing);
        for state in
            [State::Unsupported, State::Disputed, State::Pass, State::Known, State::Unexpected]
        {
            tally.count(state);
            assert_eq!((tally.state(), tally.number()), (state, 1));
        }
        assert_eq!(tally.run(), 4);
    }

    #[test]
    fn equal_dialects_are_one_band() {
        let pass = Tally { pass: 3, ..Tally::default() };
        let cell = Cell::over(&[Tally::default(), pass, pass]);
        let strip: Vec<_> = cell.strip.iter().map(|band| (band.class, band.width)).collect();
        assert_eq!(strip, [('n', 1), ('p', 2)]);
        assert_eq!((cell.number.as_str(), cell.data.as_str()), ("6", "n,p3,p3"));
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
