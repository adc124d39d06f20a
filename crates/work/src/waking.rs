//! A backend that wakes workers after writes, so that they need not poll.
//!
//! Items are taken from the write itself and not read again:
//! an item that is put and due at once is passed on to its worker.

use std::sync::{Arc, OnceLock, Weak};

use sortkey_api::{Backend, Pending, Request, Response, SuppliedItem, TableName};
use sortkey_design::program::WorkerId;

use crate::Work;
use crate::waiting::Candidate;

/// A backend whose writes wake workers.
pub struct Waking {
    inner: Arc<dyn Backend>,
    /// Not owned: the workers own this backend.
    work: OnceLock<Weak<Work>>,
}

/// The consequences of a write, applied once it has happened.
#[derive(Default)]
pub(crate) struct Led {
    /// Workers that may have something to do.
    pub(crate) woken: Vec<WorkerId>,
    /// Items that are due.
    pub(crate) fresh: Vec<(WorkerId, Candidate)>,
}

impl Waking {
    /// A backend that wakes no workers yet.
    pub fn new(inner: Arc<dyn Backend>) -> Waking {
        Waking { inner, work: OnceLock::new() }
    }

    /// From now on, writes wake these workers.
    pub fn wakes(&self, work: &Arc<Work>) {
        drop(self.work.set(Arc::downgrade(work)));
    }
}

impl Backend for Waking {
    fn send(&self, mut request: Request) -> Pending<'_, Response> {
        let Some(work) = self.work.get().and_then(Weak::upgrade) else { return self.inner.send(request) };
        let led = led(&work, &mut request);
        let answer = self.inner.send(request);
        if led.woken.is_empty() && led.fresh.is_empty() {
            return answer;
        }
        Box::pin(async move {
            let answer = answer.await;
            if answer.is_ok() {
                work.wake().led(led);
            }
            answer
        })
    }

    fn is_steady(&self) -> bool {
        self.inner.is_steady()
    }

    fn repeats(&self) -> bool {
        self.inner.repeats()
    }

    fn loses_answers(&self) -> bool {
        self.inner.loses_answers()
    }
}

/// The consequences of a request if it succeeds. Items that are due and can be run at once get their lease here.
fn led(work: &Work, request: &mut Request) -> Led {
    let mut led = Led::default();
    match request {
        Request::PutItem(input) => put(work, &input.table_name, &mut input.item, &mut led),
        Request::UpdateItem(input) => {
            let names = input.expression_attribute_names.as_ref();
            work.changed(&input.table_name, input.key.checked().ok(), names, &mut led);
        }
        Request::DeleteItem(input) => work.deleted(&input.table_name, &mut led),
        Request::BatchWriteItem(input) => {
            for (table, writes) in input.request_items.iter() {
                let table = TableName::from(table);
                for write in writes {
                    match &write.put_request {
                        // Many at once wait for each other: each is claimed when its turn has come.
                        Some(new) => work.put(&table, new.item.checked().ok(), &mut led),
                        None => work.deleted(&table, &mut led),
                    }
                }
            }
        }
        Request::TransactWriteItems(input) => {
            for item in &mut input.transact_items {
                if let Some(new) = &mut item.put {
                    put(work, &new.table_name, &mut new.item, &mut led);
                }
                if let Some(update) = &item.update {
                    let names = update.expression_attribute_names.as_ref();
                    work.changed(&update.table_name, update.key.checked().ok(), names, &mut led);
                }
                if let Some(delete) = &item.delete {
                    work.deleted(&delete.table_name, &mut led);
                }
            }
        }
        _ => {}
    }
    led
}

fn put(work: &Work, table: &TableName, item: &mut SuppliedItem, led: &mut Led) {
    if let Some(leased) = work.put_leased(table, item.checked().ok(), led) {
        *item = leased.into();
    }
}
