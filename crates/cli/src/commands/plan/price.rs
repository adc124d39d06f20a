//! The cost of a design in a month.

use std::path::Path;

use sortkey_design::Program;
use sortkey_plan::{PRICES, Prices, bill, bill_text};

use crate::designs;
use crate::failure::Failure;

/// Prints the bill of a month, by the prices of a region.
pub(super) fn show(program: &Program, region: &str, file: Option<&Path>) -> Result<(), Failure> {
    let text = match file {
        Some(file) => designs::read(file)?,
        None => PRICES.to_owned(),
    };
    let prices: Prices = serde_json::from_str(&text).map_err(|error| {
        let shown = file.map_or_else(|| "the table".to_owned(), |file| file.display().to_string());
        Failure::new(format_args!("{shown} contains no prices: {error}"))
            .hint("`sortkey plan --prices-form` prints their form")
    })?;
    let rates = prices.rates(region).ok_or_else(|| {
        let known: Vec<&str> = prices.regions.keys().map(String::as_str).collect();
        Failure::new(format_args!("the table has no prices of {region}; it has {}", known.join(", ")))
            .hint("give your own with --prices FILE")
    })?;
    designs::say(&bill_text(&bill(program, rates), &prices, region));
    Ok(())
}
