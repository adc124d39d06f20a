//! The routing of requests. The database is one route; health, metrics and mounts are the others.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, CONTENT_ENCODING, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use sortkey_access::Decided;
use sortkey_api::{ApiError, ErrorKind};

use crate::audit::Recorder;
use crate::backend::Backend;
use crate::body::{self, ReceiveError};
use crate::connection::Connection;
use crate::contain::contain;
use crate::cors;
use crate::dynamodb;
use crate::encoding;
use crate::guard::{AccessMode, EntryPoint, Need, Verdict};
use crate::head::Head;
use crate::mount::{Access, Content, Mount, Peer};
use crate::refusal;
use crate::reply::{self, Answer, ReplyBody, Sending};
use crate::shared::Shared;
use crate::signed;
use crate::status;
use crate::sts;

const UNCLEAR_LENGTH: &str = "the length of the request is unclear, since it has both Content-Length and Transfer-Encoding, one \
                              of them twice, or another encoding: send Content-Length once, or `Transfer-Encoding: chunked` once";

/// Answers one request. An error means that the connection is of no further use.
pub(crate) async fn answer<B: Backend>(
    connection: &Connection<B>,
    request: Request<Incoming>,
) -> Result<Response<ReplyBody>, hyper::Error> {
    let (parts, body) = request.into_parts();
    let head = Head::read(&parts.headers);
    let server = &*connection.server;
    let budget =
        || if signed::is_stranger(server, &parts, &head) { &server.strangers_budget } else { &server.budget };
    let received = body::receive(body, server.settings.max_body_bytes, budget).await;
    connection.progress.received();
    let has_unclear_length = connection.has_unclear_length();
    let request_id = connection.next_request_id();
    let audit = server.settings.audit.as_deref();
    let recorder = Recorder { audit, parts: &parts, request_id: &request_id, from: connection.peer.ip() };

    let mut answer = match received {
        Ok(_) | Err(ReceiveError::Refused(_)) if has_unclear_length => {
            recorder.rejected(&recorder.path(), UNCLEAR_LENGTH);
            let entry = entry_point(server, &parts);
            let mut answer = reject(server, entry, StatusCode::BAD_REQUEST, UNCLEAR_LENGTH);
            // The bytes behind it may be a part of this request.
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            answer
        }
        Ok(_) if head_bytes(&parts) > server.settings.max_head_bytes => {
            refuse(server, &refusal::head_too_large(server.settings.max_head_bytes))
        }
        Ok((body, _reservation)) => route(connection, &recorder, &parts, &head, body).await,
        Err(ReceiveError::Refused(error)) => {
            match server.mounts.iter().find(|mount| mount.covers(parts.uri.path())) {
                Some(mount) => refuse_mounted(server, mount, &error),
                None => refuse(server, &error),
            }
        }
        Err(ReceiveError::Broken(error)) => return Err(error),
    };
    if let Some(origin) = head.origin.filter(|origin| server.settings.guard.allows_origin(Some(origin))) {
        cors::allow(answer.headers_mut(), origin);
    }
    let is_long =
        matches!(answer.body(), Content::Whole(body) if body.len() >= server.settings.compress_from_bytes);
    let coding = encoding::accepted(head.accept_encoding)
        .filter(|_| is_long && !answer.headers().contains_key(CONTENT_ENCODING));
    let sending = Sending(Arc::clone(&connection.progress));
    Ok(reply::finish(answer, request_id, coding, sending))
}

/// The size of the request line and the headers.
fn head_bytes(parts: &Parts) -> usize {
    let header =
        |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + ": \r\n".len();
    let address = parts.uri.path_and_query().map_or(0, |address| address.as_str().len());
    address + parts.headers.iter().map(header).sum::<usize>()
}

async fn route<B: Backend>(
    connection: &Connection<B>,
    recorder: &Recorder<'_>,
    parts: &Parts,
    head: &Head<'_>,
    body: Bytes,
) -> Answer {
    let server = &*connection.server;
    let entry = entry_point(server, parts);
    let guard = &server.settings.guard;
    let need = match guard.check(connection.peer, parts, head, entry) {
        Verdict::Pass(need) => need,
        Verdict::Reject(status, why) => {
            recorder.rejected(&recorder.path(), &why);
            return reject(server, entry, status, &why);
        }
    };
    if guard.answers_preflight(&parts.method, head) {
        return cors::preflight(head);
    }
    let mut administrator = None;
    if need == Need::AdministratorSignature {
        match signed::administrator(server, parts, &body) {
            Ok(caller) => administrator = Some(caller),
            Err(why) => {
                recorder.rejected(&recorder.path(), &why);
                return reject(server, entry, StatusCode::UNAUTHORIZED, &why);
            }
        }
    }
    if let (true, Some(why)) = (recorder.is_on(), passing(guard.mode, entry)) {
        let who = administrator.as_ref().map(|caller| caller.identity.principal.arn.as_str());
        if let Err(error) = recorder.record(who, &recorder.path(), &[], passes_as(entry), why) {
            return match entry {
                EntryPoint::Mount(mount) => refuse_mounted(server, mount, &error),
                _ => refuse(server, &error),
            };
        }
    }
    match entry {
        EntryPoint::Signed if !server.settings.dynamodb_api => refuse(server, &closed()),
        EntryPoint::Signed if need == Need::Signature && guard.authority.is_none() => {
            refuse(server, &without_identities())
        }
        EntryPoint::Signed => {
            let (peer, is_encrypted) = (connection.peer, connection.is_encrypted);
            let asked = dynamodb::Asked { parts, head, peer, is_encrypted, need, recorder };
            match sts::is_asked(head) {
                true => sts::answer(server, &asked, &body),
                false => dynamodb::answer(server, &asked, body).await,
            }
        }
        EntryPoint::Mount(mount) => {
            let answer = mounted(server, mount, (parts, head, connection.peer), body).await;
            if mount.access == Access::Anyone {
                recorder.refused_by_design(answer.status());
            }
            answer
        }
        EntryPoint::Health if parts.uri.path() == "/" => status::health(server),
        EntryPoint::Health => status::ready(server),
        EntryPoint::Metrics => status::metrics(server),
        EntryPoint::Nothing => not_found(),
    }
}

