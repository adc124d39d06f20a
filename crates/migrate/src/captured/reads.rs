//! How far the streams were read: an item beside the state, which is also the fence of whoever reads them.

use std::collections::BTreeMap;

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_value::{AttributeValue, Item, Map, Number};

use super::feed::{Reached, Reads};
use crate::effect::{Act, Effect};
use crate::reader::Reader;
use crate::same;
use crate::state::Home;
use crate::steady::Steady;

/// The name of the item.
const READS: &str = "streams";

/// How far changes of other programs were carried over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captured {
    /// Changes that were carried over.
    pub carried: u64,
    /// Changes that the new design could not hold when they were seen.
    pub unfit: u64,
    /// How often all streams were read to their ends.
    pub rounds: u64,
    pub(super) fence: u64,
    pub(super) reads: Reads,
}

impl Home {
    /// How far the streams were read; nothing if another plan has read them.
    pub(super) async fn reads(&self, backend: &Steady, plan: &str) -> Result<Captured, ApiError> {
        let Some(item) = Reader::new(backend).get(&self.beside(READS)).await? else {
            return Ok(Captured::default());
        };
        let map = item.to_map();
        let count = |name: &str| match map.get(&self.name(name)) {
            Some(AttributeValue::N(number)) => {
                number.to_i64().and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
            }
            _ => 0,
        };
        let fence = count("fence");
        if map.get(&self.name("plan")) != Some(&AttributeValue::S(plan.to_owned())) {
            return Ok(Captured { fence, ..Captured::default() });
        }
        let reads = match map.get(&self.name("walks")) {
            Some(AttributeValue::M(reads)) => reads
                .iter()
                .filter_map(|(name, reached)| Some((name.clone(), Reached::read(reached)?)))
                .collect(),
            _ => BTreeMap::new(),
        };
        Ok(Captured {
            carried: count("carried"),
            unfit: count("unfit"),
            rounds: count("rounds"),
            fence,
            reads,
        })
    }

    pub(super) async fn keep_reads(
        &self,
        backend: &Steady,
        plan: &str,
        at: &Captured,
        condition: same::Condition,
    ) -> Result<bool, ApiError> {
        let place = self.beside(READS);
        let mut map: Map = place.map();
        let mut put = |name: &str, value: AttributeValue| drop(map.insert(self.name(name), value));
        put("plan", AttributeValue::S(plan.to_owned()));
        for (name, count) in
            [("fence", at.fence), ("carried", at.carried), ("unfit", at.unfit), ("rounds", at.rounds)]
        {
            put(name, number(count));
        }
        let reads = at.reads.iter().map(|(name, reached)| (name.clone(), reached.stored()));
        put("walks", AttributeValue::M(reads.collect()));
        let effect = Effect::new(place, Act::Put(Item::from_map(&map)), condition);
        let input = TransactWriteItemsInput {
            transact_items: vec![effect.member()],
            client_request_token: Some(backend.token()?),
            ..TransactWriteItemsInput::default()
        };
        match backend.ask::<TransactWriteItems>(input).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorKind::TransactionCanceledException => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The item has the number of this lease.
    pub(super) fn reads_have(&self, fence: u64) -> same::Condition {
        same::has(&self.name("fence"), Some(number(fence)))
    }

    /// The item has the number of an earlier lease.
    pub(super) fn reads_below(&self, fence: u64) -> same::Condition {
        same::below(&self.name("fence"), fence)
    }

    /// The check that a runner still follows the streams.
    pub(super) fn holds_reads(&self, fence: u64) -> Effect {
        Effect::new(self.beside(READS), Act::Check, self.reads_have(fence))
    }
}

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(Number::from(i64::try_from(number).unwrap_or(i64::MAX)))
}
