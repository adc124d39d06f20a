//! The lease of a worker on an item: who may change it until when.
//!
//! A claim stores the end of the lease and a token that nobody else has in reserved attributes of the item. Every request of the
//! run that writes is conditional on the token: its write to the item carries it, and a request that does not touch the item
//! checks it in the same transaction. A run that wakes up too late finds another token, and writes nothing at all.
//!
//! A body whose one write is its last step gives the lease back in that write. Any other body keeps it to its end.

mod born;
mod last;
mod tenure;

use sortkey_api::TableName;
use sortkey_design::program::EntityId;
use sortkey_value::{AttributeValue, Item};

pub(crate) use last::writes_last;

use crate::evaluate::Scope;
use crate::write::{Act, Test, Write};
use crate::{Failure, FailureKind};

/// When the lease ends, in milliseconds since 1970.
pub(crate) const LEASE: &str = "sortkey#lease";
/// The token of the run that has it.
pub(crate) const FENCE: &str = "sortkey#fence";
/// How often a run has begun since one succeeded.
pub(crate) const TRIES: &str = "sortkey#tries";
/// Why no run is tried any more.
pub(crate) const DEAD: &str = "sortkey#dead";

/// Whether an attribute is one of those that a lease is made of.
pub fn is_lease(name: &str) -> bool {
    name == FENCE || name == LEASE
}

/// The item that a run has leased.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fence {
    pub(crate) entity: EntityId,
    pub(crate) table: TableName,
    pub(crate) key: Item,
    pub(crate) token: String,
    /// Whether the one write of the run gives the lease back.
    pub(crate) ends_with_write: bool,
    /// The reserved attributes of the item, which a put that replaces the item has to keep.
    pub(crate) marks: Vec<(&'static str, AttributeValue)>,
}

/// The effect of a request on the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The item was not written.
    Untouched,
    /// The item was written, and the lease goes on.
    Held,
    /// The lease was given back, or the item is gone.
    Over,
}

impl Fence {
    /// Makes the writes of a request conditional on the lease. Returns their effect on the lease if they happen.
    pub(crate) fn guard(&self, scope: &Scope<'_>, writes: &mut Vec<Write>) -> Result<Kept, Failure> {
        let is_own =
            |write: &Write| write.key == self.key && scope.shared.entities[write.entity].table == self.table;
        let Some(own) = writes.iter_mut().find(|write| is_own(write)) else {
            if writes.iter().any(|write| write.act != Act::Check) {
                let info = &scope.shared.entities[self.entity];
                let mut check = Write::new(info, self.key.clone(), Act::Check);
                self.demand(scope, &mut check)?;
                // The first write of a request is the one that its statement yields.
                writes.push(check);
            }
            return Ok(Kept::Untouched);
        };
        self.demand(scope, own)?;
        Ok(match &mut own.act {
            Act::Check => Kept::Untouched,
            Act::Delete => Kept::Over,
            Act::Put(_) if self.ends_with_write => Kept::Over,
            Act::Put(item) => {
                let mut map = sortkey_value::order::map(
                    item.iter().map(|(name, value)| (name.to_owned(), value.to_owned())),
                );
                map.extend(self.marks.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
                *item = map.into();
                Kept::Held
            }
            Act::Update(_) if !self.ends_with_write => Kept::Held,
            Act::Update(expression) => {
                let names = [LEASE, FENCE, TRIES].map(|name| own.placeholders.name(name)).join(", ");
                // Names and values are placeholders, so the word is the clause.
                *expression = match expression.split_once("REMOVE ") {
                    Some((before, after)) => format!("{before}REMOVE {names}, {after}"),
                    None => format!("{expression} REMOVE {names}"),
                };
                Kept::Over
            }
        })
    }

    /// The token comes first: without the lease, no other failed condition of the write matters.
    fn demand(&self, scope: &Scope<'_>, write: &mut Write) -> Result<(), Failure> {
        let lost =
            Failure::new(FailureKind::Unavailable, "the lease of this run is over, so it writes nothing");
        let token = AttributeValue::S(self.token.clone());
        write.demand(scope, Test::Holds(FENCE, token), lost)?;
        if let Some(demand) = write.demands.pop() {
            write.demands.insert(0, demand);
        }
        Ok(())
    }
}
