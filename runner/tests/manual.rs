//! The generated pages of the manual are as they would be written now.

use std::path::Path;

use generator::suite::Suite;
use runner::commands::docs::differing;

#[test]
fn generated_pages_are_up_to_date() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs");
    let differing = differing(&Suite::embedded().unwrap(), &docs).unwrap();
    assert!(
        differing.is_empty(),
        "{} pages differ, {} first: run `.ci/bless` and read the difference",
        differing.len(),
        differing[0]
    );
}
