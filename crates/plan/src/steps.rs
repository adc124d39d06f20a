//! The requests of an operation, one by one, as people read them.

use sortkey_design::program::{OperationId, Program};

use crate::cost::Cost;
use crate::flow::Flow;
use crate::request::Request;
use crate::write::operation_script;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The request's name.
    pub request: &'static str,
    /// A description of each item it reads or writes.
    pub items: Vec<String>,
    /// Requests and units.
    pub cost: Cost,
    /// How often it is made.
    pub repeat: Repeat,
    /// Whether it may be spared.
    pub sometimes: bool,
}

/// How often a request is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Once.
    #[default]
    Once,
    /// Once for each of some things; the units are those of one.
    Each(String),
    /// Only after this error.
    After(String),
}

/// The requests of an operation in their order.
pub fn steps(program: &Program, operation: OperationId) -> Vec<Step> {
    let script = operation_script(program, operation);
    let mut steps = Steps::default();
    steps.add(&script.body, &Repeat::Once, false);
    if let Some(receipt) = &script.receipt {
        steps.add(receipt, &Repeat::After("a failure".to_owned()), false);
    }
    for (error, flow) in &script.handlers {
        steps.add(flow, &Repeat::After(program.errors[*error].to_string()), false);
    }
    steps.0
}

#[derive(Default)]
struct Steps(Vec<Step>);

impl Steps {
    /// A flow nests no deeper than the statements and expressions it is made of.
    fn add(&mut self, flow: &Flow, repeat: &Repeat, sometimes: bool) {
        match flow {
            Flow::Send(request) => self.push(request, 1.0, repeat, sometimes),
            Flow::Seq(flows) => flows.iter().for_each(|flow| self.add(flow, repeat, sometimes)),
            Flow::Any(flows) => flows.iter().take(1).for_each(|flow| self.add(flow, repeat, sometimes)),
            Flow::Maybe(flow) => self.add(flow, repeat, true),
            Flow::Asked(flow) => self.add(flow, repeat, sometimes),
            Flow::Each { of, flow, .. } => self.add(flow, &Repeat::Each(of.clone()), sometimes),
            Flow::Page(page) => {
                self.push(&page.query, page.queries as f64, repeat, sometimes);
                page.fetch.iter().for_each(|fetch| self.push(fetch, 1.0, repeat, sometimes));
            }
            Flow::Write { before, write } => {
                self.add(before, repeat, sometimes);
                self.push(write, 1.0, repeat, sometimes);
            }
        }
    }

    fn push(&mut self, request: &Request, often: f64, repeat: &Repeat, sometimes: bool) {
        self.0.push(Step {
            request: request.name(),
            items: request.items.clone(),
            cost: request.cost.times(often),
            repeat: repeat.clone(),
            sometimes,
        });
    }
}
