//! Answers of a host, as bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;
use sortkey_api::{ApiError, ErrorKind, OperationId, Response};
use sortkey_core::{Ask, DataKey, Deed, Failure, FailureKind, KeyError, Performed, Told};

/// The kind of an ask, which decides how the answer is read.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Send(OperationId),
    Pause,
    NewDataKey,
    OpenDataKey,
    Hash,
    Http,
    Mail,
    Jwt,
    Extern,
    Compute,
}

impl Kind {
    pub(crate) fn of(ask: &Ask) -> Kind {
        match ask {
            Ask::Send(request) => Kind::Send(request.operation()),
            Ask::Pause(_) => Kind::Pause,
            Ask::NewDataKey { .. } => Kind::NewDataKey,
            Ask::OpenDataKey { .. } => Kind::OpenDataKey,
            Ask::Hash { .. } => Kind::Hash,
            Ask::Perform(effect) => match effect.deed {
                Deed::Http { .. } => Kind::Http,
                Deed::Mail { .. } => Kind::Mail,
                Deed::Jwt { .. } => Kind::Jwt,
                Deed::Live { .. } | Deed::Extern | Deed::Streamed { .. } => Kind::Extern,
            },
            Ask::Compute(_) => Kind::Compute,
        }
    }
}

/// An answer: a response with its status, or bytes under the status 200. Any other status has words in place of the bytes.
pub(crate) fn told(kind: Kind, status: u16, body: &[u8]) -> Told {
    let refused = || KeyError(String::from_utf8_lossy(body).into_owned());
    match kind {
        Kind::Send(operation) => Told::Response(match status {
            200 => Response::decode(operation, body),
            // The host did not reach a DynamoDB, or got no answer from it.
            0 => Err(ApiError::new(ErrorKind::ServiceUnavailableException, String::from_utf8_lossy(body))),
            _ => Err(ApiError::read(status, body)),
        }),
        Kind::Pause => Told::Paused,
        Kind::NewDataKey => Told::DataKey(match (status, body.split_at_checked(32)) {
            (200, Some((plain, wrapped))) => {
                let plain = plain.try_into().map_err(|_| wrong_length());
                plain.map(|plain| DataKey { plain, wrapped: wrapped.to_vec() })
            }
            (200, None) => Err(wrong_length()),
            _ => Err(refused()),
        }),
        Kind::OpenDataKey => Told::PlainKey(match status {
            200 => body.try_into().map_err(|_| wrong_length()),
            _ => Err(refused()),
        }),
        Kind::Hash => Told::Hash(match status {
            200 => String::from_utf8(body.to_vec()).ok(),
            _ => None,
        }),
        Kind::Compute => Told::Computed(match status {
            200 => serde_json::from_slice(body).map_err(|_| Failure::internal("a function gave no JSON")),
            // A function refuses its arguments; anything else is the host's trouble.
            400 => Err(Failure::new(FailureKind::Invalid, String::from_utf8_lossy(body))),
            _ => Err(Failure::new(FailureKind::Unavailable, String::from_utf8_lossy(body))),
        }),
        Kind::Http | Kind::Mail | Kind::Jwt | Kind::Extern => Told::Performed(match status {
            200 => performed(kind, body),
            401 if matches!(kind, Kind::Jwt) => {
                Err(Failure::new(FailureKind::Unauthenticated, String::from_utf8_lossy(body)))
            }
            _ => Err(Failure::new(FailureKind::Unavailable, String::from_utf8_lossy(body))),
        }),
    }
}

/// The result of an effect, as JSON of a host.
fn performed(kind: Kind, body: &[u8]) -> Result<Performed, Failure> {
    let wrong = |what: &str| Failure::internal(format!("the answer to an effect: expected {what}"));
    let answer: Json = serde_json::from_slice(body).map_err(|_| wrong("JSON"))?;
    let latency_ms = answer["latencyMs"].as_u64().unwrap_or(0);
    let error = answer["error"].as_str().map(str::to_owned);
    Ok(match kind {
        Kind::Http => Performed::Http {
            status: answer["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(0),
            headers: headers(&answer["headers"]),
            body: STANDARD
                .decode(answer["body"].as_str().unwrap_or_default())
                .map_err(|_| wrong("a body in Base64"))?,
            latency_ms,
            error,
        },
        Kind::Mail => Performed::Mail { latency_ms, error },
        Kind::Jwt => Performed::Claims(answer),
        _ => Performed::Result(answer),
    })
}

/// Pairs of names and values; anything else is left out.
fn headers(json: &Json) -> Vec<(String, String)> {
    let text = |json: &Json| json.as_str().map(str::to_owned);
    let pairs = json.as_array().into_iter().flatten();
    pairs.filter_map(|pair| Some((text(&pair[0])?, text(&pair[1])?))).collect()
}

fn wrong_length() -> KeyError {
    KeyError("a data key has 32 bytes".to_owned())
}
