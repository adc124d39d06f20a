//! The routes of a design: any body under a path that the design names, answered by one of its operations.
//!
//! A success is answered after the operation has committed. Senders of webhooks read the status and little else, so the
//! body of a success is the result of the operation, and that of a failure a problem as everywhere.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use sortkey_core::{Caller, Failure, FailureKind, Incoming, Reply, Runtime, Shown};
use sortkey_design::program::Route;
use sortkey_server::hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use sortkey_server::hyper::{Request, Response, StatusCode};
use sortkey_server::{Access, Bytes, Content, Handler, Mount, Peer, form};

use crate::admission::bearer;
use crate::gateway::Answered;
use crate::limits::{self, Limits};
use crate::live::Live;
use crate::problem;

/// The last event that a client got before it came back.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The routes of a design.
struct Routes {
    runtime: Runtime,
    limits: Limits,
    live: Arc<Live>,
}

/// The places of a design's routes on a server: one for each beginning of a path.
pub(crate) fn mounts(runtime: &Runtime, live: &Arc<Live>) -> Vec<Mount> {
    let design = runtime.design();
    let begins = design.routes.iter().filter_map(|route| route.path.split('/').nth(1));
    let begins: BTreeSet<&str> = begins.filter(|begin| !begin.starts_with('{')).collect();
    let handler: Arc<dyn Handler> =
        Arc::new(Routes { runtime: runtime.clone(), limits: Limits::default(), live: Arc::clone(live) });
    let mount = |begin: &str| {
        // A server has its mounts until it ends, so their few names are never given back.
        let prefix: &'static str = Box::leak(format!("/{begin}").into_boxed_str());
        Mount { prefix, access: Access::Anyone, handler: Arc::clone(&handler) }
    };
    begins.into_iter().map(mount).collect()
}

impl Routes {
    async fn answer(&self, request: Request<Bytes>) -> Response<Content> {
        let (method, path) = (request.method().as_str(), request.uri().path());
        if !matches!(method, "POST" | "PUT" | "PATCH" | "GET" | "DELETE") {
            let why = "routes have other methods";
            return whole(problem::method_not_allowed("POST, PUT, PATCH, GET, DELETE", why));
        }
        let Some((route, values)) = self.runtime.route(method, path) else {
            let detail = format!("the design has no route for {method} {path}");
            return whole(problem::refused(StatusCode::NOT_FOUND, "NotFound", &detail));
        };
        let decoded = values.into_iter().map(|(id, text)| Some((id, form::segment(&text)?)));
        let Some(values) = decoded.collect::<Option<Vec<_>>>() else {
            let why = "an escape in the path is broken, or is not UTF-8";
            return whole(problem::response(&Failure::new(FailureKind::Invalid, why)));
        };
        let program = self.runtime.program();
        let declared = &program.routes[route];
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip());
        if let Some(peer) = peer
            && let Some(limit) = limits::of(declared.limit, peer)
            && let Err(wait) = self.limits.count(route, peer, limit, Instant::now())
        {
            return whole(problem::too_many(wait));
        }
        if request.body().len() as u64 > declared.max_body {
            let why = format!(
                "the body has {} bytes, and at most {} are accepted",
                request.body().len(),
                declared.max_body
            );
            return whole(problem::response(&Failure::new(FailureKind::TooLarge, why)));
        }
        let behind = request.headers().get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()?.parse().ok());
        let answered = async {
            let caller = match self.runtime.needs_caller(route) {
                true => self.caller(&request).await?,
                false => None,
            };
            self.runtime.answer(route, caller.as_ref(), values, incoming(&self.runtime, request)?).await
        };
        match answered.await.and_then(Reply::look) {
            Ok(answer) if declared.live => self.events(&answer, behind),
            Ok(answer) => whole(success(&answer, declared)),
            Err(failure) => whole(problem::response(&failure)),
        }
    }

    /// The events of the channel that an operation names.
    fn events(&self, answer: &Shown<'_>, behind: Option<u64>) -> Response<Content> {
        let Some(channel) = answer.text() else {
            let why = "what a live route calls must return the name of a channel, as text";
            return whole(problem::response(&Failure::internal(why)));
        };
        match self.live.follow(channel, behind) {
            Ok(events) => {
                let mut response = Response::new(Content::Events(events));
                let headers = response.headers_mut();
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
                response
            }
            Err(full) => whole(problem::response(&Failure::new(FailureKind::Unavailable, full.to_string()))),
        }
    }

    async fn caller(&self, request: &Request<Bytes>) -> Result<Option<Caller>, Failure> {
        match bearer(request.headers()) {
            Some(token) => self.runtime.recognise(token).await,
            None => Ok(None),
        }
    }
}

fn whole(response: Response<Vec<u8>>) -> Response<Content> {
    response.map(Content::from)
}

fn success(answer: &Shown<'_>, route: &Route) -> Response<Vec<u8>> {
    let mut response = Response::new(Vec::new());
    let status = u16::try_from(route.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    *response.status_mut() = status.unwrap_or(StatusCode::OK);
    let text = route.content_type.as_ref().zip(answer.text());
    if let Some((Ok(kind), text)) = text.map(|(kind, text)| (HeaderValue::from_str(kind), text)) {
        *response.body_mut() = text.as_bytes().to_vec();
        response.headers_mut().insert(CONTENT_TYPE, kind);
    } else if !answer.is_nothing() {
        answer.write_json(response.body_mut());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}

/// A request as the design sees it.
fn incoming(runtime: &Runtime, request: Request<Bytes>) -> Result<Incoming, Failure> {
    let (parts, body) = request.into_parts();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.0.ip().to_string());
    Ok(Incoming {
        id: runtime.token()?,
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        ip: peer.unwrap_or_default(),
        headers: parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
        query: form::pairs(parts.uri.query().unwrap_or_default()).unwrap_or_default(),
        body: body.to_vec(),
    })
}

impl Handler for Routes {
    fn handle<'a>(&'a self, request: Request<Bytes>) -> Answered<'a> {
        Box::pin(self.answer(request))
    }
}
