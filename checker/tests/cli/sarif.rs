//! The SARIF log has the structure that SARIF 2.1.0 asks for.

use serde_json::Value;

use super::{file, run};

/// The properties that SARIF 2.1.0 allows where this program writes, `!` marks those it requires.
const SARIF_OBJECTS: &[(&str, &[&str])] = &[
    ("log", &["$schema", "!version", "!runs"]),
    ("run", &["!tool", "columnKind", "artifacts", "invocations", "results", "properties"]),
    ("tool", &["!driver"]),
    ("driver", &["!name", "version", "shortDescription", "rules"]),
    ("rule", &["!id", "shortDescription", "help", "helpUri", "defaultConfiguration"]),
    ("message", &["!text"]),
    ("configuration", &["level"]),
    ("artifact", &["location"]),
    ("artifactLocation", &["uri"]),
    ("invocation", &["!executionSuccessful", "toolExecutionNotifications"]),
    ("notification", &["!message", "level", "locations"]),
    (
        "result",
        &[
            "!message",
            "ruleId",
            "ruleIndex",
            "level",
            "locations",
            "relatedLocations",
            "fixes",
            "suppressions",
            "properties",
        ],
    ),
    ("location", &["id", "message", "physicalLocation"]),
    ("physicalLocation", &["artifactLocation", "region"]),
    ("region", &["startLine", "startColumn", "endLine", "endColumn"]),
];

/// Checks that `value` is an object of that kind and returns it.
#[track_caller]
fn sarif<'v>(kind: &str, value: &'v Value) -> &'v serde_json::Map<String, Value> {
    let object = value.as_object().unwrap_or_else(|| panic!("{kind}: {value}"));
    let (_, properties) =
        SARIF_OBJECTS.iter().find(|(name, _)| *name == kind).expect("in the table");
    for name in object.keys() {
        let known = properties.iter().any(|property| property.trim_start_matches('!') == name);
        assert!(known, "{kind} has `{name}`");
    }
    for required in properties.iter().filter_map(|property| property.strip_prefix('!')) {
        assert!(object.contains_key(required), "{kind} lacks `{required}`");
    }
    object
}

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn sarif_location(value: &Value) {
    let location = sarif("location", value);
    if let Some(message) = location.get("message") {
        sarif("message", message);
    }
    let physical = sarif("physicalLocation", &location["physicalLocation"]);
    let uri = sarif("artifactLocation", &physical["artifactLocation"])["uri"].as_str();
    assert!(uri.is_some_and(|uri| uri.is_ascii() && !uri.contains([' ', '\\', '"'])), "{uri:?}");
    let region = sarif("region", &physical["region"]);
    let number = |name: &str| region[name].as_u64().expect("a number");
    assert!(number("startLine") >= 1 && number("startColumn") >= 1, "{region:?}");
    assert!(
        (number("startLine"), number("startColumn")) <= (number("endLine"), number("endColumn"))
    );
}

#[test]
fn sarif_log() {
    let broken = file(
        "sarif/with space.cl",
        "constant int c = 1;\nkernel void k(void) { c = 2; }\nlocal int x;",
    );
    let unclear = file("sarif/unclear.cl", "#error stop");
    let outcome = run(
        &[
            "--format",
            "sarif",
            broken.to_str().expect("UTF-8"),
            unclear.to_str().expect("UTF-8"),
            "-",
        ],
        "void f(generic int *p) {}",
    );
    assert_eq!(outcome.status, 2);
    let log: Value = serde_json::from_str(&outcome.output).expect("JSON");
    let log = sarif("log", &log);
    assert_eq!(log["version"], "2.1.0");
    let run = sarif("run", &items(&log["runs"])[0]);
    let driver = sarif("driver", &sarif("tool", &run["tool"])["driver"]);
    sarif("message", &driver["shortDescription"]);
    let rules = items(&driver["rules"]);
    for rule in rules {
        let rule = sarif("rule", rule);
        sarif("message", &rule["shortDescription"]);
        sarif("message", &rule["help"]);
        assert_eq!(sarif("configuration", &rule["defaultConfiguration"])["level"], "error");
    }
    assert!(items(&run["artifacts"]).len() == 3);
    for artifact in items(&run["artifacts"]) {
        sarif("artifactLocation", &sarif("artifact", artifact)["location"]);
    }
    let invocation = sarif("invocation", &items(&run["invocations"])[0]);
    assert_eq!(invocation["executionSuccessful"], false);
    for notification in items(&invocation["toolExecutionNotifications"]) {
        let notification = sarif("notification", notification);
        sarif("message", &notification["message"]);
        items(&notification["locations"]).iter().for_each(sarif_location);
    }
    let results = items(&run["results"]);
    let ids: Vec<_> =
        results.iter().map(|result| result["ruleId"].as_str().expect("an id")).collect();
    assert_eq!(
        ids,
        ["constant/write", "declaration/program-scope-space", "qualifier/generic-spelled"]
    );
    for result in results {
        let result = sarif("result", result);
        sarif("message", &result["message"]);
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(matches!(result["level"].as_str(), Some("error" | "warning" | "note")));
        items(&result["locations"]).iter().for_each(sarif_location);
        if let Some(related) = result.get("relatedLocations") {
            items(related).iter().for_each(sarif_location);
        }
    }
}
