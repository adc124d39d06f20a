//! Channels of events that clients follow while they happen: the parts of an answer that is still being made, a notification.
//!
//! A channel is a name that a design computes. It exists while a client follows it or an event was sent lately, and holds
//! the last events, so that a client that comes back with `Last-Event-ID` misses none. Channels belong to one process:
//! nothing is stored, so data that must not be lost has to be an item.
//!
//! Invariant: whatever clients do, there are at most [`MAX_CHANNELS`] channels, and a channel holds at most [`MAX_HELD_BYTES`].

use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value as Json;
use tokio::sync::mpsc;

/// How many channels there may be.
const MAX_CHANNELS: usize = 10_000;

/// How many clients may follow at a time, all channels together.
const MAX_FOLLOWERS: usize = 4_096;

/// The maximum size of the events that a channel holds.
const MAX_HELD_BYTES: usize = 256 * 1024;

/// How many events may wait for a client before it is disconnected. It can come back and ask for those it missed.
const MAX_WAITING: usize = 1_024;

/// How long a channel without followers is kept.
const HELD_FOR: Duration = Duration::from_secs(300);

/// For how long a client follows before it has to ask again, and is authorised again.
const FOLLOWS_FOR: Duration = Duration::from_secs(600);

/// An empty line, which reveals whether a client is gone.
const COMMENT: &[u8] = b":\n\n";

/// The channels of a process.
#[derive(Debug, Default)]
pub struct Live {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    channels: HashMap<String, Channel>,
    followers: usize,
    is_closed: bool,
}

#[derive(Debug)]
struct Channel {
    /// The id of the last event.
    last: u64,
    /// The last events, each with its id.
    held: VecDeque<(u64, Vec<u8>)>,
    held_bytes: usize,
    followers: Vec<Follower>,
    touched: Instant,
}

#[derive(Debug)]
struct Follower {
    events: mpsc::Sender<io::Result<Vec<u8>>>,
    since: Instant,
}

/// No further client can follow now: there are too many followers or channels, or the server is closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many clients follow events: try again later")]
pub struct Full;

impl Live {
    /// Sends an event to the followers of a channel. Without a name, its type for clients is `message`.
    pub fn publish(&self, channel: &str, name: Option<&str>, data: &Json) {
        let mut state = self.state.lock();
        let Ok(channel) = state.channel(channel) else { return };
        channel.last += 1;
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        // JSON text has no line ends, so one line of data is the whole event.
        let event = format!("id: {}\n{name}data: {data}\n\n", channel.last).into_bytes();
        channel.send(&event);
        channel.held_bytes += event.len();
        channel.held.push_back((channel.last, event));
        while channel.held_bytes > MAX_HELD_BYTES {
            let Some((_, oldest)) = channel.held.pop_front() else { break };
            channel.held_bytes -= oldest.len();
        }
        state.count_followers();
    }

    /// The events of a channel from now on, after those that it holds from behind an id.
    pub fn follow(
        &self,
        channel: &str,
        behind: Option<u64>,
    ) -> Result<mpsc::Receiver<io::Result<Vec<u8>>>, Full> {
        let mut state = self.state.lock();
        if state.is_closed || state.followers >= MAX_FOLLOWERS {
            return Err(Full);
        }
        let channel = state.channel(channel)?;
        let (events, receiver) = mpsc::channel(MAX_WAITING);
        // The comment makes servers and proxies in between send the head of the answer.
        let _ = events.try_send(Ok(COMMENT.to_vec()));
        // An id of another process may lie ahead of this channel; its client missed everything that is held.
        let behind = behind.map(|id| if id > channel.last { 0 } else { id });
        for (_, event) in channel.held.iter().filter(|(id, _)| behind.is_some_and(|behind| *id > behind)) {
            let _ = events.try_send(Ok(event.clone()));
        }
        channel.followers.push(Follower { events, since: Instant::now() });
        state.followers += 1;
        Ok(receiver)
    }

