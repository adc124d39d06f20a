//! Proofs that a stored item is one of an entity's, live, and the caller's: prepared once, checked in one walk.

mod made;

use std::sync::Arc;

use sortkey_design::program::{AttributeId, Entity, Piece, Source, Table, Template, TemplateId, Type};
use sortkey_plan::{KeyIs, Recipe};
use sortkey_value::{Item, Outline, Place};

use self::made::{Found, Made, Step, makes};
use crate::Failure;
use crate::anatomy::{Anatomy, AttributeInfo};
use crate::catalog::{EntityInfo, is_reserved_text};
use crate::evaluate::{Scope, View};
use crate::interpret::lacks_inside;
use crate::read::{is_deleted, is_expired, is_ours};
use crate::values::{Known, Val};

/// More attributes than this are looked up one by one.
const MOST: usize = 12;

/// The attributes to look at, and their required values. Places are those of what is picked.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    outline: Outline,
    /// The partition key, where its text could be that of a guard or a receipt.
    partition: Option<usize>,
    /// The attribute that holds the entity's name, and the name.
    kind: Option<(usize, Arc<str>)>,
    /// Stored attributes that templates make; only where other entities share the table.
    made: Vec<Made>,
    tenant: Option<(usize, AttributeInfo)>,
    ttl: Option<(usize, AttributeInfo)>,
    /// Attributes with objects inside that may lack something.
    deep: Vec<(usize, Arc<Type>)>,
}

/// The facts about every item of a response that follow from the requested key.
#[derive(Debug, Default)]
pub(crate) struct Sure<'p> {
    /// Texts that attributes must have, by the places of what is picked.
    texts: Vec<(usize, &'p [u8])>,
    /// The templates whose text follows from that: a bit for each.
    made: u32,
    /// Whether the item is the caller's if it has these texts.
    is_ours: bool,
}

/// The items that are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asks<'p> {
    pub(crate) with_expired: bool,
    pub(crate) with_deleted: bool,
    pub(crate) sure: Option<&'p Sure<'p>>,
}

impl EntityInfo {
    /// An item as its reader sees it, completed from its keys and from the defaults of the design. None if it is of another
    /// entity or another tenant, or gone; an error if it is one of this entity and cannot be read.
    pub(crate) fn visible(
        &self,
        scope: &Scope<'_>,
        item: Item,
        asks: Asks<'_>,
    ) -> Result<Option<Item>, Failure> {
        let is_there =
            |item: &Item| Ok(asks.with_deleted || !is_deleted(scope, View::stored(self.at, item))?);
        match self.proof.as_ref().and_then(|proof| proof.holds(scope, &item, asks)) {
            Some(true) => return Ok(is_there(&item)?.then_some(item)),
            Some(false) => return self.contradiction(scope, &item).map_or(Ok(None), Err),
            None => {}
        }
        let program = &scope.shared.program;
        if !self.owns(program, &item) {
            return Ok(None);
        }
        let Some(item) = self.interpret_ours(scope, item)? else { return Ok(None) };
        if self.shares_table && !self.makes(program, &item) {
            return self.contradiction(scope, &item).map_or(Ok(None), Err);
        }
        let view = View::stored(self.at, &item);
        let is_live = asks.with_expired || !is_expired(scope, view);
        let is_visible = is_live && is_there(&item)? && is_ours(scope, view);
        Ok(is_visible.then_some(item))
    }
}

impl Proof {
    /// The proof for an entity; none where it takes more than a walk: too many attributes, or others whose keys may look
    /// the same.
    pub(crate) fn of(table: &Table, entity: &Entity, anatomy: &Anatomy) -> Option<Proof> {
        let shares = table.entities.len() > 1;
        let template = |source: Option<Source>| match source {
            Some(Source::Template(id)) => Some(id),
            _ => None,
        };
        let templates: Option<Vec<TemplateId>> = match shares {
            true => entity.key.parts().map(|part| template(part.source)).collect(),
            false => Some(Vec::new()),
        };
        let templates = templates?;
        let name_of = |id: AttributeId| &entity.attributes[id].name;
        let tenant = entity.tenant.map(|tenant| tenant.attribute);
        let named = table.key.partition.iter().chain(&table.kind).chain(&table.ttl);
        let made = templates.iter().map(|id| &entity.templates[*id]);
        let made = made.flat_map(|each| std::iter::once(&each.name).chain(each.slots().map(name_of)));
        let deep = anatomy.attributes().iter().filter(|each| each.is_deep);
        let names = named.chain(tenant.map(name_of)).chain(made).chain(deep.clone().map(|each| &each.name));
        let mut names: Vec<Arc<str>> = names.cloned().collect();
        sortkey_value::order::sort(&mut names);
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
        let made = |id: &TemplateId| {
            let template = &entity.templates[*id];
            let steps = template.pieces.iter().map(|piece| step(template, piece)).collect::<Option<_>>()?;
            Some(Made { template: *id, at: at(&template.name)?, steps })
        };
        let made: Vec<Made> = templates.iter().map(made).collect::<Option<_>>()?;
        let partition = at(table.key.partition.first()?)?;
        let is_free = made.iter().any(|each| each.at == partition && each.is_free());
        Some(Proof {
            partition: (!is_free).then_some(partition),
            kind: match &table.kind {
                Some(kind) => Some((at(kind)?, entity.name.clone())),
                None => None,
            },
            made,
            tenant: match tenant {
                Some(tenant) => Some(stored(tenant)?),
                None => None,
            },
            ttl: entity.ttl.and_then(stored),
            deep: deep.filter_map(|each| Some((at(&each.name)?, each.ty.clone()))).collect(),
            outline: anatomy.outline_picking(&names),
        })
    }

