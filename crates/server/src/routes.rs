//! Where each request goes. The database is one route; health, metrics and mounts are the others.

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use sortkey_api::{ApiError, ErrorKind};

use crate::backend::{Backend, Readiness};
use crate::body::{self, ReceiveError};
use crate::connection::Connection;
use crate::contain::contain;
use crate::cors;
use crate::dynamodb;
use crate::encoding;
use crate::head::Head;
use crate::metrics;
use crate::mount::{Access, Content, Mount};
use crate::neighbour;
use crate::reply::{self, Answer, ReplyBody};
use crate::shared::Shared;

/// Answers one request. An error means that the connection is of no further use.
pub(crate) async fn answer<B: Backend>(
    connection: &Connection<B>,
    request: Request<Incoming>,
) -> Result<Response<ReplyBody>, hyper::Error> {
    let (parts, body) = request.into_parts();
    let head = Head::read(&parts.headers);
    let server = &*connection.server;
    let received = body::receive(body, server.settings.max_body_bytes, &server.budget).await;
    connection.progress.received();

    let mut answer = match received {
        Ok((body, _reservation)) => route(connection, &parts, &head, body).await,
        Err(ReceiveError::Refused(error)) => {
            match server.mounts.iter().find(|mount| mount.covers(parts.uri.path())) {
                Some(mount) => refuse_mounted(server, mount, &error),
                None => refuse(server, &error),
            }
        }
        Err(ReceiveError::Broken(error)) => return Err(error),
    };
    if head.origin.is_some() && is_open_to_web_pages(server, parts.uri.path()) {
        cors::allow(answer.headers_mut());
    }
    let gzip = matches!(answer.body(), Content::Whole(body) if body.len() >= server.settings.gzip_from_bytes)
        && encoding::accepts_gzip(head.accept_encoding)
        && !answer.headers().contains_key(CONTENT_ENCODING);
    let response = reply::finish(answer, connection.next_request_id(), gzip);
    connection.progress.answered();
    Ok(response)
}

async fn route<B: Backend>(
    connection: &Connection<B>,
    parts: &Parts,
    head: &Head<'_>,
    body: Bytes,
) -> Answer {
    let server = &*connection.server;
    let path = parts.uri.path();
    if parts.method == Method::POST && path == "/" {
        if !server.settings.dynamodb_api {
            return refuse(server, &closed());
        }
        return dynamodb::answer(server, head, parts.uri.query(), body).await;
    }
    if let Some(mount) = server.mounts.iter().find(|mount| mount.covers(path)) {
        return mounted(connection, mount, parts, head, body).await;
    }
    if parts.method == Method::OPTIONS && head.origin.is_some() {
        return cors::preflight(head);
    }
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return not_found();
    }
    match path {
        "/" => health(&server.settings.region),
        "/ready" => ready(&server.backend.readiness()),
        "/metrics" => {
            let is_ready = server.backend.readiness() == Readiness::Ready;
            let histories = server.backend.histories();
            let page = server.metrics.page(server.connections.count(), is_ready, &histories);
            text(StatusCode::OK, metrics::CONTENT_TYPE, page)
        }
        _ => not_found(),
    }
}

/// AWS's health text, which ends in a space.
fn health(region: &str) -> Answer {
    reply::answer(StatusCode::OK, None, format!("healthy: dynamodb.{region}.amazonaws.com ").into_bytes())
}

fn ready(readiness: &Readiness) -> Answer {
    let (status, why) = match readiness {
        Readiness::Ready => (StatusCode::OK, "ready"),
        Readiness::NotReady(why) => (StatusCode::SERVICE_UNAVAILABLE, why.as_str()),
    };
    text(status, "text/plain; charset=utf-8", format!("{why}\n"))
}

/// What AWS says to anything that is not DynamoDB's protocol.
pub(crate) fn not_found() -> Answer {
    reply::answer(StatusCode::NOT_FOUND, None, b"<UnknownOperationException/>\n".to_vec())
}

fn text(status: StatusCode, content_type: &'static str, body: String) -> Answer {
    reply::answer(status, Some(HeaderValue::from_static(content_type)), body.into_bytes())
}

/// What DynamoDB's clients hear from a server that does not show its tables.
fn closed() -> ApiError {
    let why =
        "The DynamoDB API is closed on this server, since it knows no tenants; /docs shows what is open";
    ApiError::new(ErrorKind::AccessDeniedException, why)
}

/// Hands a request to a mount, if the client may use it.
async fn mounted<B: Backend>(
    connection: &Connection<B>,
    mount: &Mount,
    parts: &Parts,
    head: &Head<'_>,
    body: Bytes,
) -> Answer {
    let server = &*connection.server;
    match mount.access {
        Access::Anyone if parts.method == Method::OPTIONS && head.origin.is_some() => {
            return cors::preflight(head);
        }
        Access::ThisMachine
            if !server.settings.admin_from_anywhere && !neighbour::is_local(connection.peer, head) =>
        {
            return not_from_here(mount);
        }
        Access::Anyone | Access::ThisMachine => {}
    }
    let body = match encoding::decode(head.content_encoding, body, server.settings.max_body_bytes) {
        Ok(body) => body,
        Err(error) => return refuse_mounted(server, mount, &error),
    };
    let request = Request::from_parts(parts.clone(), body);
    match contain(|| mount.handler.handle(request)).await {
        Some(answer) => answer,
        None => {
            server.metrics.panics.add(1);
            refuse_mounted(server, mount, &ApiError::internal())
        }
    }
}

/// What a program elsewhere, or a web page of somebody else, hears from a route that is for this machine.
fn not_from_here(mount: &Mount) -> Answer {
    let why = "answers programs on this machine only, unless the server is told to open it";
    mount.handler.refuse(StatusCode::FORBIDDEN, why).unwrap_or_else(|| {
        let content_type = HeaderValue::from_static("application/json");
        reply::answer(
            StatusCode::FORBIDDEN,
            Some(content_type),
            format!(r#"{{"error":"{why}"}}"#).into_bytes(),
        )
    })
}

/// Whether a path answers scripts of any web page. What is for this machine only is not for them.
fn is_open_to_web_pages<B>(server: &Shared<B>, path: &str) -> bool {
    let mount = server.mounts.iter().find(|mount| mount.covers(path));
    mount.is_none_or(|mount| mount.access == Access::Anyone)
}

/// The same refusal where the clients are not DynamoDB's.
fn refuse_mounted<B>(server: &Shared<B>, mount: &Mount, error: &ApiError) -> Answer {
    let otherwise = refuse(server, error);
    mount.handler.refuse(otherwise.status(), &error.message).unwrap_or(otherwise)
}

fn refuse<B>(server: &Shared<B>, error: &ApiError) -> Answer {
    server.metrics.refused(error.kind);
    reply::error(error, HeaderValue::from_static("application/json"))
}
