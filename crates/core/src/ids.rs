//! The one source of randomness: a stream of ChaCha12 that a seed begins.
//!
//! The seed is an argument. For secrets, it is taken from the operating system; a test passes a number,
//! which makes it repeatable.

use std::sync::Arc;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use parking_lot::Mutex;

use crate::keyring::KeyError;

/// Random bits and ULIDs. Calls that run side by side share one.
pub struct Ids {
    stream: Mutex<Stream>,
    /// The bits of the last ULID, so that the next one of the same millisecond comes behind it. Forks share it.
    last_ulid: Arc<Mutex<u128>>,
}

struct Stream {
    seed: [u8; 32],
    bits: ChaCha12Rng,
    /// The ULIDs of a fork, so that it replays although others have made ULIDs meanwhile.
    ulids: Option<Vec<u128>>,
    /// How many ULIDs were made since the stream began.
    made: usize,
}

/// The bytes that a recorded call replays its ids from: a seed, and the ULID before.
pub const RECORDED_BYTES: usize = 48;

/// The stream that was left for the one of a call.
pub struct Entered(Stream);

impl Ids {
    /// A stream that nobody can guess who does not have its seed.
    pub fn from_seed(seed: [u8; 32]) -> Ids {
        Ids::of(seed, None, Arc::default())
    }

    /// Equal bits for equal numbers: for tests, never for secrets.
    pub fn seeded(seed: u64) -> Ids {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Ids::from_seed(bytes)
    }

    /// A stream of its own, which can begin again.
    pub(crate) fn fork(&self) -> Ids {
        Ids::of(self.bytes(), Some(Vec::new()), Arc::clone(&self.last_ulid))
    }

    /// The stream of a recorded call: what [`enter`](Ids::enter) returned.
    pub fn recorded(recorded: [u8; RECORDED_BYTES]) -> Ids {
        let mut seed = [0; 32];
        seed.copy_from_slice(&recorded[..32]);
        let mut last = [0; 16];
        last.copy_from_slice(&recorded[32..]);
        Ids::of(seed, Some(Vec::new()), Arc::new(Mutex::new(u128::from_be_bytes(last))))
    }

    /// Goes on with a stream of its own for one call, so that the call can be replayed by itself. Returns what
    /// [`recorded`](Ids::recorded) makes the same stream of; [`leave`](Ids::leave) goes back.
    pub fn enter(&self) -> ([u8; RECORDED_BYTES], Entered) {
        let seed: [u8; 32] = self.bytes();
        let mut recorded = [0; RECORDED_BYTES];
        recorded[..32].copy_from_slice(&seed);
        recorded[32..].copy_from_slice(&self.last_ulid.lock().to_be_bytes());
        let stream = Stream { seed, bits: ChaCha12Rng::from_seed(seed), ulids: None, made: 0 };
        (recorded, Entered(std::mem::replace(&mut *self.stream.lock(), stream)))
    }

    /// Goes back to the stream that was left.
    pub fn leave(&self, entered: Entered) {
        *self.stream.lock() = entered.0;
    }

    fn of(seed: [u8; 32], ulids: Option<Vec<u128>>, last_ulid: Arc<Mutex<u128>>) -> Ids {
        let stream = Stream { seed, bits: ChaCha12Rng::from_seed(seed), ulids, made: 0 };
        Ids { stream: Mutex::new(stream), last_ulid }
    }

    /// Begins a fork again: the same bits and the same ULIDs follow.
    pub(crate) fn rewind(&self) {
        let mut stream = self.stream.lock();
        stream.bits = ChaCha12Rng::from_seed(stream.seed);
        stream.made = 0;
    }

    /// The next 64 bits.
    pub fn next(&self) -> Result<u64, KeyError> {
        Ok(self.stream.lock().bits.next_u64())
    }

    /// Random bytes.
    pub fn bytes<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        self.stream.lock().bits.fill_bytes(&mut bytes);
        bytes
    }

    /// The 128 bits of a ULID: 48 of time, 80 of randomness. Within one millisecond each is greater than the one before, by
    /// a random amount, so that nobody can guess the next.
    pub(crate) fn ulid_bits(&self, now_ms: i64) -> Result<u128, KeyError> {
        let time = u128::from(now_ms.unsigned_abs() & 0xFFFF_FFFF_FFFF);
        let mut stream = self.stream.lock();
        let mut next = || u128::from(stream.bits.next_u64());
        let random = (next() << 16 | next() & 0xFFFF) & RANDOM;
        stream.made += 1;
        let made = stream.made;
        if let Some(again) = stream.ulids.as_ref().and_then(|ulids| ulids.get(made - 1)) {
            return Ok(*again);
        }
        let mut last = self.last_ulid.lock();
        let bits = match *last >> 80 == time {
            true => last.saturating_add((random & 0xFFFF_FFFF_FFFF) + 1),
            // The first of a millisecond leaves room for others behind it.
            false => time << 80 | random >> 1,
        };
        *last = bits;
        if let Some(ulids) = &mut stream.ulids {
            ulids.push(bits);
        }
        Ok(bits)
    }
}

/// The random bits of a ULID.
const RANDOM: u128 = (1 << 80) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_replays_whatever_others_do_meanwhile() {
        let ids = Ids::seeded(7);
        let fork = ids.fork();
        let run = || (fork.next(), fork.ulid_bits(5), fork.ulid_bits(5), fork.bytes::<4>());
        let first = run();
        let between = ids.ulid_bits(5).expect("random");
        assert!(first.2.clone().is_ok_and(|last| last < between));
        fork.rewind();
        assert_eq!(run(), first);
        assert!(fork.ulid_bits(5).is_ok_and(|next| next > between));
    }

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
