//! The counters of workers as lines that Prometheus reads.

use std::fmt::Write as _;

use crate::status::{Status, TIMES_MS, Times};

/// The lines of all workers.
pub(crate) fn page(all: &[Status]) -> String {
    let mut page = String::new();
    let mut family = |name: &str, kind: &str, help: &str, lines: &dyn Fn(&mut String, &str, &Status)| {
        // Writing to a String cannot fail.
        let _ = write!(page, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        all.iter().for_each(|status| lines(&mut page, name, status));
    };
    family("sortkey_worker_runs_total", "counter", "Runs by worker and outcome.", &|page, name, status| {
        for (outcome, count) in [("done", status.done), ("failed", status.failed), ("dead", status.dead)] {
            let _ = writeln!(page, "{name}{{worker=\"{}\",outcome=\"{outcome}\"}} {count}", status.worker);
        }
    });
    family("sortkey_worker_running", "gauge", "Runs under way.", &|page, name, status| {
        let _ = writeln!(page, "{name}{{worker=\"{}\"}} {}", status.worker, status.running);
    });
    family(
        "sortkey_worker_waiting",
        "gauge",
        "Due items that wait for a run here.",
        &|page, name, status| {
            let _ = writeln!(page, "{name}{{worker=\"{}\"}} {}", status.worker, status.waiting);
        },
    );
    family(
        "sortkey_worker_lag_seconds",
        "histogram",
        "Time from when something was due, or changed, to the beginning of its run.",
        &|page, name, status| histogram(page, name, &status.worker, &status.late),
    );
    family(
        "sortkey_worker_run_duration_seconds",
        "histogram",
        "Time that runs took.",
        &|page, name, status| histogram(page, name, &status.worker, &status.took),
    );
    page
}

fn histogram(page: &mut String, name: &str, worker: &str, times: &Times) {
    let mut count = 0;
    let bounds = TIMES_MS.iter().map(|bound| format!("{}", *bound as f64 / 1_000.0));
    for (bound, number) in bounds.chain(["+Inf".to_owned()]).zip(times.counts) {
        count += number;
        let _ = writeln!(page, "{name}_bucket{{worker=\"{worker}\",le=\"{bound}\"}} {count}");
    }
    let _ = writeln!(page, "{name}_sum{{worker=\"{worker}\"}} {}", times.sum_ms as f64 / 1_000.0);
    let _ = writeln!(page, "{name}_count{{worker=\"{worker}\"}} {count}");
}
