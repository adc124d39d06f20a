//! Identifies the caller: by a header if the API is open, by an API key otherwise.

use serde_json::{Map, Value as Json};
use sortkey_core::{Caller, Failure, FailureKind, Runtime, read_json};
use sortkey_server::Access;
use sortkey_server::hyper::HeaderMap;
use sortkey_server::hyper::header::{AUTHORIZATION, HeaderName};

use crate::keys::{ApiKeys, Holder};

const CALLER: HeaderName = HeaderName::from_static("sortkey-caller");

/// The rule for letting clients in.
#[derive(Debug)]
pub enum Admission {
    /// Programs on this machine, which name their caller themselves. No web page of another site is let in.
    Open,
    /// Clients with a key, from any machine.
    Keys(ApiKeys),
}

/// A client that was let in.
#[derive(Debug)]
pub(crate) struct Visitor {
    /// On whose behalf they call.
    pub(crate) caller: Option<Caller>,
    /// Whether they may reach `system` declarations, which have no tenants.
    pub(crate) trusted: bool,
}

impl Admission {
    /// The clients that the server lets through to begin with.
    pub(crate) fn access(&self) -> Access {
        match self {
            Admission::Open => Access::ThisMachine,
            Admission::Keys(_) => Access::Anyone,
        }
    }

    /// The client that sends these headers.
    ///
    /// Keys of the server come first; a token that is none of them is one of the design's own accounts, if it has sessions.
    pub(crate) async fn visitor(&self, runtime: &Runtime, headers: &HeaderMap) -> Result<Visitor, Failure> {
        let named = || named_caller(headers)?.map(|caller| check(runtime, caller)).transpose();
        let has_sessions = !runtime.program().sessions.is_empty();
        let keys = match (self, bearer(headers)) {
            (Admission::Open, Some(token)) if has_sessions => return of_session(runtime, token).await,
            (Admission::Open, _) => return Ok(Visitor { caller: named()?, trusted: true }),
            (Admission::Keys(keys), _) => keys,
        };
        let key =
            bearer(headers).ok_or_else(|| unauthenticated("send an API key: Authorization: Bearer ..."))?;
        match keys.holder(key) {
            None if has_sessions => of_session(runtime, key).await,
            None => Err(unauthenticated("this API key is not known, or was revoked")),
            Some(Holder::Admin) => Ok(Visitor { caller: named()?, trusted: true }),
            Some(Holder::Caller(_)) if headers.contains_key(CALLER) => {
                let why = "this API key is bound to its caller; only an administrator's key may name one";
                Err(Failure::new(FailureKind::Forbidden, why))
            }
            Some(Holder::Caller(caller)) => {
                let caller = runtime.caller(caller).map_err(|failure| {
                    let why =
                        format!("this API key is bound to a caller of another design: {}", failure.message);
                    Failure::new(FailureKind::Forbidden, why)
                })?;
                Ok(Visitor { caller: Some(caller), trusted: false })
            }
        }
    }
}

/// The client that a session token of the design belongs to.
async fn of_session(runtime: &Runtime, token: &str) -> Result<Visitor, Failure> {
    let unknown = || unauthenticated("this token is not known, has expired or was revoked");
    let caller = runtime.recognise(token).await?.ok_or_else(unknown)?;
    Ok(Visitor { caller: Some(caller), trusted: false })
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
}

fn named_caller(headers: &HeaderMap) -> Result<Option<Map<String, Json>>, Failure> {
    let Some(header) = headers.get(CALLER) else { return Ok(None) };
    let refused = |why: &str| Failure::invalid("Sortkey-Caller", format!("the header Sortkey-Caller {why}"));
    match read_json(header.as_bytes(), "it") {
        Ok(Json::Object(caller)) => Ok(Some(caller)),
        Err(Failure { field: Some(name), .. }) => Err(refused(&format!("gives `{name}` twice"))),
        _ => Err(refused(r#"must be a JSON object, such as {"userId":"ada"}"#)),
    }
}

fn check(runtime: &Runtime, caller: Map<String, Json>) -> Result<Caller, Failure> {
    runtime.caller(caller).map_err(|failure| {
        // The failure names a part of the caller, which a client passes as a header.
        let field = failure.field.as_deref().unwrap_or_default();
        let field = format!("Sortkey-Caller{}", field.strip_prefix("caller").unwrap_or_default());
        Failure::invalid(field, failure.message)
    })
}

fn unauthenticated(why: &str) -> Failure {
    Failure::new(FailureKind::Unauthenticated, why)
}
