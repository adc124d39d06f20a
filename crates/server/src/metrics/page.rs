//! The metrics as Prometheus reads them: text, one line per number.

use std::fmt::Write;
use std::time::Duration;

use sortkey_api::OperationId;

use super::Metrics;
use super::histogram::{BOUNDS_MICROS, Observed};
use sortkey_engine::History;

/// The exposition format's version.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Metrics {
    /// The whole page, including the given values that are not counters of the server.
    pub(crate) fn page(&self, connections_open: usize, is_ready: bool, histories: &[History]) -> String {
        let mut page = Page::default();
        page.family("sortkey_build_info", "gauge", "The version that is running.");
        page.line("sortkey_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.family("sortkey_ready", "gauge", "1 if reads and writes are taken; 0 since the store failed.");
        page.line("sortkey_ready", &[], u8::from(is_ready));
        page.family("sortkey_connections_open", "gauge", "Connections open now.");
        page.line("sortkey_connections_open", &[], connections_open);
        for (name, kind, help, value) in [
            ("sortkey_requests_in_flight", "gauge", "Requests being answered now.", &self.in_flight),
            ("sortkey_connections_total", "counter", "Connections accepted.", &self.connections_accepted),
            (
                "sortkey_connections_timed_out_total",
                "counter",
                "Connections closed because the client sent, read or asked nothing for too long.",
                &self.connections_timed_out,
            ),
            ("sortkey_received_bytes_total", "counter", "Bytes read from clients.", &self.bytes_received),
            ("sortkey_sent_bytes_total", "counter", "Bytes written to clients.", &self.bytes_sent),
            ("sortkey_panics_total", "counter", "Requests that ended in a bug of the server.", &self.panics),
        ] {
            page.family(name, kind, help);
            page.line(name, &[], value.total());
        }
        kept(&mut page, histories);
        self.requests(&mut page);
        self.latencies(&mut page);
        page.text
    }

    fn requests(&self, page: &mut Page) {
        let name = "sortkey_requests_total";
        page.family(
            name,
            "counter",
            "Requests by operation, table and error; the error is empty on success.",
        );
        self.series.visit(|operation, table, series| {
            let labels = [("operation", operation.map_or("", OperationId::name)), ("table", table)];
            let mut succeeded = series.latency.observed().count();
            for (error, count) in series.errors() {
                succeeded = succeeded.saturating_sub(count);
                page.line(name, &[labels[0], labels[1], ("error", error.name())], count);
            }
            if succeeded > 0 {
                page.line(name, &[labels[0], labels[1], ("error", "")], succeeded);
            }
        });
    }

    fn latencies(&self, page: &mut Page) {
        let name = "sortkey_request_duration_seconds";
        page.family(name, "histogram", "Time from the last byte received to the reply being ready.");
        self.series.visit(|operation, table, series| {
            if let Some(operation) = operation {
                let labels = [("operation", operation.name()), ("table", table)];
                page.histogram(name, &labels, &series.latency.observed());
            }
        });
    }
}

/// The size of the histories that continuous backups keep.
fn kept(page: &mut Page, histories: &[History]) {
    let name = "sortkey_history_changes";
    page.family(name, "gauge", "Changes that continuous backups keep, by table.");
    histories.iter().for_each(|kept| page.line(name, &[("table", &kept.table)], kept.changes));
    let name = "sortkey_history_bytes";
    page.family(name, "gauge", "Bytes of the changes that continuous backups keep, by table.");
    histories.iter().for_each(|kept| page.line(name, &[("table", &kept.table)], kept.bytes));
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.push(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        self.text.push_str(name);
        for (index, (label, text)) in labels.iter().enumerate() {
            let open = if index == 0 { '{' } else { ',' };
            self.push(format_args!("{open}{label}=\"{}\"", Escaped(text)));
        }
        let close = if labels.is_empty() { "" } else { "}" };
        self.push(format_args!("{close} {value}\n"));
    }

    fn histogram(&mut self, name: &str, labels: &[(&str, &str)], observed: &Observed) {
        let bucket = format!("{name}_bucket");
        let mut cumulative = 0;
        for (index, count) in observed.buckets.iter().enumerate() {
            cumulative += count;
            let bound = BOUNDS_MICROS.get(index).map(|micros| Duration::from_micros(*micros).as_secs_f64());
            let bound = bound.map_or("+Inf".to_owned(), |seconds| seconds.to_string());
            self.line(&bucket, &[labels, &[("le", bound.as_str())]].concat(), cumulative);
        }
        self.line(&format!("{name}_sum"), labels, observed.sum.as_secs_f64());
        self.line(&format!("{name}_count"), labels, cumulative);
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("writing to a string cannot fail");
    }
}

/// A label's value, with the three characters escaped that the format gives a meaning.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for character in self.0.chars() {
            match character {
                '\\' => f.write_str("\\\\")?,
                '"' => f.write_str("\\\"")?,
                '\n' => f.write_str("\\n")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_api::ErrorKind;

    #[test]
    fn the_page_counts_by_operation_table_and_error() {
        let metrics = Metrics::default();
        let (get, put, table) = (OperationId::GetItem, OperationId::PutItem, Some("music"));
        metrics.answered(get, table, None, Duration::from_micros(30));
        metrics.answered(get, table, None, Duration::from_micros(80));
        let failed = ErrorKind::ConditionalCheckFailedException;
        metrics.answered(put, table, Some(failed), Duration::from_secs(60));
        metrics.refused(ErrorKind::UnknownOperationException);
        let history = History { table: "music".into(), changes: 3, bytes: 700 };
        let page = metrics.page(1, false, &[history]);
        for line in [
            r#"sortkey_requests_total{operation="GetItem",table="music",error=""} 2"#,
            r#"sortkey_requests_total{operation="PutItem",table="music",error="ConditionalCheckFailedException"} 1"#,
            r#"sortkey_requests_total{operation="",table="",error="UnknownOperationException"} 1"#,
            r#"sortkey_request_duration_seconds_bucket{operation="GetItem",table="music",le="0.000025"} 0"#,
            r#"sortkey_request_duration_seconds_bucket{operation="GetItem",table="music",le="0.00005"} 1"#,
            r#"sortkey_request_duration_seconds_bucket{operation="GetItem",table="music",le="+Inf"} 2"#,
            r#"sortkey_request_duration_seconds_bucket{operation="PutItem",table="music",le="10"} 0"#,
            r#"sortkey_request_duration_seconds_sum{operation="GetItem",table="music"} 0.00011"#,
            r#"sortkey_request_duration_seconds_count{operation="PutItem",table="music"} 1"#,
            "sortkey_requests_in_flight 0",
            "sortkey_ready 0",
            r#"sortkey_history_changes{table="music"} 3"#,
            r#"sortkey_history_bytes{table="music"} 700"#,
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\nis missing in\n{page}");
        }
    }

    #[test]
    fn label_values_are_escaped() {
        assert_eq!(Escaped("a\"b\\c\nd").to_string(), r#"a\"b\\c\nd"#);
    }
}
