//! The shape of AWS signatures, in the header or in a presigned query.
//!
//! A local database has no secrets to check against, so any credentials are welcome; but a request
//! that AWS would refuse before looking up the key is refused here too, with the same words, so that a
//! client that forgets to sign finds out before production does.

use hyper::header::HeaderValue;
use sortkey_api::ApiError;

use crate::head::Head;
use crate::refusal;

/// Parameters of a signing header, in the order AWS complains about them.
const HEADER_PARAMETERS: [&str; 3] = ["Credential", "Signature", "SignedHeaders"];

/// Parameters of a presigned query, in the order AWS complains about them.
const QUERY_PARAMETERS: [&str; 5] =
    ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"];

/// Checks that a request is signed, once and completely.
pub(crate) fn check(head: &Head<'_>, query: Option<&str>) -> Result<(), ApiError> {
    let query = query.unwrap_or_default();
    let presigned = !query.is_empty() && parameter(query, QUERY_PARAMETERS[0]).is_some();
    match (head.authorization, presigned) {
        (Some(_), true) => Err(refusal::signed_twice()),
        (Some(header), false) => check_header(header, head.date.or(head.http_date).is_some()),
        (None, true) => check_query(query),
        (None, false) => Err(refusal::missing_authentication()),
    }
}

fn check_header(header: &HeaderValue, dated: bool) -> Result<(), ApiError> {
    let header = header.as_bytes();
    if !header.starts_with(b"AWS4-") {
        return Err(refusal::missing_authentication());
    }
    let mut present = [false; HEADER_PARAMETERS.len()];
    let mut rest = header;
    while !rest.is_empty() {
        let end = memchr::memchr2(b' ', b',', rest).unwrap_or(rest.len());
        let part = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        for (name, present) in HEADER_PARAMETERS.iter().zip(&mut present) {
            *present |= is_given(part, name);
        }
    }
    if dated && present.iter().all(|present| *present) {
        return Ok(());
    }
    let missing = HEADER_PARAMETERS.iter().zip(present).filter(|(_, present)| !present);
    let mut message: String =
        missing.map(|(name, _)| format!("Authorization header requires '{name}' parameter. ")).collect();
    if !dated {
        message += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
    }
    message += &format!("Authorization={}", String::from_utf8_lossy(header));
    Err(refusal::incomplete_signature(message))
}

/// Whether `part` is `name=value`. An empty value is a missing one, except that AWS lets an empty
/// list of signed headers pass this check.
fn is_given(part: &[u8], name: &str) -> bool {
    match part.strip_prefix(name.as_bytes()) {
        Some([b'=', value @ ..]) => !value.is_empty() || name == "SignedHeaders",
        _ => false,
    }
}

fn check_query(query: &str) -> Result<(), ApiError> {
    let mut message = String::new();
    for name in QUERY_PARAMETERS {
        if parameter(query, name).is_none_or(str::is_empty) {
            message += &format!("AWS query-string parameters must include '{name}'. ");
        }
    }
    if message.is_empty() {
        return Ok(());
    }
    message += "Re-examine the query-string parameters.";
    Err(refusal::incomplete_signature(message))
}

/// The raw value of a query parameter; empty if it has no `=`.
fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(authorization: Option<&'static str>, date: bool, query: &str) -> Result<(), String> {
        let header = authorization.map(HeaderValue::from_static);
        let day = HeaderValue::from_static("20261115T123600Z");
        let head = Head { authorization: header.as_ref(), date: date.then_some(&day), ..Head::default() };
        check(&head, Some(query)).map_err(|error| error.message)
    }

    #[test]
    fn complete_signatures_pass() {
        for (authorization, date, query) in [
            (Some("AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=f"), true, ""),
            (Some("AWS4-HMAC-SHA256 Credential=a,SignedHeaders=,Signature=f"), true, "a=b"),
            (
                None,
                false,
                "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d&X-Amz-SignedHeaders=e",
            ),
        ] {
            assert_eq!(outcome(authorization, date, query), Ok(()), "{authorization:?} {query}");
        }
    }

    #[test]
    fn incomplete_signatures_are_told_what_they_lack() {
        let missing = |name: &str| format!("Authorization header requires '{name}' parameter. ");
        let undated = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
        let query = |name: &str| format!("AWS query-string parameters must include '{name}'. ");
        let [credential, signature, signed] = HEADER_PARAMETERS.map(missing);
        let all = QUERY_PARAMETERS.map(query).concat();
        for (authorization, date, text, expected) in [
            (
                Some("AWS4-"),
                false,
                "",
                format!("{credential}{signature}{signed}{undated}Authorization=AWS4-"),
            ),
            (
                Some("AWS4- Signature=b, Credential=a"),
                true,
                "",
                format!("{signed}Authorization=AWS4- Signature=b, Credential=a"),
            ),
            (
                Some("AWS4- Signature=, Credential=a,SignedHeaders=h"),
                true,
                "",
                format!("{signature}Authorization=AWS4- Signature=, Credential=a,SignedHeaders=h"),
            ),
            (None, true, "X-Amz-Algorithm", format!("{all}Re-examine the query-string parameters.")),
            (
                None,
                false,
                "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d",
                format!("{}Re-examine the query-string parameters.", query("X-Amz-SignedHeaders")),
            ),
            (Some("AWS4"), true, "", "Request is missing Authentication Token".into()),
            (Some("Basic abc"), true, "", "Request is missing Authentication Token".into()),
            (None, true, "X-Amz-Credential=b", "Request is missing Authentication Token".into()),
            (
                Some("X"),
                true,
                "X-Amz-Algorithm",
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
                    .into(),
            ),
        ] {
            assert_eq!(outcome(authorization, date, text), Err(expected));
        }
    }
}
