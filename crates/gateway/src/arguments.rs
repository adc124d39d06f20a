//! From a request to the arguments of a call: a JSON body, a form, or a query string.
//!
//! The runtime checks names and values, so that all problems are reported together.

use serde_json::{Map, Value as Json};
use sortkey_core::{Arguments, Failure, FailureKind};
use sortkey_design::program::Yields;
use sortkey_server::hyper::header::{CONTENT_TYPE, HeaderName, IF_MATCH, IF_NONE_MATCH};
use sortkey_server::hyper::{Method, Request};
use sortkey_server::{Bytes, form};

use crate::endpoints::Endpoint;
use crate::query;

/// The most that a transaction may write, as base64 in JSON.
pub(crate) const MAX_BODY_BYTES: usize = 6 << 20;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The parts of a request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Asked {
    pub(crate) arguments: Arguments,
    pub(crate) cursor: Option<String>,
    pub(crate) limit: Option<u32>,
    /// The version that the item must have, of `If-Match`.
    pub(crate) version: Option<i64>,
}

/// Reads the arguments of a call.
pub(crate) fn read(endpoint: &Endpoint, request: &Request<Bytes>) -> Result<Asked, Failure> {
    let mut arguments = match *request.method() {
        Method::GET | Method::HEAD => form(endpoint, request.uri().query().unwrap_or_default())?,
        _ => body(endpoint, request)?,
    };
    let (mut cursor, mut limit) = (None, None);
    if matches!(endpoint.signature().yields, Yields::Page(_)) {
        cursor = take(endpoint, &mut arguments, "cursor").map(cursor_text).transpose()?.flatten();
        limit = take(endpoint, &mut arguments, "limit").map(limit_number).transpose()?.flatten();
    }
    idempotency_key(endpoint, request, &mut arguments)?;
    Ok(Asked { arguments, cursor, limit, version: expected_version(request)? })
}

fn body(endpoint: &Endpoint, request: &Request<Bytes>) -> Result<Arguments, Failure> {
    let body = request.body();
    if body.len() > MAX_BODY_BYTES {
        let why = format!("the body has {} bytes, {MAX_BODY_BYTES} are allowed", body.len());
        return Err(Failure::new(FailureKind::TooLarge, why));
    }
    if body.is_empty() {
        return form(endpoint, request.uri().query().unwrap_or_default());
    }
    if request.uri().query().is_some_and(|query| !query.is_empty()) {
        return Err(invalid("the arguments stand in the body or in the query, not in both"));
    }
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let text = std::str::from_utf8(body).map_err(|_| invalid("the form is not UTF-8"))?;
        return form(endpoint, text);
    }
    if !media_type.eq_ignore_ascii_case("application/json") {
        return Err(invalid("send the arguments as application/json"));
    }
    Arguments::read(body)
}

/// Texts by name; each is converted to its parameter's type.
fn form(endpoint: &Endpoint, text: &str) -> Result<Arguments, Failure> {
    let pairs = form::pairs(text).ok_or_else(|| invalid("the query is not percent-encoded UTF-8"))?;
    let mut values = Map::new();
    for (name, text) in pairs {
        let value = match endpoint.parameter(&name) {
            Some(parameter) => query::coerce(&parameter.ty, text),
            None => Json::String(text),
        };
        if values.contains_key(&name) {
            return Err(Failure::invalid(name.clone(), format!("`{name}` is given twice")));
        }
        values.insert(name, value);
    }
    values.try_into()
}

/// Takes a name that belongs to paging, unless the design uses it for a parameter.
fn take(endpoint: &Endpoint, arguments: &mut Arguments, name: &str) -> Option<Json> {
    if endpoint.parameter(name).is_some() { None } else { arguments.take(name) }
}

fn cursor_text(value: Json) -> Result<Option<String>, Failure> {
    match value {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text)),
        _ => Err(Failure::invalid("cursor", "a cursor is the text that the page before gave")),
    }
}

fn limit_number(value: Json) -> Result<Option<u32>, Failure> {
    let number = match &value {
        Json::Null => return Ok(None),
        Json::String(text) => text.parse::<u32>().ok(),
        other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    let number = number.filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| Failure::invalid("limit", "a limit is a whole number above zero"))
}

/// The version that `If-Match` expects: an entity tag as answers carry it, `"7"`. `*` names none, and a header that has no
/// effect is refused where it would keep a write from happening.
fn expected_version(request: &Request<Bytes>) -> Result<Option<i64>, Failure> {
    let headers = request.headers();
    if headers.contains_key(IF_NONE_MATCH) && !matches!(*request.method(), Method::GET | Method::HEAD) {
        let why = "If-None-Match is not supported: an operation that creates an item never replaces one that is there";
        return Err(Failure::invalid("If-None-Match", why));
    }
    let Some(header) = headers.get(IF_MATCH) else { return Ok(None) };
    let text = header.to_str().unwrap_or_default().trim();
    let tag = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let version = tag.and_then(|tag| tag.parse::<i64>().ok());
    let why = || {
        format!(
            "If-Match: {text:?} is not an entity tag of this API; send the ETag of an answer, such as \"7\""
        )
    };
    version.map(Some).ok_or_else(|| Failure::invalid("If-Match", why()))
}

/// The header fills the parameter of `idempotent by`. An operation without that clause refuses it,
/// since a repeat would act again.
fn idempotency_key(
    endpoint: &Endpoint,
    request: &Request<Bytes>,
    arguments: &mut Arguments,
) -> Result<(), Failure> {
    let Some(header) = request.headers().get(IDEMPOTENCY_KEY).filter(|_| !endpoint.is_pattern()) else {
        return Ok(());
    };
    let failed = |why: String| Failure::invalid("Idempotency-Key", why);
    let key = header.to_str().map_err(|_| failed("the header is not plain text".to_owned()))?;
    let Some(name) = endpoint.idempotent_by().map(|parameter| &*parameter.name) else {
        let why = format!("{} does not say `idempotent by`: a repeat would act again", endpoint.dotted());
        return Err(failed(why));
    };
    if arguments.names().any(|each| each == name) && arguments.text(name) != Some(key) {
        return Err(failed(format!("the header and `{name}` say different things")));
    }
    arguments.insert(name, Json::String(key.to_owned()))
}

fn invalid(why: &str) -> Failure {
    Failure::new(FailureKind::Invalid, why)
}
