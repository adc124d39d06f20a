//! The common part of queries and scans: the request, and how pages are compared.

use sortkey_api::operations::{QueryOutput, ScanOutput};
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, Select};
use sortkey_value::{Item, Map};

use super::items::projection_text;
use crate::model::condition::Condition;
use crate::model::cost::{Cost, Units};
use crate::model::legacy;
use crate::model::pages::{Page, Reading};
use crate::model::path::Path;
use crate::model::placeholders::Placeholders;
use crate::model::table::{Table, key_of};
use crate::session::Session;
use crate::shape::{IndexShape, Keeps};

/// The attributes and counts that are requested of the entries found.
pub(super) struct Wishes {
    pub(super) limit: Option<usize>,
    pub(super) filter: Option<Condition>,
    pub(super) paths: Option<Vec<Path>>,
    pub(super) select: Option<Select>,
    pub(super) consistent: Option<bool>,
    pub(super) capacity: Option<ReturnConsumedCapacity>,
}

impl Wishes {
    pub(super) fn random(session: &mut Session, table: &str, index: Option<&IndexShape>) -> Wishes {
        let capacity = session.wanted_capacity();
        let Session { dice, model, .. } = session;
        let scene = Session::scene(model, table);
        let table = &model.tables[table];
        let is_global = index.is_some_and(|index| !index.local);
        let is_shown =
            |path: &Path| index.is_none_or(|index| index.local || table.is_kept(index, &path.attribute));
        let (paths, select) = match dice.below(10) {
            0 | 1 => (scene.projection(dice, is_shown), None),
            2 => match scene.projection(dice, is_shown) {
                Some(paths) => (Some(paths), Some(Select::SpecificAttributes)),
                None => (None, None),
            },
            3 => (None, Some(Select::Count)),
            4 if !is_global || index.is_some_and(|index| index.keeps == Keeps::All) => {
                (None, Some(Select::AllAttributes))
            }
            5 if index.is_some() => (None, Some(Select::AllProjectedAttributes)),
            _ => (None, None),
        };
        Wishes {
            limit: dice.chance(50).then(|| 1 + dice.below(7)),
            filter: dice.chance(40).then(|| scene.filter(dice)),
            paths,
            select,
            consistent: if is_global { None } else { *dice.pick(&[None, Some(false), Some(true)]) },
            capacity,
        }
    }

    /// Whether the parameters from before expressions can express this request.
    pub(super) fn can_be_legacy(&self) -> bool {
        self.filter.as_ref().is_none_or(|filter| legacy::tests(filter).is_some())
            && self.paths.as_ref().is_none_or(|paths| legacy::attributes(paths).is_some())
    }

    /// Nothing but all entries.
    pub(super) fn plain() -> Wishes {
        Wishes { limit: None, filter: None, paths: None, select: None, consistent: None, capacity: None }
    }

    pub(super) fn projection_text(&self, placeholders: &mut Placeholders) -> Option<String> {
        self.paths.as_deref().map(|paths| projection_text(paths, placeholders))
    }

    /// The pages that entries in this order come in.
    pub(super) fn pages(
        &self,
        table: &Table,
        index: Option<&IndexShape>,
        ordered: &[Map],
    ) -> Vec<QueryOutput> {
        let reading = Reading {
            table,
            index,
            limit: self.limit,
            filter: self.filter.as_ref(),
            projection: self.paths.as_deref(),
            consistent: self.consistent == Some(true),
            count_only: self.select == Some(Select::Count),
            whole_items: self.select == Some(Select::AllAttributes),
        };
        let pages = reading.pages(ordered).into_iter();
        pages.map(|(page, cost)| self.output(&table.shape.name, page, &cost)).collect()
    }

    fn output(&self, table: &str, page: Page, cost: &Cost) -> QueryOutput {
        QueryOutput {
            items: page.items.map(|items| items.iter().map(Item::from_map).collect()),
            count: page.count as i32,
            scanned_count: page.scanned as i32,
            last_evaluated_key: page.last_key.as_ref().map(Item::from_map),
            consumed_capacity: cost.report(self.capacity.as_ref(), table, Units::Unnamed),
        }
    }
}

/// A page of a scan is like one of a query.
pub(super) fn as_query(page: ScanOutput) -> QueryOutput {
    QueryOutput {
        items: page.items,
        count: page.count,
        scanned_count: page.scanned_count,
        last_evaluated_key: page.last_evaluated_key,
        consumed_capacity: page.consumed_capacity,
    }
}

/// Entries by the key of their items, for comparisons in which the order does not count.
pub(super) fn by_key(table: &Table, entries: &[Map]) -> Vec<Map> {
    let mut entries = entries.to_vec();
    entries.sort_by_key(|entry| key_of(&table.shape.key, entry));
    entries
}
