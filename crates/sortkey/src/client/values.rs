//! Values that JSON has no type of its own for.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sortkey_value::Number;

/// A decimal number of up to 38 digits, as its digits: a double would round it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not a number that DynamoDB stores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a number of at most 38 digits")]
pub struct NotADecimal(String);

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Decimal, NotADecimal> {
        Number::parse(text).map(|_| Decimal(text.to_owned())).map_err(|_| NotADecimal(text.to_owned()))
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Decimal {
        Decimal(value.to_string())
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        match serde_json::Value::deserialize(from)? {
            serde_json::Value::Number(number) => Ok(Decimal(number.to_string())),
            serde_json::Value::String(text) => text.parse().map_err(serde::de::Error::custom),
            other => Err(serde::de::Error::custom(format!("expected a number, not {other}"))),
        }
    }
}

/// Bytes, which travel as Base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes(pub Vec<u8>);

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(bytes)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        Bytes(bytes.to_vec())
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map(Bytes).map_err(serde::de::Error::custom)
    }
}

/// A time as a parameter takes it: ISO 8601 text, or milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnyTime {
    /// Milliseconds since 1970.
    Milliseconds(i64),
    /// ISO 8601.
    Iso(String),
}

impl From<i64> for AnyTime {
    fn from(milliseconds: i64) -> AnyTime {
        AnyTime::Milliseconds(milliseconds)
    }
}

impl From<&str> for AnyTime {
    fn from(text: &str) -> AnyTime {
        AnyTime::Iso(text.to_owned())
    }
}

/// A change of an attribute that an item may lack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edit<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It is removed.
    Remove,
    /// It gets a value.
    Set(T),
}

impl<T> Edit<T> {
    /// Whether nothing changes: such a field is left out of a request.
    pub fn is_keep(&self) -> bool {
        matches!(self, Edit::Keep)
    }
}

impl<T> From<T> for Edit<T> {
    fn from(value: T) -> Edit<T> {
        Edit::Set(value)
    }
}

impl<T: Serialize> Serialize for Edit<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Edit::Keep | Edit::Remove => to.serialize_none(),
            Edit::Set(value) => value.serialize(to),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Edit<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Edit<T>, D::Error> {
        Ok(Option::<T>::deserialize(from)?.map_or(Edit::Remove, Edit::Set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_digits() {
        let long = "12345678901234567890.5";
        let read: Decimal = serde_json::from_str(&format!("{long:?}")).expect("a number");
        assert_eq!(read.as_str(), long);
        assert_eq!(serde_json::to_string(&read).expect("written"), format!("{long:?}"));
        assert_eq!(serde_json::from_str::<Decimal>("2.5").expect("a number").to_f64(), 2.5);
        assert!("one".parse::<Decimal>().is_err());
        assert!(serde_json::from_str::<Decimal>("true").is_err());
    }

    #[test]
    fn an_edit_sets_or_removes() {
        assert_eq!(serde_json::to_string(&Edit::Set(1)).expect("written"), "1");
        assert_eq!(serde_json::to_string(&Edit::<i64>::Remove).expect("written"), "null");
        assert_eq!(serde_json::from_str::<Edit<i64>>("null").expect("read"), Edit::Remove);
    }
}
