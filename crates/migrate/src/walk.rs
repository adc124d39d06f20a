//! Tables read from end to end.

use sortkey_api::operations::{Scan, ScanInput};
use sortkey_core::internals::{EntityInfo, is_reserved};
use sortkey_value::{Item, Map};

use crate::hidden;
use crate::place::Place;
use crate::plan::Side;
use crate::refusal::Refusal;
use crate::runner::Runner;

impl Runner {
    /// A page of a table, and where the next one begins.
    pub(crate) async fn page(
        &self,
        table: &str,
        after: Option<Map>,
        limit: Option<i32>,
    ) -> Result<(Vec<Item>, Option<Map>), Refusal> {
        self.part(table, after, limit, None).await
    }

    /// A page of one of several parts of a table, and where the next one begins.
    pub(crate) async fn part(
        &self,
        table: &str,
        after: Option<Map>,
        limit: Option<i32>,
        part: Option<(u32, u32)>,
    ) -> Result<(Vec<Item>, Option<Map>), Refusal> {
        let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let input = ScanInput {
            table_name: table.into(),
            exclusive_start_key: after.map(Into::into),
            consistent_read: Some(true),
            limit,
            segment: part.map(|(at, _)| number(at)),
            total_segments: part.map(|(_, all)| number(all)),
            ..ScanInput::default()
        };
        let output = self.backend.ask::<Scan>(input).await?;
        Ok((output.items.unwrap_or_default(), output.last_evaluated_key.map(|key| key.to_map())))
    }

    /// Whether a table has items that are not Sortkey's own.
    pub(crate) async fn has_items(&self, table: &str, info: &EntityInfo) -> Result<bool, Refusal> {
        let mut after = None;
        loop {
            let (items, next) = self.page(table, after, Some(100)).await?;
            if items.iter().any(|item| !is_reserved(item, &info.partition)) {
                return Ok(true);
            }
            match next {
                Some(next) => after = Some(next),
                None => return Ok(false),
            }
        }
    }

    /// Old items whose new ones have values that the old design cannot hold.
    pub(crate) async fn ahead(&self) -> Result<Vec<(Place, Vec<String>)>, Refusal> {
        let mut found = Vec::new();
        for table in self.plan.tables(Side::Old) {
            let mut after = None;
            loop {
                let (items, next) = self.page(table, after, None).await?;
                for item in &items {
                    let names = hidden::ahead(item);
                    if let (false, Some(info)) = (names.is_empty(), self.plan.owner(Side::Old, table, item)) {
                        found.push((Place::of(info, item), names));
                    }
                }
                match next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
        Ok(found)
    }
}
