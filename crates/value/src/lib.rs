//! DynamoDB's data model, and nothing else: no JSON, no tables, no input or output.
//!
//! Values exist in two forms. [`AttributeValue`] is a tree, pleasant to build and to change. [`Item`] is one
//! shared buffer, cheap to clone, compared byte by byte, read through [`ValueRef`] without building a tree;
//! it is what a store keeps. Both are canonical: sets are sorted and free of duplicates, numbers have one
//! representation, so `==` is DynamoDB's equality.

mod attribute;
pub mod case;
mod codec;
pub mod double;
mod item;
pub mod key;
pub mod limits;
mod number;
pub mod order;
mod outline;
mod value_ref;

pub use attribute::{AttributeType, AttributeValue, Map};
pub use item::{DuplicateInSet, Item, ItemBuilder};
pub use number::{Number, NumberError};
pub use outline::{Outline, Place};
pub use value_ref::{
    BinarySetRef, ListRef, MapRef, NumberSetRef, Picked, StringSetRef, ValueRef, Walk, compare_names,
};
