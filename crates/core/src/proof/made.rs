//! Keys that templates make: whether a stored text is what an item's attributes make.

use sortkey_design::model::SlotFormat;
use sortkey_design::program::{Bound, Template, TemplateId};
use sortkey_value::{Item, Picked, Place, ValueRef};

use super::MOST;
use crate::anatomy::AttributeInfo;
use crate::catalog::{GUARD, RECEIPT};
use crate::evaluate::Scope;
use crate::template;
use crate::values::{Known, Val};

/// A stored attribute that a template makes.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) template: TemplateId,
    pub(super) at: usize,
    pub(super) steps: Vec<Step>,
}

/// A piece of a template.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Literal(String),
    /// The text of an attribute.
    Slot {
        at: usize,
        attribute: AttributeInfo,
        template: Box<Template>,
        format: Option<SlotFormat>,
    },
}

/// The places that an outline found in an item.
pub(super) struct Found<'i> {
    pub(super) item: &'i Item,
    pub(super) places: [Place; MOST],
}

impl<'i> Found<'i> {
    /// The bytes of what is text.
    pub(super) fn text(&self, at: usize) -> Option<&'i [u8]> {
        match self.item.at(self.places[at])? {
            Picked::Text(text) => Some(text),
            Picked::Other(_) => None,
        }
    }

    /// A value.
    pub(super) fn value(&self, at: usize) -> Option<ValueRef<'i>> {
        self.item.at(self.places[at])?.value()
    }
}

impl Made {
    /// Whether its text begins unlike that of guards and receipts.
    pub(super) fn is_free(&self) -> bool {
        let Some(Step::Literal(first)) = self.steps.first() else { return false };
        [GUARD, RECEIPT]
            .iter()
            .all(|reserved| !reserved.starts_with(first.as_str()) && !first.starts_with(reserved))
    }

    /// The texts that its attributes have where its own text is that of some known values; none where values of different
    /// texts could make it, or where one is not known.
    pub(super) fn texts<'p>(&self, known: &'p Known<'_>, into: &mut Vec<(usize, &'p [u8])>) -> Option<()> {
        for step in &self.steps {
            let Step::Slot { at, attribute, format, .. } = step else { continue };
            let text = known.get(Bound::Attribute(attribute.id)).and_then(Val::as_text)?;
            if format.is_some() || !attribute.ty.is_plain() || text.is_empty() {
                return None;
            }
            into.push((*at, text.as_bytes()));
        }
        Some(())
    }
}

/// Whether the steps of a template make exactly this text.
pub(super) fn makes(scope: &Scope<'_>, steps: &[Step], found: &Found<'_>, text: &[u8]) -> bool {
    let mut rest = text;
    for step in steps {
        let behind = match step {
            Step::Literal(literal) => rest.strip_prefix(literal.as_bytes()),
            Step::Slot { at, attribute, template, format } => match found.text(*at) {
                Some(text) if format.is_none() && attribute.ty.is_plain() => {
                    rest.strip_prefix(text).filter(|_| !text.is_empty())
                }
                _ => found.value(*at).and_then(|value| {
                    let value = attribute.decode(&scope.shared.program, value);
                    let slot = template::slot_of(template, &attribute.ty, format.as_ref(), &value)?;
                    rest.strip_prefix(slot.as_bytes()).filter(|_| !slot.is_empty())
                }),
            },
        };
        match behind {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}
