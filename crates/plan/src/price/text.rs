//! A month of a design as text: what `sortkey plan --price` prints.

use super::bill::{Bill, TableBill};
use super::prices::Prices;
use crate::columns::{columns, row};
use crate::text::units;
use std::fmt::Write as _;

/// The bill for people.
pub fn bill_text(bill: &Bill<'_>, prices: &Prices, region: &str) -> String {
    let mut text = format!(
        "A month in {region}, in {}, at the prices of {} ({}).\n",
        prices.currency, prices.date, prices.source
    );
    calls(bill, &mut text);
    tables(bill, &mut text);
    missing(bill, &mut text);
    text
}

fn calls(bill: &Bill<'_>, text: &mut String) {
    if bill.calls.is_empty() {
        return;
    }
    let mut rows = vec![row(&["call", "per second", "RCU", "WCU", "on demand"])];
    for call in &bill.calls {
        let load = units(call.load.per_second);
        let cells = [call.name, &load, &units(call.each.rcu), &units(call.each.wcu), &money(call.on_demand)];
        rows.push(row(&cells));
    }
    *text += &columns(&rows);
}

fn tables(bill: &Bill<'_>, text: &mut String) {
    let head = ["table", "GB", "in indexes", "storage", "recovery", "stream", "on demand", "or provisioned"];
    let mut rows = vec![row(&head)];
    for table in &bill.tables {
        let cells: [&str; 8] = [
            table.name,
            &size(table.stored_gb.0),
            &size(table.stored_gb.1),
            &money(table.storage),
            &money(table.recovery),
            &money(table.stream),
            &money(table.on_demand),
            &money(table.provisioned),
        ];
        rows.push(row(&cells));
    }
    *text += &columns(&rows);
    let on_demand = bill.total(|table| table.on_demand);
    let provisioned = bill.total(|table| table.provisioned);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\nTotal on demand: {}. Provisioned for the peaks: {}.",
        money(on_demand),
        money(provisioned)
    );
    let declared = bill.total(|table| table.declared);
    if declared != on_demand {
        let _ = writeln!(text, "With the capacity that the design declares: {}.", money(declared));
    }
    if bill.free_storage > 0.0 {
        let _ = writeln!(text, "These are less {} for storage that is free.", money(bill.free_storage));
    }
    for table in bill.tables.iter().filter(|table| table.infrequent < table.on_demand + table.storage) {
        let _ = writeln!(text, "{} would be cheaper as Standard-IA: {}.", table.name, money(saved(table)));
    }
}

/// The monthly cost of a table in the Standard-IA class.
fn saved(table: &TableBill<'_>) -> f64 {
    table.infrequent + table.recovery + table.stream
}

fn missing(bill: &Bill<'_>, text: &mut String) {
    if !bill.without_load.is_empty() {
        let _ = writeln!(text, "Not counted, since no load is declared: {}.", bill.without_load.join(", "));
    }
    if !bill.without_volume.is_empty() {
        let names = bill.without_volume.join(", ");
        let _ = writeln!(
            text,
            "Without a volume, so that nothing is stored of them and their sizes are half of what is allowed: {names}."
        );
    }
}

/// Cents, with the thousands set apart.
fn money(amount: f64) -> String {
    let text = format!("{amount:.2}");
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 && grouped != "-" {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped}.{cents}")
}

fn size(gb: f64) -> String {
    format!("{gb:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_grouped() {
        for (amount, text) in
            [(0.0, "0.00"), (999.994, "999.99"), (1_234_567.5, "1,234,567.50"), (-120.0, "-120.00")]
        {
            assert_eq!(money(amount), text);
        }
    }
}
