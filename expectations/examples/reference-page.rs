//! Compares a copy of a reference page with the trace table and prints what is missing in either.
//! Usage: reference-page ID FILE

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::process::ExitCode;

use expectations::{
    catalogue::{CATALOGUE, CATALOGUE_PATH, load_catalogue},
    clause::passages,
    reference_pages::{
        REFERENCE_PAGES, REFERENCE_PAGES_PATH, load_reference_pages, pages, untraced,
    },
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [page, path] = arguments.as_slice() else {
        eprintln!("usage: reference-page ID FILE");
        return ExitCode::from(2);
    };
    match check(page, path) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::from(2)
        }
    }
}

/// The number of differences, each printed.
fn check(page: &str, path: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let known: Vec<&str> = pages().map(|page| page.id).collect();
    if !known.contains(&page) {
        return Err(format!("`{page}` is not a reference page: {}", known.join(", ")).into());
    }
    let catalogue = load_catalogue(CATALOGUE_PATH, CATALOGUE)?;
    let lines = load_reference_pages(REFERENCE_PAGES_PATH, REFERENCE_PAGES, &catalogue)?;
    let passages = passages(&String::from_utf8_lossy(&std::fs::read(path)?));
    let untraced = untraced(&lines, page, &passages);
    for passage in &untraced.missing {
        println!("{path}:{}: not in the table: {} {}", passage.line, passage.hash, passage.text);
    }
    for hash in &untraced.stale {
        println!("{REFERENCE_PAGES_PATH}: not in the page: {hash}");
    }
    Ok(untraced.missing.len() + untraced.stale.len())
}
