//! The backend of one call: each request is shown to the hook, and why one got no answer is remembered.

use std::sync::{Arc, Mutex, PoisonError};

use sortkey_api::{ApiError, ErrorDetails, ErrorKind};
use sortkey_api::{Request, Response};
use sortkey_core::{Backend, Pending};

use super::{CommonError, Lost, Refused};

/// A request that was sent, as the hook sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent<'a> {
    /// The call, as the design names it.
    pub call: &'a str,
    /// `GetItem`, `TransactWriteItems`, ...
    pub operation: &'static str,
    /// DynamoDB's JSON.
    pub body: &'a [u8],
    /// The error that came back; none if there was an answer.
    pub error: Option<&'a ApiError>,
}

/// Called with every request, once its answer is there.
pub(super) type Hook = Arc<dyn Fn(&Sent<'_>) + Send + Sync>;

/// The backend of one call.
pub(super) struct Watch {
    call: String,
    backend: Arc<dyn Backend>,
    hook: Option<Hook>,
    trouble: Mutex<Option<(&'static str, ApiError)>>,
}

impl Watch {
    pub(super) fn new(call: &str, backend: Arc<dyn Backend>, hook: Option<Hook>) -> Watch {
        Watch { call: call.to_owned(), backend, hook, trouble: Mutex::default() }
    }

    /// The error for the trouble of the last request, if the call failed of it.
    pub(super) fn trouble(&self) -> Option<CommonError> {
        let (operation, error) = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let refused = |error: ApiError| Refused { message: error.message, field: None, faults: Vec::new() };
        match error.details.as_deref() {
            Some(ErrorDetails::NoAnswer { may_have_happened }) => Some(CommonError::ConnectionLost(Lost {
                operation,
                may_have_happened: *may_have_happened,
                message: error.message,
            })),
            _ => match error.kind {
                ErrorKind::AccessDeniedException => Some(CommonError::AccessDenied(refused(error))),
                ErrorKind::UnrecognizedClientException
                | ErrorKind::InvalidSignatureException
                | ErrorKind::IncompleteSignatureException
                | ErrorKind::ExpiredTokenException
                | ErrorKind::MissingAuthenticationTokenException => {
                    Some(CommonError::WrongCredentials(refused(error)))
                }
                _ => None,
            },
        }
    }
}

impl Backend for Watch {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        Box::pin(async move {
            let operation = request.operation().name();
            let mut body = Vec::new();
            if self.hook.is_some() {
                request.encode(&mut body);
            }
            let answer = self.backend.send(request).await;
            if let Some(hook) = &self.hook {
                hook(&Sent { call: &self.call, operation, body: &body, error: answer.as_ref().err() });
            }
            if let Err(error) = &answer {
                let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
                *trouble = Some((operation, error.clone()));
            }
            answer
        })
    }

    fn repeats(&self) -> bool {
        self.backend.repeats()
    }

    fn is_steady(&self) -> bool {
        self.backend.is_steady()
    }

    fn loses_answers(&self) -> bool {
        self.backend.loses_answers()
    }
}

#[cfg(test)]
mod tests {
    use sortkey_embedded::Embedded;
    use sortkey_engine::{Engine, Settings};

    use super::*;

    // Every request to a database in the same process was copied, to be sent again, and every transaction stored a token.
    #[test]
    fn a_call_on_a_database_in_this_process_loses_no_answers() {
        let below = Embedded::new(Engine::memory(Settings::default()));
        let watch = Watch::new("call", Arc::new(below), None);
        assert!(watch.is_steady() && !watch.loses_answers());
    }
}
