//! Progress of long work on the standard error, for a person who waits at a terminal; nothing anywhere else.

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

/// A bar for work whose size in bytes is known.
pub(crate) fn bytes(what: &'static str, total: u64) -> ProgressBar {
    styled(
        ProgressBar::new(total),
        what,
        "{prefix} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
    )
}

/// A counter of bytes for work whose end is not known.
pub(crate) fn unknown_bytes(what: &'static str) -> ProgressBar {
    styled(ProgressBar::new_spinner(), what, "{prefix} {bytes}, {bytes_per_sec}, {elapsed}")
}

/// A bar for items that are made.
pub(crate) fn items(what: &str, total: u64) -> ProgressBar {
    styled(ProgressBar::new(total), what, "{prefix} [{bar:30}] {pos} of {len}, {eta} left")
}

/// A counter of entries for work whose end is not known.
pub(crate) fn entries(what: &'static str) -> ProgressBar {
    styled(ProgressBar::new_spinner(), what, "{prefix} {entries} entries, {elapsed}")
}

fn styled(bar: ProgressBar, what: &str, template: &str) -> ProgressBar {
    let entries = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        // A number that cannot be shown is not worth failing for.
        let _ = write!(text, "{}", HumanCount(state.pos()));
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.with_key("entries", entries)).with_prefix(what.to_owned())
}
