//! The operations that make the items of an entity, and the order in which entities are filled.

use sortkey_design::Program;
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_design::program::{Callee, Id, Yields};

use super::existing::existing;
use sortkey_core::Runtime;

/// Entities with the operations that make their items, the likeliest first; parents before children.
pub(crate) fn makers(runtime: &Runtime) -> Vec<(&Entity, Vec<Callee>)> {
    let program = &**runtime.program();
    let design = &program.design;
    let mut waiting: Vec<(&Entity, Vec<Callee>)> =
        design.entities.iter().map(|entity| (entity, makers_of(program, entity))).collect();
    waiting.retain(|(_, makers)| !makers.is_empty());
    let mut ordered: Vec<(&Entity, Vec<Callee>)> = Vec::new();
    while !waiting.is_empty() {
        let free = |(entity, makers): &(&Entity, Vec<Callee>)| {
            !waiting
                .iter()
                .any(|(other, _)| makers.first().is_some_and(|it| needs(program, entity, *it, other)))
        };
        // Entities that need each other have no first; any will do.
        let at = waiting.iter().position(free).unwrap_or(0);
        ordered.push(waiting.remove(at));
    }
    ordered
}

/// Whether items of another entity must be there before one can be made.
fn needs(program: &Program, entity: &Entity, maker: Callee, other: &Entity) -> bool {
    let design = &program.design;
    let refers =
        |each: &Attribute| each.reference.as_ref().is_some_and(|reference| reference.entity == other.name);
    let named = operation(program, maker).map(|maker| existing(design, maker));
    entity.name != other.name
        && (entity.attributes.iter().any(|each| !each.may_be_absent() && refers(each))
            || named.is_some_and(|named| named.values().any(|(each, _)| each.name == other.name))
            || (!program.is_system(maker) && design.caller.iter().any(refers)))
}

/// How likely an operation is to make an item of an entity: those that are there to create one come first, then those
/// that create one on the way, then those that change it and make it where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likelihood {
    Creates,
    CreatesToo,
    Upserts,
}

fn makers_of(program: &Program, entity: &Entity) -> Vec<Callee> {
    let likely = program.callees().filter_map(|each| Some((likelihood(program, entity, each)?, each)));
    let mut likely: Vec<((Likelihood, bool), Callee)> = likely.collect();
    likely.sort_by_key(|(likelihood, _)| *likelihood);
    likely.into_iter().map(|(_, callee)| callee).collect()
}

/// How likely, and whether it does more than that.
fn likelihood(program: &Program, entity: &Entity, callee: Callee) -> Option<(Likelihood, bool)> {
    let actions = actions(operation(program, callee)?);
    let own = |verbs: &[WriteVerb]| {
        actions.iter().any(|site| site.action.entity == entity.name && verbs.contains(&site.action.verb))
    };
    // An operation that also deletes items may leave fewer than it makes.
    let takes = |verb| matches!(verb, WriteVerb::Delete | WriteVerb::Purge);
    if actions.iter().any(|site| takes(site.action.verb)) {
        return None;
    }
    let yields = match program.signature(callee).yields {
        Yields::Item(id) => *program.entities[id].name == *entity.name.text,
        Yields::Value => true,
        _ => false,
    };
    let first = actions.iter().find(|site| site.action.verb == WriteVerb::Create);
    let likelihood = if yields && first.is_some_and(|site| site.action.entity == entity.name) {
        Likelihood::Creates
    } else if own(&[WriteVerb::Create]) {
        Likelihood::CreatesToo
    } else if own(&[WriteVerb::Put, WriteVerb::Upsert]) {
        Likelihood::Upserts
    } else {
        return None;
    };
    Some((likelihood, actions.len() > 1))
}

/// The entities of which an operation makes an item whenever it succeeds.
pub(super) fn brings(program: &Program, maker: Callee) -> Vec<&str> {
    let Some(operation) = operation(program, maker) else { return Vec::new() };
    let always = actions(operation).into_iter().filter(|site| {
        let makes = matches!(site.action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        makes && !site.each && !site.handler && site.action.when.is_none()
    });
    always.map(|site| site.action.entity.text.as_str()).collect()
}

/// Operations that only change items, of entities that some makers look at.
pub(super) fn changers(program: &Program, makers: &[Callee]) -> Vec<Callee> {
    let design = &program.design;
    let mut looked_at: Vec<&str> = Vec::new();
    for operation in makers.iter().filter_map(|maker| operation(program, *maker)) {
        looked_at.extend(actions(operation).iter().map(|site| site.action.entity.text.as_str()));
        looked_at.extend(existing(design, operation).values().map(|(entity, _)| entity.name.text.as_str()));
    }
    let callers = design.caller.iter().filter_map(|each| each.reference.as_ref());
    looked_at.extend(callers.map(|reference| reference.entity.text.as_str()));
    let changes = |callee: &Callee| {
        let Some(operation) = operation(program, *callee) else { return false };
        let actions = actions(operation);
        let updates = |verb| matches!(verb, WriteVerb::Update | WriteVerb::Check | WriteVerb::Get);
        actions.iter().all(|site| updates(site.action.verb))
            && actions.iter().any(|site| {
                site.action.verb == WriteVerb::Update && looked_at.contains(&site.action.entity.text.as_str())
            })
    };
    program.callees().filter(changes).collect()
}

/// The syntax of an operation in the design; none for a pattern.
pub(super) fn operation(program: &Program, callee: Callee) -> Option<&Operation> {
    match callee {
        Callee::Operation(id) => program.design.operations.get(id.at()),
        Callee::Pattern(_) | Callee::Effect(_) => None,
    }
}
