//! The clock, expiry, forks and restarts.

use sortkey_value::AttributeValue;

use crate::model::table::Change;
use crate::session::Session;

const SECOND_MS: u64 = 1000;
const YEARS_5_SECONDS: i64 = 5 * 365 * 24 * 60 * 60;

/// Mostly a few seconds; sometimes so long that tokens, iterators or stream records grow too old.
pub(super) fn advance(session: &mut Session) {
    let by_ms = match session.dice.below(100) {
        0 => 25 * 60 * 60 * SECOND_MS,
        1..5 => 11 * 60 * SECOND_MS,
        _ => session.dice.below(5_000) as u64,
    };
    session.note(format!("the clock advances by {by_ms} ms"));
    session.model.now_ms += by_ms;
    session.engine().advance_clock(by_ms as i64);
}

pub(super) fn expire(session: &mut Session) {
    session.note("items expire".to_owned());
    let now = (session.model.now_ms / SECOND_MS) as i64;
    let is_past = |value: &AttributeValue| match value {
        AttributeValue::N(number) => {
            number.to_i64().is_some_and(|second| second < now && second >= 0.max(now - YEARS_5_SECONDS))
        }
        _ => false,
    };
    let mut expired = Vec::new();
    for (name, table) in &session.model.tables {
        let Some(attribute) = &table.expiry else { continue };
        for item in table.items.values().filter(|item| item.get(attribute).is_some_and(is_past)) {
            let key_item = table.shape.key.of(item);
            expired.push((name.clone(), Change { key_item, before: Some(item.clone()), after: None }));
        }
    }
    let removed = session.engine().expire_now();
    session.check(&removed, &Ok(expired.len()));
    for (table, change) in expired {
        session.model.apply(&table, &change, true);
    }
}

/// From now on another database with the same contents is asked.
pub(super) fn change_database(session: &mut Session) {
    session.change_database();
}
