//! A design that serves while the items of the version before are rewritten: its answers are those of a database in which it made
//! the same items from the beginning, whichever items have their new form already.

use crate::{Interim, begin};

use super::*;

/// Changes that rewrite items, with the new name of the note and what else is asked.
fn rewriting() -> Vec<Row<'static>> {
    let row = |changes| Row { changes, rewrites: true, note: "note", asked: Vec::new() };
    vec![
        row(&[("\"S#{status}\"", "\"STATUS#{status}#\"")]),
        row(&[
            ("when status != void", "when status = paid"),
            ("where status != void", "where status = paid"),
        ]),
        row(&[
            ("% 4", "% 3"),
            ("key (PK | SK)  index", "key (PK | SK)  index ByShard (shard | SK)  index"),
            (
                "system pattern others",
                "system pattern inShard = list Order by shard page 100\nsystem pattern others",
            ),
        ]),
        row(&[("  hits ", "  code string(1..90) := lower(email)\n  hits ")]),
        Row {
            changes: &[
                ("note?   string(1..80)", "remark? string(1..80) @was(note)"),
                (
                    "system pattern others",
                    "system pattern remarked = list Order by userId filter remark exists page 100\nsystem pattern others",
                ),
            ],
            rewrites: true,
            note: "remark",
            asked: Vec::new(),
        },
        row(&[("email   string(3..60)", "email   string(3..60) @normalize(trim, lower)")]),
        row(&[("note?   string(1..80)", "note?   string(1..80) @encrypted(\"k/{userId}\")")]),
        row(&[("key (PK | SK)", "key (PK | SK) kind type")]),
        row(&[
            ("index ByStatus (statusKey | SK)", "index ByStatus (statusKey | SK) project keys"),
            ("\"S#{status}\"", "\"T#{status}\""),
        ]),
    ]
}

/// The new version on its interim backend, and its deployment, which has not rewritten anything so far.
pub(super) struct Served {
    pub(super) bare: Runtime,
    pub(super) interim: Arc<Interim>,
    pub(super) runtime: Runtime,
}

impl Served {
    pub(super) fn of(database: &Engine, text: &str) -> Served {
        let interim = Arc::new(Interim::new(Arc::new(Embedded::new(database.clone()))));
        let runtime = runtime_on(database, interim.clone(), text);
        Served { bare: super::runtime(database, text), interim, runtime }
    }
}

pub(super) fn pause<'a>(_: Duration) -> Pending<'a, ()> {
    Box::pin(async { Ok(()) })
}

/// Everything that a pattern finds, a few items at a time.
pub(super) fn every(runtime: &Runtime, name: &str, arguments: &Json, limit: Option<u32>) -> Vec<Json> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let given = arguments.as_object().cloned().unwrap_or_default().try_into().expect("arguments");
        let call = Call { name, arguments: given, cursor: cursor.as_deref(), limit, ..Call::default() };
        let Answer::Page { items, cursor: next } = pollster::block_on(runtime.call(call)).expect("answered")
        else {
            panic!("{name} has pages");
        };
        all.extend(items);
        cursor = next;
        if cursor.is_none() {
            return all;
        }
    }
}

fn seen(runtime: &Runtime, row: &Row<'_>) -> Vec<Vec<Json>> {
    let statuses: &[&str] = if row.changes.iter().any(|(_, to)| to.contains("status = paid")) {
        &["paid"]
    } else {
        &["open", "paid"]
    };
    let mut seen = vec![vec![call(runtime, "others", json!({ "userId": "u0" }))]];
    for limit in [None, Some(2), Some(3)] {
        for user in ["u0", "u1", "u2"] {
            seen.push(every(runtime, "ofUser", &json!({ "userId": user }), limit));
        }
        for status in statuses {
            seen.push(every(runtime, "inStatus", &json!({ "status": status }), limit));
        }
        // DynamoDB would look for the new name, which items that are not rewritten lack.
        if row.changes.iter().any(|(_, to)| to.contains("remarked")) {
            for user in ["u0", "u1", "u2"] {
                seen.push(every(runtime, "remarked", &json!({ "userId": user }), limit));
            }
        }
        if row.changes.iter().any(|(_, to)| to.contains("inShard")) {
            for shard in 0..3 {
                seen.push(every(runtime, "inShard", &json!({ "shard": shard }), limit));
            }
        }
    }
    seen
}

#[test]
fn answers_are_those_of_the_new_version_before_between_and_after() {
    for row in rewriting() {
        // An index cannot change in place: the version before has it as well.
        let is_index = |change: &&(&str, &str)| {
            change.0.starts_with("index") || change.0.starts_with("key (PK | SK)  index")
        };
        let before: Vec<(&str, &str)> = row.changes.iter().filter(is_index).copied().collect();
        let (text, database, fresh) = (changed(row.changes), engine(), engine());
        fill(&up(&database, &changed(&before)).0, 12, "note");
        let (new, _) = up(&fresh, &text);
        fill(&new, 12, row.note);
        let served = Served::of(&database, &text);
        let begun =
            pollster::block_on(begin(&served.bare, Coverage::AsMarked, &pause, &mut |_| {})).expect("begun");
        assert!(begun.turning().is_some(), "{:?} does not serve", row.changes);
        served.interim.follow(begun.turning());
        assert!(!served.interim.is_steady(), "an item is refused while it is rewritten");
        let both = [&served.runtime, &new];
        let same =
            |when: &str| assert_eq!(seen(both[0], &row), seen(both[1], &row), "{:?}, {when}", row.changes);
        same("before");
        // A write brings its item to the new form, and new items have it from the beginning.
        for at in [0, 4, 7, 11] {
            let key = json!({ "userId": format!("u{}", at % 3), "orderId": format!("o{at}") });
            both.iter().for_each(|runtime| drop(call(runtime, "hit", key.clone())));
        }
        for at in [1, 3] {
            let to =
                json!({ "userId": format!("u{}", at % 3), "orderId": format!("o{at}"), "status": "paid" });
            both.iter().for_each(|runtime| drop(call(runtime, "set", to.clone())));
        }
        let order = json!({ "userId": "u1", "orderId": "new", "total": 1, "email": "New@x.org" });
        both.iter().for_each(|runtime| drop(call(runtime, "place", order.clone())));
        same("between");
        pollster::block_on(begun.finish(&pause, &mut |_| {})).expect("finished");
        same("rewritten");
        served.interim.follow(None);
        same("after");
        is_sound(&served.runtime);
    }
}

