// F-24: `scan X via INDEX` read the table; `limit` above the page was cut without a word.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{DEFAULTS, Database};

#[test]
fn a_scan_reads_the_index_that_it_names() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f24
        {DEFAULTS}
        table Ns "nss" {{ key (id)  index Open (openAt) project keys }}
        entity N in Ns {{
          id slug  note string(1..9) = "x"  isOpen bool
          openAt int = 1 when isOpen = true
        }}
        pattern all = scan N page 10
        pattern open = scan N via Open page 10
        operation mk = create N"#
    ));
    for (id, open) in [("a", true), ("b", false), ("c", true)] {
        app.call("mk", json!({ "id": id, "isOpen": open }));
    }
    let ids = |name: &str| {
        let found = app.call(name, json!({}));
        let mut ids: Vec<String> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|each| format!("{} {}", each["id"].as_str().unwrap(), each["note"].as_str().unwrap()))
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(ids("all"), ["a x", "b x", "c x"]);
    assert_eq!(ids("open"), ["a x", "c x"]);
    for (limit, expected) in [(10, None), (11, Some(FailureKind::Invalid))] {
        let failure = app.page("all", json!({}), limit).err();
        assert_eq!(failure.as_ref().map(|each| each.kind.clone()), expected);
        if let Some(failure) = failure {
            assert_eq!(failure.field.as_deref(), Some("limit"));
            assert!(failure.message.contains("at most 10"), "{failure}");
        }
    }
}
