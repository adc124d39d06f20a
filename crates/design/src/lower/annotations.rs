//! Annotations: which there are, where each has a meaning, and what it takes in parentheses. Whatever else is written is an
//! error, so that none is ignored.

use super::Lower;
use crate::model::*;
use crate::problems::{ANNOTATION, ARGUMENT, DUPLICATE, UNKNOWN, nearest};
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode};

/// Where an attribute is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In an entity or a mixin.
    Entity,
    /// In a record, an object, a caller or the result of an effect.
    Part,
}

/// What an annotation takes in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// The steps of `@normalize`.
    Steps,
    /// Names of entities.
    Entities,
    /// The name of one attribute.
    Name,
    /// Nothing, or the name of a key as text.
    Key,
    /// Nothing, or `else` and `via` with a name.
    Clauses,
}

struct Known {
    name: &'static str,
    takes: Takes,
    /// Whether it has a meaning for a part of an object.
    of_parts: bool,
    form: &'static str,
}

const fn known(name: &'static str, takes: Takes, of_parts: bool, form: &'static str) -> Known {
    Known { name, takes, of_parts, form }
}

/// The annotations of the language.
const ANNOTATIONS: [Known; 14] = [
    known("immutable", Takes::Nothing, false, "@immutable"),
    known("transient", Takes::Nothing, false, "@transient"),
    known("virtual", Takes::Nothing, true, "@virtual"),
    known("secret", Takes::Nothing, false, "@secret"),
    known("internal", Takes::Nothing, false, "@internal"),
    known("encrypted", Takes::Key, false, "@encrypted(\"alias/k-{accountId}\")"),
    known("personal", Takes::Nothing, true, "@personal"),
    known("normalize", Takes::Steps, true, "@normalize(trim, lower)"),
    known("unique", Takes::Clauses, false, "@unique(else: Taken)"),
    known("counter", Takes::Nothing, false, "@counter"),
    known("counts", Takes::Entities, false, "@counts(Season)"),
    known("version", Takes::Nothing, false, "@version"),
    known("null", Takes::Nothing, true, "@null"),
    known("was", Takes::Name, false, "@was(oldName)"),
];

/// The steps of `@normalize`.
const STEPS: [&str; 3] = ["trim", "lower", "upper"];

/// The names that `@unique` takes its arguments by.
const CLAUSES: [&str; 2] = ["else", "via"];

