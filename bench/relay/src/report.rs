//! Figures as Markdown.

use std::time::Duration;

/// Durations, shortest first.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(times: impl Iterator<Item = Duration>) -> Times {
        let mut times: Vec<Duration> = times.collect();
        times.sort_unstable();
        Times(times)
    }

    /// The duration below which a share of all is.
    pub(crate) fn at(&self, share: f64) -> Duration {
        let at = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
        self.0.get(at).copied().unwrap_or_default()
    }

    pub(crate) fn ms(&self, share: f64) -> String {
        format!("{:.1}", self.at(share).as_secs_f64() * 1_000.0)
    }
}

/// A row of a table.
pub(crate) fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}
