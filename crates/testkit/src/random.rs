//! Randomness that a seed replays.

/// A splitmix64 generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// A number that [`Random::below`] counts up to.
pub trait Limit: Copy {
    /// As 64 bits; a limit is not negative.
    fn to_bits(self) -> u64;
    /// Back from 64 bits, which are below a limit of the same type.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! limits {
    ($($number:ty),*) => { $(
        impl Limit for $number {
            fn to_bits(self) -> u64 { self as u64 }
            fn from_bits(bits: u64) -> $number { bits as $number }
        }
    )* };
}

limits!(i32, i64, u32, u64, usize);

impl Random {
    /// Begins at a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Begins at `SORTKEY_SEED`, which is printed, so that a failure can be repeated.
    #[allow(clippy::print_stdout)]
    pub fn from_environment() -> Random {
        let seed = number_from_environment("SORTKEY_SEED", 1);
        println!("SORTKEY_SEED={seed}");
        Random(seed)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)] // An iterator would have no end, and every use would unwrap.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; 0 if the limit is 0.
    pub fn below<N: Limit>(&mut self, limit: N) -> N {
        N::from_bits(self.next() % limit.to_bits().max(1))
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below(most - least + 1)
    }

    /// Whether something happens that does so in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some values, which must not be empty.
    pub fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }

    /// Some of the values, each at most once, in random order.
    pub fn some<T: Clone>(&mut self, values: &[T], count: usize) -> Vec<T> {
        let mut left = values.to_vec();
        (0..count.min(left.len())).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }

    /// Some bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// A number that an environment variable overrides.
pub fn number_from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
