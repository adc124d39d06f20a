//! `POST /`: DynamoDB's protocol, with AWS's checks in AWS's order.
//!
//! The order is: content type, JSON, target, signature, body. Whether a body is JSON is the backend's to
//! find out while parsing it; it is checked here only when a later check refuses, since AWS would
//! have complained about the JSON first. A good request is thus read once.

use std::net::SocketAddr;
use std::time::Instant;

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{HeaderValue, USER_AGENT};
use hyper::http::request::Parts;
use sortkey_access::{Caller, Decided};
use sortkey_api::json::Reader;
use sortkey_api::operations::DescribeEndpointsOutput;
use sortkey_api::operations::describe_endpoints::Endpoint;
use sortkey_api::{ApiError, ErrorKind, OperationId};
use sortkey_engine::JsonReply;

use crate::audit::Recorder;
use crate::authorization;
use crate::backend::{Backend, Call, ForkName};
use crate::contain::contain;
use crate::encoding;
use crate::guard::Need;
use crate::head::Head;
use crate::iam::{self, Circumstances, Iam};
use crate::refusal;
use crate::reply::{self, Answer};
use crate::routes;
use crate::shared::Shared;
use crate::signed;
use crate::target;

static AMAZON_JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
static JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A request, without its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) head: &'a Head<'a>,
    pub(crate) peer: SocketAddr,
    pub(crate) is_encrypted: bool,
    pub(crate) need: Need,
    pub(crate) recorder: &'a Recorder<'a>,
}

impl Asked<'_> {
    /// The properties of the request that policies can ask about, besides its body.
    pub(crate) fn circumstances(&self) -> Circumstances<'_> {
        let user_agent = self.parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        Circumstances {
            source_ip: self.peer.ip(),
            user_agent,
            is_encrypted: self.is_encrypted,
            now_seconds: signed::now_seconds(),
        }
    }
}

/// Answers a request of either service.
pub(crate) async fn answer<B: Backend>(server: &Shared<B>, asked: &Asked<'_>, body: Bytes) -> Answer {
    let Some(content_type) = response_content_type(asked.head.content_type, !body.is_empty()) else {
        server.metrics.refused(ErrorKind::UnknownOperationException);
        return routes::not_found();
    };
    let result = match check(server, asked, body) {
        Ok(call) => run(server, call, asked.head.host).await,
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

/// The content type of the response. A request with a body must have a content type that AWS accepts; `None`
/// if it does not.
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

fn check<B: Backend>(server: &Shared<B>, asked: &Asked<'_>, received: Bytes) -> Result<Call, ApiError> {
    let head = asked.head;
    let body = encoding::decode(head.content_encoding, received.clone(), server.settings.max_body_bytes)?;
    let (operation, caller) = check_head(server, asked, &received)
        .map_err(|error| if is_json(&body) { error } else { refusal::serialization() })?;
    if body.is_empty() {
        return Err(refusal::serialization());
    }
    let call = Call { operation, body, fork: fork_name(head)? };
    authorize(server, asked, caller.as_ref(), &call)?;
    Ok(call)
}

/// The operation, once the request is known to be signed; and by whom, where that is asked for.
fn check_head<B>(
    server: &Shared<B>,
    asked: &Asked<'_>,
    received: &[u8],
) -> Result<(OperationId, Option<Caller>), ApiError> {
    let operation = target::operation(asked.head.target).ok_or_else(ApiError::unknown_operation)?;
    let checked = authorization::check(asked.head, asked.parts.uri.query());
    checked.inspect_err(|error| asked.recorder.rejected(operation.name(), &error.message))?;
    let caller = match asked.need {
        Need::Nothing => None,
        _ => {
            let caller = signed::caller(server, asked.parts, received, &["dynamodb"]);
            Some(caller.inspect_err(|error| asked.recorder.rejected(operation.name(), &error.message))?)
        }
    };
    Ok((operation, caller))
}

/// Whether policies allow a request, as far as they apply; the decision is recorded.
fn authorize<B: Backend>(
    server: &Shared<B>,
    asked: &Asked<'_>,
    caller: Option<&Caller>,
    call: &Call,
) -> Result<(), ApiError> {
    let settings = &server.settings;
    let is_recorded = asked.recorder.is_on();
    let iam = settings.guard.iam;
    if (iam == Iam::Off || caller.is_none()) && !is_recorded {
        return Ok(());
    }
    let circumstances = asked.circumstances();
    let matter = caller.map(|caller| iam::Matter { region: &settings.region, caller, call, circumstances });
    let judged = match &matter {
        Some(matter) => server.evaluator.judge(&server.backend, matter, iam, is_recorded),
        None => iam::without_credential(&server.backend, &settings.region, call, settings.guard.mode),
    };
    let who = caller.map(|caller| caller.identity.principal.arn.as_str());
    let resources: Vec<&str> = judged.resources.iter().map(String::as_str).collect();
    let record =
        |decision, why: &str| asked.recorder.record(who, call.operation.name(), &resources, decision, why);
    match judged.denied {
        None => record(Decided::Allowed, &judged.why),
        Some(denied) if iam == Iam::Soft => {
            let (message, missing) = (&denied.error.message, &denied.missing);
            tracing::warn!("{message}; this statement would allow it: {missing}");
            record(Decided::Allowed, &format!("--iam soft, but {}", judged.why))
        }
        Some(denied) => {
            // It is denied whether that can be recorded or not.
            let _ = record(Decided::Denied, &judged.why);
            Err(denied.error)
        }
    }?;
    matter.map_or(Ok(()), |matter| iam::attached::check(&server.backend, &matter, iam))
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
async fn run<B: Backend>(
    server: &Shared<B>,
    call: Call,
    host: Option<&HeaderValue>,
) -> Result<Vec<u8>, ApiError> {
    let metrics = &server.metrics;
    let operation = call.operation;
    let _in_flight = metrics.enter();
    let started = Instant::now();
    let reply = contain(|| server.backend.call(call)).await.unwrap_or_else(|| {
        metrics.panics.add(1);
        JsonReply { result: Err(ApiError::internal()), table: None }
    });
    let error = reply.result.as_ref().err().map(|error| error.kind);
    metrics.answered(operation, reply.table.as_deref(), error, started.elapsed());
    match (operation, host.and_then(|host| host.to_str().ok())) {
        (OperationId::DescribeEndpoints, Some(host)) => reply.result.map(|_| endpoints(host)),
        _ => reply.result,
    }
}

/// The address that the client used, so that one that follows the answer stays here.
fn endpoints(host: &str) -> Vec<u8> {
    let endpoint = Endpoint { address: host.to_owned(), cache_period_in_minutes: 1440 };
    let mut body = Vec::new();
    sortkey_api::encode(&DescribeEndpointsOutput { endpoints: vec![endpoint] }, &mut body);
    body
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
