//! A call as a message, and a call under way, for a host that can hold Rust values.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{
    Answer, Arguments, Ask, AskId, Call, Caller, Consumed, Core, Failure, Fault, Ids, RECORDED_BYTES, Step,
    Task,
};

use crate::answers::{Kind, told};
use crate::opening::hex;
use crate::turns::turned;

/// A call under way. It is stepped until it is over; its host answers the asks in between.
pub struct StartedCall {
    task: Task,
    /// Asks that are not answered.
    asked: Vec<(u32, Kind)>,
}

impl StartedCall {
    /// Starts the call of a message.
    pub fn start(core: &Core, message: &[u8]) -> Result<StartedCall, Failure> {
        let task = started(core, Arguments::read(message)?)?;
        Ok(StartedCall { task, asked: Vec::new() })
    }

    /// Runs the call until it waits or is over. Returns its asks since the last run, and the message of its end.
    pub fn step(&mut self) -> (Vec<(AskId, Ask)>, Option<Vec<u8>>) {
        let step = self.task.step();
        let asks = self.task.take_asks();
        self.asked.extend(asks.iter().map(|(id, ask)| (id.0, Kind::of(ask))));
        match step {
            Step::Waiting => (asks, None),
            Step::Ready((answer, consumed)) => {
                (asks, Some(finished(answer, consumed, false).to_string().into_bytes()))
            }
        }
    }

    /// Answers an ask: an HTTP status and a body for a request, 200 and bytes for anything else. False if it was not asked.
    pub fn answer(&mut self, ask: u32, status: u16, body: &[u8]) -> bool {
        let Some(at) = self.asked.iter().position(|(id, _)| *id == ask) else { return false };
        let (_, kind) = self.asked.swap_remove(at);
        self.task.answer(AskId(ask), told(kind, status, body));
        true
    }
}

/// Starts the call of a message: at its moment, and with the ids of a recorded call where it names some.
pub(crate) fn started(core: &Core, mut message: Arguments) -> Result<Task, Failure> {
    let mut number = |name: &str| message.take(name).and_then(|value| value.as_i64());
    let now_ms = number("now").ok_or_else(|| lacks("now", "milliseconds since 1970"))?;
    let limit = number("limit").and_then(|limit| u32::try_from(limit).ok());
    let version = number("version");
    let repeats = message.take("repeats").and_then(|it| it.as_bool()).unwrap_or(false);
    if let Some(turn) = message.take("turn") {
        let worker = message.text("worker").ok_or_else(|| lacks("worker", "the name of a worker"))?;
        return Ok(core.work(worker, turned(&turn)?, now_ms, repeats));
    }
    let arguments = message.take_object("arguments").unwrap_or_default();
    let caller = match message.take("caller").filter(|caller| !caller.is_null()) {
        Some(Json::Object(attributes)) => Some(Caller::unchecked(attributes)),
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
    Ok(match message.text("recorded") {
        None => core.start(call, now_ms, repeats),
        Some(text) => {
            let ids = hex::<RECORDED_BYTES>(text).map(Ids::recorded);
            let ids = ids.ok_or_else(|| lacks("recorded", "the 96 hexadecimal digits of a recorded call"))?;
            core.replay(call, now_ms, repeats, ids)
        }
    })
}

/// The outcome of a call, as a message. `has_doubles`: whether the host's numbers are doubles.
pub(crate) fn finished(answer: Result<Answer, Failure>, consumed: Consumed, has_doubles: bool) -> Json {
    let mut wide = Vec::new();
    let mut widen = |json: &mut Json, place: &str| {
        if has_doubles {
            widen(json, place, &mut wide);
        }
    };
    let mut message = Map::new();
    match answer {
        Ok(Answer::Nothing) => drop(message.insert("value".to_owned(), Json::Null)),
        Ok(Answer::Value(mut value)) => {
            widen(&mut value, "value");
            message.insert("value".to_owned(), value);
        }
        Ok(Answer::Page { mut items, cursor }) => {
            items.iter_mut().enumerate().for_each(|(at, item)| widen(item, &format!("items.{at}")));
            message.insert("items".to_owned(), items.into());
            message.insert("cursor".to_owned(), cursor.into());
        }
        Err(failure) => drop(message.insert("failure".to_owned(), failed(&failure))),
    }
    let Consumed { requests, rcu, wcu } = consumed;
    message.insert("consumed".to_owned(), json!({ "requests": requests, "rcu": rcu, "wcu": wcu }));
    if !wide.is_empty() {
        message.insert("wide".to_owned(), wide.into());
    }
    Json::Object(message)
}

/// The largest integer below which a double holds each one.
const MOST_EXACT: u64 = (1 << 53) - 1;

/// Makes text of integers that a double would round, and remembers where they are. An answer is no deeper than an item.
pub(crate) fn widen(json: &mut Json, place: &str, wide: &mut Vec<String>) {
    match json {
        Json::Number(number) if number.as_i64().is_some_and(|it| it.unsigned_abs() > MOST_EXACT) => {
            *json = Json::String(number.to_string());
            wide.push(place.to_owned());
        }
        Json::Array(members) => {
            members.iter_mut().enumerate().for_each(|(at, each)| widen(each, &format!("{place}.{at}"), wide));
        }
        Json::Object(members) => {
            members.iter_mut().for_each(|(name, each)| widen(each, &format!("{place}.{name}"), wide));
        }
        _ => {}
    }
}

/// A failure as a message.
pub fn failed(failure: &Failure) -> Json {
    let mut message =
        json!({ "kind": failure.kind.name(), "message": failure.message, "field": failure.field });
    if !failure.faults.is_empty() {
        let fault = |each: &Fault| json!({ "field": each.field, "message": each.message });
        message["faults"] = failure.faults.iter().map(fault).collect();
    }
    message
}

pub(crate) fn lacks(name: &str, expected: &str) -> Failure {
    let mut message = String::new();
    let _ = write!(message, "`{name}`: expected {expected}");
    Failure::invalid(name, message)
}
