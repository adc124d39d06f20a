//! Dice that fall the same way in every run.

/// A xorshift generator: plenty for choosing keys.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Dice of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}
