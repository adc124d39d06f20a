//! The protocol: programs are opened, calls are started, stepped, answered and given up.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sortkey_api::decode_output;
use sortkey_api::operations::GetItemOutput;
use sortkey_core::{Answer, Arguments, AskId, Call, Consumed, Failure, FailureKind, Fault, Machine, Step};

use crate::answers::{Kind, told};
use crate::asks::write_ask;
use crate::opening::opened;

/// Programs and the calls under way on them, behind messages.
#[derive(Default)]
pub struct Host {
    machine: Machine,
    /// What was asked and is not answered, by task and ask.
    asked: BTreeMap<(u32, u32), Kind>,
}

impl Host {
    /// Opens a program, and returns its number; or says why not.
    pub fn open(&mut self, message: &[u8]) -> Result<u32, String> {
        let number = self.machine.add(opened(message)?);
        u32::try_from(number).map_err(|_| "too many programs are open".to_owned())
    }

    /// Starts a call, and returns the number of its task.
    pub fn start(&mut self, message: &[u8]) -> Result<u32, Failure> {
        let mut message = Arguments::read(message)?;
        let mut number = |name: &str| message.take(name).and_then(|value| value.as_i64());
        let program = number("program").and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        let now_ms = number("now").ok_or_else(|| lacks("now", "milliseconds since 1970"))?;
        let limit = number("limit").and_then(|limit| u32::try_from(limit).ok());
        let version = number("version");
        let repeats = message.take("repeats").and_then(|it| it.as_bool()).unwrap_or(false);
        let arguments = message.take_object("arguments").unwrap_or_default();
        let caller = message.take("caller").filter(|caller| !caller.is_null());
        let core = self.machine.program(program).ok_or_else(|| {
            Failure::new(FailureKind::Invalid, format!("`program`: no program {program} is open"))
        })?;
        let caller = match caller {
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
        let started = self.machine.start(program, call, now_ms, repeats);
        started.ok_or_else(|| Failure::internal("the program is not open"))
    }

    /// The change of a stream record: `{"entity", "item", "before"}`, or `{}` of what is nobody's.
    pub fn change(&self, message: &[u8]) -> Result<Json, Failure> {
        let message: Json = serde_json::from_slice(message).map_err(|_| lacks("change", "JSON"))?;
        let number = |name: &str| message[name].as_i64();
        let program = number("program").and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        let core = self.machine.program(program).ok_or_else(|| lacks("program", "one that is open"))?;
        let now_ms = number("now").ok_or_else(|| lacks("now", "milliseconds since 1970"))?;
        let table = message["table"].as_str().ok_or_else(|| lacks("table", "the name of a table"))?;
        let mut change = Map::new();
        for (image, name) in [("new", "item"), ("old", "before")] {
            if message[image].is_null() {
                continue;
            }
            let body = json!({ "Item": message[image] }).to_string();
            let output: GetItemOutput =
                decode_output(body.as_bytes()).map_err(|_| lacks(image, "an item of DynamoDB"))?;
            let Some((entity, mut item)) = core.shown(table, &output.item.unwrap_or_default(), now_ms)?
            else {
                continue;
            };
            widen(&mut item, name, &mut Vec::new());
            change.insert("entity".to_owned(), entity.into());
            change.insert(name.to_owned(), item);
        }
        Ok(Json::Object(change))
    }

    /// Runs a task until it waits or is over, and writes what it asks for or what it came to; none without such a task. True
    /// if it is over.
    pub fn step(&mut self, task: u32, out: &mut Vec<u8>) -> Option<bool> {
        let (step, asks) = self.machine.step(task)?;
        out.extend(b"{\"asks\":[");
        for (at, (id, ask)) in asks.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            self.asked.insert((task, id.0), Kind::of(ask));
            write_ask(*id, ask, out);
        }
        out.push(b']');
        let is_over = match step {
            Step::Waiting => false,
            Step::Ready((answer, consumed)) => {
                out.extend(b",\"done\":");
                out.extend(finished(answer, consumed).to_string().into_bytes());
                self.forget(task);
                true
            }
        };
        out.push(b'}');
        Some(is_over)
    }

    /// Answers what a task asked: an HTTP status and a body for a request, 200 and bytes for anything else. False if it was
    /// not asked.
    pub fn answer(&mut self, task: u32, ask: u32, status: u16, body: &[u8]) -> bool {
        match self.asked.remove(&(task, ask)) {
            Some(kind) => self.machine.answer(task, AskId(ask), told(kind, status, body)),
            None => false,
        }
    }

    /// Gives a task up; false without such a task. What it has sent is sent.
    pub fn cancel(&mut self, task: u32) -> bool {
        self.forget(task);
        self.machine.cancel(task)
    }

    fn forget(&mut self, task: u32) {
        self.asked.retain(|(of, _), _| *of != task);
    }
}

/// What a call came to, as a message.
fn finished(answer: Result<Answer, Failure>, consumed: Consumed) -> Json {
    let mut wide = Vec::new();
    let mut message = match answer {
        Ok(Answer::Nothing) => Map::from_iter([("value".to_owned(), Json::Null)]),
        Ok(Answer::Value(mut value)) => {
            widen(&mut value, "value", &mut wide);
            Map::from_iter([("value".to_owned(), value)])
        }
        Ok(Answer::Page { mut items, cursor }) => {
            items
                .iter_mut()
                .enumerate()
                .for_each(|(at, item)| widen(item, &format!("items.{at}"), &mut wide));
            Map::from_iter([("items".to_owned(), items.into()), ("cursor".to_owned(), cursor.into())])
        }
        Err(failure) => Map::from_iter([("failure".to_owned(), failed(&failure))]),
    };
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
fn widen(json: &mut Json, place: &str, wide: &mut Vec<String>) {
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
pub(crate) fn failed(failure: &Failure) -> Json {
    let mut message =
        json!({ "kind": failure.kind.name(), "message": failure.message, "field": failure.field });
    if !failure.faults.is_empty() {
        let fault = |each: &Fault| json!({ "field": each.field, "message": each.message });
        message["faults"] = failure.faults.iter().map(fault).collect();
    }
    message
}

fn lacks(name: &str, expected: &str) -> Failure {
    let mut message = String::new();
    let _ = write!(message, "`{name}`: expected {expected}");
    Failure::invalid(name, message)
}
