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
pub(crate) use fetch::{items, key_of, live};
pub(crate) use filter::{add_virtual, is_deleted, is_expired, is_ours};
pub(crate) use hit::Hit;
pub(crate) use keys::fixed;

use sortkey_api::TableName;
use sortkey_design::Design;
use sortkey_design::model::*;
use sortkey_design::plan::{self, Path};
use sortkey_value::Item;

use crate::Failure;
use crate::catalog::{EntityInfo, deployed};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::settings::Settings;
use crate::values::{Fields, Val};

/// A pattern with its path, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) pattern: Pattern,
    /// The entities asked for, by their places in the design.
    pub(crate) entities: Vec<usize>,
    pub(crate) table: TableName,
    /// The table, by its place in the design.
    pub(crate) table_at: usize,
    pub(crate) route: Route,
    /// Whether the items are fetched from the table after an index gave their keys.
    pub(crate) fetches: bool,
    /// Attributes that the items of the path hold, where they do not hold all.
    held: Option<Vec<String>>,
    /// Whether it looks one item up by attributes that its parameters alone give: they are then all that is known.
    pub(crate) is_lookup: bool,
}

/// The path, by places in the design.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    Table,
    /// The index and its deployed name.
    Index(usize, String),
    /// The unique clause whose guard leads to the item.
    Guard(usize),
    /// The whole table, or the index that `via` names.
    Scan(Option<(usize, String)>),
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
    /// Prepares a pattern; none if it has no path.
    pub(crate) fn prepare(design: &Design, settings: &Settings, pattern: &Pattern) -> Option<Read> {
        let plan = plan::read(design, pattern)?.plan?;
        let table = plan.path.table();
        let table_at = design.tables.iter().position(|each| each.name == table.name)?;
        let route = match plan.path {
            Path::Table(_) => Route::Table,
            Path::Index(_, index) => {
                let at = table.indexes.iter().position(|each| each.name == index.name)?;
                Route::Index(at, index.deployed.clone().unwrap_or_else(|| index.name.text.clone()))
            }
            Path::Guard(_, unique) => {
                Route::Guard(plan.entity.uniques.iter().position(|each| each == unique)?)
            }
            Path::Scan(_) => Route::Scan(match &pattern.via {
                Some(via) => Some(scanned_index(table, via)?),
                None => None,
            }),
        };
        let entity = |name: &Name| design.entities.iter().position(|each| each.name == *name);
        let mut read = Read {
            entities: pattern.entities.iter().map(entity).collect::<Option<_>>()?,
            pattern: pattern.clone(),
            table: deployed(design, table, settings).into(),
            table_at,
            route,
            fetches: plan.fetches,
            held: None,
            is_lookup: is_lookup(pattern, plan.entity),
        };
        if let Route::Scan(Some((at, _))) = &read.route {
            // An answer is the same whatever the index holds of an item.
            read.fetches = !matches!(table.indexes[*at].projection, None | Some(Projection::All));
        }
        if !read.fetches {
            read.held = read.held_by_index(design);
        }
        Some(read)
    }

    /// Looks an item up by what is known of it: the arguments, admitted.
    pub(crate) async fn look_up(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        mut known: Fields,
    ) -> Result<Found, Failure> {
        if !self.is_ours(scope, self.entity(scope).of(&scope.shared.design), &known) {
            return Ok(Found::Item(None));
        }
        derive(scope, self.entities[0], &mut known)?;
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
        for name in &self.pattern.summed {
            let mut total = sortkey_value::Number::ZERO;
            for value in items.iter().filter_map(|item| item.view().get(scope.shared, &name.text)) {
                if let Val::Number(number) = *value {
                    total = total
                        .checked_add(number)
                        .map_err(|_| Failure::internal(format!("the sum of `{name}` cannot be kept")))?;
                }
            }
            sums.insert(name.text.as_str(), Val::Number(total));
        }
        Ok(sums)
    }

    /// The first entity: the one whose keys the path uses.
    fn entity<'a>(&self, scope: &Scope<'a>) -> &'a EntityInfo {
        &scope.shared.entities[self.entities[0]]
    }

    /// The key that the path uses.
    fn key<'a>(&self, design: &'a Design) -> &'a Key {
        let table = &design.tables[self.table_at];
        match &self.route {
            Route::Index(at, _) | Route::Scan(Some((at, _))) => &table.indexes[*at].key,
            _ => &table.key,
        }
    }

    /// The entity that a stored item is of, among those asked for, and its place among them.
    fn owner<'a>(&self, scope: &Scope<'a>, item: &Item) -> Option<(usize, &'a EntityInfo)> {
        let mut infos = self.entities.iter().map(|at| &scope.shared.entities[*at]).enumerate();
        infos.find(|(_, info)| info.owns(&scope.shared.design, item))
    }
}

/// The index that a scan goes through, and its deployed name.
fn scanned_index(table: &Table, via: &Name) -> Option<(usize, String)> {
    let at = table.indexes.iter().position(|index| index.name == *via)?;
    let index = &table.indexes[at];
    Some((at, index.deployed.clone().unwrap_or_else(|| index.name.text.clone())))
}

fn is_lookup(pattern: &Pattern, entity: &Entity) -> bool {
    let is_given = |bind: &Bind| {
        matches!(bind.value, BindValue::Parameter) && entity.attribute(&bind.name.text).is_some()
    };
    pattern.verb == ReadVerb::Get
        && pattern.binds.iter().all(is_given)
        && pattern.params.is_empty()
        && pattern.condition.is_none()
        && pattern.filter.is_none()
        && pattern.requires.is_none()
}
