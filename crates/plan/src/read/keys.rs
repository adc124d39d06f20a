//! Whether a key or a guard answers a pattern, and how it is made of what the pattern gives.

use sortkey_design::model::{ReadVerb, SlotFormat, TimeUnit};
use sortkey_design::program::{
    AttributeId, Bound, Conjunct, Expr, ExprKind, FilledKey, Function, Piece, Says, Source, TemplateId, Type,
    UniqueId,
};

use super::question::{Bounds, Question};
use super::{KeyIs, KeyPart, Obstacle, ReadPlan, Recipe, SortUse};
use crate::Path;
use crate::facts::{Membership, membership, settles, slots};

/// How far a sort key is fixed, the attribute where it is left open, and what is asked of that attribute.
pub(super) struct Sorted<'p> {
    pub(super) parts: Vec<KeyPart>,
    pub(super) usage: SortUse,
    pub(super) open: Option<AttributeId>,
    pub(super) range: Option<&'p Conjunct>,
}

impl<'p> Question<'p> {
    pub(super) fn by_guard(&self, path: Path, unique: UniqueId) -> Result<ReadPlan, Obstacle> {
        let unique = &self.of.uniques[unique];
        if let Some(missing) = unique.attributes.iter().find(|id| !self.bound.attributes.contains(**id)) {
            return Err(Obstacle::PartitionUnbound(*missing));
        }
        if let Some(when) = &unique.when
            && !self.known().implies(when)
        {
            return Err(Obstacle::Sparse);
        }
        let used = Bounds { attributes: unique.attributes.iter().copied().collect(), stored: Vec::new() };
        // The guard exists only while its condition holds.
        let when: Vec<&Expr> = unique.when.iter().collect();
        self.everything_used(&used, &self.answered_by(&when, &unique.attributes))?;
        Ok(self.plan(path, Recipe::default(), SortUse::Equal, None))
    }

    pub(super) fn by_key(&self, path: Path) -> Result<ReadPlan, Obstacle> {
        let key = path.key(self.program);
        let answered = self.holds_every_item(key)?;
        let mut used = Bounds::default();
        let partition = self.partition(key, &mut used)?;
        let sorted = self.sort(key, &mut used);
        self.everything_used(&used, &answered)?;
        if self.pattern.verb == ReadVerb::Get && path.way == crate::Way::Key {
            let missing = self.missing(key);
            if !missing.is_empty() {
                return Err(Obstacle::IncompleteKey(missing));
            }
        }
        self.order(key, sorted.open)?;
        self.merges_in_order(key, sorted.open)?;
        self.keeps_order(key, &sorted)?;
        // A collection is read as a whole: each entity has its own place in the sort key.
        let collects = self.pattern.verb == ReadVerb::Collect;
        let usage = match sorted.usage {
            SortUse::Equal | SortUse::Prefix if collects => SortUse::Whole,
            usage => usage,
        };
        let sort = if collects { Vec::new() } else { sorted.parts };
        Ok(self.plan(path, Recipe { partition, sort }, usage, sorted.open))
    }

    /// Whether everything asked for is in the index; the places of the conditions that its `when` already answers.
    fn holds_every_item(&self, key: &FilledKey) -> Result<Vec<usize>, Obstacle> {
        match membership(self.of, key) {
            Membership::Never(stored) => Err(Obstacle::NotIn(stored.clone())),
            Membership::Always => Ok(Vec::new()),
            Membership::Sometimes { when, present } => {
                let known = self.known();
                let implied = when.iter().all(|when| known.implies(when));
                let is_asked = |id: AttributeId| {
                    self.asked().any(|each| each.says.about() == Some(Bound::Attribute(id)))
                        || when.iter().any(|when| mentions_presence(when, id))
                };
                let is_had = |id: AttributeId| self.bound.attributes.contains(id) || self.had.contains(id);
                let lacking: Vec<AttributeId> =
                    present.iter().copied().filter(|id| !is_had(*id) && !is_asked(*id)).collect();
                // A condition that a call may leave out asks for all items then.
                let dropped = |id: &AttributeId| {
                    self.pattern
                        .conditions
                        .iter()
                        .any(|each| each.says.about() == Some(Bound::Attribute(*id)))
                };
                match (implied && !lacking.iter().any(dropped), lacking.is_empty()) {
                    (false, _) => Err(Obstacle::Sparse),
                    (true, false) => Err(Obstacle::Lacking(lacking)),
                    (true, true) => Ok(self.answered_by(&when, &present)),
                }
            }
        }
    }

    fn partition(&self, key: &FilledKey, used: &mut Bounds) -> Result<Vec<KeyPart>, Obstacle> {
        let mut parts = Vec::new();
        for part in &key.partition {
            let Some(source) = part.source else { return Err(Obstacle::NotIn(part.stored.clone())) };
            let is = match self.text_given(source) {
                Some(template) => {
                    used.insert(Bound::Stored(template));
                    KeyIs::Text(template)
                }
                None => {
                    self.fixed(source, used)?;
                    KeyIs::Equal(source)
                }
            };
            parts.push(KeyPart { stored: part.stored.clone(), is });
        }
        Ok(parts)
    }

    /// The template whose whole text is given.
    fn text_given(&self, source: Source) -> Option<TemplateId> {
        match source {
            Source::Template(template) => Some(template).filter(|id| self.bound.stored.contains(id)),
            Source::Attribute(_) => None,
        }
    }

    fn fixed(&self, source: Source, used: &mut Bounds) -> Result<(), Obstacle> {
        for slot in slots(self.of, source) {
            if settles(self.of, &self.bound.attributes, slot) {
                self.used(slot, used);
            } else if let Some(range) = self.range_on(Bound::Attribute(slot)) {
                return Err(Obstacle::RangeOnPartition(range.expr.span));
            } else {
                return Err(Obstacle::PartitionUnbound(slot));
            }
        }
        Ok(())
    }

