//! The active parts of a design: effects, workers, routes and sessions.
//!
//! The bodies of workers, routes and sessions are operations of the design, and what a `due` worker looks for is a pattern of
//! it, so that everything that checks, plans and runs those covers these too. They are marked as internal: no call names them.

use super::{Attribute, Expr, Name, Param};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// Something that happens outside of the database: `effect post(url: url) -> { status int } = http POST url`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type of its result, an object.
    pub result: super::Type,
    /// How it is carried out.
    pub kind: EffectKind,
    /// How many milliseconds it may take.
    pub timeout_ms: u64,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// How an effect is carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "effect")]
pub enum EffectKind {
    /// `http POST url`
    Http {
        /// The method.
        method: Name,
        /// The address, over the parameters.
        url: Expr,
    },
    /// `mail`
    Mail,
    /// `jwt issuer audience text keys url`: a token of an OIDC issuer is verified.
    Jwt {
        /// The issuer, over the parameters.
        issuer: Expr,
        /// The audience.
        audience: Expr,
        /// The address of the issuer's keys; none if the issuer's configuration names it.
        keys: Option<Expr>,
    },
    /// `live channel`: an event for those who follow a channel.
    Live {
        /// The channel, over the parameters.
        channel: Expr,
    },
    /// `extern`: the application does it.
    Extern,
    /// `extern live channel`: the application does it, and parts of its result go to a channel.
    Streamed {
        /// The channel, over the parameters.
        channel: Expr,
    },
}

/// `worker deliver due Delivery as d by nextAttemptAt { ... }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Worker {
    /// Its name.
    pub name: Name,
    /// The trigger of a run.
    pub trigger: Trigger,
    /// The operation that is its body.
    pub operation: String,
    /// How many runs there may be at a time.
    pub concurrency: u64,
    /// The attribute whose values share them, and how many one value may have.
    pub per: Option<(Name, u64)>,
    /// For how many milliseconds a run owns its item.
    pub lease_ms: u64,
    /// How often a failing run is tried.
    pub attempts: u64,
    /// The span of the lease.
    #[serde(skip)]
    pub lease_span: Option<Span>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// The trigger of a worker's runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "trigger")]
pub enum Trigger {
    /// `on create, update Event as e when ...`
    On {
        /// The changes.
        changes: Vec<Change>,
        /// The entity.
        entity: Name,
        /// The condition on the item.
        when: Option<Expr>,
    },
    /// `due Delivery as d by nextAttemptAt when ...`
    Due {
        /// The entity.
        entity: Name,
        /// The attribute with the time at which an item is due.
        by: Name,
        /// The condition on the item.
        when: Option<Expr>,
        /// The pattern that lists what is due; none if no index can answer it.
        pattern: Option<String>,
    },
    /// `every 1h`, `every "0 * * * *" in "Europe/Berlin"`
    Every {
        /// The milliseconds from one run to the next.
        interval_ms: Option<u64>,
        /// The cron expression.
        cron: Option<String>,
        /// The time zone.
        zone: Option<String>,
        /// The span of the schedule.
        #[serde(skip)]
        span: Span,
    },
}

/// A change of an item.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Create,
    Update,
    Delete,
    Expire,
}

/// `route POST "/in/{sourceId}" = ingest(...) answers 202`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// The HTTP method; none accepts every method.
    pub method: Option<Name>,
    /// The path as written.
    pub path: String,
    /// The operation that is its body.
    pub operation: String,
    /// The status of a success.
    pub status: u64,
    /// The content type of a success that is text; none for JSON.
    pub content_type: Option<String>,
    /// Whether it answers with the events of the channel that the operation names.
    pub live: bool,
    /// The largest body in bytes.
    pub max_body: u64,
    /// How many requests one address may send, and in how many milliseconds.
    pub limit: Option<(u64, u64)>,
    /// The span of the path.
    #[serde(skip)]
    pub path_span: Span,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `session "fh_" = authenticate(token) as k { userId: k.userId }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// The prefix of its tokens; none accepts every token.
    pub prefix: Option<String>,
    /// The operation that finds the caller.
    pub operation: String,
    /// The names of the fields of the caller that it gives.
    pub fields: Vec<Name>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

impl Effect {
    /// The attributes of what it gives.
    pub fn results(&self) -> &[Attribute] {
        match &self.result {
            super::Type::Object { attributes } => attributes,
            _ => &[],
        }
    }
}

impl Trigger {
    /// The entity whose items start runs.
    pub fn entity(&self) -> Option<&Name> {
        match self {
            Trigger::On { entity, .. } | Trigger::Due { entity, .. } => Some(entity),
            Trigger::Every { .. } => None,
        }
    }
}

impl Change {
    /// All of them.
    pub const ALL: [Change; 4] = [Change::Create, Change::Update, Change::Delete, Change::Expire];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Change::Create => "create",
            Change::Update => "update",
            Change::Delete => "delete",
            Change::Expire => "expire",
        }
    }
}
