//! A call of a generated client: awaited, or waited for.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use serde::de::DeserializeOwned;
use sortkey_core::Answer;
use sortkey_embedded::block_on;

use super::{Client, CommonError, DesignError, Given, Refused};

/// A call that is sent when it is awaited, or by [`wait`](Call::wait).
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<T, E> {
    client: Client,
    path: &'static str,
    given: Given,
    version: Option<i64>,
    read: fn(Answer) -> Result<T, serde_json::Error>,
    fails: PhantomData<fn() -> E>,
}

/// A call that may demand a version of the item that it changes.
#[must_use = "a call does nothing until it is awaited"]
pub struct Versioned<T, E>(Call<T, E>);

/// The result of awaiting a call.
type Running<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

impl<T: Send + 'static, E: DesignError + Send + 'static> Call<T, E> {
    pub(super) fn new(
        client: &Client,
        path: &'static str,
        given: Given,
        read: fn(Answer) -> Result<T, serde_json::Error>,
    ) -> Call<T, E> {
        Call { client: client.clone(), path, given, version: None, read, fails: PhantomData }
    }

    /// Blocks this thread until the answer is there: for a database in this process. A DynamoDB elsewhere is awaited.
    pub fn wait(self) -> Result<T, E> {
        block_on(self.into_future())
    }
}

impl<T: Send + 'static, E: DesignError + Send + 'static> IntoFuture for Call<T, E> {
    type Output = Result<T, E>;
    type IntoFuture = Running<T, E>;

    fn into_future(self) -> Running<T, E> {
        Box::pin(async move {
            let Call { client, path, given, version, read, .. } = self;
            let answer = client.run::<E>(path, given, None, None, version).await?;
            read(answer).map_err(|error| unexpected(path, &error))
        })
    }
}

impl<T: Send + 'static, E: DesignError + Send + 'static> Versioned<T, E> {
    /// Makes the call conditional on the version of the item that it changes.
    pub fn if_version(mut self, version: i64) -> Call<T, E> {
        self.0.version = Some(version);
        self.0
    }

    /// Blocks this thread until the answer is there: for a database in this process. A DynamoDB elsewhere is awaited.
    pub fn wait(self) -> Result<T, E> {
        self.0.wait()
    }
}

impl<T: Send + 'static, E: DesignError + Send + 'static> IntoFuture for Versioned<T, E> {
    type Output = Result<T, E>;
    type IntoFuture = Running<T, E>;

    fn into_future(self) -> Running<T, E> {
        self.0.into_future()
    }
}

impl Client {
    /// A call that gives a value.
    pub fn call<T, E>(&self, path: &'static str, given: Given) -> Call<T, E>
    where
        T: DeserializeOwned + Send + 'static,
        E: DesignError + Send + 'static,
    {
        Call::new(self, path, given, read)
    }

    /// A call that gives nothing.
    pub fn command<E: DesignError + Send + 'static>(&self, path: &'static str, given: Given) -> Call<(), E> {
        Call::new(self, path, given, |_| Ok(()))
    }

    /// A call that gives a value, of an item with versions.
    pub fn versioned<T, E>(&self, path: &'static str, given: Given) -> Versioned<T, E>
    where
        T: DeserializeOwned + Send + 'static,
        E: DesignError + Send + 'static,
    {
        Versioned(self.call(path, given))
    }
}

/// An answer in the client's types: nothing is null, and items are a list.
fn read<T: DeserializeOwned>(answer: Answer) -> Result<T, serde_json::Error> {
    serde_json::from_value(match answer {
        Answer::Nothing => serde_json::Value::Null,
        Answer::Value(value) => value,
        Answer::Page { items, .. } => items.into(),
    })
}

/// An answer that the client's types do not have: the client and the core are not of one version.
pub(super) fn unexpected<E: DesignError>(path: &str, error: &serde_json::Error) -> E {
    let message =
        format!("`{path}` gave what this client does not expect: {error}; run `sortkey generate rust` again");
    E::common(CommonError::Internal(Refused { message, field: None, faults: Vec::new() }))
}
