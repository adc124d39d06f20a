//! Expressions, fields, arguments, numbers.

use super::{AstNode, Name, Path, Text, child, children, has_word, nodes, nth_name, text, tokens};
use crate::kind::{Kind, SyntaxNode, SyntaxToken};
use rowan::TextRange;

nodes! {
    /// `a op b`
    BinaryExpr,
    /// `not a`, `-a`
    UnaryExpr,
    /// A number or a string.
    LiteralExpr,
    /// A name.
    NameExpr,
    /// `(a)`
    ParenExpr,
    /// `[a, b]`
    ListExpr,
    /// `{ fields }`
    ObjectExpr,
    /// `a.name`
    MemberExpr,
    /// `a->name`
    ArrowExpr,
    /// `a(args)`
    CallExpr,
    /// `a[b]`
    IndexExpr,
    /// `a with (b)`
    WithExpr,
    /// `a..b`
    RangeExpr,
    /// `a exists`, `a absent`
    PresenceExpr,
    /// `do effect(args)`
    DoExpr,
    /// `choose { condition: value, otherwise: value }`
    ChooseExpr,
    /// `condition: value`
    ChooseArm,
    /// `{ fields }`
    Fields,
    /// `path[index]: expr`
    Field,
    /// `...name`
    Spread,
    /// `(args)`
    Args,
    /// `name: expr`
    Arg,
}

/// An expression.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Binary(BinaryExpr),
    Unary(UnaryExpr),
    Literal(LiteralExpr),
    Name(NameExpr),
    Paren(ParenExpr),
    List(ListExpr),
    Object(ObjectExpr),
    Member(MemberExpr),
    Arrow(ArrowExpr),
    Call(CallExpr),
    Index(IndexExpr),
    With(WithExpr),
    Range(RangeExpr),
    Presence(PresenceExpr),
    Do(DoExpr),
    Choose(ChooseExpr),
}

/// A binary operator.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Implies,
    Or,
    And,
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    Contains,
    StartsWith,
    In,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// How a field changes an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldOp {
    /// `: expr`
    Set,
    /// `+= expr`
    Add,
    /// `-= expr`
    Subtract,
}

impl AstNode for Expr {
    fn cast(node: SyntaxNode) -> Option<Expr> {
        Some(match node.kind() {
            Kind::BinaryExpr => Expr::Binary(BinaryExpr(node)),
            Kind::UnaryExpr => Expr::Unary(UnaryExpr(node)),
            Kind::LiteralExpr => Expr::Literal(LiteralExpr(node)),
            Kind::NameExpr => Expr::Name(NameExpr(node)),
            Kind::ParenExpr => Expr::Paren(ParenExpr(node)),
            Kind::ListExpr => Expr::List(ListExpr(node)),
            Kind::ObjectExpr => Expr::Object(ObjectExpr(node)),
            Kind::MemberExpr => Expr::Member(MemberExpr(node)),
            Kind::ArrowExpr => Expr::Arrow(ArrowExpr(node)),
            Kind::CallExpr => Expr::Call(CallExpr(node)),
            Kind::IndexExpr => Expr::Index(IndexExpr(node)),
            Kind::WithExpr => Expr::With(WithExpr(node)),
            Kind::RangeExpr => Expr::Range(RangeExpr(node)),
            Kind::PresenceExpr => Expr::Presence(PresenceExpr(node)),
            Kind::DoExpr => Expr::Do(DoExpr(node)),
            Kind::ChooseExpr => Expr::Choose(ChooseExpr(node)),
            _ => return None,
        })
    }

