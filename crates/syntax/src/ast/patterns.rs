//! Access patterns.

use super::{
    Allow, AstNode, Expr, Name, Names, Number, Type, child, children, has_word, nodes, nth_name, numbers,
    tokens,
};
use crate::kind::{Kind, SyntaxNode};

nodes! {
    /// `[system] pattern name(params) = verb Entities clauses`
    Pattern,
    /// `(params)`
    Params,
    /// `name?: type = default`
    Param,
    /// `by binds`
    By,
    /// `name = sum` or `name in all`
    Bind,
    /// `where expr`
    Where,
    /// `filter expr`
    Filter,
    /// `newest first`, `oldest first`, `order by x desc`
    Order,
    /// `page n`
    Page,
    /// `limit n`
    Limit,
    /// `all`
    All,
    /// `strong`
    Strong,
    /// `via index`
    Via,
    /// `select [names]`
    Select,
    /// `then get Entity`
    Then,
    /// `including expired`
    Including,
    /// `requires expr`
    Requires,
    /// `load rate peak rate`
    Load,
    /// `200/s`
    Rate,
}

/// A clause of a pattern.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PatternClause {
    By(By),
    Where(Where),
    Filter(Filter),
    Order(Order),
    Page(Page),
    Limit(Limit),
    All(All),
    Strong(Strong),
    Via(Via),
    Select(Select),
    Then(Then),
    Including(Including),
    Requires(Requires),
    Load(Load),
    Allow(Allow),
}

impl PatternClause {
    fn cast(node: SyntaxNode) -> Option<PatternClause> {
        Some(match node.kind() {
            Kind::By => PatternClause::By(By(node)),
            Kind::Where => PatternClause::Where(Where(node)),
            Kind::Filter => PatternClause::Filter(Filter(node)),
            Kind::Order => PatternClause::Order(Order(node)),
            Kind::Page => PatternClause::Page(Page(node)),
            Kind::Limit => PatternClause::Limit(Limit(node)),
            Kind::All => PatternClause::All(All(node)),
            Kind::Strong => PatternClause::Strong(Strong(node)),
            Kind::Via => PatternClause::Via(Via(node)),
            Kind::Select => PatternClause::Select(Select(node)),
            Kind::Then => PatternClause::Then(Then(node)),
            Kind::Including => PatternClause::Including(Including(node)),
            Kind::Requires => PatternClause::Requires(Requires(node)),
            Kind::Load => PatternClause::Load(Load(node)),
            Kind::Allow => PatternClause::Allow(Allow::cast(node)?),
            _ => return None,
        })
    }
}

impl Pattern {
    /// Whether it runs without a caller.
    pub fn is_system(&self) -> bool {
        nth_name(&self.0, 0).is_some_and(|name| name.text() == "system")
    }

    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, if self.is_system() { 2 } else { 1 })
    }

    /// Its extra parameters.
    pub fn params(&self) -> Option<Params> {
        child(&self.0)
    }

    /// `get`, `list` and so on.
    pub fn verb(&self) -> Option<Name> {
        let equals = tokens(&self.0, Kind::Eq).next()?;
        tokens(&self.0, Kind::Name)
            .find(|name| name.text_range().start() >= equals.text_range().end())
            .map(Name)
    }

    /// The attributes that `sum` adds up.
    pub fn summed(&self) -> Option<Names> {
        tokens(&self.0, Kind::LParen).next()?;
        children::<Names>(&self.0).next()
    }

    /// The entities read.
    pub fn entities(&self) -> Option<Names> {
        children::<Names>(&self.0).last()
    }

    /// Its clauses.
    pub fn clauses(&self) -> impl Iterator<Item = PatternClause> + use<> {
        self.0.children().filter_map(PatternClause::cast)
    }
}

impl Params {
    /// The parameters.
    pub fn params(&self) -> impl Iterator<Item = Param> + use<> {
        children(&self.0)
    }
}

impl Param {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// Whether it may be left out.
    pub fn is_optional(&self) -> bool {
        tokens(&self.0, Kind::Question).next().is_some()
    }

    /// Its type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.0)
    }

    /// The value if none is given.
    pub fn default(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl By {
    /// The attributes bound.
    pub fn binds(&self) -> impl Iterator<Item = Bind> + use<> {
        children(&self.0)
    }
}

impl Bind {
    /// The attribute.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// The value it equals, or the list it is in.
    pub fn value(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// Whether it has `in`.
    pub fn is_in(&self) -> bool {
        nth_name(&self.0, 1).is_some_and(|name| name.text() == "in")
    }

    /// Whether it has `in all`.
    pub fn is_in_all(&self) -> bool {
        self.is_in() && nth_name(&self.0, 2).is_some_and(|name| name.text() == "all")
    }
}

macro_rules! condition {
    ($($node:ident)*) => { $(
        impl $node {
            /// The condition.
            pub fn condition(&self) -> Option<Expr> {
                child(&self.0)
            }
        }
    )* };
}
condition!(Where Filter Requires);

impl Order {
    /// The attribute of `order by`.
    pub fn attribute(&self) -> Option<Name> {
        has_word(&self.0, "by").then(|| nth_name(&self.0, 2))?
    }

    /// Whether the largest comes first.
    pub fn is_descending(&self) -> bool {
        has_word(&self.0, "newest")
            || (has_word(&self.0, "by") && nth_name(&self.0, 3).is_some_and(|n| n.text() == "desc"))
    }
}

impl Page {
    /// Items per page.
    pub fn size(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}

impl Limit {
    /// Items at most.
    pub fn size(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}

impl Via {
    /// The index.
    pub fn index(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Select {
    /// The attributes returned.
    pub fn names(&self) -> Option<Names> {
        child(&self.0)
    }
}

impl Then {
    /// The entity fetched next.
    pub fn entity(&self) -> Option<Name> {
        nth_name(&self.0, 2)
    }
}

impl Including {
    /// `expired` or `deleted`.
    pub fn what(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Load {
    /// The usual and the peak rate.
    pub fn rates(&self) -> (Option<Rate>, Option<Rate>) {
        let mut rates = children::<Rate>(&self.0);
        (rates.next(), rates.next())
    }
}

impl Rate {
    /// How many.
    pub fn number(&self) -> Option<Number> {
        numbers(&self.0).next()
    }

    /// Per what.
    pub fn unit(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }
}
