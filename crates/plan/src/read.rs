//! The execution of a pattern: the path that is taken, and everything that the runtime needs to follow it.
//!
//! A path never changes the answer. If several serve, the table comes before an index, and an index before a guard
//! (a guard before a global index where the read must be strong).

mod keys;
mod order;
mod projection;
mod question;
mod recipe;
mod sent;
mod shown;

pub use projection::Held;
pub use recipe::{Given, GivenBy, KeyIs, KeyPart, Limit, Recipe, SortUse, limits};
pub use sent::sent;

use std::sync::Arc;

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{
    AttributeId, BindValue, Bound, EntityId, Id, Pattern, PatternId, Program, TableId,
};
use sortkey_diagnostics::Span;

use crate::flow::Script;
use crate::{Cost, Path, Way, calls, pages};
use question::Question;

/// The outcome for one pattern.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The entity whose keys are used.
    pub entity: EntityId,
    /// Its table.
    pub table: TableId,
    /// The path taken.
    pub plan: Option<ReadPlan>,
    /// The paths that come before it and do not serve, each with the first reason why not.
    pub rejected: Vec<Rejected>,
}

/// A path that does not serve.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The path.
    pub path: Path,
    /// Why not.
    pub obstacle: Obstacle,
}

/// Why a path does not serve a pattern. Attributes are those of the entity of the path.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// No item of the entity is in the index: nothing fills this stored attribute.
    NotIn(Arc<str>),
    /// The index holds only the items that meet a condition, which the pattern does not imply.
    Sparse,
    /// The index holds only the items that have these optional attributes.
    Lacking(Vec<AttributeId>),
    /// The pattern gives no value for this part of the partition key.
    PartitionUnbound(AttributeId),
    /// The pattern gives only a range for a part of the partition key: the span of the range.
    RangeOnPartition(Span),
    /// The key answers everything but this name of `by`.
    UnusedBind(Bound),
    /// The key answers everything but the condition with this span.
    UnusedCondition(Span),
    /// The order asked for is not the order of the key, whose next part is this (if there is one).
    Order(Option<AttributeId>),
    /// A range or an order is asked of this part of the key, whose text does not sort as its values do.
    Unordered(AttributeId),
    /// The items of this entity do not share the order of a collection: their own key goes on with this attribute.
    OrderOf(EntityId, AttributeId),
    /// A global index cannot be read strongly.
    StrongOnGlobal,
    /// `get` needs the whole key; these are missing.
    IncompleteKey(Vec<AttributeId>),
}

/// How a path serves a pattern: data that is printed, priced and executed.
///
/// It is executed like this. `given` names every attribute that is known before anything is read, and where its value comes
/// from; `GivenBy` with several values makes one branch for each combination. Every branch adds the values derived from its
/// own, and makes the `key` of one request: `GetItem` of the table's key for a `get` (a guard first, for [`Way::Guard`]),
/// one `BatchGetItem` for several whole keys of the table, otherwise a `Query` with the conditions of [`Recipe`], or a
/// `Scan`. The branches of an ordered list are merged by their sort keys. If `fetches` is set, the items are fetched by the
/// keys that the index gave. An item belongs to the result if it is of one of the pattern's entities, live, of the caller's
/// tenant, has the values that `narrowed` names, and passes the conditions that `residual` lists; `held` lists the known
/// attributes where an index holds only a part of the item.
#[derive(Clone, Debug)]
pub struct ReadPlan {
    /// The way.
    pub path: Path,
    /// The values known before anything is read.
    pub given: Vec<Given>,
    /// How the key is made of it.
    pub key: Recipe,
    /// How the sort key is used.
    pub sort: SortUse,
    /// The attribute that orders what comes back.
    pub ordered_by: Option<AttributeId>,
    /// Whether the greatest comes first.
    pub descending: bool,
    /// Whether it is read strongly.
    pub strong: bool,
    /// Whether the index lacks attributes, so that a second request fetches them.
    pub fetches: bool,
    /// The part of an item that the index holds, for each entity of the pattern;
    /// none if it holds everything or the items are fetched.
    pub held: Option<Vec<Held>>,
    /// The known attributes that the text of the key only narrows down: every item is asked whether it has the value.
    pub narrowed: Vec<AttributeId>,
    /// The conditions that are asked of each item, by their places in the sieve of each entity of the pattern.
    pub residual: Vec<Vec<usize>>,
    /// Whether the key alone shows that what lies under it belongs to the answer.
    pub shown: bool,
    /// The optional attributes without which an item is not found, though the pattern does not ask for them.
    pub omits: Vec<AttributeId>,
    /// Requests and units of one call, or of one page, for items of the usual size.
    pub cost: Cost,
}

