//! Whether the key of a request shows what the items under it are: live items of the entity, and of one tenant.
//!
//! Such items belong to the result without being examined. An item that another program stored under such a key is only
//! discovered by a later read of the item.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{Entity, EntityId, Piece, Source};

use super::question::Question;
use super::{KeyIs, ReadPlan};
use crate::facts::told;
use crate::{Path, Way};

impl Question<'_> {
    /// Whether the keys of a plan show all that is asked of its items.
    pub(super) fn is_shown(&self, plan: &ReadPlan) -> bool {
        let (pattern, table) = (self.pattern, &self.program.tables[plan.path.table]);
        let is_lookup = matches!(pattern.verb, ReadVerb::Get | ReadVerb::List)
            && matches!(plan.path.way, Way::Key | Way::Index(_));
        let is_alone = pattern.entities.len() == 1 && pattern.then.is_none() && pattern.requires.is_none();
        let is_whole = !plan.fetches && plan.held.is_none();
        let is_answered = plan.narrowed.is_empty() && plan.residual.iter().all(Vec::is_empty);
        let is_live = (pattern.with_expired || self.of.ttl.is_none())
            && (pattern.with_deleted || self.of.deleted.is_none());
        let mut others = table.entities.iter().filter(|other| **other != self.entity);
        is_lookup
            && is_alone
            && is_whole
            && is_answered
            && is_live
            && table.kind.is_none()
            && self.tells_tenant(plan)
            && !others.any(|other| self.may_reach(plan, *other))
    }

    /// Whether the partition key determines whose the items are.
    fn tells_tenant(&self, plan: &ReadPlan) -> bool {
        let Some(tenant) = self.of.tenant else { return true };
        plan.key.partition.iter().any(|part| match part.is {
            KeyIs::Equal(source) => told(self.of, source).contains(&tenant.attribute),
            _ => false,
        })
    }

    /// Whether items of another entity may lie under the key of a request.
    fn may_reach(&self, plan: &ReadPlan, other: EntityId) -> bool {
        let theirs = Path { entity: other, ..plan.path }.key(self.program);
        let other = &self.program.entities[other];
        // A parameter that is left out ends the key: further sort attributes may not be asked for.
        plan.key.partition.iter().chain(plan.key.sort.first()).all(|asked| {
            let own = match &asked.is {
                KeyIs::Equal(source) => beginning(self.of, *source),
                KeyIs::Begins { template, pieces } if *pieces > 0 => {
                    beginning(self.of, Source::Template(*template))
                }
                KeyIs::Bounded { source, pieces, .. } if *pieces > 0 => beginning(self.of, *source),
                KeyIs::Text(_) | KeyIs::Begins { .. } | KeyIs::Bounded { .. } => "",
            };
            let part = theirs.parts().find(|part| part.stored == asked.stored);
            match part.and_then(|part| part.source) {
                Some(source) => {
                    let theirs = beginning(other, source);
                    own.starts_with(theirs) || theirs.starts_with(own)
                }
                // Nothing fills this part, so that no item of the other is there.
                None => false,
            }
        })
    }
}

/// The text that a stored attribute of an entity always begins with.
fn beginning(entity: &Entity, source: Source) -> &str {
    match source {
        Source::Template(id) => match entity.templates[id].pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        },
        Source::Attribute(_) => "",
    }
}
