//! Tasks by number, for hosts that cannot hold a Rust value: the bindings of other languages.
//!
//! One machine holds several programs, a design before and after a migration for example.

use crate::Core;
use crate::ask::{Ask, AskId, Told};
use crate::task::{Step, Task};

/// Programs, and the calls under way on them.
#[derive(Default)]
pub struct Machine {
    programs: Vec<Core>,
    /// In the order of their numbers. There are as many as calls under way, so a list is searched as fast as a map.
    tasks: Vec<(u32, Box<Task>)>,
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
        self.tasks.push((number, Box::new(task)));
        number
    }

    /// Runs a task until it waits, and returns what it asks for since it was last run; none without such a task. A task that
    /// is over is forgotten.
    pub fn step(&mut self, number: u32) -> Option<(Step, Vec<(AskId, Ask)>)> {
        let at = self.place(number)?;
        let task = &mut self.tasks[at].1;
        let step = task.step();
        let asks = task.take_asks();
        if matches!(step, Step::Ready(_)) {
            self.tasks.remove(at);
        }
        Some((step, asks))
    }

    /// Brings an answer to a task; false without such a task.
    pub fn answer(&mut self, number: u32, id: AskId, told: Told) -> bool {
        let found = self.place(number);
        found.map(|at| self.tasks[at].1.answer(id, told)).is_some()
    }

    /// Cancels a task; false without such a task. Requests that it has sent are not undone.
    pub fn cancel(&mut self, number: u32) -> bool {
        self.place(number).map(|at| self.tasks.remove(at)).is_some()
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.tasks.iter().position(|(each, _)| *each == number)
    }
}
