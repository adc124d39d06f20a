//! The records of a stream that were read so far, so that a later look needs to read the new records only.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::database::Database;

/// The records of a table's stream, followed from look to look.
#[derive(Clone, Default)]
pub(crate) struct Followed {
    /// Sequence numbers that were read, by shard.
    sequences: BTreeMap<String, Vec<String>>,
    /// The newest record of each shard.
    last: BTreeMap<String, Json>,
    /// The items that the records lead to, by key.
    items: BTreeMap<String, Json>,
}

impl Followed {
    /// Every new change is in the stream once, in order, and all changes together lead to the items.
    pub(crate) fn check_new(&mut self, database: &Database, table: &str, items: &[Json]) {
        let arn = database.stream_arn(table);
        for shard in database.shards(&arn) {
            let known = self.last.get(&shard);
            let start = match known {
                Some(record) => json!({
                    "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": record["dynamodb"]["SequenceNumber"]
                }),
                None => json!({ "ShardIteratorType": "TRIM_HORIZON" }),
            };
            let mut records = database.records(&arn, &shard, start);
            if let Some(known) = known {
                assert!(!records.is_empty(), "the newest record of the last look was lost");
                assert_eq!(records.remove(0), *known, "the newest record of the last look has changed");
            }
            self.follow(&shard, &records);
        }
        let key = |item: &Json| json!({ "pk": item["pk"], "sk": item["sk"] }).to_string();
        let expected: BTreeMap<String, Json> = items.iter().map(|item| (key(item), item.clone())).collect();
        assert_eq!(self.items.len(), expected.len(), "as many items as the stream says");
        assert!(self.items == expected, "the stream leads to the items");
    }

    /// The whole stream leads to the items, and nothing that was read before has changed.
    pub(crate) fn check_all(&mut self, database: &Database, table: &str, items: &[Json]) {
        let mut anew = Followed::default();
        anew.check_new(database, table, items);
        for (shard, before) in &self.sequences {
            let is_kept = anew.sequences.get(shard).is_some_and(|now| now.starts_with(before));
            assert!(is_kept, "a sequence number was lost or used twice");
        }
        *self = anew;
    }

    fn follow(&mut self, shard: &str, records: &[Json]) {
        let numbers = self.sequences.entry(shard.to_owned()).or_default();
        for record in records {
            let change = &record["dynamodb"];
            let number = change["SequenceNumber"].as_str().unwrap().to_owned();
            assert!(numbers.last().is_none_or(|last| *last < number), "sequence numbers rise");
            numbers.push(number);
            let key = change["Keys"].to_string();
            assert_eq!(change.get("OldImage"), self.items.get(&key), "records of a key follow each other");
            match change.get("NewImage") {
                Some(image) => self.items.insert(key, image.clone()),
                None => self.items.remove(&key),
            };
        }
        if let Some(newest) = records.last() {
            self.last.insert(shard.to_owned(), newest.clone());
        }
    }
}
