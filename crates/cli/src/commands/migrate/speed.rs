//! How fast a copy is, and when it will be done: from two looks at it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sortkey_api::Requests as _;
use sortkey_api::operations::DescribeTableInput;
use sortkey_migrate::{Phase, State};

use super::place::Opened;
use crate::failure::Failure;

/// Between two looks.
const APART: Duration = Duration::from_secs(1);

/// A look at a copy.
struct Look {
    at: Instant,
    copied: u64,
    units: u64,
    seen: u64,
}

/// The measured speed of a copy and the time it has left.
#[derive(Default)]
pub(super) struct Speed {
    /// How many items each old table has, as far as the database counts them.
    pub(super) items: BTreeMap<String, u64>,
    /// Items and write units in a second, and the seconds that are left; none if it does not move.
    pub(super) moves: Option<(u64, u64, Option<u64>)>,
}

/// Looks at a copy that is under way, twice; at any other only once.
pub(super) async fn of(opened: &Opened, state: &mut State) -> Result<Speed, Failure> {
    let plan = opened.runner.plan();
    let mut speed = Speed::default();
    if state.phase != Phase::Both || state.is_copied(plan) {
        return Ok(speed);
    }
    for stage in plan.stages() {
        let input = DescribeTableInput { table_name: (&*stage.table).into() };
        let described = opened.runtime.backend().describe_table(input).await.map_err(Failure::new)?;
        let count =
            described.table.and_then(|table| table.item_count).and_then(|count| u64::try_from(count).ok());
        speed.items.extend(count.map(|count| (stage.label.to_string(), count)));
    }
    if state.lease.is_none() || state.paused {
        return Ok(speed);
    }
    let before = look(state);
    tokio::time::sleep(APART).await;
    if let Some(now) = opened.runner.state().await.map_err(Failure::new)? {
        *state = now;
    }
    let now = look(state);
    let seconds = now.at.duration_since(before.at).as_secs_f64().max(0.001);
    let a_second = |now: u64, before: u64| (now.saturating_sub(before) as f64 / seconds) as u64;
    let seen = a_second(now.seen, before.seen);
    let all: u64 = speed.items.values().sum();
    let left = (seen > 0).then(|| all.saturating_sub(now.seen) / seen.max(1));
    if seen > 0 {
        speed.moves = Some((a_second(now.copied, before.copied), a_second(now.units, before.units), left));
    }
    Ok(speed)
}

fn look(state: &State) -> Look {
    let sum = |of: fn(&sortkey_migrate::Walk) -> u64| state.walks.values().map(of).sum();
    Look {
        at: Instant::now(),
        copied: sum(|walk| walk.copied),
        units: sum(|walk| walk.units),
        seen: sum(|walk| walk.seen),
    }
}
