//! # secret-in-effect
//!
//! ## What it notices
//!
//! A secret of an item is an argument of an effect as it is.
//!
//! ## Why it matters
//!
//! Data that leaves the database ends up in the logs and the memory of others. A signature or a digest proves
//! possession of the secret without giving it away.
//!
//! ## Example
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  index due (shard | nextAt) project keys sparse }
//! entity Job in Jobs {
//!   jobId  uuid = new
//!   state  waiting | done = waiting
//!   key    string(..80) @secret
//!   nextAt time(ms) = now when state = waiting
//!   shard  int(0..15) := hash(jobId) % 16 when state = waiting
//! }
//! effect ping(body: string) -> { status int } = http POST "https://example.com"
//! worker send due Job as j by nextAt when state = waiting {
//!   let r = do ping(body: j.key)
//!   update Job(...j) { state: done, nextAt: absent }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  index due (shard | nextAt) project keys sparse }
//! entity Job in Jobs {
//!   jobId  uuid = new
//!   state  waiting | done = waiting
//!   key    string(..80) @secret
//!   nextAt time(ms) = now when state = waiting
//!   shard  int(0..15) := hash(jobId) % 16 when state = waiting
//! }
//! effect ping(body: string) -> { status int } = http POST "https://example.com"
//! worker send due Job as j by nextAt when state = waiting {
//!   let r = do ping(body: hmac("job", j.key))
//!   update Job(...j) { state: done, nextAt: absent }
//! }
//! ```
//!
//! ## When to allow
//!
//! When the other side needs the secret itself: a token that it issued.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::Program;
use sortkey_design::model::Worker;
use sortkey_design::program::{Callee, Expr, ExprKind, Function, Id, StatementKind, Ty, Value};
use sortkey_diagnostics::{Severity, Span};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7506",
    name: "secret-in-effect",
    theme: Theme::Workers,
    level: Severity::Warning,
    source: include_str!("secret_in_effect.rs"),
    inspect: Inspect::Worker(inspect),
};

fn inspect(worker: &Worker, cx: &mut Context<'_>) {
    let program = cx.program;
    let Some((_, body)) = program.operations.entries().find(|(_, each)| *each.name == *worker.operation)
    else {
        return;
    };
    let mut found = Vec::new();
    for statement in &body.body {
        let (StatementKind::Let { value: Value::Expr(expr), .. } | StatementKind::Do(Value::Expr(expr))) =
            &statement.kind
        else {
            continue;
        };
        let ExprKind::Call { callee: Callee::Effect(effect), arguments } = &expr.kind else { continue };
        for (_, argument) in &arguments.values {
            given_away(program, argument, &mut |name, span| found.push((name, span, *effect)));
        }
    }
    for (name, span, effect) in found {
        let title = format!("the secret `{name}` is sent to `{}`", program.effects[effect].name);
        cx.push(cx.at(span, title).note("Send a signature of it, or a digest."));
    }
}

/// The secrets that an expression passes on unchanged. The result of a function of a secret does not count.
fn given_away(program: &Program, expr: &Expr, found: &mut dyn FnMut(String, Span)) {
    match &expr.kind {
        ExprKind::Of { item, attribute } => {
            if let Ty::Item(entity) = item.ty
                && let Some(attribute) = program.entities[entity].attributes.iter().nth(attribute.at())
                && attribute.flags.secret
            {
                found(attribute.name.to_string(), expr.span);
            }
        }
        ExprKind::Function { function: Function::Concat | Function::Coalesce, arguments } => {
            arguments.iter().for_each(|each| given_away(program, each, found));
        }
        ExprKind::Function { .. } => {}
        _ => expr.children(&mut |child| given_away(program, child, found)),
    }
}
