//! Time zones, from the database in the binary: an update of the machine's own changes no schedule.

use std::fmt;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use thiserror::Error;

/// A time zone of the IANA database.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// A name that is not in the database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is not a time zone: expected a name such as `Europe/Berlin` or `UTC`")]
pub struct ZoneError {
    /// The name.
    pub name: String,
}

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Zone = Zone(TimeZone::UTC);

    /// The zone of a name, in either case.
    pub fn parse(name: &str) -> Result<Zone, ZoneError> {
        static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
        DATABASE.get(name).map(Zone).map_err(|_| ZoneError { name: name.chars().take(64).collect() })
    }

    /// The hour that clocks show at a time in seconds since 1970.
    pub fn hour(&self, seconds: i64) -> Option<i8> {
        Timestamp::from_second(seconds).ok().map(|time| self.clock(time).hour())
    }

    /// The local time.
    pub(crate) fn clock(&self, time: Timestamp) -> DateTime {
        self.0.to_datetime(time)
    }

    /// When clocks show something for the first time, or the end of the gap in which they do not.
    pub(crate) fn first_time(&self, clock: DateTime) -> Option<Timestamp> {
        let ambiguous = self.0.to_ambiguous_timestamp(clock);
        match ambiguous.offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(clock).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(clock).ok(),
            AmbiguousOffset::Gap { before, .. } => {
                // Read as if clocks had not changed, it is after the change, by less than the gap is long.
                let later = before.to_timestamp(clock).ok()?;
                let just_after = Timestamp::from_second(later.as_second() + 1).ok()?;
                self.0.preceding(just_after).next().map(|change| change.timestamp())
            }
        }
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.iana_name().unwrap_or("UTC"))
    }
}
