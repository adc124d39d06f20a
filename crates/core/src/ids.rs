//! The one source of randomness: a stream of ChaCha12 that a seed begins.
//!
//! The seed is an argument. Where secrets are made, the edge takes it from the operating system; a test takes a number, and
//! replays.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use parking_lot::Mutex;

use crate::keyring::KeyError;

/// Random bits and ULIDs. Calls that run side by side share one.
pub struct Ids(Mutex<State>);

struct State {
    stream: ChaCha12Rng,
    /// The bits of the last ULID, so that the next one of the same millisecond comes behind it.
    last_ulid: u128,
}

impl Ids {
    /// A stream that nobody can guess who does not have its seed.
    pub fn from_seed(seed: [u8; 32]) -> Ids {
        Ids(Mutex::new(State { stream: ChaCha12Rng::from_seed(seed), last_ulid: 0 }))
    }

    /// The same bits for the same number: for tests, never for secrets.
    pub fn seeded(seed: u64) -> Ids {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Ids::from_seed(bytes)
    }

    /// The next 64 bits.
    pub fn next(&self) -> Result<u64, KeyError> {
        Ok(self.0.lock().stream.next_u64())
    }

    /// Random bytes.
    pub fn bytes<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        self.0.lock().stream.fill_bytes(&mut bytes);
        bytes
    }

    /// The 128 bits of a ULID: 48 of time, 80 of randomness. Within one millisecond each is greater than the one before, by
    /// a random amount, so that nobody can guess the next.
    pub(crate) fn ulid_bits(&self, now_ms: i64) -> Result<u128, KeyError> {
        let time = u128::from(now_ms.unsigned_abs() & 0xFFFF_FFFF_FFFF);
        let mut state = self.0.lock();
        let mut next = || u128::from(state.stream.next_u64());
        let random = (next() << 16 | next() & 0xFFFF) & RANDOM;
        let bits = match state.last_ulid >> 80 == time {
            true => state.last_ulid.saturating_add((random & 0xFFFF_FFFF_FFFF) + 1),
            // The first of a millisecond leaves room for others behind it.
            false => time << 80 | random >> 1,
        };
        state.last_ulid = bits;
        Ok(bits)
    }
}

/// The random bits of a ULID.
const RANDOM: u128 = (1 << 80) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_replays_and_another_does_not() {
        let all = |seed| -> Vec<u64> {
            let ids = Ids::seeded(seed);
            (0..1_000).map(|_| ids.next().expect("random")).collect()
        };
        assert_eq!(all(7), all(7));
        let mut both = [all(7), all(8)].concat();
        both.sort_unstable();
        both.dedup();
        assert_eq!(both.len(), 2_000);
    }
}
