//! Types and attributes.

use super::{
    Args, AstNode, Expr, Name, Number, Text, child, children, has_word, nodes, nth_name, numbers, text,
    tokens,
};
use crate::kind::{Kind, SyntaxNode};

nodes! {
    /// `{ attributes }`
    TypeObject,
    /// `a | b | ...`
    TypeUnion,
    /// `name(arguments)`
    TypeName,
    /// An argument of a type.
    TypeArg,
    /// An attribute.
    Attribute,
    /// `-> Entity.attribute on delete cascade`
    Reference,
    /// `@name(args)`
    Annotation,
    /// `when expr`
    When,
}

/// A type as written.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Object(TypeObject),
    Union(TypeUnion),
    Named(TypeName),
}

/// A bound of a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// Whether it has a minus.
    pub negative: bool,
    /// Its digits and unit.
    pub number: Number,
}

impl AstNode for Type {
    fn cast(node: SyntaxNode) -> Option<Type> {
        Some(match node.kind() {
            Kind::TypeObject => Type::Object(TypeObject(node)),
            Kind::TypeUnion => Type::Union(TypeUnion(node)),
            Kind::TypeName => Type::Named(TypeName(node)),
            _ => return None,
        })
    }

    fn syntax(&self) -> &SyntaxNode {
        match self {
            Type::Object(node) => &node.0,
            Type::Union(node) => &node.0,
            Type::Named(node) => &node.0,
        }
    }
}

impl TypeObject {
    /// Its attributes.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute> + use<> {
        children(&self.0)
    }
}

impl TypeUnion {
    /// Its words.
    pub fn members(&self) -> impl Iterator<Item = Name> + use<> {
        tokens(&self.0, Kind::Name).map(Name)
    }

    /// The place of `...`, if other words are accepted too.
    pub fn open(&self) -> Option<rowan::TextRange> {
        tokens(&self.0, Kind::DotDotDot).next().map(|token| token.text_range())
    }
}

impl TypeName {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// Its arguments.
    pub fn args(&self) -> impl Iterator<Item = TypeArg> + use<> {
        children(&self.0)
    }
}

impl TypeArg {
    /// Whether it is a range.
    pub fn is_range(&self) -> bool {
        tokens(&self.0, Kind::DotDot).next().is_some()
    }

    /// The bounds of a range, with their signs.
    pub fn bounds(&self) -> (Option<Bound>, Option<Bound>) {
        let (mut low, mut high, mut negative, mut past) = (None, None, false, false);
        for token in self.0.children_with_tokens().filter_map(rowan::NodeOrToken::into_token) {
            match token.kind() {
                Kind::DotDot => past = true,
                Kind::Minus => negative = true,
                Kind::Number => {
                    *if past { &mut high } else { &mut low } =
                        Some(Bound { negative, number: Number(token) });
                    negative = false;
                }
                _ => {}
            }
        }
        (low, high)
    }

    /// A plain number.
    pub fn number(&self) -> Option<Number> {
        numbers(&self.0).next()
    }

    /// A string.
    pub fn text(&self) -> Option<Text> {
        text(&self.0)
    }

    /// The word before a number: `max` in `max 20`.
    pub fn word(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// A type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.0)
    }
}

impl Attribute {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// Whether it may be absent.
    pub fn is_optional(&self) -> bool {
        tokens(&self.0, Kind::Question).next().is_some()
    }

    /// Its declared type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.0)
    }

    /// Its target.
    pub fn reference(&self) -> Option<Reference> {
        child(&self.0)
    }

    /// Its value: whether it is derived (`:=`), and the expression.
    pub fn value(&self) -> Option<(bool, Expr)> {
        let derived = tokens(&self.0, Kind::ColonEq).next().is_some();
        Some((derived, child(&self.0)?))
    }

    /// When it is present.
    pub fn when(&self) -> Option<When> {
        child(&self.0)
    }

    /// Its annotations.
    pub fn annotations(&self) -> impl Iterator<Item = Annotation> + use<> {
        children(&self.0)
    }
}

impl Reference {
    /// The entity.
    pub fn entity(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// The attribute, if written.
    pub fn attribute(&self) -> Option<Name> {
        let dot = tokens(&self.0, Kind::Dot).next()?;
        tokens(&self.0, Kind::Name).find(|name| name.text_range().start() >= dot.text_range().end()).map(Name)
    }

    /// Whether children go with their parent.
    pub fn cascades(&self) -> bool {
        has_word(&self.0, "cascade")
    }

    /// Whether `on delete keep` was written.
    pub fn keeps(&self) -> bool {
        has_word(&self.0, "keep")
    }
}

impl Annotation {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// Its arguments.
    pub fn args(&self) -> Option<Args> {
        child(&self.0)
    }
}

impl When {
    /// The condition.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.0)
    }
}