    /// Drops clients that are gone or have followed for long, and unused channels. To be called every few seconds.
    pub fn tidy(&self) {
        let mut state = self.state.lock();
        for channel in state.channels.values_mut() {
            channel.followers.retain(|follower| follower.since.elapsed() < FOLLOWS_FOR);
            channel.send(COMMENT);
        }
        state.channels.retain(|_, channel| channel.is_needed());
        state.count_followers();
    }

    /// Ends all answers, so that the server can shut down.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.channels.clear();
        state.followers = 0;
    }
}

impl State {
    fn channel(&mut self, name: &str) -> Result<&mut Channel, Full> {
        if !self.channels.contains_key(name) {
            if self.channels.len() >= MAX_CHANNELS {
                self.channels.retain(|_, channel| !channel.followers.is_empty());
            }
            if self.is_closed || self.channels.len() >= MAX_CHANNELS {
                return Err(Full);
            }
        }
        let channel = self.channels.entry(name.to_owned()).or_insert_with(Channel::new);
        channel.touched = Instant::now();
        Ok(channel)
    }

    fn count_followers(&mut self) {
        self.followers = self.channels.values().map(|channel| channel.followers.len()).sum();
    }
}

impl Channel {
    fn new() -> Channel {
        Channel {
            last: 0,
            held: VecDeque::new(),
            held_bytes: 0,
            followers: Vec::new(),
            touched: Instant::now(),
        }
    }

    /// Sends bytes to all followers; one whose queue is full, or who is gone, is dropped.
    fn send(&mut self, bytes: &[u8]) {
        self.followers.retain(|follower| follower.events.try_send(Ok(bytes.to_vec())).is_ok());
    }

    fn is_needed(&self) -> bool {
        !self.followers.is_empty() || self.touched.elapsed() < HELD_FOR
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The events that a follower has been sent so far.
    fn sent(events: &mut mpsc::Receiver<io::Result<Vec<u8>>>) -> String {
        let mut text = String::new();
        while let Ok(Ok(event)) = events.try_recv() {
            text.push_str(&String::from_utf8_lossy(&event));
        }
        text
    }

    #[test]
    fn events_reach_those_who_follow_their_channel() {
        let live = Live::default();
        let mut one = live.follow("one", None).expect("room");
        let mut other = live.follow("other", None).expect("room");
        live.publish("one", None, &json!({ "text": "a\nb" }));
        live.publish("one", Some("done"), &json!({}));
        assert_eq!(
            sent(&mut one),
            ":\n\nid: 1\ndata: {\"text\":\"a\\nb\"}\n\nid: 2\nevent: done\ndata: {}\n\n"
        );
        assert_eq!(sent(&mut other), ":\n\n");
    }

    #[test]
    fn a_client_that_comes_back_gets_what_it_missed() {
        let live = Live::default();
        for number in 1..=3 {
            live.publish("one", None, &json!(number));
        }
        let missed = |behind| sent(&mut live.follow("one", behind).expect("room"));
        assert_eq!(missed(Some(1)), ":\n\nid: 2\ndata: 2\n\nid: 3\ndata: 3\n\n");
        assert_eq!(missed(None), ":\n\n");
        assert_eq!(missed(Some(99)), ":\n\nid: 1\ndata: 1\n\nid: 2\ndata: 2\n\nid: 3\ndata: 3\n\n");
    }

    #[test]
    fn what_a_channel_holds_and_what_waits_for_a_client_is_bounded() {
        let live = Live::default();
        let mut slow = live.follow("one", None).expect("room");
        let large = json!("x".repeat(1_000));
        for _ in 0..2_000 {
            live.publish("one", None, &large);
        }
        let state = live.state.lock();
        assert!(state.channels["one"].held_bytes <= MAX_HELD_BYTES);
        assert_eq!(state.followers, 0, "a client that reads nothing is cut off");
        drop(state);
        assert!(sent(&mut slow).len() < 2_000 * 1_000);
    }

    #[test]
    fn a_closed_process_ends_its_answers() {
        let live = Live::default();
        let mut events = live.follow("one", None).expect("room");
        live.close();
        sent(&mut events);
        assert_eq!(events.try_recv().err(), Some(mpsc::error::TryRecvError::Disconnected));
        assert_eq!(live.follow("one", None).err(), Some(Full));
    }
}
