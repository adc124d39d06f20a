//! The places that effects, workers, routes and sessions name.

use super::{Checked, Places, Scope, nothing, one_of, within};
use crate::program::{EffectId, Expr, Id, ParameterId, Segment, Trigger};

/// Whether everything that they name is there.
pub(super) fn places(all: &Places<'_>) -> Checked {
    let program = all.program;
    for effect in &program.effects {
        let scope = Scope { locals: effect.signature.parameters.len(), ..Scope::default() };
        all.signature(&effect.signature, scope)?;
        effect.kind.expressions().into_iter().try_for_each(|expr| all.expr(expr, scope))?;
    }
    for worker in &program.workers {
        let parameters = program.operations[worker.operation].signature.parameters.len();
        let of = match &worker.trigger {
            Trigger::On { entity, when, .. } | Trigger::Due { entity, when, .. } => {
                let entity = &program.entities[*entity];
                when.iter().try_for_each(|when| all.expr(when, Scope::default().of(entity)))?;
                within(1, parameters, "parameter for the item")?;
                Some(entity)
            }
            Trigger::Every(_) => None,
        };
        within(0, parameters, "parameter for the run")?;
        if let Trigger::Due { by, .. } = &worker.trigger {
            one_of(*by, &of.ok_or_else(|| nothing("entity"))?.attributes)?;
        }
        if let Some((per, _)) = worker.per {
            one_of(per, &of.ok_or_else(|| nothing("entity"))?.attributes)?;
        }
    }
    for route in &program.routes {
        let parameters = program.operations[route.operation].signature.parameters.len();
        within(0, parameters, "parameter for the request")?;
        for segment in &route.segments {
            if let Segment::Parameter(id) = segment {
                within(id.at(), parameters, "parameter")?;
            }
        }
    }
    for session in &program.sessions {
        within(
            0,
            program.operations[session.operation].signature.parameters.len(),
            "parameter for the token",
        )?;
    }
    Ok(())
}

impl Places<'_> {
    /// Arguments that a test compares the calls of an effect with.
    pub(super) fn effect_arguments(
        &self,
        effect: EffectId,
        arguments: &[(ParameterId, Expr)],
        scope: Scope<'_>,
    ) -> Checked {
        let parameters = self.program.effects[effect].signature.parameters.len();
        arguments.iter().try_for_each(|(id, value)| {
            within(id.at(), parameters, "parameter")?;
            self.expr(value, scope)
        })
    }
}
