//! Counts by error kind.

use std::sync::atomic::{AtomicU64, Ordering};

use sortkey_api::ErrorKind;

/// A count per error kind.
#[derive(Debug)]
pub(crate) struct ErrorCounts([AtomicU64; ErrorKind::ALL.len()]);

impl Default for ErrorCounts {
    fn default() -> ErrorCounts {
        ErrorCounts([const { AtomicU64::new(0) }; ErrorKind::ALL.len()])
    }
}

impl ErrorCounts {
    pub(crate) fn add(&self, kind: ErrorKind) {
        self.0[kind as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The kinds that occurred.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (ErrorKind, u64)> {
        let counts = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        ErrorKind::ALL.iter().copied().zip(counts).filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_counted_apart() {
        let errors = ErrorCounts::default();
        for (index, kind) in ErrorKind::ALL.iter().enumerate() {
            (0..=index).for_each(|_| errors.add(*kind));
        }
        let expected: Vec<_> = ErrorKind::ALL.iter().copied().zip(1..).collect();
        assert_eq!(errors.counts().collect::<Vec<_>>(), expected);
    }
}
