//! The callables: patterns, operations, rules and tests, with their signatures.

use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::{
    Arena, AttributeId, EffectId, EntityId, ErrorId, Expr, IndexId, ItemKey, LocalId, ParameterId, Path,
    Says, TemplateId, Type,
};
use crate::model::{FieldOp, Load, ReadVerb, WriteVerb};

/// The parameters and the result of a pattern or an operation: the single source for the checker, the plan, the runtime,
/// the operations API and its documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    /// Its parameters, in the order of positional calls.
    pub parameters: Arena<ParameterId, Parameter>,
    /// Its result.
    pub yields: Yields,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its type; `Unknown` where nothing gives it one.
    pub ty: Arc<Type>,
    /// Whether a call may leave it out.
    pub optional: bool,
    /// The part of the caller that is taken if it is left out.
    pub of_caller: Option<AttributeId>,
    /// The attribute that it corresponds to, whose normalisation applies to its values.
    pub attribute: Option<(EntityId, AttributeId)>,
    /// Its value if it is left out.
    pub default: Option<Expr>,
    /// Its name in the body.
    pub local: LocalId,
    /// Whether the design declares it, so that it hides an attribute of its name.
    pub declared: bool,
    /// The place of its declaration.
    pub span: Span,
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Yields {
    /// Nothing.
    #[default]
    Nothing,
    /// An item of an entity, or nothing.
    Item(EntityId),
    /// Items of some entities, by pages.
    Page(Vec<EntityId>),
    /// All items of some entities.
    Items(Vec<EntityId>),
    /// A number of items.
    Count,
    /// Whether there is one.
    Exists,
    /// One sum is a number, several are named.
    Sums(Vec<Arc<str>>),
    /// The value of `return`.
    Value,
}

/// A read.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Its name.
    pub name: Arc<str>,
    /// Whether it runs without a caller.
    pub system: bool,
    /// Its parameters and its result.
    pub signature: Signature,
    /// The kind of read.
    pub verb: ReadVerb,
    /// The entities it reads; the keys are those of the first.
    pub entities: Vec<EntityId>,
    /// The attributes that `sum` adds up.
    pub summed: Vec<AttributeId>,
    /// The attributes bound to a known value.
    pub binds: Vec<Bind>,
    /// The conjuncts of `where`, of the first entity.
    pub conditions: Vec<Conjunct>,
    /// The conjuncts of `where` and `filter`, for each entity.
    pub sieve: Vec<Vec<Conjunct>>,
    /// The conjuncts of `filter`, of the first entity.
    pub filters: Vec<Conjunct>,
    /// The order.
    pub order: Option<Order>,
    /// Items per page.
    pub page: Option<u64>,
    /// Items at most.
    pub limit: Option<u64>,
    /// Whether it follows pages to the end.
    pub all: bool,
    /// Whether it asks for strong consistency.
    pub strong: bool,
    /// The index it is pinned to.
    pub via: Option<IndexId>,
    /// The attributes it returns.
    pub select: Option<Vec<AttributeId>>,
    /// Their names, with those that only its further entities have.
    pub select_names: Option<Vec<Arc<str>>>,
    /// The entity that is fetched next.
    pub then: Option<EntityId>,
    /// Whether expired items come back.
    pub with_expired: bool,
    /// Whether deleted items come back.
    pub with_deleted: bool,
    /// The condition on the caller.
    pub requires: Option<Expr>,
    /// How often it runs.
    pub load: Option<Load>,
    /// How many locals its expressions use.
    pub locals: usize,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// `name`, `name = value` or `name in values`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bind {
    /// The bound name.
    pub to: Bound,
    /// Its value.
    pub value: BindValue,
}

/// The target of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// An attribute.
    Attribute(AttributeId),
    /// The stored text of a template.
    Stored(TemplateId),
}

/// The value of a binding.
#[derive(Clone, Debug, PartialEq)]
pub enum BindValue {
    /// A parameter.
    Parameter(LocalId),
    /// An expression.
    Expr(Expr),
    /// Every value of its bounded type, one query each.
    All,
    /// Each element of a list.
    In(Expr),
}

/// One condition of a `where` or `filter`.
#[derive(Clone, Debug, PartialEq)]
pub struct Conjunct {
    /// The condition.
    pub expr: Expr,
    /// The optional parameters that it uses: left out, they drop it.
    pub drops: Vec<LocalId>,
    /// Its restriction of one attribute, in the form in which keys can answer it.
    pub says: Says,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The attribute of `order by`; none for `newest first` and `oldest first`.
    pub by: Option<AttributeId>,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// A condition on callers.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters.
    pub parameters: Arena<ParameterId, Parameter>,
    /// The condition.
    pub condition: Expr,
}

