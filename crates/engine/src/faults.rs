//! Faults on purpose: the next requests are throttled, left unprocessed or in conflict, so that a client's
//! tests can see how it copes.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The request is throttled.
    Throttle,
    /// A batch leaves all but its first entry unprocessed.
    Unprocessed,
    /// A transaction meets another one.
    Conflict,
}

/// A fault that shows itself a number of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// How many more requests it concerns.
    pub remaining: u32,
    /// Only requests of this operation.
    pub operation: Option<String>,
    /// Only requests on this table.
    pub table: Option<String>,
}

/// The faults that wait for their requests.
#[derive(Default)]
pub struct Faults {
    /// The number of faults: most databases have none, and can skip the lock.
    count: AtomicUsize,
    waiting: Mutex<Vec<Fault>>,
}

impl Faults {
    /// Adds a fault.
    pub fn add(&self, fault: Fault) {
        let mut waiting = self.waiting.lock();
        waiting.push(fault);
        self.count.store(waiting.len(), Ordering::SeqCst);
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.waiting.lock().clear();
        self.count.store(0, Ordering::SeqCst);
    }

    /// The faults that wait.
    pub fn list(&self) -> Vec<Fault> {
        self.waiting.lock().clone()
    }

    /// Whether a fault of this kind befalls the request; it has one time less then.
    pub(crate) fn strikes(&self, kind: FaultKind, operation: &str, table: &str) -> bool {
        if self.count.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let mut waiting = self.waiting.lock();
        let concerns =
            |wanted: &Option<String>, actual: &str| wanted.as_deref().is_none_or(|name| name == actual);
        let struck = waiting.iter_mut().find(|fault| {
            fault.kind == kind && concerns(&fault.operation, operation) && concerns(&fault.table, table)
        });
        let Some(fault) = struck else { return false };
        fault.remaining = fault.remaining.saturating_sub(1);
        waiting.retain(|fault| fault.remaining > 0);
        self.count.store(waiting.len(), Ordering::SeqCst);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_as_often_as_it_says_and_only_where() {
        let faults = Faults::default();
        let table = Some("orders".to_owned());
        faults.add(Fault { kind: FaultKind::Throttle, remaining: 2, operation: None, table });
        assert!(!faults.strikes(FaultKind::Throttle, "GetItem", "users"));
        assert!(!faults.strikes(FaultKind::Conflict, "GetItem", "orders"));
        assert!(faults.strikes(FaultKind::Throttle, "GetItem", "orders"));
        assert!(faults.strikes(FaultKind::Throttle, "PutItem", "orders"));
        assert!(!faults.strikes(FaultKind::Throttle, "PutItem", "orders"));
        assert!(faults.list().is_empty());
    }
}
