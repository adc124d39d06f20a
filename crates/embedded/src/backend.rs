//! The engine in this process as a backend.

use sortkey_api::{Backend, Pending, Request, Response, with_design_operations};
use sortkey_core::Clock;
use sortkey_engine::Engine;

/// A DynamoDB in this process.
#[derive(Clone)]
pub struct Embedded(Engine);

impl Embedded {
    /// A backend over an engine; clones of the engine see the same database.
    pub fn new(engine: Engine) -> Embedded {
        Embedded(engine)
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.0
    }
}

macro_rules! send {
    ($($name:ident: $module:ident,)+) => {
        impl Backend for Embedded {
            #[expect(unreachable_patterns, reason = "transactions are sent by an arm of their own")]
            fn send(&self, request: Request) -> Pending<'_, Response> {
                match request {
                    // A conflict would only be sent again, after a pause.
                    Request::TransactWriteItems(input) => {
                        let reply = self.0.transact_write_items_in_line(*input);
                        Box::pin(async { Ok(Response::TransactWriteItems(Box::new(reply.await?))) })
                    }
                    $(Request::$name(input) => {
                        let reply = self.0.$module(*input);
                        Box::pin(async { Ok(Response::$name(Box::new(reply.await?))) })
                    })+
                }
            }

            /// The engine waits for locks and repeats reads of its disk itself.
            fn is_steady(&self) -> bool {
                true
            }

            fn loses_answers(&self) -> bool {
                false
            }
        }
    };
}

with_design_operations!(send);

/// The database's own clock, which tests can move: a design that runs on it agrees with it about what has expired.
impl Clock for Embedded {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }
}
