use std::collections::BTreeMap;

use proptest::prelude::*;
use sortkey_diagnostics::Span;

use super::*;
use crate::model::*;

fn index(name: &str, attribute: &str) -> GlobalIndex {
    GlobalIndex {
        name: name.to_owned(),
        key: Key { partition: vec![attribute.to_owned()], sort: Vec::new() },
        projection: Projection::All,
        capacity: None,
        scaling: Scaling::default(),
        span: None,
    }
}

fn table(name: &str, global: Vec<GlobalIndex>) -> Table {
    Table {
        design_name: name.to_owned(),
        name: name.to_owned(),
        span: Span::default(),
        types: BTreeMap::from([("id".to_owned(), "S".to_owned())]),
        key: Key { partition: vec!["id".to_owned()], sort: Vec::new() },
        local: Vec::new(),
        global,
        billing: Billing::OnDemand(Maximum::default()),
        ttl: None,
        stream: None,
        recovery_days: None,
        deletion_protection: false,
        encryption: Encryption::Owned,
        class: TableClass::Standard,
        is_global: false,
        replicas: Vec::new(),
        tags: BTreeMap::new(),
        insights: false,
        scaling: Scaling::default(),
        alarms: Alarms { period_seconds: 60, ..Alarms::default() },
    }
}

fn deployment(tables: Vec<Table>) -> Deployment {
    Deployment {
        design: "d".to_owned(),
        version: None,
        stage: "prod".to_owned(),
        region: None,
        keyring: None,
        tables,
        retained: Vec::new(),
    }
}

fn found(table: &Table) -> Found {
    Found {
        name: table.name.clone(),
        types: table.types.clone(),
        key: table.key.clone(),
        local: table.local.clone(),
        global: table.global.clone(),
        billing: Some(table.billing.clone()),
        ttl: None,
        stream: None,
        recovery_days: None,
        deletion_protection: false,
        encryption: Encryption::Owned,
        class: TableClass::Standard,
        tags: None,
    }
}

fn deployed(tables: &[Table]) -> Deployed {
    Deployed { design: None, is_template: false, tables: tables.iter().map(found).collect() }
}

/// Names with the attribute of their key: what CloudFormation compares.
fn indexes(table: &Table) -> BTreeMap<String, String> {
    table.global.iter().map(|index| (index.name.clone(), index.key.partition.join(","))).collect()
}

/// How many indexes an update from one state to the next creates or deletes.
fn changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> usize {
    let deleted = before.iter().filter(|(name, _)| !after.contains_key(*name)).count();
    let created = after.iter().filter(|(name, _)| !before.contains_key(*name)).count();
    let altered = after.iter().filter(|(name, key)| before.get(*name).is_some_and(|old| old != *key)).count();
    // An altered key in one update is a deletion and a creation at once, which is never allowed.
    deleted + created + altered * 2
}

/// Indexes of one table: up to eight names, each with one of two keys, or absent.
fn some_indexes() -> impl Strategy<Value = Vec<GlobalIndex>> {
    proptest::collection::vec(0..3_u8, 0..8).prop_map(|choices| {
        let named = choices.into_iter().enumerate().filter(|(_, choice)| *choice > 0);
        named.map(|(at, choice)| index(&format!("index-{at}"), &format!("k{choice}"))).collect()
    })
}

