//! The administration routes: a list that is both the dispatcher and the page at `/_sortkey`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::header::HeaderValue;
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{Admin, AdminError, Backup, ClockChange, Fault, NewFork, TuningChange};
use crate::backend::ForkName;
use crate::head::Head;
use crate::mount::{Access, Content, Handler, Mount};
use crate::reply;

const PREFIX: &str = "/_sortkey";

/// Puts an administration at its place on a server.
pub fn admin_mount(admin: Arc<dyn Admin>) -> Mount {
    Mount { prefix: PREFIX, access: Access::Operator, handler: Arc::new(Routes(admin)) }
}

/// One thing that can be asked for.
struct Route {
    method: Method,
    /// Below the prefix. A last segment `*` matches a name.
    path: &'static str,
    /// The contents of the body; empty if there is none.
    body: &'static str,
    about: &'static str,
    run: fn(&dyn Admin, &Ask<'_>) -> Outcome,
}

/// A request as a route sees it.
struct Ask<'a> {
    fork: Option<ForkName>,
    /// The name that matched `*`.
    name: &'a str,
    body: &'a [u8],
}

/// The answer, or the error.
type Outcome = Result<Good, AdminError>;

/// The answer to a successful request.
enum Good {
    Json(String),
    Backup(Backup),
}

/// Every route.
static ROUTES: &[Route] = &[
    Route { method: Method::GET, path: "", body: "", about: "This list.", run: |_, _| directory() },
    Route {
        method: Method::GET,
        path: "/clock",
        body: "",
        about: "What time the database thinks it is.",
        run: |admin, ask| to_json(admin.clock(ask.fork())?),
    },
    Route {
        method: Method::POST,
        path: "/clock",
        body: r#"{"setMs": 1767225600000} or {"advanceMs": 60000} or {"stopMs": 1767225600000}"#,
        about: "Moves the clock to a time or by a time, or stops it at a time.",
        run: |admin, ask| to_json(admin.change_clock(ask.fork(), ask.parse::<ClockChange>()?)?),
    },
    Route {
        method: Method::DELETE,
        path: "/clock",
        body: "",
        about: "Lets the clock follow the machine's again.",
        run: |admin, ask| to_json(admin.release_clock(ask.fork())?),
    },
    Route {
        method: Method::POST,
        path: "/expire",
        body: "",
        about: "Deletes every item whose time to live has passed, now.",
        run: |admin, ask| to_json(admin.expire(ask.fork())?),
    },
    Route {
        method: Method::POST,
        path: "/reset",
        body: "",
        about: "Empties the database and forgets every setting made here.",
        run: |admin, ask| done(admin.reset(ask.fork())),
    },
    Route {
        method: Method::GET,
        path: "/forks",
        body: "",
        about: "The forks that exist.",
        run: |admin, _| listed("forks", &admin.forks()?),
    },
    Route {
        method: Method::POST,
        path: "/forks",
        body: r#"{"name": "test-1", "from": "seeded", "record": false}"#,
        about: "Copies the database, or the fork named by `from`, under a new name; `record` keeps its requests.",
        run: |admin, ask| to_json(admin.create_fork(ask.parse::<NewFork>()?)?),
    },
    Route {
        method: Method::GET,
        path: "/requests",
        body: "",
        about: "The requests of a fork that was made with `record`, in the order in which they came.",
        run: |admin, ask| listed("requests", &admin.requests(ask.fork())?),
    },
    Route {
        method: Method::DELETE,
        path: "/forks/*",
        body: "",
        about: "Forgets a fork.",
        run: |admin, ask| done(admin.delete_fork(&fork_name(ask.name)?)),
    },
    Route {
        method: Method::GET,
        path: "/faults",
        body: "",
        about: "The faults that are still to come.",
        run: |admin, ask| listed("faults", &admin.faults(ask.fork())?),
    },
    Route {
        method: Method::POST,
        path: "/faults",
        body: r#"{"throttle": 3, "unprocessed": 0, "conflict": 0, "operation": "PutItem", "table": "music"}"#,
        about: "Makes coming requests fail: throttled, unprocessed or in conflict, so many of each.",
        run: |admin, ask| done(admin.add_fault(ask.fork(), ask.parse::<Fault>()?)),
    },
    Route {
        method: Method::DELETE,
        path: "/faults",
        body: "",
        about: "Forgets the faults that are still to come.",
        run: |admin, ask| done(admin.clear_faults(ask.fork())),
    },
    Route {
        method: Method::GET,
        path: "/backup",
        body: "",
        about: "Everything in the database, as the bytes of a backup file for `sortkey restore`.",
        run: |admin, ask| admin.backup(ask.fork()).map(Good::Backup),
    },
    Route {
        method: Method::GET,
        path: "/verify",
        body: "",
        about: "Whether everything in the database fits together, as `sortkey verify` looks at it.",
        run: |admin, ask| to_json(admin.verify(ask.fork())?),
    },
    Route {
        method: Method::GET,
        path: "/settings",
        body: "",
        about: "How the database deviates from an ideal one.",
        run: |admin, ask| to_json(admin.tuning(ask.fork())?),
    },
    Route {
        method: Method::POST,
        path: "/settings",
        body: r#"{"gsiDelayMs": 250}"#,
        about: "Changes how the database deviates; what is left out stays.",
        run: |admin, ask| to_json(admin.change_tuning(ask.fork(), ask.parse::<TuningChange>()?)?),
    },
];