    /// The facts about the items of a response that follow from the key of the request.
    pub(crate) fn sure<'p>(&self, scope: &Scope<'_>, recipe: &Recipe, known: &'p Known<'_>) -> Sure<'p> {
        let mut sure = Sure::default();
        for part in recipe.partition.iter().chain(&recipe.sort) {
            let KeyIs::Equal(Source::Template(id)) = part.is else { continue };
            let Some((bit, made)) = self.made.iter().enumerate().find(|(_, made)| made.template == id) else {
                continue;
            };
            let before = sure.texts.len();
            match made.texts(known, &mut sure.texts) {
                Some(()) => sure.made |= 1u32.checked_shl(bit as u32).unwrap_or(0),
                None => sure.texts.truncate(before),
            }
        }
        sure.is_ours = match (&scope.caller, &self.tenant) {
            (Some(caller), Some((at, tenant))) => {
                let text = sure.texts.iter().find(|(each, _)| each == at).map(|(_, text)| *text);
                let own = caller.get(&tenant.name).and_then(Val::as_text);
                text.is_some() && own.map(str::as_bytes) == text
            }
            _ => true,
        };
        sure
    }

    /// Whether an item is one of the entity's, has not expired (unless that does not matter), and is the caller's. None if the
    /// item lacks something, or has it in another type, so that it takes a closer look.
    fn holds(&self, scope: &Scope<'_>, item: &Item, asks: Asks<'_>) -> Option<bool> {
        let mut places = [Place::default(); MOST];
        self.outline.find(item, &mut places)?;
        let found = Found { item, places };
        let lacks = |(at, ty): &(usize, Arc<Type>)| {
            found.value(*at).is_some_and(|value| lacks_inside(scope, ty, value))
        };
        if self.deep.iter().any(lacks) {
            return None;
        }
        Some(self.is_proven(scope, &found, asks))
    }

    fn is_proven(&self, scope: &Scope<'_>, found: &Found<'_>, asks: Asks<'_>) -> bool {
        let text = |at: usize| found.text(at);
        let (texts, sure, is_ours) =
            asks.sure.map_or((&[][..], 0, false), |sure| (sure.texts.as_slice(), sure.made, sure.is_ours));
        let is_over = |(at, ttl): &(usize, AttributeInfo)| {
            let until = found.value(*at).map(|value| ttl.decode(&scope.shared.program, value));
            matches!(until, Some(Val::Time(time_ms)) if time_ms <= scope.now_ms)
        };
        let is_made = |(bit, made): (usize, &Made)| {
            sure.checked_shr(bit as u32).is_some_and(|bits| bits & 1 == 1)
                || text(made.at).is_some_and(|text| makes(scope, &made.steps, found, text))
        };
        texts.iter().all(|(at, wanted)| text(*at) == Some(*wanted))
            && !self.partition.and_then(text).is_some_and(is_reserved_text)
            && self.kind.as_ref().is_none_or(|(at, name)| text(*at) == Some(name.as_bytes()))
            && self.made.iter().enumerate().all(is_made)
            && (asks.with_expired || !self.ttl.as_ref().is_some_and(is_over))
            && (is_ours || self.is_ours(scope, found))
    }

    fn is_ours(&self, scope: &Scope<'_>, found: &Found<'_>) -> bool {
        let (Some(caller), Some((at, tenant))) = (&scope.caller, &self.tenant) else { return true };
        match (caller.get(&tenant.name), found.text(*at)) {
            (Some(Val::Text(own)), Some(text)) if tenant.ty.is_plain() => own.as_bytes() == text,
            (Some(own), _) => {
                found.value(*at).is_some_and(|value| own.same(&tenant.decode(&scope.shared.program, value)))
            }
            _ => false,
        }
    }
}
