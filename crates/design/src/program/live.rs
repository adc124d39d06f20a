//! Effects, workers, routes and sessions, with their names resolved.

use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::{AttributeId, EntityId, Expr, OperationId, ParameterId, PatternId, Signature, Type};
use crate::model::Change;

/// Something that happens outside of the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters.
    pub signature: Signature,
    /// Its result: an object.
    pub result: Arc<Type>,
    /// How it is carried out.
    pub kind: EffectKind,
    /// How many milliseconds it may take.
    pub timeout_ms: u64,
}

/// How an effect is carried out.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a program has a handful of effects, each in one place")]
pub enum EffectKind {
    /// An HTTP request.
    Http {
        /// The method.
        method: Arc<str>,
        /// The address, over the parameters.
        url: Expr,
    },
    /// A mail.
    Mail,
    /// A token of an OIDC issuer is verified.
    Jwt {
        /// The issuer, over the parameters.
        issuer: Expr,
        /// The audience.
        audience: Expr,
        /// The address of the issuer's keys; none if the issuer's configuration names it.
        keys: Option<Expr>,
    },
    /// An event for those who follow a channel.
    Live {
        /// The channel, over the parameters.
        channel: Expr,
    },
    /// A function of the application, called by the effect's name.
    Extern,
    /// A function of the application that sends parts of its result to a channel.
    Streamed {
        /// The channel, over the parameters.
        channel: Expr,
    },
}

/// Something that runs by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Worker {
    /// Its name.
    pub name: Arc<str>,
    /// The trigger of a run.
    pub trigger: Trigger,
    /// Its body. The first parameter is the item, if there is one; the last is the id of the run.
    pub operation: OperationId,
    /// How many runs there may be at a time.
    pub concurrency: u64,
    /// The attribute whose values share them, and how many one value may have.
    pub per: Option<(AttributeId, u64)>,
    /// For how many milliseconds a run owns its item.
    pub lease_ms: u64,
    /// How often a failing run is tried.
    pub attempts: u64,
    /// Its place in the text.
    pub span: Span,
}

/// The trigger of a worker's runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// A change of an item.
    On {
        /// The entity.
        entity: EntityId,
        /// The changes.
        changes: Vec<Change>,
        /// The condition on the item.
        when: Option<Expr>,
    },
    /// A time that an item names.
    Due {
        /// The entity.
        entity: EntityId,
        /// The attribute with the time at which an item is due.
        by: AttributeId,
        /// The condition on the item.
        when: Option<Expr>,
        /// The pattern that lists due items.
        pattern: PatternId,
    },
    /// A schedule.
    Every(Schedule),
}

/// When a worker runs that no item starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// The milliseconds from one run to the next.
    Interval(u64),
    /// A cron expression.
    Cron {
        /// The expression.
        text: Arc<str>,
        /// The time zone; UTC if there is none.
        zone: Option<Arc<str>>,
    },
}

/// A path of HTTP requests that an operation answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The method; none accepts every method.
    pub method: Option<Arc<str>>,
    /// The path, by its segments.
    pub segments: Vec<Segment>,
    /// The operation that answers. Its last parameter is the request.
    pub operation: OperationId,
    /// The status of a success.
    pub status: u64,
    /// The content type of a success that is text; none for JSON.
    pub content_type: Option<Arc<str>>,
    /// Whether it answers with the events of the channel that the operation names.
    pub live: bool,
    /// The largest body in bytes.
    pub max_body: u64,
    /// How many requests one address may send, and in how many milliseconds.
    pub limit: Option<(u64, u64)>,
}

/// A segment of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// Text.
    Literal(Arc<str>),
    /// The value of a parameter.
    Parameter(ParameterId),
}

/// A way to recognise a caller by a token.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// The prefix of its tokens; none accepts every token.
    pub prefix: Option<Arc<str>>,
    /// The operation that finds the caller. Its one parameter is the token.
    pub operation: OperationId,
}

impl EffectKind {
    /// The expressions over the parameters, in order.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            EffectKind::Http { url, .. } => vec![url],
            EffectKind::Jwt { issuer, audience, keys } => {
                [issuer, audience].into_iter().chain(keys).collect()
            }
            EffectKind::Live { channel } | EffectKind::Streamed { channel } => vec![channel],
            EffectKind::Mail | EffectKind::Extern => Vec::new(),
        }
    }
}
