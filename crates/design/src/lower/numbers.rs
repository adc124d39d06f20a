//! Numbers, sizes, lengths of time and rates, as exact as they are written: what cannot be meant exactly is an error.

use super::Lower;
use crate::model::Load;
use crate::problems::NUMBER;
use sortkey_syntax::ast::{self, AstNode};

/// The largest number that every step computes exactly.
const MOST: f64 = 9_007_199_254_740_992.0;

impl Lower<'_> {
    /// A number of items, at least one.
    pub(super) fn some(&mut self, number: &ast::Number) -> u64 {
        let count = self.plain(number);
        if count == 0 {
            let span = self.span(number.range());
            self.problems.push(NUMBER.at(span, "at least one item is asked for").label("none"));
        }
        count
    }

    /// At least one.
    pub(super) fn at_least_one(&mut self, number: &ast::Number) -> u64 {
        let count = self.plain(number);
        if count == 0 {
            let span = self.span(number.range());
            self.problems.push(NUMBER.at(span, "this must be at least 1"));
        }
        count.max(1)
    }

    /// A whole number without a unit.
    pub(super) fn plain(&mut self, number: &ast::Number) -> u64 {
        if number.unit().is_empty() {
            return self.count(number);
        }
        let span = self.span(number.range());
        let title = format!("a plain number is expected, without `{}`", number.unit());
        self.problems.push(NUMBER.at(span, title));
        1
    }

    /// A whole number, in bytes if it has a unit of size.
    pub(super) fn count(&mut self, number: &ast::Number) -> u64 {
        let factor = match number.unit() {
            "" | "B" => 1.0,
            "KB" => 1024.0,
            "MB" => 1024.0 * 1024.0,
            "GB" => 1024.0 * 1024.0 * 1024.0,
            unit => {
                let span = self.span(number.range());
                self.problems.push(NUMBER.at(span, format!("`{unit}` is not a unit of size")));
                return 1;
            }
        };
        self.exactly(number, factor)
    }

    /// A duration in milliseconds.
    pub(super) fn duration_ms(&mut self, number: &ast::Number) -> u64 {
        let factor = match number.unit() {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            "w" => 604_800_000.0,
            unit => {
                let span = self.span(number.range());
                let title = match unit {
                    "" => "a length of time needs a unit".to_owned(),
                    unit => format!("`{unit}` is not a unit of time"),
                };
                self.problems.push(NUMBER.at(span, title).note("Write 15m, 24h, 90d."));
                return 0;
            }
        };
        self.exactly(number, factor)
    }

    /// A whole number of days.
    pub(super) fn days(&mut self, number: &ast::Number) -> u64 {
        let (ms, day_ms) = (self.duration_ms(number), 86_400_000);
        if ms % day_ms != 0 {
            let span = self.span(number.range());
            self.problems.push(NUMBER.at(span, "this is counted in whole days").note("Write 7d or 35d."));
        }
        ms / day_ms
    }

    /// A number times its unit, which has no fraction.
    fn exactly(&mut self, number: &ast::Number, factor: f64) -> u64 {
        let digits = number.digits();
        let value = digits.parse::<f64>().map_or(f64::INFINITY, |value| value * factor);
        let why = match value {
            value if value > MOST => format!("{digits} is too large"),
            value if value.fract() != 0.0 => format!("{digits} is not a whole number"),
            value => return value as u64,
        };
        let span = self.span(number.range());
        self.problems.push(NUMBER.at(span, why));
        1
    }

    pub(super) fn load(&mut self, load: &ast::Load) -> Load {
        let (usual, peak) = load.rates();
        let lowered = Load {
            per_second: usual.map_or(0.0, |rate| self.rate(&rate)),
            peak_per_second: peak.map(|rate| self.rate(&rate)),
            span: self.span(load.range()),
        };
        if lowered.peak_per_second.is_some_and(|peak| peak < lowered.per_second) {
            self.problems.push(NUMBER.at(lowered.span, "a peak is not below the usual rate"));
        }
        lowered
    }

    /// A rate may have a fraction: `0.5/s` is one in two seconds.
    fn rate(&mut self, rate: &ast::Rate) -> f64 {
        let Some(number) = rate.number() else { return 0.0 };
        if !number.unit().is_empty() {
            return self.plain(&number) as f64;
        }
        number.digits().parse::<f64>().unwrap_or_default() / self.rate_seconds(rate) as f64
    }

    /// How many requests are allowed, and in how many milliseconds.
    pub(super) fn limit(&mut self, rate: &ast::Rate) -> (u64, u64) {
        let count = rate.number().map_or(1, |number| self.at_least_one(&number));
        (count, self.rate_seconds(rate) * 1_000)
    }

    /// The seconds of a rate's unit.
    fn rate_seconds(&mut self, rate: &ast::Rate) -> u64 {
        match rate.unit().as_ref().map(ast::Name::text) {
            Some("s") | None => 1,
            Some("m" | "min") => 60,
            Some("h") => 3_600,
            Some("d" | "day") => 86_400,
            Some(other) => {
                let span = self.span(rate.range());
                let title = format!("`{other}` is not a unit of time");
                self.problems.push(NUMBER.at(span, title).note("Write 200/s, 50/m, 10/h or 3/d."));
                1
            }
        }
    }
}
