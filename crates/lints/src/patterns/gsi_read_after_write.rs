//! # gsi-read-after-write
//!
//! ## What it notices
//!
//! An operation reads through a global index what it has just written; or what has just been created can be got by its id
//! only through one.
//!
//! ## Why it matters
//!
//! A global index follows the table after a moment. The read may not see the write, most likely under load: the first
//! event after a source is created finds no source.
//!
//! ## Example
//!
//! ```sk
//! table Shares { key (profileId | targetId)  index byTarget (targetId) project all }
//! entity Share in Shares {
//!   profileId uuid
//!   targetId  uuid
//! }
//! pattern sharesOf = list Share by targetId page 50
//! operation share(profileId, targetId) {
//!   create Share { profileId, targetId }
//!   let all = sharesOf(targetId)
//!   return all
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Shares { key (profileId | targetId)  index byTarget (targetId) project all }
//! entity Share in Shares {
//!   profileId uuid
//!   targetId  uuid
//! }
//! pattern sharesOf = list Share by targetId page 50
//! operation share(profileId, targetId) {
//!   let s = create Share { profileId, targetId }
//!   return s
//! }
//! ```
//!
//! ## When to allow
//!
//! When the caller can cope with a missing newest entry.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3014",
    name: "gsi-read-after-write",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("gsi_read_after_write.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    design.operations.iter().for_each(|operation| look(&operation.body, &mut Vec::new(), cx));
    design.patterns.iter().for_each(|pattern| fresh(pattern, cx));
}

/// A `get` by the id that an item got when it was created, where no other read reaches the item without the index.
fn fresh(pattern: &Pattern, cx: &mut Context<'_>) {
    let design = cx.design;
    let [bind] = pattern.binds.as_slice() else { return };
    let Some(path) = cx.plan(pattern).map(|plan| plan.path) else { return };
    let entity = cx.entity_of(path);
    if pattern.verb != ReadVerb::Get || !path.is_global_index(cx.program) || !is_own_id(entity, &bind.name) {
        return;
    }
    let mut sites =
        design.operations.iter().flat_map(actions).filter(|site| site.action.entity == entity.name);
    let created = sites.clone().any(|site| matches!(site.action.verb, WriteVerb::Create | WriteVerb::Put));
    let fetched = sites.any(|site| matches!(site.action.verb, WriteVerb::Get | WriteVerb::Check));
    let by_key = cx.readers(entity).any(|other| {
        let path = cx.plan(other).map(|plan| plan.path);
        other.verb == ReadVerb::Get && path.is_some_and(|path| !path.is_global_index(cx.program))
    });
    if created && !fetched && !by_key {
        let title =
            format!("`{}` does not find {} that was just created", pattern.name, a_quoted(&entity.name.text));
        cx.push(
            cx.at(bind.name.span, title)
                .label(format!("reads through {}", path.describe(cx.program)))
                .note("Pass the whole key where it is known, and read by that; or try again after a moment."),
        );
    }
}

/// Whether an attribute is the id of its own entity: made at creation, or named after it.
fn is_own_id(entity: &Entity, name: &Name) -> bool {
    let named = name.text.strip_suffix("Id").or_else(|| name.text.strip_suffix("_id"));
    let own = named.is_some_and(|stem| entity.name.text.eq_ignore_ascii_case(stem));
    let made = |each: &Attribute| each.value.as_ref().is_some_and(|fill| fill.value.is_name("new"));
    entity.attribute(&name.text).is_some_and(|each| each.reference.is_none() && (own || made(each)))
}

fn look<'a>(body: &'a [Stmt], written: &mut Vec<&'a Name>, cx: &mut Context<'_>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Let { value, .. } | StmtKind::Do { value } => match value {
                Value::Action(action) if action.verb.writes() => written.push(&action.entity),
                Value::Action(_) => {}
                Value::Expr(expr) => called(expr, written, cx),
            },
            StmtKind::Return { value } => called(value, written, cx),
            StmtKind::Transact { body } | StmtKind::Each { body, .. } => look(body, written, cx),
            _ => {}
        }
    }
}

fn called(expr: &Expr, written: &[&Name], cx: &mut Context<'_>) {
    let ExprKind::Call { callee, .. } = &expr.kind else {
        return;
    };
    let Some(pattern) = callee.as_name().and_then(|name| cx.design.pattern(name)) else {
        return;
    };
    let Some(path) = cx.plan(pattern).map(|plan| plan.path) else { return };
    let entity = cx.entity_of(path);
    if path.is_global_index(cx.program) && written.iter().any(|name| **name == entity.name) {
        let title = format!("`{}` may not see what was just written", pattern.name);
        cx.push(
            cx.at(expr.span, title)
                .label(format!("reads through {}", path.describe(cx.program)))
                .note("Return what the write yields, or read by the table's key."),
        );
    }
}