    fn syntax(&self) -> &SyntaxNode {
        match self {
            Expr::Binary(node) => &node.0,
            Expr::Unary(node) => &node.0,
            Expr::Literal(node) => &node.0,
            Expr::Name(node) => &node.0,
            Expr::Paren(node) => &node.0,
            Expr::List(node) => &node.0,
            Expr::Object(node) => &node.0,
            Expr::Member(node) => &node.0,
            Expr::Arrow(node) => &node.0,
            Expr::Call(node) => &node.0,
            Expr::Index(node) => &node.0,
            Expr::With(node) => &node.0,
            Expr::Range(node) => &node.0,
            Expr::Presence(node) => &node.0,
            Expr::Do(node) => &node.0,
            Expr::Choose(node) => &node.0,
        }
    }
}

impl BinaryExpr {
    /// The operator and its place in the text.
    pub fn op(&self) -> Option<(BinaryOp, TextRange)> {
        let tokens = self.0.children_with_tokens().filter_map(rowan::NodeOrToken::into_token);
        tokens.into_iter().find_map(|token| {
            let op = match (token.kind(), token.text()) {
                (Kind::Eq, _) => BinaryOp::Eq,
                (Kind::NotEq, _) => BinaryOp::NotEq,
                (Kind::Lt, _) => BinaryOp::Lt,
                (Kind::LtEq, _) => BinaryOp::LtEq,
                (Kind::Gt, _) => BinaryOp::Gt,
                (Kind::GtEq, _) => BinaryOp::GtEq,
                (Kind::Plus, _) => BinaryOp::Add,
                (Kind::Minus, _) => BinaryOp::Sub,
                (Kind::Star, _) => BinaryOp::Mul,
                (Kind::Slash, _) => BinaryOp::Div,
                (Kind::Percent, _) => BinaryOp::Rem,
                (Kind::Name, "implies") => BinaryOp::Implies,
                (Kind::Name, "or") => BinaryOp::Or,
                (Kind::Name, "and") => BinaryOp::And,
                (Kind::Name, "contains") => BinaryOp::Contains,
                (Kind::Name, "starts") => BinaryOp::StartsWith,
                (Kind::Name, "in") => BinaryOp::In,
                _ => return None,
            };
            Some((op, token.text_range()))
        })
    }

    /// The left side.
    pub fn left(&self) -> Option<Expr> {
        children(&self.0).next()
    }

    /// The right side.
    pub fn right(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }
}

impl UnaryExpr {
    /// Whether it is `not`; otherwise it is a minus.
    pub fn is_not(&self) -> bool {
        has_word(&self.0, "not")
    }

