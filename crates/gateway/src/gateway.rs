//! The gateway: finds the endpoint, lets the visitor in, reads the arguments, calls the runtime, answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use sortkey_core::{Call, Failure, FailureKind, Runtime};
use sortkey_design::nearest;
use sortkey_server::hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
};
use sortkey_server::hyper::{HeaderMap, Method, Request, Response, StatusCode};
use sortkey_server::{Access, Bytes, Content, Handler, Mount};

use crate::admission::{Admission, Visitor};
use crate::endpoints::{Endpoint, Endpoints, PREFIX};
use crate::live::Live;
use crate::{answer, arguments, openapi, page, problem};

pub(crate) type Answered<'a> = Pin<Box<dyn Future<Output = Response<Content>> + Send + 'a>>;

/// The operations API of a design.
pub struct Gateway {
    runtime: Runtime,
    endpoints: Endpoints,
    admission: Admission,
    forks: Option<Arc<Forks>>,
    live: Arc<Live>,
}

/// Finds the runtime of a fork of the database by the fork's name.
pub type Forks = dyn Fn(&str) -> Option<Runtime> + Send + Sync;

/// Names the fork that a request is for.
const FORK: HeaderName = HeaderName::from_static("x-sortkey-fork");

impl Gateway {
    /// A gateway to a design that runs.
    pub fn new(runtime: Runtime, admission: Admission) -> Gateway {
        let endpoints = Endpoints::of(runtime.program());
        Gateway { runtime, endpoints, admission, forks: None, live: Arc::default() }
    }

    /// Serves forks of the database too, to requests with the header `x-sortkey-fork`.
    pub fn with_forks(self, forks: Arc<Forks>) -> Gateway {
        Gateway { forks: Some(forks), ..self }
    }

    /// Follows the channels of events that effects of the design publish to.
    pub fn with_live(self, live: Arc<Live>) -> Gateway {
        Gateway { live, ..self }
    }

    /// The mounts of the gateway on a server: the API, its description for programs, and a page for people.
    pub fn mounts(self) -> Vec<Mount> {
        let document = openapi::of(self.runtime.program(), &self.endpoints);
        let html = page::of(self.runtime.program(), &self.endpoints);
        let access = self.admission.access();
        let page = |prefix, content_type, body: String| {
            let handler = Arc::new(Document { path: prefix, content_type, body });
            Mount { prefix, access: Access::ThisMachine, handler }
        };
        let routes = crate::routes::mounts(&self.runtime, &self.live);
        let own = vec![
            Mount { prefix: PREFIX, access, handler: Arc::new(self) },
            page("/openapi.json", "application/json", document.to_string()),
            page("/docs", "text/html; charset=utf-8", html),
        ];
        // The gateway's own paths come first: no route can replace them.
        [own, routes].concat()
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Vec<u8>> {
        let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default().trim_matches('/');
        let found = self.endpoints.find(path);
        let wrong_method = found.and_then(|endpoint| wrong_method(endpoint, request.method()));
        if let (Some(endpoint), None) = (found, &wrong_method) {
            return self.call(endpoint, &request).await;
        }
        // The names of a design are only shown to clients that may call it.
        if let Err(failure) = self.admit(request.headers()).await {
            return problem::response(&failure);
        }
        if let Some(refusal) = wrong_method {
            return refusal;
        }
        if !path.is_empty() {
            return self.unknown(path);
        }
        match *request.method() {
            Method::GET | Method::HEAD => answer::json_response(&self.directory()),
            _ => problem::method_not_allowed("GET", "name what to call: GET /api lists what there is"),
        }
    }

    /// Whether the client of a request may call anything at all.
    async fn admit(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let visitor = self.admission.visitor(&self.runtime, headers).await?;
        let is_known =
            visitor.trusted || visitor.caller.is_some() || self.runtime.program().caller.is_empty();
        let why = "GET /api lists what there is to those with a credential";
        if is_known { Ok(()) } else { Err(Failure::new(FailureKind::Unauthenticated, why)) }
    }

    async fn call(&self, endpoint: &Endpoint, request: &Request<Bytes>) -> Response<Vec<u8>> {
        let visitor = self.admission.visitor(&self.runtime, request.headers()).await;
        let prepared = visitor.and_then(|visitor| {
            self.may_call(endpoint, visitor.trusted, visitor.caller.is_some())?;
            Ok((visitor, arguments::read(endpoint, request)?))
        });
        let (visitor, asked) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => return problem::response(&failure),
        };
        let call = Call {
            name: endpoint.name(),
            caller: visitor.caller.as_ref(),
            arguments: asked.arguments,
            cursor: asked.cursor.as_deref(),
            limit: asked.limit,
            version: asked.version,
        };
        let forked = match self.fork(request.headers(), &visitor) {
            Ok(forked) => forked,
            Err(failure) => return problem::response(&failure),
        };
        let (outcome, consumed) = forked.as_ref().unwrap_or(&self.runtime).reply(call).await;
        let consumed = visitor.trusted.then_some(consumed);
        answer::response(self.runtime.program(), endpoint, outcome, consumed)
    }

