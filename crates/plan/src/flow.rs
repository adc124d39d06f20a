//! What a call sends, as an expression over requests: one, some in order, perhaps one, one again and again.
//!
//! Everything that is said about requests comes from here: the lines of `sortkey plan`, the price of a month, and the
//! comparison of what was predicted with what an engine consumed.

use sortkey_design::program::ErrorId;

use crate::cost::Cost;
use crate::request::Request;

/// What a call may send.
#[derive(Clone, Debug)]
pub enum Flow {
    /// One request.
    Send(Request),
    /// All of these in order.
    Seq(Vec<Flow>),
    /// One of these.
    Any(Vec<Flow>),
    /// This or nothing.
    Maybe(Box<Flow>),
    /// This, depending on who calls: `system` is asked for no rule, and of another tenant's items nothing is asked.
    Asked(Box<Flow>),
    /// This for each of some things.
    Each {
        /// What the things are called.
        of: String,
        /// How many there usually are.
        usual: f64,
        /// What is sent for one of them.
        flow: Box<Flow>,
    },
    /// The queries of one page, side by side, each read on as long as it must be.
    Page(Page),
    /// A write, and what is read for it. If the write is refused because something changed meanwhile, the item is read
    /// and the write is prepared again.
    Write {
        /// What is read.
        before: Box<Flow>,
        /// What is written.
        write: Request,
    },
}

/// Everything that a call may send.
#[derive(Clone, Debug)]
pub struct Script {
    /// What it sends if nothing fails.
    pub body: Flow,
    /// What it reads after a failure: the receipt of an earlier call, and the item that it names.
    pub receipt: Option<Flow>,
    /// What it sends after an error.
    pub handlers: Vec<(ErrorId, Flow)>,
}

/// The queries of a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Each of them, with the cost of one.
    pub query: Request,
    /// How many there are at most.
    pub queries: u64,
    /// Whether all of them are made, whatever the first ones find.
    pub every: bool,
    /// What fetches the items whose keys an index gave.
    pub fetch: Option<Request>,
}

impl Script {
    /// Every request that the call may send, whatever comes of it.
    pub fn possible<'f>(&'f self, visit: &mut dyn FnMut(&'f Request)) {
        let flows = [&self.body].into_iter().chain(&self.receipt);
        flows.chain(self.handlers.iter().map(|(_, flow)| flow)).for_each(|flow| flow.possible(visit));
    }
}

impl Flow {
    /// Nothing is sent.
    pub fn nothing() -> Flow {
        Flow::Seq(Vec::new())
    }

    /// Whether nothing can be sent.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Flow::Seq(flows) if flows.iter().all(Flow::is_nothing))
    }

    /// This or nothing.
    pub(crate) fn maybe(self) -> Flow {
        match self {
            nothing if nothing.is_nothing() => nothing,
            Flow::Maybe(_) => self,
            flow => Flow::Maybe(Box::new(flow)),
        }
    }

    /// This, depending on who calls.
    pub(crate) fn asked(self) -> Flow {
        if self.is_nothing() { self } else { Flow::Asked(Box::new(self)) }
    }

    /// This for each of some things.
    pub(crate) fn each(self, of: impl Into<String>, usual: f64) -> Flow {
        match self.is_nothing() {
            true => self,
            false => Flow::Each { of: of.into(), usual, flow: Box::new(self) },
        }
    }

    /// What all of it usually costs; what is sent perhaps is counted.
    pub fn cost(&self) -> Cost {
        let mut total = Cost::default();
        self.requests(1.0, &mut |request, often| total += request.cost.times(often));
        total
    }

    /// Every request that may be sent, of every branch.
    pub fn possible<'f>(&'f self, visit: &mut dyn FnMut(&'f Request)) {
        match self {
            Flow::Send(request) => visit(request),
            Flow::Seq(flows) | Flow::Any(flows) => flows.iter().for_each(|flow| flow.possible(visit)),
            Flow::Maybe(flow) | Flow::Asked(flow) | Flow::Each { flow, .. } => flow.possible(visit),
            Flow::Page(page) => {
                visit(&page.query);
                page.fetch.iter().for_each(visit);
            }
            Flow::Write { before, write } => {
                before.possible(visit);
                visit(write);
            }
        }
    }

    /// Every request with how often it is usually sent; of several branches the first stands for all.
    pub fn requests(&self, often: f64, visit: &mut dyn FnMut(&Request, f64)) {
        match self {
            Flow::Send(request) => visit(request, often),
            Flow::Seq(flows) => flows.iter().for_each(|flow| flow.requests(often, visit)),
            Flow::Any(flows) => flows.iter().take(1).for_each(|flow| flow.requests(often, visit)),
            Flow::Maybe(flow) | Flow::Asked(flow) => flow.requests(often, visit),
            Flow::Each { usual, flow, .. } => flow.requests(often * usual, visit),
            Flow::Page(page) => {
                visit(&page.query, often * page.queries as f64);
                page.fetch.iter().for_each(|fetch| visit(fetch, often));
            }
            Flow::Write { before, write } => {
                before.requests(often, visit);
                visit(write, often);
            }
        }
    }
}
