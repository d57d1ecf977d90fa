//! A run of a malicious device: every text it gives tries to become part of the page.

use std::path::Path;

use serde_json::{Value, json};

/// Texts that run a script, or end an element, where they are not escaped.
const TEXTS: [&str; 8] = [
    "<img src=x onerror=\"window.harmed=1\">",
    "</script><script>window.harmed=2</script>",
    "\"><svg onload=window.harmed=3>",
    "' onmouseover='window.harmed=4",
    "javascript:window.harmed=5",
    "]]><!--</style></title></textarea></noscript><script>window.harmed=6</script>",
    "[< 7 * 7 >] [% include \"x\" %] {{ 7 * 7 }}",
    "\u{202e}\u{0}\u{1b}[31m\u{2028}\u{fffe}../../../../x",
];

/// Write a folder with such a run.
pub(crate) fn write(folder: &Path, begun: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let all = TEXTS.join(" ");
    let mut lines = vec![json!({
        "record": "header", "format": 6, "program": all, "suite": all, "cases": 6 * TEXTS.len() + 1,
        "selection": { all.as_str(): all }, "device": format!("../{all}"), "front-end": all, "begun": begun,
        "identity": { "driver": format!("{begun}{all}"), "platform": all, all.as_str(): all },
        "unsupported": { "cl20": all, all.as_str(): all }, "environment": { all.as_str(): all },
    })];
    let word: String = begun.chars().filter(char::is_ascii_alphanumeric).collect();
    for (index, text) in TEXTS.iter().enumerate() {
        for (kind, reason) in
            [("fail", "accepts-invalid"), ("crash", "driver-died"), ("unsupported", "lacking")]
        {
            // No rule of the suite.
            lines.push(case(&format!("x/y/z/{index}{kind}"), text, kind, reason));
            // A rule and a dialect of the suite, with an invalid point.
            let id = format!("conversion/implicit/cl12/{word}{index}{kind}");
            lines.push(case(&id, text, kind, reason));
        }
    }
    let known = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    lines.push(case(known, &format!("{}{}", all, "\n".repeat(5000)), "fail", "accepts-invalid"));
    lines.push(json!({ "record": "unreproduced", "cases": ["x/y/z/0"], "what": all }));
    lines.push(json!({ "record": "interaction", "programs": [["x/y/z/0"], []], "what": all, "times": 1, "builds": 2 }));
    lines.push(json!({ "record": "end", "findings": { all.as_str(): 1 }, "seconds": 1e300 }));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    std::fs::write(folder.join("results.jsonl"), lines.join("\n") + "\n").unwrap();
}

fn case(id: &str, text: &str, kind: &str, reason: &str) -> Value {
    json!({
        "record": "case", "id": id, "dialect": "cl12", "expectation": "reject", "breaks": "x/y", "control": "x/y/z/0",
        "outcome": {
            "kind": "accepted", "phase": "build", "detail": text, "log": text, "rules": [text], "error-lines": [1],
            "error_lines": [1],
        },
        "finding": { "kind": kind, "reason": reason },
        "seconds": 1e300, "attempts": 2, "control-log": text, "remarks": [text],
    })
}
