//! Eight clients read, write and compare-and-set three items that they share, and the process is killed again and again.
//! The recorded history of every item must be one that a single, uninterrupted register could have produced: some order
//! of the calls that respects who was finished before whom. A call that was under way when the process died has happened
//! before that, or never.
//!
//! `SORTKEY_HISTORIES=40` sets how many kills, `SORTKEY_SEED` the run. The short form is five.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod support;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::json;
use support::database::Database;
use support::workload::{BULK as TABLE, say};
use support::{Random, child, number_from_environment, scratch};

const CLIENTS: u64 = 8;
const ITEMS: u64 = 3;
const SEED: &str = "SORTKEY_CLIENTS_SEED";

/// The value of a register; absent before the first write.
type State = Option<u64>;

#[derive(Clone, Copy, Debug)]
enum Call {
    Read,
    Write(u64),
    /// Writes the second, if the first is there.
    CompareAndSet(u64, u64),
}

/// The answer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Value(State),
    Done,
    Refused,
}

/// A call with its place in the order of events.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    call: Call,
    /// Unknown if the process died first.
    answer: Option<Answer>,
    began: usize,
    ended: usize,
}

#[test]
fn histories_are_linearizable_across_kills() {
    let kills = number_from_environment("SORTKEY_HISTORIES", 5);
    let mut random = Random::from_environment();
    let directory = scratch();
    let path = directory.path().join("database");
    let mut histories: HashMap<u64, Vec<Recorded>> = HashMap::new();
    let mut time = 0;
    for _ in 0..kills {
        let seed = random.next().to_string();
        let (mut process, mut pipe) = child::spawn("clients", &path, 0, &[], |command| {
            command.env(SEED, seed);
        });
        let reader = std::thread::spawn(move || child::lines(&mut pipe).collect::<Vec<_>>());
        std::thread::sleep(Duration::from_millis(100 + random.below(300)));
        process.kill().unwrap();
        process.wait().unwrap();
        let mut open: HashMap<u64, (u64, Recorded)> = HashMap::new();
        for line in reader.join().unwrap() {
            time += 1;
            hear(&line, time, &mut open, &mut histories);
        }
        time += 1;
        for (item, recorded) in open.into_values() {
            histories.entry(item).or_default().push(Recorded { ended: time, ..recorded });
        }
    }
    let calls: usize = histories.values().map(Vec::len).sum();
    println!("{kills} kills, {calls} calls on {ITEMS} items");
    assert!(calls > 0);
    for (item, history) in histories {
        assert!(is_linearizable(&history), "the history of item {item} has no order: {history:?}");
    }
}

/// A line is `call <client> <item> <call>` or `answer <client> <answer>`.
fn hear(
    line: &str,
    time: usize,
    open: &mut HashMap<u64, (u64, Recorded)>,
    histories: &mut HashMap<u64, Vec<Recorded>>,
) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| words[at].parse::<u64>().unwrap();
    match words.first() {
        Some(&"call") => {
            let call = match words[3] {
                "read" => Call::Read,
                "write" => Call::Write(number(4)),
                _ => Call::CompareAndSet(number(4), number(5)),
            };
            let recorded = Recorded { call, answer: None, began: time, ended: 0 };
            open.insert(number(1), (number(2), recorded));
        }
        Some(&"answer") => {
            let answer = match words[2] {
                "done" => Answer::Done,
                "refused" => Answer::Refused,
                "none" => Answer::Value(None),
                _ => Answer::Value(Some(number(2))),
            };
            let (item, recorded) = open.remove(&number(1)).unwrap();
            let recorded = Recorded { answer: Some(answer), ended: time, ..recorded };
            histories.entry(item).or_default().push(recorded);
        }
        _ => {}
    }
}

impl Call {
    /// The call's change to a register, and its answer.
    fn apply(self, state: State) -> (State, Answer) {
        match self {
            Call::Read => (state, Answer::Value(state)),
            Call::Write(value) => (Some(value), Answer::Done),
            Call::CompareAndSet(from, to) if state == Some(from) => (Some(to), Answer::Done),
            Call::CompareAndSet(..) => (state, Answer::Refused),
        }
    }
}

/// Searches for an order (Wing and Gong): the next call is one that began before all others that are left had ended. Pairs of
/// what is done and what the register holds are not tried twice.
fn is_linearizable(history: &[Recorded]) -> bool {
    let mut calls: Vec<Recorded> = history.to_vec();
    calls.sort_by_key(|call| call.began);
    let mut seen = HashSet::new();
    let mut stack = vec![(Done { before: 0, beyond: Vec::new() }, None)];
    while let Some((done, state)) = stack.pop() {
        if done.before == calls.len() {
            return true;
        }
        if !seen.insert((done.clone(), state)) {
            continue;
        }
        // A call that began after another had ended is not next; nor is any call behind it.
        let mut first_end = usize::MAX;
        let mut next = Vec::new();
        for at in (done.before..calls.len()).filter(|at| !done.beyond.contains(at)) {
            if calls[at].began > first_end {
                break;
            }
            first_end = first_end.min(calls[at].ended);
            next.push(at);
        }
        for at in next.into_iter().filter(|at| calls[*at].began < first_end) {
            let (after, answer) = calls[at].call.apply(state);
            match calls[at].answer {
                Some(given) if given != answer => {}
                Some(_) => stack.push((done.with(at), after)),
                // It happened, or it never did.
                None => stack.extend([(done.with(at), after), (done.with(at), state)]),
            }
        }
    }
    false
}

