//! The kinds of tokens and nodes of the tree, and rowan's view of them.

/// Declares the kinds once, with a list of all of them: rowan stores a number, and the list turns it back
/// without `unsafe`.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// The kind of a token or a node.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Kind { $($(#[$doc])* $kind,)* }
        const ALL: &[Kind] = &[$(Kind::$kind,)*];
    };
}

kinds! {
    // Trivia.
    Whitespace, Comment, DocComment,
    // Tokens with content.
    Name, Number, Str,
    // Punctuation.
    LParen, RParen, LBrace, RBrace, LBracket, RBracket, Comma, Colon, ColonEq, Eq, NotEq, Lt, LtEq, Gt, GtEq,
    Plus, PlusEq, Minus, MinusEq, Star, Slash, Percent, Bar, Dot, DotDot, DotDotDot, Arrow, Question, At,
    /// A character that begins no token.
    Unknown,
    /// The end of the text; never in the tree.
    Eof,

    // Nodes: the file and its items.
    File, Header, Import, Parameter, Caller, Defaults, Enum, Member, Constant, Record, Mixin, Table, Entity,
    Rule, Pattern, Operation, Effect, Worker, Route, Session, Test, Claim, Migrate, Mapping, Module, Allow,
    // Clauses of a table.
    Key, Index, Project, Sparse, Provisioned, Billing, Ttl, Stream, Recovery, Protect, Encryption, Replicas,
    Class, KindClause, Shape, Capacity,
    // Clauses of an entity.
    Template, Attribute, Reference, Annotation, When, Unique, Check, Tenant, Deleted, States, Transition, Enter,
    Volume, VolumePart, Include,
    // Types.
    TypeObject, TypeUnion, TypeName, TypeArg,
    // Patterns.
    Params, Param, By, Bind, Where, Filter, Order, Page, Limit, All, Strong, Via, Select, Then, Including,
    Requires, Load, Rate,
    // Operations.
    Idempotent, If, Else, Body, On, Let, Action, Transact, Each, Require, Return, ExprStmt,
    // Effects, workers and routes.
    Timeout, Audience, Keys, Channel, Trigger, Concurrency, Lease, Attempts, Answers, Typed, Live, MaxBody,
    Throttle,
    // Tests.
    Expect, Advance, As, Race, Given, Did, Work,
    // Shared pieces.
    Fields, Field, Spread, Args, Arg, Names, Path,
    // Expressions.
    BinaryExpr, UnaryExpr, LiteralExpr, NameExpr, ParenExpr, ListExpr, ObjectExpr, MemberExpr, ArrowExpr,
    CallExpr, IndexExpr, WithExpr, RangeExpr, PresenceExpr, DoExpr, ChooseExpr, ChooseArm,
    /// Tokens that fit nowhere.
    Error,
}

impl Kind {
    /// Whether the parser looks through it.
    pub fn is_trivia(self) -> bool {
        matches!(self, Kind::Whitespace | Kind::Comment | Kind::DocComment)
    }

    /// Whether the node is a declaration at the top of a file.
    pub fn is_item(self) -> bool {
        (Kind::Header..=Kind::Allow).contains(&self)
            && !matches!(self, Kind::Member | Kind::Constant | Kind::Mapping)
    }

    /// How the kind is called in an error message.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Kind::Name => "a name",
            Kind::Number => "a number",
            Kind::Str => "a string",
            Kind::LParen => "`(`",
            Kind::RParen => "`)`",
            Kind::LBrace => "`{`",
            Kind::RBrace => "`}`",
            Kind::LBracket => "`[`",
            Kind::RBracket => "`]`",
            Kind::Comma => "`,`",
            Kind::Colon => "`:`",
            Kind::Eq => "`=`",
            Kind::Arrow => "`->`",
            Kind::Slash => "`/`",
            Kind::Eof => "the end of the file",
            _ => "something else",
        }
    }
}

/// The language, for rowan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {}

impl rowan::Language for Language {
    type Kind = Kind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> Kind {
        ALL.get(raw.0 as usize).copied().unwrap_or(Kind::Error)
    }

    fn kind_to_raw(kind: Kind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// A node of the lossless tree.
pub type SyntaxNode = rowan::SyntaxNode<Language>;
/// A token of the lossless tree.
pub type SyntaxToken = rowan::SyntaxToken<Language>;
/// A node or a token.
pub type SyntaxElement = rowan::SyntaxElement<Language>;

#[cfg(test)]
mod tests {
    use super::*;
    use rowan::Language as _;

    #[test]
    fn every_kind_survives_its_number() {
        for kind in ALL {
            assert_eq!(Language::kind_from_raw(Language::kind_to_raw(*kind)), *kind);
        }
    }
}
