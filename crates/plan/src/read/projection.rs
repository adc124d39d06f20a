//! What an index holds of an item, and whether that is enough.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{AttributeId, Bound, Conjunct, Source};

use super::question::Question;
use crate::facts::slots;
use crate::{AttributeSet, Path};

impl Question<'_> {
    /// Whether the pattern returns attributes that the index does not hold.
    pub(super) fn lacks_attributes(&self, path: Path) -> bool {
        if matches!(self.pattern.verb, ReadVerb::Count | ReadVerb::Exists) || self.pattern.then.is_some() {
            return false;
        }
        let Some(sources) = self.sources_in(path) else { return false };
        let held: AttributeSet = sources
            .iter()
            .filter_map(|source| match source {
                Source::Attribute(id) => Some(*id),
                Source::Template(_) => None,
            })
            .collect();
        let lacks = |id: AttributeId| !held.contains(id);
        match (&self.pattern.select, self.pattern.verb) {
            (Some(select), _) => select.iter().copied().any(lacks),
            (None, ReadVerb::Sum) => self.pattern.summed.iter().copied().any(lacks),
            (None, _) => self.of.attributes.entries().any(|(id, each)| each.is_stored() && lacks(id)),
        }
    }

    /// Whether deciding what may come back (live, the caller's, let through by the filter) needs attributes that the index
    /// does not hold, not even in the text of a key.
    pub(super) fn cannot_decide(&self, path: Path) -> bool {
        let Some(held) = self.held(path) else { return false };
        let mut needed = AttributeSet::new();
        if !self.pattern.with_deleted {
            needed.extend(self.of.deleted.iter().flat_map(sortkey_design::program::Expr::attributes));
        }
        if !self.pattern.with_expired {
            needed.extend(self.of.ttl);
        }
        if !self.pattern.system {
            needed.extend(self.of.tenant.map(|tenant| tenant.attribute));
        }
        needed.extend(self.pattern.filters.iter().flat_map(|filter| filter.expr.attributes()));
        !needed.without(&held).is_empty()
    }

    /// The attributes that an index holds, as values or in the text of a key; none if it holds all, or is no index.
    pub(super) fn held(&self, path: Path) -> Option<AttributeSet> {
        let sources = self.sources_in(path)?;
        Some(sources.into_iter().flat_map(|source| slots(self.of, source)).collect())
    }

    /// What an index holds; none if it holds everything, or is no index.
    fn sources_in(&self, path: Path) -> Option<Vec<Source>> {
        path.index()?;
        let key = path.key(self.program);
        let copies = key.copies.as_ref()?;
        let keys = self.of.key.parts().chain(key.parts()).filter_map(|part| part.source);
        Some(keys.chain(copies.iter().copied()).collect())
    }

    /// The conditions that are asked of each item: those that speak of attributes that are known of it. The others were
    /// answered by the path.
    pub(super) fn residual(&self, held: Option<&AttributeSet>) -> Vec<Vec<usize>> {
        let is_known = |conjunct: &Conjunct| {
            held.is_none_or(|held| {
                let stored = matches!(conjunct.says.about(), Some(Bound::Stored(_)));
                !stored && conjunct.expr.attributes().into_iter().all(|id| held.contains(id))
            })
        };
        let asked = |sieve: &Vec<Conjunct>| {
            sieve.iter().enumerate().filter(|(_, each)| is_known(each)).map(|(at, _)| at).collect()
        };
        self.pattern.sieve.iter().map(asked).collect()
    }
}
