//! Clauses of an entity.

use super::{
    Allow, AstNode, Attribute, Expr, Fields, Name, Names, Number, Path, Text, When, child, children,
    has_word, name_after, nodes, nth_name, numbers, text,
};
use crate::kind::{Kind, SyntaxNode};

nodes! {
    /// `name = "TEMPLATE" [when expr]`
    Template,
    /// `unique names [when expr] [else Error]`
    Unique,
    /// `check expr [else Error]`
    Check,
    /// `tenant attribute`
    Tenant,
    /// `deleted when expr`
    Deleted,
    /// `states path { transitions }`
    States,
    /// `a -> b if expr`
    Transition,
    /// `enter a { fields }`
    Enter,
    /// `volume n items, ...`
    Volume,
    /// `1 KB each` or `20 per userId max 200`
    VolumePart,
    /// `include Mixin`
    Include,
    /// `else Error`
    Else,
    /// `if expr`
    If,
}

/// A clause of an entity or a mixin.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    Template(Template),
    Attribute(Attribute),
    Unique(Unique),
    Check(Check),
    Tenant(Tenant),
    Deleted(Deleted),
    States(States),
    Volume(Volume),
    Include(Include),
    Allow(Allow),
}

impl Clause {
    pub(crate) fn cast(node: SyntaxNode) -> Option<Clause> {
        Some(match node.kind() {
            Kind::Template => Clause::Template(Template(node)),
            Kind::Attribute => Clause::Attribute(Attribute(node)),
            Kind::Unique => Clause::Unique(Unique(node)),
            Kind::Check => Clause::Check(Check(node)),
            Kind::Tenant => Clause::Tenant(Tenant(node)),
            Kind::Deleted => Clause::Deleted(Deleted(node)),
            Kind::States => Clause::States(States(node)),
            Kind::Volume => Clause::Volume(Volume(node)),
            Kind::Include => Clause::Include(Include(node)),
            Kind::Allow => Clause::Allow(Allow::cast(node)?),
            _ => return None,
        })
    }
}

impl Template {
    /// The stored attribute.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// The template.
    pub fn text(&self) -> Option<Text> {
        text(&self.0)
    }

    /// When it is present.
    pub fn when(&self) -> Option<When> {
        child(&self.0)
    }
}

impl Unique {
    /// The attributes that together are unique.
    pub fn names(&self) -> Option<Names> {
        child(&self.0)
    }

    /// Only among these.
    pub fn when(&self) -> Option<When> {
        child(&self.0)
    }

    /// The error.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }
}

impl Check {
    /// The condition that must hold.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The error.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }
}

impl Tenant {
    /// The owning attribute.
    pub fn attribute(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Deleted {
    /// When an item counts as deleted.
    pub fn condition(&self) -> Option<Expr> {
        child::<When>(&self.0)?.condition()
    }
}

impl States {
    /// The attribute that holds the state.
    pub fn path(&self) -> Option<Path> {
        child(&self.0)
    }

    /// The allowed moves.
    pub fn transitions(&self) -> impl Iterator<Item = Transition> + use<> {
        children(&self.0)
    }

    /// The fields that are set on entry.
    pub fn enters(&self) -> impl Iterator<Item = Enter> + use<> {
        children(&self.0)
    }
}

impl Transition {
    /// The states before.
    pub fn from(&self) -> Option<Names> {
        children(&self.0).next()
    }

    /// The states after.
    pub fn to(&self) -> Option<Names> {
        children(&self.0).nth(1)
    }

    /// The additional condition.
    pub fn condition(&self) -> Option<Expr> {
        child::<If>(&self.0)?.condition()
    }
}

impl Enter {
    /// The states.
    pub fn names(&self) -> Option<Names> {
        child(&self.0)
    }

    /// The fields that are written with them.
    pub fn fields(&self) -> Option<Fields> {
        child(&self.0)
    }
}

impl Volume {
    /// How many items.
    pub fn items(&self) -> Option<Number> {
        numbers(&self.0).next()
    }

    /// Sizes and fan-outs.
    pub fn parts(&self) -> impl Iterator<Item = VolumePart> + use<> {
        children(&self.0)
    }
}

impl VolumePart {
    /// The number.
    pub fn number(&self) -> Option<Number> {
        numbers(&self.0).next()
    }

    /// Whether the number is the size of one item.
    pub fn is_each(&self) -> bool {
        has_word(&self.0, "each")
    }

    /// The attribute whose values have that many items.
    pub fn per(&self) -> Option<Name> {
        name_after(&self.0, "per")
    }

    /// The largest.
    pub fn max(&self) -> Option<Number> {
        numbers(&self.0).nth(1)
    }
}

impl Include {
    /// The mixin.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Else {
    /// The error's name.
    pub fn error(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl If {
    /// The condition.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.0)
    }
}
