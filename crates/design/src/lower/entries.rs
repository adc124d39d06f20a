//! Braces that list values by name: records, modules, sessions, mappings. They share their grammar with the fields of a
//! write, of which they take whole names only.

use super::Lower;
use crate::problems::{ARGUMENT, DUPLICATE};
use sortkey_syntax::ast::{self, AstNode};

impl Lower<'_> {
    /// Reports fields that change something, lie inside of something, or are given twice.
    pub(super) fn plain_fields(&mut self, fields: Option<&ast::Fields>, what: &str) {
        let Some(fields) = fields else { return };
        let mut seen: Vec<crate::model::Name> = Vec::new();
        for field in fields.fields() {
            let span = self.span(field.range());
            let path: Vec<ast::Name> = field.path().into_iter().flat_map(|path| path.names()).collect();
            let moves = field.value().is_some_and(|(op, _)| op != ast::FieldOp::Set);
            if moves || path.len() > 1 || field.index().is_some() {
                let problem = ARGUMENT.at(span, format!("{what} gives a value by a name: `name: value`"));
                let note = "`+=`, `-=`, `a.b` and `a[b]` change an item that is there.";
                self.problems.push(problem.note(note));
                continue;
            }
            let name = self.name(path.into_iter().next());
            if let Some(first) = seen.iter().find(|first| **first == name && !name.text.is_empty()) {
                let problem = DUPLICATE.at(name.span, format!("`{name}` is given twice"));
                self.problems.push(problem.label("the second").also(first.span, "the first"));
            }
            seen.push(name);
        }
    }

    /// Reports `...x` where everything is named.
    pub(super) fn no_spreads(&mut self, fields: Option<&ast::Fields>, what: &str) {
        for spread in fields.into_iter().flat_map(ast::Fields::spreads) {
            let span = self.span(spread.range());
            self.problems.push(ARGUMENT.at(span, format!("{what} names each of its parts")));
        }
    }
}
