//! How long requests took, in buckets that Prometheus can add up over servers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::counter::{SHARDS, shard};

/// Upper bounds in microseconds. An embedded engine answers in tens of microseconds, so they start low.
pub(crate) const BOUNDS_MICROS: [u64; 17] = [
    25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 10_000_000,
];

/// One bucket per bound, and one for everything beyond.
const BUCKETS: usize = BOUNDS_MICROS.len() + 1;

/// A histogram of durations.
#[derive(Debug, Default)]
pub(crate) struct Histogram([Shard; SHARDS]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard {
    buckets: [AtomicU64; BUCKETS],
    sum_nanos: AtomicU64,
}

/// The contents of a histogram at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observed {
    /// Requests per bucket, not cumulative.
    pub(crate) buckets: [u64; BUCKETS],
    pub(crate) sum: Duration,
}

impl Histogram {
    pub(crate) fn observe(&self, duration: Duration) {
        let micros = duration.as_nanos().div_ceil(1_000);
        let bucket = BOUNDS_MICROS.partition_point(|bound| u128::from(*bound) < micros);
        let shard = &self.0[shard()];
        shard.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        shard.sum_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn observed(&self) -> Observed {
        let mut observed = Observed::default();
        for shard in &self.0 {
            for (total, bucket) in observed.buckets.iter_mut().zip(&shard.buckets) {
                *total += bucket.load(Ordering::Relaxed);
            }
            observed.sum += Duration::from_nanos(shard.sum_nanos.load(Ordering::Relaxed));
        }
        observed
    }
}

impl Observed {
    /// How many durations were observed.
    pub(crate) fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_falls_into_the_first_bucket_that_holds_it() {
        for (nanos, bucket) in [
            (0, 0),
            (25_000, 0),
            (25_001, 1),
            (100_000, 2),
            (10_000_000_000, BOUNDS_MICROS.len() - 1),
            (10_000_000_001, BOUNDS_MICROS.len()),
        ] {
            let histogram = Histogram::default();
            histogram.observe(Duration::from_nanos(nanos));
            let observed = histogram.observed();
            assert_eq!(observed.buckets[bucket], 1, "{nanos} ns");
            assert_eq!((observed.count(), observed.sum), (1, Duration::from_nanos(nanos)));
        }
    }
}
