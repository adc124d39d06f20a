//! Receipts: what makes a repeat of an operation harmless, and what a repeat reads.

use sortkey_design::program::{Action, EntityId, Operation, TableId};

use super::{Parts, Plan};
use crate::actions::actions;
use crate::flow::Flow;
use crate::request::{Act, KEY_BYTES, Part, Request, Role, reserved_arms};

/// The entities that an operation writes, in order.
fn written(operation: &Operation) -> impl Iterator<Item = EntityId> {
    let writes = |action: &&Action| action.verb.writes();
    actions(operation).into_iter().filter(writes).map(|action| action.entity)
}

/// The entity whose table holds the receipts of an operation: the first that it writes.
pub fn receipt_home(operation: &Operation) -> Option<EntityId> {
    written(operation).next()
}

impl Plan<'_> {
    /// The receipt is part of the first write, so that a repeat finds it even if later writes failed.
    pub(super) fn add_receipt(&mut self, parts: &mut Parts, surely: bool) {
        if !self.receipt_due {
            return;
        }
        if let Some(table) = self.receipt_table() {
            let receipt = Part {
                act: Act::Put,
                table,
                role: Role::Receipt,
                sometimes: true,
                many: false,
                arms: reserved_arms(self.program, table),
                bytes: KEY_BYTES,
            };
            parts.push((receipt, format!("put receipt {}", self.operation.name)));
        }
        self.receipt_due = !surely;
    }

    fn receipt_table(&self) -> Option<TableId> {
        self.program.entities[receipt_home(self.operation)?].table
    }

    /// A repeat finds the receipt, and then what the first call made.
    pub(super) fn repeated(&self) -> Flow {
        let Some(table) = self.receipt_table() else {
            return Flow::nothing();
        };
        let receipt = Request::get(table, KEY_BYTES, true, format!("receipt {}", self.operation.name));
        let made = written(self.operation).map(|entity| {
            let name = &self.program.entities[entity].name;
            self.get(entity, true, format!("the {name} it names"))
        });
        Flow::Seq(vec![Flow::Send(receipt), Flow::Any(made.collect()).maybe()])
    }
}
