//! The monthly cost of a design.

mod bill;
mod prices;
mod text;

pub use bill::{Bill, Called, HOURS, TableBill, bill};
pub use prices::{Class, PRICES, Prices, Rates, Region};
pub use text::bill_text;
