//! A backend that writes down what the runtime sends, so that the very same requests can be sent without it.

use std::sync::Mutex;

use sortkey_api::operations::PutItemOutput;
use sortkey_api::{Backend, Pending, Request, Response};
use sortkey_embedded::Embedded;

/// The engine, with a record of the requests that are measured.
pub struct Recorder {
    embedded: Embedded,
    requests: Mutex<Vec<Request>>,
}

impl Recorder {
    /// An empty record.
    pub fn new(embedded: Embedded) -> Recorder {
        Recorder { embedded, requests: Mutex::default() }
    }

    /// The requests since the last call of this function.
    pub fn take(&self) -> Vec<Request> {
        self.requests.lock().map(|mut requests| std::mem::take(&mut *requests)).unwrap_or_default()
    }
}

impl Backend for Recorder {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        if let Ok(mut requests) = self.requests.lock() {
            requests.push(request.clone());
        }
        match request {
            // Puts are not carried out: they will be, when they are measured, on condition that there is no such item.
            Request::PutItem(_) => {
                let nothing = Response::PutItem(Box::new(PutItemOutput::default()));
                Box::pin(std::future::ready(Ok(nothing)))
            }
            other => self.embedded.send(other),
        }
    }
}
