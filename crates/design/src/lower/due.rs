//! Consequences of workers and routes that need the whole design: the patterns that list due items,
//! and whether a route has a caller.

use crate::facts;
use crate::model::*;

/// The maximum number of partitions of an index over which due items may be spread: each is one query.
const MAX_SHARDS: u64 = 1_024;

/// How many due items are read at a time.
const PAGE: u64 = 100;

/// Adds the pattern of every `due` worker that an index can answer, and marks the routes whose callees need a caller.
pub(super) fn patterns(design: &mut Design) {
    let mut found = Vec::new();
    for (at, worker) in design.workers.iter().enumerate() {
        found.extend(due_pattern(design, worker).map(|pattern| (at, pattern)));
    }
    for (at, made) in found {
        if let Trigger::Due { pattern, .. } = &mut design.workers[at].trigger {
            *pattern = Some(made.name.text.clone());
        }
        design.patterns.push(made);
    }
    for at in 0..design.operations.len() {
        let operation = &design.operations[at];
        if let (true, [Stmt { kind: StmtKind::Return { value }, .. }]) =
            (operation.internal, operation.body.as_slice())
        {
            design.operations[at].system = !calls_as_caller(design, value);
        }
    }
}

/// Whether an expression calls something that needs a caller.
fn calls_as_caller(design: &Design, value: &Expr) -> bool {
    let mut found = false;
    value.walk(&mut |expr| {
        let ExprKind::Call { callee, .. } = &expr.kind else { return };
        let name = callee.as_name().unwrap_or_default();
        found |= design.operation(name).is_some_and(|each| !each.system);
        found |= design.pattern(name).is_some_and(|each| !each.system);
    });
    found
}

/// `list E by shard in all where CONDITION and TIME <= now oldest first page 100`
fn due_pattern(design: &Design, worker: &Worker) -> Option<Pattern> {
    let Trigger::Due { entity: name, by, when, .. } = &worker.trigger else { return None };
    let entity = design.entity(&name.text)?;
    let table = design.table_of(entity)?;
    let keys = table.indexes.iter().filter(|index| !index.local).map(|index| &index.key);
    let shards = keys.into_iter().find_map(|key| shards(design, entity, key, &by.text))?;
    let span = by.span;
    let named = |text: &str| Expr { kind: ExprKind::Name { name: text.to_owned() }, span };
    let both = |op, left, right| Expr {
        kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) },
        span,
    };
    let is_due = both(Op::LtEq, named(&by.text), named("now"));
    let condition = match when {
        Some(when) => both(Op::And, when.clone(), is_due),
        None => is_due,
    };
    // The attributes that a claim and the choice of the next item need; the rest is read when the item is claimed.
    let mut select: Vec<Name> =
        facts::key_attributes(design, entity).into_iter().map(|name| Name::new(name, span)).collect();
    let wanted = [Some(by), worker.per.as_ref().map(|(per, _)| per)];
    for each in wanted.into_iter().flatten() {
        if entity.attribute(&each.text).is_some() && !select.contains(each) {
            select.push(each.clone());
        }
    }
    Some(Pattern {
        name: Name::new(format!("due {}", worker.name), worker.name.span),
        system: true,
        internal: true,
        verb: ReadVerb::List,
        verb_span: span,
        entities: vec![name.clone()],
        binds: shards
            .into_iter()
            .map(|each| {
                // A part that the condition fixes is one partition, not all of them.
                let fixed = when.as_ref().and_then(|when| fixed(when, each));
                Bind { name: Name::new(each, span), value: fixed.map_or(BindValue::All, BindValue::Expr) }
            })
            .collect(),
        condition: Some(condition),
        order: Some(Order { by: None, descending: false, span }),
        page: Some(PAGE),
        select: Some(select),
        span: worker.span,
        ..Pattern::default()
    })
}

/// The value that a condition demands of an attribute: `state = waiting`.
fn fixed(when: &Expr, attribute: &str) -> Option<Expr> {
    match &when.kind {
        ExprKind::Binary { op: Op::And, left, right } => {
            fixed(left, attribute).or_else(|| fixed(right, attribute))
        }
        ExprKind::Binary { op: Op::Eq, left, right } if left.as_name() == Some(attribute) => {
            Some((**right).clone())
        }
        _ => None,
    }
}

/// The attributes that spread due items over the partitions of a key, if it sorts them by the time.
fn shards<'a>(design: &'a Design, entity: &'a Entity, key: &Key, by: &str) -> Option<Vec<&'a str>> {
    let first = key.sort.first()?;
    let sorts = match facts::source(entity, &first.text)? {
        facts::Source::Natural(attribute) => attribute.name.is(by),
        facts::Source::Template(template) => {
            matches!(template.pieces.first(), Some(Piece::Slot { attribute, .. }) if attribute.is(by))
        }
    };
    let mut found = Vec::new();
    let mut partitions = 1_u64;
    for name in &key.partition {
        for slot in facts::source(entity, &name.text)?.slots() {
            partitions = partitions.saturating_mul(design.type_of(entity.attribute(slot)?).cardinality()?);
            found.push(slot);
        }
    }
    (sorts && partitions <= MAX_SHARDS).then_some(found)
}
