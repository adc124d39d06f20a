//! What a runtime borrows from the world: clock, dice, keys and names.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use sortkey_storage::{Clock, SystemClock};

use crate::deploy::Naming;
use crate::keyring::{KeyError, KeyFile, Keyring, random};

/// Carries out a piece of work before it returns, wherever that disturbs least.
pub type Aside = Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// Settings of a runtime.
#[derive(Clone)]
pub struct Settings {
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where ids, tokens and random numbers come from.
    pub ids: Arc<Ids>,
    /// Who keeps the keys of encrypted attributes.
    pub keyring: Arc<dyn Keyring>,
    /// Seals cursors; runtimes that serve the same clients share it.
    pub cursor_key: [u8; 32],
    /// Stands before the deployed name of every table.
    pub table_prefix: Option<String>,
    /// The values of the design's parameters.
    pub parameters: BTreeMap<String, String>,
    /// How expensive `bcrypt` is: the logarithm of its rounds.
    pub bcrypt_cost: u32,
    /// Carries out what keeps a processor busy for long, a `bcrypt`. Where calls share the threads of an async runtime,
    /// it tells the runtime, so that other calls go on meanwhile.
    pub aside: Aside,
}

impl Settings {
    /// Settings with the machine's clock, and with keys that end with the process.
    pub fn ephemeral() -> Result<Settings, KeyError> {
        Ok(Settings {
            clock: Arc::new(SystemClock),
            ids: Arc::new(Ids::from_system()?),
            keyring: Arc::new(KeyFile::ephemeral()?),
            cursor_key: random()?,
            table_prefix: None,
            parameters: BTreeMap::new(),
            bcrypt_cost: 12,
            aside: Arc::new(|work| work()),
        })
    }

    /// How tables are called.
    pub fn naming(&self) -> Naming {
        Naming { prefix: self.table_prefix.clone(), parameters: self.parameters.clone() }
    }
}

/// A source of random bytes: the operating system's, or a seeded one that replays.
pub struct Ids {
    source: Source,
    /// The bits of the last ULID, so that the next one of the same millisecond comes behind it.
    last_ulid: Mutex<u128>,
}

enum Source {
    System(Box<Mutex<Pool>>),
    Seeded(Mutex<[u64; 4]>),
}

/// Bytes of the operating system, fetched by the page: asking for each id would cost more than the id.
struct Pool {
    bytes: [u8; 256],
    used: usize,
}

impl Pool {
    fn next(&mut self) -> Result<u64, KeyError> {
        if self.used == self.bytes.len() {
            self.bytes = random()?;
            self.used = 0;
        }
        let mut next = [0; 8];
        let taken = &mut self.bytes[self.used..self.used + 8];
        next.copy_from_slice(taken);
        // What was given out is nobody's to find here again.
        taken.fill(0);
        self.used += 8;
        Ok(u64::from_le_bytes(next))
    }
}

impl Ids {
    /// Bytes that nobody can guess.
    pub fn from_system() -> Result<Ids, KeyError> {
        // Fetched here already, so that a system without randomness is noticed at the start.
        let pool = Pool { bytes: random()?, used: 0 };
        Ok(Ids::of(Source::System(Box::new(Mutex::new(pool)))))
    }

    /// The same bytes for the same seed: for tests, never for secrets.
    pub fn seeded(seed: u64) -> Ids {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        Ids::of(Source::Seeded(Mutex::new([next(), next(), next(), next()])))
    }

    fn of(source: Source) -> Ids {
        Ids { source, last_ulid: Mutex::new(0) }
    }

    /// The next 64 bits.
    pub fn next(&self) -> Result<u64, KeyError> {
        match &self.source {
            Source::System(pool) => pool.lock().next(),
            Source::Seeded(state) => Ok(step(&mut state.lock())),
        }
    }
}

impl Ids {
    /// The 128 bits of a ULID: 48 of time, 80 of randomness. Within one millisecond each is greater than the one before, by
    /// a random amount, so that nobody can guess the next.
    pub(crate) fn ulid_bits(&self, now_ms: i64) -> Result<u128, KeyError> {
        let time = u128::from(now_ms.unsigned_abs() & 0xFFFF_FFFF_FFFF);
        let random = (u128::from(self.next()?) << 16 | u128::from(self.next()? & 0xFFFF)) & RANDOM;
        let mut last = self.last_ulid.lock();
        let bits = match *last >> 80 == time {
            true => (*last).saturating_add((random & 0xFFFF_FFFF_FFFF) + 1),
            // The first of a millisecond leaves room for others behind it.
            false => time << 80 | random >> 1,
        };
        *last = bits;
        Ok(bits)
    }
}

/// The random bits of a ULID.
const RANDOM: u128 = (1 << 80) - 1;

/// xoshiro256++.
fn step(state: &mut [u64; 4]) -> u64 {
    let [a, b, c, d] = *state;
    let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
    *state = [a ^ b ^ d, b ^ c ^ a, c ^ a ^ (b << 17), (d ^ b).rotate_left(45)];
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_random_number_comes_twice() {
        let ids = Ids::from_system().expect("a system with randomness");
        let mut all: Vec<u64> = (0..1_000).map(|_| ids.next().expect("random")).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 1_000);
    }
}
