//! The places of a copy: one item for each segment, which its transactions check instead of the common state.
//!
//! Transactions that check the same item conflict with each other, so the segments of a copy have an item each. It holds
//! the number of the lease and how far the segment is. A runner that takes the lease writes its number into every one of
//! them before it copies, which fences off the previous runner.

use std::collections::BTreeMap;

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_value::{AttributeValue, Item, Map, Number};

use crate::effect::{Act, Effect};
use crate::place::Place;
use crate::reader::Reader;
use crate::same::{self, Condition};
use crate::state::{Home, Walk};
use crate::steady::Steady;

/// How far the walks of one segment are, by stage.
pub(crate) type Walks = BTreeMap<String, Walk>;

impl Home {
    /// The place of the item with a segment's progress.
    fn segment(&self, at: u32) -> Place {
        self.beside(&at.to_string())
    }

    /// An item beside the state.
    pub(crate) fn beside(&self, what: &str) -> Place {
        let text = format!("{}#{what}", sortkey_deploy::MIGRATION);
        let moved = |value: AttributeValue| match value {
            AttributeValue::S(_) => AttributeValue::S(text.clone()),
            AttributeValue::B(_) => AttributeValue::B(text.clone().into_bytes()),
            other => other,
        };
        let key: Map = self.place.map().into_iter().map(|(name, value)| (name, moved(value))).collect();
        Place { table: self.place.table.clone(), key: Item::from_map(&key) }
    }

    /// How far the segments of a plan are; empty for those that have not begun.
    pub(crate) async fn walks(
        &self,
        backend: &Steady,
        plan: &str,
        segments: u32,
    ) -> Result<Vec<Walks>, ApiError> {
        let places: Vec<Place> = (0..segments).map(|at| self.segment(at)).collect();
        let reader = Reader::new(backend);
        reader.fetch(&places).await?;
        let mut found = Vec::with_capacity(places.len());
        for place in &places {
            let map = reader.get(place).await?.map(|item| item.to_map()).unwrap_or_default();
            let is_ours =
                map.get(&self.name("plan")).is_some_and(|value| *value == AttributeValue::S(plan.to_owned()));
            found.push(match map.get(&self.name("walks")).filter(|_| is_ours) {
                Some(AttributeValue::M(walks)) => {
                    let walks = walks.iter();
                    walks.filter_map(|(name, walk)| Some((name.clone(), Walk::read(walk)?))).collect()
                }
                _ => Walks::new(),
            });
        }
        Ok(found)
    }

    /// Takes a segment over from the previous runner; false if another one has taken it since.
    pub(crate) async fn claim(
        &self,
        backend: &Steady,
        plan: &str,
        fence: u64,
        at: u32,
        walks: &Walks,
    ) -> Result<bool, ApiError> {
        let condition = same::below(&self.name("fence"), fence);
        self.keep(backend, plan, fence, at, walks, condition).await
    }

    /// Stores the progress of a segment; false if another runner has taken it.
    pub(crate) async fn note(
        &self,
        backend: &Steady,
        plan: &str,
        fence: u64,
        at: u32,
        walks: &Walks,
    ) -> Result<bool, ApiError> {
        self.keep(backend, plan, fence, at, walks, self.is(fence)).await
    }

    async fn keep(
        &self,
        backend: &Steady,
        plan: &str,
        fence: u64,
        at: u32,
        walks: &Walks,
        condition: Condition,
    ) -> Result<bool, ApiError> {
        let place = self.segment(at);
        let mut map = place.map();
        let walks = walks.iter().map(|(name, walk)| (name.clone(), AttributeValue::M(walk.stored())));
        map.insert(self.name("plan"), AttributeValue::S(plan.to_owned()));
        map.insert(self.name("fence"), number(fence));
        map.insert(self.name("walks"), AttributeValue::M(walks.collect()));
        let put = Effect::new(place, Act::Put(Item::from_map(&map)), condition);
        let input = TransactWriteItemsInput {
            transact_items: vec![put.member()],
            client_request_token: Some(backend.token()?),
            ..TransactWriteItemsInput::default()
        };
        match backend.ask::<TransactWriteItems>(input).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorKind::TransactionCanceledException => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The check that a runner still has a segment.
    pub(crate) fn holds(&self, fence: u64, at: u32) -> Effect {
        Effect::new(self.segment(at), Act::Check, self.is(fence))
    }

    fn is(&self, fence: u64) -> Condition {
        same::has(&self.name("fence"), Some(number(fence)))
    }
}

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(Number::from(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// The walks of all segments together, by stage.
pub(crate) fn together<'s>(stages: impl Iterator<Item = &'s str>, segments: &[Walks]) -> Walks {
    let sum = |stage: &str| {
        let mut sum = Walk { is_done: !segments.is_empty(), ..Walk::default() };
        for walk in segments.iter().map(|walks| walks.get(stage)) {
            sum.is_done &= walk.is_some_and(|walk| walk.is_done);
            let Some(walk) = walk else { continue };
            sum.seen += walk.seen;
            sum.copied += walk.copied;
            sum.there += walk.there;
            sum.retried += walk.retried;
            sum.conflicts += walk.conflicts;
            sum.units += walk.units;
        }
        sum
    };
    stages.map(|stage| (stage.to_owned(), sum(stage))).collect()
}
