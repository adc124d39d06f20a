//! Records the answers that writers got, and checks that a database that came back keeps them.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::database::Database;
use super::stream::Followed;
use super::workload::{
    self, ACCOUNTS, BALANCE, BULK, BULK_KEYS, Item, Items, Place, Step, TABLE, WRITERS, step,
};

/// One check in about so many restores the table through its history.
const HISTORY: u64 = 5;
const RESTORED: &str = "restored";

/// Everything that certainly happened.
#[derive(Clone)]
pub(crate) struct Witness {
    seed: u64,
    writers: Vec<Writer>,
    stream: Followed,
    /// How many steps had been done when everything was read last.
    read_at: u64,
    /// The newest large item of each key, and the one that comes next or is in doubt.
    bulk: BTreeMap<u64, u64>,
    pub(crate) next_bulk: u64,
    /// Steps that were acknowledged, in all runs.
    pub(crate) done: u64,
}

#[derive(Clone)]
struct Writer {
    /// The step that comes next, or is in doubt.
    next: u64,
    items: Items,
    transfers: u64,
    last_transfer: u64,
    last_transaction: Option<u64>,
}

impl Witness {
    pub(crate) fn new(seed: u64) -> Witness {
        let writer =
            Writer { next: 1, items: Items::new(), transfers: 0, last_transfer: 0, last_transaction: None };
        Witness {
            seed,
            writers: vec![writer; WRITERS],
            stream: Followed::default(),
            read_at: 0,
            bulk: BTreeMap::new(),
            next_bulk: 1,
            done: 0,
        }
    }

    /// From where each writer goes on.
    pub(crate) fn next_steps(&self) -> Vec<u64> {
        self.writers.iter().map(|writer| writer.next).collect()
    }

    /// Records a line that a writer printed.
    pub(crate) fn hear(&mut self, line: &str) {
        let mut words = line.split(' ');
        let word = words.next().unwrap();
        let mut number = || words.next().unwrap().trim().parse::<u64>().unwrap();
        if word == "bulk" {
            let number = number();
            self.bulk.insert(number % BULK_KEYS, number);
            self.next_bulk = number + 1;
            return;
        }
        if !matches!(word, "done" | "cancelled") {
            return;
        }
        let (writer, number) = (number() as usize, number());
        let (seed, state) = (self.seed, &mut self.writers[writer]);
        assert_eq!(state.next, number, "steps are done in order");
        state.next += 1;
        if word == "cancelled" {
            return;
        }
        self.done += 1;
        let step = step(seed, writer, number);
        match step {
            Step::Transfer { .. } => {
                state.transfers += 1;
                state.last_transfer = number;
            }
            Step::Transaction(_) => state.last_transaction = Some(number),
            _ => {}
        }
        step.apply(&mut state.items);
    }

    /// Compares everything; takes over what was in doubt. The step in doubt is never tried again.
    pub(crate) fn check(&mut self, database: &Database) {
        self.check_from(database, true);
    }

    /// Like `check`, but reads only what is new of the stream, and everything when there is twice as much as the last
    /// time: many checks of a database that grows take time in proportion to their number.
    pub(crate) fn check_new(&mut self, database: &Database) {
        self.check_from(database, self.done >= 2 * self.read_at);
    }

    fn check_from(&mut self, database: &Database, is_everything: bool) {
        let items = database.scan(json!({ "TableName": TABLE, "ConsistentRead": true }));
        self.check_items(&items);
        check_index(database, &items);
        if is_everything {
            self.stream.check_all(database, TABLE, &items);
        } else {
            self.stream.check_new(database, TABLE, &items);
        }
        self.check_tokens(database, &items);
        self.check_bulk(database);
        if self.done.is_multiple_of(HISTORY) {
            check_history(database, items);
        }
        if is_everything {
            let report = sortkey_engine::verify(&*database.store);
            assert!(report.is_sound(), "{:?}", report.problems);
            self.read_at = self.done;
        }
        for writer in &mut self.writers {
            writer.next += 1;
        }
    }

    fn check_items(&mut self, found: &[Json]) {
        let mut by_writer = vec![Items::new(); WRITERS];
        let (mut balances, mut ledgers) = (Vec::new(), BTreeMap::new());
        for json in found {
            match json["pk"]["S"].as_str().unwrap() {
                "account" => balances.push(number(&json["balance"])),
                "ledger" => {
                    let writer: usize = json["sk"]["S"].as_str().unwrap().parse().unwrap();
                    ledgers.insert(writer, (number(&json["transfers"]), number(&json["last_step"])));
                }
                partition => {
                    let writer: usize = partition[1..2].parse().unwrap();
                    by_writer[writer].extend([Item::from_json(json)]);
                }
            }
        }
        assert_eq!(balances.len(), ACCOUNTS as usize);
        assert_eq!(balances.iter().sum::<i64>(), BALANCE * ACCOUNTS as i64, "money is neither made nor lost");
        for (writer, (state, items)) in self.writers.iter_mut().zip(by_writer).enumerate() {
            let doubtful = step(self.seed, writer, state.next);
            state.check_items(writer, &doubtful, items);
            state.check_ledger(writer, &doubtful, ledgers.get(&writer));
        }
    }

