//! Switching streams on and off.

use sortkey_api::ApiError;
use sortkey_api::shapes::stream::StreamSpecification;
use sortkey_storage::{Batch, Published};

use crate::catalog;
use crate::catalog::table::{Table, TableStream};
use crate::engine::Shared;
use crate::layout;
use crate::stream::shard::Generation;
use crate::stream::{Closed, Stream};

/// The view type that a new table asks for; `None` if it has no stream.
pub(crate) fn view_type(asked: &StreamSpecification) -> Result<Option<String>, ApiError> {
    chosen(
        asked,
        "Table is being created with a stream enabled, UpdateViewType is required",
        "Table is being created with a stream disabled, UpdateViewType should not be specified",
    )
}

/// The view type that a table changes to; `None` if its stream is switched off.
pub(crate) fn changed_view_type(asked: &StreamSpecification) -> Result<Option<String>, ApiError> {
    chosen(
        asked,
        "If stream is being enabled then UpdateViewType is required",
        "If stream is being disabled, then UpdateViewType must not be specified",
    )
}

fn chosen(asked: &StreamSpecification, missing: &str, excess: &str) -> Result<Option<String>, ApiError> {
    match (asked.stream_enabled, &asked.stream_view_type) {
        (true, Some(view_type)) => Ok(Some(view_type.as_str().to_owned())),
        (true, None) => Err(ApiError::invalid_parameter(missing)),
        (false, None) => Ok(None),
        (false, Some(_)) => Err(ApiError::invalid_parameter(excess)),
    }
}

/// Gives a table a new stream. The caller holds the lock for stream ids.
pub(crate) fn open(
    shared: &Shared,
    view: &Published,
    table: &mut Table,
    view_type: String,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    let id = Shared::take_id(view, "stream", batch)?;
    let created_ms = opening_time(shared, view, &table.name)?;
    let label = label(created_ms);
    let first_version = view.stamp.version;
    let shards = shared.settings.stream_shards.max(1);
    let generation = Generation { first_shard: 0, shards, created_ms, first_version };
    let stream = Stream {
        id,
        table_name: table.name.to_string(),
        label: label.clone(),
        view_type: view_type.clone(),
        key: table.key.clone(),
        created_ms,
        first_version,
        closed: None,
        generations: vec![generation],
    };
    batch.put(layout::stream(id), stream.to_value());
    table.stream = Some(TableStream { id, label, view_type, generation: Some(generation) });
    Ok(())
}

/// Now, or a millisecond after the table's latest stream was opened: its label must name one stream.
fn opening_time(shared: &Shared, view: &Published, table: &str) -> Result<u64, ApiError> {
    let mut time_ms = shared.now_ms();
    for stream in catalog::streams(view) {
        let stream = stream?;
        if stream.table_name == table {
            time_ms = time_ms.max(stream.created_ms + 1);
        }
    }
    Ok(time_ms)
}

/// Takes the stream from a table. Its records can be read for another day.
pub(crate) fn close(
    shared: &Shared,
    view: &Published,
    table: &mut Table,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    let Some(current) = table.stream.take() else { return Ok(()) };
    if let Some(mut stream) = catalog::stream(view, current.id)? {
        stream.closed = Some(Closed { at_ms: shared.now_ms(), version: view.stamp.version });
        batch.put(layout::stream(stream.id), stream.to_value());
    }
    Ok(())
}

/// Closes the shards of a table's stream and opens the next generation. The caller holds the table's lock, so that
/// no record can be on its way to a shard that is closed.
pub(crate) fn split(
    shared: &Shared,
    view: &Published,
    table: &mut Table,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    let Some(current) = &mut table.stream else { return Ok(()) };
    let Some(mut stream) = catalog::stream(view, current.id)? else { return Ok(()) };
    let Some(newest) = stream.generations.last() else { return Ok(()) };
    let created_ms = shared.now_ms().max(newest.created_ms + 1);
    let next = newest.next(created_ms, view.stamp.version);
    stream.generations.push(next);
    current.generation = Some(next);
    batch.put(layout::stream(stream.id), stream.to_value());
    Ok(())
}

/// A stream's label is the time it was opened: `2015-05-11T21:21:33.291`.
pub(crate) fn label(time_ms: u64) -> String {
    let (days, ms_of_day) = (time_ms / 86_400_000, time_ms % 86_400_000);
    let (year, month, day) = civil_date(days);
    let (hour, minute) = (ms_of_day / 3_600_000, ms_of_day / 60_000 % 60);
    let (second, millisecond) = (ms_of_day / 1000 % 60, ms_of_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}")
}

/// Year, month and day of a day since 1970, counting eras of 400 years from a March.
fn civil_date(days: u64) -> (u64, u64, u64) {
    const DAYS_PER_ERA: u64 = 146_097;
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / DAYS_PER_ERA, shifted % DAYS_PER_ERA);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_times() {
        assert_eq!(label(0), "1970-01-01T00:00:00.000");
        assert_eq!(label(1_431_379_293_291), "2015-05-11T21:21:33.291");
        assert_eq!(label(1_709_164_800_000), "2024-02-29T00:00:00.000");
        assert_eq!(label(4_102_444_799_999), "2099-12-31T23:59:59.999");
    }
}
