//! A report for people: predicted and actual consumption, call by call.

use sortkey_plan::{Cost, columns, row, units};

use super::report::{Measured, Report};

impl Report {
    /// One line for each pattern and operation: the usual cost of a call by the plan, the prediction for the calls that
    /// were made, with the sizes of their items, and their consumption, both for one call on average.
    pub fn text(&self) -> String {
        let mut rows = vec![row(&["call", "calls", "failed", "usual", "predicted", "consumed", ""])];
        rows.extend(self.entries.iter().map(Measured::cells));
        let mut text = columns(&rows).trim_start().to_owned();
        for entry in &self.entries {
            for difference in &entry.differences {
                text += &format!("\n{}: {difference}\n", entry.name);
            }
        }
        let (succeeded, failed) = self
            .entries
            .iter()
            .fold((0, 0), |(succeeded, failed), entry| (succeeded + entry.succeeded, failed + entry.failed));
        if failed > 0 {
            text += &format!(
                "\n{succeeded} of {} calls succeeded; arguments are made up, so that some fail\n",
                succeeded + failed
            );
        }
        for entry in self.missing().into_iter().filter(|entry| entry.failed > 0) {
            let trouble = entry.trouble.as_deref().unwrap_or_default();
            text += &format!("\n{}: no call succeeded; the last failed with {trouble}\n", entry.name);
        }
        text
    }

    /// The number of calls that differ from the plan.
    pub fn differences(&self) -> usize {
        self.entries.iter().map(|entry| entry.differences.len()).sum()
    }
}

impl Measured {
    fn cells(&self) -> Vec<String> {
        let calls = self.succeeded + self.failed;
        let each = |cost: Cost| match calls {
            0 => "-".to_owned(),
            calls => shown(cost.times(1.0 / calls as f64)),
        };
        let is_equal = self.differences.is_empty() && self.predicted == self.consumed;
        let agrees = match (calls, is_equal) {
            (0, _) => "not called",
            (_, false) => "differs",
            // No call succeeded, so its cost was not measured.
            (_, true) if self.succeeded == 0 => "failures only",
            (_, true) => "equal",
        };
        row(&[
            self.name.clone(),
            calls.to_string(),
            self.failed.to_string(),
            shown(self.usual),
            each(self.predicted),
            each(self.consumed),
            agrees.to_owned(),
        ])
    }
}

/// `1.5 RCU, 2 WCU`
fn shown(cost: Cost) -> String {
    let mut parts = Vec::new();
    if cost.rcu > 0.0 || cost.wcu == 0.0 {
        parts.push(format!("{} RCU", units(cost.rcu)));
    }
    if cost.wcu > 0.0 {
        parts.push(format!("{} WCU", units(cost.wcu)));
    }
    parts.join(", ")
}
