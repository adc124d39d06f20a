//! What is remembered per operation and table, with a bound on the number of tables.
//!
//! Recording takes no lock: the map of tables is replaced when a table is first seen and only read
//! afterwards. Tables beyond the bound are counted together, so a client that creates tables in a loop
//! cannot grow the metrics page.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;

use super::errors::ErrorCounts;
use super::histogram::Histogram;

/// Tables that get a label of their own.
pub(crate) const MAX_TABLES: usize = 100;

/// The label of all further tables together.
pub(crate) const OTHER_TABLES: &str = "(other)";

/// The series of every table and operation.
#[derive(Debug)]
pub(crate) struct SeriesMap {
    operations: usize,
    tables: ArcSwap<HashMap<Arc<str>, Arc<TableSeries>>>,
    /// Requests that concern no table, or several.
    without_table: TableSeries,
    other_tables: TableSeries,
}

/// The series of one table, by operation; each appears with its first request.
#[derive(Debug)]
struct TableSeries(Box<[OnceLock<Box<Series>>]>);

/// One operation on one table.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) latency: Histogram,
    errors: OnceLock<Box<ErrorCounts>>,
}

impl SeriesMap {
    /// Empty series for operations numbered below `operations`.
    pub(crate) fn new(operations: usize) -> SeriesMap {
        SeriesMap {
            operations,
            tables: ArcSwap::default(),
            without_table: TableSeries::new(operations),
            other_tables: TableSeries::new(operations),
        }
    }

    /// Remembers one answered request.
    pub(crate) fn record(
        &self,
        operation: usize,
        table: Option<&Arc<str>>,
        error: Option<&'static str>,
        took: Duration,
    ) {
        let Some(name) = table else {
            return self.without_table.record(operation, error, took);
        };
        if let Some(table) = self.tables.load().get(name) {
            return table.record(operation, error, took);
        }
        self.enter(name);
        let tables = self.tables.load();
        tables.get(name).map_or(&self.other_tables, |table| table).record(operation, error, took);
    }

    /// Gives a table a label of its own while there is room.
    fn enter(&self, name: &Arc<str>) {
        if self.tables.load().len() >= MAX_TABLES {
            return;
        }
        self.tables.rcu(|tables| {
            if tables.len() >= MAX_TABLES || tables.contains_key(name) {
                return tables.clone();
            }
            let mut tables = HashMap::clone(tables);
            tables.insert(name.clone(), Arc::new(TableSeries::new(self.operations)));
            Arc::new(tables)
        });
    }

    /// Visits every series that has seen a request, tables in the order of their names.
    pub(crate) fn visit(&self, mut visit: impl FnMut(usize, &str, &Series)) {
        let tables = self.tables.load_full();
        let mut named: Vec<_> = tables.iter().map(|(name, series)| (&**name, &**series)).collect();
        named.sort_unstable_by_key(|(name, _)| *name);
        let unnamed = [("", &self.without_table), (OTHER_TABLES, &self.other_tables)];
        for (name, table) in unnamed.into_iter().chain(named) {
            for (operation, series) in table.0.iter().enumerate() {
                if let Some(series) = series.get() {
                    visit(operation, name, series);
                }
            }
        }
    }
}

impl TableSeries {
    fn new(operations: usize) -> TableSeries {
        TableSeries((0..operations).map(|_| OnceLock::new()).collect())
    }

    fn record(&self, operation: usize, error: Option<&'static str>, took: Duration) {
        let Some(series) = self.0.get(operation) else {
            return;
        };
        let series = series.get_or_init(Box::default);
        series.latency.observe(took);
        if let Some(kind) = error {
            series.errors.get_or_init(Box::default).add(kind);
        }
    }
}

impl Series {
    /// The error kinds that occurred, with their counts.
    pub(crate) fn errors(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.errors.get().into_iter().flat_map(|errors| errors.counts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_beyond_the_bound_are_counted_together() {
        let map = SeriesMap::new(1);
        for table in 0..MAX_TABLES + 5 {
            map.record(0, Some(&format!("table-{table:03}").into()), None, Duration::ZERO);
        }
        let mut labels = Vec::new();
        map.visit(|_, table, series| labels.push((table.to_owned(), series.latency.observed().count())));
        assert_eq!(labels.len(), MAX_TABLES + 1);
        assert_eq!(labels[0], (OTHER_TABLES.to_owned(), 5));
        assert_eq!(labels[1], ("table-000".to_owned(), 1));
    }

    #[test]
    fn threads_that_meet_a_table_at_once_share_its_series() {
        let map = SeriesMap::new(2);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| map.record(1, Some(&"t".into()), Some("E"), Duration::ZERO));
            }
        });
        let mut seen = Vec::new();
        map.visit(|operation, table, series| {
            seen.push((operation, table.to_owned(), series.errors().collect::<Vec<_>>()));
        });
        assert_eq!(seen, [(1, "t".to_owned(), vec![("E", 8)])]);
    }
}