    /// The runtime of the fork that a request names; none if it names none.
    /// A fork is an operator's copy of all tenants' items.
    fn fork(&self, headers: &HeaderMap, visitor: &Visitor) -> Result<Option<Runtime>, Failure> {
        let Some(name) = headers.get(FORK) else { return Ok(None) };
        if !visitor.trusted {
            let why = "a fork is for administrators: leave the header x-sortkey-fork out";
            return Err(Failure::new(FailureKind::Forbidden, why).at(FORK.as_str()));
        }
        let name = name.to_str().unwrap_or_default();
        let found = self.forks.as_ref().and_then(|forks| forks(name));
        found.map(Some).ok_or_else(|| {
            let why = format!(
                "there is no fork {name:?}; POST /_sortkey/forks makes one where the database is inside"
            );
            Failure::new(FailureKind::NotFound, why).at(FORK.as_str())
        })
    }

    fn may_call(&self, endpoint: &Endpoint, trusted: bool, named: bool) -> Result<(), Failure> {
        let name = endpoint.dotted();
        if endpoint.is_system() {
            let why = format!("{name} is a system declaration: it needs an administrator's key");
            return if trusted { Ok(()) } else { Err(Failure::new(FailureKind::Forbidden, why)) };
        }
        let program = self.runtime.program();
        if named || program.caller.is_empty() {
            return Ok(());
        }
        let example = openapi::caller_example(program);
        let why = format!("who calls {name}? Send the header Sortkey-Caller: {example}");
        Err(Failure::new(FailureKind::Unauthenticated, why))
    }

    fn unknown(&self, path: &str) -> Response<Vec<u8>> {
        let name = path.replace('/', ".");
        let names: Vec<String> = self.endpoints.iter().map(Endpoint::dotted).collect();
        let near = nearest(&name, names.iter().map(String::as_str));
        let advice = near
            .map_or(format!("GET {PREFIX} lists what there is"), |near| format!("did you mean `{near}`?"));
        let detail = format!("the design has no `{name}`; {advice}");
        problem::refused(StatusCode::NOT_FOUND, "UnknownOperation", &detail)
    }

    /// A short description of everything that can be called.
    fn directory(&self) -> Json {
        let entry = |endpoint: &Endpoint| {
            let name = |optional: bool| if optional { "?" } else { "" };
            let parameters = endpoint.signature().parameters.iter();
            let parameters: Vec<String> =
                parameters.map(|each| format!("{}{}", each.name, name(each.optional))).collect();
            json!({
                "name": endpoint.dotted(),
                "path": format!("{PREFIX}/{}", endpoint.path),
                "methods": if endpoint.is_pattern() { json!(["GET", "POST"]) } else { json!(["POST"]) },
                "system": endpoint.is_system(),
                "parameters": parameters,
                "about": endpoint.docs(),
            })
        };
        let design = &self.runtime.design().name.text;
        json!({ "design": design, "endpoints": self.endpoints.iter().map(entry).collect::<Vec<_>>() })
    }
}

impl Handler for Gateway {
    fn handle<'a>(&'a self, request: Request<Bytes>) -> Answered<'a> {
        Box::pin(async move { self.answer(request).await.map(Content::from) })
    }

    fn refuse(&self, status: StatusCode, why: &str) -> Option<Response<Content>> {
        let kind = match status {
            StatusCode::PAYLOAD_TOO_LARGE => FailureKind::TooLarge,
            StatusCode::SERVICE_UNAVAILABLE => FailureKind::Unavailable,
            StatusCode::FORBIDDEN => FailureKind::Forbidden,
            StatusCode::UNAUTHORIZED => FailureKind::Unauthenticated,
            status if status.is_client_error() => FailureKind::Invalid,
            _ => FailureKind::Internal,
        };
        // AWS's clients get no message about a body that cannot be unpacked; ours do.
        let why = if why.is_empty() { "the body is not what its Content-Encoding says" } else { why };
        Some(problem::response(&Failure::new(kind, why)).map(Content::from))
    }
}

/// The refusal of a method that an endpoint does not answer.
fn wrong_method(endpoint: &Endpoint, method: &Method) -> Option<Response<Vec<u8>>> {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    match endpoint.is_pattern() {
        _ if *method == Method::POST => None,
        true if reads => None,
        true => Some(problem::method_not_allowed("GET, POST", "call it with GET or POST")),
        false if reads => Some(problem::method_not_allowed("POST", "an operation writes: call it with POST")),
        false => Some(problem::method_not_allowed("POST", "call it with POST")),
    }
}

/// A text that is rendered once.
struct Document {
    path: &'static str,
    content_type: &'static str,
    body: String,
}

impl Document {
    /// The text, with the address that the reader used in its examples. A host is put into a page only if it is made of
    /// the letters of host names and ports.
    fn addressed(&self, headers: &HeaderMap) -> Vec<u8> {
        let is_plain = |host: &&str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
            !host.is_empty() && host.bytes().all(plain)
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).filter(is_plain);
        match host {
            Some(host) => self.body.replace(page::ADDRESS, &format!("http://{host}")).into_bytes(),
            None => self.body.clone().into_bytes(),
        }
    }
}

impl Handler for Document {
    fn handle<'a>(&'a self, request: Request<Bytes>) -> Answered<'a> {
        let path = request.uri().path().trim_end_matches('/');
        let response = if path != self.path {
            let detail = format!("there is no {path}; {} is what there is", self.path);
            problem::refused(StatusCode::NOT_FOUND, "NotFound", &detail)
        } else if matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = Response::new(self.addressed(request.headers()));
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(page::POLICY));
            response
        } else {
            problem::method_not_allowed("GET", "a page is only read")
        };
        Box::pin(std::future::ready(response.map(Content::from)))
    }
}