    /// Every large item is there as it was written last, or as the one in doubt would be.
    fn check_bulk(&mut self, database: &Database) {
        let mut found = BTreeMap::new();
        for item in database.scan(json!({ "TableName": BULK })) {
            let (key, padding) = (item["pk"]["S"].as_str().unwrap(), item["padding"]["S"].as_str().unwrap());
            let number: u64 = padding[..16].parse().unwrap();
            assert!(padding == workload::bulk(number), "large item {number} is whole");
            found.insert(key.parse::<u64>().unwrap(), number);
        }
        let mut after = self.bulk.clone();
        after.insert(self.next_bulk % BULK_KEYS, self.next_bulk);
        assert!(found == self.bulk || found == after, "large items: {found:?} instead of {:?}", self.bulk);
        self.bulk = found;
        self.next_bulk += 1;
    }

    /// A transaction that happened does not happen again.
    fn check_tokens(&self, database: &Database, items: &[Json]) {
        for (writer, state) in self.writers.iter().enumerate() {
            if let Some(number) = state.last_transaction {
                let step = step(self.seed, writer, number);
                workload::perform(database, writer, number, &step).unwrap();
            }
        }
        let after = database.scan(json!({ "TableName": TABLE, "ConsistentRead": true }));
        assert!(after == items, "a token was forgotten");
    }
}

impl Writer {
    fn check_items(&mut self, writer: usize, doubtful: &Step, found: Items) {
        let mut after = self.items.clone();
        doubtful.apply(&mut after);
        let is_allowed = match doubtful {
            Step::Batch(changes) => {
                let touched = |place: &Place| changes.iter().any(|(changed, _)| changed == place);
                let places = self.items.keys().chain(after.keys()).chain(found.keys());
                places.into_iter().all(|place| {
                    let item = found.get(place);
                    item == self.items.get(place) || touched(place) && item == after.get(place)
                })
            }
            _ => found == self.items || found == after,
        };
        assert!(
            is_allowed,
            "writer {writer}, {} steps done, then {doubtful:?}: {}",
            self.next - 1,
            difference(&self.items, &found)
        );
        self.items = found;
    }

    fn check_ledger(&mut self, writer: usize, doubtful: &Step, found: Option<&(i64, i64)>) {
        let found = found.map_or((0, 0), |(transfers, last)| (*transfers as u64, *last as u64));
        let happened = matches!(doubtful, Step::Transfer { .. }) && found == (self.transfers + 1, self.next);
        assert!(
            happened || found == (self.transfers, self.last_transfer),
            "writer {writer} made {} transfers, the last in step {}, but the ledger says {found:?}",
            self.transfers,
            self.last_transfer
        );
        (self.transfers, self.last_transfer) = found;
    }
}

fn difference(expected: &Items, found: &Items) -> String {
    let differs = |place: &&Place| expected.get(*place) != found.get(*place);
    let places: std::collections::BTreeSet<&Place> =
        expected.keys().chain(found.keys()).filter(differs).collect();
    let step = |items: &Items, place: &Place| items.get(place).map(|item| item.step);
    let show = |place: &&Place| {
        format!("{place:?}: expected {:?}, found {:?}", step(expected, place), step(found, place))
    };
    places.iter().map(show).collect::<Vec<_>>().join("; ")
}

/// A table restored to this moment, through a history that has lived through the same, has the same items.
fn check_history(database: &Database, mut items: Vec<Json>) {
    let target = json!({ "TableName": RESTORED });
    let restore = json!({
        "SourceTableName": TABLE, "TargetTableName": RESTORED, "UseLatestRestorableTime": true
    });
    database.call("RestoreTableToPointInTime", &restore).unwrap();
    until(|| database.call("DescribeTable", &target).unwrap()["Table"]["TableStatus"] == "ACTIVE");
    let mut restored = database.scan(target.clone());
    let order = |item: &Json| item.to_string();
    restored.sort_by_key(order);
    items.sort_by_key(order);
    assert_eq!(restored.len(), items.len(), "as many items as the history says");
    assert!(restored == items, "the history leads to the items");
    database.call("DeleteTable", &target).unwrap();
    until(|| database.call("DescribeTable", &target).is_err());
}

/// Waits for what happens in the background.
fn until(happened: impl Fn() -> bool) {
    while !happened() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// The index has an entry for every item with a group, and no other.
fn check_index(database: &Database, items: &[Json]) {
    let order = |item: &Json| item.to_string();
    let mut entries = database.scan(json!({ "TableName": TABLE, "IndexName": "byGroup" }));
    let mut expected: Vec<Json> = items.iter().filter(|item| item.get("group").is_some()).cloned().collect();
    entries.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(entries.len(), expected.len(), "as many index entries as items with a group");
    assert!(entries == expected, "the index shows the items");
}

fn number(json: &Json) -> i64 {
    json["N"].as_str().unwrap().parse().unwrap()
}
