//! Tasks by number, for hosts that cannot hold a Rust value: the bindings of other languages.
//!
//! One machine holds several programs, a design before and after a migration for example.

use std::collections::BTreeMap;

use crate::Core;
use crate::ask::{Ask, AskId, Told};
use crate::task::{Step, Task};

/// Programs, and the calls under way on them.
#[derive(Default)]
pub struct Machine {
    programs: Vec<Core>,
    tasks: BTreeMap<u32, Task>,
    /// Numbers are not used twice, so that a late answer cannot reach another call.
    started: u32,
}

impl Machine {
    /// Adds a program, and returns its number.
    pub fn add(&mut self, core: Core) -> usize {
        self.programs.push(core);
        self.programs.len() - 1
    }

    /// A program by its number.
    pub fn program(&self, number: usize) -> Option<&Core> {
        self.programs.get(number)
    }

    /// Adds a call that was started on one of the programs, and returns the number of its task.
    pub fn start(&mut self, task: Task) -> u32 {
        let number = self.started;
        self.started = self.started.wrapping_add(1);
        self.tasks.insert(number, task);
        number
    }

    /// Runs a task until it waits, and returns what it asks for since it was last run; none without such a task. A task that
    /// is over is forgotten.
    pub fn step(&mut self, number: u32) -> Option<(Step, Vec<(AskId, Ask)>)> {
        let task = self.tasks.get_mut(&number)?;
        let step = task.step();
        let asks = task.take_asks();
        if matches!(step, Step::Ready(_)) {
            self.tasks.remove(&number);
        }
        Some((step, asks))
    }

    /// Brings an answer to a task; false without such a task.
    pub fn answer(&mut self, number: u32, id: AskId, told: Told) -> bool {
        let found = self.tasks.get_mut(&number);
        found.map(|task| task.answer(id, told)).is_some()
    }

    /// Cancels a task; false without such a task. Requests that it has sent are not undone.
    pub fn cancel(&mut self, number: u32) -> bool {
        self.tasks.remove(&number).is_some()
    }
}
