//! Lists by pages.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use serde::de::DeserializeOwned;
use sortkey_core::Answer;
use sortkey_embedded::block_on;

use super::calls::unexpected;
use super::{Client, DesignError, Given};

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// Its items.
    pub items: Vec<T>,
    /// The beginning of the next page; none on the last.
    pub cursor: Option<String>,
}

/// A list by pages: awaiting it gives a page, [`pages`](Paged::pages) one after the other, [`all`](Paged::all) every item.
#[must_use = "a list reads nothing until it is awaited"]
pub struct Paged<T, E> {
    client: Client,
    path: &'static str,
    given: Given,
    cursor: Option<String>,
    limit: Option<u32>,
    gives: PhantomData<fn() -> (T, E)>,
}

/// The pages of a list, in order.
pub struct Pages<T, E> {
    list: Paged<T, E>,
    is_over: bool,
}

impl<T, E> Clone for Paged<T, E> {
    fn clone(&self) -> Paged<T, E> {
        Paged {
            client: self.client.clone(),
            path: self.path,
            given: self.given.clone(),
            cursor: self.cursor.clone(),
            limit: self.limit,
            gives: PhantomData,
        }
    }
}

impl<T: DeserializeOwned + Send + 'static, E: DesignError + Send + 'static> Paged<T, E> {
    /// Begins where a page ended.
    pub fn after(mut self, cursor: impl Into<String>) -> Paged<T, E> {
        self.cursor = Some(cursor.into());
        self
    }

    /// How many items a page has, at most the design's own number.
    pub fn limit(mut self, items: u32) -> Paged<T, E> {
        self.limit = Some(items);
        self
    }

    /// Page after page.
    pub fn pages(self) -> Pages<T, E> {
        Pages { list: self, is_over: false }
    }

    /// Every item of the list.
    pub async fn all(self) -> Result<Vec<T>, E> {
        let (mut pages, mut items) = (self.pages(), Vec::new());
        while let Some(page) = pages.next().await? {
            items.extend(page.items);
        }
        Ok(items)
    }

    /// Blocks this thread until a page is there: for a database in this process. A DynamoDB elsewhere is awaited.
    pub fn wait(self) -> Result<Page<T>, E> {
        block_on(self.into_future())
    }

    /// Like [`all`](Paged::all), and blocks this thread.
    pub fn wait_all(self) -> Result<Vec<T>, E> {
        block_on(self.all())
    }
}

impl<T: DeserializeOwned + Send + 'static, E: DesignError + Send + 'static> IntoFuture for Paged<T, E> {
    type Output = Result<Page<T>, E>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Page<T>, E>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Paged { client, path, given, cursor, limit, .. } = self;
            match client.run::<E>(path, given, cursor.as_deref(), limit, None).await? {
                Answer::Page { items, cursor } => {
                    let items =
                        serde_json::from_value(items.into()).map_err(|error| unexpected(path, &error))?;
                    Ok(Page { items, cursor })
                }
                Answer::Nothing | Answer::Value(_) => Ok(Page { items: Vec::new(), cursor: None }),
            }
        })
    }
}

impl<T: DeserializeOwned + Send + 'static, E: DesignError + Send + 'static> Pages<T, E> {
    /// The next page; none after the last.
    pub async fn next(&mut self) -> Result<Option<Page<T>>, E> {
        if self.is_over {
            return Ok(None);
        }
        let page = self.list.clone().await?;
        self.is_over = page.cursor.is_none();
        self.list.cursor.clone_from(&page.cursor);
        Ok(Some(page))
    }
}

impl Client {
    /// A call that gives items by pages.
    pub fn paged<T, E>(&self, path: &'static str, given: Given) -> Paged<T, E> {
        Paged { client: self.clone(), path, given, cursor: None, limit: None, gives: PhantomData }
    }
}
