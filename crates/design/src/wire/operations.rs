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
        /// What must hold.
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
        /// What it takes and yields.
        signature: program::Signature,
        /// What it does.
        body: Vec<program::Statement>,
        /// What runs before an error is returned.
        handlers: Vec<(ErrorId, Vec<program::Statement>)>,
        /// What the caller needs.
        requires: Option<program::Expr>,
        /// What makes a repeat harmless.
        idempotent: Option<program::Idempotent>,
        /// How often it runs.
        load: Option<Load>,
        /// How many locals its expressions use.
        locals: usize,
        /// What the documentation comment says.
        docs: Option<String>,
    }
}

record! {
    /// What makes a repeat harmless.
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
        /// What it does.
        kind: program::StatementKind,
    }
    places { span }
}

cases! {
    /// What a statement does.
    StatementKind {
        /// `let name = value else Error`
        Let {
            /// The name.
            local: LocalId,
            /// The name as it is written.
            name: Arc<str>,
            /// What it holds.
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
            /// What is done with each.
            body: Vec<program::Statement>,
        },
        /// `require condition else Error`
        Require {
            /// What must hold.
            condition: program::Expr,
            /// The error.
            error: Option<ErrorId>,
        },
        /// `return value`
        Return(value: program::Expr),
        /// `expect value fails Error using n requests`
        Expect {
            /// What is evaluated.
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
            /// Who calls.
            caller: Vec<(AttributeId, program::Expr)>,
            /// What they do.
            body: Vec<program::Statement>,
        },
        /// `race { } { } succeeds n`
        Race {
            /// What runs at the same time.
            bodies: Vec<Vec<program::Statement>>,
            /// How many may succeed.
            succeeds: u64,
        },
        /// `given effect(args) -> result`
        Given {
            /// The effect.
            effect: EffectId,
            /// What it must be called with.
            arguments: Vec<(ParameterId, program::Expr)>,
            /// What it then gives; none if it fails.
            result: Option<program::Expr>,
            /// The error it fails with.
            fails: Option<ErrorId>,
        },
        /// `expect did effect(args) n times`
        Did {
            /// The effect.
            effect: EffectId,
            /// What it was called with.
            arguments: Vec<(ParameterId, program::Expr)>,
            /// How often; none means at least once.
            times: Option<u64>,
        },
        /// `work`
        Work,
    }
}

cases! {
    /// What a statement evaluates.
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
        /// What is done.
        verb: WriteVerb,
        /// With what.
        entity: EntityId,
        /// What determines the key; null where the fields do.
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
        /// What is written.
        fields: Vec<program::Field>,
        /// Whether it runs at all.
        when: Option<program::Expr>,
    }
    places { span }
}

record! {
    /// One field of an action.
    Field {
        /// What is written.
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
