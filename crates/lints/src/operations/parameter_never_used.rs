//! # parameter-never-used
//!
//! ## What it notices
//!
//! A pattern or an operation declares a parameter that it does not use.
//!
//! ## Why it matters
//!
//! Every caller has to give it, and generated clients ask for it, although it changes nothing. Mostly it is what a condition
//! or a field has forgotten.
//!
//! ## Example
//!
//! ```sk
//! table Notes { key (userId | noteId) }
//! entity Note in Notes {
//!   userId uuid
//!   noteId ulid = new
//!   words  string(1..400)
//! }
//! operation write(userId, words, pinned: bool) { create Note { userId, words } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Notes { key (userId | noteId) }
//! entity Note in Notes {
//!   userId uuid
//!   noteId ulid = new
//!   words  string(1..400)
//! }
//! operation write(userId, words) { create Note { userId, words } }
//! ```
//!
//! ## When to allow
//!
//! When clients send it already and a later version of the design will use it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::used;
use sortkey_design::model::*;
use sortkey_design::program::{LocalId, Signature};
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6023",
    name: "parameter-never-used",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("parameter_never_used.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let (design, program) = (cx.design, cx.program);
    for (pattern, compiled) in
        design.patterns.iter().zip(&program.patterns).filter(|(each, _)| !each.internal)
    {
        let unused = |local| !used::by_pattern(compiled, local);
        report(&pattern.name, &pattern.params, &compiled.signature, &unused, cx);
    }
    for (operation, compiled) in
        design.operations.iter().zip(&program.operations).filter(|(each, _)| !each.internal)
    {
        let unused = |local| !used::by_operation(compiled, local);
        report(&operation.name, &operation.params, &compiled.signature, &unused, cx);
    }
}

fn report(
    name: &Name,
    declared: &[Param],
    signature: &Signature,
    unused: &dyn Fn(LocalId) -> bool,
    cx: &mut Context<'_>,
) {
    for param in declared {
        let Some(id) = signature.find(&param.name.text) else { continue };
        let parameter = &signature.parameters[id];
        // What has no type and is no attribute is an error of the compiler.
        let is_known = parameter.attribute.is_some() || !param.ty.is_undeclared() || param.default.is_some();
        if is_known && parameter.of_caller.is_none() && unused(parameter.local) {
            let title = format!("`{name}` does not use its parameter `{}`", param.name);
            let note = "Use it, or leave it out: callers have to give what they need not.";
            cx.push(cx.at(param.name.span, title).label("changes nothing").note(note));
        }
    }
}
