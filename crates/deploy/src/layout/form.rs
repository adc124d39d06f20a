//! The stored form of an attribute, as text that stays the same from one design to the next.

use serde_json::json;
use sha2::{Digest, Sha256};
use sortkey_change::{ENCRYPTED, reads, stored_form};
use sortkey_design::facts::{Source, source};
use sortkey_design::model::{Piece, SlotFormat, Template};
use sortkey_design::{Design, Program};
use sortkey_diagnostics::Span;

use sortkey_core::internals::{EntityInfo, hex};

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
pub(super) fn forms(program: &Program, info: &EntityInfo) -> Vec<Form> {
    let (design, entity) = (&program.design, info.source(&program.design));
    let attributes = &info.of(program).attributes;
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
        let is_kept = info.stores(name) && entity.template(name).is_none();
        let compiled = attributes.find(name).filter(|_| is_kept).map(|id| &attributes[id]);
        if let Some(text) = compiled.and_then(stored_form) {
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
        reads(&self.text, before)
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
