//! Runs as TAP, version 13: a line per case. Baseline entries are `TODO`, what was not judged is `SKIP`.

use std::io::{self, Write};

use super::{JudgedRun, set_aside, story};
use crate::{text::one_line, verdicts::Verdict};

/// Write the stream for these runs; `broken` are devices that could not be judged, each with why.
///
/// # Errors
///
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    runs: &[JudgedRun<'_>],
    broken: &[(String, String)],
) -> io::Result<()> {
    let tests = |run: &JudgedRun<'_>| run.cases.len() + run.troubles().len();
    let count = runs.iter().map(tests).sum::<usize>() + broken.len();
    write!(out, "TAP version 13\n1..{count}\n")?;
    let mut number = 0_usize;
    let mut add = |ok: bool, name: &str, directive: &str, diagnostic: &str| -> io::Result<()> {
        number += 1;
        let word = if ok { "ok" } else { "not ok" };
        writeln!(out, "{word} {number} - {}{directive}", description(name))?;
        // A JSON string is a YAML string: one line, whatever is in it.
        if !diagnostic.is_empty() {
            let quoted = serde_json::Value::from(diagnostic);
            writeln!(out, "  ---\n  message: {quoted}\n  ...")?;
        }
        Ok(())
    };
    for run in runs {
        let several = runs.len() + broken.len() > 1;
        for (index, case) in run.cases.iter().enumerate() {
            let name =
                if several { format!("{}: {}", run.device, case.id) } else { case.id.clone() };
            let why = set_aside(run, index, &case).unwrap_or_default();
            match run.verdict(index, case.finding.kind) {
                Verdict::Pass => add(true, &name, "", "")?,
                Verdict::Unsupported | Verdict::Disputed => {
                    add(true, &name, &format!(" # SKIP {}", description(&why)), "")?;
                }
                Verdict::ExpectedFailure => {
                    add(false, &name, &format!(" # TODO {}", description(&why)), "")?;
                }
                Verdict::Fail => add(false, &name, "", &story(run.device, &case))?,
            }
        }
        for (title, what) in run.troubles() {
            add(false, &format!("{}: {title}", run.device), "", &what)?;
        }
    }
    for (device, why) in broken {
        add(false, &format!("{device}: cannot be judged"), "", &one_line(why, 400))?;
    }
    Ok(())
}

/// `#` begins a directive, so it is escaped, as is the escape.
fn description(text: &str) -> String {
    one_line(text, 400).replace('\\', "\\\\").replace('#', "\\#")
}