    /// The operand.
    pub fn operand(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl LiteralExpr {
    /// The number, if it is one.
    pub fn number(&self) -> Option<Number> {
        tokens(&self.0, Kind::Number).next().map(Number)
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<Text> {
        text(&self.0)
    }
}

impl NameExpr {
    /// The name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }
}

impl ParenExpr {
    /// The expression in parentheses.
    pub fn inner(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl ListExpr {
    /// The elements.
    pub fn elements(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.0)
    }
}

impl ObjectExpr {
    /// The fields.
    pub fn fields(&self) -> Option<Fields> {
        child(&self.0)
    }
}

macro_rules! base_and_name {
    ($($node:ident)*) => { $(
        impl $node {
            /// The value that it is taken from.
            pub fn base(&self) -> Option<Expr> {
                child(&self.0)
            }

            /// The name taken.
            pub fn name(&self) -> Option<Name> {
                nth_name(&self.0, 0)
            }
        }
    )* };
}
base_and_name!(MemberExpr ArrowExpr);

impl CallExpr {
    /// The name of the function.
    pub fn callee(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// With what.
    pub fn args(&self) -> Option<Args> {
        child(&self.0)
    }
}

impl IndexExpr {
    /// The value that it is taken from.
    pub fn base(&self) -> Option<Expr> {
        children(&self.0).next()
    }

    /// The position of the element.
    pub fn index(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }
}

impl WithExpr {
    /// The item, given by its key.
    pub fn base(&self) -> Option<Expr> {
        children(&self.0).next()
    }

    /// The condition on it.
    pub fn condition(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }
}

impl RangeExpr {
    /// The lower bound.
    pub fn low(&self) -> Option<Expr> {
        let dots = tokens(&self.0, Kind::DotDot).next()?;
        children::<Expr>(&self.0).find(|expr| expr.range().end() <= dots.text_range().start())
    }

    /// The upper bound.
    pub fn high(&self) -> Option<Expr> {
        let dots = tokens(&self.0, Kind::DotDot).next()?;
        children::<Expr>(&self.0).find(|expr| expr.range().start() >= dots.text_range().end())
    }
}

impl PresenceExpr {
    /// The value that is looked for.
    pub fn operand(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// Whether it must be there (`exists`) or not (`absent`).
    pub fn exists(&self) -> bool {
        has_word(&self.0, "exists")
    }
}

impl DoExpr {
    /// The call of the effect.
    pub fn call(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl ChooseExpr {
    /// The arms in order.
    pub fn arms(&self) -> impl Iterator<Item = ChooseArm> + use<> {
        children(&self.0)
    }
}

impl ChooseArm {
    /// The condition; the name `otherwise` is always true.
    pub fn condition(&self) -> Option<Expr> {
        children(&self.0).next()
    }

    /// The value if it holds.
    pub fn value(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }
}

impl Fields {
    /// The fields.
    pub fn fields(&self) -> impl Iterator<Item = Field> + use<> {
        children(&self.0)
    }

    /// The spreads.
    pub fn spreads(&self) -> impl Iterator<Item = Spread> + use<> {
        children(&self.0)
    }
}

impl Field {
    /// The value that is written.
    pub fn path(&self) -> Option<Path> {
        child(&self.0)
    }

    /// The element of a map or list.
    pub fn index(&self) -> Option<Expr> {
        let bracket = tokens(&self.0, Kind::RBracket).next()?;
        children::<Expr>(&self.0).find(|expr| expr.range().end() <= bracket.text_range().start())
    }

    /// How, and with what; none if the field's own name is the value.
    pub fn value(&self) -> Option<(FieldOp, Expr)> {
        let (op, at) =
            self.0.children_with_tokens().filter_map(rowan::NodeOrToken::into_token).find_map(|token| {
                let op = match token.kind() {
                    Kind::Colon => FieldOp::Set,
                    Kind::PlusEq => FieldOp::Add,
                    Kind::MinusEq => FieldOp::Subtract,
                    _ => return None,
                };
                Some((op, token.text_range().end()))
            })?;
        Some((op, children::<Expr>(&self.0).find(|expr| expr.range().start() >= at)?))
    }
}

impl Spread {
    /// The value that is copied.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }
}

impl Args {
    /// The arguments.
    pub fn args(&self) -> impl Iterator<Item = Arg> + use<> {
        children(&self.0)
    }

    /// The spreads.
    pub fn spreads(&self) -> impl Iterator<Item = Spread> + use<> {
        children(&self.0)
    }
}

impl Arg {
    /// Its name, if written.
    pub fn name(&self) -> Option<Name> {
        tokens(&self.0, Kind::Colon).next()?;
        nth_name(&self.0, 0)
    }

    /// Its value.
    pub fn value(&self) -> Option<Expr> {
        child(&self.0)
    }
}

/// A number as written: digits, and perhaps a unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub(crate) SyntaxToken);

impl Number {
    /// The digits, without `_`.
    pub fn digits(&self) -> String {
        let text = self.0.text();
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '_' || c == '.')).unwrap_or(text.len());
        text[..end].replace('_', "")
    }

    /// The unit; empty if there is none.
    pub fn unit(&self) -> &str {
        let text = self.0.text();
        let start = text.find(|c: char| !(c.is_ascii_digit() || c == '_' || c == '.')).unwrap_or(text.len());
        text[start..].trim()
    }

    /// Its place in the text.
    pub fn range(&self) -> TextRange {
        self.0.text_range()
    }
}