/// Calls that have their place in the order: all before one, and some beyond.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Done {
    before: usize,
    beyond: Vec<usize>,
}

impl Done {
    fn with(&self, call: usize) -> Done {
        let mut done = self.clone();
        done.beyond.push(call);
        done.beyond.sort_unstable();
        while done.beyond.first() == Some(&done.before) {
            done.beyond.remove(0);
            done.before += 1;
        }
        done
    }
}

#[test]
fn the_checker_tells_histories_apart() {
    let call = |call, answer, began, ended| Recorded { call, answer, began, ended };
    let value = |value| Some(Answer::Value(value));
    let done = Some(Answer::Done);
    let write = call(Call::Write(1), done, 1, 4);
    for (expected, history) in [
        (true, vec![write, call(Call::Read, value(None), 2, 3)]),
        (true, vec![write, call(Call::Read, value(Some(1)), 2, 3)]),
        (false, vec![write, call(Call::Read, value(None), 5, 6)]),
        (false, vec![write, call(Call::Read, value(Some(1)), 2, 3), call(Call::Read, value(None), 5, 6)]),
        (
            true,
            vec![write, call(Call::CompareAndSet(1, 2), done, 5, 6), call(Call::Read, value(Some(2)), 7, 8)],
        ),
        (false, vec![write, call(Call::CompareAndSet(1, 2), Some(Answer::Refused), 5, 6)]),
        // A call that died with its process may have happened, but not afterwards.
        (true, vec![write, call(Call::Write(2), None, 5, 6), call(Call::Read, value(Some(2)), 7, 8)]),
        (true, vec![write, call(Call::Write(2), None, 5, 6), call(Call::Read, value(Some(1)), 7, 8)]),
        (
            false,
            vec![
                write,
                call(Call::Write(2), None, 5, 6),
                call(Call::Read, value(Some(1)), 7, 8),
                call(Call::Read, value(Some(2)), 9, 10),
            ],
        ),
    ] {
        assert_eq!(is_linearizable(&history), expected, "{history:?}");
    }
}

/// Not a test: what the killed process does.
#[test]
fn clients() {
    let seed = number_from_environment(SEED, 0);
    child::play(|database| {
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                scope.spawn(move || run_client(database, client, Random::new(seed ^ client << 32)));
            }
        });
    });
}

/// Prints its next step, carries it out, and prints the result.
fn run_client(database: &Database, client: u64, mut random: Random) {
    let mut last_seen = 0;
    loop {
        let item = random.below(ITEMS);
        // No value is written twice.
        let value = random.next() >> 12;
        let call = match random.below(4) {
            0 | 1 => Call::Read,
            2 => Call::Write(value),
            _ => Call::CompareAndSet(last_seen, value),
        };
        match call {
            Call::Read => say(&format!("call {client} {item} read\n")),
            Call::Write(value) => say(&format!("call {client} {item} write {value}\n")),
            Call::CompareAndSet(from, to) => say(&format!("call {client} {item} set {from} {to}\n")),
        }
        let answer = perform(database, item, call);
        if let Answer::Value(Some(value)) = answer {
            last_seen = value;
        }
        match answer {
            Answer::Value(Some(value)) => say(&format!("answer {client} {value}\n")),
            Answer::Value(None) => say(&format!("answer {client} none\n")),
            Answer::Done => say(&format!("answer {client} done\n")),
            Answer::Refused => say(&format!("answer {client} refused\n")),
        }
    }
}

fn perform(database: &Database, item: u64, call: Call) -> Answer {
    let key = json!({ "pk": { "S": format!("register{item}") } });
    let set = |value: u64| {
        let mut item = key.clone();
        item["value"] = json!({ "N": value.to_string() });
        json!({ "TableName": TABLE, "Item": item })
    };
    match call {
        Call::Read => {
            let input = json!({ "TableName": TABLE, "Key": key, "ConsistentRead": true });
            let found = database.call("GetItem", &input).unwrap();
            Answer::Value(found["Item"]["value"]["N"].as_str().map(|value| value.parse().unwrap()))
        }
        Call::Write(value) => {
            database.call("PutItem", &set(value)).unwrap();
            Answer::Done
        }
        Call::CompareAndSet(from, to) => {
            let mut input = set(to);
            input["ConditionExpression"] = json!("#value = :from");
            input["ExpressionAttributeNames"] = json!({ "#value": "value" });
            input["ExpressionAttributeValues"] = json!({ ":from": { "N": from.to_string() } });
            match database.call("PutItem", &input) {
                Ok(_) => Answer::Done,
                Err(error) if error.message.contains("conditional request failed") => Answer::Refused,
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}
