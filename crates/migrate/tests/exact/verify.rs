//! The comparison finds what was changed behind its back.

use serde_json::json;
use sortkey_api::Requests as _;
use sortkey_api::operations::{DeleteItemInput, PutItemInput};
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::Extent;
use sortkey_value::{AttributeValue, Map, Number};

use crate::support::{World, call, seed};

fn put(world: &World, table: &str, item: &Map) {
    let input =
        PutItemInput { table_name: table.into(), item: item.clone().into(), ..PutItemInput::default() };
    block_on(Embedded::new(world.engine.clone()).put_item(input)).expect("stored");
}

fn remove(world: &World, table: &str, item: &Map, keys: &[&str]) {
    let key: Map = keys.iter().map(|name| ((*name).to_owned(), item[*name].clone())).collect();
    let input = DeleteItemInput { table_name: table.into(), key: key.into(), ..DeleteItemInput::default() };
    block_on(Embedded::new(world.engine.clone()).delete_item(input)).expect("removed");
}

fn migrated() -> World {
    let world = World::new();
    let old = world.old_alone();
    seed(&old);
    for at in 0..40 {
        let team = format!("team{at}");
        call(
            &old,
            "found",
            json!({ "teamId": team, "owner": format!("o{}", at % 5), "name": team, "secret": "hush" }),
        );
        call(
            &old,
            "share",
            json!({ "teamId": team, "shareId": "s", "target": "cy", "rights": ["READ", "WRITE"], "note": "n" }),
        );
    }
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).expect("copied");
    world
}

type Corrupt = fn(&mut Map) -> bool;

/// Each makes an item another one; false where it does not apply.
const CORRUPTIONS: [(&str, Corrupt); 13] = [
    ("number as text", |item| change(item, "hits", AttributeValue::S("0".to_owned()))),
    ("another number", |item| change(item, "hits", AttributeValue::N(Number::from(7)))),
    ("another text", |item| change(item, "name", AttributeValue::S("x".to_owned()))),
    ("text missing", |item| item.remove("name").is_some()),
    ("null for absent", |item| {
        item.contains_key("rights") && item.insert("more".to_owned(), AttributeValue::Null).is_none()
    }),
    ("null for a value", |item| change(item, "note", AttributeValue::Null)),
    ("absent for a value", |item| item.remove("note").is_some()),
    ("a member less", |item| match item.get_mut("rights") {
        Some(AttributeValue::Ss(members)) if members.len() > 1 => members.pop().is_some(),
        _ => false,
    }),
    ("list for set", |item| match item.get("rights").cloned() {
        Some(AttributeValue::Ss(members)) => {
            change(item, "rights", AttributeValue::L(members.into_iter().map(AttributeValue::S).collect()))
        }
        _ => false,
    }),
    ("milliseconds for seconds", |item| match item.get("at").cloned() {
        Some(AttributeValue::N(number)) => {
            change(item, "at", AttributeValue::N(Number::from(number.to_i64().unwrap_or(0) * 1000)))
        }
        _ => false,
    }),
    ("one bit of a ciphertext", |item| match item.get_mut("secret") {
        Some(AttributeValue::B(bytes)) => {
            if let Some(last) = bytes.last_mut() {
                *last ^= 1;
            }
            true
        }
        _ => false,
    }),
    ("another owner in a share", |item| {
        item.contains_key("target") && change(item, "owner", AttributeValue::S("eve".to_owned()))
    }),
    ("no origin", |item| item.remove("sortkey#from").is_some()),
];

fn change(item: &mut Map, name: &str, value: AttributeValue) -> bool {
    match item.get_mut(name) {
        Some(there) if *there != value => {
            *there = value;
            true
        }
        _ => false,
    }
}

#[test]
fn every_corruption_is_found() {
    let world = migrated();
    let runner = world.runner();
    let clean = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(clean.differences, 0, "{:?}", clean.listed);
    let (mut planted, mut found) = (0, 0);
    for table in ["teams", "shares"] {
        let keys: &[&str] = if table == "teams" { &["owner", "teamId"] } else { &["teamId", "target"] };
        for (at, item) in world.own_items(table).iter().enumerate() {
            for (name, corrupt) in CORRUPTIONS {
                let mut broken = item.clone();
                if !corrupt(&mut broken) {
                    continue;
                }
                planted += 1;
                put(&world, table, &broken);
                let report = block_on(runner.verify(&mut |_| ())).expect("compared");
                assert!(report.differences > 0, "{name} in {table} {at}: {broken:?}");
                found += 1;
                put(&world, table, item);
            }
            // Missing, under another key, and one that no old item makes.
            remove(&world, table, item, keys);
            let report = block_on(runner.verify(&mut |_| ())).expect("compared");
            assert!(report.differences > 0, "missing in {table}: {item:?}");
            let mut moved = item.clone();
            moved.insert(keys[1].to_owned(), AttributeValue::S("elsewhere".to_owned()));
            put(&world, table, item);
            put(&world, table, &moved);
            let report = block_on(runner.verify(&mut |_| ())).expect("compared");
            assert!(report.differences > 0, "extra in {table}: {moved:?}");
            remove(&world, table, &moved, keys);
            (planted, found) = (planted + 2, found + 2);
        }
    }
    // Guards: lost, of another owner, and of no owner.
    for guard in world.items("teams").iter().filter(|item| item.contains_key("sortkey#owner")) {
        remove(&world, "teams", guard, &["owner", "teamId"]);
        let report = block_on(runner.verify(&mut |_| ())).expect("compared");
        assert!(report.differences > 0, "no guard: {guard:?}");
        let mut stolen = guard.clone();
        let nobody: Map = [
            ("owner".to_owned(), AttributeValue::S("no".to_owned())),
            ("teamId".to_owned(), AttributeValue::S("no".to_owned())),
        ]
        .into();
        stolen.insert("sortkey#owner".to_owned(), AttributeValue::M(nobody));
        put(&world, "teams", &stolen);
        let report = block_on(runner.verify(&mut |_| ())).expect("compared");
        assert!(report.differences > 0, "stolen guard: {guard:?}");
        put(&world, "teams", guard);
        (planted, found) = (planted + 2, found + 2);
    }
    assert_eq!(found, planted);
    assert!(planted >= 500, "{planted} corruptions");
    let clean = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(clean.differences, 0, "{:?}", clean.listed);
}

