//! Placeholders for names and values, handed out while expressions are written.

use std::collections::BTreeMap;

use sortkey_api::SuppliedItem;
use sortkey_value::{AttributeValue, Map};

/// The placeholders of one request.
#[derive(Default)]
pub(crate) struct Placeholders {
    names: BTreeMap<String, String>,
    values: Map,
}

/// Attribute names that an expression may contain as they are.
const PLAIN: &[&str] = &["v", "w", "m", "l", "x", "y"];

impl Placeholders {
    pub(crate) fn name(&mut self, name: &str) -> String {
        // Plain names are written both ways, so that both are read.
        if PLAIN.contains(&name) && self.values.len().is_multiple_of(2) {
            return name.to_owned();
        }
        if let Some((placeholder, _)) = self.names.iter().find(|(_, known)| *known == name) {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    pub(crate) fn value(&mut self, value: &AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.clone());
        placeholder
    }

    pub(crate) fn names(&self) -> Option<BTreeMap<String, String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    pub(crate) fn values(&self) -> Option<SuppliedItem> {
        (!self.values.is_empty()).then(|| self.values.clone().into())
    }
}
