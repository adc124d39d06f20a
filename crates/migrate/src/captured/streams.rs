//! Every old table gets a stream before the migration starts.

use sortkey_api::operations::{DescribeTable, DescribeTableInput, UpdateTableInput};
use sortkey_api::shapes::stream::{StreamSpecification, StreamViewType};
use sortkey_api::shapes::table::{TableDescription, TableStatus};
use sortkey_api::{ApiError, ErrorKind, Request, Response};

use super::IDLE;
use crate::plan::Side;
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::state::{Phase, State};

impl Runner {
    /// Prepares to follow what other programs write: every old table has a stream from here on. Before the first `start`.
    pub async fn capture(&self) -> Result<State, Refusal> {
        let state = self.begun().await?;
        if state.captured {
            return Ok(state);
        }
        if state.phase != Phase::Prepared {
            return Err(Refusal::new(
                "the migration was started without following other programs, and what they wrote since is not known: take it \
                 back with `sortkey migrate back`, and start it again",
            ));
        }
        for table in self.plan.tables(Side::Old) {
            self.stream(table).await?;
        }
        self.change(|state| {
            state.captured = true;
            Ok(())
        })
        .await
    }

    /// Gives a table a stream with the images from before its changes.
    async fn stream(&self, table: &str) -> Result<(), Refusal> {
        let mut is_asked = false;
        loop {
            let described = self.described(table).await?;
            let is_active =
                described.table_status.as_ref().is_none_or(|status| *status == TableStatus::Active);
            match described.stream_specification.filter(|stream| stream.stream_enabled) {
                Some(stream) => {
                    return match stream.stream_view_type {
                        Some(StreamViewType::NewAndOldImages | StreamViewType::OldImage) => Ok(()),
                        _ => Err(Refusal::new(format!(
                            "the stream of \"{table}\" has no old images, which say what a deleted or moved item was: its view has \
                             to be NEW_AND_OLD_IMAGES"
                        ))),
                    };
                }
                None if is_active && !is_asked => {
                    self.enable(table).await?;
                    is_asked = true;
                }
                None => self.backend.pause(IDLE).await,
            }
        }
    }

    async fn enable(&self, table: &str) -> Result<(), Refusal> {
        let stream = StreamSpecification {
            stream_enabled: true,
            stream_view_type: Some(StreamViewType::NewAndOldImages),
        };
        let input = UpdateTableInput {
            table_name: table.into(),
            stream_specification: Some(stream),
            ..UpdateTableInput::default()
        };
        match self.backend.inner().send(Request::UpdateTable(Box::new(input))).await {
            Ok(Response::UpdateTable(_)) => Ok(()),
            Ok(_) => Err(ApiError::internal().into()),
            // Another process was faster.
            Err(error) if error.kind == ErrorKind::ResourceInUseException => Ok(()),
            Err(error) => Err(Refusal::new(format!("table \"{table}\" gets no stream: {error}"))),
        }
    }

    async fn described(&self, table: &str) -> Result<TableDescription, Refusal> {
        let input = DescribeTableInput { table_name: table.into() };
        Ok(self.backend.ask::<DescribeTable>(input).await?.table.unwrap_or_default())
    }
}
