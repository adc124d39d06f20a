//! A backend that wakes workers after writes, so that they need not poll.
//!
//! Items are taken from the write itself and not read again:
//! an item that is put and due at once is passed on to its worker.

use std::sync::{Arc, OnceLock, Weak};

use sortkey_api::{Backend, Pending, Request, Response, TableName};
use sortkey_core::Due;
use sortkey_design::program::WorkerId;

use crate::Work;

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
    pub(crate) fresh: Vec<(WorkerId, Due)>,
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
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let Some(work) = self.work.get().and_then(Weak::upgrade) else { return self.inner.send(request) };
        let led = led(&work, &request);
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
}

/// The consequences of a request if it succeeds.
fn led(work: &Work, request: &Request) -> Led {
    let mut led = Led::default();
    match request {
        Request::PutItem(input) => work.put(&input.table_name, input.item.checked().ok(), &mut led),
        Request::UpdateItem(input) => {
            let names = input.expression_attribute_names.as_ref();
            work.changed(&input.table_name, input.key.checked().ok(), names, &mut led);
        }
        Request::DeleteItem(input) => work.deleted(&input.table_name, &mut led),
        Request::BatchWriteItem(input) => {
            for (table, writes) in input.request_items.iter() {
                for write in writes {
                    match &write.put_request {
                        Some(put) => work.put(&TableName::from(table), put.item.checked().ok(), &mut led),
                        None => work.deleted(&TableName::from(table), &mut led),
                    }
                }
            }
        }
        Request::TransactWriteItems(input) => {
            for item in &input.transact_items {
                if let Some(put) = &item.put {
                    work.put(&put.table_name, put.item.checked().ok(), &mut led);
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
