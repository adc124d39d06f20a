//! From the compact form to JSON, and to the form in which messages quote items.

use super::{SuppliedItem, SuppliedValue, in_item};
use crate::json::Writer;
use crate::shape::{Check, Constraint, Encode, Measure, Path, Report};
use crate::text;
use sortkey_value::limits::ATTRIBUTE_NAME_BYTES;
use sortkey_value::{Item, MapRef, Number, ValueRef};
use std::fmt::Write as _;

impl Encode for Item {
    fn encode(&self, writer: &mut Writer<'_>) {
        attributes(self.entries(), writer);
    }
}

impl Encode for SuppliedItem {
    fn encode(&self, writer: &mut Writer<'_>) {
        self.item.encode(writer);
    }
}

impl Encode for SuppliedValue {
    fn encode(&self, writer: &mut Writer<'_>) {
        let item = in_item(|builder| builder.tree(&self.value));
        item.iter().for_each(|(_, held)| value(&held, writer));
    }
}

impl Check for Item {
    fn measure(&self) -> Measure<'_> {
        Measure::Count(self.len())
    }

    fn print(&self, out: &mut String) {
        print_attributes(self.entries(), out);
    }
}

impl Check for SuppliedItem {
    fn measure(&self) -> Measure<'_> {
        self.item.measure()
    }

    /// The names of attributes, which are the keys of a map here, have a length. Small items have no long names.
    fn check(&self, at: Path<'_>, report: &mut Report<'_>) {
        const RULE: Constraint = Constraint::MaxLength(ATTRIBUTE_NAME_BYTES);
        let is_too_long = |name: &str| Measure::Text(name).length() > Some(ATTRIBUTE_NAME_BYTES);
        if self.item.as_bytes().len() > ATTRIBUTE_NAME_BYTES
            && self.item.iter().any(|(name, _)| is_too_long(name))
        {
            report.violated(self, at, &text::constraint::each_key(RULE.rule()));
        }
    }

    fn print(&self, out: &mut String) {
        self.item.print(out);
    }
}

impl Check for SuppliedValue {
    fn print(&self, out: &mut String) {
        let item = in_item(|builder| builder.tree(&self.value));
        item.iter().for_each(|(_, held)| print_value(held, out));
    }
}

fn attributes(map: MapRef<'_>, writer: &mut Writer<'_>) {
    writer.begin_object();
    map.each(|name, held| {
        writer.name(name);
        value(held, writer);
    });
    writer.end_object();
}

/// Writes `{"S":"x"}`. Recursion is bounded by the 32 levels that items may nest.
fn value(held: &ValueRef<'_>, writer: &mut Writer<'_>) {
    match *held {
        ValueRef::S(text) => {
            writer.begin_object_with("{\"S\":");
            writer.string(text);
        }
        ValueRef::N(number) => {
            writer.begin_object_with("{\"N\":");
            self::number(number, writer);
        }
        ValueRef::B(bytes) => {
            writer.begin_object_with("{\"B\":");
            writer.binary(bytes);
        }
        ValueRef::Bool(flag) => {
            writer.begin_object_with("{\"BOOL\":");
            writer.boolean(flag);
        }
        ValueRef::Null => {
            writer.begin_object_with("{\"NULL\":");
            writer.boolean(true);
        }
        ValueRef::L(list) => {
            writer.begin_object_with("{\"L\":");
            array(list.iter(), writer, |member, writer| value(&member, writer));
        }
        ValueRef::M(map) => {
            writer.begin_object_with("{\"M\":");
            attributes(map, writer);
        }
        ValueRef::Ss(set) => {
            writer.begin_object_with("{\"SS\":");
            array(set.iter(), writer, |member, writer| writer.string(member));
        }
        ValueRef::Ns(set) => {
            writer.begin_object_with("{\"NS\":");
            array(set.iter(), writer, number);
        }
        ValueRef::Bs(set) => {
            writer.begin_object_with("{\"BS\":");
            array(set.iter(), writer, |member, writer| writer.binary(member));
        }
    }
    writer.end_object();
}

/// Most numbers are small integers, which print without the general machinery.
fn number(number: Number, writer: &mut Writer<'_>) {
    match number.to_i64() {
        Some(integer) => writer.quoted_integer(integer),
        None => writer.plain_string(number),
    }
}

fn array<T>(members: impl Iterator<Item = T>, writer: &mut Writer<'_>, write: impl Fn(T, &mut Writer<'_>)) {
    writer.begin_array();
    members.for_each(|member| write(member, writer));
    writer.end_array();
}

fn print_attributes(map: MapRef<'_>, out: &mut String) {
    out.push('{');
    for (position, (name, held)) in map.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        out.push_str(name);
        out.push('=');
        print_value(held, out);
    }
    out.push('}');
}

/// Prints `AttributeValue(S=x)`.
fn print_value(held: ValueRef<'_>, out: &mut String) {
    out.push_str("AttributeValue(");
    out.push_str(held.attribute_type().as_str());
    out.push('=');
    // Writing into a string cannot fail.
    let _ = match held {
        ValueRef::S(text) => write!(out, "{text}"),
        ValueRef::N(number) => write!(out, "{number}"),
        ValueRef::B(bytes) => write!(out, "java.nio.HeapByteBuffer[pos=0 lim={0} cap={0}]", bytes.len()),
        ValueRef::Bool(flag) => write!(out, "{flag}"),
        ValueRef::Null => write!(out, "true"),
        ValueRef::M(map) => {
            print_attributes(map, out);
            Ok(())
        }
        ValueRef::L(list) => {
            print_list(list.iter(), out, print_value);
            Ok(())
        }
        ValueRef::Ss(set) => {
            print_list(set.iter(), out, |member, out| out.push_str(member));
            Ok(())
        }
        ValueRef::Ns(set) => {
            print_list(set.iter(), out, |member, out| out.push_str(&member.to_string()));
            Ok(())
        }
        ValueRef::Bs(set) => write!(out, "{} members", set.len()),
    };
    out.push(')');
}

fn print_list<T>(members: impl Iterator<Item = T>, out: &mut String, print: impl Fn(T, &mut String)) {
    out.push('[');
    for (position, member) in members.enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        print(member, out);
    }
    out.push(']');
}
