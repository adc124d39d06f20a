//! Operations and tests.

use super::{Args, Expr, Fields, Load, Name, Param};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// A write, in one or several steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Operation {
    /// Its name.
    pub name: Name,
    /// Whether it runs without a caller.
    pub system: bool,
    /// Whether it serves a worker, a route or a session, and no call may name it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Its declared parameters.
    pub params: Vec<Param>,
    /// Whether it was written in the short form (`= update Source [name]`).
    pub short: Option<ShortForm>,
    /// Its statements; one action for the short form.
    pub body: Vec<Stmt>,
    /// Handlers, which run before an error is returned.
    pub handlers: Vec<(Name, Vec<Stmt>)>,
    /// The condition on the caller.
    pub requires: Option<Expr>,
    /// The parameter that makes a repeat harmless, and for how many milliseconds.
    pub idempotent: Option<(Name, Option<u64>)>,
    /// The parameters within which a repeat is one: the same word of another sender is another call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idempotent_within: Vec<Name>,
    /// How often it runs.
    pub load: Option<Load>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// The short form of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShortForm {
    /// The attributes it takes; none means everything settable.
    pub names: Option<Vec<Name>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stmt {
    /// Its body.
    #[serde(flatten)]
    pub kind: StmtKind,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "statement")]
pub enum StmtKind {
    /// `let name = value else Error`
    Let {
        /// The name.
        name: Name,
        /// Its value.
        value: Value,
        /// The error if there is nothing.
        error: Option<Name>,
    },
    /// An action or an expression alone.
    Do {
        /// The action or expression.
        value: Value,
    },
    /// `transact { ... }`
    Transact {
        /// The statements that are executed atomically.
        body: Vec<Stmt>,
    },
    /// `each name in list { ... }`
    Each {
        /// The name of an element.
        name: Name,
        /// The elements.
        list: Expr,
        /// The body, run for each element.
        body: Vec<Stmt>,
    },
    /// `require condition else Error`
    Require {
        /// The condition.
        condition: Expr,
        /// The error.
        error: Option<Name>,
    },
    /// `return value`
    Return {
        /// The result.
        value: Expr,
    },
    /// `expect value fails Error using n requests`
    Expect {
        /// The expression.
        value: Value,
        /// The error it must fail with.
        fails: Option<Name>,
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
        caller: Args,
        /// Their statements.
        body: Vec<Stmt>,
    },
    /// `race { } { } succeeds n`
    Race {
        /// The branches, which run at the same time.
        bodies: Vec<Vec<Stmt>>,
        /// How many may succeed.
        succeeds: u64,
    },
    /// `given effect(args) -> { result }`
    Given {
        /// The effect.
        effect: Name,
        /// The arguments that it must have.
        args: Args,
        /// The result; none if it fails.
        result: Option<Expr>,
        /// The error it fails with.
        fails: Option<Name>,
    },
    /// `expect did effect(args) n times`
    Did {
        /// The effect.
        effect: Name,
        /// Its arguments.
        args: Args,
        /// How often; none means at least once.
        times: Option<u64>,
    },
    /// `work`: workers run until nothing is left to do at this time.
    Work,
}

/// The action or expression of a statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A request.
    Action(Box<Action>),
    /// An expression: often the call of a pattern or an operation.
    Expr(Expr),
}

/// One request on one item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// The kind of write.
    pub verb: WriteVerb,
    /// With what.
    pub entity: Name,
    /// The arguments that determine the key.
    pub key: Option<Args>,
    /// Whether a `get` is strongly consistent.
    pub strong: bool,
    /// The condition.
    #[serde(rename = "if")]
    pub condition: Option<Expr>,
    /// The error of that condition.
    pub error: Option<Name>,
    /// The fields that are written.
    pub fields: Fields,
    /// Whether it runs at all.
    pub when: Option<Expr>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The place of the verb in the text.
    #[serde(skip)]
    pub verb_span: Span,
}

/// The verbs of actions.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteVerb {
    #[default]
    Create,
    Put,
    Update,
    Upsert,
    Delete,
    Purge,
    Check,
    Get,
}

/// `test "..." { ... }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// Its sentence.
    pub title: String,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

impl WriteVerb {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            WriteVerb::Create => "create",
            WriteVerb::Put => "put",
            WriteVerb::Update => "update",
            WriteVerb::Upsert => "upsert",
            WriteVerb::Delete => "delete",
            WriteVerb::Purge => "purge",
            WriteVerb::Check => "check",
            WriteVerb::Get => "get",
        }
    }

    /// Whether it changes anything.
    pub fn writes(self) -> bool {
        !matches!(self, WriteVerb::Check | WriteVerb::Get)
    }
}
