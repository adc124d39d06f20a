//! Sets of characters.

/// A set of characters: ranges of code points in order, none of which touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alphabet(Vec<(u32, u32)>);

/// The last code point.
const LAST: u32 = char::MAX as u32;

/// Characters that read well as examples of a set.
const READABLE: [char; 3] = ['1', 'a', '#'];

impl Alphabet {
    /// Every character.
    pub fn any() -> Alphabet {
        Alphabet(vec![(0, LAST)])
    }

    /// No character.
    pub fn none() -> Alphabet {
        Alphabet(Vec::new())
    }

    /// The characters of a text.
    pub fn of(text: &str) -> Alphabet {
        Alphabet::ranges(text.chars().map(|c| (c, c)))
    }

    /// The characters of some ranges.
    pub fn ranges(ranges: impl IntoIterator<Item = (char, char)>) -> Alphabet {
        Alphabet::joined(ranges.into_iter().map(|(low, high)| (low as u32, high as u32)).collect())
    }

    /// `0` to `9`.
    pub fn digits() -> Alphabet {
        Alphabet::ranges([('0', '9')])
    }

    /// Letters, digits, `_` and `-`, of ASCII.
    pub fn word() -> Alphabet {
        Alphabet::ranges([('0', '9'), ('A', 'Z'), ('a', 'z'), ('_', '_'), ('-', '-')])
    }

    /// Everything but spaces and control characters.
    pub fn printing() -> Alphabet {
        let hidden = (0..=0x3000).filter_map(char::from_u32).filter(|c| c.is_whitespace() || c.is_control());
        Alphabet::any().without(hidden)
    }

    /// Whether a character belongs to it.
    pub fn contains(&self, character: char) -> bool {
        let code = character as u32;
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&code))
    }

    /// The characters of both.
    pub fn or(&self, other: &Alphabet) -> Alphabet {
        Alphabet::joined(self.0.iter().chain(&other.0).copied().collect())
    }

    /// All characters but these.
    pub fn not(&self) -> Alphabet {
        let mut found = Vec::new();
        let mut next = 0;
        for (low, high) in &self.0 {
            if *low > next {
                found.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= LAST {
            found.push((next, LAST));
        }
        Alphabet(found)
    }

    /// The set without some characters.
    pub fn without(&self, characters: impl IntoIterator<Item = char>) -> Alphabet {
        let gone = Alphabet::ranges(characters.into_iter().map(|c| (c, c)));
        self.not().or(&gone).not()
    }

    /// The character that sorts first.
    pub fn least(&self) -> Option<char> {
        self.0.first().and_then(|(low, _)| char::from_u32(*low))
    }

    /// A character of both sets, one that reads well if there is a choice.
    pub fn common(&self, other: &Alphabet) -> Option<char> {
        let readable = READABLE.into_iter().find(|c| self.contains(*c) && other.contains(*c));
        readable.or_else(|| {
            let overlaps = self.0.iter().flat_map(|(a, b)| {
                other.0.iter().filter_map(move |(c, d)| (a.max(c) <= b.min(d)).then_some(*a.max(c)))
            });
            overlaps.filter_map(char::from_u32).next()
        })
    }

    fn joined(mut ranges: Vec<(u32, u32)>) -> Alphabet {
        ranges.retain(|(low, high)| low <= high);
        sortkey_value::order::sort(&mut ranges);
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match joined.last_mut() {
                Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
                _ => joined.push((low, high)),
            }
        }
        Alphabet(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_cut_and_turned_round() {
        let letters = Alphabet::ranges([('n', 'z'), ('a', 'm')]);
        assert_eq!(letters, Alphabet::ranges([('a', 'z')]));
        assert_eq!(letters.not().not(), letters);
        assert!(!letters.without(['q']).contains('q'));
        assert_eq!(letters.common(&Alphabet::of("XYz")), Some('z'));
        assert_eq!(letters.common(&letters.not()), None);
        assert_eq!(Alphabet::any().not(), Alphabet::none());
        assert_eq!(letters.least(), Some('a'));
        assert!(Alphabet::printing().contains('é') && !Alphabet::printing().contains('\u{2003}'));
    }
}
