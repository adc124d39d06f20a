//! The documentation of a call that is alike in every language: its cost, its repeats, its caller, its errors.

use std::fmt::Write as _;

use sortkey_plan::units;

use super::{Call, pascal};

/// Lines behind the plan of a call. `name` spells a parameter; `errors` makes a sentence of the list of errors.
pub(super) fn facts(
    call: &Call,
    name: impl Fn(&str) -> String,
    errors: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut lines = vec![cost(call)];
    if let Some(key) = &call.idempotent_by {
        lines.push(format!("A repeat with the same `{}` gives the first result.", name(key)));
    }
    for parameter in call.parameters.iter().filter(|each| each.of_caller) {
        lines.push(format!("`{}` is the caller's own if it is left out.", name(&parameter.name)));
    }
    if !call.errors.is_empty() {
        let names: Vec<String> = call.errors.iter().map(|name| pascal(name)).collect();
        lines.push(errors(&names.join(", ")));
    }
    lines
}

/// A function that spells a parameter as a language does; `names` are in the order of the call's parameters.
pub(super) fn spelled<'a>(call: &'a Call, names: &'a [String]) -> impl Fn(&str) -> String + 'a {
    move |own| {
        let at = call.parameters.iter().position(|each| each.name == own);
        at.map_or(own, |at| names[at].as_str()).to_owned()
    }
}

fn cost(call: &Call) -> String {
    let cost = &call.cost;
    let plural = if cost.requests == 1.0 { "" } else { "s" };
    let mut sentence = format!("On average {} request{plural}", units(cost.requests));
    for (amount, unit) in [(cost.rcu, "RCU"), (cost.wcu, "WCU")] {
        if amount > 0.0 {
            let _ = write!(sentence, ", {} {unit}", units(amount));
        }
    }
    sentence + "."
}
