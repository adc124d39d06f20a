//! # foreign-parent-read
//!
//! ## What it notices
//!
//! Callers name the parent of the items that a pattern lists, the items belong to tenants, and nothing asks whether the parent is
//! the caller's before its items are read.
//!
//! ## Why it matters
//!
//! Items of other tenants are left out of the answer, but only after they were read, page by page. A caller who names a
//! foreign parent pays for all of its items, and can estimate from the response time how many there are.
//!
//! ## Example
//!
//! ```sk
//! caller { userId uuid }
//! table Sources { key (userId | sourceId) }
//! table Events { key (sourceId | eventId) }
//! entity Source in Sources {
//!   userId   uuid
//!   sourceId uuid = new
//!   tenant userId
//! }
//! entity Event in Events {
//!   sourceId -> Source
//!   eventId  ulid = new
//!   userId   uuid
//!   tenant userId
//! }
//! pattern events = list Event by sourceId page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! caller { userId uuid }
//! table Sources { key (userId | sourceId) }
//! table Events { key (sourceId | eventId) }
//! entity Source in Sources {
//!   userId   uuid
//!   sourceId uuid = new
//!   tenant userId
//! }
//! entity Event in Events {
//!   sourceId -> Source
//!   eventId  ulid = new
//!   userId   uuid
//!   tenant userId
//! }
//! pattern events = list Event by sourceId page 50 requires Source(userId: caller.userId, sourceId)
//! ```
//!
//! ## When to allow
//!
//! When a parent has few items, or its id cannot be guessed and is nobody's secret.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::Program;
use sortkey_design::model::{Op, Pattern, ReadVerb};
use sortkey_design::program::{self, BindValue, Bound, EntityId, Expr, ExprKind, Id, LocalId, PatternId};
use sortkey_diagnostics::Severity;
use sortkey_plan::Way;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7015",
    name: "foreign-parent-read",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("foreign_parent_read.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(declared: &Pattern, cx: &mut Context<'_>) {
    let Some(plan) = cx.plan(declared).filter(|_| !declared.system && !declared.internal) else { return };
    let Some(at) = cx.design.patterns.iter().position(|each| std::ptr::eq(each, declared)) else { return };
    let pattern = &cx.program.patterns[PatternId::new(at)];
    let entity = &cx.program.entities[plan.path.entity];
    let Some(tenant) = entity.tenant else { return };
    let reads_many = pattern.verb != ReadVerb::Get && matches!(plan.path.way, Way::Key | Way::Index(_));
    let of_the_caller = plan.given.iter().any(|given| given.to == Bound::Attribute(tenant.attribute));
    if !reads_many || of_the_caller || asks_first(cx.program, pattern) {
        return;
    }
    let tenant = &*entity.attributes[tenant.attribute].name;
    let title = format!("`{}` reads the items of other tenants before it leaves them out", declared.name);
    let mut problem =
        cx.at(declared.verb_span, title).label(format!("the key of this path does not contain `{tenant}`"));
    problem = match parent(cx.program, plan.path.entity, pattern) {
        Some(check) => problem.note(format!(
            "`requires {check}` asks for the parent first, and reads nothing of a foreign one."
        )),
        None => problem
            .note("A rule in `requires` that reads the parent rejects callers before anything is read."),
    };
    cx.push(problem);
}

/// Whether `requires` compares what the caller's arguments name with the caller, or reads it, before the items are read.
fn asks_first(program: &Program, pattern: &program::Pattern) -> bool {
    let Some(requires) = pattern.requires.as_ref().filter(|requires| !requires.concerns_item()) else {
        return false;
    };
    let given: Vec<LocalId> = pattern
        .binds
        .iter()
        .filter_map(|bind| match bind.value {
            BindValue::Parameter(local) => Some(local),
            _ => None,
        })
        .collect();
    let is_given = |kind: &ExprKind| matches!(kind, ExprKind::Local(local) if given.contains(local));
    any(requires, &|kind| match kind {
        ExprKind::ItemAt(key) => key.values.iter().any(|(_, value)| any(value, &is_given)),
        ExprKind::Binary { op: Op::Eq, left, right } => [(left, right), (right, left)]
            .iter()
            .any(|(one, other)| is_given(&one.kind) && matches!(other.kind, ExprKind::CallerPart(_))),
        ExprKind::Rule { rule, arguments } => {
            arguments.iter().any(|(_, value)| any(value, &is_given))
                && decides(program, &program.rules[*rule].condition)
        }
        _ => false,
    })
}

/// Whether a rule depends on the caller or on a stored item, by itself or through other rules.
fn decides(program: &Program, condition: &Expr) -> bool {
    any(condition, &|kind| match kind {
        ExprKind::ItemAt(_) | ExprKind::CallerPart(_) => true,
        ExprKind::Rule { rule, .. } => decides(program, &program.rules[*rule].condition),
        _ => false,
    })
}

/// Whether something in an expression is of a kind.
fn any(expr: &Expr, is: &dyn Fn(&ExprKind) -> bool) -> bool {
    let mut found = false;
    expr.walk(&mut |each| found |= is(&each.kind));
    found
}

/// The parent that an argument names, as a rule asks for it: `Source(userId: caller.userId, sourceId)`. None if its key takes
/// more than the argument and the caller.
fn parent(program: &Program, entity: EntityId, pattern: &program::Pattern) -> Option<String> {
    let entity = &program.entities[entity];
    pattern.binds.iter().find_map(|bind| {
        let Bound::Attribute(bound) = bind.to else { return None };
        let reference = entity.attributes[bound].reference?;
        let target = &program.entities[reference.entity];
        let tenant = target.tenant?;
        let mut key = Vec::new();
        for &id in &target.key_attributes {
            let name = &*target.attributes[id].name;
            let own = &*entity.attributes[bound].name;
            key.push(match id {
                _ if id == reference.attribute && name == own => name.to_owned(),
                _ if id == reference.attribute => format!("{name}: {own}"),
                _ if id == tenant.attribute => format!("{name}: caller.{name}"),
                _ => return None,
            });
        }
        let owner = &*target.attributes[tenant.attribute].name;
        let (name, key) = (&target.name, key.join(", "));
        Some(match target.key_attributes.contains(&tenant.attribute) {
            true => format!("{name}({key})"),
            false => format!("{name}({key}) with ({owner} = caller.{owner})"),
        })
    })
}
