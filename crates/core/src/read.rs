//! Patterns executed along the paths that the compiler chose.
//!
//! A path never changes the answer: whatever the keys let through is checked again against the pattern, and only live
//! items of the named entities and of the caller's tenant come back.

mod bind;
mod count;
mod fetch;
mod filter;
mod hit;
mod keys;
#[cfg(test)]
mod oracle;
mod pages;

pub(crate) use bind::derive;
pub use fetch::items;
pub(crate) use fetch::{key_of, live};
pub(crate) use filter::{add_virtual, is_ours};
pub use filter::{is_deleted, is_expired};
pub(crate) use hit::Hit;
pub(crate) use keys::fixed;

use std::sync::Arc;

use sortkey_api::TableName;
use sortkey_design::Program;
use sortkey_design::model::ReadVerb;
use sortkey_design::program::{
    BindValue, Bound, EntityId, FilledKey, Id, IndexId, Pattern, PatternId, StoredKey, TableId, UniqueId,
};
use sortkey_plan::{ReadPlan, Way};
use sortkey_value::Item;

use crate::Failure;
use crate::answer::Select;
use crate::catalog::{EntityInfo, deployed};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::settings::Settings;
use crate::values::{Fields, Val};

/// A pattern with its path, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) pattern: Pattern,
    pub(crate) table: TableName,
    table_id: TableId,
    pub(crate) route: Route,
    /// Whether the items are fetched from the table after an index gave their keys.
    pub(crate) fetches: bool,
    /// Attributes that the items of the path hold, where they do not hold all.
    held: Option<Vec<Arc<str>>>,
    /// What it selects.
    pub(crate) select: Option<Select>,
    /// Whether it looks one item up by attributes that its parameters alone give: they are then all that is known.
    pub(crate) is_lookup: bool,
}

/// The path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    Table,
    /// The index and its deployed name.
    Index(IndexId, String),
    /// The unique clause whose guard leads to the item.
    Guard(UniqueId),
    /// The whole table, or the index that `via` names.
    Scan(Option<(IndexId, String)>),
}

/// What a pattern found.
pub(crate) enum Found {
    Item(Option<Hit>),
    Items { items: Vec<Hit>, cursor: Option<String> },
    Count(i64),
    Exists(bool),
    Sums(Fields),
}

/// What a page is asked with, beside the arguments.
#[derive(Clone, Copy, Default)]
pub(crate) struct Paging<'a> {
    pub(crate) cursor: Option<&'a str>,
    pub(crate) limit: Option<u32>,
    /// What a cursor is bound to beside the caller and the parameters; a page without it has no cursor.
    pub(crate) context: Option<&'a str>,
    /// Whether a list is read to its end, as inside an operation.
    pub(crate) to_the_end: bool,
}

impl Read {
    /// Prepares a pattern of the design; none if it has no path.
    pub(crate) fn of_pattern(program: &Program, settings: &Settings, id: PatternId) -> Option<Read> {
        let plan = sortkey_plan::read(program, id)?.plan?;
        let mut read = Read::planned(program, settings, &plan, program.patterns[id].clone());
        let entities = read.pattern.entities.iter().copied().chain(read.pattern.then);
        let source = program.design.patterns.get(id.at());
        let select = source.and_then(|source| source.select.as_ref());
        read.select = select.map(|names| Select::of(program, names, entities));
        Some(read)
    }

    /// Prepares a pattern along its path.
    pub(crate) fn planned(program: &Program, settings: &Settings, plan: &ReadPlan, pattern: Pattern) -> Read {
        let table_id = plan.path.table;
        let table = &program.tables[table_id];
        let index = |id: IndexId| (id, table.indexes[id].deployed.clone());
        let route = match plan.path.way {
            Way::Key => Route::Table,
            Way::Index(id) => Route::Index(id, index(id).1),
            Way::Guard(id) => Route::Guard(id),
            Way::Scan(via) => Route::Scan(via.map(index)),
        };
        let design = &program.design;
        let mut read = Read {
            table: deployed(design, &design.tables[table_id.at()], settings).into(),
            table_id,
            route,
            fetches: plan.fetches,
            held: None,
            select: None,
            is_lookup: is_lookup(&pattern),
            pattern,
        };
        if !read.fetches {
            read.held = read.held_by_index(program);
        }
        read
    }

