//! What a month of a design costs.

mod bill;
mod prices;
mod text;

pub use bill::{Bill, Called, HOURS, TableBill, bill};
pub use prices::{Class, PRICES, Prices, Rates, Region};
pub use text::bill_text;