impl Lower<'_> {
    /// The annotations of an attribute.
    pub(super) fn annotations(&mut self, attribute: &ast::Attribute, home: Home) -> Vec<Annotation> {
        let mut found: Vec<Annotation> = Vec::new();
        for written in attribute.annotations() {
            let args = self.args(written.args().as_ref());
            let annotation = Annotation {
                name: self.name(written.name()),
                args: args.values,
                span: self.span(written.range()),
            };
            if let Some(first) = found.iter().find(|each| each.name == annotation.name) {
                let problem =
                    DUPLICATE.at(annotation.span, format!("`@{}` is written twice", annotation.name));
                self.problems.push(problem.label("the second").also(first.span, "the first"));
            }
            self.understood(&annotation, &args.spreads, home);
            found.push(annotation);
        }
        found
    }

    fn understood(&mut self, annotation: &Annotation, spreads: &[Name], home: Home) {
        let name = &annotation.name;
        let Some(known) = ANNOTATIONS.iter().find(|known| name.is(known.name)) else {
            if !name.text.is_empty() {
                let mut problem = ANNOTATION.at(name.span, format!("`@{name}` is not an annotation"));
                if let Some(near) = nearest(&name.text, ANNOTATIONS.iter().map(|known| known.name)) {
                    problem = problem.label(format!("did you mean `@{near}`?"));
                }
                self.problems.push(problem);
            }
            return;
        };
        if home == Home::Part && !known.of_parts {
            let title = format!("`@{name}` belongs to an attribute of an entity");
            let note = "It says how a whole attribute is stored, returned or written, and has no meaning for a part of one.";
            self.problems.push(ANNOTATION.at(annotation.span, title).note(note));
        }
        let before = self.problems.len();
        for (label, value) in &annotation.args {
            self.takes(known, label.as_ref(), value);
        }
        for spread in spreads {
            self.strange(known, spread.span);
        }
        let least = usize::from(matches!(known.takes, Takes::Steps | Takes::Entities | Takes::Name));
        let most = match known.takes {
            Takes::Nothing => 0,
            Takes::Name | Takes::Key => 1,
            Takes::Steps | Takes::Entities | Takes::Clauses => usize::MAX,
        };
        let count = annotation.args.len();
        if self.problems.len() == before && !(least..=most).contains(&count) {
            self.strange(known, annotation.span);
        }
        for (at, (label, value)) in annotation.args.iter().enumerate() {
            let same = |(other, said): &(Option<Name>, Expr)| match label {
                Some(label) => other.as_ref() == Some(label),
                None => said.kind == value.kind,
            };
            if annotation.args[..at].iter().any(same) {
                self.problems.push(DUPLICATE.at(value.span, "this is written twice"));
            }
        }
    }

    /// Reports an argument that an annotation does not take.
    fn takes(&mut self, known: &Known, label: Option<&Name>, value: &Expr) {
        let is_expected = match known.takes {
            Takes::Clauses => label.is_some_and(|label| CLAUSES.iter().any(|clause| label.is(clause))),
            _ => label.is_none(),
        };
        let word = value.as_name();
        match (known.takes, &value.kind) {
            _ if !is_expected => self.strange(known, value.span),
            (Takes::Key, ExprKind::Text { value: text }) => self.key_name(text, value.span),
            (Takes::Steps, _) => match word {
                Some(word) if STEPS.contains(&word) => {}
                Some(word) => self.no_such("way to normalise text", word, value.span, &STEPS),
                None => self.strange(known, value.span),
            },
            (Takes::Entities, _) => match word {
                Some(word) if self.declared.entities.iter().any(|entity| entity == word) => {}
                Some(word) => {
                    let entities = self.declared.entities.clone();
                    let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
                    self.no_such("entity", word, value.span, &entities);
                }
                None => self.strange(known, value.span),
            },
            (Takes::Name | Takes::Clauses, _) if word.is_some() => {}
            _ => self.strange(known, value.span),
        }
    }

    /// The name of a key is text with attributes in braces.
    fn key_name(&mut self, text: &str, span: Span) {
        let mut rest = text;
        let mut is_closed = !text.is_empty();
        while let Some((_, after)) = rest.split_once('{') {
            match after.split_once('}') {
                Some((name, after)) if !name.is_empty() && !name.contains('{') => rest = after,
                _ => {
                    is_closed = false;
                    break;
                }
            }
        }
        if !is_closed || rest.contains('}') {
            let title = format!("\"{text}\" is not the name of a key");
            let note = "Write text with attributes in braces: `@encrypted(\"alias/k-{accountId}\")`.";
            self.problems.push(ARGUMENT.at(span, title).note(note));
        }
    }

    fn no_such(&mut self, what: &str, word: &str, span: Span, known: &[&str]) {
        let mut problem = UNKNOWN.at(span, format!("there is no {what} called `{word}`"));
        if let Some(near) = nearest(word, known.iter().copied()) {
            problem = problem.label(format!("did you mean `{near}`?"));
        }
        self.problems.push(problem);
    }

    fn strange(&mut self, known: &Known, span: Span) {
        let title = match known.takes {
            Takes::Nothing => format!("`@{}` takes nothing in parentheses", known.name),
            _ => format!("`@{}` is written `{}`", known.name, known.form),
        };
        self.problems.push(ARGUMENT.at(span, title));
    }
}

#[cfg(test)]
mod tests {
    use super::ANNOTATIONS;

    /// The rule that reports an unknown annotation and the language's description each list all of them.
    #[test]
    fn every_annotation_is_described() {
        let language = include_str!("../../../../docs/language.md");
        for known in &ANNOTATIONS {
            let mention = format!("@{}", known.name);
            assert!(crate::problems::ANNOTATION.text.contains(&mention), "SK0006 does not list {mention}");
            assert!(language.contains(&format!("`{mention}")), "docs/language.md does not list {mention}");
            assert!(known.form.starts_with(&mention), "{}", known.form);
        }
    }
}
