//! A backend that writes down the transactions that it carries out, and counts the items that they carry over.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sortkey_api::operations::TransactWriteItemsInput;
use sortkey_api::{Backend, Pending, Request, Response};
use sortkey_embedded::Embedded;

pub struct Recorder {
    inner: Embedded,
    keeps: bool,
    pub transactions: Mutex<Vec<TransactWriteItemsInput>>,
    pub carried: AtomicU64,
}

impl Recorder {
    pub fn new(inner: Embedded, keeps: bool) -> Recorder {
        Recorder { inner, keeps, transactions: Mutex::default(), carried: AtomicU64::new(0) }
    }
}

/// New items that name the old ones they were made of.
fn carried(input: &TransactWriteItemsInput) -> u64 {
    let is_new = |item: &&sortkey_api::shapes::transaction::TransactWriteItem| {
        item.put.as_ref().is_some_and(|put| put.item.unchecked().get("sortkey#from").is_some())
    };
    input.transact_items.iter().filter(is_new).count() as u64
}

impl Backend for Recorder {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let Request::TransactWriteItems(input) = request else { return self.inner.send(request) };
        let count = carried(&input);
        let kept = self.keeps.then(|| (*input).clone());
        Box::pin(async move {
            let answer = self.inner.send(Request::TransactWriteItems(input)).await?;
            self.transactions.lock().expect("no panic").extend(kept);
            self.carried.fetch_add(count, Ordering::Relaxed);
            Ok(answer)
        })
    }
}
