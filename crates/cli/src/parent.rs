//! `--parent PID`: a server that stops when the program that started it ends, however that program ends.
//!
//! A parent that is killed cannot stop its children. The kernel gives an orphan another parent, so a changed parent id is the
//! sign, on every Unix. Linux could send a signal instead (`PR_SET_PDEATHSIG`), but at the end of the thread that started the
//! child, and test runners start servers on worker threads that end early.

use crate::failure::Failure;

/// Asks this process to stop, as Ctrl-C does, once its parent is no longer `parent`.
#[cfg(unix)]
pub(crate) fn stop_with(parent: u32) -> Result<(), Failure> {
    use std::os::unix::process::parent_id;
    use std::time::Duration;

    use rustix::process::{Signal, getpid, kill_process};

    /// An orphan lives no longer than this.
    const INTERVAL: Duration = Duration::from_millis(250);

    if parent_id() != parent {
        let failure = Failure::new(format_args!(
            "--parent {parent}: that process has ended, or did not start this one"
        ));
        return Err(failure.hint(format_args!("this process was started by {}", parent_id())));
    }
    let watch = move || {
        while parent_id() == parent {
            std::thread::sleep(INTERVAL);
        }
        tracing::info!(parent, "the parent process has ended");
        if let Err(error) = kill_process(getpid(), Signal::TERM) {
            tracing::error!(%error, "cannot stop in an orderly way");
            std::process::exit(1);
        }
    };
    let started = std::thread::Builder::new().name("parent".into()).spawn(watch);
    started.map(drop).map_err(|error| Failure::new(format_args!("cannot watch process {parent}: {error}")))
}

/// Only Unix has parent ids that change.
#[cfg(not(unix))]
pub(crate) fn stop_with(_parent: u32) -> Result<(), Failure> {
    Err(Failure::new("--parent has no effect on this system"))
}