/// A write, in one or several steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its name.
    pub name: Arc<str>,
    /// Whether it runs without a caller.
    pub system: bool,
    /// Its parameters and its result.
    pub signature: Signature,
    /// Its body.
    pub body: Vec<Statement>,
    /// Handlers, which run before an error is returned.
    pub handlers: Vec<(ErrorId, Vec<Statement>)>,
    /// The condition on the caller.
    pub requires: Option<Expr>,
    /// The key by which a repeat is recognised.
    pub idempotent: Option<Idempotent>,
    /// How often it runs.
    pub load: Option<Load>,
    /// How many locals its expressions use.
    pub locals: usize,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// `idempotent by requestId for 24h`
#[derive(Clone, Debug, PartialEq)]
pub struct Idempotent {
    /// The parameters that name a call, the last one being the token.
    pub by: Vec<ParameterId>,
    /// The milliseconds for which a repeat is recognised; none if the design leaves it open.
    pub period_ms: Option<u64>,
}

/// A statement and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Its body.
    pub kind: StatementKind,
    /// Its place in the text.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `let name = value else Error`
    Let {
        /// The name.
        local: LocalId,
        /// The name as it is written.
        name: Arc<str>,
        /// Its value.
        value: Value,
        /// The error if there is nothing.
        error: Option<ErrorId>,
    },
    /// An action or an expression alone.
    Do(Value),
    /// `transact { ... }`
    Transact(Vec<Statement>),
    /// `each name in list { ... }`
    Each {
        /// The name of an element.
        local: LocalId,
        /// The elements.
        list: Expr,
        /// The body, run for each element.
        body: Vec<Statement>,
    },
    /// `require condition else Error`
    Require {
        /// The condition.
        condition: Expr,
        /// The error.
        error: Option<ErrorId>,
    },
    /// `return value`
    Return(Expr),
    /// `expect value fails Error using n requests`
    Expect {
        /// The expression.
        value: Value,
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
        caller: Vec<(AttributeId, Expr)>,
        /// Their statements.
        body: Vec<Statement>,
    },
    /// `race { } { } succeeds n`
    Race {
        /// The branches, which run at the same time.
        bodies: Vec<Vec<Statement>>,
        /// How many may succeed.
        succeeds: u64,
    },
    /// `given effect(args) -> result`
    Given {
        /// The effect.
        effect: EffectId,
        /// The arguments that it must have.
        arguments: Vec<(ParameterId, Expr)>,
        /// The result; none if it fails.
        result: Option<Expr>,
        /// The error it fails with.
        fails: Option<ErrorId>,
    },
    /// `expect did effect(args) n times`
    Did {
        /// The effect.
        effect: EffectId,
        /// Its arguments.
        arguments: Vec<(ParameterId, Expr)>,
        /// How often; none means at least once.
        times: Option<u64>,
    },
    /// `work`
    Work,
}

/// The action or expression of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A request.
    Action(Box<Action>),
    /// An expression.
    Expr(Expr),
}

/// One request on one item.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The kind of write.
    pub verb: WriteVerb,
    /// With what.
    pub entity: EntityId,
    /// The values that determine the key; none where the fields do.
    pub key: Option<ItemKey>,
    /// Whether a `get` is strongly consistent.
    pub strong: bool,
    /// The condition.
    pub condition: Option<Expr>,
    /// The error of that condition.
    pub error: Option<ErrorId>,
    /// Items and records whose attributes are copied first.
    pub spreads: Vec<LocalId>,
    /// Attributes that parameters give, where they are given: the short form.
    pub takes: Vec<(AttributeId, LocalId)>,
    /// The fields that are written.
    pub fields: Vec<Field>,
    /// Whether it runs at all.
    pub when: Option<Expr>,
    /// Its place in the text.
    pub span: Span,
}

/// One field of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The attribute, or the part of it, that is written.
    pub path: Path,
    /// The element of a map at the end of the path.
    pub element: Option<Expr>,
    /// How it changes.
    pub op: FieldOp,
    /// The value.
    pub value: Expr,
}

/// `test "..." { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its sentence.
    pub title: String,
    /// Its statements.
    pub body: Vec<Statement>,
    /// How many locals it uses.
    pub locals: usize,
    /// Its place in the text.
    pub span: Span,
}

impl Signature {
    /// The parameter of that name: for names that arrive with a call.
    pub fn find(&self, name: &str) -> Option<ParameterId> {
        self.parameters.entries().find(|(_, each)| *each.name == *name).map(|(id, _)| id)
    }
}

impl Pattern {
    /// Whether it may return many items.
    pub fn is_list(&self) -> bool {
        matches!(self.verb, ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan)
    }

    /// The binding of an attribute or a template.
    pub fn bind(&self, to: Bound) -> Option<&Bind> {
        self.binds.iter().find(|bind| bind.to == to)
    }
}
