//! Changes are followed in order, each once, across splits of the stream's shards and across processes.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sortkey_engine::Settings;
use sortkey_work::Work;

use super::{Kind, call, call_page, runtime_on};

const COUNTED: &str = r#"
design counted
table T "counted" { key (PK | SK)  stream new_and_old_images }
entity Thing in T { PK = "T#{id}"  SK = "T"  id string(..20)  n int(0..) = 0 @counter }
entity Seen in T { PK = "S#{id}"  SK = "{n:pad(3)}"  id string(..20)  n int(0..999)  times int(0..) = 0 @counter }
entity Born in T { PK = "B#{id}"  SK = "B"  id string(..20)  times int(0..) = 0 @counter }
pattern seen = list Seen by id strong
pattern born = get Born by id strong
operation make(id) { create Thing { id } }
operation grow(id) { update Thing(id) { n += 1 } }
worker see on create, update Thing as t { upsert Seen(id: t.id, n: t.n) { times += 1 } }
worker greet on create Thing as t { upsert Born(id: t.id) { times += 1 } }
"#;

/// How many changes each thing sees in each generation of shards.
const CHANGES: usize = 3;

#[test]
fn positions_survive_splits_of_shards_and_the_end_of_a_process() {
    let settings = Settings {
        expiry_interval: Some(Duration::from_millis(1)),
        shard_lifetime: Some(Duration::from_secs(60)),
        ..Settings::default()
    };
    let (runtime, engine) = runtime_on(COUNTED, Arc::new(Kind), settings);
    let things: Vec<String> = (0..12).map(|number| format!("thing {number}")).collect();
    for id in &things {
        call(&runtime, "make", json!({ "id": id }));
    }
    for generation in 0..4 {
        // The last changes before a split are left for the process after it.
        for id in things.iter().cycle().take(things.len() * CHANGES) {
            call(&runtime, "grow", json!({ "id": id }));
        }
        if generation != 1 {
            let work =
                Work::new(runtime.clone(), Arc::new(|_, _, failure| panic!("{failure}"))).expect("workers");
            pollster::block_on(work.settle()).expect("settled");
        }
        // The next process can hold the note, and the shards are split.
        engine.advance_clock(61_000);
        std::thread::sleep(Duration::from_millis(50));
    }
    for id in &things {
        let seen = call_page(&runtime, "seen", json!({ "id": id }));
        let counts: Vec<(u64, u64)> = seen
            .iter()
            .map(|each| (each["n"].as_u64().unwrap_or(0), each["times"].as_u64().unwrap_or(0)))
            .collect();
        let expected: Vec<(u64, u64)> = (0..=4 * CHANGES as u64).map(|n| (n, 1)).collect();
        assert_eq!(counts, expected, "{id}");
        assert_eq!(call(&runtime, "born", json!({ "id": id }))["times"], 1, "{id}");
    }
}
