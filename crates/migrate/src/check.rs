//! Checks of a plan before anything is read.

use sortkey_core::internals::{Fields, Val, key_of};
use sortkey_design::program::{ExprKind, Function};
use sortkey_diagnostics::a;

use crate::plan::{Plan, Side, Source};
use crate::refusal::Refusal;
use crate::state::Home;

/// Refuses a plan that cannot be carried out.
pub(crate) fn plan(plan: &Plan) -> Result<(), Refusal> {
    let mut reasons = Vec::new();
    if plan.mappings.is_empty() {
        reasons.push("the `migrate` block maps no entity: write `New from Old { ... }`".to_owned());
    } else if Home::of(plan).is_none() {
        reasons.push(
            "no old table has text as its partition key: the state of the migration has no place".to_owned(),
        );
    }
    let program = plan.new.program();
    for mapping in &plan.mappings {
        let (old, new) = (plan.info(Side::Old, mapping.of.old), plan.info(Side::New, mapping.of.new));
        let entity = new.of(program);
        for (name, source) in &mapping.sources {
            let attribute = entity.attributes.find(name).map(|id| &entity.attributes[id]);
            let fill = attribute.and_then(|each| each.fill.as_ref());
            let is_made = fill.is_some_and(|fill| matches!(fill.value.kind, ExprKind::New));
            if is_made && *source == Source::Nothing && attribute.is_some_and(|each| !each.optional) {
                reasons.push(format!(
                    "`{}.{name}` would be made anew in every run: the mapping has to take it from the old {}",
                    new.name, old.name
                ));
            }
        }
        for (id, value) in &mapping.of.fields {
            let mut is_chance = false;
            value.walk(&mut |each| {
                is_chance |= matches!(
                    each.kind,
                    ExprKind::New | ExprKind::Function { function: Function::Random, .. }
                );
            });
            if is_chance {
                let name = new.name_of(*id);
                reasons.push(format!(
                    "`{}.{name}` is made by chance: a mapping gives the same in every run",
                    new.name
                ));
            }
        }
        for arrow in &mapping.arrows {
            let ExprKind::Arrow { to, .. } = &arrow.kind else { continue };
            let other = plan.info(Side::Old, to.entity);
            let target = other.name_of(to.attribute);
            let known: Fields = [(target.clone(), Val::Text("x".to_owned()))].into();
            if key_of(&plan.old.scope(None), other, &known).is_none() {
                reasons.push(format!(
                    "the mapping of `{}` needs {} by `{target}` alone, which is not its key",
                    new.name,
                    a(&other.name)
                ));
            }
        }
    }
    match reasons.is_empty() {
        true => Ok(()),
        false => Err(Refusal::all(reasons)),
    }
}
