//! When to stop: at Ctrl-C, or when the system asks.

#[cfg(unix)]
use unix::Signals;
#[cfg(not(unix))]
use windows::Signals;

/// Completes at the first signal to stop. A second signal ends the process at once.
///
/// Signals count from this call on, not from the first poll of the future. A server calls it before it prints its address, so
/// that a program which has read that line can already stop it.
pub(crate) fn asked_for() -> impl Future<Output = ()> {
    let mut signals = Signals::listen();
    async move {
        signals.next().await;
        tracing::info!("stopping; once more to stop at once");
        tokio::spawn(async move {
            signals.next().await;
            std::process::exit(130);
        });
    }
}

#[cfg(unix)]
mod unix {
    use std::future::poll_fn;
    use std::task::Poll;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// The signals by which a process is asked to stop.
    pub(super) struct Signals(Vec<Signal>);

    impl Signals {
        pub(super) fn listen() -> Self {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
            let listen = |kind: SignalKind| {
                let refused = |error| tracing::warn!(%error, ?kind, "cannot listen for a signal");
                signal(kind).map_err(refused).ok()
            };
            Signals(kinds.into_iter().filter_map(listen).collect())
        }

        pub(super) async fn next(&mut self) {
            poll_fn(|context| {
                let mut came = self.0.iter_mut().map(|signal| signal.poll_recv(context).is_ready());
                if came.any(|came| came) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }
}

#[cfg(not(unix))]
mod windows {
    use tokio::signal::windows::{CtrlC, ctrl_c};

    /// Ctrl-C, the one way to ask a process of the console to stop.
    pub(super) struct Signals(Option<CtrlC>);

    impl Signals {
        pub(super) fn listen() -> Self {
            let refused = |error| tracing::warn!(%error, "cannot listen for Ctrl-C");
            Signals(ctrl_c().map_err(refused).ok())
        }

        pub(super) async fn next(&mut self) {
            match &mut self.0 {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
    }
}
