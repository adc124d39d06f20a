//! The progress of the runs for the records of a stream.
//!
//! Runs end in any order. The place of a shard is the last record before the first one that is not done, so all records
//! before a place were run, and those behind it may be run again after a crash.

use std::collections::{BTreeMap, VecDeque};

use sortkey_value::{AttributeValue, Item, Map};

/// The place after the end of a shard.
const END: &str = "end";

/// The attributes of the note.
const AT: &str = "at";
const WHO: &str = "who";
const AHEAD: &str = "ahead";

/// The places of all shards, for all workers that follow the stream.
#[derive(Default)]
pub(super) struct Places {
    shards: BTreeMap<String, Shard>,
    /// The places of workers that have run records which others have not: a worker that is new to the design begins with
    /// the oldest record of the stream.
    ahead: BTreeMap<String, BTreeMap<String, String>>,
    open: usize,
}

/// The place of one shard.
#[derive(Default)]
struct Shard {
    place: Option<String>,
    /// Records behind the place that were read, in order, and how many runs of each are left.
    open: VecDeque<(String, usize)>,
    /// The number of the first of them.
    first: usize,
    /// Whether there are no others.
    is_read: bool,
}

/// One record that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    shard: String,
    number: usize,
}

impl Places {
    /// Reads the places in a note, for these workers.
    pub(super) fn of(note: &Item, workers: &[&str]) -> Places {
        let mut at = texts(note.get(AT).map(|value| value.to_owned()));
        let mut ahead: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        if let Some(AttributeValue::M(map)) = note.get(AHEAD).map(|value| value.to_owned()) {
            ahead.extend(map.iter().map(|(name, places)| (name.clone(), texts(Some(places.clone())))));
        }
        let known: Vec<String> = texts(note.get(WHO).map(|value| value.to_owned())).into_keys().collect();
        let is_known = |name: &str| known.iter().any(|each| each == name);
        if !known.is_empty() && !workers.iter().all(|name| is_known(name)) {
            for name in known.iter().filter(|name| workers.contains(&name.as_str())) {
                ahead.entry(name.clone()).or_insert_with(|| at.clone());
            }
            at.clear();
        }
        ahead.retain(|name, _| workers.contains(&name.as_str()));
        let shards = at.into_iter().map(|(id, place)| {
            let is_read = place == END;
            (id, Shard { place: Some(place), is_read, ..Shard::default() })
        });
        Places { shards: shards.collect(), ahead, open: 0 }
    }

    /// The attributes of the note.
    pub(super) fn says(&self, workers: &[&str]) -> Vec<(&'static str, AttributeValue)> {
        let at = self.shards.iter().filter_map(|(id, shard)| Some((id.clone(), shard.place.clone()?)));
        let who = workers.iter().map(|name| ((*name).to_owned(), String::new()));
        let ahead = self.ahead.iter().map(|(name, places)| (name.clone(), map(places.clone().into_iter())));
        let ahead: Map = ahead.collect();
        vec![(AT, map(at)), (WHO, map(who)), (AHEAD, AttributeValue::M(ahead))]
    }

    /// Whether a worker has run a record before.
    pub(super) fn has_run(&self, worker: &str, shard: &str, at: &str) -> bool {
        let place = self.ahead.get(worker).and_then(|places| places.get(shard));
        place.is_some_and(|place| place == END || order(at) <= order(place))
    }

    /// Records that a record was read, which starts so many runs.
    pub(super) fn begin(&mut self, shard: &str, at: String, runs: usize) -> Mark {
        let found = self.shards.entry(shard.to_owned()).or_default();
        let number = found.first + found.open.len();
        found.open.push_back((at, runs));
        self.open += 1;
        if runs == 0 {
            self.advance(shard);
        }
        Mark { shard: shard.to_owned(), number }
    }

    /// Records that a run of a record is done.
    pub(super) fn done(&mut self, mark: &Mark) {
        let Some(shard) = self.shards.get_mut(&mark.shard) else { return };
        let at = mark.number.checked_sub(shard.first).and_then(|at| shard.open.get_mut(at));
        let Some((_, runs)) = at else { return };
        *runs = runs.saturating_sub(1);
        self.advance(&mark.shard);
    }

    /// Records that the last record of a shard was read.
    pub(super) fn end(&mut self, shard: &str) {
        self.shards.entry(shard.to_owned()).or_default().is_read = true;
        self.advance(shard);
    }

    fn advance(&mut self, id: &str) {
        let Some(shard) = self.shards.get_mut(id) else { return };
        while let Some((at, _)) = shard.open.pop_front_if(|(_, runs)| *runs == 0) {
            shard.first += 1;
            shard.place = Some(at);
            self.open -= 1;
        }
        if shard.is_read && shard.open.is_empty() {
            shard.place = Some(END.to_owned());
        }
        // Workers that were ahead of this place have been caught up with.
        if let Some(place) = &shard.place {
            for places in self.ahead.values_mut() {
                if places
                    .get(id)
                    .is_some_and(|ahead| place == END || (ahead != END && order(ahead) <= order(place)))
                {
                    places.remove(id);
                }
            }
            self.ahead.retain(|_, places| !places.is_empty());
        }
    }

