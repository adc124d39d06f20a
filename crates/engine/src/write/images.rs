//! The image of an item that a write returns.

use sortkey_api::shapes::returns::ReturnValue;
use sortkey_expression::{Projection, Update};
use sortkey_partiql::Returning;
use sortkey_value::Item;

use crate::write::change::ItemChange;

/// The image that is asked for.
pub(crate) enum Images {
    Nothing,
    AllOld,
    AllNew,
    UpdatedOld(Projection),
    UpdatedNew(Projection),
}

impl Images {
    /// As UpdateItem asks.
    pub(crate) fn asked(asked: Option<&ReturnValue>, update: &Update) -> Images {
        match asked {
            Some(ReturnValue::AllOld) => Images::AllOld,
            Some(ReturnValue::AllNew) => Images::AllNew,
            Some(ReturnValue::UpdatedOld) => Images::UpdatedOld(update.projection()),
            Some(ReturnValue::UpdatedNew) => Images::UpdatedNew(update.projection()),
            _ => Images::Nothing,
        }
    }

    /// As a PartiQL statement asks.
    pub(crate) fn returning(asked: Option<Returning>, update: &Update) -> Images {
        match asked {
            None => Images::Nothing,
            Some(Returning::AllOld) => Images::AllOld,
            Some(Returning::AllNew) => Images::AllNew,
            Some(Returning::ModifiedOld) => Images::UpdatedOld(update.projection()),
            Some(Returning::ModifiedNew) => Images::UpdatedNew(update.projection()),
        }
    }

    /// The image that was asked for; an empty one is left out.
    pub(crate) fn of(&self, change: ItemChange) -> Option<Item> {
        let image = match self {
            Images::Nothing => None,
            Images::AllOld => change.before,
            Images::AllNew => change.after,
            Images::UpdatedOld(projection) => change.before.map(|item| projection.apply(&item)),
            Images::UpdatedNew(projection) => change.after.map(|item| projection.apply(&item)),
        };
        image.filter(|image| !image.is_empty())
    }
}
