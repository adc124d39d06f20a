//! The protocol: programs are opened, calls are started, stepped, answered and given up.

use serde_json::Value as Json;
use sortkey_core::{Arguments, AskId, Failure, FailureKind, Machine, Step};

use crate::answers::{Kind, told};
use crate::asks::write_ask;
use crate::calling::{finished, lacks, started};
use crate::changes::change;
use crate::opening::opened;

/// Programs and the calls under way on them, behind messages.
#[derive(Default)]
pub struct Host {
    machine: Machine,
    /// Asks that are not answered, by task and ask.
    asked: Vec<(u32, u32, Kind)>,
}

impl Host {
    /// Opens a program, and returns its number, or the reason why it cannot be opened.
    pub fn open(&mut self, message: &[u8]) -> Result<u32, String> {
        let number = self.machine.add(opened(message)?);
        u32::try_from(number).map_err(|_| "too many programs are open".to_owned())
    }

    /// Starts a call, and returns the number of its task.
    pub fn start(&mut self, message: &[u8]) -> Result<u32, Failure> {
        let mut message = Arguments::read(message)?;
        let program = message.take("program").and_then(|value| value.as_i64());
        let program = program.and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        let core = self.machine.program(program).cloned().ok_or_else(|| {
            Failure::new(FailureKind::Invalid, format!("`program`: no program {program} is open"))
        })?;
        Ok(self.machine.start(started(&core, message)?))
    }

    /// The change of a stream record: `{"entity", "item", "before"}`, or `{}` if it belongs to no entity.
    pub fn change(&self, message: &[u8]) -> Result<Json, Failure> {
        let message: Json = serde_json::from_slice(message).map_err(|_| lacks("change", "JSON"))?;
        let program = message["program"].as_i64().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        let core = self.machine.program(program).ok_or_else(|| lacks("program", "one that is open"))?;
        change(core, &message, true)
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
            self.asked.push((task, id.0, Kind::of(ask)));
            write_ask(*id, ask, out);
        }
        out.push(b']');
        let is_over = match step {
            Step::Waiting => false,
            Step::Ready((answer, consumed)) => {
                out.extend(b",\"done\":");
                out.extend(finished(answer, consumed, true).to_string().into_bytes());
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
        let Some(at) = self.asked.iter().position(|(of, id, _)| (*of, *id) == (task, ask)) else {
            return false;
        };
        let (_, _, kind) = self.asked.swap_remove(at);
        self.machine.answer(task, AskId(ask), told(kind, status, body))
    }

    /// Cancels a task; false without such a task. Requests that it has sent are not undone.
    pub fn cancel(&mut self, task: u32) -> bool {
        self.forget(task);
        self.machine.cancel(task)
    }

    fn forget(&mut self, task: u32) {
        self.asked.retain(|(of, ..)| *of != task);
    }
}
