//! Our output, read by independent programs. Where such a program is not installed its tests are
//! ignored, with the command that installs it.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

mod blame;
mod book;
mod cts;
mod documents;
mod packs;
mod printed;
mod support;

use libtest_mimic::{Arguments, Completion, Trial};
use support::{Test, Tool};

fn main() {
    let arguments = Arguments::from_args();
    let trials = documents::TESTS
        .into_iter()
        .chain(packs::TESTS)
        .chain(blame::TESTS)
        .chain(cts::TESTS)
        .chain(printed::TESTS)
        .map(|Test { name, needs, run }| {
            Trial::ignorable_test(name, move || {
                match needs.iter().find(|tool: &&Tool| !tool.is_here()) {
                    Some(tool) => Ok(Completion::ignored_with(tool.how_to_get())),
                    None => run().map(|()| Completion::Completed),
                }
            })
        });
    // Pages whose commands take longest come first, so that no processor waits for them at the end.
    let trials = book::trials().into_iter().chain(trials).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