    /// Looks an item up by what is known of it: the arguments, admitted.
    pub(crate) async fn look_up(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        mut known: Fields,
    ) -> Result<Found, Failure> {
        if !self.is_ours(scope, &known) {
            return Ok(Found::Item(None));
        }
        derive(scope, self.first(), &mut known)?;
        Ok(Found::Item(self.get(session, scope, std::slice::from_ref(&known)).await?))
    }

    /// Runs the pattern. Its parameters are in the scope, admitted.
    pub(crate) async fn run(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        paging: Paging<'_>,
    ) -> Result<Found, Failure> {
        let branches = self.branches(scope)?;
        Ok(match self.pattern.verb {
            ReadVerb::Get => Found::Item(self.get(session, scope, &branches).await?),
            ReadVerb::Count => Found::Count(self.count(session, scope, branches).await?),
            ReadVerb::Sum => Found::Sums(self.sum(scope, &self.all(session, scope, branches).await?)?),
            ReadVerb::Exists => Found::Exists(
                !self.page(session, scope, branches, Some(1), Paging::default()).await?.0.is_empty(),
            ),
            ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan => {
                let page = self.pattern.page.filter(|_| !paging.to_the_end);
                let most = page.or(self.pattern.limit);
                let most = most.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
                let most = match (most, paging.limit) {
                    (Some(most), Some(limit)) if limit as usize > most => {
                        let why = format!(
                            "`limit` is {limit}; a page of `{}` has at most {most} items",
                            self.pattern.name
                        );
                        return Err(Failure::invalid("limit", why));
                    }
                    (Some(_), Some(limit)) => Some(limit.max(1) as usize),
                    (most, _) => most,
                };
                let paging = if page.is_some() { paging } else { Paging::default() };
                let (items, cursor) = self.page(session, scope, branches, most, paging).await?;
                let items = self.then(session, scope, items).await?;
                Found::Items { items, cursor }
            }
        })
    }

    async fn all(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Fields>,
    ) -> Result<Vec<Hit>, Failure> {
        Ok(self.page(session, scope, branches, None, Paging::default()).await?.0)
    }

    fn sum(&self, scope: &Scope<'_>, items: &[Hit]) -> Result<Fields, Failure> {
        let mut sums = Fields::new();
        for id in &self.pattern.summed {
            let name = self.entity(scope).name_of(*id);
            let mut total = sortkey_value::Number::ZERO;
            for value in items.iter().filter_map(|item| item.view().get(scope.shared, *id)) {
                if let Val::Number(number) = *value {
                    total = total
                        .checked_add(number)
                        .map_err(|_| Failure::internal(format!("the sum of `{name}` cannot be kept")))?;
                }
            }
            sums.insert(name.clone(), Val::Number(total));
        }
        Ok(sums)
    }

    /// The first entity: the one whose keys the path uses.
    pub(crate) fn first(&self) -> EntityId {
        self.pattern.entities[0]
    }

    fn entity<'a>(&self, scope: &Scope<'a>) -> &'a EntityInfo {
        &scope.shared.entities[self.first()]
    }

    /// The key that the path uses.
    fn key<'a>(&self, program: &'a Program) -> &'a StoredKey {
        let table = &program.tables[self.table_id];
        match &self.route {
            Route::Index(id, _) | Route::Scan(Some((id, _))) => &table.indexes[*id].key,
            _ => &table.key,
        }
    }

    /// What the first entity fills that key with.
    fn filled<'a>(&self, program: &'a Program) -> &'a FilledKey {
        let entity = &program.entities[self.first()];
        match &self.route {
            Route::Index(id, _) | Route::Scan(Some((id, _))) => &entity.indexes[id.at()],
            _ => &entity.key,
        }
    }

    /// The entity that a stored item is of, among those asked for, and its place among them.
    fn owner<'a>(&self, scope: &Scope<'a>, item: &Item) -> Option<(usize, &'a EntityInfo)> {
        let mut infos = self.pattern.entities.iter().map(|id| &scope.shared.entities[*id]).enumerate();
        infos.find(|(_, info)| info.owns(&scope.shared.program, item))
    }
}

fn is_lookup(pattern: &Pattern) -> bool {
    let is_given = |bind: &sortkey_design::program::Bind| {
        matches!((&bind.value, bind.to), (BindValue::Parameter(_), Bound::Attribute(_)))
    };
    pattern.verb == ReadVerb::Get
        && pattern.binds.iter().all(is_given)
        && pattern.signature.parameters.iter().all(|parameter| !parameter.declared)
        && pattern.conditions.is_empty()
        && pattern.filters.is_empty()
        && pattern.requires.is_none()
}
