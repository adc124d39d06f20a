//! What shows that a stored item is one of an entity's, live, and the caller's: worked out once, read in one walk.

use std::cmp::Ordering;
use std::sync::Arc;

use sortkey_design::model::SlotFormat;
use sortkey_design::program::{AttributeId, Entity, Piece, Source, Table, Template, Type};
use sortkey_value::{Item, Picked, compare_names};

use crate::anatomy::{Anatomy, AttributeInfo};
use crate::catalog::is_reserved_text;
use crate::evaluate::Scope;
use crate::interpret::lacks_inside;
use crate::template;
use crate::values::Val;

/// More attributes than this are looked up one by one.
const MOST: usize = 12;

/// The attributes to look at, and what they must say.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    /// What an item may have, by its names, as those of stored items are.
    looks: Vec<Look>,
    /// The rest speaks of the places of what is picked.
    partition: usize,
    /// The attribute that holds the entity's name, and the name.
    kind: Option<(usize, Arc<str>)>,
    /// Stored attributes that templates make, with their pieces; only where other entities share the table.
    made: Vec<(usize, Vec<Step>)>,
    tenant: Option<(usize, AttributeInfo)>,
    ttl: Option<(usize, AttributeInfo)>,
}

/// A look at one stored attribute.
#[derive(Clone, Debug)]
struct Look {
    name: Arc<str>,
    /// The types in which it may be stored, one bit for each.
    types: u16,
    is_required: bool,
    /// Its type, where objects inside it may lack something.
    deep: Option<Arc<Type>>,
    /// Its place among what is picked, if it has to say something.
    pick: Option<usize>,
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
    pub(crate) fn of(table: &Table, entity: &Entity, anatomy: &Anatomy) -> Option<Proof> {
        let shares = table.entities.len() > 1;
        let template = |source: Option<Source>| match source {
            Some(Source::Template(id)) => Some(&entity.templates[id]),
            _ => None,
        };
        let templates: Option<Vec<&Template>> = match shares {
            true => entity.key.parts().map(|part| template(part.source)).collect(),
            false => Some(Vec::new()),
        };
        let templates = templates?;
        let name_of = |id: AttributeId| &entity.attributes[id].name;
        let tenant = entity.tenant.map(|tenant| tenant.attribute);
        let named = table.key.partition.iter().chain(&table.kind).chain(&table.ttl);
        let made =
            templates.iter().flat_map(|each| std::iter::once(&each.name).chain(each.slots().map(name_of)));
        let mut names: Vec<Arc<str>> = named.chain(tenant.map(name_of)).chain(made).cloned().collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > MOST {
            return None;
        }
        let at = |name: &Arc<str>| names.iter().position(|each| each == name);
        let stored = |id: AttributeId| {
            let info = anatomy.by_id(id);
            Some((at(&info.name)?, Some(info).filter(|each| each.is_stored)?.clone()))
        };
        let step = |template: &Template, piece: &Piece| {
            Some(match piece {
                Piece::Literal(text) => Step::Literal(text.clone()),
                Piece::Slot { attribute, format } => {
                    let (at, attribute) = stored(*attribute)?;
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
                Some(kind) => Some((at(kind)?, entity.name.clone())),
                None => None,
            },
            made: templates.iter().map(made).collect::<Option<_>>()?,
            tenant: match tenant {
                Some(tenant) => Some(stored(tenant)?),
                None => None,
            },
            ttl: entity.ttl.and_then(stored),
            looks: looks(anatomy, &names),
        })
    }

    /// Whether an item is one of the entity's, has not expired (unless that does not matter), and is the caller's. None if the
    /// item lacks something, or has it in another type, so that it takes a closer look.
    pub(crate) fn holds(&self, scope: &Scope<'_>, item: &Item, with_expired: bool) -> Option<bool> {
        let mut found = [None; MOST];
        self.walk(scope, item, &mut found)?;
        Some(self.is_proven(scope, &found, with_expired))
    }

    /// Picks what the proof needs, in one walk that also shows whether the item is whole; none if it is not.
    fn walk<'i>(
        &self,
        scope: &Scope<'_>,
        item: &'i Item,
        found: &mut [Option<Picked<'i>>; MOST],
    ) -> Option<()> {
        let mut walk = item.entries().walk();
        let mut looks = self.looks.iter();
        let mut look = looks.next();
        while let Some(name) = walk.name() {
            // Both ascend.
            let mut order = Ordering::Greater;
            while let Some(next) = look {
                order = compare_names(next.name.as_bytes(), name);
                if order != Ordering::Less {
                    break;
                }
                if next.is_required {
                    return None;
                }
                look = looks.next();
            }
            let known = look.filter(|_| order == Ordering::Equal);
            let Some(known) = known else {
                walk.skip()?;
                continue;
            };
            look = looks.next();
            if !walk.is_one_of(known.types) {
                return None;
            }
            if let Some(ty) = &known.deep
                && item.get(&known.name).is_some_and(|value| lacks_inside(scope, ty, value))
            {
                return None;
            }
            match known.pick {
                Some(at) => found[at] = Some(walk.pick()?),
                None => walk.skip()?,
            }
        }
        let mut left = look.into_iter().chain(looks);
        (!left.any(|look| look.is_required)).then_some(())
    }

    fn is_proven(&self, scope: &Scope<'_>, found: &[Option<Picked<'_>>; MOST], with_expired: bool) -> bool {
        let text = |at: usize| match found[at] {
            Some(Picked::Text(text)) => Some(text),
            _ => None,
        };
        let is_of_kind = |(at, name): &(usize, Arc<str>)| text(*at) == Some(name.as_bytes());
        let is_over = |(at, ttl): &(usize, AttributeInfo)| {
            let until = found[*at].and_then(Picked::value);
            let until = until.map(|value| ttl.decode(&scope.shared.program, value));
            matches!(until, Some(Val::Time(time_ms)) if time_ms <= scope.now_ms)
        };
        let is_made =
            |(at, steps): &(usize, Vec<Step>)| text(*at).is_some_and(|text| makes(scope, steps, found, text));
        !text(self.partition).is_some_and(is_reserved_text)
            && self.kind.as_ref().is_none_or(is_of_kind)
            && self.made.iter().all(is_made)
            && (with_expired || !self.ttl.as_ref().is_some_and(is_over))
            && self.is_ours(scope, found)
    }