/// Before, the design answered nothing until every item was rewritten.
#[test]
fn readers_and_writers_meet_every_item_during_the_walk() {
    const ORDERS: usize = 600;
    let text = changed(SEVERAL);
    let database = engine();
    fill(&up(&database, SHOP).0, ORDERS, "note");
    let served = Served::of(&database, &text);
    let begun =
        pollster::block_on(begin(&served.bare, Coverage::AsMarked, &pause, &mut |_| {})).expect("begun");
    served.interim.follow(begun.turning());
    let (is_done, acknowledged, looks) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        for writer in 0..2 {
            let (runtime, is_done, acknowledged) = (&served.runtime, &is_done, &acknowledged);
            threads.spawn(move || {
                for at in (writer..).step_by(2) {
                    let order = at % ORDERS;
                    let key = json!({ "userId": format!("u{}", order % 3), "orderId": format!("o{order}") });
                    if try_call(runtime, "hit", &key).is_ok() {
                        acknowledged.fetch_add(1, Ordering::Relaxed);
                    }
                    if is_done.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        let (runtime, is_done, looks) = (&served.runtime, &is_done, &looks);
        threads.spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                let orders = every(runtime, "ofUser", &json!({ "userId": "u0" }), None);
                assert_eq!(orders.len(), ORDERS / 3);
                assert!(orders.iter().all(|order| order.get("note").is_none()), "an item in its old form");
                for limit in [None, Some(7)] {
                    let paid = every(runtime, "inStatus", &json!({ "status": "paid" }), limit);
                    let mut ids: Vec<&str> =
                        paid.iter().filter_map(|order| order["orderId"].as_str()).collect();
                    assert!(ids.is_sorted(), "{ids:?}");
                    ids.dedup();
                    assert_eq!(ids.len(), ORDERS / 3, "orders are missing or doubled");
                }
                looks.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Readers and writers come first.
        while looks.load(Ordering::Relaxed) < 1 {
            std::thread::yield_now();
        }
        pollster::block_on(begun.finish(&pause, &mut |_| {})).expect("finished");
        served.interim.follow(None);
        is_done.store(true, Ordering::Relaxed);
    });
    let hits: u64 = ["u0", "u1", "u2"]
        .iter()
        .flat_map(|user| every(&served.runtime, "ofUser", &json!({ "userId": user }), None))
        .filter_map(|order| order["hits"].as_u64())
        .sum();
    assert_eq!(hits, acknowledged.load(Ordering::Relaxed) as u64);
    is_sound(&served.runtime);
}

#[test]
fn what_could_be_taken_for_an_old_item_or_a_free_value_waits_for_the_end() {
    let unique = [("  hits ", "  unique email\n  hits "), ("% 4", "% 3")];
    let optional = [("  hits ", "  size? int\n  hits "), ("% 4", "% 3")];
    for (before, after) in [(Vec::new(), unique), (vec![("  hits ", "  size int = 3\n  hits ")], optional)] {
        let database = engine();
        fill(&up(&database, &changed(&before)).0, 3, "note");
        let served = Served::of(&database, &changed(&after));
        let begun =
            pollster::block_on(begin(&served.bare, Coverage::AsMarked, &pause, &mut |_| {})).expect("begun");
        assert!(begun.turning().is_none(), "{after:?}");
        pollster::block_on(begun.finish(&pause, &mut |_| {})).expect("finished");
        assert_eq!(call(&served.runtime, "ofUser", json!({ "userId": "u0" }))[0]["orderId"], "o0");
    }
}

/// A process of the version before may write until it notices that it is superseded.
#[test]
fn values_that_come_while_the_version_before_stops_are_looked_at_again() {
    let database = engine();
    let (old, _) = up(&database, SHOP);
    fill(&old, 3, "note");
    let narrow = runtime(&database, &changed(&[("int(0..1_000)", "int(0..10)")]));
    let late = |_: Duration| -> Pending<'_, ()> {
        call(&old, "place", json!({ "userId": "u9", "orderId": "late", "total": 900, "email": "a@x.org" }));
        Box::pin(async { Ok(()) })
    };
    let options = crate::Options { fence: Duration::from_secs(12), ..crate::Options::default() };
    let refusals = match pollster::block_on(prepare(&narrow, options, &late, &mut |_| {})) {
        Err(DeployError::Refused(refusals)) => refusals,
        other => panic!("{other:?}"),
    };
    assert!(refusals[0].title.contains("`Order.total`"), "{refusals:?}");
    // Nothing is left half done: the version before is let in again.
    assert_eq!(call(&up(&database, SHOP).0, "ofUser", json!({ "userId": "u9" }))[0]["total"], 900);
}

// Every request of `sortkey up` was copied, to be sent again, and every transaction stored a token.
#[test]
fn a_backend_that_is_steady_and_loses_no_answers_stays_so() {
    let served = Served::of(&engine(), SHOP);
    assert!(served.interim.is_steady() && !served.interim.loses_answers());
}
