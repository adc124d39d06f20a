//! The rest of a deployment: items are rewritten, mostly before the design serves, and otherwise while it does.

use std::pin::Pin;
use std::time::Duration;

use sortkey_deploy::Deployment;

use crate::failure::Failure;

/// A rewriting that takes longer goes on while the design serves.
const PATIENCE: Duration = Duration::from_secs(1);

type Finishing<'a> = Pin<Box<dyn Future<Output = Result<Deployment, Failure>> + 'a>>;

/// A deployment on its way to its end.
pub(super) struct Rest<'a>(Option<Finishing<'a>>);

impl<'a> Rest<'a> {
    pub(super) fn of(finishing: impl Future<Output = Result<Deployment, Failure>> + 'a) -> Rest<'a> {
        Rest(Some(Box::pin(finishing)))
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.is_none()
    }

    /// Waits for the end for a moment.
    pub(super) async fn for_a_moment(&mut self) -> Result<(), Failure> {
        let Some(finishing) = &mut self.0 else { return Ok(()) };
        if let Ok(done) = tokio::time::timeout(PATIENCE, finishing).await {
            self.0 = None;
            done?;
        }
        Ok(())
    }

    /// Waits for the end.
    pub(super) async fn finish(&mut self) -> Result<(), Failure> {
        if let Some(finishing) = self.0.take() {
            finishing.await?;
        }
        Ok(())
    }
}
