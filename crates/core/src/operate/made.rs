//! Calls of tests as clients would make them, for what records or observes them.

use sortkey_design::program::Callee;

use super::Made;
use super::given::Given;
use crate::evaluate::Scope;
use crate::values::{Val, json_object, to_json};

/// A call as a client would make it.
pub(super) fn made(scope: &Scope<'_>, callee: Callee, given: &Given) -> Made {
    let program = &scope.shared.program;
    let parameters = &program.signature(callee).parameters;
    let arguments = given
        .iter()
        .filter(|(_, value)| !value.is_absent())
        .map(|(id, value)| (parameters[*id].name.to_string(), to_json(program, &parameters[*id].ty, value)));
    let is_system = program.is_system(callee);
    let caller = scope.caller.as_ref().filter(|_| !is_system).map(|fields| {
        let attribute = |(name, value): (&std::sync::Arc<str>, &Val)| {
            let ty = &program.caller[program.caller.find(name)?].ty;
            Some((name.to_string(), to_json(program, ty, value)))
        };
        json_object(fields.iter().filter(|(_, value)| !value.is_absent()).filter_map(attribute))
    });
    Made {
        name: program.name(callee).to_string(),
        arguments: json_object(arguments),
        is_of_tests: !is_system && caller.is_none(),
        caller,
    }
}
