//! The metrics per operation and table, with a bound on the number of tables.
//!
//! Recording takes no lock: the map of tables is replaced when a table is first seen and only read
//! afterwards. Tables beyond the bound are counted together, so a client that creates tables in a loop
//! cannot grow the metrics page.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use sortkey_api::{ErrorKind, OperationId};

use super::errors::ErrorCounts;
use super::histogram::Histogram;

/// Tables that get a label of their own.
pub(crate) const MAX_TABLES: usize = 100;

/// The label of all further tables together.
pub(crate) const OTHER_TABLES: &str = "(other)";

/// One place per operation, and one for requests that name none.
const PLACES: usize = OperationId::ALL.len() + 1;

/// The series of every table and operation.
#[derive(Debug, Default)]
pub(crate) struct SeriesMap {
    tables: ArcSwap<HashMap<String, Arc<TableSeries>>>,
    /// Requests that concern no table, or several.
    without_table: TableSeries,
    other_tables: TableSeries,
}

/// The series of one table, by operation; each appears with its first request.
#[derive(Debug)]
struct TableSeries([OnceLock<Box<Series>>; PLACES]);

/// One operation on one table.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) latency: Histogram,
    errors: OnceLock<Box<ErrorCounts>>,
}

impl SeriesMap {
    /// Remembers one answered request.
    pub(crate) fn record(
        &self,
        operation: Option<OperationId>,
        table: Option<&str>,
        error: Option<ErrorKind>,
        took: Duration,
    ) {
        let Some(name) = table else { return self.without_table.record(operation, error, took) };
        if let Some(table) = self.tables.load().get(name) {
            return table.record(operation, error, took);
        }
        self.enter(name);
        let tables = self.tables.load();
        tables.get(name).map_or(&self.other_tables, |table| table).record(operation, error, took);
    }

    /// Gives a table a label of its own while there is room.
    fn enter(&self, name: &str) {
        if self.tables.load().len() >= MAX_TABLES {
            return;
        }
        self.tables.rcu(|tables| {
            if tables.len() >= MAX_TABLES || tables.contains_key(name) {
                return tables.clone();
            }
            let mut tables = HashMap::clone(tables);
            tables.insert(name.to_owned(), Arc::default());
            Arc::new(tables)
        });
    }

    /// Visits every series that has seen a request, tables in the order of their names.
    pub(crate) fn visit(&self, mut visit: impl FnMut(Option<OperationId>, &str, &Series)) {
        let tables = self.tables.load_full();
        let mut named: Vec<_> = tables.iter().map(|(name, series)| (name.as_str(), &**series)).collect();
        named.sort_unstable_by_key(|(name, _)| *name);
        let unnamed = [("", &self.without_table), (OTHER_TABLES, &self.other_tables)];
        for (name, table) in unnamed.into_iter().chain(named) {
            for (place, series) in table.0.iter().enumerate() {
                if let Some(series) = series.get() {
                    visit(OperationId::ALL.get(place).copied(), name, series);
                }
            }
        }
    }
}

impl Default for TableSeries {
    fn default() -> TableSeries {
        TableSeries([const { OnceLock::new() }; PLACES])
    }
}

impl TableSeries {
    fn record(&self, operation: Option<OperationId>, error: Option<ErrorKind>, took: Duration) {
        let place = operation.map_or(PLACES - 1, |operation| operation as usize);
        let series = self.0[place].get_or_init(Box::default);
        series.latency.observe(took);
        if let Some(kind) = error {
            series.errors.get_or_init(Box::default).add(kind);
        }
    }
}

impl Series {
    /// The error kinds that occurred, with their counts.
    pub(crate) fn errors(&self) -> impl Iterator<Item = (ErrorKind, u64)> {
        self.errors.get().into_iter().flat_map(|errors| errors.counts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_found_at_its_place() {
        for (place, operation) in OperationId::ALL.iter().enumerate() {
            assert_eq!(*operation as usize, place);
        }
    }

    #[test]
    fn tables_beyond_the_bound_are_counted_together() {
        let map = SeriesMap::default();
        for table in 0..MAX_TABLES + 5 {
            map.record(Some(OperationId::Query), Some(&format!("table-{table:03}")), None, Duration::ZERO);
        }
        let mut labels = Vec::new();
        map.visit(|_, table, series| labels.push((table.to_owned(), series.latency.observed().count())));
        assert_eq!(labels.len(), MAX_TABLES + 1);
        assert_eq!(labels[0], (OTHER_TABLES.to_owned(), 5));
        assert_eq!(labels[1], ("table-000".to_owned(), 1));
    }

    #[test]
    fn threads_that_meet_a_table_at_once_share_its_series() {
        let map = SeriesMap::default();
        let (operation, error) = (Some(OperationId::Scan), ErrorKind::ValidationException);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| map.record(operation, Some("t"), Some(error), Duration::ZERO));
            }
        });
        let mut seen = Vec::new();
        map.visit(|operation, table, series| {
            seen.push((operation, table.to_owned(), series.errors().collect::<Vec<_>>()));
        });
        assert_eq!(seen, [(operation, "t".to_owned(), vec![(error, 8)])]);
    }
}
