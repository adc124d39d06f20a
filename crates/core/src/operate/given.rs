//! The arguments of a call: looked up by name on arrival, then held by parameter.

use std::sync::Arc;

use sortkey_design::program::{Callee, Parameter, ParameterId, Signature};
use sortkey_design::{Program, nearest};

use crate::evaluate::Scope;
use crate::prepared::Shared;
use crate::values::{Admit, Fields, Val};
use crate::{Arguments, Failure, Fault};

/// Arguments that were admitted, by their parameters.
pub(crate) type Given = Vec<(ParameterId, Val)>;

/// Arguments of the declared types, as a client writes them. Unknown ones are refused, and so are missing ones; everything
/// that is wrong is reported together.
pub(crate) fn admit_all(admit: &Admit<'_>, callee: Callee, given: Arguments) -> Result<Given, Failure> {
    let shared = admit.scope.shared;
    let signature = shared.program.signature(callee);
    let admit = suited(admit, callee);
    let mut admitted = Given::with_capacity(given.0.len());
    let mut failures = Vec::new();
    let mut refused = Vec::new();
    for (name, value) in given.0 {
        let Some(id) = signature.find(&name) else {
            failures.push(unknown(&shared.program, callee, &name));
            continue;
        };
        match admit_one(shared, &admit, &signature.parameters[id], value) {
            Ok(value) => admitted.push((id, value)),
            Err(failure) => {
                failures.push(failure);
                refused.push(id);
            }
        }
    }
    let is_given = |id: ParameterId| admitted.iter().any(|(given, _)| *given == id) || refused.contains(&id);
    failures.extend(left_out(signature, &is_given).map(required));
    match failures.is_empty() {
        true => Ok(admitted),
        false => Err(together(failures)),
    }
}

/// The parameters that must be given and are not.
fn left_out<'s>(
    signature: &'s Signature,
    is_given: &dyn Fn(ParameterId) -> bool,
) -> impl Iterator<Item = &'s Parameter> {
    let is_left_out = move |(id, each): &(ParameterId, &Parameter)| {
        !each.optional && each.of_caller.is_none() && each.default.is_none() && !is_given(*id)
    };
    signature.parameters.entries().filter(is_left_out).map(|(_, each)| each)
}

/// Values of the design as arguments of their declared types.
pub(crate) fn admit_computed(scope: &Scope<'_>, callee: Callee, given: Given) -> Result<Given, Failure> {
    let signature = scope.shared.program.signature(callee);
    let admit = suited(&Admit::computed(scope), callee);
    let admitted = |(id, value)| Ok((id, admit_one(scope.shared, &admit, &signature.parameters[id], value)?));
    let admitted: Given = given.into_iter().map(admitted).collect::<Result<_, Failure>>()?;
    let is_given = |id: ParameterId| admitted.iter().any(|(given, _)| *given == id);
    let missing = left_out(signature, &is_given).next().map(required);
    missing.map_or(Ok(admitted), Err)
}

/// A pattern looks for its arguments, a bare `create` stores them, and any other operation may ask what is in them.
fn suited<'a>(admit: &Admit<'a>, callee: Callee) -> Admit<'a> {
    match callee {
        Callee::Operation(id) if admit.scope.shared.created[id].is_some() => *admit,
        // A stored value is checked once more when it is stored.
        _ => admit.finding().keeping_empty(),
    }
}

/// All that is wrong, in one failure; the field is the first's.
fn together(failures: Vec<Failure>) -> Failure {
    let all: Vec<&str> = failures.iter().map(|each| each.message.as_str()).collect();
    let message = all.join("; ");
    let fault = |each: &Failure| Fault { field: each.field.clone(), message: each.message.clone() };
    let faults = if failures.len() > 1 { failures.iter().map(fault).collect() } else { Vec::new() };
    let first = failures.into_iter().next().unwrap_or_else(|| Failure::internal("nothing is wrong"));
    Failure { message, faults, ..first }
}

pub(super) fn unknown(program: &Program, callee: Callee, name: &str) -> Failure {
    let names = || program.signature(callee).parameters.iter().map(|parameter| &*parameter.name);
    let advice = match (nearest(name, names()), names().next()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(_)) => format!("it takes {}", names().collect::<Vec<_>>().join(", ")),
        (None, None) => "it takes nothing".to_owned(),
    };
    Failure::invalid(name, format!("`{}` takes no `{name}`; {advice}", program.name(callee)))
}

pub(super) fn required(parameter: &Parameter) -> Failure {
    Failure::invalid(&*parameter.name, format!("`{}` is required", parameter.name))
}

fn admit_one(shared: &Shared, admit: &Admit<'_>, parameter: &Parameter, value: Val) -> Result<Val, Failure> {
    match (parameter.attribute, value) {
        // Null removes an attribute, and leaves an optional parameter out.
        (_, Val::Null) if parameter.optional => Ok(Val::Absent),
        (Some((entity, id)), value) => {
            let attribute = &shared.program.entities[entity].attributes[id];
            admit.attribute(attribute, value, &parameter.name)
        }
        (None, value) => admit.value(&parameter.ty, value, &parameter.name),
    }
}

/// Puts arguments into the scope of a pattern or operation: defaults filled in, the caller's own tenant, nothing required
/// missing.
pub(crate) fn bind(scope: &mut Scope<'_>, callee: Callee, given: Given) -> Result<(), Failure> {
    let shared = scope.shared;
    let parameters = &shared.program.signature(callee).parameters;
    scope.reserve(parameters.len());
    for (id, value) in given {
        scope.set(parameters[id].local, value);
    }
    for parameter in parameters {
        if scope.get(parameter.local).is_some() {
            continue;
        }
        let value = match &parameter.default {
            Some(default) => Some(scope.eval(default, None)?),
            None => of_caller(scope, parameter).map(|(_, own)| own.clone()),
        };
        let must_be_own = parameter.of_caller.is_some() && matches!(callee, Callee::Pattern(_));
        match value {
            Some(value) => scope.set(parameter.local, value),
            None if !parameter.optional || must_be_own => return Err(required(parameter)),
            // A declared parameter that is left out is absent; one of an attribute leaves the attribute alone.
            None if parameter.declared => scope.set(parameter.local, Val::Absent),
            None => {}
        }
    }
    Ok(())
}

/// The caller's own value of a parameter that the caller settles.
fn of_caller<'s>(scope: &'s Scope<'_>, parameter: &Parameter) -> Option<(&'s Arc<str>, &'s Val)> {
    let part = &scope.shared.program.caller[parameter.of_caller?].name;
    scope.caller.as_ref()?.entry(part)
}

/// Arguments by the names of their parameters, which are those of the attributes that they set.
pub(super) fn by_name(signature: &Signature, given: Given) -> Fields {
    // Room for what is filled in.
    let mut fields = Fields::with_capacity(given.len() + 8);
    for (id, value) in given {
        fields.insert(signature.parameters[id].name.clone(), value);
    }
    fields
}
