//! Mutations of seeds, in the way of a fuzzer but without its feedback: close enough to right to get past the first check.

/// A source of choices that one seed repeats.
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(seed: u64) -> Choices {
        Choices(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % end
    }

    pub(crate) fn of<'a, T: ?Sized>(&mut self, options: &[&'a T]) -> &'a T {
        options[self.below(options.len())]
    }

    /// A range within `length`, often short.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = (length - start).min(1 << self.below(6));
        start..start + self.below(most + 1)
    }
}

/// One of the seeds with some mutations.
pub(crate) fn mutated(seeds: &[&str], tokens: &[&str], choices: &mut Choices) -> Vec<u8> {
    let mut bytes = choices.of(seeds).as_bytes().to_vec();
    for _ in 0..choices.below(6) {
        mutate(&mut bytes, seeds, tokens, choices);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[&str], tokens: &[&str], choices: &mut Choices) {
    let place = choices.range(bytes.len());
    match choices.below(7) {
        // Another byte.
        0 => {
            if let Some(byte) = bytes.get_mut(place.start) {
                *byte = u8::try_from(choices.below(256)).unwrap_or(0);
            }
        }
        // Something less.
        1 => drop(bytes.drain(place)),
        // Something twice.
        2 => {
            let piece = bytes[place.clone()].to_vec();
            bytes.splice(place.start..place.start, piece);
        }
        // Something very often: depth, and length.
        3 => {
            let piece = bytes[place.clone()].repeat(1 << choices.below(12));
            bytes.splice(place.start..place.start, piece.into_iter().take(1 << 16));
        }
        // A word of the language, instead of what was there or beside it.
        4 => drop(bytes.splice(place, choices.of(tokens).bytes())),
        5 => drop(bytes.splice(place.start..place.start, choices.of(tokens).bytes())),
        // A piece of another seed.
        _ => {
            let other = choices.of(seeds).as_bytes();
            let piece = choices.range(other.len());
            bytes.splice(place, other[piece].iter().copied());
        }
    }
}
