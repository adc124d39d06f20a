//! Choosing the access path of a pattern.

use super::calls::of_pattern;
use super::cost::Cost;
use super::flow::Script;
use super::pages::reads;
use super::question::Question;
use crate::facts::{Condition, Membership, Source, condition, membership, settles, source};
use crate::model::*;

/// A way to the items.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The table's own key.
    Table(&'a Table),
    /// An index.
    Index(&'a Table, &'a Index),
    /// The guard item of a unique clause, then the item.
    Guard(&'a Table, &'a Unique),
    /// Everything.
    Scan(&'a Table),
}

/// The outcome for one pattern.
#[derive(Clone, Debug)]
pub struct Choice<'a> {
    /// The path taken.
    pub plan: Option<ReadPlan<'a>>,
    /// The paths not taken, with the first reason why not.
    pub rejected: Vec<Rejected<'a>>,
}

/// A path that does not serve.
#[derive(Clone, Debug)]
pub struct Rejected<'a> {
    /// The path.
    pub path: Path<'a>,
    /// Why not.
    pub obstacle: Obstacle<'a>,
}

/// Why a path does not serve a pattern.
#[derive(Clone, Debug)]
pub enum Obstacle<'a> {
    /// No item of the entity is in the index: nothing fills this key attribute.
    NotIn(&'a Name),
    /// The index holds only the items that meet a condition, which the pattern does not imply.
    Sparse,
    /// The index holds only the items that have these optional attributes.
    Lacking(Vec<&'a str>),
    /// The pattern gives no value for this part of the partition key.
    PartitionUnbound(&'a str),
    /// The pattern gives only a range for this part of the partition key.
    RangeOnPartition(&'a Expr),
    /// The key answers everything but this name of `by`.
    UnusedBind(&'a Name),
    /// The key answers everything but this condition.
    UnusedCondition(&'a Expr),
    /// The order asked for is not the order of the key, whose next part is this (if there is one).
    Order(Option<&'a str>),
    /// A range or an order is asked of this part of the key, whose text does not sort as its values do.
    Unordered(&'a str),
    /// The items of this entity do not share the order of a collection: their own key goes on with this attribute.
    OrderOf(&'a Name, &'a str),
    /// A global index cannot be read strongly.
    StrongOnGlobal,
    /// `get` needs the whole key; these are missing.
    IncompleteKey(Vec<&'a str>),
}

/// How a path serves a pattern.
#[derive(Clone, Debug)]
pub struct ReadPlan<'a> {
    /// The entity (the first, for `collect`).
    pub entity: &'a Entity,
    /// The way.
    pub path: Path<'a>,
    /// How the sort key is used.
    pub sort: SortUse<'a>,
    /// The attribute that orders what comes back.
    pub ordered_by: Option<&'a str>,
    /// Whether the index lacks attributes, so that a second request fetches them.
    pub fetches: bool,
    /// The optional attributes without which an item is not found, though the pattern does not ask for them.
    pub omits: Vec<&'a str>,
    /// Requests and units.
    pub cost: Cost,
}

/// How a sort key is used.
#[derive(Clone, Debug, PartialEq)]
pub enum SortUse<'a> {
    /// There is none, or the whole partition is wanted.
    Whole,
    /// Fixed up to and including its last piece.
    Equal,
    /// A fixed beginning.
    Prefix,
    /// A range of the attribute behind the fixed beginning.
    Range(&'a Expr),
}

/// Finds the path of a pattern.
pub fn read<'a>(design: &'a Design, pattern: &'a Pattern) -> Option<Choice<'a>> {
    let entity = design.entity(&pattern.entities.first()?.text)?;
    let table = design.table_of(entity)?;
    let question = Question::new(design, pattern, entity);
    let mut choice = Choice { plan: None, rejected: Vec::new() };
    if pattern.verb == ReadVerb::Scan {
        choice.plan = Some(question.plan(Path::Scan(table), SortUse::Whole, None));
        return Some(choice);
    }
    for path in question.candidates(table) {
        match question.attempt(path) {
            Ok(plan) if choice.plan.is_none() => choice.plan = Some(plan),
            Ok(_) => {}
            Err(obstacle) => choice.rejected.push(Rejected { path, obstacle }),
        }
    }
    if choice.plan.is_none() {
        choice.through_sparse_index(&question);
    }
    Some(choice)
}

impl<'a> Choice<'a> {
    /// Settles for an index that is sparse by nature: one that is keyed by an optional attribute holds the items that
    /// have it, and reading it means asking for those. A condition that someone wrote (`when`) is not passed over.
    fn through_sparse_index(&mut self, question: &Question<'a>) {
        for at in 0..self.rejected.len() {
            let Rejected { path, obstacle: Obstacle::Lacking(omits) } = &self.rejected[at] else { continue };
            let (path, omits) = (*path, omits.clone());
            if let Ok(plan) = question.having(&omits).attempt(path) {
                self.plan = Some(ReadPlan { omits, ..plan });
                self.rejected.remove(at);
                return;
            }
        }
    }
}

impl<'a> Question<'a> {
    /// The paths worth trying, the preferred first.
    fn candidates(&self, table: &'a Table) -> Vec<Path<'a>> {
        if let Some(via) = &self.pattern.via {
            let index = table.index(&via.text).map(|index| Path::Index(table, index));
            return index.into_iter().collect();
        }
        let mut paths = vec![Path::Table(table)];
        paths.extend(table.indexes.iter().map(|index| Path::Index(table, index)));
        if self.pattern.verb == ReadVerb::Get {
            paths.extend(
                self.entity
                    .uniques
                    .iter()
                    .filter(|each| each.via.is_none())
                    .map(|each| Path::Guard(table, each)),
            );
        }
        paths
    }

    fn attempt(&self, path: Path<'a>) -> Result<ReadPlan<'a>, Obstacle<'a>> {
        match path {
            Path::Table(table) => self.by_key(path, &table.key),
            Path::Index(_, index) => {
                let plan = self.by_key(path, &index.key)?;
                if self.pattern.strong && !index.local { Err(Obstacle::StrongOnGlobal) } else { Ok(plan) }
            }
            Path::Guard(_, unique) => self.by_guard(path, unique),
            Path::Scan(_) => Ok(self.plan(path, SortUse::Whole, None)),
        }
    }

    fn by_guard(&self, path: Path<'a>, unique: &'a Unique) -> Result<ReadPlan<'a>, Obstacle<'a>> {
        let missing = unique.names.iter().find(|name| !self.bound.contains(&name.text.as_str()));
        if let Some(name) = missing {
            return Err(Obstacle::PartitionUnbound(&name.text));
        }
        if let Some(when) = &unique.when
            && !self.known().implies(when)
        {
            return Err(Obstacle::Sparse);
        }
        let used: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
        // The guard exists only while its condition holds.
        let when: Vec<&Expr> = unique.when.iter().collect();
        self.everything_used(&used, &self.answered_by(&when, &used))?;
        Ok(self.plan(path, SortUse::Equal, None))
    }

    fn by_key(&self, path: Path<'a>, key: &'a Key) -> Result<ReadPlan<'a>, Obstacle<'a>> {
        let answered = self.holds_every_item(key)?;
        let mut used: Vec<&str> = self.partition(key)?;
        let (sort, open) = self.sort(key, &mut used);
        self.everything_used(&used, &answered)?;
        if self.pattern.verb == ReadVerb::Get && matches!(path, Path::Table(_)) {
            let missing = self.missing(key);
            if !missing.is_empty() {
                return Err(Obstacle::IncompleteKey(missing));
            }
        }
        self.order(key, open)?;
        self.merges_in_order(key, open)?;
        self.keeps_order(key, &sort, open)?;
        // A collection is read as a whole: each entity has its own place in the sort key.
        let sort = match sort {
            SortUse::Equal | SortUse::Prefix if self.pattern.verb == ReadVerb::Collect => SortUse::Whole,
            sort => sort,
        };
        Ok(self.plan(path, sort, open))
    }

    /// Whether everything asked for is in the index; the conditions that its `when` already answers.
    fn holds_every_item(&self, key: &'a Key) -> Result<Vec<&'a Expr>, Obstacle<'a>> {
        match membership(self.entity, key) {
            Membership::Never(name) => Err(Obstacle::NotIn(name)),
            Membership::Always => Ok(Vec::new()),
            Membership::Sometimes { when, present } => {
                let known = self.known();
                let implied = when.iter().all(|when| known.implies(when));
                let lacking = present.iter().copied().filter(|name| {
                    let conditioned = self.asked().any(|(_, each)| each.attribute() == Some(name));
                    let when_implies = when.iter().any(|when| mentions_presence(when, name));
                    !(self.bound.contains(name) || self.had.contains(name) || conditioned || when_implies)
                });
                let lacking: Vec<&str> = lacking.collect();
                // A condition that a call may leave out asks for all items then.
                let dropped =
                    |name: &&str| self.conditions.iter().any(|(_, each)| each.attribute() == Some(*name));
                match (implied && !lacking.iter().any(dropped), lacking.is_empty()) {
                    (false, _) => Err(Obstacle::Sparse),
                    (true, false) => Err(Obstacle::Lacking(lacking)),
                    (true, true) => Ok(self.answered_by(&when, &present)),
                }
            }
        }
    }

    fn partition(&self, key: &'a Key) -> Result<Vec<&'a str>, Obstacle<'a>> {
        let mut used = Vec::new();
        for name in &key.partition {
            if self.bound.contains(&name.text.as_str()) {
                used.push(name.text.as_str());
                continue;
            }
            for slot in source(self.entity, &name.text).map(Source::slots).unwrap_or_default() {
                if settles(self.entity, &self.bound, slot) {
                    used.push(slot);
                    used.extend(self.inputs(slot));
                } else if let Some(range) = self.range_on(slot) {
                    return Err(Obstacle::RangeOnPartition(range));
                } else {
                    return Err(Obstacle::PartitionUnbound(slot));
                }
            }
        }
        Ok(used)
    }

    /// The bound attributes that a derived one stands for: giving them is giving it. A digest stands for what it is made of;
    /// a shard does not, since it is the same for many values.
    fn inputs(&self, slot: &str) -> Vec<&'a str> {
        let fill = self.entity.attribute(slot).and_then(|attribute| attribute.value.as_ref());
        match fill {
            Some(Fill { derived: true, value }) if !self.bound.contains(&slot) && is_distinct(value) => {
                value.names()
            }
            _ => Vec::new(),
        }
    }

    /// How far the bound attributes fix the sort key, and the attribute where it is left open.
    fn sort(&self, key: &'a Key, used: &mut Vec<&'a str>) -> (SortUse<'a>, Option<&'a str>) {
        let mut fixed = false;
        for name in &key.sort {
            if self.bound.contains(&name.text.as_str()) {
                used.push(&name.text);
                fixed = true;
                continue;
            }
            let Some(source) = source(self.entity, &name.text) else {
                break;
            };
            if let Source::Template(template) = source {
                fixed |= !template.prefix().is_empty();
            }
            if let Source::Template(_) = source
                && let Some(range) = self.range_on(&name.text)
            {
                used.push(&name.text);
                return (SortUse::Range(range), None);
            }
            for slot in source.slots() {
                if settles(self.entity, &self.bound, slot) {
                    used.push(slot);
                    used.extend(self.inputs(slot));
                    fixed = true;
                } else if let Some(range) =
                    self.range_on(slot).filter(|range| self.serves(source, slot, range))
                {
                    used.push(slot);
                    return (SortUse::Range(range), Some(slot));
                } else {
                    return (if fixed { SortUse::Prefix } else { SortUse::Whole }, Some(slot));
                }
            }
        }
        (if key.sort.is_empty() { SortUse::Whole } else { SortUse::Equal }, None)
    }

    /// Whether a piece of a key can answer what is asked of its attribute: a beginning of the attribute is a beginning of the
    /// piece only if both are written in the same form.
    fn serves(&self, source: Source<'_>, slot: &str, range: &Expr) -> bool {
        let Source::Template(template) = source else { return true };
        let is_prefix = matches!(condition(range), Condition::Prefix(_));
        let form = template.pieces.iter().find_map(|piece| match piece {
            Piece::Slot { attribute, format: Some(SlotFormat::Time(form)) } if attribute.is(slot) => {
                Some(form)
            }
            _ => None,
        });
        let ty = self.entity.attribute(slot).map(|attribute| self.design.type_of(attribute));
        let is_iso = matches!(ty, Some(Type::Time { unit: TimeUnit::Iso }));
        !is_prefix || form.is_none_or(|form| form == "iso" && is_iso)
    }

    fn everything_used(&self, used: &[&str], answered: &[&Expr]) -> Result<(), Obstacle<'a>> {
        for bind in &self.pattern.binds {
            if !used.contains(&bind.name.text.as_str()) {
                return Err(Obstacle::UnusedBind(&bind.name));
            }
        }
        for (expr, condition) in &self.conditions {
            let by_key = condition.attribute().is_some_and(|name| used.contains(&name));
            if !by_key && !answered.contains(expr) {
                return Err(Obstacle::UnusedCondition(expr));
            }
        }
        Ok(())
    }

    fn missing(&self, key: &'a Key) -> Vec<&'a str> {
        let slots = key.attributes().filter(|name| !self.bound.contains(&name.text.as_str()));
        let slots =
            slots.flat_map(|name| source(self.entity, &name.text).map(Source::slots).unwrap_or_default());
        slots.filter(|slot| !settles(self.entity, &self.bound, slot)).collect()
    }

    fn plan(&self, path: Path<'a>, sort: SortUse<'a>, ordered_by: Option<&'a str>) -> ReadPlan<'a> {
        let fetches = match path {
            Path::Index(table, index) => {
                self.lacks_attributes(table, index) || self.cannot_decide(table, index)
            }
            _ => false,
        };
        let (omits, cost) = (Vec::new(), Cost::default());
        let mut plan = ReadPlan { entity: self.entity, path, sort, ordered_by, fetches, omits, cost };
        plan.cost = reads(self.design, self.pattern, &plan, false).cost();
        plan
    }

    /// Whether the pattern returns attributes that the index does not hold.
    fn lacks_attributes(&self, table: &Table, index: &Index) -> bool {
        if matches!(self.pattern.verb, ReadVerb::Count | ReadVerb::Exists) || self.pattern.then.is_some() {
            return false;
        }
        let projected = match &index.projection {
            None | Some(Projection::All) => return false,
            Some(Projection::Keys) => &[][..],
            Some(Projection::Include(names)) => names,
        };
        let held = |name: &str| {
            table.key.contains(name) || index.key.contains(name) || projected.iter().any(|each| each.is(name))
        };
        match (&self.pattern.select, self.pattern.verb) {
            (Some(select), _) => select.iter().any(|name| !held(&name.text)),
            (None, ReadVerb::Sum) => self.pattern.summed.iter().any(|name| !held(&name.text)),
            (None, _) => self.entity.attributes.iter().any(|each| each.is_stored() && !held(&each.name.text)),
        }
    }

    /// Whether deciding what may come back (live, the caller's, let through by the filter) needs attributes that the index
    /// does not hold, not even in the text of a key.
    fn cannot_decide(&self, table: &Table, index: &Index) -> bool {
        let projected = match &index.projection {
            None | Some(Projection::All) => return false,
            Some(Projection::Keys) => &[][..],
            Some(Projection::Include(names)) => names,
        };
        let mut held: Vec<&str> = Vec::new();
        for name in table.key.attributes().chain(index.key.attributes()).chain(projected) {
            held.push(&name.text);
            held.extend(source(self.entity, &name.text).map(Source::slots).unwrap_or_default());
        }
        let mut needed: Vec<&str> = Vec::new();
        if self.pattern.including_deleted.is_none() {
            needed.extend(self.entity.deleted.iter().flat_map(Expr::names));
        }
        if self.pattern.including_expired.is_none() {
            needed.extend(table.ttl.as_ref().map(|name| name.text.as_str()));
        }
        if !self.pattern.system {
            needed.extend(self.entity.tenant.as_ref().map(|name| name.text.as_str()));
        }
        needed.extend(self.pattern.filters().into_iter().flat_map(Expr::names));
        needed.iter().any(|name| self.entity.attribute(name).is_some() && !held.contains(name))
    }
}

/// Whether different inputs give different values.
fn is_distinct(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Name { .. } => true,
        ExprKind::Call { callee, args } => {
            let digests = callee.is_name("sha256") || callee.is_name("hmac");
            digests && matches!(args.values.first(), Some((_, Expr { kind: ExprKind::Name { .. }, .. })))
        }
        _ => false,
    }
}

/// Everything that a call of a pattern sends for one page; none if no path serves it.
pub fn pattern_script<'a>(design: &'a Design, pattern: &'a Pattern) -> Option<Script<'a>> {
    read(design, pattern)?.plan?;
    Some(Script { body: of_pattern(design, pattern, false, 0), receipt: None, handlers: Vec::new() })
}

/// Whether a `when` says that an attribute is there.
fn mentions_presence(when: &Expr, name: &str) -> bool {
    when.conjuncts().into_iter().any(|each| crate::facts::condition(each).attribute() == Some(name))
}

impl<'a> Path<'a> {
    /// The table it leads into.
    pub fn table(self) -> &'a Table {
        match self {
            Path::Table(table) | Path::Index(table, _) | Path::Guard(table, _) | Path::Scan(table) => table,
        }
    }

    /// How it is called in plans and claims.
    pub fn describe(self) -> String {
        match self {
            Path::Table(table) => table.name.text.clone(),
            Path::Index(table, index) => format!("{}.{}", table.name, index.name),
            Path::Guard(table, unique) => {
                let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
                format!("{} guard({})", table.name, names.join(", "))
            }
            Path::Scan(table) => format!("{} scan", table.name),
        }
    }

    /// Whether it is a global index: eventually consistent, whatever is asked.
    pub fn is_global_index(self) -> bool {
        matches!(self, Path::Index(_, index) if !index.local)
    }
}
