//! `POST /`: DynamoDB's protocol, with AWS's checks in AWS's order.
//!
//! The order is: content type, JSON, target, signature, body. Whether a body is JSON is the backend's to
//! find out while parsing it; it is checked here only when a later check refuses, since AWS would
//! have complained about the JSON first. A good request is thus read once.

use std::time::Instant;

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use sortkey_api::json::Reader;
use sortkey_api::{ApiError, ErrorKind, OperationId};

use crate::authorization;
use crate::backend::{Backend, Call, ForkName, Reply};
use crate::contain::contain;
use crate::encoding;
use crate::head::Head;
use crate::refusal;
use crate::reply::{self, Answer};
use crate::routes;
use crate::shared::Shared;
use crate::target;

static AMAZON_JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
static JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Answers a request of either service.
pub(crate) async fn answer<B: Backend>(
    server: &Shared<B>,
    head: &Head<'_>,
    query: Option<&str>,
    body: Bytes,
) -> Answer {
    let Some(content_type) = response_content_type(head.content_type, !body.is_empty()) else {
        server.metrics.refused(ErrorKind::UnknownOperationException);
        return routes::not_found();
    };
    let result = match check(server, head, query, body) {
        Ok(call) => run(server, call).await,
        Err(error) => {
            server.metrics.refused(error.kind);
            Err(error)
        }
    };
    match result {
        Ok(body) => reply::answer(StatusCode::OK, Some(content_type), body),
        Err(error) => reply::error(&error, content_type),
    }
}

/// The content type of the response. Only a request without a body may come without one that AWS
/// knows; none if it does anyway.
fn response_content_type(header: Option<&HeaderValue>, has_body: bool) -> Option<HeaderValue> {
    let header = header.map_or(&b""[..], HeaderValue::as_bytes);
    let media_type = header.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    match media_type {
        b"application/x-amz-json-1.0" => Some(AMAZON_JSON.clone()),
        b"application/json" => Some(JSON.clone()),
        _ if !has_body => Some(JSON.clone()),
        _ => None,
    }
}

fn check<B>(server: &Shared<B>, head: &Head<'_>, query: Option<&str>, body: Bytes) -> Result<Call, ApiError> {
    let body = encoding::decode(head.content_encoding, body, server.settings.max_body_bytes)?;
    let operation = check_head(head, query)
        .map_err(|error| if is_json(&body) { error } else { refusal::serialization() })?;
    if body.is_empty() {
        return Err(refusal::serialization());
    }
    Ok(Call { operation, body, fork: fork_name(head)? })
}

fn check_head(head: &Head<'_>, query: Option<&str>) -> Result<OperationId, ApiError> {
    let operation = target::operation(head.target).ok_or_else(ApiError::unknown_operation)?;
    authorization::check(head, query)?;
    Ok(operation)
}

/// Whether a body is well-formed JSON; a missing one passes here.
fn is_json(body: &[u8]) -> bool {
    let parse = || {
        let mut reader = Reader::new(body)?;
        reader.skip()?;
        reader.end()
    };
    body.is_empty() || parse().is_ok()
}

/// The fork a request addresses.
fn fork_name(head: &Head<'_>) -> Result<Option<ForkName>, ApiError> {
    let Some(header) = head.fork else { return Ok(None) };
    let name = header.to_str().ok().and_then(ForkName::parse);
    name.map(Some).ok_or_else(refusal::invalid_fork_name)
}

/// Asks the backend. A bug in it is this request's failure and nobody else's.
async fn run<B: Backend>(server: &Shared<B>, call: Call) -> Result<Vec<u8>, ApiError> {
    let metrics = &server.metrics;
    let operation = call.operation;
    let _in_flight = metrics.enter();
    let started = Instant::now();
    let reply = contain(|| server.backend.call(call)).await.unwrap_or_else(|| {
        metrics.panics.add(1);
        Reply { result: Err(ApiError::internal()), table: None }
    });
    let error = reply.result.as_ref().err().map(|error| error.kind);
    metrics.answered(operation, reply.table.as_deref(), error, started.elapsed());
    reply.result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_those_of_aws() {
        for (header, has_body, expected) in [
            ("application/x-amz-json-1.0", true, Some("application/x-amz-json-1.0")),
            ("application/x-amz-json-1.0; charset=utf-8", true, Some("application/x-amz-json-1.0")),
            ("  application/json  ;   asfd", true, Some("application/json")),
            ("application/x-amz-json-1.1", true, None),
            ("application/jsonasdf", true, None),
            ("text/plain", true, None),
            ("", true, None),
            ("", false, Some("application/json")),
            ("text/plain", false, Some("application/json")),
        ] {
            let answered = response_content_type(Some(&HeaderValue::from_static(header)), has_body);
            assert_eq!(
                answered.as_ref().and_then(|value| value.to_str().ok()),
                expected,
                "{header:?} {has_body}"
            );
        }
    }
}
