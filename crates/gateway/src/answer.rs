//! The answer of a call, as HTTP.

use serde_json::Value as Json;
use sortkey_core::{Consumed, Failure, FailureKind, Reply, Shown};
use sortkey_design::Program;
use sortkey_design::program::Yields;
use sortkey_server::hyper::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use sortkey_server::hyper::{Response, StatusCode};

use crate::endpoints::Endpoint;
use crate::problem;

/// The consumption of the call, for operators who watch the bill: `requests=2, rcu=0.5, wcu=0`. It reveals how much data
/// belongs to an id, so callers who act for a tenant do not get it.
const CONSUMED: HeaderName = HeaderName::from_static("sortkey-consumed");

/// Set if an idempotent call was carried out before: this is its answer.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The response to a call. `consumed` is given if the client may see it.
pub(crate) fn response(
    program: &Program,
    endpoint: &Endpoint,
    outcome: Result<Reply<'_>, Failure>,
    consumed: Option<Consumed>,
) -> Response<Vec<u8>> {
    let outcome = outcome.and_then(Reply::look);
    let is_repeat = outcome.as_ref().is_ok_and(Shown::is_repeat);
    let version = outcome.as_ref().ok().and_then(Shown::version);
    let mut response = match outcome {
        Ok(answer) if answer.is_nothing() => nothing(program, endpoint),
        Ok(answer) => {
            let mut text = Vec::with_capacity(512);
            answer.write_json(&mut text);
            json_text(text)
        }
        Err(failure) => problem::response(&failure),
    };
    if let Some(Consumed { requests, rcu, wcu }) = consumed
        && let Ok(text) = HeaderValue::from_str(&format!("requests={requests}, rcu={rcu}, wcu={wcu}"))
    {
        response.headers_mut().insert(CONSUMED, text);
    }
    if let Some(tag) = version.and_then(|version| HeaderValue::from_str(&format!("\"{version}\"")).ok()) {
        response.headers_mut().insert(ETAG, tag);
    }
    if is_repeat {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// A `get` that finds nothing is 404 on the web; an operation without a result is 204.
fn nothing(program: &Program, endpoint: &Endpoint) -> Response<Vec<u8>> {
    match endpoint.signature().yields {
        Yields::Item(entity) if endpoint.is_pattern() => {
            let entity = &program.entities[entity].name;
            problem::response(&Failure::new(FailureKind::NotFound, format!("there is no such {entity}")))
        }
        _ => {
            let mut response = Response::new(Vec::new());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
    }
}

/// JSON with status 200.
pub(crate) fn json_response(value: &Json) -> Response<Vec<u8>> {
    json_text(value.to_string().into_bytes())
}

fn json_text(text: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(text);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
