//! The routes of a design: any body under a path that the design names, answered by one of its operations.
//!
//! A success is answered after the operation has committed. Whoever sends a webhook reads the status and little else, so the
//! body of a success is what the operation returns, and that of a failure a problem as everywhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use sortkey_core::{Caller, Failure, FailureKind, Incoming, Reply, Runtime, Shown};
use sortkey_server::hyper::header::{CONTENT_TYPE, HeaderValue};
use sortkey_server::hyper::{Request, Response, StatusCode};
use sortkey_server::{Access, Bytes, Content, Handler, Mount, Peer};

use crate::admission::bearer;
use crate::gateway::Answered;
use crate::{problem, query};

/// The largest body of a request to a route.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// The routes of a design.
struct Routes {
    runtime: Runtime,
}

/// The places of a design's routes on a server: one for each beginning of a path.
pub(crate) fn mounts(runtime: &Runtime) -> Vec<Mount> {
    let design = runtime.design();
    let begins = design.routes.iter().filter_map(|route| route.path.split('/').nth(1));
    let begins: BTreeSet<&str> = begins.filter(|begin| !begin.starts_with('{')).collect();
    let handler: Arc<dyn Handler> = Arc::new(Routes { runtime: runtime.clone() });
    let mount = |begin: &str| {
        // A server has its mounts until it ends, so their few names are never given back.
        let prefix: &'static str = Box::leak(format!("/{begin}").into_boxed_str());
        Mount { prefix, access: Access::Anyone, handler: Arc::clone(&handler) }
    };
    begins.into_iter().map(mount).collect()
}

impl Routes {
    async fn answer(&self, request: Request<Bytes>) -> Response<Vec<u8>> {
        let (method, path) = (request.method().as_str(), request.uri().path());
        if !matches!(method, "POST" | "PUT" | "PATCH" | "GET" | "DELETE") {
            return problem::method_not_allowed("POST, PUT, PATCH, GET, DELETE", "routes have other methods");
        }
        let Some((route, values)) = self.runtime.route(method, path) else {
            let detail = format!("the design has no route for {method} {path}");
            return problem::refused(StatusCode::NOT_FOUND, "NotFound", &detail);
        };
        if request.body().len() > MAX_BODY_BYTES {
            let why = format!(
                "the body has {} bytes, and at most {MAX_BODY_BYTES} are accepted",
                request.body().len()
            );
            return problem::response(&Failure::new(FailureKind::TooLarge, why));
        }
        let status = self.runtime.program().routes[route].status;
        let answered = async {
            let caller = match self.runtime.needs_caller(route) {
                true => self.caller(&request).await?,
                false => None,
            };
            self.runtime.answer(route, caller.as_ref(), values, incoming(&self.runtime, request)?).await
        };
        match answered.await.and_then(Reply::look) {
            Ok(answer) => success(&answer, status),
            Err(failure) => problem::response(&failure),
        }
    }

    async fn caller(&self, request: &Request<Bytes>) -> Result<Option<Caller>, Failure> {
        match bearer(request.headers()) {
            Some(token) => self.runtime.recognise(token).await,
            None => Ok(None),
        }
    }
}

fn success(answer: &Shown<'_>, status: u64) -> Response<Vec<u8>> {
    let mut response = Response::new(Vec::new());
    let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    *response.status_mut() = status.unwrap_or(StatusCode::OK);
    if !answer.is_nothing() {
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
        query: query::parse(parts.uri.query().unwrap_or_default()).unwrap_or_default(),
        body: body.to_vec(),
    })
}

impl Handler for Routes {
    fn handle<'a>(&'a self, request: Request<Bytes>) -> Answered<'a> {
        Box::pin(async move { self.answer(request).await.map(Content::from) })
    }
}
