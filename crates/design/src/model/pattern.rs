//! Access patterns.

use super::{Expr, Name, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// A read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pattern {
    /// Its name.
    pub name: Name,
    /// Whether it runs without a caller.
    pub system: bool,
    /// Whether it serves a worker, a route or a session, and no call may name it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Its declared extra parameters.
    pub params: Vec<Param>,
    /// The kind of read.
    pub verb: ReadVerb,
    /// The place of the verb in the text.
    #[serde(skip)]
    pub verb_span: Span,
    /// The entities it reads.
    pub entities: Vec<Name>,
    /// The attributes that `sum` adds up.
    pub summed: Vec<Name>,
    /// `by` names.
    pub binds: Vec<Bind>,
    /// Conditions that keys must answer.
    #[serde(rename = "where")]
    pub condition: Option<Expr>,
    /// Conditions on what was read.
    pub filter: Option<Expr>,
    /// The order.
    pub order: Option<Order>,
    /// Items per page.
    pub page: Option<u64>,
    /// Items at most.
    pub limit: Option<u64>,
    /// Whether it follows pages to the end.
    pub all: bool,
    /// The span of the request for strong consistency.
    #[serde(skip)]
    pub strong_span: Option<Span>,
    /// Whether it asks for strong consistency.
    pub strong: bool,
    /// The index it is pinned to.
    pub via: Option<Name>,
    /// The attributes it returns.
    pub select: Option<Vec<Name>>,
    /// The entity that is fetched next.
    pub then: Option<Name>,
    /// Whether expired items come back.
    pub including_expired: Option<Including>,
    /// Whether deleted items come back.
    pub including_deleted: Option<Including>,
    /// The condition on the caller.
    pub requires: Option<Expr>,
    /// How often it runs.
    pub load: Option<Load>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// The place of an `including` clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Including {
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// The verbs of patterns.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadVerb {
    #[default]
    Get,
    List,
    Count,
    Exists,
    Sum,
    Collect,
    Scan,
}

/// `name`, `name = value` or `name in values`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bind {
    /// The attribute.
    pub name: Name,
    /// Its value.
    pub value: BindValue,
}

/// The value of a bound attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BindValue {
    /// A parameter of the same name.
    Parameter,
    /// An expression.
    Expr(Expr),
    /// Every value of its bounded type, one query each.
    All,
    /// Each element of a list.
    In(Expr),
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Whether it may be left out.
    pub optional: bool,
    /// Its type; `Undeclared` takes that of the attribute of the same name.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its value if none is given.
    pub default: Option<Expr>,
}

/// The order of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Order {
    /// The attribute of `order by`; none for `newest first` and `oldest first`.
    pub by: Option<Name>,
    /// Whether the largest comes first.
    pub descending: bool,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `load 200/s peak 2_000/s`, both per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// The usual rate.
    pub per_second: f64,
    /// The peak rate.
    pub peak_per_second: Option<f64>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

impl Pattern {
    /// Whether it may return many items.
    pub fn is_list(&self) -> bool {
        matches!(self.verb, ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan)
    }

    /// The declared parameter of that name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name.is(name))
    }

    /// The binding of an attribute.
    pub fn bind(&self, name: &str) -> Option<&Bind> {
        self.binds.iter().find(|bind| bind.name.is(name))
    }

    /// The conjuncts of `where`.
    pub fn conditions(&self) -> Vec<&Expr> {
        self.condition.as_ref().map(Expr::conjuncts).unwrap_or_default()
    }

    /// The conjuncts of `filter`.
    pub fn filters(&self) -> Vec<&Expr> {
        self.filter.as_ref().map(Expr::conjuncts).unwrap_or_default()
    }
}

impl Load {
    /// The peak rate, or the usual one if no peak is declared.
    pub fn peak(&self) -> f64 {
        self.peak_per_second.unwrap_or(self.per_second)
    }
}