    fn is_ours(&self, scope: &Scope<'_>, found: &[Option<Picked<'_>>]) -> bool {
        let (Some(caller), Some((at, tenant))) = (&scope.caller, &self.tenant) else { return true };
        match (caller.get(&tenant.name), found[*at]) {
            (Some(Val::Text(own)), Some(Picked::Text(text))) if tenant.ty.is_plain() => {
                own.as_bytes() == text
            }
            (Some(own), Some(value)) => {
                value.value().is_some_and(|value| own.same(&tenant.decode(&scope.shared.program, value)))
            }
            _ => false,
        }
    }
}

/// The attributes of an entity, and what else the proof looks at.
fn looks(anatomy: &Anatomy, names: &[Arc<str>]) -> Vec<Look> {
    let pick = |name: &Arc<str>| names.iter().position(|each| each == name);
    let attribute = |each: &AttributeInfo| Look {
        name: each.name.clone(),
        types: each.types,
        is_required: each.is_required,
        deep: each.is_deep.then(|| each.ty.clone()),
        pick: pick(&each.name),
    };
    let beside = names.iter().filter(|name| anatomy.attribute(name).is_none()).map(|name| Look {
        name: name.clone(),
        types: u16::MAX,
        is_required: false,
        deep: None,
        pick: pick(name),
    });
    let mut looks: Vec<Look> = anatomy.attributes().iter().map(attribute).chain(beside).collect();
    looks.sort_by(|left, right| left.name.cmp(&right.name));
    looks
}

/// Whether the steps of a template make exactly this text.
fn makes(scope: &Scope<'_>, steps: &[Step], found: &[Option<Picked<'_>>], text: &[u8]) -> bool {
    let mut rest = text;
    for step in steps {
        let behind = match step {
            Step::Literal(literal) => rest.strip_prefix(literal.as_bytes()),
            Step::Slot { at, attribute, template, format } => match found[*at] {
                Some(Picked::Text(text)) if format.is_none() && attribute.ty.is_plain() => {
                    rest.strip_prefix(text).filter(|_| !text.is_empty())
                }
                value => value.and_then(Picked::value).and_then(|value| {
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
