//! The requests of an operation, in order, with their conditions and units.

use super::cost::{Cost, read_units, write_units};
use crate::facts::{ActionSite, Membership, actions, calls, membership, settable};
use crate::model::*;
use crate::size::typical_bytes;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The request's name.
    pub request: &'static str,
    /// What it does, item by item.
    pub items: Vec<String>,
    /// Requests and units.
    pub cost: Cost,
}

/// The requests of an operation.
pub fn write(design: &Design, operation: &Operation) -> Vec<Step> {
    let mut steps = Vec::new();
    for name in calls(operation) {
        if let Some(plan) =
            design.pattern(name).and_then(|pattern| super::read(design, pattern)).and_then(|c| c.plan)
        {
            steps.push(Step {
                request: "pattern",
                items: vec![format!("{name} via {}", plan.path.describe())],
                cost: plan.cost,
            });
        }
    }
    let sites = actions(operation);
    let mut at = 0;
    while at < sites.len() {
        let block = sites[at].transact;
        let length = match block {
            Some(_) => sites[at..].iter().take_while(|site| site.transact == block).count(),
            None => 1,
        };
        steps.push(step(design, operation, &sites[at..at + length]));
        at += length;
    }
    steps
}

fn step(design: &Design, operation: &Operation, sites: &[ActionSite<'_>]) -> Step {
    let mut items = Vec::new();
    let mut cost = Cost { requests: 1, ..Cost::default() };
    for site in sites {
        let Some(entity) = design.entity(&site.action.entity.text) else {
            continue;
        };
        let guards = guards(design, operation, entity, site.action);
        items.push(describe(design, operation, entity, site.action));
        items.extend(guards.iter().map(|names| format!("guard {}({names})", entity.name)));
        add_cost(design, entity, site.action, guards.len() as u64, &mut cost);
    }
    if operation.idempotent.is_some() && sites.iter().any(|site| site.action.verb.writes()) {
        items.push(format!("receipt {}", operation.name));
        cost.wcu += 1.0;
    }
    let soft = sites.iter().any(|site| {
        site.action.verb == WriteVerb::Delete
            && design.entity(&site.action.entity.text).is_some_and(|entity| entity.deleted.is_some())
    });
    let request = request(sites, items.len(), soft);
    if request == "TransactWriteItems" {
        cost.wcu *= 2.0;
    }
    Step { request, items, cost }
}

fn request(sites: &[ActionSite<'_>], items: usize, soft: bool) -> &'static str {
    let single = sites.len() == 1;
    match sites.first().map(|site| site.action.verb) {
        Some(WriteVerb::Get) => "GetItem",
        Some(WriteVerb::Check) if single && sites[0].transact.is_none() => "GetItem",
        _ if items > 1 || sites.iter().any(|site| site.transact.is_some()) => "TransactWriteItems",
        Some(WriteVerb::Create | WriteVerb::Put) => "PutItem",
        Some(WriteVerb::Update | WriteVerb::Upsert) => "UpdateItem",
        _ if soft => "UpdateItem",
        _ => "DeleteItem",
    }
}

/// The unique clauses whose guards a write moves.
fn guards(design: &Design, operation: &Operation, entity: &Entity, action: &Action) -> Vec<String> {
    let changed = settable(design, operation, action);
    let touched = |unique: &&Unique| match action.verb {
        WriteVerb::Create | WriteVerb::Put | WriteVerb::Delete | WriteVerb::Purge => true,
        WriteVerb::Update | WriteVerb::Upsert => {
            unique.names.iter().any(|name| changed.contains(&name.text.as_str()))
        }
        WriteVerb::Check | WriteVerb::Get => false,
    };
    let uniques = entity.uniques.iter().filter(|unique| unique.via.is_none()).filter(touched);
    uniques
        .map(|unique| unique.names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", "))
        .collect()
}

fn describe(design: &Design, operation: &Operation, entity: &Entity, action: &Action) -> String {
    let mut conditions: Vec<&str> = match action.verb {
        WriteVerb::Create => vec!["not exists"],
        WriteVerb::Update | WriteVerb::Delete | WriteVerb::Purge => vec!["exists"],
        _ => Vec::new(),
    };
    let expires = design.table_of(entity).is_some_and(|table| table.ttl.is_some());
    if matches!(action.verb, WriteVerb::Update | WriteVerb::Delete | WriteVerb::Check) {
        conditions.extend(entity.deleted.as_ref().map(|_| "not deleted"));
        conditions.extend(expires.then_some("not expired"));
        conditions
            .extend(entity.tenant.as_ref().filter(|_| !operation.system).map(|_| "of the caller's tenant"));
    }
    let changed = settable(design, operation, action);
    let sets_state = entity
        .states
        .iter()
        .any(|states| states.path.first().is_some_and(|name| changed.contains(&name.text.as_str())));
    conditions.extend((sets_state && action.verb == WriteVerb::Update).then_some("allowed transition"));
    conditions.extend(action.condition.as_ref().map(|_| "its own condition"));
    let conditions =
        if conditions.is_empty() { String::new() } else { format!(" if {}", conditions.join(", ")) };
    format!("{} {}{conditions}", action.verb.as_str(), entity.name)
}

fn add_cost(design: &Design, entity: &Entity, action: &Action, guards: u64, cost: &mut Cost) {
    let bytes = typical_bytes(design, entity);
    if !action.verb.writes() {
        cost.rcu += read_units(bytes, action.strong || action.verb == WriteVerb::Check);
        return;
    }
    let table = design.table_of(entity);
    let arms = table.map_or(0, |table| {
        let held = |index: &&Index| !matches!(membership(entity, &index.key), Membership::Never(_));
        table
            .indexes
            .iter()
            .filter(held)
            .map(|index| match &index.projection {
                Some(Projection::Keys) => 1,
                _ => write_units(bytes),
            })
            .sum::<u64>()
    });
    cost.wcu += (write_units(bytes) + arms + guards) as f64;
}
