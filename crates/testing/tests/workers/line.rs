//! Transactions of a design on the engine inside wait for each other.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::json;
use sortkey_core::Call;

use super::{Kind, call, runtime_of};

const SHARED: &str = r#"
design shared
table T "shared" { key (PK | SK) }
entity Total in T { PK = "TOTAL"  SK = "{of}"  of string(..10)  n int(0..) = 0 @counter }
entity Part in T { PK = "PART#{id}"  SK = "PART"  id uuid = new }
pattern total = get Total by of strong
operation add() {
  transact {
    create Part
    upsert Total(of: "all") { n += 1 }
  }
}
"#;

/// They conflicted, and each was sent again after a pause, up to six times.
#[test]
fn transactions_that_meet_are_sent_once() {
    const COUNT: u64 = 200;
    let (runtime, _engine) = runtime_of(SHARED, Arc::new(Kind));
    let calls = (0..COUNT).map(|_| runtime.measured(Call { name: "add", ..Call::default() }));
    for (answer, consumed) in pollster::block_on(join_all(calls)) {
        answer.expect("a success");
        assert_eq!(consumed.requests, 1);
    }
    assert_eq!(call(&runtime, "total", json!({ "of": "all" }))["n"], COUNT);
}
