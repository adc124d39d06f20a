//! Whether the requests of a call are an instance of its plan, with exactly the units that the plan predicts.
//!
//! The plan is an expression over requests; it is matched against the requests like a regular expression, with the set
//! of all places that it may have reached. A call that failed need only have come some way along its plan.

use std::collections::BTreeSet;

use sortkey_design::Program;
use sortkey_plan::{Ask, Flow, Page, Part, Request, Script};

use super::observed::{Asked, Charge, Observed};
use super::predict::predict;
use sortkey_core::Runtime;
use sortkey_core::internals::Shared;

/// How often a write that is refused is prepared again, and an operation whose premises changed is begun again.
const ATTEMPTS: usize = sortkey_core::internals::ATTEMPTS;

/// Compares calls with their plans.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    shared: &'a Shared,
    program: &'a Program,
}

/// Places in the list of requests.
type Places = BTreeSet<usize>;

impl<'a> Comparison<'a> {
    /// Compares calls of a runtime with the plans of its design.
    pub fn new(runtime: &'a Runtime) -> Comparison<'a> {
        Comparison::with(runtime, &runtime.shared().program)
    }

    /// Compares calls of a runtime with the plans of a program, which need not be its own.
    pub fn with(runtime: &'a Runtime, program: &'a Program) -> Comparison<'a> {
        Comparison { shared: runtime.shared(), program }
    }

    /// The charges that the plan predicts for each request, or the first difference.
    pub fn compare(
        &self,
        script: &Script,
        requests: &[Observed],
        failed: Option<&str>,
    ) -> Result<Vec<Vec<Charge>>, String> {
        let mut fit = Fit {
            shared: self.shared,
            program: self.program,
            requests,
            predicted: vec![Vec::new(); requests.len()],
            failed: failed.is_some(),
            reached: Places::new(),
            against: vec![Vec::new(); requests.len()],
        };
        let end = requests.len();
        let mut done = fit.along(&script.body, &Places::from([0]));
        // An operation whose premises another call changed starts again from the beginning.
        for _ in 1..ATTEMPTS {
            if failed == Some("Conflict") {
                let begun = fit.reached.clone();
                fit.along(&script.body, &begun);
            }
        }
        // A repeat fails at some point and finds the receipt of the first call.
        let begun = fit.reached.clone();
        let mut over = begun.clone();
        if let Some(receipt) = &script.receipt {
            let found = fit.along(receipt, &begun);
            over.extend(&found);
            done.extend(found);
        }
        for (error, handler) in &script.handlers {
            if failed.is_some_and(|failed| *failed == *self.program.errors[*error]) {
                fit.along(handler, &over);
            }
        }
        let fits = match failed {
            None => done.contains(&end),
            Some(_) => fit.reached.contains(&end),
        };
        if fits { Ok(fit.predicted) } else { Err(fit.difference()) }
    }
}

struct Fit<'a> {
    shared: &'a Shared,
    program: &'a Program,
    requests: &'a [Observed],
    predicted: Vec<Vec<Charge>>,
    failed: bool,
    /// Every place that the plan can come to.
    reached: Places,
    /// Why a request is not what the plan has at its place.
    against: Vec<Vec<String>>,
}

