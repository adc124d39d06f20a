//! Points in time, which the wire carries as seconds since 1970 with an optional fraction.

use super::check::Check;
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use crate::error::ApiError;
use crate::json::Writer;
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// The milliseconds.
    pub millis: i64,
}

impl Timestamp {
    /// A point in time.
    pub const fn from_millis(millis: i64) -> Self {
        Self { millis }
    }

    /// A whole second.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self { millis: seconds.saturating_mul(1000) }
    }
}

/// Seconds: `1718000000`, or `1718000000.25` when there is a fraction.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.millis < 0 { "-" } else { "" };
        let millis = self.millis.unsigned_abs();
        write!(f, "{sign}{}", millis / 1000)?;
        match millis % 1000 {
            0 => Ok(()),
            fraction => f.write_str(format!(".{fraction:03}").trim_end_matches('0')),
        }
    }
}

impl Decode for Timestamp {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        let seconds = f64::decode(decoder, at)?;
        // The cast saturates; no clock shows such times.
        Ok(Self { millis: (seconds * 1000.0).round() as i64 })
    }

    fn class_name() -> Cow<'static, str> {
        "java.util.Date".into()
    }
}

impl Encode for Timestamp {
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.raw(format_args!("{self}"));
    }
}

impl Check for Timestamp {
    fn print(&self, out: &mut String) {
        // Writing into a string cannot fail.
        let _ = write!(out, "{self}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing() {
        for (millis, expected) in
            [(0, "0"), (1_500, "1.5"), (-1_250, "-1.25"), (1_718_000_000_007, "1718000000.007")]
        {
            assert_eq!(Timestamp::from_millis(millis).to_string(), expected);
        }
    }
}
