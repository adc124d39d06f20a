//! The workers of a design that runs in this process.

use std::sync::Arc;
use std::time::Duration;

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

/// Failures of runs go to the log.
pub(super) fn report() -> Report {
    Arc::new(|worker, run, failure| tracing::warn!(worker, run, error = %failure.message, "a run failed"))
}
