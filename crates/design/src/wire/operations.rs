//! Rules, operations and tests on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::form::{Unreadable, Wire, cases, record};
use super::pool::{Reading, Writing};
use crate::model::{FieldOp, Load, WriteVerb};
use crate::program::{self, Arena, AttributeId, EffectId, EntityId, ErrorId, LocalId, ParameterId};

record! {
    /// A condition on callers.
    Rule {
        /// Its name.
        name: Arc<str>,
        /// Its parameters.
        parameters: Arena<ParameterId, program::Parameter>,
        /// The condition.
        condition: program::Expr,
    }
}

record! {
    /// A write, in one or several steps.
    Operation {
        /// Its name.
        name: Arc<str>,
        /// Whether it runs without a caller.
        system: bool,
        /// Its parameters and its result.
        signature: program::Signature,
        /// Its body.
        body: Vec<program::Statement>,
        /// Handlers, which run before an error is returned.
        handlers: Vec<(ErrorId, Vec<program::Statement>)>,
        /// The condition on the caller.
        requires: Option<program::Expr>,
        /// The key by which a repeat is recognised.
        idempotent: Option<program::Idempotent>,
        /// How often it runs.
        load: Option<Load>,
        /// How many locals its expressions use.
        locals: usize,
        /// The text of its documentation comment.
        docs: Option<String>,
    }
}

record! {
    /// The key by which a repeat is recognised.
    Idempotent {
        /// The parameters that name a call, the last one being the token.
        by: Vec<ParameterId>,
        /// For how many milliseconds a repeat is recognised.
        period_ms: Option<u64>,
    }
}

record! {
    /// A statement.
    Statement {
        /// Its body.
        kind: program::StatementKind,
    }
    places { span }
}

cases! {
    /// The kinds of statements.
    StatementKind {
        /// `let name = value else Error`
        Let {
            /// The name.
            local: LocalId,
            /// The name as it is written.
            name: Arc<str>,
            /// Its value.
            value: program::Value,
            /// The error if there is nothing.
            error: Option<ErrorId>,
        },
        /// An action or an expression alone.
        Do(value: program::Value),
        /// `transact { ... }`
        Transact(body: Vec<program::Statement>),
        /// `each name in list { ... }`
        Each {
            /// The name of an element.
            local: LocalId,
            /// The elements.
            list: program::Expr,
            /// The body, run for each element.
            body: Vec<program::Statement>,
        },
        /// `require condition else Error`
        Require {
            /// The condition.
            condition: program::Expr,
            /// The error.
            error: Option<ErrorId>,
        },
        /// `return value`
        Return(value: program::Expr),
        /// `expect value fails Error using n requests`
        Expect {
            /// The expression.
            value: program::Value,
            /// The error it must fail with.
            fails: Option<ErrorId>,
            /// The number of requests it must take.
            using: Option<u64>,
        },
        /// `advance 25h`
        Advance {
            /// By how many milliseconds the clock moves.
            by_ms: u64,
        },
        /// `as (caller) { ... }`
        As {
            /// The caller.
            caller: Vec<(AttributeId, program::Expr)>,
            /// Their statements.
            body: Vec<program::Statement>,
        },
        /// `race { } { } succeeds n`
        Race {
            /// The branches, which run at the same time.
            bodies: Vec<Vec<program::Statement>>,
            /// How many may succeed.
            succeeds: u64,
        },
        /// `given effect(args) -> result`
        Given {
            /// The effect.
            effect: EffectId,
            /// The arguments that it must have.
            arguments: Vec<(ParameterId, program::Expr)>,
            /// The result; none if it fails.
            result: Option<program::Expr>,
            /// The error it fails with.
            fails: Option<ErrorId>,
        },
        /// `expect did effect(args) n times`
        Did {
            /// The effect.
            effect: EffectId,
            /// Its arguments.
            arguments: Vec<(ParameterId, program::Expr)>,
            /// How often; none means at least once.
            times: Option<u64>,
        },
        /// `work`
        Work,
    }
}

cases! {
    /// The action or expression of a statement.
    Value {
        /// A request.
        Action(action: Box<program::Action>),
        /// An expression.
        Expr(expr: program::Expr),
    }
}

record! {
    /// One request on one item.
    Action {
        /// The kind of write.
        verb: WriteVerb,
        /// With what.
        entity: EntityId,
        /// The values that determine the key; null where the fields do.
        key: Option<program::ItemKey>,
        /// Whether a `get` is strongly consistent.
        strong: bool,
        /// The condition.
        condition: Option<program::Expr>,
        /// The error of that condition.
        error: Option<ErrorId>,
        /// Items and records whose attributes are copied first.
        spreads: Vec<LocalId>,
        /// Attributes that parameters give, where they are given.
        takes: Vec<(AttributeId, LocalId)>,
        /// The fields that are written.
        fields: Vec<program::Field>,
        /// Whether it runs at all.
        when: Option<program::Expr>,
    }
    places { span }
}

record! {
    /// One field of an action.
    Field {
        /// The attribute, or the part of it, that is written.
        path: program::Path,
        /// The element of a map at the end of the path.
        element: Option<program::Expr>,
        /// How it changes.
        op: FieldOp,
        /// The value.
        value: program::Expr,
    }
}

record! {
    /// A test.
    Test {
        /// Its sentence.
        title: String,
        /// Its statements.
        body: Vec<program::Statement>,
        /// How many locals it uses.
        locals: usize,
    }
    places { span }
}
