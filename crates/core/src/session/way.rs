//! How requests leave a call.

use sortkey_api::{ApiError, Backend, Request, Response};

use crate::outbox::Outbox;

/// The receiver of requests.
pub(super) enum Way<'a> {
    /// A backend takes them.
    Direct(&'a dyn Backend),
    /// The host of a task is asked to send them.
    Asked(&'a Outbox),
}

impl Way<'_> {
    pub(super) async fn send(&self, request: Request) -> Result<Response, ApiError> {
        match self {
            Way::Direct(backend) => backend.send(request).await,
            Way::Asked(outbox) => outbox.exchange(request).await,
        }
    }

    /// Whether what is refused there is refused for good.
    pub(super) fn is_steady(&self) -> bool {
        match self {
            Way::Direct(backend) => backend.is_steady(),
            Way::Asked(_) => false,
        }
    }

    /// Whether an answer can get lost on its way.
    pub(super) fn loses_answers(&self) -> bool {
        match self {
            Way::Direct(backend) => backend.loses_answers(),
            Way::Asked(_) => true,
        }
    }

    /// Whether requests are repeated there, as AWS SDKs do.
    pub(super) fn repeats(&self) -> bool {
        match self {
            Way::Direct(backend) => backend.repeats(),
            Way::Asked(outbox) => outbox.repeats,
        }
    }
}
