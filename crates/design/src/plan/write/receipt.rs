//! Receipts: what makes a repeat of an operation harmless, and what a repeat reads.

use super::{Parts, Plan};
use crate::facts::actions;
use crate::model::*;
use crate::plan::flow::Flow;
use crate::plan::request::{Act, KEY_BYTES, Part, Request, Role, reserved_arms};

impl<'d> Plan<'d> {
    /// The receipt goes with the first write, so that a repeat finds it whatever became of the rest.
    pub(super) fn add_receipt(&mut self, parts: &mut Parts<'d>, surely: bool) {
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
                arms: reserved_arms(table),
                bytes: KEY_BYTES,
            };
            parts.push((receipt, format!("put receipt {}", self.operation.name)));
        }
        self.receipt_due = !surely;
    }

    /// Where the receipt lies: in the table of the first entity that the operation writes.
    fn receipt_table(&self) -> Option<&'d Table> {
        let sites = actions(self.operation);
        let site = sites.iter().find(|site| site.action.verb.writes())?;
        self.design.table_of(self.design.entity(&site.action.entity.text)?)
    }

    /// A repeat finds the receipt, and then what the first call made.
    pub(super) fn repeated(&self) -> Flow<'d> {
        let Some(table) = self.receipt_table() else {
            return Flow::nothing();
        };
        let receipt = Request::get(table, KEY_BYTES, true, format!("receipt {}", self.operation.name));
        let made = actions(self.operation).into_iter().filter(|site| site.action.verb.writes());
        let made = made.filter_map(|site| self.design.entity(&site.action.entity.text));
        let made = made.map(|entity| self.get(entity, true, format!("the {} it names", entity.name)));
        Flow::Seq(vec![Flow::Send(receipt), Flow::Any(made.collect()).maybe()])
    }
}
