//! The operations: one file each, of one shape. Which there are is listed in `api`; from that list come the modules here, the
//! dispatcher and the typed methods of [`Engine`].

use std::sync::Arc;

use sortkey_api::{ApiError, Operation, OperationId, TableName};

use crate::engine::{Engine, Shared};
use crate::reply::{Reply, is_reopening};

/// An operation that the engine can run. Its input has passed the constraints of its shape.
pub(crate) trait Run: Operation {
    fn run(shared: &Arc<Shared>, input: Self::Input) -> Result<Reply<Self::Output>, ApiError>;

    /// The one table that the request concerns, if there is one; metrics are kept by it.
    fn table(_: &Self::Input) -> Option<&TableName> {
        None
    }
}

/// The answer to a request as JSON.
#[derive(Debug)]
pub struct JsonReply {
    /// The JSON of the output, or the error.
    pub result: Result<Vec<u8>, ApiError>,
    /// The table that the request concerned, if it concerned exactly one that exists. It becomes a label of metrics,
    /// so a name that a client made up does not belong here.
    pub table: Option<Arc<str>>,
}

macro_rules! operations {
    ($($operation:ident: $module:ident,)*) => {
        $(mod $module;)*

        impl Engine {
            /// Runs an operation on its JSON body and answers JSON.
            pub async fn call(&self, operation: OperationId, body: &[u8]) -> JsonReply {
                match operation {
                    $(OperationId::$operation => self.answer::<sortkey_api::operations::$operation>(body).await,)*
                    _ => JsonReply { result: Err(crate::text::unsupported(operation)), table: None },
                }
            }

            $(
                #[doc = concat!("Runs `", stringify!($operation), "`.")]
                pub fn $module(
                    &self,
                    input: <sortkey_api::operations::$operation as Operation>::Input,
                ) -> Reply<<sortkey_api::operations::$operation as Operation>::Output> {
                    let run = || {
                        sortkey_api::check(&input)?;
                        sortkey_api::operations::$operation::run(&self.shared, input)
                    };
                    Reply::from(run())
                }
            )*
        }
    };
}

impl Engine {
    async fn answer<O: Run>(&self, body: &[u8]) -> JsonReply
    where
        O::Output: Unpin,
    {
        let input = match sortkey_api::decode::<O::Input>(body) {
            Ok(input) => input,
            Err(error) => return JsonReply { result: Err(error), table: None },
        };
        let table = O::table(&input).and_then(|name| self.shared.existing_table(name.name()));
        let mut epoch = self.shared.committer.epoch();
        let mut result = async { O::run(&self.shared, input)?.await }.await;
        // Nothing has changed for a request that met a store which is being opened anew: it starts over.
        while result.as_ref().is_err_and(is_reopening) && self.shared.committer.reopened_since(epoch).await {
            epoch = self.shared.committer.epoch();
            let input = match sortkey_api::decode::<O::Input>(body) {
                Ok(input) => input,
                Err(error) => return JsonReply { result: Err(error), table },
            };
            result = async { O::run(&self.shared, input)?.await }.await;
        }
        let result = result.map(|output| {
            let mut json = Vec::with_capacity(256);
            sortkey_api::encode(&output, &mut json);
            json
        });
        JsonReply { result, table }
    }
}

sortkey_api::with_operations!(operations);
