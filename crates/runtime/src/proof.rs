//! What shows that a stored item is one of an entity's, live, and the caller's: worked out once, read in one walk.

use sortkey_design::Design;
use sortkey_design::facts::{Source, source};
use sortkey_design::model::*;
use sortkey_value::{Item, Picked};

use crate::anatomy::{Anatomy, AttributeInfo};
use crate::catalog::is_reserved_text;
use crate::evaluate::Scope;
use crate::template;
use crate::values::Val;

/// More attributes than this are looked up one by one.
const MOST: usize = 12;

/// The attributes to look at, and what they must say.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    /// By their names, as those of stored items are. The rest speaks of their places here.
    names: Vec<String>,
    partition: usize,
    /// The attribute that holds the entity's name, and the name.
    kind: Option<(usize, String)>,
    /// Stored attributes that templates make, with their pieces; only where other entities share the table.
    made: Vec<(usize, Vec<Step>)>,
    tenant: Option<(usize, AttributeInfo)>,
    ttl: Option<(usize, AttributeInfo)>,
}

/// A piece of a template.
#[derive(Clone, Debug)]
enum Step {
    Literal(String),
    /// The text of an attribute.
    Slot {
        at: usize,
        attribute: AttributeInfo,
        template: Box<Template>,
        format: Option<SlotFormat>,
    },
}

impl Proof {
    /// The proof for an entity; none where it takes more than a walk: too many attributes, or others whose keys may look
    /// the same.
    pub(crate) fn of(design: &Design, entity: &Entity, anatomy: &Anatomy) -> Option<Proof> {
        let table = design.table_of(entity)?;
        let shares = design.entities_in(table).count() > 1;
        let templates: Vec<&Template> = table
            .key
            .attributes()
            .filter_map(|name| entity.template(&name.text))
            .filter(|_| shares)
            .collect();
        if shares && table.key.attributes().any(|name| !is_template(entity, name)) {
            return None;
        }
        let extra = [&table.kind, &entity.tenant, &table.ttl];
        let named = table.key.partition.iter().chain(extra.into_iter().flatten());
        let made = templates.iter().flat_map(|each| std::iter::once(&each.name).chain(each.slots()));
        let mut names: Vec<String> = named.chain(made).map(|name| name.text.clone()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > MOST {
            return None;
        }
        let at = |name: &Name| names.iter().position(|each| name.is(each));
        let stored = |name: &Name| {
            Some((at(name)?, anatomy.attribute(&name.text).filter(|each| each.is_stored)?.clone()))
        };
        let step = |template: &Template, piece: &Piece| {
            Some(match piece {
                Piece::Literal(text) => Step::Literal(text.clone()),
                Piece::Slot { attribute, format } => {
                    let (at, attribute) = stored(attribute)?;
                    Step::Slot { at, attribute, template: Box::new(template.clone()), format: format.clone() }
                }
            })
        };
        let made = |template: &&Template| {
            let steps = template.pieces.iter().map(|piece| step(template, piece)).collect::<Option<_>>()?;
            Some((at(&template.name)?, steps))
        };
        Some(Proof {
            partition: at(table.key.partition.first()?)?,
            kind: match &table.kind {
                Some(kind) => Some((at(kind)?, entity.name.text.clone())),
                None => None,
            },
            made: templates.iter().map(made).collect::<Option<_>>()?,
            tenant: match &entity.tenant {
                Some(tenant) => Some(stored(tenant)?),
                None => None,
            },
            ttl: match &table.ttl {
                Some(ttl) => stored(ttl),
                None => None,
            },
            names,
        })
    }

    /// Whether an item is one of the entity's, has not expired (unless that does not matter), and is the caller's.
    pub(crate) fn holds(&self, scope: &Scope<'_>, item: &Item, with_expired: bool) -> bool {
        let mut found = [None; MOST];
        item.entries().pick(&self.names, &mut found);
        let text = |at: usize| match found[at] {
            Some(Picked::Text(text)) => Some(text),
            _ => None,
        };
        let is_of_kind = |(at, name): &(usize, String)| text(*at) == Some(name.as_bytes());
        let is_over = |(at, ttl): &(usize, AttributeInfo)| {
            let until = found[*at].and_then(Picked::value);
            let until = until.map(|value| ttl.decode(&scope.shared.design, value));
            matches!(until, Some(Val::Time(time_ms)) if time_ms <= scope.now_ms)
        };
        let is_made = |(at, steps): &(usize, Vec<Step>)| {
            text(*at).is_some_and(|text| makes(scope, steps, &found, text))
        };
        !text(self.partition).is_some_and(is_reserved_text)
            && self.kind.as_ref().is_none_or(is_of_kind)
            && self.made.iter().all(is_made)
            && (with_expired || !self.ttl.as_ref().is_some_and(is_over))
            && self.is_ours(scope, &found)
    }

    fn is_ours(&self, scope: &Scope<'_>, found: &[Option<Picked<'_>>]) -> bool {
        let (Some(caller), Some((at, tenant))) = (&scope.caller, &self.tenant) else { return true };
        match (caller.get(&tenant.name), found[*at]) {
            (Some(Val::Text(own)), Some(Picked::Text(text))) if tenant.is_plain_text() => {
                own.as_bytes() == text
            }
            (Some(own), Some(value)) => {
                value.value().is_some_and(|value| own.same(&tenant.decode(&scope.shared.design, value)))
            }
            _ => false,
        }
    }
}

fn is_template(entity: &Entity, stored: &Name) -> bool {
    matches!(source(entity, &stored.text), Some(Source::Template(_)))
}

/// Whether the steps of a template make exactly this text.
fn makes(scope: &Scope<'_>, steps: &[Step], found: &[Option<Picked<'_>>], text: &[u8]) -> bool {
    let mut rest = text;
    for step in steps {
        let behind = match step {
            Step::Literal(literal) => rest.strip_prefix(literal.as_bytes()),
            Step::Slot { at, attribute, template, format } => match found[*at] {
                Some(Picked::Text(text)) if format.is_none() && attribute.is_plain_text() => {
                    rest.strip_prefix(text).filter(|_| !text.is_empty())
                }
                value => value.and_then(Picked::value).and_then(|value| {
                    let value = attribute.decode(&scope.shared.design, value);
                    let slot = template::slot_of(template, Some(&attribute.ty), format.as_ref(), &value)?;
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
