//! Notices that another deployment rewrites the items of this design's tables.
//!
//! A process of the version before would misread the new forms and write old ones behind the walk. It looks at the tables'
//! records every few seconds and ends when they have a newer epoch; the deployment waits longer than that before it rewrites anything.

use std::time::Duration;

use sortkey_core::Runtime;
use sortkey_deploy::{Deployment, is_superseded};

use crate::failure::Failure;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(5);

/// The longest that a process takes to notice: a look, and a request that is sent several times.
pub(super) const LONGEST: Duration = Duration::from_secs(12);

/// Comes back when this design has been superseded. A table that cannot be read is looked at again.
pub(super) async fn noticed(runtime: &Runtime, deployment: &Deployment) {
    loop {
        tokio::time::sleep(LOOK).await;
        if matches!(is_superseded(runtime, deployment).await, Ok(true)) {
            return;
        }
    }
}

/// The reason why the process ends.
pub(super) fn failure() -> Failure {
    Failure::new(
        "another version of the design was deployed, and items are stored as it says: this one has stopped",
    )
    .hint("start the version that was deployed")
}