/// Why the guard lets a request pass, where its route records nothing more exact.
fn passing(mode: AccessMode, entry: EntryPoint<'_>) -> Option<&'static str> {
    match (entry, mode) {
        (EntryPoint::Signed | EntryPoint::Health | EntryPoint::Nothing, _) => None,
        (_, AccessMode::Local) => Some("a program on this machine"),
        (_, AccessMode::Open) => Some("--insecure-open"),
        (EntryPoint::Mount(Mount { access: Access::Anyone, .. }), AccessMode::Credentials) => {
            Some("the design decides")
        }
        (EntryPoint::Mount(_) | EntryPoint::Metrics, AccessMode::Credentials) => Some("administrator"),
    }
}

/// The decision that is recorded before a request is handed on.
fn passes_as(entry: EntryPoint<'_>) -> Decided {
    match entry {
        EntryPoint::Mount(Mount { access: Access::Anyone, .. }) => Decided::Passed,
        _ => Decided::Allowed,
    }
}

/// The target of a request.
fn entry_point<'a, B>(server: &'a Shared<B>, parts: &Parts) -> EntryPoint<'a> {
    let path = parts.uri.path();
    if parts.method == Method::POST && path == "/" {
        return EntryPoint::Signed;
    }
    if let Some(mount) = server.mounts.iter().find(|mount| mount.covers(path)) {
        return EntryPoint::Mount(mount);
    }
    match path {
        _ if !matches!(parts.method, Method::GET | Method::HEAD) => EntryPoint::Nothing,
        "/" | "/ready" => EntryPoint::Health,
        "/metrics" => EntryPoint::Metrics,
        _ => EntryPoint::Nothing,
    }
}

/// The answer to a request that the guard rejects, in the form of what it was meant for.
fn reject<B>(server: &Shared<B>, entry: EntryPoint<'_>, status: StatusCode, why: &str) -> Answer {
    server.metrics.refused(ErrorKind::AccessDeniedException);
    let own = match entry {
        EntryPoint::Mount(mount) => mount.handler.refuse(status, why),
        _ => None,
    };
    let mut answer = own.unwrap_or_else(|| {
        let error = ApiError::new(ErrorKind::AccessDeniedException, why);
        reply::error(&error, HeaderValue::from_static("application/json"))
    });
    *answer.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        let headers = answer.headers_mut();
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        headers
            .append(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"sortkey\", charset=\"UTF-8\""));
    }
    answer
}

/// AWS's answer to anything that is not DynamoDB's protocol.
pub(crate) fn not_found() -> Answer {
    reply::answer(StatusCode::NOT_FOUND, None, b"<UnknownOperationException/>\n".to_vec())
}

/// The error for DynamoDB's clients on a server that does not expose its tables.
fn closed() -> ApiError {
    let why =
        "The DynamoDB API is closed on this server, since it knows no tenants; /docs shows what is open";
    ApiError::new(ErrorKind::AccessDeniedException, why)
}

/// The answer to DynamoDB's clients where signatures are asked for and nobody can sign.
fn without_identities() -> ApiError {
    let why = "The DynamoDB API needs a verified signature, and this server has no identities: start it with --auth FILE";
    ApiError::new(ErrorKind::AccessDeniedException, why)
}

/// Hands a request to a mount.
async fn mounted<B: Backend>(
    server: &Shared<B>,
    mount: &Mount,
    (parts, head, peer): (&Parts, &Head<'_>, SocketAddr),
    body: Bytes,
) -> Answer {
    let body = match encoding::decode(head.content_encoding, body, server.settings.max_body_bytes) {
        Ok(body) => body,
        // AWS answers a body that it cannot decode as a failure of its own; here it is the client's.
        Err(error) if error.kind == ErrorKind::InternalServerError => {
            return refuse_mounted(server, mount, &ApiError::validation(error.message));
        }
        Err(error) => return refuse_mounted(server, mount, &error),
    };
    let mut request = Request::from_parts(parts.clone(), body);
    request.extensions_mut().insert(Peer(peer));
    match contain(|| mount.handler.handle(request)).await {
        Some(answer) => answer,
        None => {
            server.metrics.panics.add(1);
            refuse_mounted(server, mount, &ApiError::internal())
        }
    }
}

/// Like `refuse`, but in the form of the mount, whose clients are not DynamoDB's.
fn refuse_mounted<B>(server: &Shared<B>, mount: &Mount, error: &ApiError) -> Answer {
    let otherwise = refuse(server, error);
    mount.handler.refuse(otherwise.status(), &error.message).unwrap_or(otherwise)
}

fn refuse<B>(server: &Shared<B>, error: &ApiError) -> Answer {
    server.metrics.refused(error.kind);
    reply::error(error, HeaderValue::from_static("application/json"))
}