impl Fit<'_> {
    /// The places where a flow can end that begins at one of some places.
    fn along(&mut self, flow: &Flow, from: &Places) -> Places {
        self.reached.extend(from);
        let ends = match flow {
            Flow::Send(request) => self.send(request, from),
            Flow::Seq(flows) => flows.iter().fold(from.clone(), |places, flow| self.along(flow, &places)),
            Flow::Any(flows) => flows.iter().flat_map(|flow| self.along(flow, from)).collect(),
            Flow::Maybe(flow) | Flow::Asked(flow) => {
                let mut ends = self.along(flow, from);
                ends.extend(from);
                ends
            }
            Flow::Each { flow, .. } => self.again_and_again(flow, from),
            Flow::Page(page) => from.iter().flat_map(|start| self.page(page, *start)).collect(),
            Flow::Write { before, write } => self.write(before, write, from),
        };
        self.reached.extend(&ends);
        ends
    }

    fn send(&mut self, request: &Request, from: &Places) -> Places {
        self.steps(from, |fit, at| fit.is_at(request, at))
    }

    /// The places behind those where something matches.
    fn steps(&mut self, from: &Places, mut stands: impl FnMut(&mut Self, usize) -> bool) -> Places {
        from.iter().copied().filter(|at| stands(self, *at)).map(|at| at + 1).collect()
    }

    fn again_and_again(&mut self, flow: &Flow, from: &Places) -> Places {
        let (mut ends, mut new) = (from.clone(), from.clone());
        // Each round advances, so there are at most as many as there are requests.
        while !new.is_empty() {
            let before = self.reached.clone();
            let mut next = self.along(flow, &new);
            // The failure of one element does not keep the others from being sent.
            if self.failed {
                next.extend(self.reached.difference(&before));
            }
            new = next.difference(&ends).copied().collect();
            ends.extend(&new);
        }
        ends
    }

    /// A write happens, or is refused: then the item is read, the write is prepared again, or the call fails.
    fn write(&mut self, before: &Flow, write: &Request, from: &Places) -> Places {
        let Ask::Write(parts) = &write.ask else {
            return Places::new();
        };
        let (mut ends, mut starts) = (Places::new(), from.clone());
        for attempt in 0..ATTEMPTS {
            let mut ready = self.along(before, &starts);
            if attempt > 0 {
                ready.extend(self.steps(&ready, |fit, at| fit.reads_part(parts, at)));
            }
            ends.extend(self.send(write, &ready));
            // Nothing is sent if nothing is left to be written.
            if parts.iter().all(|part| part.sometimes || part.many) {
                ends.extend(&ready);
            }
            // A write whose condition cannot hold is not sent; the item read instead shows why.
            starts = self.steps(&ready, |fit, at| fit.is_refused(write, at) || fit.reads_part(parts, at));
            self.reached.extend(&starts);
            // A call that fails cleans up after a refused write: the note of a cascade is removed.
            if self.failed {
                ends.extend(&starts);
            }
        }
        ends
    }

    /// Whether a request is a strong read of an item that is to be written.
    fn reads_part(&mut self, parts: &[Part], at: usize) -> bool {
        parts.iter().any(|part| {
            let ask = Ask::Item { table: part.table, strong: true };
            self.is_at(&Request { ask, items: Vec::new(), cost: Default::default() }, at)
        })
    }

    /// Whether the request at a place is this write and was refused.
    fn is_refused(&self, write: &Request, at: usize) -> bool {
        let seen = self.requests.get(at).filter(|seen| seen.refused);
        seen.is_some_and(|seen| predict((self.shared, self.program), write, seen).is_ok())
    }

    /// The places where a page can end: as many queries as planned, read on where there is more, and the fetches.
    fn page(&mut self, page: &Page, start: usize) -> Places {
        let mut ends = Places::new();
        let (mut first, mut more) = (0_u64, 0_u64);
        if !page.every {
            ends.insert(start);
        }
        for at in start..self.requests.len() {
            if self.is_at(&page.query, at) {
                let Asked::Query { continues, more: has_more, .. } = &self.requests[at].asked else { break };
                match (continues, more) {
                    (true, 0) => break,
                    (true, _) => more -= 1,
                    (false, _) => first += 1,
                }
                more += u64::from(*has_more);
            } else if first == 0 || !page.fetch.as_ref().is_some_and(|fetch| self.fetches(fetch, at)) {
                break;
            }
            if first > page.queries {
                break;
            }
            self.reached.insert(at + 1);
            if first == page.queries || !page.every {
                ends.insert(at + 1);
            }
        }
        ends
    }

    /// A single item is fetched by GetItem, whatever was expected.
    fn fetches(&mut self, fetch: &Request, at: usize) -> bool {
        match &fetch.ask {
            Ask::Item { table, strong } => {
                let ask = Ask::Items { table: *table, strong: *strong };
                self.is_at(&Request { ask, ..fetch.clone() }, at)
            }
            _ => self.is_at(fetch, at),
        }
    }

    /// Whether the request at a place is the planned one, with the units that the plan predicts.
    fn is_at(&mut self, request: &Request, at: usize) -> bool {
        let Some(seen) = self.requests.get(at).filter(|seen| !seen.refused) else {
            return false;
        };
        match predict((self.shared, self.program), request, seen) {
            Ok(charges) if charges == seen.consumed => {
                self.predicted[at] = charges;
                true
            }
            Ok(charges) => {
                self.against[at].push(format!("predicted {charges:?}, consumed {:?}", seen.consumed));
                false
            }
            Err(why) => {
                self.against[at].push(why);
                false
            }
        }
    }

    fn difference(&self) -> String {
        let furthest = self.reached.last().copied().unwrap_or(0);
        let shown: Vec<&str> = self.requests.iter().map(Observed::name).collect();
        match self.requests.get(furthest) {
            Some(seen) => {
                let mut why = self.against[furthest].clone();
                why.dedup();
                let refused = if seen.refused { " (refused)" } else { "" };
                format!(
                    "request {} of {shown:?}, {}{refused}, is not in the plan: {}",
                    furthest + 1,
                    seen.name(),
                    if why.is_empty() { "nothing is sent there".to_owned() } else { why.join("; ") }
                )
            }
            None => format!("after {shown:?} the plan has more"),
        }
    }
}
