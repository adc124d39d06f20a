//! The operations that calls send, each with what it may do when no answer comes.

use sortkey_api::operations::*;
use sortkey_api::shapes::returns::ReturnConsumedCapacity;
use sortkey_api::{ApiError, SuppliedItem, TableName};
use sortkey_value::Item;

use super::{Repeat, Session, failure};
use crate::Failure;

/// The detail in which consumed capacity is requested.
const TOTAL: Option<ReturnConsumedCapacity> = Some(ReturnConsumedCapacity::Total);

impl Session<'_> {
    /// Reads an item.
    pub fn get(
        &self,
        table: &TableName,
        key: impl Into<SuppliedItem>,
        strong: bool,
    ) -> impl Future<Output = Result<Option<Item>, Failure>> {
        let output = self.send::<GetItem>(
            Repeat::Freely,
            GetItemInput {
                table_name: table.clone(),
                key: key.into(),
                consistent_read: strong.then_some(true),
                return_consumed_capacity: TOTAL,
                ..GetItemInput::default()
            },
        );
        async move {
            let output = output.await.map_err(failure)?;
            self.read(output.consumed_capacity.iter());
            Ok(output.item)
        }
    }

    pub(crate) fn query(
        &self,
        mut input: QueryInput,
    ) -> impl Future<Output = Result<Box<QueryOutput>, Failure>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<Query>(Repeat::Freely, input);
        async move {
            let output = output.await.map_err(failure)?;
            self.read(output.consumed_capacity.iter());
            Ok(output)
        }
    }

    /// Reads a page of a table.
    pub fn scan(&self, mut input: ScanInput) -> impl Future<Output = Result<Box<ScanOutput>, Failure>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<Scan>(Repeat::Freely, input);
        async move {
            let output = output.await.map_err(failure)?;
            self.read(output.consumed_capacity.iter());
            Ok(output)
        }
    }

    pub(crate) fn batch_get(
        &self,
        mut input: BatchGetItemInput,
    ) -> impl Future<Output = Result<Box<BatchGetItemOutput>, Failure>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<BatchGetItem>(Repeat::Freely, input);
        async move {
            let output = output.await.map_err(failure)?;
            self.read(output.consumed_capacity.iter().flatten());
            Ok(output)
        }
    }

    pub(crate) fn batch_write(
        &self,
        mut input: BatchWriteItemInput,
    ) -> impl Future<Output = Result<Box<BatchWriteItemOutput>, Failure>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<BatchWriteItem>(Repeat::Freely, input);
        async move {
            let output = output.await.map_err(failure)?;
            self.wrote(output.consumed_capacity.iter().flatten());
            Ok(output)
        }
    }

    pub(crate) fn put(
        &self,
        mut input: PutItemInput,
    ) -> impl Future<Output = Result<Box<PutItemOutput>, ApiError>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<PutItem>(Repeat::IfRefused, input);
        async move {
            let output = output.await?;
            self.wrote(output.consumed_capacity.iter());
            Ok(output)
        }
    }

    pub(crate) fn update(
        &self,
        mut input: UpdateItemInput,
    ) -> impl Future<Output = Result<Box<UpdateItemOutput>, ApiError>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<UpdateItem>(Repeat::IfRefused, input);
        async move {
            let output = output.await?;
            self.wrote(output.consumed_capacity.iter());
            Ok(output)
        }
    }

    pub(crate) fn delete(
        &self,
        mut input: DeleteItemInput,
    ) -> impl Future<Output = Result<Box<DeleteItemOutput>, ApiError>> {
        input.return_consumed_capacity = TOTAL;
        let output = self.send::<DeleteItem>(Repeat::IfRefused, input);
        async move {
            let output = output.await?;
            self.wrote(output.consumed_capacity.iter());
            Ok(output)
        }
    }

    pub(crate) fn transact(
        &self,
        mut input: TransactWriteItemsInput,
    ) -> impl Future<Output = Result<(), ApiError>> {
        input.return_consumed_capacity = TOTAL;
        let repeat = match input.client_request_token {
            Some(_) => Repeat::Freely,
            None => Repeat::IfRefused,
        };
        let output = self.send::<TransactWriteItems>(repeat, input);
        async move {
            let output = output.await?;
            self.wrote(output.consumed_capacity.iter().flatten());
            Ok(())
        }
    }
}
