//! Patterns executed along the paths that the compiler chose.
//!
//! A path never changes the answer: whatever the keys let through is checked again against the pattern, and only live
//! items of the named entities and of the caller's tenant come back.

mod asked;
mod batch;
mod bind;
mod branch;
mod count;
mod direct;
mod fetch;
mod filter;
mod hit;
mod keys;
#[cfg(test)]
mod oracle;
mod pages;
mod paging;
mod reached;
mod sent;
mod unseen;

pub(crate) use bind::derive;
pub use fetch::items;
pub(crate) use fetch::{key_of, live};
pub(crate) use filter::{add_virtual, computed, computes, is_ours};
pub use filter::{is_deleted, is_expired};
pub(crate) use hit::Hit;
pub(crate) use keys::fixed;
pub(crate) use paging::Paging;
pub use reached::reached;
pub(crate) use unseen::Came;

use sortkey_api::TableName;
use sortkey_design::Program;
use sortkey_design::model::ReadVerb;
use sortkey_design::program::{EntityId, Pattern, PatternId, StoredKey};
use sortkey_plan::{KeyIs, ReadPlan, Way};
use sortkey_value::Item;

use self::asked::Print;
use crate::Failure;
use crate::answer::Select;
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::names::deployed;
use crate::session::Session;
use crate::settings::Settings;
use crate::values::{Fields, Known, Val};

/// A pattern with its plan, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) pattern: Pattern,
    /// The request: the path, the known values, the recipe of the key.
    pub(crate) plan: ReadPlan,
    pub(crate) table: TableName,
    /// The deployed name of the index that is read.
    index: Option<String>,
    /// The conditions that queries carry, by their places in the sieve.
    sent: Vec<usize>,
    /// Whether the recipe makes whole keys of the table, so that no query is needed where all values are given.
    is_whole_key: bool,
    /// Whether a value that it compares keys with may be absent.
    may_ask_for_nothing: bool,
    /// The arguments that make the key, if nothing else does.
    arguments: Option<direct::Arguments>,
    /// The key condition in words of the API.
    print: Print,
    /// The selected attributes.
    pub(crate) select: Option<Select>,
}

/// The result of a pattern.
pub(crate) enum Found {
    Item(Option<Hit>),
    Items { items: Vec<Hit>, cursor: Option<String> },
    Count(i64),
    Exists(bool),
    Sums(Fields),
}

impl Read {
    /// Prepares a pattern of the design; none if it has no path.
    pub(crate) fn of_pattern(program: &Program, settings: &Settings, id: PatternId) -> Option<Read> {
        let plan = sortkey_plan::read(program, id)?.plan?;
        let mut read = Read::planned(program, settings, plan, program.patterns[id].clone());
        let entities = read.pattern.entities.iter().copied().chain(read.pattern.then);
        let names = read.pattern.select_names.as_deref();
        read.select = names.map(|names| Select::of(program, names, entities));
        Some(read)
    }

    /// Prepares a pattern along its path.
    pub(crate) fn planned(program: &Program, settings: &Settings, plan: ReadPlan, pattern: Pattern) -> Read {
        let table_id = plan.path.table;
        let may_ask_for_nothing = bind::compared(&pattern).next().is_some();
        let mut read = Read {
            table: deployed(program, table_id, settings).into(),
            index: plan.path.index_in(program).map(|index| index.deployed.clone()),
            sent: sortkey_plan::sent(program, &pattern, &plan),
            is_whole_key: is_whole_key(program, &plan),
            may_ask_for_nothing,
            arguments: None,
            print: Print::default(),
            select: None,
            plan,
            pattern,
        };
        read.arguments = read.key_arguments(program);
        read
    }

    /// The pattern with its items in the other direction.
    pub(crate) fn reversed(&self) -> Read {
        let mut read = self.clone();
        read.plan.descending = !read.plan.descending;
        read
    }

    /// Runs the pattern. Its parameters are in the scope, admitted.
    pub(crate) async fn run(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        paging: Paging<'_>,
    ) -> Result<Found, Failure> {
        let branches = self.branches(scope)?;
        self.run_branches(session, scope, branches, paging).await
    }

