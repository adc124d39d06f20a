//! Clauses that a declaration has once. The grammar takes them in any number and order, and of two only one would count.

use super::Unit;
use crate::problems::DUPLICATE;
use sortkey_diagnostics::{Diagnostic, Span};
use sortkey_syntax::{Kind, SyntaxElement, SyntaxNode};

/// The clauses of which a declaration has one.
const ONCE: [Kind; 35] = [
    Kind::Header,
    Kind::Key,
    Kind::Project,
    Kind::Sparse,
    Kind::Provisioned,
    Kind::Billing,
    Kind::Ttl,
    Kind::Stream,
    Kind::Recovery,
    Kind::Protect,
    Kind::Encryption,
    Kind::Replicas,
    Kind::Class,
    Kind::KindClause,
    Kind::When,
    Kind::Order,
    Kind::Page,
    Kind::Limit,
    Kind::All,
    Kind::Strong,
    Kind::Via,
    Kind::Select,
    Kind::Then,
    Kind::Load,
    Kind::Idempotent,
    Kind::If,
    Kind::Else,
    Kind::Concurrency,
    Kind::Lease,
    Kind::Attempts,
    Kind::Answers,
    Kind::Typed,
    Kind::Live,
    Kind::MaxBody,
    Kind::Throttle,
];

/// A clause, the word it begins with, and its place.
type Seen = (Kind, String, Span);

/// Reports clauses that are written a second time, and names that a list has twice.
pub(super) fn check(units: &[Unit], problems: &mut Vec<Diagnostic>) {
    // All `defaults` of a design are one.
    let mut defaults: Vec<Seen> = Vec::new();
    for unit in units {
        for node in unit.parse.syntax().descendants() {
            names_once(unit, &node, problems);
            let mut own = Vec::new();
            let seen = if node.kind() == Kind::Defaults { &mut defaults } else { &mut own };
            for child in node.children().filter(|child| ONCE.contains(&child.kind())) {
                let span =
                    Span::new(unit.file, child.text_range().start().into(), child.text_range().end().into());
                match seen.iter().find(|(kind, ..)| *kind == child.kind()) {
                    Some((_, word, first)) => problems.push(twice(&word_of(&child), word, span, *first)),
                    None => seen.push((child.kind(), word_of(&child), span)),
                }
            }
        }
    }
}

/// The nodes that list names, and their children that begin with one.
const LISTS: [(Kind, Kind); 6] = [
    (Kind::TypeObject, Kind::Attribute),
    (Kind::Params, Kind::Param),
    (Kind::Enum, Kind::Member),
    (Kind::Member, Kind::Constant),
    (Kind::By, Kind::Bind),
    (Kind::ChooseExpr, Kind::ChooseArm),
];

fn names_once(unit: &Unit, node: &SyntaxNode, problems: &mut Vec<Diagnostic>) {
    let own_names = |node: &SyntaxNode| {
        let tokens = node.children_with_tokens().filter_map(SyntaxElement::into_token);
        tokens.filter(|token| token.kind() == Kind::Name).collect::<Vec<_>>()
    };
    let mut names = match node.kind() {
        Kind::Names | Kind::TypeUnion => own_names(node),
        _ => Vec::new(),
    };
    for (_, element) in LISTS.iter().filter(|(list, _)| *list == node.kind()) {
        let elements = node.children().filter(|child| child.kind() == *element);
        names.extend(elements.filter_map(|child| match element {
            // Conditions may repeat a name; `otherwise` is the one arm that has no condition.
            Kind::ChooseArm => {
                let condition = child.first_child().filter(|first| first.kind() == Kind::NameExpr)?;
                own_names(&condition).into_iter().next().filter(|name| name.text() == "otherwise")
            }
            _ => own_names(&child).into_iter().next(),
        }));
    }
    let mut seen: Vec<(String, Span)> = Vec::new();
    for name in names {
        let (start, end) = (name.text_range().start().into(), name.text_range().end().into());
        let (text, span) = (name.text().trim_matches('`').to_owned(), Span::new(unit.file, start, end));
        match seen.iter().find(|(earlier, _)| *earlier == text) {
            Some((_, first)) => problems.push(twice(&text, &text, span, *first)),
            None => seen.push((text, span)),
        }
    }
}

fn twice(word: &str, earlier: &str, span: Span, first: Span) -> Diagnostic {
    let title = match word == earlier {
        true => format!("`{word}` is written twice"),
        false => format!("`{word}` and `{earlier}` exclude each other"),
    };
    DUPLICATE.at(span, title).label("the second").also(first, "the first")
}

/// The word that a clause begins with.
fn word_of(node: &SyntaxNode) -> String {
    node.first_token().map(|token| token.text().to_owned()).unwrap_or_default()
}
