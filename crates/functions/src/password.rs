//! Verifies passwords against stored hashes, made by this or by other libraries: argon2id and bcrypt.
//!
//! A stored hash contains its own cost parameters. Hashes are imported from elsewhere and may be written by users of a
//! design, so the cost is limited before anything is computed.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bcrypt_function::{BASE_64, bcrypt};
use sha2_for_hmac::{Digest as _, Sha256};
use thiserror::Error;

use crate::encoding::Encoding;
use crate::hmac::is_equal;

/// The longest password that is hashed. A longer one matches nothing.
pub const MAX_PASSWORD_BYTES: usize = 4096;

/// The longest stored hash.
const MAX_HASH_BYTES: usize = 512;

/// bcrypt reads 72 bytes, the last of which ends the password.
const BCRYPT_BYTES: usize = 72;

/// Bounds on the parameters of a stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The greatest cost of bcrypt: the logarithm of its rounds.
    pub bcrypt_cost: u32,
    /// The most memory of argon2id, in KiB.
    pub argon2_memory_kib: u32,
    /// The most passes of argon2id over that memory.
    pub argon2_passes: u32,
    /// The most lanes of argon2id.
    pub argon2_lanes: u32,
    /// The most memory times passes of argon2id, in KiB, which is how long it takes.
    pub argon2_work_kib: u32,
}

impl Default for Limits {
    /// A second or two of one processor: bcrypt 14, argon2id with 256 MiB and 1 GiB of work.
    fn default() -> Limits {
        Limits {
            bcrypt_cost: 14,
            argon2_memory_kib: 256 * 1024,
            argon2_passes: 16,
            argon2_lanes: 16,
            argon2_work_kib: 1024 * 1024,
        }
    }
}

/// Why a password cannot be compared with a stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HashError {
    /// Neither argon2id nor bcrypt.
    #[error("a stored password hash begins with `$argon2id$`, `$2a$`, `$2b$` or `$2y$`")]
    Unsupported,
    /// The hash is damaged.
    #[error("the stored password hash is malformed: expected {0}")]
    Malformed(&'static str),
    /// Checking it would take too long or too much memory.
    #[error("the stored password hash asks for more work than is allowed")]
    TooExpensive,
}

/// Whether a password is the one that a hash was made of. It takes as long as the hash asks for.
///
/// A password of more than 71 bytes is compared with bcrypt in two ways: digested first, as the function `bcrypt` of designs does, and cut,
/// as most libraries do.
pub fn matches(password: &[u8], hash: &str, limits: &Limits) -> Result<bool, HashError> {
    if hash.len() > MAX_HASH_BYTES {
        return Err(HashError::Malformed("at most 512 bytes"));
    }
    if let Some(rest) = hash.strip_prefix("$argon2id$") {
        let stored = StoredArgon2::read(rest)?.within(limits)?;
        return Ok(password.len() <= MAX_PASSWORD_BYTES && stored.matches(password)?);
    }
    let bcrypt = ["$2a$", "$2b$", "$2y$"].iter().find_map(|prefix| hash.strip_prefix(prefix));
    let stored = StoredBcrypt::read(bcrypt.ok_or(HashError::Unsupported)?, limits)?;
    Ok(password.len() <= MAX_PASSWORD_BYTES && stored.matches(password))
}

