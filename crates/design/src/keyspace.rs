//! Key-space reasoning: can two entities of a table produce the same key?
//!
//! A template is a pattern of fixed characters and slots; a slot stands for one or more characters of a class that
//! its type allows. Two patterns meet if the product of their automata reaches its end, and the path there is a
//! concrete key that both produce.

use crate::facts::{Source, source};
use crate::model::*;
use std::collections::{HashMap, VecDeque};

/// A key that two entities can both produce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// One text per attribute of the key, partition first.
    pub values: Vec<String>,
}

/// A key that items of both entities can have, if there is one.
pub fn collision(design: &Design, table: &Table, a: &Entity, b: &Entity) -> Option<Witness> {
    let mut values = Vec::new();
    for name in table.key.attributes() {
        let (left, right) = (shape(design, a, &name.text)?, shape(design, b, &name.text)?);
        values.push(meet(&left, &right)?);
    }
    (!values.is_empty()).then_some(Witness { values })
}

/// Whether every text of the second pattern that starts like the first's literal prefix belongs to another entity:
/// `begins_with` on the prefix would return both.
pub fn prefix_overlap(design: &Design, stored: &str, prefix: &str, other: &Entity) -> bool {
    let Some(right) = shape(design, other, stored) else {
        return false;
    };
    let mut left: Vec<Atom> = prefix.chars().map(Atom::Char).collect();
    left.push(Atom::Some(Class::Any));
    meet(&left, &right).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    /// Exactly this character.
    Char(char),
    /// One or more of a class.
    Some(Class),
}

/// Characters that a slot may produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Digits,
    /// `0-9a-f-`
    Hex,
    /// Letters, digits, `_`, `-`.
    Word,
    /// Digits and the signs of a time.
    Time,
    /// No `#`: escaped.
    NoDelimiter,
    Any,
}

impl Class {
    fn contains(self, c: char) -> bool {
        match self {
            Class::Digits => c.is_ascii_digit(),
            Class::Hex => c.is_ascii_hexdigit() && !c.is_ascii_uppercase() || c == '-',
            Class::Word => c.is_ascii_alphanumeric() || c == '_' || c == '-',
            Class::Time => c.is_ascii_digit() || matches!(c, 'T' | 'Z' | ':' | '.' | '-'),
            Class::NoDelimiter => c != '#',
            Class::Any => true,
        }
    }
}

/// Characters tried where both sides leave a choice.
const CHOICES: [char; 3] = ['1', 'a', '#'];

fn shape(design: &Design, entity: &Entity, stored: &str) -> Option<Vec<Atom>> {
    match source(entity, stored)? {
        Source::Natural(attribute) => Some(slot(design, Some(attribute), None)),
        Source::Template(template) => {
            let mut atoms = Vec::new();
            for piece in &template.pieces {
                match piece {
                    Piece::Literal(text) => atoms.extend(text.chars().map(Atom::Char)),
                    Piece::Slot { attribute, format } => {
                        atoms.extend(slot(design, entity.attribute(&attribute.text), format.as_ref()));
                    }
                }
            }
            Some(atoms)
        }
    }
}

fn slot(design: &Design, attribute: Option<&Attribute>, format: Option<&SlotFormat>) -> Vec<Atom> {
    let class = |class| vec![Atom::Some(class)];
    match format {
        Some(SlotFormat::Escape) => return class(Class::NoDelimiter),
        Some(SlotFormat::Pad(_)) => return class(Class::Digits),
        _ => {}
    }
    let Some(attribute) = attribute else {
        return class(Class::Any);
    };
    let digest = |fill: &Fill| fill.derived && fill.value.mentions("sha256");
    if attribute.value.as_ref().is_some_and(digest) {
        return class(Class::Hex);
    }
    let prefixed = |prefix: &str, body| prefix.chars().map(Atom::Char).chain([Atom::Some(body)]).collect();
    match design.type_of(attribute) {
        Type::Id { prefix, body: IdBody::Uuid } => prefixed(prefix, Class::Hex),
        Type::Id { prefix, .. } | Type::Token { prefix, .. } => prefixed(prefix, Class::Word),
        Type::String { format: StringFormat::Slug, .. } => class(Class::Word),
        Type::String { format: StringFormat::Matching(pattern), .. } => {
            // A regular expression begins with plain characters until the first that means something.
            let plain =
                pattern.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | ':'));
            prefixed(&plain.collect::<String>(), Class::Any)
        }
        Type::Int { .. } | Type::Decimal { .. } => class(Class::Digits),
        Type::Time { unit: TimeUnit::Milliseconds | TimeUnit::Seconds } => class(Class::Digits),
        Type::Time { .. } | Type::Date | Type::Month => class(Class::Time),
        Type::Enum { open: false, .. } | Type::Bool => class(Class::Word),
        _ => class(Class::Any),
    }
}