#[test]
fn answers_miss_what_is_missing_and_show_what_is_too_much() {
    let world = migrated();
    let runner = world.hasty_runner();
    let clean = block_on(runner.answers(Extent::Full)).expect("compared");
    assert_eq!(clean.differences, 0, "{:?}", clean.listed);
    let counts: Vec<(&str, &str, u64)> =
        clean.patterns.iter().map(|each| (&*each.old, &*each.new, each.compared)).collect();
    let wanted = [
        ("user", "user", 2),
        ("team", "team", 43),
        ("shareOf", "shareOf", 44),
        ("sharesOfTeam", "sharesIn", 42),
    ];
    assert_eq!(counts, wanted);
    let mut planted = 0;
    for table in ["teams", "shares"] {
        let keys: &[&str] = if table == "teams" { &["owner", "teamId"] } else { &["teamId", "target"] };
        for item in world.own_items(table) {
            remove(&world, table, &item, keys);
            let report = block_on(runner.answers(Extent::Full)).expect("compared");
            assert!(report.differences > 0, "missing in {table}: {item:?}");
            put(&world, table, &item);
            planted += 1;
            if table == "shares" {
                let mut more = item.clone();
                more.insert("target".to_owned(), AttributeValue::S("nobody".to_owned()));
                put(&world, table, &more);
                let report = block_on(runner.answers(Extent::Full)).expect("compared");
                assert!(report.differences > 0, "too much in {table}: {more:?}");
                remove(&world, table, &more, keys);
                planted += 1;
            }
        }
    }
    assert!(planted > 100, "{planted}");
}

/// Mistakes of programs that copy tables by streams, planted on purpose.
#[test]
fn mistakes_of_published_migrations_are_found() {
    let world = migrated();
    let runner = world.runner();
    let differences = || block_on(runner.verify(&mut |_| ())).expect("compared").differences;
    let old = world.own_items("things");
    let team = old.iter().find(|item| item.contains_key("hits")).expect("a team").clone();
    let id = team["teamId"].clone();
    let new = world.own_items("teams").into_iter().find(|item| item["teamId"] == id).expect("its new one");
    assert_eq!(differences(), 0);

    // A deletion that was not carried over.
    remove(&world, "things", &team, &["PK", "SK"]);
    assert!(differences() > 0, "an ignored deletion");
    put(&world, "things", &team);

    // Everything written as text.
    let mut flat = new.clone();
    flat.insert("hits".to_owned(), AttributeValue::S("0".to_owned()));
    put(&world, "teams", &flat);
    assert!(differences() > 0, "a number as text");
    put(&world, "teams", &new);

    // Of two writes in one second, the first was taken for the last.
    let mut second = team.clone();
    second.insert("hits".to_owned(), AttributeValue::N(Number::from(2)));
    put(&world, "things", &second);
    assert!(differences() > 0, "the second of two writes");
    put(&world, "things", &team);
    assert_eq!(differences(), 0);
}

#[test]
fn an_old_item_that_was_changed_past_sortkey_is_found() {
    let world = migrated();
    let runner = world.runner();
    let team = world.own_items("things").into_iter().find(|item| item.contains_key("hits")).expect("a team");
    // A deletion that nobody carried over, and a change that nobody carried over.
    remove(&world, "things", &team, &["PK", "SK"]);
    assert!(block_on(runner.verify(&mut |_| ())).expect("compared").differences > 0);
    let mut other = team.clone();
    other.insert("hits".to_owned(), AttributeValue::N(Number::from(9)));
    put(&world, "things", &other);
    assert_eq!(block_on(runner.verify(&mut |_| ())).expect("compared").differences, 2, "from both sides");
    let refusal = block_on(runner.switch()).expect_err("there are differences");
    assert!(refusal.to_string().contains("2 differences"), "{refusal}");
}
