//! # timestamp-format-unspecified
//!
//! ## What it notices
//!
//! A time is part of a composite key, and its format is not declared.
//!
//! ## Why it matters
//!
//! ISO text, seconds and milliseconds sort and compare differently. Two writers that choose differently
//! break the order and every range.
//!
//! ## Example
//!
//! ```sk
//! table Activities { key (accountId | `timestamp#eventId`) }
//! entity Activity in Activities {
//!   accountId           uuid
//!   `timestamp#eventId` string(..80)
//!   eventId             uuid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Activities { key (accountId | at) }
//! entity Activity in Activities {
//!   at = "{timestamp:iso}#{eventId}"
//!   accountId uuid
//!   eventId   uuid = new
//!   timestamp time(s) = now
//! }
//! ```
//!
//! ## When to allow
//!
//! When another document fixes the form, and a test holds it.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_time_name;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1010",
    name: "timestamp-format-unspecified",
    theme: Theme::Keys,
    level: Severity::Warning,
    source: include_str!("timestamp_format_unspecified.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let name = attribute.name.text.as_str();
    let composite = name.contains('#') && name.split('#').any(is_time_name) && attribute.value.is_none();
    let unit_unstated = matches!(attribute.ty, Type::Time { unit: TimeUnit::Unstated });
    if composite || unit_unstated {
        let title = format!("nothing says how the time in `{name}` is written");
        cx.push(cx.at(attribute.type_place(), title).label("ISO text, seconds or milliseconds?").note("Make it a template with a format, `\"{timestamp:iso}#{eventId}\"`, or give the type a unit, `time(ms)`."));
    }
}
