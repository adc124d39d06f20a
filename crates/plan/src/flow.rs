//! The requests of a call, as an expression: one, some in order, perhaps one, one again and again.
//!
//! All output about requests is derived from it: the lines of `sortkey plan`, the price of a month, and the
//! comparison of the prediction with the consumption of an engine.

use sortkey_design::program::ErrorId;

use crate::cost::Cost;
use crate::request::Request;

/// The requests that a call may send.
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
    /// This, depending on the caller: `system` needs no rule, and another tenant's items are not requested.
    Asked(Box<Flow>),
    /// This for each of some things.
    Each {
        /// The name of the things.
        of: String,
        /// How many there usually are.
        usual: f64,
        /// The requests for one of them.
        flow: Box<Flow>,
    },
    /// The queries of one page, in parallel, each continued as long as necessary.
    Page(Page),
    /// A write, and what is read for it. If the write is refused because something changed meanwhile, the item is read
    /// and the write is prepared again.
    Write {
        /// The reads before the write.
        before: Box<Flow>,
        /// The write.
        write: Request,
    },
}

/// Everything that a call may send.
#[derive(Clone, Debug)]
pub struct Script {
    /// The requests if nothing fails.
    pub body: Flow,
    /// The reads after a failure: the receipt of an earlier call, and the item that it names.
    pub receipt: Option<Flow>,
    /// The requests after an error.
    pub handlers: Vec<(ErrorId, Flow)>,
}

/// The queries of a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Each of them, with the cost of one.
    pub query: Request,
    /// How many there are at most.
    pub queries: u64,
    /// Whether all of them are sent, even if the first ones find enough.
    pub every: bool,
    /// The request for the items whose keys an index gave.
    pub fetch: Option<Request>,
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

    /// The usual cost of all requests, optional ones included.
    pub fn cost(&self) -> Cost {
        let mut total = Cost::default();
        self.requests(1.0, &mut |request, often| total += request.cost.times(often));
        total
    }

    /// Every request with how often it is usually sent.
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
