//! # migration-transaction-too-large
//!
//! ## What it notices
//!
//! A transaction fits DynamoDB's 100 items by itself, but not while a migration writes both designs.
//!
//! ## Why it matters
//!
//! While a migration is under way, every write of one design is one transaction with the items of the other, and with the guards of
//! both. A call whose transaction is too large then is refused (413) until the migration is finished.
//!
//! ## Example
//!
//! ```sk
//! table Clubs "clubs-v2" { key (clubId) }
//! entity Club in Clubs { clubId uuid = new  founder uuid @immutable  title string(..40) }
//! operation found(clubs: list(new(Club), max 60)) { transact { each club in clubs { create Club { ...club } } } }
//! pattern club = get Club by clubId
//! migrate "before.sk" { Club from Club {} }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Clubs "clubs-v2" { key (clubId) }
//! entity Club in Clubs { clubId uuid = new  founder uuid @immutable  title string(..40) }
//! operation found(clubs: list(new(Club), max 40)) { transact { each club in clubs { create Club { ...club } } } }
//! pattern club = get Club by clubId
//! migrate "before.sk" { Club from Club {} }
//! ```
//!
//! ## When to allow
//!
//! When callers never give that many, or the calls can wait until the migration is finished.

use std::sync::Arc;

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::{Migration, WriteVerb};
use sortkey_design::program::{
    EntityId, ExprKind, Migration as Compiled, Operation, Program, Statement, StatementKind, Type, Value,
};
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9012",
    name: "migration-transaction-too-large",
    theme: Theme::Migrations,
    level: Severity::Warning,
    source: include_str!("migration_transaction_too_large.rs"),
    inspect: Inspect::Migration(inspect),
};

/// DynamoDB's bound on a transaction.
const MOST: u64 = 100;

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(design) = migration.old.as_deref() else { return };
    let at = cx.design.migrations.iter().position(|each| std::ptr::eq(each, migration));
    let Some(compiled) = at.and_then(|at| cx.program.migrations.get(at)) else { return };
    let old = Program::of(&Arc::new(design.clone()));
    let mut found = Vec::new();
    for (program, other, is_old) in [(&old, cx.program, true), (cx.program, &old, false)] {
        for operation in program.operations.iter() {
            let more = |entity: EntityId| beside(compiled, other, entity, is_old);
            let sums = transactions(program, operation, &operation.body, &more);
            let worst = sums.into_iter().filter(|(own, both)| *own <= MOST && *both > MOST).max();
            found.extend(worst.map(|(own, both)| (operation.name.clone(), is_old, own, both)));
        }
    }
    for (name, is_old, own, both) in found {
        let of = if is_old { " of the old design" } else { "" };
        let title = format!("`{name}`{of} writes up to {both} items at once while both designs are written");
        cx.push(
            cx.at(migration.span, title)
                .label(format!("{own} by itself; a transaction has {MOST} at most"))
                .note("Calls that are too large are refused until the migration is finished: let them write fewer items at once."),
        );
    }
}

/// The items of the other design that are written with one of an entity.
fn beside(migration: &Compiled, other: &Program, entity: EntityId, is_old: bool) -> u64 {
    let mut sum = 0;
    for mapping in &migration.mappings {
        let (own, there) = if is_old { (mapping.old, mapping.new) } else { (mapping.new, mapping.old) };
        if own == entity {
            sum += 1 + other.entities[there].uniques.len() as u64;
        }
    }
    sum
}

/// For each transaction, the most items that it writes by itself, and with both designs.
fn transactions(
    program: &Program,
    operation: &Operation,
    body: &[Statement],
    more: &dyn Fn(EntityId) -> u64,
) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for statement in body {
        match &statement.kind {
            StatementKind::Transact(inner) => found.push(sum(program, operation, inner, more)),
            StatementKind::Each { body, .. } => found.extend(transactions(program, operation, body, more)),
            _ => {}
        }
    }
    found
}

fn sum(
    program: &Program,
    operation: &Operation,
    body: &[Statement],
    more: &dyn Fn(EntityId) -> u64,
) -> (u64, u64) {
    let mut sums = (0, 0);
    for statement in body {
        let (own, both, times) = match &statement.kind {
            StatementKind::Let { value: Value::Action(action), .. }
            | StatementKind::Do(Value::Action(action))
                if action.verb != WriteVerb::Get =>
            {
                let own = 1 + program.entities[action.entity].uniques.len() as u64;
                (own, own + more(action.entity), 1)
            }
            StatementKind::Each { list, body, .. } => {
                let (own, both) = sum(program, operation, body, more);
                (own, both, most(operation, &list.kind))
            }
            _ => continue,
        };
        sums.0 += own * times;
        sums.1 += both * times;
    }
    sums
}

/// The most elements of a list; one where nothing bounds it.
fn most(operation: &Operation, list: &ExprKind) -> u64 {
    let ExprKind::Local(local) = list else { return 1 };
    let parameter = operation.signature.parameters.iter().find(|each| each.local == *local);
    match parameter.map(|parameter| &*parameter.ty) {
        Some(Type::List { max: Some(max), .. } | Type::Set { max: Some(max), .. }) => *max,
        _ => 1,
    }
}
