//! Typed views of the tree: one struct per node, accessors for its parts, nothing stored.
//!
//! Every accessor is optional, because a half-written file has a tree too.

mod declarations;
mod entities;
mod expressions;
mod live;
mod operations;
mod patterns;
mod tables;
mod types;

pub use declarations::*;
pub use entities::*;
pub use expressions::*;
pub use live::*;
pub use operations::*;
pub use patterns::*;
pub use tables::*;
pub use types::*;

use crate::kind::{Kind, SyntaxNode, SyntaxToken};
use rowan::TextRange;

/// A typed view of a node.
pub trait AstNode: Sized {
    /// The view, if the node is of that kind.
    fn cast(node: SyntaxNode) -> Option<Self>;
    /// The node itself.
    fn syntax(&self) -> &SyntaxNode;
    /// Its place in the text, without surrounding blanks.
    fn range(&self) -> TextRange {
        self.syntax().text_range()
    }
}

/// A name as written, backticks taken off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(SyntaxToken);

impl Name {
    /// The name itself.
    pub fn text(&self) -> &str {
        self.0.text().trim_matches('`')
    }

    /// Its place in the text.
    pub fn range(&self) -> TextRange {
        self.0.text_range()
    }

    /// The token.
    pub fn token(&self) -> &SyntaxToken {
        &self.0
    }
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(SyntaxToken);

impl Text {
    /// The content, quotes and escapes taken off.
    pub fn value(&self) -> String {
        let inner = self.0.text().strip_prefix('"').unwrap_or_default();
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        let mut value = String::with_capacity(inner.len());
        let mut chars = inner.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some(next @ ('"' | '\\'))) => {
                    value.push(*next);
                    chars.next();
                }
                _ => value.push(c),
            }
        }
        value
    }

    /// Its place in the text, quotes included.
    pub fn range(&self) -> TextRange {
        self.0.text_range()
    }
}

/// Declares views: `Kind: [accessor ...]` where accessors are written below with the helpers.
macro_rules! nodes {
    ($($(#[$doc:meta])* $name:ident,)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) $crate::kind::SyntaxNode);
        impl $crate::ast::AstNode for $name {
            fn cast(node: $crate::kind::SyntaxNode) -> Option<Self> {
                (node.kind() == $crate::kind::Kind::$name).then_some($name(node))
            }
            fn syntax(&self) -> &$crate::kind::SyntaxNode {
                &self.0
            }
        }
    )* };
}
pub(crate) use nodes;

/// The first child of a type.
pub(crate) fn child<T: AstNode>(node: &SyntaxNode) -> Option<T> {
    node.children().find_map(T::cast)
}

/// All children of a type.
pub(crate) fn children<T: AstNode>(node: &SyntaxNode) -> impl Iterator<Item = T> + use<T> {
    node.children().filter_map(T::cast)
}

/// The direct tokens of a kind.
pub(crate) fn tokens(node: &SyntaxNode, kind: Kind) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.children_with_tokens()
        .filter_map(rowan::NodeOrToken::into_token)
        .filter(move |token| token.kind() == kind)
}

/// The `n`th direct name.
pub(crate) fn nth_name(node: &SyntaxNode, n: usize) -> Option<Name> {
    tokens(node, Kind::Name).nth(n).map(Name)
}

/// The name after a word that is itself a name token.
pub(crate) fn name_after(node: &SyntaxNode, word: &str) -> Option<Name> {
    tokens(node, Kind::Name).skip_while(|token| token.text() != word).nth(1).map(Name)
}

/// Whether the node has a word as a direct child.
pub(crate) fn has_word(node: &SyntaxNode, word: &str) -> bool {
    tokens(node, Kind::Name).any(|token| token.text() == word)
}

/// The first direct string.
pub(crate) fn text(node: &SyntaxNode) -> Option<Text> {
    tokens(node, Kind::Str).next().map(Text)
}

/// The direct numbers.
pub(crate) fn numbers(node: &SyntaxNode) -> impl Iterator<Item = Number> + use<> {
    tokens(node, Kind::Number).map(Number)
}

/// The documentation (`///`) just before a node.
pub fn docs(node: &SyntaxNode) -> Option<String> {
    let mut lines = Vec::new();
    let mut at = node.prev_sibling_or_token();
    while let Some(element) = at {
        match element.kind() {
            Kind::DocComment => {
                let token = element.as_token()?;
                lines.push(token.text().trim_start_matches('/').trim().to_owned());
            }
            Kind::Whitespace | Kind::Comment => {}
            _ => break,
        }
        at = element.prev_sibling_or_token();
    }
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

nodes! {
    /// A list of names: `a, b, c`.
    Names,
    /// A path: `a.b.c`.
    Path,
    /// `allow rule because "..."`.
    Allow,
}

impl Names {
    /// The names.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        tokens(&self.0, Kind::Name).map(Name)
    }
}

impl Path {
    /// The segments.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        tokens(&self.0, Kind::Name).map(Name)
    }
}

impl Allow {
    /// The rule that is silenced.
    pub fn rule(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Why.
    pub fn reason(&self) -> Option<Text> {
        text(&self.0)
    }
}
