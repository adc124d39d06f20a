//! Two versions of a table: the result of `compare` when the second is deployed over the first.

use super::*;
use crate::{Naming, deploy, desired, inspect};
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::Embedded;
use sortkey_engine::{Engine, Settings};

const ITEM: &str = "entity Job in Jobs { id uuid  at time(ms)  kind string  gone time(s) }";

/// Compares two versions; expects the changes, remarks and titles of refusals, one line each.
fn check(before: &str, after: &str, expected: &[&str]) {
    let table = |clauses: &str| format!("table Jobs \"jobs\" {{ {clauses} }} {ITEM}");
    let (before, after) = (compile("a", &table(before), &NoFiles), compile("b", &table(after), &NoFiles));
    let backend = Embedded::new(Engine::memory(Settings::default()));
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as sortkey_api::Pending<'static, ()>;
    let naming = Naming::default();
    pollster::block_on(deploy(&before.design, &naming, &backend, &pause, &mut |_| {})).unwrap();
    let there = pollster::block_on(inspect::table(&backend, "jobs")).unwrap();
    let wanted = desired(&after.design, &naming).unwrap();
    let comparison = compare(&wanted[0], there.as_ref());
    let changes = comparison.changes.iter().map(|change| format!("{change:?}"));
    let refusals = comparison
        .refusals
        .iter()
        .map(|each| format!("refused: {}: {}; {}", each.title, each.primary.text, each.notes[0]));
    let found: Vec<String> = changes.chain(comparison.remarks.iter().cloned()).chain(refusals).collect();
    assert_eq!(found, expected);

    // Additions are there afterwards; a refusal leaves everything as it is.
    let outcome = pollster::block_on(deploy(&after.design, &naming, &backend, &pause, &mut |_| {}));
    assert_eq!(outcome.is_ok(), comparison.refusals.is_empty());
    let there = pollster::block_on(inspect::table(&backend, "jobs")).unwrap();
    let again = compare(&wanted[0], there.as_ref());
    assert_eq!((again.changes.len(), again.refusals.len()), (0, comparison.refusals.len()));
}

#[test]
fn the_same_table_needs_nothing() {
    let all = "key (id | at) index byKind (kind | at) project [gone] ttl gone recovery 35d protect deletion \
               stream keys_only billing provisioned 1 rcu 2 wcu encryption aws_managed local index old (id | gone) project keys";
    check(all, all, &[]);
}

#[test]
fn what_only_adds_is_applied() {
    check(
        "key (id)",
        "key (id) index byA (kind) project all index byB (kind, at) project keys ttl gone recovery 7d protect deletion",
        &["AddIndex(\"byA\")", "AddIndex(\"byB\")", "TimeToLive(\"gone\")", "Recovery(7)", "Protect"],
    );
    check("key (id) recovery 7d", "key (id) recovery 35d", &["Recovery(35)"]);
}

#[test]
fn another_way_to_pay_is_applied_before_indexes_are_added() {
    check(
        "key (id) index byA (kind) billing provisioned 1 rcu 2 wcu",
        "key (id) index byA (kind) index byB (at) billing on_demand",
        &["Billing(Billing { mode: Some(PayPerRequest), table: None, indexes: [] })", "AddIndex(\"byB\")"],
    );
    check(
        "key (id) index byA (kind) billing provisioned 1 rcu 2 wcu",
        "key (id) index byA (kind) provisioned 1 rcu 2 wcu billing provisioned 3 rcu 2 wcu",
        &["Billing(Billing { mode: None, table: Some(ProvisionedThroughput { write_capacity_units: 2, \
             read_capacity_units: 3 }), indexes: [] })"],
    );
    check(
        "key (id) index byA (kind) billing on_demand",
        "key (id) index byA (kind) billing provisioned 3 rcu 4 wcu",
        &[
            "Billing(Billing { mode: Some(Provisioned), table: Some(ProvisionedThroughput { write_capacity_units: 4, \
             read_capacity_units: 3 }), indexes: [(\"byA\", ProvisionedThroughput { write_capacity_units: 4, \
             read_capacity_units: 3 })] })",
        ],
    );
}

#[test]
fn what_the_design_forgot_stays() {
    check(
        "key (id) index byA (kind) project all stream keys_only recovery 35d protect deletion",
        "key (id) recovery 7d",
        &[
            "table \"jobs\" has an index \"byA\" that the design does not mention; it stays",
            "table \"jobs\" has a stream that the design does not mention; it stays",
            "table \"jobs\" can be restored for 35 days, the design says 7; nothing is taken away",
        ],
    );
}

#[test]
fn what_would_rebuild_or_lose_is_refused() {
    for (before, after, expected) in [
        (
            "key (id)",
            "key (id | at)",
            "refused: the key of table \"jobs\" cannot change: the design says (id S | at N); The table that is there: (id S).",
        ),
        (
            "key (id) index byA (kind) project all",
            "key (id) index byA (kind | at) project keys",
            "refused: index \"byA\" of table \"jobs\" cannot change in place: the design says (kind S | at N) project keys; \
             The table that is there: (kind S) project all.",
        ),
        (
            "key (id | at)",
            "key (id | at) local index byA (id | kind) project all",
            "refused: table \"jobs\" cannot get a local index any more: the design says (id S | kind S) project all; \
             The table that is there: no such index.",
        ),
        (
            "key (id) ttl gone",
            "key (id)",
            "refused: items of table \"jobs\" expire by another attribute: the design says nothing expires; \
             The table that is there: by `gone`.",
        ),
        (
            "key (id) stream keys_only",
            "key (id) stream new_image",
            "refused: the stream of table \"jobs\" shows something else: the design says new_image; \
             The table that is there: keys_only.",
        ),
    ] {
        check(before, after, &[expected]);
    }
}

#[test]
fn encryption_and_price_class_are_changed() {
    check(
        "key (id) encryption aws_managed",
        "key (id) encryption aws_owned",
        &["Encrypt(SSESpecification { enabled: Some(false), sse_type: None, kms_master_key_id: None })"],
    );
    check("key (id)", "key (id) class infrequent_access", &["Class(StandardInfrequentAccess)"]);
    check("key (id) class infrequent_access", "key (id) class standard", &["Class(Standard)"]);
    check("key (id) class infrequent_access", "key (id)", &[]);
}
