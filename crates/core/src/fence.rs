//! The lease of a worker on an item: who may change it until when.
//!
//! A claim stores the end of the lease and a token that nobody else has in reserved attributes of the item. Every write of the
//! run to that item is conditional on the token and gives the lease back in the same request. A run that wakes up too late
//! finds another token, and writes nothing.

use sortkey_api::TableName;
use sortkey_value::{AttributeValue, Item};

use crate::condition::Condition;
use crate::evaluate::Scope;
use crate::write::{Act, Write};

/// When the lease ends, in milliseconds since 1970.
pub(crate) const LEASE: &str = "sortkey#lease";
/// The token of the run that has it.
pub(crate) const FENCE: &str = "sortkey#fence";
/// How often a run has begun since one succeeded.
pub(crate) const TRIES: &str = "sortkey#tries";
/// Why no run is tried any more.
pub(crate) const DEAD: &str = "sortkey#dead";

/// The item that a run has leased.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fence {
    pub(crate) table: TableName,
    pub(crate) key: Item,
    pub(crate) token: String,
}

impl Fence {
    /// Makes the writes to the leased item conditional on the lease, which they give back. Whether there is one.
    pub(crate) fn guard(&self, scope: &Scope<'_>, writes: &mut [Write]) -> bool {
        let own = |write: &&mut Write| {
            write.key == self.key && scope.shared.entities[write.entity].table == self.table
        };
        let Some(write) = writes.iter_mut().find(own) else { return false };
        let token = write.placeholders.value(AttributeValue::S(self.token.clone()));
        let held = format!("{} = {token}", write.placeholders.name(FENCE));
        let earlier = std::mem::replace(&mut write.condition, Condition::Always);
        write.condition = earlier.and(Condition::Text(held));
        if let Act::Update(expression) = &mut write.act {
            let names = [LEASE, FENCE, TRIES].map(|name| write.placeholders.name(name)).join(", ");
            // Names and values are placeholders, so the word is the clause.
            *expression = match expression.split_once("REMOVE ") {
                Some((before, after)) => format!("{before}REMOVE {names}, {after}"),
                None => format!("{expression} REMOVE {names}"),
            };
        }
        !matches!(write.act, Act::Check)
    }
}
