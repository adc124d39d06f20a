//! Values that an expression brings along.

use std::fmt;

use sortkey_value::{AttributeValue, Item, ValueRef};

/// A value in compact form, shared with the request it came in: a clone copies no bytes.
#[derive(Clone)]
pub struct Constant {
    values: Item,
    name: Box<str>,
}

impl Constant {
    /// The value of one attribute of an item, such as the item of a request's values by placeholder.
    pub fn from_item(values: &Item, name: &str) -> Option<Constant> {
        values.get(name).map(|_| Constant { values: values.clone(), name: name.into() })
    }

    /// The value.
    pub fn value(&self) -> ValueRef<'_> {
        // Every constructor has looked the name up, and items do not change.
        self.values.get(&self.name).unwrap_or(ValueRef::Null)
    }
}

impl From<&AttributeValue> for Constant {
    fn from(value: &AttributeValue) -> Constant {
        let mut values = Item::builder();
        values.name("");
        values.tree(value);
        Constant { values: values.finish(), name: "".into() }
    }
}

impl From<AttributeValue> for Constant {
    fn from(value: AttributeValue) -> Constant {
        Constant::from(&value)
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Constant) -> bool {
        self.value() == other.value()
    }
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}
