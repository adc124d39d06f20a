//! The form in which DynamoDB stores the values of an attribute, as text that stays the same from one design to the next.
//!
//! A table records these texts, so `sortkey up` refuses what [`diff`](crate::diff) says needs another form: both ask here.

use sortkey_design::program::{Attribute, Type};

/// The form of every encrypted attribute.
pub const ENCRYPTED: &str = "encrypted";

/// The form of an attribute's values; none if they may be anything.
pub fn stored_form(attribute: &Attribute) -> Option<String> {
    match attribute.encrypted {
        Some(_) => Some(ENCRYPTED.to_owned()),
        None => type_form(&attribute.ty),
    }
}

/// Whether values stored in the form `before` keep their meaning in another one.
pub fn reads(form: &str, before: &str) -> bool {
    let was_text = ["date", "month", "time(iso)", "time(iso_s)"].contains(&before);
    form == before || form == "S" && was_text
}

/// The form of a type's values, before encryption; none if they may be anything.
pub(crate) fn type_form(ty: &Type) -> Option<String> {
    match ty {
        Type::Time { unit } => Some(unit.describe().to_owned()),
        Type::Date => Some("date".to_owned()),
        Type::Month => Some("month".to_owned()),
        Type::Json { .. } => Some("json".to_owned()),
        Type::Any { .. } | Type::Unknown => None,
        ty => Some(format!("{:?}", ty.stored()).to_uppercase()),
    }
}