    /// Runs the pattern for what is known of the items of each query.
    async fn run_branches(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Known<'_>>,
        paging: Paging<'_>,
    ) -> Result<Found, Failure> {
        Ok(match self.pattern.verb {
            ReadVerb::Get => Found::Item(self.get(session, scope, &branches).await?),
            ReadVerb::Count => Found::Count(self.count(session, scope, branches).await?),
            ReadVerb::Sum => self.summary(scope, &self.all(session, scope, branches).await?)?,
            ReadVerb::Exists => Found::Exists(
                !self.page(session, scope, branches, Some(1), Paging::default()).await?.0.is_empty(),
            ),
            ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan => {
                let (most, paging) = self.bounded(paging);
                let (items, cursor) = self.page(session, scope, branches, most, paging).await?;
                let items = self.then(session, scope, items).await?;
                Found::Items { items, cursor }
            }
        })
    }

    /// How many items a page may have, and what it is asked with; a list without pages has no cursor.
    fn bounded<'p>(&self, paging: Paging<'p>) -> (Option<usize>, Paging<'p>) {
        let page = self.pattern.page.filter(|_| !paging.to_the_end);
        let most = page.or(self.pattern.limit).map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        let most = paging.limit.map_or(most, |limit| Some(limit as usize));
        (most, if page.is_some() { paging } else { Paging::default() })
    }

    async fn all(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Known<'_>>,
    ) -> Result<Vec<Hit>, Failure> {
        Ok(self.page(session, scope, branches, None, Paging::default()).await?.0)
    }

    /// Every item that a count, a sum or `exists` is about.
    pub(crate) async fn counted(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Hit>, Failure> {
        self.all(session, scope, self.branches(scope)?).await
    }

    /// The answer of a count, a sum or `exists` about some items.
    pub(crate) fn summary(&self, scope: &Scope<'_>, items: &[Hit]) -> Result<Found, Failure> {
        Ok(match self.pattern.verb {
            ReadVerb::Count => Found::Count(i64::try_from(items.len()).unwrap_or(i64::MAX)),
            ReadVerb::Exists => Found::Exists(!items.is_empty()),
            _ => Found::Sums(self.sum(scope, items)?),
        })
    }

    /// Whether it answers with something about items instead of the items.
    pub(crate) fn summarises(&self) -> bool {
        matches!(self.pattern.verb, ReadVerb::Count | ReadVerb::Sum | ReadVerb::Exists)
    }

    fn sum(&self, scope: &Scope<'_>, items: &[Hit]) -> Result<Fields, Failure> {
        let mut sums = Fields::new();
        for id in &self.pattern.summed {
            let name = self.entity(scope).name_of(*id);
            let mut total = sortkey_value::Number::ZERO;
            for value in items.iter().filter_map(|item| item.view().get(scope.shared, *id)) {
                if let Val::Number(number) = *value {
                    total = total.checked_add(number).map_err(|_| Failure::invalid(&**name, beyond(name)))?;
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
        match self.plan.path.index_in(program) {
            Some(index) => &index.key,
            None => &program.tables[self.plan.path.table].key,
        }
    }

    /// The entity that a stored item is of, among those asked for, and its place among them.
    fn owner<'a>(&self, scope: &Scope<'a>, item: &Item) -> Option<(usize, &'a EntityInfo)> {
        let mut infos = self.pattern.entities.iter().map(|id| &scope.shared.entities[*id]).enumerate();
        infos.find(|(_, info)| info.owns(&scope.shared.program, item))
    }
}

/// Whether a recipe makes whole keys of the table. A collection has several items under each of its keys.
fn is_whole_key(program: &Program, plan: &ReadPlan) -> bool {
    let recipe = &plan.key;
    let mut parts = recipe.partition.iter().chain(&recipe.sort);
    let asked = recipe.partition.len() + recipe.sort.len();
    plan.path.way == Way::Key
        && asked == program.tables[plan.path.table].key.names().count()
        && parts.all(|part| matches!(part.is, KeyIs::Text(_) | KeyIs::Equal(_)))
}

/// The refusal of a sum with more digits than a number has.
fn beyond(name: &str) -> String {
    format!("the sum of `{name}` has more than 38 digits: ask for fewer items")
}
