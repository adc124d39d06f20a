//! An answer that is there, or that comes when a commit is visible.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use sortkey_api::{ApiError, ErrorDetails, ErrorKind};
use sortkey_storage::{StorageError, Ticket, Visible};

/// The answer of an operation: a future for those who can await, [`Reply::wait`] for those who cannot.
#[must_use = "an operation's answer says whether it happened"]
pub struct Reply<T>(State<T>);

enum State<T> {
    Ready(Option<Result<T, ApiError>>),
    Waiting(Ticket<Committed<T>>),
}

type Committed<T> = Result<Visible<Result<T, ApiError>>, StorageError>;

impl<T> Reply<T> {
    pub(crate) fn ready(answer: Result<T, ApiError>) -> Reply<T> {
        Reply(State::Ready(Some(answer)))
    }

    /// An answer that needed no commit.
    pub(crate) fn now(answer: T) -> Reply<T> {
        Reply::ready(Ok(answer))
    }

    pub(crate) fn waiting(ticket: Ticket<Committed<T>>) -> Reply<T> {
        Reply(State::Waiting(ticket))
    }

    /// Blocks this thread until the answer is there.
    pub fn wait(self) -> Result<T, ApiError> {
        match self.0 {
            State::Ready(answer) => answer.expect("a future that is polled to its end is not waited for"),
            State::Waiting(ticket) => flatten(ticket.wait()),
        }
    }
}

/// Lets an operation use `?` before it hands over a write.
impl<T> From<Result<Reply<T>, ApiError>> for Reply<T> {
    fn from(result: Result<Reply<T>, ApiError>) -> Reply<T> {
        result.unwrap_or_else(|error| Reply::ready(Err(error)))
    }
}

impl<T: Unpin> Future for Reply<T> {
    type Output = Result<T, ApiError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Ready(answer) => {
                Poll::Ready(answer.take().expect("a future is not polled again after it was ready"))
            }
            State::Waiting(ticket) => Pin::new(ticket).poll(context).map(flatten),
        }
    }
}

fn flatten<T>(committed: Committed<T>) -> Result<T, ApiError> {
    committed.map_err(|error| storage_failure(&error))?.answer
}

/// Whether an error means that the store was being reopened, and nothing was changed.
pub(crate) fn is_reopening(error: &ApiError) -> bool {
    matches!(error.details.as_deref(), Some(ErrorDetails::Reopening))
}

/// The answer when the store fails: a server error with the cause, and whether to retry. The SDKs retry by
/// themselves, as for AWS's own failures.
pub(crate) fn storage_failure(error: &StorageError) -> ApiError {
    tracing::error!(%error, "a request failed in the store");
    let text = match error {
        StorageError::Failed(_) => {
            format!("{error}; whether a write under way is kept shows when it has healed")
        }
        StorageError::Abandoned(_) => return ApiError::internal(),
        StorageError::Reopening => {
            let error = ApiError::new(ErrorKind::InternalServerError, error.to_string());
            return error.with_details(ErrorDetails::Reopening);
        }
        _ => error.to_string(),
    };
    ApiError::new(ErrorKind::InternalServerError, text)
}
