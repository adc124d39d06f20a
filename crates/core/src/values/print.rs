//! Values printed as JSON text, without a tree in between: straight from the stored form, or from a value in hand.
//!
//! Invariant: the text is that of [`to_json`](super::to_json) of the value.

use serde_json::Value as Json;
use sortkey_api::json::put_string;
use sortkey_design::Program;
use sortkey_design::model::TimeUnit;
use sortkey_design::program::{Attributes, Type};
use sortkey_value::{MapRef, Number, ValueRef};

use super::json::number_json;
use super::{Val, from_stored, to_json};

/// Prints a stored value of a type; false, and nothing printed, if it is an absent value.
pub(crate) fn print_stored(out: &mut Vec<u8>, program: &Program, ty: &Type, value: &ValueRef<'_>) -> bool {
    match (ty, value) {
        (Type::Time { unit: TimeUnit::Milliseconds }, ValueRef::N(number)) => print_number(out, *number),
        (Type::Time { unit: TimeUnit::Seconds }, ValueRef::N(number)) if is_near(*number) => {
            print_number(out, *number);
        }
        (Type::Time { unit: TimeUnit::Iso }, ValueRef::S(text)) if is_iso(text) => print_text(out, text),
        (Type::Set { of, .. }, ValueRef::Ss(members)) => {
            let members = members.iter().map(ValueRef::S);
            print_all(out, members, |out, each| print_stored(out, program, of, &each));
        }
        (Type::Set { of, .. }, ValueRef::Ns(members)) => {
            let members = members.iter().map(ValueRef::N);
            print_all(out, members, |out, each| print_stored(out, program, of, &each));
        }
        (Type::List { of, .. }, ValueRef::L(members)) => {
            print_all(out, members.iter(), |out, each| print_stored(out, program, of, &each));
        }
        (Type::Map { of, .. }, ValueRef::M(fields)) => {
            let mut object = ObjectPrinter::begin(out);
            for (name, value) in fields.iter() {
                object.field(name, |out| {
                    if !print_stored(out, program, of, &value) {
                        out.extend_from_slice(b"null");
                    }
                    true
                });
            }
            object.end();
        }
        (Type::Object(id), ValueRef::M(fields)) => {
            print_object(out, program, &program.objects[*id].attributes, *fields);
        }
        (ty, ValueRef::S(text)) if ty.is_plain() => print_text(out, text),
        (ty, ValueRef::N(number)) if ty.is_plain() => print_number(out, *number),
        (ty, ValueRef::Bool(value)) if ty.is_plain() => {
            out.extend_from_slice(if *value { b"true" } else { b"false" });
        }
        (ty, value) => return print_value(out, program, ty, &from_stored(program, ty, *value)),
    }
    true
}

/// Prints a value of a type; false, and nothing printed, if it is absent.
pub(crate) fn print_value(out: &mut Vec<u8>, program: &Program, ty: &Type, value: &Val) -> bool {
    match (ty, value) {
        (_, Val::Absent) => return false,
        (_, Val::Text(text)) => print_text(out, text),
        (_, Val::Number(number)) => print_number(out, *number),
        (ty, value) => print_json(out, &to_json(program, ty, value)),
    }
    true
}

/// Prints text.
pub(crate) fn print_text(out: &mut Vec<u8>, text: &str) {
    put_string(out, text);
}

/// Prints what is JSON already.
pub(crate) fn print_json(out: &mut Vec<u8>, json: &Json) {
    // Memory takes everything, here and below.
    let _ = serde_json::to_writer(out, json);
}

fn print_number(out: &mut Vec<u8>, number: Number) {
    let _ = match number.to_i64() {
        Some(integer) => serde_json::to_writer(out, &integer),
        None => serde_json::to_writer(out, &number_json(number)),
    };
}

fn print_all<T>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = T>,
    print: impl Fn(&mut Vec<u8>, T) -> bool,
) {
    out.push(b'[');
    for (at, member) in members.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if !print(out, member) {
            out.extend_from_slice(b"null");
        }
    }
    out.push(b']');
}

fn print_object(out: &mut Vec<u8>, program: &Program, attributes: &Attributes, fields: MapRef<'_>) {
    let mut object = ObjectPrinter::begin(out);
    for (name, value) in fields.iter() {
        let ty = attributes.find(name).map_or(&Type::Unknown, |id| &*attributes[id].ty);
        object.field(name, |out| print_stored(out, program, ty, &value));
    }
    object.end();
}

