//! Differences that were found while other programs write the old tables: most of them are changes that are on their way.
//!
//! A difference counts if it is there after the streams were read to their ends, and what it was found in is as it was before.

use sortkey_value::Item;

use crate::hidden;
use crate::mapper::Mapper;
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::verify::{Difference, Report};

/// How often an item that keeps changing is looked at.
const ROUNDS: usize = 8;

/// An item that differs, with what it is made of.
struct Suspect {
    place: Place,
    seen: Vec<Option<Item>>,
}

impl Runner {
    /// Of some items that differ, the differences that stay.
    pub(crate) async fn still_different(
        &self,
        mapper: Mapper<'_>,
        side: Side,
        table: &str,
        items: Vec<Item>,
    ) -> Result<Vec<Difference>, Refusal> {
        let Some(first) = self.plan.entities(side).find(|info| info.table.name() == table) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let mut open: Vec<Suspect> = Vec::new();
        for item in items {
            let place = Place::of(first, &item);
            let seen = self.seen(side, &place).await?;
            open.push(Suspect { place, seen });
        }
        for round in 0..ROUNDS {
            self.caught_up().await?;
            let mut later = Vec::new();
            for suspect in open {
                let reader = Reader::new(&self.backend);
                let Some(item) = reader.get(&suspect.place).await? else { continue };
                let scratch = &mut Report::default();
                let differences = match side {
                    Side::Old => self.look_at_old(mapper, &reader, table, &item, scratch).await?,
                    Side::New => self.look_at_new(mapper, &reader, table, &item, scratch).await?,
                };
                if differences.is_empty() {
                    continue;
                }
                let seen = self.seen(side, &suspect.place).await?;
                match seen == suspect.seen || round + 1 == ROUNDS {
                    true => found.extend(differences),
                    false => later.push(Suspect { seen, ..suspect }),
                }
            }
            open = later;
            if open.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// An item, and the old ones that it was made of.
    async fn seen(&self, side: Side, place: &Place) -> Result<Vec<Option<Item>>, Refusal> {
        let reader = Reader::new(&self.backend);
        let item = reader.get(place).await?;
        let origins = item.as_ref().filter(|_| side == Side::New).and_then(hidden::origins);
        let mut seen = vec![item];
        for origin in origins.unwrap_or_default() {
            if let Some(info) = self.plan.old_called(&origin.entity) {
                seen.push(reader.get(&Place::at(info, origin.key)).await?);
            }
        }
        Ok(seen)
    }
}
