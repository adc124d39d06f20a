//! `x in list` where the values make whole keys: items in batches by their keys, without a query.
//!
//! Limits, pages and cursors mean what they mean for queries. A cursor has a position for each key: at its start until
//! the key was asked for, at its end from then on.

use std::collections::HashSet;

use sortkey_value::{Item, Map};

use super::{Hit, Paging, Read, fetch};
use crate::Failure;
use crate::cursor::{self, Position};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Known;

/// How often the number of keys in a batch is doubled while a page is not full.
const MAX_DOUBLINGS: u32 = 10;

impl Read {
    /// Up to `most` items of some keys (all of them if there is no bound), and the cursor behind them.
    pub(super) async fn batch(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        asked: Vec<(Known<'_>, Item)>,
        most: Option<usize>,
        paging: Paging<'_>,
    ) -> Result<(Vec<Hit>, Option<String>), Failure> {
        let (branches, keys): (Vec<Known<'_>>, Vec<Item>) = asked.into_iter().unzip();
        let keys = distinct(keys);
        let mut is_done = vec![false; keys.len()];
        if let Some(positions) = self.opened(scope, paging)? {
            if positions.len() != keys.len() {
                return Err(cursor::foreign());
            }
            is_done = positions.iter().map(|position| *position != Position::Start).collect();
        }
        let sieve = self.sieve(scope, &branches);
        let mut found = Vec::new();
        for round in 0.. {
            let wanted = most.map_or(usize::MAX, |most| most - found.len());
            let wanted = wanted.saturating_mul(1 << u32::min(round, MAX_DOUBLINGS));
            let places: Vec<usize> = (0..keys.len()).filter(|at| !is_done[*at]).take(wanted).collect();
            if places.is_empty() {
                break;
            }
            let batch: Vec<Map> = places.iter().map(|at| keys[*at].to_map()).collect();
            let items = fetch::items(session, self.entity(scope), &batch, self.plan.strong).await?;
            for (at, item) in places.into_iter().zip(items) {
                // Items that do not fit on the page are read again for the next one.
                if most.is_some_and(|most| found.len() >= most) {
                    break;
                }
                is_done[at] = true;
                if let Some(item) = item {
                    found.extend(self.admitted(scope, &sieve, item)?);
                }
            }
        }
        if is_done.iter().all(|is_done| *is_done) {
            return Ok((found, None));
        }
        let position = |is_done| if is_done { Position::End } else { Position::Start };
        Ok((found, self.sealed(scope, is_done.into_iter().map(position), paging)?))
    }
}

/// The keys, each once: two values may make one key, and DynamoDB refuses a batch that names a key twice.
fn distinct(keys: Vec<Item>) -> Vec<Item> {
    let mut seen = HashSet::new();
    keys.into_iter().filter(|key| seen.insert(key.clone())).collect()
}
