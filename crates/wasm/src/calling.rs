//! A call as a message, and one call under way: what a host that can hold Rust values steps and answers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Answer, Arguments, Ask, AskId, Call, Consumed, Core, Failure, Step, Task};

use crate::answers::{Kind, told};

/// A call under way. It is stepped until it is over; what it asks in between is answered by its host.
pub struct Calling {
    task: Task,
    /// What was asked and is not answered.
    asked: BTreeMap<u32, Kind>,
}

impl Calling {
    /// Starts the call of a message.
    pub fn start(core: &Core, message: &[u8]) -> Result<Calling, Failure> {
        let task = with_call(core, Arguments::read(message)?, |call, now_ms, repeats| {
            core.start(call, now_ms, repeats)
        })?;
        Ok(Calling { task, asked: BTreeMap::new() })
    }

    /// Runs the call until it waits or is over: what it asks since it was last run, and the message of its end.
    pub fn step(&mut self) -> (Vec<(AskId, Ask)>, Option<Vec<u8>>) {
        let step = self.task.step();
        let asks = self.task.take_asks();
        self.asked.extend(asks.iter().map(|(id, ask)| (id.0, Kind::of(ask))));
        match step {
            Step::Waiting => (asks, None),
            Step::Ready((answer, consumed)) => {
                (asks, Some(finished(answer, consumed).to_string().into_bytes()))
            }
        }
    }

    /// Answers an ask: an HTTP status and a body for a request, 200 and bytes for anything else. False if it was not asked.
    pub fn answer(&mut self, ask: u32, status: u16, body: &[u8]) -> bool {
        let kind = self.asked.remove(&ask);
        kind.map(|kind| self.task.answer(AskId(ask), told(kind, status, body))).is_some()
    }
}

/// Reads a message that starts a call, and passes it on with its moment and with whether the host repeats requests.
pub(crate) fn with_call<T>(
    core: &Core,
    mut message: Arguments,
    start: impl FnOnce(Call<'_>, i64, bool) -> T,
) -> Result<T, Failure> {
    let mut number = |name: &str| message.take(name).and_then(|value| value.as_i64());
    let now_ms = number("now").ok_or_else(|| lacks("now", "milliseconds since 1970"))?;
    let limit = number("limit").and_then(|limit| u32::try_from(limit).ok());
    let version = number("version");
    let repeats = message.take("repeats").and_then(|it| it.as_bool()).unwrap_or(false);
    let arguments = message.take_object("arguments").unwrap_or_default();
    let caller = match message.take("caller").filter(|caller| !caller.is_null()) {
        Some(Json::Object(attributes)) => Some(core.caller(attributes, now_ms)?),
        Some(_) => return Err(lacks("caller", "an object")),
        None => None,
    };
    let call = Call {
        name: message.text("name").ok_or_else(|| lacks("name", "a pattern or an operation"))?,
        caller: caller.as_ref(),
        arguments,
        cursor: message.text("cursor"),
        limit,
        version,
    };
    Ok(start(call, now_ms, repeats))
}

/// What a call came to, as a message.
pub(crate) fn finished(answer: Result<Answer, Failure>, consumed: Consumed) -> Json {
    let mut message = match answer {
        Ok(Answer::Nothing) => Map::from_iter([("value".to_owned(), Json::Null)]),
        Ok(Answer::Value(value)) => Map::from_iter([("value".to_owned(), value)]),
        Ok(Answer::Page { items, cursor }) => {
            Map::from_iter([("items".to_owned(), items.into()), ("cursor".to_owned(), cursor.into())])
        }
        Err(failure) => Map::from_iter([("failure".to_owned(), failed(&failure))]),
    };
    let Consumed { requests, rcu, wcu } = consumed;
    message.insert("consumed".to_owned(), json!({ "requests": requests, "rcu": rcu, "wcu": wcu }));
    Json::Object(message)
}

/// A failure as a message.
pub fn failed(failure: &Failure) -> Json {
    json!({ "kind": failure.kind.name(), "message": failure.message, "field": failure.field })
}

fn lacks(name: &str, expected: &str) -> Failure {
    let mut message = String::new();
    let _ = write!(message, "`{name}`: expected {expected}");
    Failure::invalid(name, message)
}
