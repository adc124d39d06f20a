//! What a runtime borrows from the world: clock, dice, keys and names.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use sortkey_storage::{Clock, SystemClock};

use crate::deploy::Naming;
use crate::keyring::{KeyError, KeyFile, Keyring, random};

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
        })
    }

    /// How tables are called.
    pub fn naming(&self) -> Naming {
        Naming { prefix: self.table_prefix.clone(), parameters: self.parameters.clone() }
    }
}

/// A source of random bytes: the operating system's, or a seeded one that replays.
pub struct Ids(Option<Mutex<[u64; 4]>>);

impl Ids {
    /// Bytes that nobody can guess.
    pub fn from_system() -> Result<Ids, KeyError> {
        // Asked once here, so that a system without randomness is noticed at the start.
        random::<8>().map(|_| Ids(None))
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
        Ids(Some(Mutex::new([next(), next(), next(), next()])))
    }

    /// The next 64 bits.
    pub fn next(&self) -> Result<u64, KeyError> {
        match &self.0 {
            None => random().map(u64::from_le_bytes),
            Some(state) => Ok(step(&mut state.lock())),
        }
    }
}

/// xoshiro256++.
fn step(state: &mut [u64; 4]) -> u64 {
    let [a, b, c, d] = *state;
    let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
    *state = [a ^ b ^ d, b ^ c ^ a, c ^ a ^ (b << 17), (d ^ b).rotate_left(45)];
    result
}
