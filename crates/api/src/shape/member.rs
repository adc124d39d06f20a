//! Members of structures: required or optional, which their Rust type alone decides.

use super::check::{Check, Report};
use super::constraint::Constraint;
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::{Path, write_lower_first};
use crate::json::Writer;

/// Everything that a value in a structure can do.
pub trait Shape: Decode + Encode + Check {}

impl<T: Decode + Encode + Check> Shape for T {}

/// The declaration of a member, apart from its type.
#[derive(Clone, Copy, Debug)]
pub struct MemberRule {
    /// How JSON spells the member.
    pub wire_name: &'static str,
    /// The constraints on its value.
    pub constraints: &'static [Constraint],
}

/// A field of a structure: `T` is required, `Option<T>` is not.
pub trait Member: Sized {
    /// The shape of the value.
    type Value: Shape;

    /// The field, from what was decoded. A required member that is absent is noted and gets a default:
    /// the report will name it before anybody looks at the field.
    fn complete(
        decoded: Option<Self::Value>,
        decoder: &mut Decoder<'_>,
        at: Path<'_>,
        rule: &MemberRule,
    ) -> Self;

    /// The value, if there is one.
    fn value(&self) -> Option<&Self::Value>;
}

impl<T: Shape + Default> Member for T {
    type Value = T;

    fn complete(decoded: Option<T>, decoder: &mut Decoder<'_>, at: Path<'_>, rule: &MemberRule) -> T {
        decoded.unwrap_or_else(|| {
            let own_text = rule.constraints.iter().find_map(|constraint| match constraint {
                Constraint::WhenMissing(text) => Some(*text),
                _ => None,
            });
            match own_text {
                Some(text) => decoder.note_missing_with_text(text),
                None => decoder.note_missing(at.member(rule.wire_name)),
            }
            T::default()
        })
    }

    fn value(&self) -> Option<&T> {
        Some(self)
    }
}

impl<T: Shape> Member for Option<T> {
    type Value = T;

    fn complete(decoded: Self, _: &mut Decoder<'_>, _: Path<'_>, _: &MemberRule) -> Self {
        decoded
    }

    fn value(&self) -> Option<&T> {
        self.as_ref()
    }
}

/// Writes a member, unless it is absent. `quoted_name` includes quotes and colon.
pub(crate) fn encode_member<M: Member>(member: &M, quoted_name: &'static str, writer: &mut Writer<'_>) {
    if let Some(value) = member.value() {
        writer.quoted_name(quoted_name);
        value.encode(writer);
    }
}

/// Reports what is wrong with a member: that it is missing, or what its value violates.
pub(crate) fn check_member<M: Member>(member: &M, rule: &MemberRule, at: Path<'_>, report: &mut Report<'_>) {
    let at = at.member(rule.wire_name);
    if report.reports_missing(at) {
        return;
    }
    if let Some(value) = member.value() {
        report.hold(value, rule.constraints, at);
        value.check(at, report);
    }
}

/// Prints a member as `name=value`.
pub(crate) fn print_member<M: Member>(member: &M, wire_name: &str, out: &mut String) {
    if !out.ends_with('(') {
        out.push_str(", ");
    }
    // Writing into a string cannot fail.
    let _ = write_lower_first(wire_name, out);
    out.push('=');
    match member.value() {
        Some(value) => value.print(out),
        None => out.push_str("null"),
    }
}
