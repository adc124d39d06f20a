//! The blanks between two tokens of one line.

use crate::kind::{Kind, SyntaxToken};

/// The blanks between two adjacent tokens; `unit` means that the second begins a clause, statement or field.
pub(super) fn between(previous: &SyntaxToken, token: &SyntaxToken, unit: bool) -> &'static str {
    let parent = |token: &SyntaxToken| token.parent().map_or(Kind::Error, |node| node.kind());
    let (left, right) = (previous.kind(), token.kind());
    let (left_parent, right_parent) = (parent(previous), parent(token));

    if tight_after(left, left_parent) || tight_before(right, right_parent) {
        return "";
    }
    if left == Kind::LBrace && right == Kind::RBrace {
        return "";
    }
    match right {
        Kind::LParen if !spaced_paren(right_parent, token) => "",
        Kind::LBracket if matches!(right_parent, Kind::IndexExpr | Kind::Field) => "",
        _ if left == Kind::LBrace || left == Kind::Comma => " ",
        _ if unit && separates_widely(token) => "  ",
        _ => " ",
    }
}

fn tight_after(left: Kind, parent: Kind) -> bool {
    match left {
        Kind::LParen | Kind::LBracket | Kind::Dot | Kind::DotDot | Kind::At => true,
        Kind::DotDotDot => parent == Kind::Spread,
        Kind::Arrow => parent == Kind::ArrowExpr,
        Kind::Minus => matches!(parent, Kind::UnaryExpr | Kind::TypeArg),
        Kind::Slash => parent == Kind::Rate,
        _ => false,
    }
}

fn tight_before(right: Kind, parent: Kind) -> bool {
    match right {
        Kind::RParen
        | Kind::RBracket
        | Kind::Comma
        | Kind::Colon
        | Kind::Dot
        | Kind::DotDot
        | Kind::Question => true,
        Kind::Arrow => parent == Kind::ArrowExpr,
        Kind::Slash => parent == Kind::Rate,
        _ => false,
    }
}

/// A parenthesis that opens a call or a type's arguments follows its name directly; others have a blank before them.
fn spaced_paren(parent: Kind, token: &SyntaxToken) -> bool {
    match parent {
        Kind::Shape | Kind::ParenExpr | Kind::Member | Kind::WithExpr => true,
        Kind::Args => {
            token.parent().and_then(|args| args.parent()).is_some_and(|node| node.kind() == Kind::As)
        }
        _ => false,
    }
}

/// Clauses that share a line are set apart by two blanks, so that the eye finds where one ends. Plain enum
/// members are words in a list and need one.
fn separates_widely(token: &SyntaxToken) -> bool {
    let member = token.parent_ancestors().find(|node| node.kind() == Kind::Member);
    let Some(members) = member.and_then(|member| member.parent()) else {
        return true;
    };
    members.children().any(|member| member.children().next().is_some())
}
