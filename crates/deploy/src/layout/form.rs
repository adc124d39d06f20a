//! The stored form of an attribute, as text that stays the same from one design to the next.

use serde_json::json;
use sha2::{Digest, Sha256};
use sortkey_design::Design;
use sortkey_design::facts::{Source, source};
use sortkey_design::model::{Attribute, Piece, SlotFormat, Stored, Template, Type};
use sortkey_diagnostics::Span;

use sortkey_core::internals::{EntityInfo, hex};

/// The form of every encrypted attribute.
pub(super) const ENCRYPTED: &str = "encrypted";

/// The form of one stored attribute.
pub(super) struct Form {
    pub(super) entity: String,
    pub(super) attribute: String,
    /// `"USER#{userId}"`, `time(s)`, `S`.
    pub(super) text: String,
    /// Whether it is a template that a key of the table or of an index is made by.
    pub(super) is_computed_key: bool,
    pub(super) span: Span,
}

/// The stored forms of an entity: the templates of its keys, and the attributes themselves.
pub(super) fn forms(design: &Design, info: &EntityInfo) -> Vec<Form> {
    let entity = info.source(design);
    let form = |attribute: &str, text: String, is_computed_key, span| Form {
        entity: info.name.to_string(),
        attribute: attribute.to_owned(),
        text,
        is_computed_key,
        span,
    };
    let mut found = Vec::new();
    for name in keys(design, info) {
        if let Some(Source::Template(template)) = source(entity, name) {
            found.push(form(name, written(template), true, template.text_span));
        }
    }
    for attribute in &entity.attributes {
        let name = attribute.name.text.as_str();
        let stored = info.stores(name);
        if let Some(text) = kept(design, attribute).filter(|_| stored && entity.template(name).is_none()) {
            found.push(form(name, text, false, attribute.ty_span.unwrap_or(attribute.span)));
        }
    }
    found
}

impl Form {
    /// `User.email`.
    pub(super) fn label(&self) -> String {
        format!("{}.{}", self.entity, self.attribute)
    }

    pub(super) fn is_encrypted(&self) -> bool {
        !self.is_computed_key && self.text == ENCRYPTED
    }

    /// Whether values stored in an earlier form keep their meaning.
    pub(super) fn reads(&self, before: &str) -> bool {
        let was_text = ["date", "month", "time(iso)", "time(iso_s)"].contains(&before);
        self.text == before || self.text == "S" && was_text
    }

    /// A remark on a part of a key that older items do not have.
    pub(super) fn late(&self) -> String {
        format!(
            "{} items that are there have no `{}` yet: an index finds them when they were written again",
            self.entity, self.attribute
        )
    }
}

/// The key attributes of the entity's table and of its indexes.
fn keys<'d>(design: &'d Design, info: &EntityInfo) -> Vec<&'d str> {
    let Some(table) = design.table_of(info.source(design)) else { return Vec::new() };
    let indexes = table.indexes.iter().flat_map(|index| index.key.attributes());
    let mut names: Vec<&str> = table.key.attributes().chain(indexes).map(|name| name.text.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A template as it is written, and a mark of its condition.
fn written(template: &Template) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => text.clone(),
        Piece::Slot { attribute, format: None } => format!("{{{attribute}}}"),
        Piece::Slot { attribute, format: Some(format) } => match format {
            SlotFormat::Pad(width) => format!("{{{attribute}:pad({width})}}"),
            SlotFormat::Time(unit) => format!("{{{attribute}:{unit}}}"),
            SlotFormat::Escape => format!("{{{attribute}:escape}}"),
            SlotFormat::Lower => format!("{{{attribute}:lower}}"),
        },
    };
    let text: String = template.pieces.iter().map(piece).collect();
    match &template.when {
        None => format!("{text:?}"),
        Some(when) => {
            let digest = Sha256::digest(json!(when).to_string().as_bytes());
            format!("{text:?} when (condition {})", hex(&digest[..4]))
        }
    }
}

/// The form of an attribute; none if it may be of any type.
fn kept(design: &Design, attribute: &Attribute) -> Option<String> {
    if attribute.has("encrypted") {
        return Some(ENCRYPTED.to_owned());
    }
    match design.type_of(attribute) {
        Type::Time { unit } => Some(unit.describe().to_owned()),
        Type::Date => Some("date".to_owned()),
        Type::Month => Some("month".to_owned()),
        Type::Json { .. } => Some("json".to_owned()),
        ty => match ty.stored() {
            Stored::Any => None,
            stored => Some(format!("{stored:?}").to_uppercase()),
        },
    }
}