proptest! {
    #[test]
    fn two_index_changes_of_a_table_never_share_a_wave(
        before in proptest::collection::vec(some_indexes(), 1..4),
        after in proptest::collection::vec(some_indexes(), 1..4),
    ) {
        let name = |at: usize| format!("table-{at}");
        let there: Vec<Table> = before.into_iter().enumerate().map(|(at, global)| table(&name(at), global)).collect();
        let wanted: Vec<Table> = after.into_iter().enumerate().map(|(at, global)| table(&name(at), global)).collect();
        let wanted = deployment(wanted);
        let waves = waves(&wanted, &deployed(&there), WaveOptions { remove_indexes: true }).expect("waves");
        for (at, table) in wanted.tables.iter().enumerate() {
            // A table that is not there is created with all its indexes.
            let mut state = there.get(at).map_or_else(|| indexes(&waves[0].tables[at]), indexes);
            for wave in &waves {
                let next = indexes(&wave.tables[at]);
                prop_assert!(changes(&state, &next) <= 1, "{state:?} -> {next:?}");
                prop_assert!(next.len() <= MOST_INDEXES);
                state = next;
            }
            prop_assert_eq!(state, indexes(table));
        }
    }

    #[test]
    fn nothing_is_deleted_unless_asked_for(before in some_indexes(), after in some_indexes()) {
        let (there, wanted) = (table("table", before), deployment(vec![table("table", after)]));
        let Ok(waves) = waves(&wanted, &deployed(std::slice::from_ref(&there)), WaveOptions::default()) else {
            // Refused: some index has another key.
            return Ok(());
        };
        let mut state = indexes(&there);
        for wave in &waves {
            let next = indexes(&wave.tables[0]);
            prop_assert!(state.iter().all(|(name, key)| next.get(name) == Some(key)));
            prop_assert!(changes(&state, &next) <= 1);
            state = next;
        }
        prop_assert!(indexes(&wanted.tables[0]).iter().all(|(name, key)| state.get(name) == Some(key)));
    }
}

#[test]
fn a_full_table_loses_indexes_before_it_gains_others() {
    let named = |from: usize, to: usize| (from..to).map(|at| index(&format!("index-{at}"), "k")).collect();
    let there = table("table", named(0, 20));
    let wanted = deployment(vec![table("table", named(2, 22))]);
    let waves = waves(&wanted, &deployed(&[there]), WaveOptions { remove_indexes: true }).expect("waves");
    let counts: Vec<usize> = waves.iter().map(|wave| wave.tables[0].global.len()).collect();
    assert_eq!(counts, [19, 18, 19, 20]);
}

fn refused(wanted: Table, there: Table) -> Vec<String> {
    let wanted = deployment(vec![wanted]);
    let problems = waves(&wanted, &deployed(&[there]), WaveOptions::default()).expect_err("a refusal");
    problems.into_iter().map(|problem| problem.what).collect()
}

#[test]
fn what_no_update_can_change_is_refused() {
    let plain = table("table", Vec::new());
    let other_key =
        Table { key: Key { partition: vec!["other".to_owned()], sort: Vec::new() }, ..plain.clone() };
    assert_eq!(
        refused(other_key, plain.clone()),
        ["the key of table \"table\" cannot change: the design has (other), deployed is (id)"]
    );
    let number = Table { types: BTreeMap::from([("id".to_owned(), "N".to_owned())]), ..plain.clone() };
    assert_eq!(
        refused(number, plain.clone()),
        ["the type of `id` in table \"table\" cannot change: the design has N, deployed is S"]
    );
    let local = LocalIndex {
        name: "by-age".to_owned(),
        key: Key { partition: vec!["id".to_owned()], sort: vec!["age".to_owned()] },
        projection: Projection::All,
    };
    assert_eq!(
        refused(Table { local: vec![local], ..plain.clone() }, plain.clone()),
        ["local indexes of table \"table\" cannot change: the design has by-age, deployed is none"]
    );
    assert_eq!(
        refused(table("table", vec![index("a", "k1")]), table("table", vec![index("a", "k2")])),
        [
            "index \"a\" of table \"table\" differs from the deployed one in its key or projection, which cannot change"
        ]
    );
    assert_eq!(
        refused(plain, table("elsewhere", Vec::new())),
        ["what is deployed has no table of the design: it has elsewhere"]
    );
}

#[test]
fn a_template_of_another_design_is_refused() {
    let there = Deployed {
        design: Some("shop".to_owned()),
        is_template: true,
        tables: vec![found(&table("table", Vec::new()))],
    };
    let wanted = deployment(vec![table("table", Vec::new())]);
    let problems = waves(&wanted, &there, WaveOptions::default()).expect_err("a refusal");
    assert_eq!(problems[0].what, "what is deployed is of the design \"shop\", not of \"d\"");
}

#[test]
fn a_table_that_the_design_lost_is_named_and_stays() {
    let there = Deployed {
        design: Some("d".to_owned()),
        is_template: true,
        tables: vec![found(&table("table", Vec::new())), found(&table("old", Vec::new()))],
    };
    let waves =
        waves(&deployment(vec![table("table", Vec::new())]), &there, WaveOptions::default()).expect("waves");
    assert_eq!(waves[0].retained, ["old"]);
}