    /// Forgets shards that the stream has forgotten.
    pub(super) fn retain(&mut self, is_listed: impl Fn(&str) -> bool) {
        let keeps = |id: &str, shard: &Shard| is_listed(id) || !shard.open.is_empty();
        self.shards.retain(|id, shard| keeps(id, shard));
        for places in self.ahead.values_mut() {
            places.retain(|id, _| is_listed(id));
        }
        self.ahead.retain(|_, places| !places.is_empty());
    }

    /// Whether every record of a shard is done.
    pub(super) fn is_over(&self, shard: &str) -> bool {
        self.shards.get(shard).is_some_and(|shard| shard.place.as_deref() == Some(END))
    }

    /// Whether no record of a shard is left to be read.
    pub(super) fn is_read_to_the_end(&self, shard: &str) -> bool {
        self.shards.get(shard).is_some_and(|shard| shard.is_read)
    }

    /// The place of a shard; none at its beginning.
    pub(super) fn place_of(&self, shard: &str) -> Option<String> {
        self.shards.get(shard)?.place.clone()
    }

    /// How many records were read and are not done, or wait for one that is not.
    pub(super) fn open(&self) -> usize {
        self.open
    }
}

/// Sequence numbers are decimal and may differ in length.
fn order(number: &str) -> (usize, &str) {
    (number.len(), number)
}

fn texts(value: Option<AttributeValue>) -> BTreeMap<String, String> {
    let Some(AttributeValue::M(map)) = value else { return BTreeMap::new() };
    let text = |value: &AttributeValue| match value {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    };
    map.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

fn map(texts: impl Iterator<Item = (String, String)>) -> AttributeValue {
    let map: Map = texts.map(|(name, text)| (name, AttributeValue::S(text))).collect();
    AttributeValue::M(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(places: &Places, workers: &[&str]) -> Item {
        let says = places.says(workers).into_iter();
        says.map(|(name, value)| (name.to_owned(), value)).collect::<Map>().into()
    }

    #[test]
    fn a_place_is_the_last_record_before_the_first_that_is_not_done() {
        let mut places = Places::default();
        let marks: Vec<Mark> = ["8", "9", "10"].map(|at| places.begin("s", at.to_owned(), 1)).into();
        places.begin("s", "11".to_owned(), 0);
        places.done(&marks[1]);
        assert_eq!((places.place_of("s"), places.open()), (None, 4));
        places.done(&marks[0]);
        assert_eq!((places.place_of("s").as_deref(), places.open()), (Some("9"), 2));
        places.end("s");
        assert!(places.is_read_to_the_end("s") && !places.is_over("s"));
        places.done(&marks[2]);
        assert!(places.is_over("s"));
    }

    #[test]
    fn a_record_is_done_when_all_its_runs_are() {
        let mut places = Places::default();
        let mark = places.begin("s", "1".to_owned(), 2);
        places.done(&mark);
        assert_eq!(places.place_of("s"), None);
        places.done(&mark);
        assert_eq!(places.place_of("s").as_deref(), Some("1"));
    }

    #[test]
    fn a_note_says_the_places() {
        let mut places = Places::default();
        places.begin("s", "7".to_owned(), 0);
        places.end("t");
        let read = Places::of(&note(&places, &["a"]), &["a"]);
        assert_eq!(read.place_of("s").as_deref(), Some("7"));
        assert!(read.is_over("t"));
        assert!(!read.has_run("a", "s", "7"), "what lies before the place is not read again");
    }

    #[test]
    fn a_new_worker_begins_with_what_the_stream_holds_and_others_run_nothing_twice() {
        let mut places = Places::default();
        places.begin("s", "10".to_owned(), 0);
        places.end("t");
        let mut read = Places::of(&note(&places, &["a"]), &["a", "b"]);
        assert_eq!((read.place_of("s"), read.is_over("t")), (None, false));
        assert!(read.has_run("a", "s", "9") && read.has_run("a", "t", "99") && !read.has_run("a", "s", "11"));
        assert!(!read.has_run("b", "s", "9"));
        // It is remembered while it lasts.
        read.begin("s", "9".to_owned(), 0);
        let mut read = Places::of(&note(&read, &["a", "b"]), &["a", "b"]);
        assert!(read.has_run("a", "s", "10") && !read.has_run("b", "s", "10"));
        read.begin("s", "10".to_owned(), 0);
        read.end("t");
        assert!(read.ahead.is_empty());
    }
}
