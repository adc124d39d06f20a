//! Pages of exports and imports.

use serde::de::DeserializeOwned;
use sortkey_api::{ApiError, TableName};
use sortkey_storage::Published;

use super::export::Export;
use super::import::Import;
use crate::catalog;

const DEFAULT_LIMIT: usize = 25;
/// Tokens of AWS have at least so many hexadecimal digits, and SDKs refuse to send shorter ones.
const TOKEN_DIGITS: usize = 112;

/// A list request: the kind of entries, the table and the page.
pub(crate) struct Listing {
    pub(crate) space: &'static [u8],
    pub(crate) table: Option<TableName>,
    pub(crate) limit: Option<i32>,
    pub(crate) token: Option<String>,
}

/// Something that is listed.
pub(crate) trait Listed: DeserializeOwned {
    fn label(&self) -> &str;
    fn table(&self) -> &str;
}

impl Listed for Export {
    fn label(&self) -> &str {
        &self.label
    }

    fn table(&self) -> &str {
        &self.table_name
    }
}

impl Listed for Import {
    fn label(&self) -> &str {
        &self.label
    }

    fn table(&self) -> &str {
        &self.table_name
    }
}

/// A page, and the token of the next one if there is one.
pub(crate) fn page<T: Listed>(
    view: &Published,
    listing: &Listing,
) -> Result<(Vec<T>, Option<String>), ApiError> {
    let limit = listing.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
    let after = listing.token.as_deref().map(label_of).transpose()?;
    let mut page = Vec::new();
    for entry in catalog::entries::<T>(view, listing.space) {
        let entry = entry?;
        let is_wanted = listing.table.as_ref().is_none_or(|table| table.name() == entry.table());
        if is_wanted && after.as_deref().is_none_or(|after| entry.label() > after) {
            page.push(entry);
        }
    }
    let more = page.len() > limit;
    page.truncate(limit);
    let token = page.last().filter(|_| more).map(|last| token_of(last.label()));
    Ok((page, token))
}

/// A label in hexadecimal digits, with zeros behind it.
fn token_of(label: &str) -> String {
    let digits: String = label.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{digits:0<TOKEN_DIGITS$}")
}

/// The error for a token that no page ended with.
pub(crate) fn invalid_token(token: &str) -> ApiError {
    ApiError::validation(format!("Invalid Request: Provided nextToken is invalid: {token}"))
}

fn label_of(token: &str) -> Result<String, ApiError> {
    let bytes: Option<Vec<u8>> = token
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .take_while(|byte| *byte != Some(0))
        .collect();
    let label = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    label.filter(|label| token_of(label) == token).ok_or_else(|| invalid_token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        let token = token_of("01489602797149-73d8d5bc");
        assert_eq!(token.len(), TOKEN_DIGITS);
        assert_eq!(label_of(&token).unwrap(), "01489602797149-73d8d5bc");
        for token in ["", "zz", "30", "é"] {
            assert!(label_of(token).is_err(), "{token}");
        }
    }
}
