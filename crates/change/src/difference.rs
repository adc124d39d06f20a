//! One difference.

use serde::Serialize;
use sortkey_design::Program;
use sortkey_design::program::{EntityId, Id};
use sortkey_design::size::typical_bytes;
use sortkey_diagnostics::Span;

use crate::{Class, Concern, Task};

/// One difference between two versions of a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Its class.
    pub class: Class,
    /// The declaration that changed: `Order.total`, `table Orders`, `pattern listOrders`.
    pub subject: String,
    /// How it changed.
    pub change: String,
    /// The effect on existing items and tables.
    pub effect: String,
    /// The effect on callers of the design, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaks: Option<String>,
    /// The cost of rewriting, if items are rewritten and the design declares how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// The work on items that are already stored.
    #[serde(skip)]
    pub task: Task,
    /// The parts of the design that it concerns.
    #[serde(skip)]
    pub concern: Concern,
    /// The place of its declaration in the new version; in the old version if it was removed.
    #[serde(skip)]
    pub span: Span,
}

/// The cost of rewriting the items of an entity, by the volume that the design declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// How many items there are.
    pub items: u64,
    /// Read units: one eventually consistent scan.
    pub rcu: u64,
    /// Write units of the table: each item once. Indexes whose entries change are charged on top.
    pub wcu: u64,
}

impl Difference {
    /// A difference that callers do not notice.
    pub(crate) fn new(
        class: Class,
        subject: impl Into<String>,
        change: impl Into<String>,
        effect: impl Into<String>,
    ) -> Difference {
        Difference {
            class,
            subject: subject.into(),
            change: change.into(),
            effect: effect.into(),
            breaks: None,
            work: None,
            task: Task::None,
            concern: Concern::default(),
            span: Span::default(),
        }
    }

    /// Says what callers notice.
    pub(crate) fn breaking(self, breaks: impl Into<String>) -> Difference {
        Difference { breaks: Some(breaks.into()), ..self }
    }

    /// Says where it is declared.
    pub(crate) fn at(self, span: Span) -> Difference {
        Difference { span, ..self }
    }

    /// Says what has to happen to stored items.
    pub(crate) fn doing(self, task: Task) -> Difference {
        Difference { task, ..self }
    }

    /// Says which part of the design it concerns.
    pub(crate) fn of(self, concern: Concern) -> Difference {
        Difference { concern, ..self }
    }

    /// Adds what rewriting an entity's items costs.
    pub(crate) fn rewriting(self, program: &Program, entity: EntityId) -> Difference {
        Difference { work: Work::of(program, entity), ..self }
    }
}

impl Work {
    /// The work of rewriting all items of an entity; none if the design declares no volume.
    fn of(program: &Program, entity: EntityId) -> Option<Work> {
        let entity = program.design.entities.get(entity.at())?;
        let items = entity.volume.as_ref()?.items;
        let bytes = typical_bytes(&program.design, entity).max(1);
        // An eventually consistent read of four kilobytes is half a unit.
        let read_bytes = items.saturating_mul(bytes);
        Some(Work {
            items,
            rcu: read_bytes.div_ceil(8 * 1024),
            wcu: items.saturating_mul(bytes.div_ceil(1024)),
        })
    }
}
