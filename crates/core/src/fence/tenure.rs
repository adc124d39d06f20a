//! When a lease that has not ended may be taken over.
//!
//! If a process has the database for itself, its predecessors are gone: the engine locks its directory, and only such a
//! process marks its leases with [`HERE`] and a name of its own. A lease with that mark and another name was left by a
//! process that ended without giving it back, so it need not expire first. Leases of processes that reach the database over
//! the network have no mark, outlive a restart of the database, and are never taken over.

use sortkey_value::{AttributeValue, Item, ValueRef};

use super::{FENCE, LEASE};
use crate::condition::Placeholders;
use crate::{Failure, Runtime};

/// The prefix of the tokens of a process that has the database for itself.
const HERE: &str = "here#";

impl Runtime {
    /// Declares that this process has the database for itself for as long as it runs, so that leases of its predecessors
    /// are over. Only the host of an engine that no other process can open may do so.
    pub fn has_database_alone(&self) -> Result<(), Failure> {
        let name = self.token()?;
        drop(self.shared().tenure.set(format!("{HERE}{name}#")));
        Ok(())
    }

    /// Whether leases of this process end with it.
    pub(crate) fn is_alone(&self) -> bool {
        self.shared().tenure.get().is_some()
    }

    /// A token for a lease, which nobody can guess.
    pub fn lease_token(&self) -> Result<String, Failure> {
        let token = self.token()?;
        Ok(match self.shared().tenure.get() {
            Some(tenure) => format!("{tenure}{token}"),
            None => token,
        })
    }

    /// Whether another run has an item at this time, whose lease this process cannot take over. A claim would be refused, which
    /// costs a write; and a look that finds an item between its put with a lease and the run must not hold it back.
    pub(crate) fn is_leased(&self, item: &Item, now_ms: i64) -> bool {
        let until = match item.get(LEASE) {
            Some(ValueRef::N(until)) => until.to_i64().unwrap_or_default(),
            _ => return false,
        };
        let is_left = match (self.shared().tenure.get(), item.get(FENCE)) {
            (Some(tenure), Some(ValueRef::S(token))) => {
                token.starts_with(HERE) && !token.starts_with(&**tenure)
            }
            _ => false,
        };
        until > now_ms && !is_left
    }

    /// The condition for taking over a lease that has not ended, as a further alternative; empty if there is none.
    pub(crate) fn takeover(&self, into: &mut Placeholders) -> String {
        let Some(tenure) = self.shared().tenure.get() else { return String::new() };
        let fence = into.name(FENCE);
        let here = into.value(AttributeValue::S(HERE.to_owned()));
        let own = into.value(AttributeValue::S(tenure.clone()));
        format!(" OR (begins_with({fence}, {here}) AND NOT begins_with({fence}, {own}))")
    }
}
