// F-14: after a `:=` expression changed, `up` started silently, and lists lost the items that were derived the old way.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn jobs(expression: &str, key: &str) -> String {
    format!(
        r#"design jobs
        {DEFAULTS}
        table Jobs "jobs" {{ key (PK | SK)  index ByShard (shardKey | SK) }}
        entity Job in Jobs {{
          PK = "J#{{id}}"  SK = "J"
          shardKey = "{key}#{{shard}}"
          id      slug
          shard   int(0..9) := {expression}
          doneAt? time(ms)
        }}
        system operation add = create Job
        system operation finish(id) {{ update Job(id) {{ doneAt: now }} }}
        system pattern job = get Job by id
        system pattern inShard = list Job by shard page 100"#
    )
}

fn found(database: &Database, text: &str, shards: i64) -> usize {
    let app = database.up(text);
    let of = |shard: i64| app.call("inShard", json!({ "shard": shard })).as_array().map_or(0, Vec::len);
    (0..shards).map(of).sum()
}

#[test]
fn what_is_derived_is_derived_again() {
    let database = Database::new();
    let (four, two) = (jobs("hash(id) % 4", "S"), jobs("hash(id) % 2", "S"));
    let app = database.up(&four);
    for at in 0..50 {
        app.call("add", json!({ "id": format!("j{at}") }));
    }
    assert_eq!(found(&database, &four, 4), 50);
    assert_eq!(found(&database, &two, 2), 50);
    // The text of the key is another one, too.
    assert_eq!(found(&database, &jobs("hash(id) % 3", "SHARD"), 3), 50);
    assert_eq!(found(&database, &four, 4), 50);
}

#[test]
fn the_time_of_an_item_stays_when_it_is_rewritten() {
    let database = Database::new();
    let (four, two) = (jobs("hash(id) % 4", "S"), jobs("hash(id) % 2", "S"));
    let touched = |text: &str| text.replace("doneAt? time(ms)", "doneAt? time(ms)  seenAt time(ms) := now");
    let app = database.up(&touched(&four));
    app.call("add", json!({ "id": "j" }));
    database.advance_ms(60_000);
    let app = database.up(&touched(&two));
    assert_eq!(app.call("job", json!({ "id": "j" }))["seenAt"], 1_767_225_600_000_i64);
}
