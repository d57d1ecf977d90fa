//! Runs as TAP, version 13: a line per case. Baseline entries are `TODO`, what was not judged is `SKIP`.

use std::io::{self, Write};

use super::{describe, skip_reason, troubles};
use results::{
    run::{Run, Status},
    text::one_line,
};

/// Writes the stream for these runs; `broken` are devices that could not be judged, each with the reason.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn write(out: &mut dyn Write, runs: &[Run], broken: &[(String, String)]) -> io::Result<()> {
    let tests = |run: &Run| run.cases.len() + troubles(run).len();
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
                if several { format!("{}: {}", run.name(), case.id) } else { case.id.clone() };
            let why = skip_reason(run, index, &case).unwrap_or_default();
            match run.status(index, case.finding.kind) {
                Status::Pass => add(true, &name, "", "")?,
                Status::Unsupported | Status::Disputed => {
                    add(true, &name, &format!(" # SKIP {}", description(&why)), "")?;
                }
                Status::ExpectedFailure => {
                    add(false, &name, &format!(" # TODO {}", description(&why)), "")?;
                }
                Status::Fail => add(false, &name, "", &describe(&run.header, &case))?,
            }
        }
        for (title, what) in troubles(run) {
            add(false, &format!("{}: {title}", run.name()), "", &what)?;
        }
    }
    for (device, why) in broken {
        add(false, &format!("{device}: cannot be judged"), "", &one_line(why, 400))?;
    }
    Ok(())
}

/// Escapes a text for a test line, in which `#` begins a directive.
fn description(text: &str) -> String {
    one_line(text, 400).replace('\\', "\\\\").replace('#', "\\#")
}
