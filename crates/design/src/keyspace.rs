//! Key-space reasoning: can two entities of a table produce the same key?
//!
//! A template is a pattern of fixed characters and slots; a slot matches one or more characters of a class that
//! its type allows. Two patterns meet if the product of their automata reaches its end, and the path there is a
//! concrete key that both produce.

use crate::facts::{Source, source};
use crate::model::*;
use crate::texts::{Alphabet, Texts, beginning};
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
    left.push(Atom::Some(Alphabet::any()));
    meet(&left, &right).is_some()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Atom {
    /// Exactly this character.
    Char(char),
    /// One or more of these.
    Some(Alphabet),
}

fn shape(design: &Design, entity: &Entity, stored: &str) -> Option<Vec<Atom>> {
    match source(entity, stored)? {
        Source::Natural(attribute) => Some(slot(design, Some(attribute), None, &[])),
        Source::Template(template) => {
            let mut atoms = Vec::new();
            let delimiters = template.delimiters();
            for piece in &template.pieces {
                match piece {
                    Piece::Literal(text) => atoms.extend(text.chars().map(Atom::Char)),
                    Piece::Slot { attribute, format } => {
                        let attribute = entity.attribute(&attribute.text);
                        atoms.extend(slot(design, attribute, format.as_ref(), &delimiters));
                    }
                }
            }
            Some(atoms)
        }
    }
}

fn slot(
    design: &Design,
    attribute: Option<&Attribute>,
    format: Option<&SlotFormat>,
    delimiters: &[char],
) -> Vec<Atom> {
    let Some(attribute) = attribute else {
        return vec![Atom::Some(Alphabet::any())];
    };
    let digest = |fill: &Fill| fill.derived && fill.value.mentions("sha256");
    if attribute.value.as_ref().is_some_and(digest) {
        return vec![Atom::Some(Alphabet::of("0123456789abcdef-"))];
    }
    let ty = design.type_of(attribute);
    let alphabet = Texts::of_slot(ty.into(), format, delimiters).alphabet;
    let prefixed = |prefix: &str, body| prefix.chars().map(Atom::Char).chain([Atom::Some(body)]).collect();
    match ty {
        _ if format.is_some() => vec![Atom::Some(alphabet)],
        // The body alone: it need not allow the characters of the prefix.
        Type::Id { prefix, body } => prefixed(prefix, Texts::of(crate::texts::Kind::Id("", *body)).alphabet),
        Type::Token { prefix, length } => {
            prefixed(prefix, Texts::of(crate::texts::Kind::Token("", *length)).alphabet)
        }
        Type::String { format: StringFormat::Matching(pattern), .. } => {
            prefixed(&beginning(pattern), alphabet)
        }
        _ => vec![Atom::Some(alphabet)],
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
/// produce more or end.
fn steps(atoms: &[Atom], at: usize, started: bool) -> Vec<(usize, bool, &Atom)> {
    let mut found = Vec::new();
    match atoms.get(at) {
        None => {}
        Some(atom @ Atom::Char(_)) => found.push((at + 1, false, atom)),
        Some(atom @ Atom::Some(_)) => {
            found.push((at, true, atom));
            if started {
                match atoms.get(at + 1) {
                    Some(next @ Atom::Char(_)) => found.push((at + 2, false, next)),
                    Some(next @ Atom::Some(_)) => found.push((at + 1, true, next)),
                    None => {}
                }
            }
        }
    }
    found
}

fn common(a: &Atom, b: &Atom) -> Option<char> {
    match (a, b) {
        (Atom::Char(x), Atom::Char(y)) => (x == y).then_some(*x),
        (Atom::Char(x), Atom::Some(alphabet)) | (Atom::Some(alphabet), Atom::Char(x)) => {
            alphabet.contains(*x).then_some(*x)
        }
        (Atom::Some(x), Atom::Some(y)) => x.common(y),
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

    fn hex() -> Alphabet {
        Alphabet::of("0123456789abcdef-")
    }

    fn then(text: &str, class: Alphabet) -> Vec<Atom> {
        text.chars().map(Atom::Char).chain([Atom::Some(class)]).collect()
    }

    #[test]
    fn literals_meet_only_themselves() {
        check(&text("PROFILE"), &text("PROFILE"), Some("PROFILE"));
        check(&text("PROFILE"), &text("PROFILES"), None);
    }

    #[test]
    fn different_prefixes_never_meet() {
        check(&then("SRC#", Alphabet::any()), &then("KEY#", Alphabet::any()), None);
        check(&then("EVT#", hex()), &text("EVT#zz"), None);
    }

    #[test]
    fn a_slot_can_produce_another_templates_literal() {
        check(&[Atom::Some(Alphabet::any())], &then("USER#", hex()), Some("USER#1"));
        check(&then("A#", Alphabet::any()), &then("A#B#", Alphabet::digits()), Some("A#B#1"));
    }

    #[test]
    fn a_slot_produces_at_least_one_character() {
        check(&then("A", Alphabet::any()), &text("A"), None);
    }
}
