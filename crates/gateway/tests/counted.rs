//! Numbers of the documents that count, compare or measure: indexes, units, and who has a role.
//!
//! F-51: a remark replaced them, although software can check whether they hold.

use std::path::Path;

use sortkey_api::Requests as _;
use sortkey_api::operations::DescribeTableInput;

use crate::support;

fn systems() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems")
}

/// Indexes that a correction replaced: a guard of unique values, and the key of another index.
const REPLACED: [&str; 2] = ["CS-126", "LB-241"];

/// The indexes that the checklist of a document numbers, with the declaration for each.
fn documented(prefix: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(systems().join("checklist.tsv")).expect("the checklist is there");
    let rows =
        text.lines().filter(|line| line.starts_with(prefix)).map(|line| line.split('\t').collect::<Vec<_>>());
    let indexes = rows.filter(|row| row[1] == "index");
    indexes.map(|row| (row[0].to_owned(), row[3].split("; ").next().unwrap_or_default().to_owned())).collect()
}

// LB-332, CS-245: 23 and 14 indexes. Corrections add others and replace two; none of the rest is missing.
#[test]
fn every_index_that_the_documents_count_is_there() {
    for (prefix, system, count) in [("LB", "listbackup", 23), ("CS", "core-service", 14)] {
        let runtime = support::runtime(system);
        let documented = documented(prefix);
        assert_eq!(documented.len(), count, "{system}");
        for (number, place) in documented {
            let Some(place) = place.strip_prefix("index ") else {
                assert!(REPLACED.contains(&number.as_str()), "{number}: {place}");
                continue;
            };
            let (table, name) = place.split_once('.').expect("a table and an index");
            let deployed =
                runtime.design().table(table).and_then(|table| table.deployed.clone()).expect(place);
            let input =
                DescribeTableInput { table_name: deployed.replace("{stack}", "test").as_str().into() };
            let described =
                pollster::block_on(runtime.backend().describe_table(input)).expect("described").table;
            let indexes = described.and_then(|table| table.global_secondary_indexes).unwrap_or_default();
            let declared = runtime.design().table(table).and_then(|table| table.index(name));
            let wanted =
                declared.map(|index| index.deployed.clone().unwrap_or_else(|| index.name.text.clone()));
            let is_there = wanted.is_some() && indexes.iter().any(|index| index.index_name == wanted);
            assert!(is_there, "{system}: {place}");
        }
    }
}

// FH-014: the document gives the index a sort key with one value, which orders nothing. LB-387: it calls the status of a job its
// sort key, which the table contradicts: the status is the sort key of an index.
#[test]
fn keys_are_those_that_the_corrections_name() {
    for (system, table, index, wanted) in [
        ("ferryhook", "Events", Some("GSI1"), "GSI1PK"),
        ("listbackup", "Jobs", None, "accountId jobId"),
        ("listbackup", "Jobs", Some("accountId-status-index"), "accountId status"),
    ] {
        let runtime = support::runtime(system);
        let deployed = runtime.design().table(table).and_then(|table| table.deployed.clone()).expect(table);
        let input = DescribeTableInput { table_name: deployed.replace("{stack}", "test").as_str().into() };
        let described = pollster::block_on(runtime.backend().describe_table(input))
            .expect("described")
            .table
            .expect("a table");
        let schema = match index {
            None => described.key_schema,
            Some(name) => {
                let indexes = described.global_secondary_indexes.unwrap_or_default();
                indexes
                    .into_iter()
                    .find(|index| index.index_name.as_deref() == Some(name))
                    .and_then(|index| index.key_schema)
            }
        };
        let names: Vec<String> = schema.into_iter().flatten().map(|each| each.attribute_name).collect();
        assert_eq!(names.join(" "), wanted, "{system} {table} {index:?}");
    }
}

/// The units of a pattern without what its rule costs, or of all requests of an operation together.
fn units(lock: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(systems().join("seller-profiles").join(lock))
        .expect("the lock file is there");
    let of = |line: &str| {
        let words: Vec<&str> = line.split([' ', ',']).collect();
        let at = words.iter().position(|word| matches!(*word, "RCU" | "WCU")).expect("units");
        words[at - 1].parse::<f64>().expect("a number")
    };
    let line = text.lines().find(|line| line.starts_with(&format!("{name} = ")));
    line.map(of).expect(name)
}

// SP-226, SP-240: the document expects lists to cost 15 to 25 percent less. A strong read costs twice as much as the eventual one
// that it replaces, and a checked write more than an unchecked one; `CORRECTIONS.md` has these figures.
#[test]
fn lists_of_seller_profiles_are_consistent_and_not_cheaper() {
    let corrections =
        std::fs::read_to_string(systems().join("seller-profiles/CORRECTIONS.md")).expect("corrections");
    for (name, before, now) in [
        ("listMyProfiles", 1.0, 1.0),
        ("listSeasonsByProfile", 1.5, 3.0),
        ("listOrdersBySeason", 12.5, 25.0),
        ("listOrdersByProfile", 12.5, 12.5),
    ] {
        let found = (units("seller-profiles-before.lock", name), units("seller-profiles.lock", name));
        assert_eq!(found, (before, now), "{name}");
        let row = corrections.lines().find(|line| line.starts_with(&format!("| {name} | "))).expect(name);
        assert!(row.contains(&format!("| {before} RCU")) && row.contains(&format!("| {now} RCU")), "{row}");
    }
}
