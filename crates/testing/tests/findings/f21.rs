// F-21: ULIDs of one millisecond were in random order, and with them everything that is listed by its id.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

#[test]
fn ids_of_one_millisecond_are_in_the_order_of_their_making() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f21
        {DEFAULTS}
        table Ns "nss" {{ key (box | id) }}
        entity N in Ns {{ box slug  id ulid = new  n int }}
        pattern ns = list N by box oldest first page 100
        operation mk = create N"#
    ));
    for n in 0..60 {
        if n == 30 {
            database.advance_ms(1);
        }
        app.call("mk", json!({ "box": "a", "n": n }));
    }
    let listed = app.call("ns", json!({ "box": "a" }));
    let order: Vec<i64> = listed.as_array().unwrap().iter().map(|each| each["n"].as_i64().unwrap()).collect();
    assert_eq!(order, (0..60).collect::<Vec<i64>>());
}