    /// Marks an attribute as used, and the bound ones that determine it. The inputs of a digest determine it and are used
    /// up by it; those of a shard are not, since many values share a shard.
    fn used(&self, slot: AttributeId, used: &mut Bounds) {
        used.attributes.insert(slot);
        let fill = self.of.attributes[slot].fill.as_ref().filter(|fill| fill.derived);
        if let Some(fill) = fill.filter(|fill| is_distinct(&fill.value))
            && !self.bound.attributes.contains(slot)
        {
            used.attributes.extend(fill.value.attributes());
        }
    }

    /// How far the bound attributes fix the sort key, and the attribute where it is left open.
    fn sort(&self, key: &FilledKey, used: &mut Bounds) -> Sorted<'p> {
        let mut parts = Vec::new();
        let mut fixed = false;
        for part in &key.sort {
            let Some(source) = part.source else { break };
            let mut push = |is: KeyIs| parts.push(KeyPart { stored: part.stored.clone(), is });
            if let Some(template) = self.text_given(source) {
                used.insert(Bound::Stored(template));
                push(KeyIs::Text(template));
                fixed = true;
                continue;
            }
            if let Source::Template(template) = source {
                fixed |= matches!(self.of.templates[template].pieces.first(), Some(Piece::Literal(_)));
                let whole = Bound::Stored(template);
                if let Some(range) = self.range_on(whole) {
                    used.insert(whole);
                    let by = self.ranges_on(whole);
                    push(KeyIs::Bounded { source, pieces: 0, attribute: None, by });
                    return Sorted { parts, usage: SortUse::Range, open: None, range: Some(range) };
                }
            }
            for slot in slots(self.of, source) {
                if settles(self.of, &self.bound.attributes, slot) {
                    self.used(slot, used);
                    fixed = true;
                    continue;
                }
                let pieces = self.pieces_before(source, slot);
                let range = self.range_on(Bound::Attribute(slot));
                if let Some(range) = range.filter(|range| self.serves(source, slot, range)) {
                    used.attributes.insert(slot);
                    let by = self.ranges_on(Bound::Attribute(slot));
                    push(KeyIs::Bounded { source, pieces, attribute: Some(slot), by });
                    return Sorted { parts, usage: SortUse::Range, open: Some(slot), range: Some(range) };
                }
                if let (Source::Template(template), 1..) = (source, pieces) {
                    push(KeyIs::Begins { template, pieces });
                }
                let usage = if fixed { SortUse::Prefix } else { SortUse::Whole };
                return Sorted { parts, usage, open: Some(slot), range: None };
            }
            push(KeyIs::Equal(source));
        }
        let usage = if key.sort.is_empty() { SortUse::Whole } else { SortUse::Equal };
        Sorted { parts, usage, open: None, range: None }
    }

    /// The number of pieces before an attribute.
    fn pieces_before(&self, source: Source, slot: AttributeId) -> usize {
        let Source::Template(template) = source else { return 0 };
        let is_it = |piece: &Piece| matches!(piece, Piece::Slot { attribute, .. } if *attribute == slot);
        self.of.templates[template].pieces.iter().position(is_it).unwrap_or(0)
    }

    /// Whether a piece of a key can answer what is asked of its attribute: a beginning of the attribute is a beginning of the
    /// piece only if both are written in the same form.
    fn serves(&self, source: Source, slot: AttributeId, range: &Conjunct) -> bool {
        let Source::Template(template) = source else { return true };
        let is_prefix = matches!(range.says, Says::Prefix(_));
        let form = self.of.templates[template].pieces.iter().find_map(|piece| match piece {
            Piece::Slot { attribute, format: Some(SlotFormat::Time(form)) } if *attribute == slot => {
                Some(form)
            }
            _ => None,
        });
        let is_iso = matches!(*self.of.attributes[slot].ty, Type::Time { unit: TimeUnit::Iso });
        !is_prefix || form.is_none_or(|form| form == "iso" && is_iso)
    }

    fn everything_used(&self, used: &Bounds, answered: &[usize]) -> Result<(), Obstacle> {
        if let Some(bind) = self.pattern.binds.iter().find(|bind| !used.contains(bind.to)) {
            return Err(Obstacle::UnusedBind(bind.to));
        }
        for (at, conjunct) in self.pattern.conditions.iter().enumerate() {
            let by_key = conjunct.says.about().is_some_and(|of| used.contains(of));
            if !by_key && !answered.contains(&at) {
                return Err(Obstacle::UnusedCondition(conjunct.expr.span));
            }
        }
        Ok(())
    }

    fn missing(&self, key: &FilledKey) -> Vec<AttributeId> {
        let sources = key.parts().filter_map(|part| part.source);
        let open = sources.filter(|source| self.text_given(*source).is_none());
        let slots = open.flat_map(|source| slots(self.of, source));
        slots.filter(|slot| !settles(self.of, &self.bound.attributes, *slot)).collect()
    }
}

/// Whether different inputs give different values.
fn is_distinct(value: &Expr) -> bool {
    let is_attribute = |expr: &Expr| matches!(expr.kind, ExprKind::Attribute(_));
    match &value.kind {
        ExprKind::Attribute(_) => true,
        ExprKind::Function { function: Function::Sha256 | Function::Hmac, arguments } => {
            arguments.first().is_some_and(is_attribute)
        }
        _ => false,
    }
}

/// Whether a `when` requires that an attribute is present.
fn mentions_presence(when: &Expr, id: AttributeId) -> bool {
    when.conjuncts()
        .into_iter()
        .any(|each| sortkey_design::program::Says::of(each).about() == Some(Bound::Attribute(id)))
}
