//! Effects, workers, routes and sessions on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::form::{Unreadable, Wire, cases, record};
use super::pool::{Reading, Writing};
use crate::model::Change;
use crate::program::{self, AttributeId, EntityId, OperationId, ParameterId, PatternId};

record! {
    /// Something that happens outside of the database.
    Effect {
        /// Its name.
        name: Arc<str>,
        /// Its parameters.
        signature: program::Signature,
        /// Its result: an object.
        result: Arc<program::Type>,
        /// How it is carried out.
        kind: program::EffectKind,
        /// How many milliseconds it may take.
        timeout_ms: u64,
    }
}

cases! {
    /// How an effect is carried out.
    EffectKind {
        /// An HTTP request.
        Http {
            /// The method.
            method: Arc<str>,
            /// The address, over the parameters.
            url: program::Expr,
        },
        /// A mail.
        Mail,
        /// A token of an OIDC issuer is verified.
        Jwt {
            /// The issuer, over the parameters.
            issuer: program::Expr,
            /// The audience.
            audience: program::Expr,
            /// The address of the issuer's keys; none if the issuer's configuration names it.
            keys: Option<program::Expr>,
        },
        /// An event for those who follow a channel.
        Live {
            /// The channel, over the parameters.
            channel: program::Expr,
        },
        /// A function of the application, called by the effect's name.
        Extern,
        /// A function of the application that sends parts of its result to a channel.
        Streamed {
            /// The channel, over the parameters.
            channel: program::Expr,
        },
    }
}

record! {
    /// Something that runs by itself.
    Worker {
        /// Its name.
        name: Arc<str>,
        /// The trigger of a run.
        trigger: program::Trigger,
        /// Its body. The first parameter is the item, if there is one; the last is the id of the run.
        operation: OperationId,
        /// How many runs there may be at a time.
        concurrency: u64,
        /// The attribute whose values share them, and how many one value may have.
        per: Option<(AttributeId, u64)>,
        /// For how many milliseconds a run owns its item.
        lease_ms: u64,
        /// How often a failing run is tried.
        attempts: u64,
    }
    places { span }
}

cases! {
    /// The trigger of a worker's runs.
    Trigger {
        /// A change of an item.
        On {
            /// The entity.
            entity: EntityId,
            /// The changes.
            changes: Vec<Change>,
            /// The condition on the item.
            when: Option<program::Expr>,
        },
        /// A time that an item names.
        Due {
            /// The entity.
            entity: EntityId,
            /// The attribute with the time at which an item is due.
            by: AttributeId,
            /// The condition on the item.
            when: Option<program::Expr>,
            /// The pattern that lists due items.
            pattern: PatternId,
        },
        /// A schedule.
        Every(schedule: program::Schedule),
    }
}

cases! {
    /// When a worker runs that no item starts.
    Schedule {
        /// The milliseconds from one run to the next.
        Interval(ms: u64),
        /// A cron expression.
        Cron {
            /// The expression.
            text: Arc<str>,
            /// The time zone; UTC if there is none.
            zone: Option<Arc<str>>,
        },
    }
}

record! {
    /// A path of HTTP requests that an operation answers.
    Route {
        /// The method; none accepts every method.
        method: Option<Arc<str>>,
        /// The path, by its segments.
        segments: Vec<program::Segment>,
        /// The operation that answers. Its last parameter is the request.
        operation: OperationId,
        /// The status of a success.
        status: u64,
        /// The content type of a success that is text; none for JSON.
        content_type: Option<Arc<str>>,
        /// Whether it answers with the events of the channel that the operation names.
        live: bool,
        /// The largest body in bytes.
        max_body: u64,
        /// How many requests one address may send, and in how many milliseconds.
        limit: Option<(u64, u64)>,
    }
}

cases! {
    /// A segment of a path.
    Segment {
        /// Text.
        Literal(text: Arc<str>),
        /// The value of a parameter.
        Parameter(id: ParameterId),
    }
}

record! {
    /// A way to recognise a caller by a token.
    Session {
        /// The prefix of its tokens; none accepts every token.
        prefix: Option<Arc<str>>,
        /// The operation that finds the caller. Its one parameter is the token.
        operation: OperationId,
    }
}