/// Finds the path of a pattern; none if it reads nothing that exists.
pub fn read(program: &Program, pattern: PatternId) -> Option<Choice> {
    let declared = program.design.patterns.get(pattern.at());
    let pattern = &program.patterns[pattern];
    // A name that nothing has is reported elsewhere, and leads nowhere.
    let is_complete = declared.is_none_or(|declared| {
        declared.binds.len() == pattern.binds.len() && declared.entities.len() == pattern.entities.len()
    });
    match is_complete {
        true => of_pattern(program, pattern),
        false => nowhere(program, pattern),
    }
}

/// Finds the path of a pattern that may be made for the occasion.
pub fn of_pattern(program: &Program, pattern: &Pattern) -> Option<Choice> {
    let mut choice = nowhere(program, pattern)?;
    let (entity, table) = (choice.entity, choice.table);
    let question = Question::new(program, pattern, entity);
    if pattern.verb == ReadVerb::Scan {
        let path = Path { entity, table, way: Way::Scan(pattern.via) };
        choice.plan = Some(question.plan(path, Recipe::default(), SortUse::Whole, None));
        return Some(choice);
    }
    for path in question.candidates(table) {
        match question.attempt(path) {
            Ok(plan) => {
                choice.plan = Some(plan);
                return Some(choice);
            }
            Err(obstacle) => choice.rejected.push(Rejected { path, obstacle }),
        }
    }
    choice.through_sparse_index(&question);
    Some(choice)
}

fn nowhere(program: &Program, pattern: &Pattern) -> Option<Choice> {
    let entity = *pattern.entities.first()?;
    let table = program.entities[entity].table?;
    Some(Choice { entity, table, plan: None, rejected: Vec::new() })
}

/// Everything that a call of a pattern sends for one page; none if no path serves it.
pub fn pattern_script(program: &Program, pattern: PatternId) -> Option<Script> {
    let plan = read(program, pattern)?.plan?;
    let body = calls::planned(program, &program.patterns[pattern], &plan, false, 0);
    Some(Script { body, receipt: None, handlers: Vec::new() })
}

impl Choice {
    /// Settles for an index that is sparse by nature: one that is keyed by an optional attribute holds the items that
    /// have it, and reading it means asking for those. A condition that someone wrote (`when`) is not passed over.
    fn through_sparse_index(&mut self, question: &Question<'_>) {
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

impl Question<'_> {
    /// The paths worth trying, the preferred first.
    fn candidates(&self, table: TableId) -> Vec<Path> {
        let path = |way: Way| Path { entity: self.entity, table, way };
        if let Some(via) = self.pattern.via {
            return vec![path(Way::Index(via))];
        }
        let mut paths = vec![path(Way::Key)];
        paths.extend(self.program.tables[table].indexes.ids().map(|index| path(Way::Index(index))));
        if self.pattern.verb == ReadVerb::Get {
            paths.extend(self.of.uniques.ids().map(|unique| path(Way::Guard(unique))));
        }
        paths
    }

    fn attempt(&self, path: Path) -> Result<ReadPlan, Obstacle> {
        match path.way {
            Way::Key => self.by_key(path),
            Way::Index(_) => {
                let plan = self.by_key(path)?;
                let strong = self.pattern.strong && path.is_global_index(self.program);
                if strong { Err(Obstacle::StrongOnGlobal) } else { Ok(plan) }
            }
            Way::Guard(unique) => self.by_guard(path, unique),
            Way::Scan(_) => Ok(self.plan(path, Recipe::default(), SortUse::Whole, None)),
        }
    }

    fn plan(&self, path: Path, key: Recipe, sort: SortUse, ordered_by: Option<AttributeId>) -> ReadPlan {
        let fetches = match path.way {
            Way::Index(_) => self.lacks_attributes(path) || self.cannot_decide(path, &key),
            // Fetch the rest, so that the result does not depend on the projection of the index.
            Way::Scan(Some(_)) => path.key(self.program).copies.is_some(),
            _ => false,
        };
        let held = if fetches { None } else { self.held(path, &key) };
        let narrowed = self.narrowed(&key);
        let mut plan = ReadPlan {
            path,
            given: self.given(),
            key,
            sort,
            ordered_by,
            descending: self.pattern.order.is_some_and(|order| order.descending),
            strong: self.pattern.strong,
            fetches,
            residual: self.residual(held.as_deref()),
            held,
            narrowed: narrowed.iter().filter(|id| self.bound.attributes.contains(*id)).collect(),
            shown: false,
            omits: Vec::new(),
            cost: Cost::default(),
        };
        plan.shown = self.is_shown(&plan);
        plan.cost = pages::reads(self.program, self.pattern, &plan, false).cost();
        plan
    }
}

impl ReadPlan {
    /// Whether several queries may be made, one for each of some values.
    pub fn branches(&self, pattern: &Pattern) -> bool {
        pattern.binds.iter().any(|bind| matches!(bind.value, BindValue::All | BindValue::In(_)))
    }
}
