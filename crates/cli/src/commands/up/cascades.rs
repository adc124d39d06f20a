//! Cascades that were interrupted go on: when the design starts, and every few seconds while it serves.

use std::time::Duration;

use sortkey_core::Runtime;

use crate::designs;
use crate::failure::Failure;

/// Between two looks. A look is one read for each table whose items have children.
const PERIOD: Duration = Duration::from_secs(10);

/// Goes on with what was interrupted before, and keeps looking as long as the process runs.
pub(super) async fn resume(runtime: &Runtime) -> Result<(), Failure> {
    let resumed = runtime.resume().await.map_err(Failure::new)?;
    if resumed > 0 {
        designs::say(&format!(
            "{resumed} interrupted cascade{} finished\n",
            if resumed == 1 { "" } else { "s" }
        ));
    }
    let runtime = runtime.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(PERIOD).await;
            if let Err(failure) = runtime.resume().await {
                tracing::warn!(%failure, "an interrupted cascade could not go on");
            }
        }
    });
    Ok(())
}
