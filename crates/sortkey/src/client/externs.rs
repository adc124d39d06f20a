//! Effects that a design leaves to the application, carried out by typed functions.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use sortkey_core::{Deed, Effects, Failure, FailureKind, NoEffects, Outgoing, Performed, Performing};

/// The result of a handler: a value, or the reason why there is none.
pub type Handling<T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send>>;

/// A handler of untyped arguments.
type Handler = Box<dyn Fn(Json) -> Handling<Json> + Send + Sync>;

/// Effects of a design by name. Its HTTP requests and mails, and every effect without a handler, are left to another
/// [`Effects`].
pub struct Externs {
    handlers: HashMap<&'static str, Handler>,
    otherwise: Arc<dyn Effects>,
}

impl Default for Externs {
    fn default() -> Externs {
        Externs { handlers: HashMap::new(), otherwise: Arc::new(NoEffects) }
    }
}

impl Externs {
    /// No handlers.
    pub fn new() -> Externs {
        Externs::default()
    }

    /// With a handler of an effect.
    pub fn on<A, R>(
        mut self,
        name: &'static str,
        handler: impl Fn(A) -> Handling<R> + Send + Sync + 'static,
    ) -> Externs
    where
        A: DeserializeOwned + 'static,
        R: Serialize + Send + 'static,
    {
        let untyped = move |arguments: Json| -> Handling<Json> {
            let given = serde_json::from_value(arguments).map_err(|error| error.to_string());
            match given {
                Ok(given) => {
                    let handling = handler(given);
                    Box::pin(async move {
                        serde_json::to_value(handling.await?).map_err(|error| error.to_string())
                    })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        };
        self.handlers.insert(name, Box::new(untyped));
        self
    }

    /// With what carries out everything else.
    pub fn otherwise(mut self, effects: impl Effects) -> Externs {
        self.otherwise = Arc::new(effects);
        self
    }
}

impl Effects for Externs {
    fn perform(&self, effect: Outgoing) -> Performing<'_> {
        let Some(handler) = self.handlers.get(effect.name.as_str()) else {
            // An event that nobody follows.
            if matches!(effect.deed, Deed::Live { .. }) {
                return Box::pin(std::future::ready(Ok(Performed::Result(Json::Object(Default::default())))));
            }
            return self.otherwise.perform(effect);
        };
        let is_token = matches!(effect.deed, Deed::Jwt { .. });
        let handling = handler(effect.arguments);
        Box::pin(async move {
            match (handling.await, is_token) {
                (Ok(claims), true) => Ok(Performed::Claims(claims)),
                (Ok(result), false) => Ok(Performed::Result(result)),
                (Err(why), true) => Err(Failure::new(FailureKind::Unauthenticated, why)),
                (Err(why), false) => Err(Failure::new(FailureKind::Unavailable, why)),
            }
        })
    }
}
