//! Clauses of a table.

use super::{
    Allow, AstNode, Name, Names, Number, Text, child, children, has_word, nodes, nth_name, numbers, text,
};
use crate::kind::SyntaxNode;

nodes! {
    /// `key (shape)`
    Key,
    /// `[local] index name (shape) ...`
    Index,
    /// `project all | keys | [names]`
    Project,
    /// `sparse`
    Sparse,
    /// `provisioned 10 rcu 5 wcu`
    Provisioned,
    /// The numbers of `provisioned`.
    Capacity,
    /// `billing on_demand | provisioned ...`
    Billing,
    /// `ttl attribute`
    Ttl,
    /// `stream view`
    Stream,
    /// `recovery off | 35d`
    Recovery,
    /// `protect deletion`
    Protect,
    /// `encryption kind ["key"]`
    Encryption,
    /// `replicas regions`
    Replicas,
    /// `class infrequent_access`
    Class,
    /// `kind attribute`
    KindClause,
    /// `(partition | sort)`
    Shape,
}

/// A clause of a table.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TableClause {
    Key(Key),
    Index(Index),
    Billing(Billing),
    Ttl(Ttl),
    Stream(Stream),
    Recovery(Recovery),
    Protect(Protect),
    Encryption(Encryption),
    Replicas(Replicas),
    Class(Class),
    Kind(KindClause),
    Allow(Allow),
}

impl TableClause {
    pub(crate) fn cast(node: SyntaxNode) -> Option<TableClause> {
        use crate::kind::Kind;
        Some(match node.kind() {
            Kind::Key => TableClause::Key(Key(node)),
            Kind::Index => TableClause::Index(Index(node)),
            Kind::Billing => TableClause::Billing(Billing(node)),
            Kind::Ttl => TableClause::Ttl(Ttl(node)),
            Kind::Stream => TableClause::Stream(Stream(node)),
            Kind::Recovery => TableClause::Recovery(Recovery(node)),
            Kind::Protect => TableClause::Protect(Protect(node)),
            Kind::Encryption => TableClause::Encryption(Encryption(node)),
            Kind::Replicas => TableClause::Replicas(Replicas(node)),
            Kind::Class => TableClause::Class(Class(node)),
            Kind::KindClause => TableClause::Kind(KindClause(node)),
            Kind::Allow => TableClause::Allow(Allow::cast(node)?),
            _ => return None,
        })
    }
}

impl Key {
    /// Its attributes.
    pub fn shape(&self) -> Option<Shape> {
        child(&self.0)
    }
}

impl Index {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, if self.is_local() { 2 } else { 1 })
    }

    /// Whether it shares the table's partition key.
    pub fn is_local(&self) -> bool {
        nth_name(&self.0, 0).is_some_and(|name| name.text() == "local")
    }

    /// Its deployed name.
    pub fn deployed(&self) -> Option<Text> {
        text(&self.0)
    }

    /// Its attributes.
    pub fn shape(&self) -> Option<Shape> {
        child(&self.0)
    }

    /// The attributes that are copied into it.
    pub fn project(&self) -> Option<Project> {
        child(&self.0)
    }

    /// The claim that not every item is in it.
    pub fn sparse(&self) -> Option<Sparse> {
        child(&self.0)
    }

    /// Its own capacity.
    pub fn provisioned(&self) -> Option<Provisioned> {
        child(&self.0)
    }

    /// The rules that are silenced here.
    pub fn allows(&self) -> impl Iterator<Item = Allow> + use<> {
        children(&self.0)
    }
}

impl Project {
    /// `all` or `keys`.
    pub fn word(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The listed attributes.
    pub fn names(&self) -> Option<Names> {
        child(&self.0)
    }
}

impl Provisioned {
    /// Read and write units.
    pub fn units(&self) -> (Option<Number>, Option<Number>) {
        let Some(capacity) = child::<Capacity>(&self.0) else {
            return (None, None);
        };
        let mut numbers = numbers(&capacity.0);
        (numbers.next(), numbers.next())
    }
}

impl Billing {
    /// `on_demand` or another word.
    pub fn mode(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The units of provisioned billing.
    pub fn provisioned(&self) -> Option<Provisioned> {
        child(&self.0)
    }
}

impl Ttl {
    /// The attribute that holds the expiry.
    pub fn attribute(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Stream {
    /// The images in a record.
    pub fn view(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Recovery {
    /// Whether it is `off`.
    pub fn is_off(&self) -> bool {
        has_word(&self.0, "off")
    }

    /// How far back.
    pub fn period(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}

impl Protect {
    /// The action that is prevented.
    pub fn what(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Encryption {
    /// Whose key.
    pub fn kind(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The key.
    pub fn key(&self) -> Option<Text> {
        text(&self.0)
    }
}

impl Replicas {
    /// The regions.
    pub fn regions(&self) -> Option<Names> {
        child(&self.0)
    }
}

impl Class {
    /// The price class of its storage.
    pub fn class(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl KindClause {
    /// The attribute that holds the entity's name.
    pub fn attribute(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }
}

impl Shape {
    /// The partition attributes.
    pub fn partition(&self) -> Option<Names> {
        children::<Names>(&self.0).next()
    }

    /// The sort attributes.
    pub fn sort(&self) -> Option<Names> {
        children::<Names>(&self.0).nth(1)
    }
}
