//! The table of operations in docs/COMPATIBILITY.md is generated, and this test fails when it is stale.

use std::path::Path;

use sortkey::operations::OperationId;

const BEGIN: &str = "<!-- operations -->\n";
const END: &str = "<!-- /operations -->";

#[test]
fn the_page_lists_all_operations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/COMPATIBILITY.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let fresh = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert!(
        fresh == page || std::env::var_os("SORTKEY_UPDATE").is_some(),
        "stale; run with SORTKEY_UPDATE=1"
    );
}

fn table() -> String {
    let mut operations: Vec<OperationId> = OperationId::ALL.to_vec();
    operations.sort_by_key(|operation| operation.name());
    let supported = operations.iter().filter(|operation| operation.is_supported()).count();
    let mut table =
        format!("{supported} of {} operations.\n\n| operation | supported |\n|---|---|\n", operations.len());
    for operation in operations {
        let mark = if operation.is_supported() { "yes" } else { "no" };
        table += &format!("| {} | {mark} |\n", operation.name());
    }
    table
}
