//! `call @ dialects => outcome`, from `calls.txt`.

use super::{judge, words};

#[test]
fn every_call_is_judged_as_written() {
    let mut wrong = Vec::new();
    for line in include_str!("calls.txt").lines() {
        let Some((left, expected)) = line.split_once("=>") else { continue };
        let (call, dialects) = left.split_once('@').expect(line);
        for dialect in dialects.split_ascii_whitespace() {
            let got = words(judge(&format!("{call}@{dialect}")));
            if got != expected.trim() {
                wrong.push(format!("{} @ {dialect} => {got}", call.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "judged otherwise:\n{}", wrong.join("\n"));
}
