//! Items read with strong consistency, each once per attempt.

use std::collections::HashMap;

use parking_lot::Mutex;
use sortkey_api::ApiError;
use sortkey_api::operations::{BatchGetItem, BatchGetItemInput, GetItem, GetItemInput};
use sortkey_api::shapes::batch::KeysAndAttributes;
use sortkey_value::Item;

use crate::place::Place;
use crate::steady::Steady;

/// As many keys as one request takes.
const BATCH: usize = 100;

/// The items read in one attempt to write.
pub(crate) struct Reader<'a> {
    backend: &'a Steady,
    known: Mutex<HashMap<Place, Option<Item>>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(backend: &'a Steady) -> Reader<'a> {
        Reader { backend, known: Mutex::default() }
    }

    /// The item at a place.
    pub(crate) async fn get(&self, place: &Place) -> Result<Option<Item>, ApiError> {
        if let Some(found) = self.known.lock().get(place) {
            return Ok(found.clone());
        }
        let input = GetItemInput {
            table_name: place.table_name(),
            key: place.key.clone().into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let found = self.backend.ask::<GetItem>(input).await?.item;
        self.known.lock().insert(place.clone(), found.clone());
        Ok(found)
    }

    /// Reads several items at once, where that takes fewer requests.
    pub(crate) async fn fetch(&self, places: &[Place]) -> Result<(), ApiError> {
        let mut wanted: Vec<&Place> = Vec::new();
        for place in places {
            if !self.known.lock().contains_key(place) && !wanted.contains(&place) {
                wanted.push(place);
            }
        }
        if let [place] = wanted.as_slice() {
            return self.get(place).await.map(drop);
        }
        for chunk in wanted.chunks(BATCH) {
            self.fetch_batch(chunk).await?;
        }
        Ok(())
    }

    async fn fetch_batch(&self, places: &[&Place]) -> Result<(), ApiError> {
        let mut open: Vec<&Place> = places.to_vec();
        while !open.is_empty() {
            let mut input = BatchGetItemInput::default();
            for place in &open {
                let key = place.key.clone().into();
                match input.request_items.get_mut(&place.table) {
                    Some(keys) => keys.keys.push(key),
                    None => {
                        let keys = KeysAndAttributes {
                            keys: vec![key],
                            consistent_read: Some(true),
                            ..KeysAndAttributes::default()
                        };
                        input.request_items.insert(&*place.table, keys);
                    }
                }
            }
            let output = self.backend.ask::<BatchGetItem>(input).await?;
            let left = output.unprocessed_keys.unwrap_or_default();
            let is_left = |place: &Place| {
                left.get(&place.table)
                    .is_some_and(|keys| keys.keys.iter().any(|key| *key.unchecked() == place.key))
            };
            let found = output.responses.unwrap_or_default();
            let (later, answered): (Vec<&Place>, Vec<&Place>) =
                open.iter().copied().partition(|place| is_left(place));
            for place in answered {
                let is_it =
                    |item: &&Item| place.key.iter().all(|(name, value)| item.get(name) == Some(value));
                let item = found.get(&place.table).and_then(|items| items.iter().find(is_it)).cloned();
                self.known.lock().insert(place.clone(), item);
            }
            if later.len() == open.len() {
                self.backend.rest().await;
            }
            open = later;
        }
        Ok(())
    }

    /// Reads items again when they are asked for again.
    pub(crate) fn forget<'p>(&self, places: impl Iterator<Item = &'p Place>) {
        let mut known = self.known.lock();
        places.for_each(|place| drop(known.remove(place)));
    }

    /// Sets what an item will be: later reads of this attempt see it.
    pub(crate) fn assume(&self, place: Place, item: Option<Item>) {
        self.known.lock().insert(place, item);
    }
}
