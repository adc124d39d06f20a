//! The key of a `get` whose arguments are its attributes: made of the arguments where they are, without anything between.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{AttributeId, BindValue, Bound, Entity, LocalId, Program, Source, TemplateId};
use sortkey_plan::{GivenBy, KeyIs};
use sortkey_value::Item;

use super::Read;
use crate::evaluate::Scope;
use crate::values::{Lookup, Val};

/// The attributes of which the key is made, each with the argument that gives it.
pub(super) type Arguments = Box<[(AttributeId, LocalId)]>;

/// The arguments of a call as attributes.
struct Direct<'d, 's> {
    scope: &'d Scope<'s>,
    arguments: &'d [(AttributeId, LocalId)],
}

impl Lookup for Direct<'_, '_> {
    fn value<'v>(&'v self, _: &Entity, id: AttributeId) -> Option<&'v Val> {
        let (_, local) = self.arguments.iter().find(|(given, _)| *given == id)?;
        self.scope.get(*local).filter(|value| !value.is_absent())
    }

    fn text<'v>(&'v self, _: &Entity, _: TemplateId) -> Option<&'v str> {
        None
    }
}

impl Read {
    /// The arguments that make the key of a `get`, if nothing else does: no value that has to be computed or derived.
    pub(super) fn key_arguments(&self, program: &Program) -> Option<Arguments> {
        if self.pattern.verb != ReadVerb::Get || !self.is_whole_key || self.may_ask_for_nothing {
            return None;
        }
        let argument = |by: GivenBy, to: Bound| match (by, to) {
            (GivenBy::Bind(at), Bound::Attribute(id)) => match self.pattern.binds.get(at)?.value {
                BindValue::Parameter(local) if self.is_of(local, to) => Some((id, local)),
                _ => None,
            },
            _ => None,
        };
        let given = self.plan.given.iter().map(|given| argument(given.by, given.to));
        let arguments: Arguments = given.collect::<Option<_>>()?;
        let entity = &program.entities[self.first()];
        let is_given = |id: AttributeId| arguments.iter().any(|(given, _)| *given == id);
        let recipe = &self.plan.key;
        let is_made = recipe.partition.iter().chain(&recipe.sort).all(|part| match part.is {
            KeyIs::Equal(Source::Attribute(id)) => is_given(id),
            KeyIs::Equal(Source::Template(id)) => entity.templates[id].slots().all(is_given),
            _ => false,
        });
        is_made.then_some(arguments)
    }

    /// The key of the item that a `get` asks for; none if it takes more than the arguments, or if the item is another
    /// tenant's.
    pub(super) fn direct_key(&self, scope: &Scope<'_>) -> Option<Item> {
        let direct = Direct { scope, arguments: self.arguments.as_deref()? };
        let entity = self.entity(scope).of(&scope.shared.program);
        if let (Some(caller), Some(tenant)) = (&scope.caller, entity.tenant)
            && let Some(asked) = direct.value(entity, tenant.attribute)
        {
            caller.get(&entity.attributes[tenant.attribute].name).filter(|own| own.same(asked))?;
        }
        self.table_key(scope, &direct)
    }
}
