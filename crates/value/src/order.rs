//! Sorting, and maps made of pairs, for code whose size counts.
//!
//! The standard library sorts fast, with several kilobytes of code for every type that is sorted, and a map that is made of
//! pairs sorts them. On WebAssembly, where every kilobyte delays a cold start and lists are short, one function
//! sorts places for all types. Results are the same: both sorts are stable.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sorts a list; what compares equal keeps its order.
pub fn sort_by<T>(list: &mut [T], compare: impl FnMut(&T, &T) -> Ordering) {
    #[cfg(not(target_arch = "wasm32"))]
    list.sort_by(compare);
    #[cfg(target_arch = "wasm32")]
    sort_by_places(list, compare);
}

/// Sorts a list by the order of its type.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// A map of some pairs; of two with one key, the later one counts.
pub fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    #[cfg(not(target_arch = "wasm32"))]
    return pairs.into_iter().collect();
    #[cfg(target_arch = "wasm32")]
    {
        let mut map = BTreeMap::new();
        map.extend(pairs);
        map
    }
}

/// Sorts the places of a list, and then moves its elements there.
#[cfg(any(target_arch = "wasm32", test))]
fn sort_by_places<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut places = places(list.len(), &mut |left, right| compare(&list[left], &list[right]).is_gt());
    for at in 0..list.len() {
        let mut from = places[at];
        // What was there before has been swapped away, perhaps more than once.
        while from < at {
            from = places[from];
        }
        places[at] = from;
        list.swap(at, from);
    }
}

/// The places of the elements of a sorted list, merged from runs that double in length.
#[cfg(any(target_arch = "wasm32", test))]
fn places(length: usize, is_behind: &mut dyn FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length).collect();
    let mut merged = places.clone();
    let mut run = 1;
    while run < length {
        let mut start = 0;
        while start < length {
            let (middle, end) = (length.min(start + run), length.min(start + 2 * run));
            let (mut left, mut right) = (start, middle);
            for slot in &mut merged[start..end] {
                let is_right = left == middle || (right < end && is_behind(places[left], places[right]));
                let next = if is_right { &mut right } else { &mut left };
                *slot = places[*next];
                *next += 1;
            }
            start = end;
        }
        std::mem::swap(&mut places, &mut merged);
        run *= 2;
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_sorted_as_the_standard_library_sorts(list in proptest::collection::vec(0_u8..20, 0..70)) {
            let mut ours: Vec<(u8, usize)> = list.into_iter().enumerate().map(|(at, each)| (each, at)).collect();
            let mut theirs = ours.clone();
            sort_by_places(&mut ours, |left, right| left.0.cmp(&right.0));
            theirs.sort_by_key(|each| each.0);
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn the_later_of_two_pairs_counts() {
        assert_eq!(map([(1, "a"), (0, "b"), (1, "c")]), BTreeMap::from([(0, "b"), (1, "c")]));
    }
}
