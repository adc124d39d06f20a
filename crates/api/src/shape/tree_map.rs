//! Maps from texts to shapes, sorted by key: for members that are looked up rather than walked.

use super::check::{Check, Measure, Part, Report};
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use super::string_map::{StringMap, print_entries};
use crate::error::ApiError;
use crate::json::Writer;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl<V: Decode> Decode for BTreeMap<String, V> {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        StringMap::decode(decoder, at).map(sortkey_value::order::map)
    }

    fn class_name() -> Cow<'static, str> {
        StringMap::<V>::class_name()
    }
}

impl<V: Encode> Encode for BTreeMap<String, V> {
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.begin_object();
        for (key, value) in self {
            writer.name(key);
            value.encode(writer);
        }
        writer.end_object();
    }
}

impl<V: Check> Check for BTreeMap<String, V> {
    fn measure(&self) -> Measure<'_> {
        Measure::Count(self.len())
    }

    fn for_each_part(&self, visit: &mut dyn FnMut(Part, Measure<'_>)) {
        for (key, value) in self {
            visit(Part::Key, Measure::Text(key));
            visit(Part::Value, value.measure());
        }
    }

    fn check(&self, at: Path<'_>, report: &mut Report<'_>) {
        for (key, value) in self {
            value.check(at.entry(key), report);
        }
    }

    fn print(&self, out: &mut String) {
        print_entries(self.iter().map(|(key, value)| (key.as_str(), value)), out);
    }
}
