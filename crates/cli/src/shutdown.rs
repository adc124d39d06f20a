//! When to stop: at Ctrl-C, or when the system asks.

/// Completes at the first signal to stop. A second one ends the process at once.
pub(crate) async fn asked_for() {
    signal().await;
    tracing::info!("stopping; once more to stop at once");
    tokio::spawn(async {
        signal().await;
        std::process::exit(130);
    });
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(error) => {
            tracing::warn!(%error, "cannot listen for SIGTERM");
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn signal() {
    let _ = tokio::signal::ctrl_c().await;
}