impl Ask<'_> {
    fn fork(&self) -> Option<&ForkName> {
        self.fork.as_ref()
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, AdminError> {
        serde_json::from_slice(self.body).map_err(|error| AdminError::Invalid(format!("the body: {error}")))
    }
}

fn to_json(value: impl Serialize) -> Outcome {
    text(value).map(Good::Json)
}

fn text(value: impl Serialize) -> Result<String, AdminError> {
    serde_json::to_string(&value).map_err(|error| AdminError::Failed(error.to_string()))
}

fn done(result: Result<(), AdminError>) -> Outcome {
    result.map(|()| Good::Json("{}".to_owned()))
}

/// An object that holds a list under its name.
fn listed(name: &str, list: &[impl Serialize]) -> Outcome {
    text(list).map(|list| Good::Json(format!(r#"{{"{name}":{list}}}"#)))
}

fn fork_name(text: &str) -> Result<ForkName, AdminError> {
    let invalid = || AdminError::Invalid(format!("{text:?} is not the name of a fork"));
    ForkName::parse(text).ok_or_else(invalid)
}

fn directory() -> Outcome {
    #[derive(Serialize)]
    struct Entry {
        method: &'static str,
        path: String,
        body: &'static str,
        about: &'static str,
    }
    let entry = |route: &'static Route| Entry {
        method: route.method.as_str(),
        path: format!("{PREFIX}{}", route.path),
        body: route.body,
        about: route.about,
    };
    listed("routes", &ROUTES.iter().map(entry).collect::<Vec<_>>())
}

/// The routes over one administration.
struct Routes(Arc<dyn Admin>);

impl Handler for Routes {
    fn handle<'a>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Response<Content>> + Send + 'a>> {
        let admin = self.0.clone();
        Box::pin(async move {
            let running = tokio::task::spawn_blocking(move || run(&*admin, &request));
            running.await.unwrap_or_else(|_| respond(Err(AdminError::Failed("a bug in the server".into()))))
        })
    }
}

fn run(admin: &dyn Admin, request: &Request<Bytes>) -> Response<Content> {
    let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default().trim_end_matches('/');
    let Some((route, name)) = find(request.method(), path) else {
        let why = format!("no such route; GET {PREFIX} lists them");
        return respond(Err(AdminError::NotFound(why)));
    };
    let header = Head::read(request.headers()).fork;
    let fork = header.map(|value| fork_name(&String::from_utf8_lossy(value.as_bytes()))).transpose();
    let body = request.body();
    respond(fork.and_then(|fork| (route.run)(admin, &Ask { fork, name, body })))
}

/// The route for a request, and the name that matched `*`.
fn find<'a>(method: &Method, path: &'a str) -> Option<(&'static Route, &'a str)> {
    ROUTES.iter().filter(|route| route.method == *method).find_map(|route| {
        match route.path.strip_suffix('*') {
            Some(stem) => Some((route, path.strip_prefix(stem).filter(|name| !name.is_empty())?)),
            None => (route.path == path).then_some((route, "")),
        }
    })
}

fn respond(outcome: Outcome) -> Response<Content> {
    let json = |status, body: String| {
        reply::answer(status, Some(HeaderValue::from_static("application/json")), body.into_bytes())
    };
    match outcome {
        Ok(Good::Json(body)) => json(StatusCode::OK, body),
        Ok(Good::Backup(pieces)) => {
            let mut response = Response::new(Content::Pieces(pieces));
            let content_type = HeaderValue::from_static("application/octet-stream");
            response.headers_mut().insert(hyper::header::CONTENT_TYPE, content_type);
            response
        }
        Err(error) => json(status(&error), json!({ "error": error.to_string() }).to_string()),
    }
}

fn status(error: &AdminError) -> StatusCode {
    match error {
        AdminError::Invalid(_) => StatusCode::BAD_REQUEST,
        AdminError::NotFound(_) => StatusCode::NOT_FOUND,
        AdminError::Exists(_) => StatusCode::CONFLICT,
        AdminError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
