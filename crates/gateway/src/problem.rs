//! Failures as `application/problem+json` (RFC 9457).
//!
//! `code` is what a program acts on: the name of the failure, or of the error that the design declares with `else`.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Failure, FailureKind, Fault};
use sortkey_server::hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use sortkey_server::hyper::{Response, StatusCode};

pub(crate) const CONTENT: &str = "application/problem+json";

/// The answer to a call that failed.
pub(crate) fn response(failure: &Failure) -> Response<Vec<u8>> {
    let status = status(&failure.kind);
    let mut response =
        of(status, failure.kind.name(), &failure.message, failure.field.as_deref(), &failure.faults);
    let headers = response.headers_mut();
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    response
}

/// The answer to a client that asks too often.
pub(crate) fn too_many(wait: Duration) -> Response<Vec<u8>> {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let why = format!("too many requests from this address: wait {seconds} s");
    let mut response = response(&Failure::new(FailureKind::Throttled, why));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

/// The answer to a request that is refused before a call.
pub(crate) fn refused(status: StatusCode, code: &str, detail: &str) -> Response<Vec<u8>> {
    of(status, code, detail, None, &[])
}

/// The answer to `GET` where something would be written.
pub(crate) fn method_not_allowed(allowed: &'static str, detail: &str) -> Response<Vec<u8>> {
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", detail);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// The HTTP status of a failure. A declared error is a conflict with what is stored,
/// unless its name ends with `NotFound`.
pub(crate) fn status(kind: &FailureKind) -> StatusCode {
    match kind {
        FailureKind::Invalid => StatusCode::BAD_REQUEST,
        FailureKind::NotFound => StatusCode::NOT_FOUND,
        FailureKind::Declared(name) if name.ends_with("NotFound") => StatusCode::NOT_FOUND,
        FailureKind::AlreadyExists
        | FailureKind::Conflict
        | FailureKind::InvalidTransition
        | FailureKind::Declared(_) => StatusCode::CONFLICT,
        FailureKind::VersionDiffers => StatusCode::PRECONDITION_FAILED,
        FailureKind::Forbidden => StatusCode::FORBIDDEN,
        FailureKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        FailureKind::CheckFailed => StatusCode::UNPROCESSABLE_ENTITY,
        FailureKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        FailureKind::Throttled => StatusCode::TOO_MANY_REQUESTS,
        FailureKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        FailureKind::Unreadable | FailureKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn of(
    status: StatusCode,
    code: &str,
    detail: &str,
    field: Option<&str>,
    faults: &[Fault],
) -> Response<Vec<u8>> {
    let mut problem = Map::new();
    problem.insert("type".into(), json!(format!("/docs#problem-{code}")));
    problem.insert("title".into(), json!(title(code)));
    problem.insert("status".into(), json!(status.as_u16()));
    problem.insert("detail".into(), json!(detail));
    problem.insert("code".into(), json!(code));
    if let Some(field) = field {
        problem.insert("field".into(), json!(field));
    }
    if !faults.is_empty() {
        let error = |fault: &Fault| match &fault.field {
            Some(field) => json!({ "field": field, "detail": fault.message }),
            None => json!({ "detail": fault.message }),
        };
        problem.insert("errors".into(), faults.iter().map(error).collect());
    }
    let mut response = Response::new(Json::Object(problem).to_string().into_bytes());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(CONTENT));
    response
}

/// `EmailTaken` as words: `Email taken`.
pub(crate) fn title(code: &str) -> String {
    let mut words = String::with_capacity(code.len() + 4);
    for (at, letter) in code.chars().enumerate() {
        if at > 0 && letter.is_uppercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_becomes_a_problem() {
        let declared = |name: &str| FailureKind::Declared(name.to_owned());
        for (kind, status, title) in [
            (FailureKind::Invalid, 400, "Invalid"),
            (declared("EmailTaken"), 409, "Email taken"),
            (declared("SourceNotFound"), 404, "Source not found"),
            (FailureKind::CheckFailed, 422, "Check failed"),
            (FailureKind::Throttled, 429, "Throttled"),
        ] {
            let code = kind.name().to_owned();
            let response = response(&Failure::new(kind, "why").at("email"));
            assert_eq!(response.status().as_u16(), status, "{code}");
            let body: Json = serde_json::from_slice(response.body()).unwrap();
            let expected = json!({
                "type": format!("/docs#problem-{code}"), "title": title, "status": status,
                "detail": "why", "code": code, "field": "email",
            });
            assert_eq!(body, expected);
        }
    }
}