/// A shortest text that both patterns produce.
fn meet(left: &[Atom], right: &[Atom]) -> Option<String> {
    // A state is how far each pattern has come, and whether its slot has produced a character yet.
    type State = (usize, bool, usize, bool);
    let start: State = (0, false, 0, false);
    let mut came: HashMap<State, (State, char)> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        let (i, started_i, j, started_j) = state;
        if ends(left, i, started_i) && ends(right, j, started_j) {
            return Some(spell(&came, state, start));
        }
        for (ni, si, a) in steps(left, i, started_i) {
            for (nj, sj, b) in steps(right, j, started_j) {
                let Some(c) = common(a, b) else { continue };
                let next = (ni, si, nj, sj);
                if next != start && !came.contains_key(&next) {
                    came.insert(next, (state, c));
                    queue.push_back(next);
                }
            }
        }
    }
    None
}

fn spell<S: Copy + Eq + std::hash::Hash>(came: &HashMap<S, (S, char)>, mut state: S, start: S) -> String {
    let mut text = Vec::new();
    while state != start {
        let Some((before, c)) = came.get(&state) else {
            break;
        };
        text.push(*c);
        state = *before;
    }
    text.iter().rev().collect()
}

/// Whether a pattern may stop here.
fn ends(atoms: &[Atom], at: usize, started: bool) -> bool {
    at == atoms.len() || (started && at + 1 == atoms.len())
}

/// The characters that may come next, with the place reached after each. A slot that has produced a character may
/// produce more or give way to what follows it.
fn steps(atoms: &[Atom], at: usize, started: bool) -> Vec<(usize, bool, Atom)> {
    let mut found = Vec::new();
    match atoms.get(at) {
        None => {}
        Some(atom @ Atom::Char(_)) => found.push((at + 1, false, *atom)),
        Some(atom @ Atom::Some(_)) => {
            found.push((at, true, *atom));
            if started {
                match atoms.get(at + 1) {
                    Some(next @ Atom::Char(_)) => found.push((at + 2, false, *next)),
                    Some(next @ Atom::Some(_)) => found.push((at + 1, true, *next)),
                    None => {}
                }
            }
        }
    }
    found
}

fn common(a: Atom, b: Atom) -> Option<char> {
    match (a, b) {
        (Atom::Char(x), Atom::Char(y)) => (x == y).then_some(x),
        (Atom::Char(x), Atom::Some(class)) | (Atom::Some(class), Atom::Char(x)) => {
            class.contains(x).then_some(x)
        }
        (Atom::Some(x), Atom::Some(y)) => CHOICES.into_iter().find(|c| x.contains(*c) && y.contains(*c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &[Atom], right: &[Atom], expected: Option<&str>) {
        assert_eq!(meet(left, right).as_deref(), expected);
        assert_eq!(meet(right, left).is_some(), expected.is_some());
    }

    fn text(text: &str) -> Vec<Atom> {
        text.chars().map(Atom::Char).collect()
    }

    fn then(text: &str, class: Class) -> Vec<Atom> {
        text.chars().map(Atom::Char).chain([Atom::Some(class)]).collect()
    }

    #[test]
    fn literals_meet_only_themselves() {
        check(&text("PROFILE"), &text("PROFILE"), Some("PROFILE"));
        check(&text("PROFILE"), &text("PROFILES"), None);
    }

    #[test]
    fn different_prefixes_never_meet() {
        check(&then("SRC#", Class::Any), &then("KEY#", Class::Any), None);
        check(&then("EVT#", Class::Hex), &text("EVT#zz"), None);
    }

    #[test]
    fn a_slot_can_produce_another_templates_literal() {
        check(&[Atom::Some(Class::Any)], &then("USER#", Class::Hex), Some("USER#1"));
        check(&then("A#", Class::Any), &then("A#B#", Class::Digits), Some("A#B#1"));
    }

    #[test]
    fn a_slot_produces_at_least_one_character() {
        check(&then("A", Class::Any), &text("A"), None);
    }
}
