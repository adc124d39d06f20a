//! The workers of a design that runs in this process.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sortkey_core::Runtime;
use sortkey_server::MoreMetrics;
use sortkey_work::{Report, Waking, Work};
use tokio::task::JoinHandle;

use crate::failure::Failure;

/// How often workers look although nothing woke them: time passes, and others may write to the tables.
const TICK: Duration = Duration::from_millis(250);

/// The time limit for runs that are under way when the process is stopped.
const GRACE: Duration = Duration::from_secs(20);

/// The workers of a design, which may begin later than it serves.
#[derive(Default)]
pub(super) struct Crew(Arc<Mutex<Option<Workers>>>);

impl Crew {
    /// Starts the workers of a design, if it has any.
    pub(super) fn start(&self, runtime: &Runtime, waking: &Waking) -> Result<(), Failure> {
        let workers = Workers::start(runtime, waking)?;
        *self.0.lock() = workers;
        Ok(())
    }

    /// The workers' lines of the metrics page.
    pub(super) fn metrics(&self) -> MoreMetrics {
        let workers = Arc::clone(&self.0);
        MoreMetrics::new(move || {
            workers.lock().as_ref().map_or_else(String::new, |workers| workers.work.metrics())
        })
    }

    /// Waits for the runs that are under way.
    pub(super) async fn stop(&self) {
        let workers = self.0.lock().take();
        if let Some(workers) = workers {
            workers.stop().await;
        }
    }
}

/// Workers that run.
pub(super) struct Workers {
    work: Arc<Work>,
    running: JoinHandle<()>,
    ticking: JoinHandle<()>,
}

impl Workers {
    /// Starts the workers of a design; none if it has none.
    pub(super) fn start(runtime: &Runtime, waking: &Waking) -> Result<Option<Workers>, Failure> {
        if runtime.program().workers.is_empty() {
            return Ok(None);
        }
        let work = Arc::new(Work::new(runtime.clone(), report()).map_err(Failure::new)?);
        let wake = work.waker();
        waking.wakes(&work);
        let running = tokio::spawn({
            let work = Arc::clone(&work);
            async move { work.run().await }
        });
        let ticking = tokio::spawn(async move {
            loop {
                tokio::time::sleep(TICK).await;
                wake.wake();
            }
        });
        Ok(Some(Workers { work, running, ticking }))
    }

    /// Makes the page with these lines, for a process that has no others.
    pub(super) fn page(&self) -> Arc<dyn Fn() -> String + Send + Sync> {
        let work = Arc::clone(&self.work);
        Arc::new(move || work.metrics())
    }

    /// Waits for the runs that are under way.
    /// A run that does not end in time is repeated by the next process.
    pub(super) async fn stop(self) {
        self.work.waker().stop();
        if tokio::time::timeout(GRACE, self.running).await.is_err() {
            tracing::warn!("runs of workers are still under way: their leases end by themselves");
        }
        self.ticking.abort();
    }
}

/// The longest time that a failure is not logged again while it goes on.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);

/// Failures of runs go to the log. One that goes on, such as a database that is away, is logged less and less often.
pub(super) fn report() -> Report {
    let last: Mutex<Repeats> = Mutex::default();
    Arc::new(move |worker, run, failure| {
        // These are looks at the database, not runs of their own.
        let goes_on = ["due", "claim", "run", "changes"].contains(&run);
        let left_out =
            if goes_on { last.lock().is_due(worker, &failure.message, Instant::now()) } else { Some(0) };
        if let Some(left_out) = left_out {
            tracing::warn!(worker, run, left_out, error = %failure.message, "a run failed");
        }
    })
}

/// The failures of each worker that were logged last.
#[derive(Default)]
struct Repeats(HashMap<String, Repeated>);

struct Repeated {
    message: String,
    logged: Instant,
    silence: Duration,
    left_out: u64,
}

impl Repeats {
    /// The number of times that this failure was left out, if it is logged now.
    fn is_due(&mut self, worker: &str, message: &str, now: Instant) -> Option<u64> {
        let first = Repeated {
            message: message.to_owned(),
            logged: now,
            silence: Duration::from_secs(1),
            left_out: 0,
        };
        let Some(last) = self.0.get_mut(worker).filter(|last| last.message == message) else {
            self.0.insert(worker.to_owned(), first);
            return Some(0);
        };
        let since = now.duration_since(last.logged);
        if since < last.silence {
            last.left_out += 1;
            return None;
        }
        let left_out = std::mem::take(&mut last.left_out);
        // After a long pause it is another incident.
        let silence = if since > LONGEST_SILENCE * 2 { first.silence } else { last.silence * 2 };
        (last.logged, last.silence) = (now, silence.min(LONGEST_SILENCE));
        Some(left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that was not there filled the log with four warnings a second.
    #[test]
    fn a_failure_that_goes_on_is_logged_less_and_less_often() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        let at = |tenths: u64| start + Duration::from_millis(tenths * 100);
        let logged: Vec<u64> =
            (0..600).filter(|tenths| repeats.is_due("send", "away", at(*tenths)).is_some()).collect();
        assert_eq!(logged, [0, 10, 30, 70, 150, 310]);
        assert_eq!(repeats.is_due("send", "refused", at(600)), Some(0), "another failure");
        assert_eq!(repeats.is_due("other", "refused", at(600)), Some(0), "another worker");
    }
}
