//! The DynamoDB API of a server whose tables are elsewhere: it is there, and not here.
//!
//! Requests are not passed on: they would be signed with the server's own credentials, whoever sent them.

use sortkey_api::{ApiError, ErrorKind};
use sortkey_server::{Backend, Call, Readiness, Reply};

/// Rejects the request, and names the address to use instead.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Elsewhere {
    pub(in crate::commands) endpoint: String,
}

impl Backend for Elsewhere {
    async fn call(&self, _: Call) -> Reply {
        let why = format!("The tables of this design are at {}: send the request there", self.endpoint);
        Reply { result: Err(ApiError::new(ErrorKind::AccessDeniedException, why)), table: None }
    }

    fn readiness(&self) -> Readiness {
        Readiness::Ready
    }
}