/// `v=19$m=65536,t=3,p=4$SALT$HASH`, in the order that the specification of the format gives.
struct StoredArgon2 {
    version: Version,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl StoredArgon2 {
    fn read(text: &str) -> Result<StoredArgon2, HashError> {
        const FORM: HashError = HashError::Malformed("$argon2id$v=19$m=KIB,t=PASSES,p=LANES$SALT$HASH");
        let parts: Vec<&str> = text.split('$').collect();
        let (version, parameters, salt, hash) = match parts.as_slice() {
            ["v=19", parameters, salt, hash] => (Version::V0x13, parameters, salt, hash),
            ["v=16", parameters, salt, hash] | [parameters, salt, hash] => {
                (Version::V0x10, parameters, salt, hash)
            }
            _ => return Err(FORM),
        };
        let parameters: Vec<&str> = parameters.split(',').collect();
        let [memory, passes, lanes] = parameters.as_slice() else { return Err(FORM) };
        let number = |text: &str, name: &str| {
            let digits = text.strip_prefix(name).filter(|digits| is_number(digits)).ok_or(FORM)?;
            digits.parse::<u32>().map_err(|_| FORM)
        };
        let bytes = |text: &str| STANDARD_NO_PAD.decode(text).map_err(|_| FORM);
        let stored = StoredArgon2 {
            version,
            memory_kib: number(memory, "m=")?,
            passes: number(passes, "t=")?,
            lanes: number(lanes, "p=")?,
            salt: bytes(salt)?,
            hash: bytes(hash)?,
        };
        // A short hash would be matched by many passwords.
        let sound = (8..=64).contains(&stored.salt.len()) && (16..=64).contains(&stored.hash.len());
        if sound { Ok(stored) } else { Err(FORM) }
    }

    fn within(self, limits: &Limits) -> Result<StoredArgon2, HashError> {
        let work = u64::from(self.memory_kib) * u64::from(self.passes);
        let within = self.memory_kib <= limits.argon2_memory_kib
            && self.passes <= limits.argon2_passes
            && self.lanes <= limits.argon2_lanes
            && work <= u64::from(limits.argon2_work_kib);
        if within { Ok(self) } else { Err(HashError::TooExpensive) }
    }

    fn matches(&self, password: &[u8]) -> Result<bool, HashError> {
        const COSTS: HashError = HashError::Malformed("costs that argon2id has");
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(self.hash.len()));
        let argon2 = Argon2::new(Algorithm::Argon2id, self.version, params.map_err(|_| COSTS)?);
        let mut computed = vec![0; self.hash.len()];
        argon2.hash_password_into(password, &self.salt, &mut computed).map_err(|_| COSTS)?;
        Ok(is_equal(&computed, &self.hash))
    }
}

/// `12$`, 22 characters of salt and 31 of hash.
struct StoredBcrypt {
    cost: u32,
    salt: [u8; 16],
    hash: Vec<u8>,
}

impl StoredBcrypt {
    fn read(text: &str, limits: &Limits) -> Result<StoredBcrypt, HashError> {
        const FORM: HashError = HashError::Malformed("$2b$COST$ and 53 characters");
        let (cost, rest) = text.split_once('$').ok_or(FORM)?;
        let cost: u32 = match cost.len() {
            2 if is_number(cost) || cost.starts_with('0') => cost.parse().map_err(|_| FORM)?,
            _ => return Err(FORM),
        };
        let (salt, hash) = rest.split_at_checked(22).ok_or(FORM)?;
        let salt = BASE_64.decode(salt).ok().and_then(|salt| salt.try_into().ok()).ok_or(FORM)?;
        let hash = BASE_64.decode(hash).ok().filter(|hash| hash.len() == 23).ok_or(FORM)?;
        match cost {
            0..4 | 32.. => Err(FORM),
            cost if cost > limits.bcrypt_cost => Err(HashError::TooExpensive),
            cost => Ok(StoredBcrypt { cost, salt, hash }),
        }
    }

    fn matches(&self, password: &[u8]) -> bool {
        if password.len() < BCRYPT_BYTES {
            return self.is_made_of(password);
        }
        let digest = Encoding::Hex.encode(&Sha256::digest(password));
        self.is_made_of(digest.as_bytes()) || self.is_made_of(password)
    }

    fn is_made_of(&self, password: &[u8]) -> bool {
        let ended = [password, &[0]].concat();
        let read = &ended[..ended.len().min(BCRYPT_BYTES)];
        // The function computes 24 bytes; the stored form leaves out the last one.
        is_equal(&bcrypt(self.cost, self.salt, read)[..23], &self.hash)
    }
}

/// Digits without a zero in front.
fn is_number(text: &str) -> bool {
    (1..=10).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}
