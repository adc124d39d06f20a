//! Randomness of the operating system.

use sortkey_core::{Ids, KeyError};

/// Bytes from the operating system.
pub fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], KeyError> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)
        .map_err(|error| KeyError(format!("the operating system has no random bytes to give: {error}")))?;
    Ok(bytes)
}

/// Ids that nobody can guess: their seed is the operating system's.
pub fn random_ids() -> Result<Ids, KeyError> {
    random().map(Ids::from_seed)
}
