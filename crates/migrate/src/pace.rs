//! The bound of a copy: so many items, or write units, in a second.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use parking_lot::Mutex;

use crate::steady::Steady;

/// How far behind its rate a copy may fall and still catch up. More would let it exceed the rate after a hindrance.
const CREDIT_MS: f64 = 50.0;
/// Transactions in a second that a bounded copy is divided into, so that it is even.
const PORTIONS: u64 = 20;
/// Write units of an item of up to a kilobyte in a transaction, and of the check of another.
const UNITS_PER_ITEM: u64 = 4;

/// The most that a copy may write in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Old items that are carried over.
    Items(u64),
    /// Write units, as DynamoDB counts them: twice for each kilobyte of a write or a check in a transaction.
    Units(u64),
}

impl Rate {
    pub(crate) fn per_second(self) -> u64 {
        match self {
            Rate::Items(count) | Rate::Units(count) => count.max(1),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Items(count) => write!(f, "{count} items"),
            Rate::Units(count) => write!(f, "{count} write units"),
        }
    }
}

impl FromStr for Rate {
    type Err = String;

    /// `500` and `500items` are items, `500wcu` are write units.
    fn from_str(text: &str) -> Result<Rate, String> {
        let (digits, of): (&str, fn(u64) -> Rate) = match text.strip_suffix("wcu") {
            Some(digits) => (digits, Rate::Units),
            None => (text.strip_suffix("items").unwrap_or(text), Rate::Items),
        };
        let count = digits.trim().replace(['_', ','], "").parse();
        count.map(of).map_err(|_| "a number of items, as 500, or of write units, as 2000wcu".to_owned())
    }
}

/// Keeps the segments of a copy below their common rate.
pub(crate) struct Pace {
    state: Mutex<Due>,
}

struct Due {
    rate: Option<Rate>,
    /// When the next transaction may be sent.
    next_ms: f64,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace { state: Mutex::new(Due { rate: None, next_ms: f64::MIN }) }
    }

    pub(crate) fn bound(&self, rate: Option<Rate>) {
        let mut due = self.state.lock();
        if due.rate != rate {
            *due = Due { rate, next_ms: f64::MIN };
        }
    }

    /// As many items as one transaction may carry over.
    pub(crate) fn portion(&self) -> usize {
        let portion = match self.state.lock().rate {
            None => return usize::MAX,
            Some(Rate::Items(count)) => count / PORTIONS,
            Some(Rate::Units(count)) => count / PORTIONS / UNITS_PER_ITEM,
        };
        usize::try_from(portion).unwrap_or(usize::MAX).max(1)
    }

    /// Waits until so many items, or units, may be written.
    pub(crate) async fn wait(&self, backend: &Steady, items: usize, units: u64) {
        let now_ms = backend.now_ms() as f64;
        let due_ms = {
            let mut due = self.state.lock();
            let (amount, per_second) = match due.rate {
                None => return,
                Some(rate @ Rate::Items(_)) => (items as u64, rate.per_second()),
                Some(rate @ Rate::Units(_)) => (units, rate.per_second()),
            };
            let due_ms = due.next_ms.max(now_ms - CREDIT_MS);
            due.next_ms = due_ms + amount as f64 * 1000.0 / per_second as f64;
            due_ms
        };
        if due_ms > now_ms {
            backend.pause(Duration::from_secs_f64((due_ms - now_ms) / 1000.0)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rate;

    #[test]
    fn rates_as_people_write_them() {
        let table = [
            ("500", Some(Rate::Items(500))),
            ("1_000items", Some(Rate::Items(1_000))),
            ("2000wcu", Some(Rate::Units(2_000))),
            ("2,000 wcu", Some(Rate::Units(2_000))),
            ("fast", None),
            ("-1", None),
            ("", None),
        ];
        for (text, wanted) in table {
            assert_eq!(text.parse::<Rate>().ok(), wanted, "{text:?}");
        }
    }
}