/// Prints an object field by field.
pub(crate) struct ObjectPrinter<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> ObjectPrinter<'o> {
    pub(crate) fn begin(out: &'o mut Vec<u8>) -> ObjectPrinter<'o> {
        out.push(b'{');
        ObjectPrinter { out, is_empty: true }
    }

    /// Prints a field, unless `print` returns false.
    pub(crate) fn field(&mut self, name: &str, print: impl FnOnce(&mut Vec<u8>) -> bool) {
        let label = |out: &mut Vec<u8>| {
            print_text(out, name);
            out.push(b':');
        };
        self.entry(label, print);
    }

    /// Like `field`, with a name that is JSON text already, colon included.
    pub(crate) fn labelled(&mut self, label: &[u8], print: impl FnOnce(&mut Vec<u8>) -> bool) {
        self.entry(|out| out.extend_from_slice(label), print);
    }

    fn entry(&mut self, label: impl FnOnce(&mut Vec<u8>), print: impl FnOnce(&mut Vec<u8>) -> bool) {
        let before = self.out.len();
        if !self.is_empty {
            self.out.push(b',');
        }
        label(self.out);
        match print(self.out) {
            true => self.is_empty = false,
            false => self.out.truncate(before),
        }
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }
}

/// Whether a number of seconds is one of milliseconds as well.
fn is_near(seconds: Number) -> bool {
    seconds.to_i64().is_some_and(|seconds| seconds.checked_mul(1_000).is_some())
}

/// Whether a text is in the one form in which times are written. A time in this form is printed as it is, and so is what
/// only looks like one.
fn is_iso(text: &str) -> bool {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let fits = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == *form,
    };
    text.len() == FORM.len() && text.bytes().zip(FORM).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_design::program::{EntityId, Id};
    use sortkey_design::{NoFiles, compile};
    use sortkey_value::{AttributeValue, Item};

    /// Every value for every type: what fits, and what another hand may have stored.
    #[test]
    fn what_is_printed_is_what_the_tree_says() {
        let program = compile("t.sk", DESIGN, &NoFiles).program;
        let entity = &program.entities[EntityId::new(0)];
        let number = |text: &str| AttributeValue::N(Number::parse(text).expect("a number"));
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let map = |name: &str, value: AttributeValue| AttributeValue::M([(name.to_owned(), value)].into());
        let values = [
            text("plain \"quoted\" \n ü"),
            text("2026-01-31T12:00:00.000Z"),
            text("2026-13-31T12:00:00.000Z"),
            text("2026-01-31"),
            text("[1, {\"a\": null}]"),
            number("7"),
            number("-1.50"),
            number("9223372036854775807"),
            number("12345678901234567890123456789012345678"),
            AttributeValue::Bool(true),
            AttributeValue::Null,
            AttributeValue::B(vec![1, 2, 3]),
            AttributeValue::string_set(["b".to_owned(), "a".to_owned()]),
            AttributeValue::number_set([Number::from(1), Number::from(2)]),
            AttributeValue::binary_set([vec![1]]),
            AttributeValue::L(vec![text("2026-01-31T12:00:00Z"), number("1"), AttributeValue::Null]),
            map("a", number("1767225600")),
            map("unknown", map("at", text("x"))),
        ];
        for attribute in entity.attributes.iter() {
            let ty = &attribute.ty;
            for value in &values {
                let item = Item::from([("v", value.clone())]);
                let stored = item.get("v").expect("it is there");
                let val = from_stored(&program, ty, stored);
                let expected = (!val.is_absent()).then(|| to_json(&program, ty, &val).to_string());
                let mut out = Vec::new();
                let printed = print_stored(&mut out, &program, ty, &stored);
                let printed = printed.then(|| String::from_utf8(out).expect("text"));
                assert_eq!(printed, expected, "{} = {value:?}", attribute.name);
                let mut out = Vec::new();
                print_value(&mut out, &program, ty, &val);
                assert_eq!(String::from_utf8(out).expect("text"), expected.unwrap_or_default());
            }
        }
    }

    #[test]
    fn objects_leave_out_what_is_absent() {
        let mut out = Vec::new();
        let mut object = ObjectPrinter::begin(&mut out);
        object.field("a", |_| false);
        object.field("b", |out| {
            print_text(out, "x");
            true
        });
        object.field("c", |_| false);
        object.end();
        let expected: Json = serde_json::json!({"b": "x"});
        assert_eq!(String::from_utf8(out).expect("text"), expected.to_string());
    }

    const DESIGN: &str = r#"
        table T { key (a) }
        record R { a time(s), at? time(iso) }
        entity E in T {
          a string  b time(ms)  c time(s)  d time(iso)  e decimal(10, 2)  f int  g bool  h date
          i json(list(any))  j set(string)  k set(int)  l list(time(iso))  m map(time(s))  n { a time(ms), unknown any }
          o R  p any  q bytes(..10)  r id("x_", ulid)  s x | y
        }
    "#;
}
