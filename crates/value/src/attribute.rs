//! The ten attribute types, and values as trees.

use std::collections::BTreeMap;

use crate::Number;

/// Attributes by name.
pub type Map = BTreeMap<String, AttributeValue>;

/// One of DynamoDB's ten types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AttributeType {
    /// String.
    S = 1,
    /// Number.
    N = 2,
    /// Binary.
    B = 3,
    /// Boolean.
    Bool = 4,
    /// Null.
    Null = 5,
    /// List.
    L = 6,
    /// Map.
    M = 7,
    /// String set.
    Ss = 8,
    /// Number set.
    Ns = 9,
    /// Binary set.
    Bs = 10,
}

impl AttributeType {
    /// All types.
    pub const ALL: [AttributeType; 10] = [
        AttributeType::S,
        AttributeType::N,
        AttributeType::B,
        AttributeType::Bool,
        AttributeType::Null,
        AttributeType::L,
        AttributeType::M,
        AttributeType::Ss,
        AttributeType::Ns,
        AttributeType::Bs,
    ];

    /// DynamoDB's descriptor of the type: `S`, `BOOL`, `NS`.
    pub fn as_str(self) -> &'static str {
        match self {
            AttributeType::S => "S",
            AttributeType::N => "N",
            AttributeType::B => "B",
            AttributeType::Bool => "BOOL",
            AttributeType::Null => "NULL",
            AttributeType::L => "L",
            AttributeType::M => "M",
            AttributeType::Ss => "SS",
            AttributeType::Ns => "NS",
            AttributeType::Bs => "BS",
        }
    }

    /// The type that a descriptor names.
    pub fn from_descriptor(descriptor: &str) -> Option<AttributeType> {
        AttributeType::ALL.into_iter().find(|kind| kind.as_str() == descriptor)
    }
}

impl std::fmt::Display for AttributeType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value as a tree. Build sets with [`AttributeValue::string_set`] and its siblings, which sort them and
/// drop duplicates: equality relies on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeValue {
    /// String.
    S(String),
    /// Number.
    N(Number),
    /// Binary.
    B(Vec<u8>),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// List.
    L(Vec<AttributeValue>),
    /// Map.
    M(Map),
    /// String set, sorted, without duplicates.
    Ss(Vec<String>),
    /// Number set, sorted, without duplicates.
    Ns(Vec<Number>),
    /// Binary set, sorted, without duplicates.
    Bs(Vec<Vec<u8>>),
}

impl AttributeValue {
    /// A string set.
    pub fn string_set<T: Into<String>>(members: impl IntoIterator<Item = T>) -> AttributeValue {
        AttributeValue::Ss(as_set(members))
    }

    /// A number set.
    pub fn number_set<T: Into<Number>>(members: impl IntoIterator<Item = T>) -> AttributeValue {
        AttributeValue::Ns(as_set(members))
    }

    /// A binary set.
    pub fn binary_set<T: Into<Vec<u8>>>(members: impl IntoIterator<Item = T>) -> AttributeValue {
        AttributeValue::Bs(as_set(members))
    }

    /// The type of the value, one of the ten.
    pub fn attribute_type(&self) -> AttributeType {
        match self {
            AttributeValue::S(_) => AttributeType::S,
            AttributeValue::N(_) => AttributeType::N,
            AttributeValue::B(_) => AttributeType::B,
            AttributeValue::Bool(_) => AttributeType::Bool,
            AttributeValue::Null => AttributeType::Null,
            AttributeValue::L(_) => AttributeType::L,
            AttributeValue::M(_) => AttributeType::M,
            AttributeValue::Ss(_) => AttributeType::Ss,
            AttributeValue::Ns(_) => AttributeType::Ns,
            AttributeValue::Bs(_) => AttributeType::Bs,
        }
    }

    /// The bytes that DynamoDB accounts for the value, without its name.
    pub fn size_bytes(&self) -> usize {
        match self {
            AttributeValue::S(text) => text.len(),
            AttributeValue::N(number) => number.size_bytes(),
            AttributeValue::B(bytes) => bytes.len(),
            AttributeValue::Bool(_) | AttributeValue::Null => 1,
            AttributeValue::L(list) => 3 + list.iter().map(|value| 1 + value.size_bytes()).sum::<usize>(),
            AttributeValue::M(map) => {
                3 + map.iter().map(|(name, value)| 1 + name.len() + value.size_bytes()).sum::<usize>()
            }
            AttributeValue::Ss(set) => set.iter().map(String::len).sum(),
            AttributeValue::Ns(set) => set.iter().map(|number| number.size_bytes()).sum(),
            AttributeValue::Bs(set) => set.iter().map(Vec::len).sum(),
        }
    }
}

fn as_set<M: Ord, T: Into<M>>(members: impl IntoIterator<Item = T>) -> Vec<M> {
    let mut set: Vec<M> = members.into_iter().map(Into::into).collect();
    crate::order::sort(&mut set);
    set.dedup();
    set
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> AttributeValue {
        AttributeValue::S(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> AttributeValue {
        AttributeValue::S(text)
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> AttributeValue {
        AttributeValue::N(number)
    }
}

impl From<i64> for AttributeValue {
    fn from(number: i64) -> AttributeValue {
        AttributeValue::N(number.into())
    }
}

impl From<i32> for AttributeValue {
    fn from(number: i32) -> AttributeValue {
        AttributeValue::N(number.into())
    }
}

impl From<bool> for AttributeValue {
    fn from(value: bool) -> AttributeValue {
        AttributeValue::Bool(value)
    }
}

impl From<Vec<u8>> for AttributeValue {
    fn from(bytes: Vec<u8>) -> AttributeValue {
        AttributeValue::B(bytes)
    }
}

impl From<Vec<AttributeValue>> for AttributeValue {
    fn from(list: Vec<AttributeValue>) -> AttributeValue {
        AttributeValue::L(list)
    }
}

impl From<Map> for AttributeValue {
    fn from(map: Map) -> AttributeValue {
        AttributeValue::M(map)
    }
}
