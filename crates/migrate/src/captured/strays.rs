//! Changes that other programs made after the new design began to answer: nothing can carry them over any more.

use sortkey_value::Item;

use super::LISTED;
use super::carry::Touched;
use crate::hidden;
use crate::mapper::Mapper;
use crate::plan::Side;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::{Held, Runner};
use crate::state::State;
use crate::verify::Report;

impl Runner {
    /// Old items that other programs changed after the new design began to answer.
    pub(crate) async fn strays(&self) -> Result<Vec<String>, Refusal> {
        let (held, state) = self.seize().await?;
        let found = self.strays_since(held, &state).await;
        self.end_lease(held, found).await
    }

    async fn strays_since(&self, held: Held, state: &State) -> Result<Vec<String>, Refusal> {
        let mut following = self.take_over(held, state).await?;
        let mapper = Mapper { plan: &self.plan, now_ms: state.now_ms };
        let mut found: Vec<String> = Vec::new();
        loop {
            let (touched, is_last) = self.read_on(&mut following).await?;
            for each in touched {
                if found.len() < LISTED && self.is_stray(mapper, &each).await? {
                    found.push(each.place.to_string());
                }
            }
            if is_last {
                break;
            }
        }
        found.dedup();
        Ok(found)
    }

    async fn is_stray(&self, mapper: Mapper<'_>, touched: &Touched) -> Result<bool, Refusal> {
        let reader = Reader::new(&self.backend);
        if let Some(now) = reader.get(&touched.place).await? {
            let table = &touched.place.table;
            let found = self.look_at_old(mapper, &reader, table, &now, &mut Report::default()).await?;
            return Ok(!found.is_empty());
        }
        let owner = |item: &Item| self.plan.owner(Side::Old, &touched.place.table, item);
        for before in &touched.before {
            let Some(info) = owner(before) else { continue };
            let places = mapper.places(&reader, info, &hidden::bare(before)).await.unwrap_or_default();
            for (_, place) in places {
                let origins =
                    reader.get(&place).await?.as_ref().and_then(hidden::origins).unwrap_or_default();
                if origins.iter().any(|origin| self.is_origin(origin, &touched.place)) {
                    // A writer of the new design removes both at once: what was read may be from before.
                    let again = Reader::new(&self.backend);
                    let is_gone = again.get(&touched.place).await?.is_none();
                    return Ok(is_gone && again.get(&place).await?.is_some());
                }
            }
        }
        Ok(false)
    }
}
