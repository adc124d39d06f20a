//! The part of an item that an index holds, and whether it is sufficient.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{
    AttributeId, Bind, BindValue, Bound, Conjunct, Entity, EntityId, Expr, ExprKind, Program, Source,
    TemplateId,
};

use super::question::Question;
use super::{KeyIs, Recipe};
use crate::facts::{slots, told};
use crate::{AttributeSet, Path};

/// The known part of an item of one entity, if an index holds only a part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    /// The attributes whose values are copied, or follow from the text of a key.
    pub attributes: AttributeSet,
    /// The texts of templates that it holds.
    pub texts: Vec<TemplateId>,
}

impl Held {
    /// The part of an entity that the index of a path holds; none if it holds everything, or is no index.
    fn of(program: &Program, path: Path) -> Option<Held> {
        let entity = &program.entities[path.entity];
        let mut held = Held::default();
        for source in sources(program, path)? {
            held.attributes.extend(told(entity, source));
            held.texts.extend(match source {
                Source::Template(id) => Some(id),
                Source::Attribute(_) => None,
            });
        }
        Some(held)
    }

    /// Whether everything is known that an expression looks at.
    fn decides(&self, expr: &Expr) -> bool {
        let mut decides = true;
        expr.walk(&mut |each| {
            decides &= match &each.kind {
                ExprKind::Stored(id) => self.texts.contains(id),
                ExprKind::Item => false,
                _ => true,
            };
        });
        decides && expr.attributes().into_iter().all(|id| self.attributes.contains(id))
    }
}

impl Question<'_> {
    /// Whether the pattern returns attributes that the index does not hold, of any of its entities.
    pub(super) fn lacks_attributes(&self, path: Path) -> bool {
        if matches!(self.pattern.verb, ReadVerb::Count | ReadVerb::Exists) || self.pattern.then.is_some() {
            return false;
        }
        self.paths(path).any(|(_, path)| self.lacks_attributes_of(path))
    }

    fn lacks_attributes_of(&self, path: Path) -> bool {
        let Some(sources) = sources(self.program, path) else { return false };
        let entity = &self.program.entities[path.entity];
        let lacks = |id: AttributeId| !sources.contains(&Source::Attribute(id));
        let own = |id: &AttributeId| self.program.same_attribute(self.entity, *id, path.entity);
        match (&self.pattern.select, self.pattern.verb) {
            (Some(select), _) => select.iter().filter_map(own).any(lacks),
            (None, ReadVerb::Sum) => self.pattern.summed.iter().copied().any(lacks),
            (None, _) => entity.attributes.entries().any(|(id, each)| each.is_stored() && lacks(id)),
        }
    }

    /// Whether deciding what may come back (live, the caller's, what the key only narrows down, let through by the filter)
    /// needs something that the index does not hold, not even in the text of a key.
    pub(super) fn cannot_decide(&self, path: Path, key: &Recipe) -> bool {
        let narrowed = self.narrowed(key);
        self.paths(path).any(|(at, path)| {
            let mut needed = self.liveness(&self.program.entities[path.entity]);
            if at == 0 {
                needed.join(&narrowed);
            }
            self.held_of(at, path, key).is_some_and(|held| {
                let filters = self.pattern.sieve.get(at).into_iter().flatten();
                let mut filters = filters.skip(self.pattern.conditions.len());
                !needed.without(&held.attributes).is_empty()
                    || filters.any(|filter| !held.decides(&filter.expr))
            })
        })
    }

    /// The attributes that the pattern asks for by a value or a range, and that the text of the key only narrows down: a day for
    /// a time, text in lower case, or slots side by side.
    pub(super) fn narrowed(&self, key: &Recipe) -> AttributeSet {
        let mut narrowed = AttributeSet::new();
        for part in key.partition.iter().chain(&key.sort) {
            let (source, bounded) = match &part.is {
                KeyIs::Text(_) => continue,
                KeyIs::Equal(source) => (*source, None),
                KeyIs::Begins { template, .. } => (Source::Template(*template), None),
                KeyIs::Bounded { source, attribute, .. } => (*source, *attribute),
            };
            let told = told(self.of, source);
            let is_asked = |id: &AttributeId| self.bound.attributes.contains(*id) || bounded == Some(*id);
            narrowed
                .extend(slots(self.of, source).into_iter().filter(|id| is_asked(id) && !told.contains(id)));
        }
        narrowed
    }

    /// The attributes that decide whether an item is live and whose it is, as far as the pattern checks that.
    fn liveness(&self, entity: &Entity) -> AttributeSet {
        let mut needed = AttributeSet::new();
        if !self.pattern.with_deleted {
            needed.extend(entity.deleted.iter().flat_map(Expr::attributes));
        }
        if !self.pattern.with_expired {
            needed.extend(entity.ttl);
        }
        if !self.pattern.system {
            needed.extend(entity.tenant.map(|tenant| tenant.attribute));
        }
        needed
    }

    /// The part of each entity of the pattern that the index of a path holds;
    /// none if it holds everything, or is no index.
    pub(super) fn held(&self, path: Path, key: &Recipe) -> Option<Vec<Held>> {
        self.paths(path).map(|(at, path)| self.held_of(at, path, key)).collect()
    }

    /// The known attributes of an item of the entity at a place: those that the index holds,
    /// and those that every call gives.
    fn held_of(&self, at: usize, path: Path, key: &Recipe) -> Option<Held> {
        let mut held = Held::of(self.program, path)?;
        let narrowed = self.narrowed(key);
        let given = |bind: &Bind| match (bind.to, &bind.value) {
            (Bound::Attribute(id), BindValue::Parameter(local)) if !self.may_be_left_out(*local) => Some(id),
            _ => None,
        };
        let given = self.pattern.binds.iter().filter_map(given).filter(|id| !narrowed.contains(*id));
        // The names of `by` are those of the first entity.
        held.attributes.extend(given.filter(|_| at == 0));
        Some(held)
    }

    /// The path as each entity of the pattern fills its key, with the place of the entity.
    fn paths(&self, path: Path) -> impl Iterator<Item = (usize, Path)> {
        let of = move |(at, entity): (usize, &EntityId)| (at, Path { entity: *entity, ..path });
        self.pattern.entities.iter().enumerate().map(of)
    }

    /// The conditions that are checked for each item: those on its known attributes. The path has answered the others.
    pub(super) fn residual(&self, held: Option<&[Held]>) -> Vec<Vec<usize>> {
        let asked = |(at, sieve): (usize, &Vec<Conjunct>)| {
            let held = held.and_then(|held| held.get(at));
            let is_known = |conjunct: &Conjunct| held.is_none_or(|held| held.decides(&conjunct.expr));
            sieve.iter().enumerate().filter(|(_, each)| is_known(each)).map(|(at, _)| at).collect()
        };
        self.pattern.sieve.iter().enumerate().map(asked).collect()
    }
}

/// The sources of the values that the index of a path holds; none if it holds everything, or is no index.
fn sources(program: &Program, path: Path) -> Option<Vec<Source>> {
    path.index()?;
    let key = path.key(program);
    let copies = key.copies.as_ref()?;
    let keys = program.entities[path.entity].key.parts().chain(key.parts()).filter_map(|part| part.source);
    Some(keys.chain(copies.iter().copied()).collect())
}
