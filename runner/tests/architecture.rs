//! The crates depend on each other in one chain; the checker stands beside it.

use std::{collections::BTreeMap, path::Path};

/// Workspace crates that a crate may name, itself left out.
const ALLOWED: [(&str, &[&str]); 5] = [
    ("checker", &[]),
    ("expectations", &[]),
    ("generator", &["expectations"]),
    ("reports", &["expectations", "generator"]),
    ("runner", &["checker", "expectations", "generator", "reports"]),
];

#[test]
fn crates_depend_in_one_chain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (name, allowed) in ALLOWED {
        let manifest = std::fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        let manifest: BTreeMap<String, toml_edit::Item> = manifest
            .parse::<toml_edit::DocumentMut>()
            .unwrap()
            .iter()
            .map(|(k, v)| (k.to_owned(), v.clone()))
            .collect();
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(section).and_then(|item| item.as_table()) else {
                continue;
            };
            for (dependency, _) in dependencies {
                let ours = ALLOWED.iter().any(|(crate_name, _)| *crate_name == dependency);
                assert!(
                    !ours || allowed.contains(&dependency),
                    "{name} must not depend on {dependency}"
                );
            }
        }
    }
}
