//! Why a change is not carried out, in the design's words.

use sortkey_change::{Difference, Task};
use sortkey_design::{Design, TABLE_DIFFERS};
use sortkey_diagnostics::{Diagnostic, Span};

/// So many items are enough to show what is wrong.
const SHOWN: usize = 5;

/// A rewriting for another version that was begun and not finished.
pub(super) fn unfinished(table: &str, span: Span) -> Diagnostic {
    let title =
        format!("the items of table \"{table}\" are being rewritten for another version of the design");
    TABLE_DIFFERS
        .at(span, title)
        .label("rewritten in part")
        .note("Some items have the form of that version already, and this one would misread them.")
        .note("Run `sortkey up` with the version that was begun; it goes on from where it was. Then deploy this one.")
}

/// A table that the design does not have any more.
pub(super) fn abandoned(table: &str, span: Span) -> Diagnostic {
    let title = format!("table \"{table}\" is gone from the design, and has items");
    TABLE_DIFFERS
        .at(span, title)
        .label("has no such table")
        .note(format!("Serve the design as it was while items of it are needed elsewhere. {}", crate::MIGRATE))
        .note("To serve without them, start with `--keep-removed`: the table stays, and nothing shows its items.")
}

/// Renamed attributes whose old name another one got: both would be read from one place.
pub(super) fn ambiguous(differences: &[Difference], design: &Design) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for difference in differences {
        let (Task::Rename { from }, Some(name)) = (&difference.task, &difference.concern.entity) else {
            continue;
        };
        let Some(taken) = design.entity(name).and_then(|entity| entity.attribute(from)) else { continue };
        let title = format!("`{}` was `{from}`, and `{name}` has a new `{from}`", difference.subject);
        found.push(
            TABLE_DIFFERS
                .at(taken.name.span, title)
                .label("the values that are there belong to one of them")
                .note("Deploy the rename first, and the new attribute with the next version."),
        );
    }
    found
}

/// Items that prevent a change: the reasons for some of them, and the number of all.
pub(super) struct Unfit {
    pub(super) title: String,
    pub(super) label: String,
    pub(super) way: &'static str,
    pub(super) span: Span,
    pub(super) items: Vec<String>,
    pub(super) count: u64,
}

impl Unfit {
    /// Adds an item.
    pub(super) fn add(&mut self, item: String) {
        self.count += 1;
        if self.items.len() < SHOWN {
            self.items.push(item);
        }
    }

    pub(super) fn explained(&self) -> Diagnostic {
        let mut problem = TABLE_DIFFERS.at(self.span, self.title.clone()).label(self.label.clone());
        for item in &self.items {
            problem = problem.note(item.clone());
        }
        let more = self.count.saturating_sub(self.items.len() as u64);
        if more > 0 {
            problem = problem.note(format!("And {more} more: {} items in all.", self.count));
        }
        problem.note(self.way)
    }
}
