//! A client that writes during a migration: it removes items and puts them back, through whichever design may write.
//!
//! It is independent of the designs. It only remembers of each old item whether it is there, as far as that was
//! acknowledged.

use sortkey_api::operations::{DeleteItemInput, PutItemInput};
use sortkey_api::{ApiError, Backend as _, Request, Response};
use sortkey_value::Item;

use super::{Stage, runner};
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::{Dice, Layer, hidden};

/// As many items as one writer changes.
const MOST: usize = 24;

pub(crate) struct Writer {
    items: Vec<Written>,
    dice: Dice,
    acknowledged: u64,
}

struct Written {
    place: Place,
    item: Item,
    /// Whether it is there; none if an answer was lost.
    is_there: Option<bool>,
}

impl Writer {
    /// Knows some of the old items that others do not point to.
    pub(crate) async fn new(stage: &impl Stage, seed: u64) -> Result<Writer, Refusal> {
        let runner = runner(stage, stage.backend())?;
        let mut items = Vec::new();
        for table in runner.plan.tables(Side::Old) {
            let (page, _) = runner.page(table, None, Some(100)).await?;
            for item in page {
                let Some(info) = runner.plan.owner(Side::Old, table, &item) else { continue };
                let is_origin = runner.plan.mappings.iter().flat_map(|mapping| &mapping.arrows).any(|arrow| {
                    matches!(&arrow.kind, sortkey_design::program::ExprKind::Arrow { to, .. } if to.entity == info.at)
                });
                // An item with unique values has guards, which only its own design moves.
                let is_guarded = !info.of(runner.plan.old.program()).uniques.is_empty();
                if !is_origin && !is_guarded && items.len() < MOST {
                    items.push(Written { place: Place::of(info, &item), item, is_there: Some(true) });
                }
            }
        }
        Ok(Writer { items, dice: Dice::new(seed ^ 0x5eed), acknowledged: 0 })
    }

    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Writes so often with the old design. A write that is refused has not happened.
    pub(crate) async fn write(&mut self, layers: &[Layer; 2], writes: u64) {
        if self.items.is_empty() {
            return;
        }
        let [old, _] = layers;
        for _ in 0..writes {
            let at = self.dice.roll(self.items.len() as u64) as usize;
            let removes = self.dice.roll(3) == 0;
            let written = &mut self.items[at];
            let request = match removes {
                true => Request::DeleteItem(Box::new(DeleteItemInput {
                    table_name: written.place.table_name(),
                    key: written.place.key.clone().into(),
                    ..DeleteItemInput::default()
                })),
                false => Request::PutItem(Box::new(PutItemInput {
                    table_name: written.place.table_name(),
                    item: written.item.clone().into(),
                    ..PutItemInput::default()
                })),
            };
            match old.send(request).await {
                Ok(Response::PutItem(_) | Response::DeleteItem(_)) => {
                    self.acknowledged += 1;
                    written.is_there = Some(!removes);
                }
                Ok(_) => {}
                Err(error) => {
                    if may_have_happened(&error) {
                        written.is_there = None;
                    }
                }
            }
        }
    }

    /// Every acknowledged write is there in the end.
    pub(crate) async fn check(&self, runner: &Runner) -> Result<(), Refusal> {
        let reader = Reader::new(&runner.backend);
        let mut lost = Vec::new();
        for written in &self.items {
            let there = reader.get(&written.place).await?;
            let is_right = match (&written.is_there, &there) {
                (Some(true), Some(item)) => hidden::bare(item) == written.item,
                (Some(false), there) => there.is_none(),
                (Some(true), None) => false,
                (None, _) => true,
            };
            if !is_right {
                lost.push(format!("a write that was acknowledged is lost: {}", written.place));
            }
        }
        match lost.is_empty() {
            true => Ok(()),
            false => Err(Refusal::all(lost)),
        }
    }
}

/// Whether a request may have reached the database although it was refused: its answer was lost.
fn may_have_happened(error: &ApiError) -> bool {
    error.is_unanswered() || error.again() == sortkey_api::Again::Unknown
}
