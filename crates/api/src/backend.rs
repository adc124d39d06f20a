//! A DynamoDB, as whoever sends requests sees it.
//!
//! Two implementations exist: the engine in this process, and a DynamoDB elsewhere behind the AWS SDK. Meters, recorders and
//! schedulers wrap one of them. All of them have a single method to write.

use std::future::Future;
use std::pin::Pin;

use crate::operations::{Exchanged, Operation, Request, Response};
use crate::{ApiError, operations};

/// An answer that is being waited for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, ApiError>> + Send + 'a>>;

/// A DynamoDB.
pub trait Backend: Send + Sync + 'static {
    /// Sends a request. The response is one of the same operation.
    fn send(&self, request: Request) -> Pending<'_, Response>;

    /// Whether it repeats requests itself where that may help, so that nobody above needs to.
    fn repeats(&self) -> bool {
        false
    }

    /// Whether it refuses a request that it has refused once: nothing is gained by keeping a copy to send again.
    fn is_steady(&self) -> bool {
        false
    }

    /// Whether an answer can get lost on its way, so that a transaction needs a token by which its repeat is recognised.
    fn loses_answers(&self) -> bool {
        true
    }
}

macro_rules! requests {
    ($($name:ident: $module:ident,)+) => {
        /// Every request of a design as a typed method of any backend.
        pub trait Requests: Backend {
            $(
                #[doc = concat!("Sends a `", stringify!($name), "`.")]
                fn $module(
                    &self,
                    input: <operations::$name as Operation>::Input,
                ) -> impl Future<Output = Result<<operations::$name as Operation>::Output, ApiError>> + Send {
                    sent::<operations::$name>(self.send(operations::$name::request(input)))
                }
            )+
        }
    };
}

crate::operations::with_design_operations!(requests);

impl<B: Backend + ?Sized> Requests for B {}

async fn sent<O: Exchanged>(pending: Pending<'_, Response>) -> Result<O::Output, ApiError> {
    O::output(pending.await?).map(|output| *output).ok_or_else(ApiError::internal)
}
