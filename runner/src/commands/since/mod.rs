//! `address-spaces since`: the versions of a driver or compiler that get a program wrong.

mod asked;
mod search;

use std::fmt::Write as _;

use expectations::device::{DeviceFile, family};

use self::asked::Subject;
use super::CommandError;
use crate::{
    cli::SinceArgs,
    device::{files, install, lineage},
    exit, interrupts,
    output::{note, print},
    overlay,
    run::{alone::Answer, devices::is_absent, error::RunError},
};

/// Prints the answer of each tested version and the versions between which it changes. Returns the exit status:
/// that of the newest version that answered.
///
/// # Errors
///
/// The program or the device cannot be used, or no version answers.
pub fn command(args: &SinceArgs) -> Result<u8, CommandError> {
    let SinceArgs { program, device, install, dialect } = args;
    let device = files::load(family(device))?;
    let suite = overlay::suite()?;
    let dialect = dialect.unwrap_or_default().0;
    let subject = Subject::named(&suite, program, &device, dialect)?;
    let versions = lineage::versions(&device)?;
    let mut answers: Vec<Option<Answer>> = vec![None; versions.len()];
    search::search(versions.len(), |place| {
        let answer = answer(&subject, &versions[place], *install)?;
        let is_right = match answer {
            Answer::Right => Some(true),
            Answer::Wrong(_) => Some(false),
            Answer::Unknown(_) => None,
        };
        answers[place] = Some(answer);
        Ok::<_, CommandError>(is_right)
    })?;
    let asked: Vec<(&DeviceFile, &Answer)> = versions
        .iter()
        .zip(&answers)
        .filter_map(|(version, answer)| Some((version, answer.as_ref()?)))
        .collect();
    let (text, status) = text(subject.name(), &device.name, versions.len(), &asked);
    print(&text);
    Ok(status)
}

/// Returns the answer of one version, which is installed first where that is wanted.
fn answer(
    subject: &Subject<'_>,
    version: &DeviceFile,
    install: bool,
) -> Result<Answer, CommandError> {
    note(&format!("testing {}", version.name));
    if install && install::brings(version) {
        install::install(version, &mut |command| note(command))?;
    }
    let answer = match subject.answer_of(version) {
        Err(CommandError::Run(error)) if is_absent(&error) => {
            Ok(Answer::Unknown(format!("not here: {}", install::remedy(version))))
        }
        // A release that does not open its device here is no end of the search.
        Err(CommandError::Run(RunError::Engine(error)) | CommandError::Engine(error)) => {
            Ok(Answer::Unknown(results::text::one_line(&error.to_string(), 200)))
        }
        answer => answer,
    };
    if interrupts::cancel().is_cancelled() {
        return Err(CommandError::Usage("interrupted".to_owned()));
    }
    answer
}

fn text(
    program: &str,
    device: &str,
    versions: usize,
    asked: &[(&DeviceFile, &Answer)],
) -> (String, u8) {
    let mut out = format!(
        "program  {program}\ndevice   {device}: {} of {} tested\n\n",
        asked.len(),
        results::text::plural(versions, "version"),
    );
    let width = asked.iter().map(|(version, _)| version.name.len()).max().unwrap_or(0);
    for (version, answer) in asked {
        let words = match answer {
            Answer::Right => "right".to_owned(),
            Answer::Wrong(words) => format!("WRONG: {words}"),
            Answer::Unknown(words) => format!("no answer: {words}"),
        };
        let _ = writeln!(out, "  {:width$}  {words}", version.name);
    }
    let known: Vec<(&str, bool)> = asked
        .iter()
        .filter_map(|(version, answer)| match answer {
            Answer::Right => Some((version.name.as_str(), true)),
            Answer::Wrong(_) => Some((version.name.as_str(), false)),
            Answer::Unknown(_) => None,
        })
        .collect();
    out.push('\n');
    let status = match known.last() {
        None => {
            let _ = writeln!(
                out,
                "no version could be tested: add `--install`, or install one by hand"
            );
            return (out, exit::COULD_NOT_RUN);
        }
        Some((_, true)) => exit::EXPECTED,
        Some((_, false)) => exit::UNEXPECTED,
    };
    if known.iter().all(|(_, right)| *right) {
        out.push_str("right in every version that was tested\n");
        return (out, status);
    }
    let mut before: Option<(&str, bool)> = None;
    for &(name, right) in &known {
        let _ = match (before, right) {
            (None, false) => writeln!(out, "first bad   {name}, the oldest that was tested"),
            (Some((good, true)), false) => writeln!(out, "first bad   {name} ({good} is right)"),
            (Some((bad, false)), true) => {
                writeln!(out, "last bad    {bad}\nfirst good  {name}")
            }
            _ => Ok(()),
        };
        before = Some((name, right));
    }
    if let Some((newest, false)) = before {
        let _ = writeln!(out, "last bad    {newest}, the newest that was tested");
    }
    (out, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the last lines and the exit status for answers of clang's versions, the oldest first: `r`ight, `w`rong,
    /// `?` unknown.
    fn check(answers: &str, expected: &str, status: u8) {
        let device = files::load("clang-19").unwrap();
        let versions = lineage::versions(&device).unwrap();
        let answers: Vec<Answer> = answers
            .chars()
            .map(|answer| match answer {
                'r' => Answer::Right,
                'w' => Answer::Wrong("accepted".to_owned()),
                _ => Answer::Unknown("not here".to_owned()),
            })
            .collect();
        let asked: Vec<_> = versions.iter().zip(&answers).collect();
        let (text, seen) = text("x.cl", "clang", versions.len(), &asked);
        let last = text.rsplit_once("\n\n").unwrap().1;
        assert_eq!((last, seen), (expected, status), "{text}");
    }

    #[test]
    fn the_last_lines_tell_where_the_answer_changes() {
        check("rrr", "right in every version that was tested\n", exit::EXPECTED);
        check(
            "rw?w",
            "first bad   clang-14 (clang-13 is right)\nlast bad    clang-16, the newest that was \
             tested\n",
            exit::UNEXPECTED,
        );
        check(
            "wwr",
            "first bad   clang-13, the oldest that was tested\nlast bad    clang-14\nfirst good  \
             clang-15\n",
            exit::EXPECTED,
        );
        check(
            "??",
            "no version could be tested: add `--install`, or install one by hand\n",
            exit::COULD_NOT_RUN,
        );
    }
}
