//! Values that DynamoDB cannot store, and values that cannot identify a receipt:
//! mistakes that the text alone shows.

use crate::facts::actions;
use crate::model::*;
use crate::problems::{ABSENT, ARGUMENT, UNKNOWN};
use crate::program::{Program, Signature};
use sortkey_diagnostics::Diagnostic;

/// Reports empty sets in attributes that no item may lack, and invalid scopes of receipts.
pub(crate) fn check(design: &Design, program: &Program, problems: &mut Vec<Diagnostic>) {
    for attribute in design.entities.iter().flat_map(|entity| &entity.attributes) {
        let fill = attribute.value.iter().map(|fill| &fill.value);
        fill.for_each(|value| empty_set(design, attribute, value, problems));
    }
    for (operation, compiled) in design.operations.iter().zip(&program.operations) {
        for site in actions(operation) {
            let Some(entity) = design.entity(&site.action.entity.text) else { continue };
            let whole = site.action.fields.fields.iter();
            for field in whole.filter(|field| field.op == FieldOp::Set && field.index.is_none()) {
                let [name] = field.path.as_slice() else { continue };
                if let Some(attribute) = entity.attribute(&name.text) {
                    empty_set(design, attribute, &field.value, problems);
                }
            }
        }
        scope(operation, &compiled.signature, problems);
    }
}

fn empty_set(design: &Design, attribute: &Attribute, value: &Expr, problems: &mut Vec<Diagnostic>) {
    let is_set = matches!(design.type_of(attribute), Type::Set { .. });
    let is_empty = matches!(&value.kind, ExprKind::List { elements } if elements.is_empty());
    if is_set && is_empty && attribute.is_stored() && !attribute.may_be_absent() {
        let problem = ABSENT.at(value.span, "this set must have a member").label("empty");
        let said = format!("`{}` must always be there", attribute.name);
        let why = "DynamoDB has no empty sets, so an empty one is absent; mark what may be absent with `?`.";
        problems.push(problem.also(attribute.type_place(), said).note(why));
    }
}

/// The scope of a receipt: parameters that are always given, beside the one that differs from call to call.
fn scope(operation: &Operation, signature: &Signature, problems: &mut Vec<Diagnostic>) {
    let Some((by, _)) = &operation.idempotent else { return };
    for name in &operation.idempotent_within {
        match signature.find(&name.text).map(|id| &signature.parameters[id]) {
            None => {
                let title = format!("there is no parameter called `{name}`");
                problems.push(UNKNOWN.at(name.span, title));
            }
            Some(_) if name == by => {
                let title =
                    format!("`{name}` is what differs from call to call, and cannot be its own scope");
                problems.push(ARGUMENT.at(name.span, title));
            }
            Some(parameter) if parameter.optional => {
                let title =
                    format!("`{name}` may be left out, and a receipt without it would be everybody's");
                let problem = ARGUMENT.at(name.span, title).also(parameter.span, "declared here");
                problems.push(problem.note("Take it without `?`, or name another parameter."));
            }
            Some(_) => {}
        }
    }
}
