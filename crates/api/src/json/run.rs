//! Runs of characters that need no escape in a string, found eight bytes at a time.

/// The bytes that a string cannot contain unescaped: quote, backslash and control characters.
const ENDS_RUN: [bool; 256] = {
    let mut ends = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        ends[control] = true;
        control += 1;
    }
    ends[b'"' as usize] = true;
    ends[b'\\' as usize] = true;
    ends
};

/// A byte in each of the eight places of a word.
const fn everywhere(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// How many bytes there are before the first that ends a run; all of them if none does.
pub(super) fn run_length(text: &[u8]) -> usize {
    let mut passed = 0;
    let (words, _) = text.as_chunks::<8>();
    for word in words {
        if ends_run(u64::from_ne_bytes(*word)) {
            break;
        }
        passed += word.len();
    }
    let rest = &text[passed..];
    passed + rest.iter().position(|&byte| ENDS_RUN[usize::from(byte)]).unwrap_or(rest.len())
}

/// Whether one of eight bytes ends a run. A byte less than `n` is one whose high bit appears when `n` is taken off and that
/// had none before; a byte equal to `n` is one that is less than 1 once `n` is taken out of it.
fn ends_run(word: u64) -> bool {
    let less = |word: u64, than: u8| word.wrapping_sub(everywhere(than)) & !word;
    let equal = |byte: u8| less(word ^ everywhere(byte), 1);
    (less(word, 0x20) | equal(b'"') | equal(b'\\')) & everywhere(0x80) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_end_where_a_byte_says_so(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let slowly = text.iter().position(|&byte| ENDS_RUN[usize::from(byte)]).unwrap_or(text.len());
            prop_assert_eq!(run_length(&text), slowly);
        }
    }

    #[test]
    fn every_byte_in_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut text = [b'a'; 20];
                text[at] = byte;
                let expected = if ENDS_RUN[usize::from(byte)] { at } else { text.len() };
                assert_eq!(run_length(&text), expected, "{byte:#x} at {at}");
            }
        }
    }
}
