//! Facts about an entity's attributes, derived once before any request.

mod settled;

pub(crate) use settled::Settled;

use std::cmp::Ordering;
use std::sync::Arc;

use sortkey_api::json::put_string;
use sortkey_design::Program;
use sortkey_design::program::{Arena, Attribute, AttributeId, Entity, ExprKind, Table, TemplateId, Type};
use sortkey_value::{AttributeType, Item, Outline, ValueRef, compare_names};

use self::settled::{derived, settled};
use crate::interpret::{has_inner_defaults, is_required, stored_types, usual_type};
use crate::values::{Fields, Val, from_stored};

/// The attributes of an entity.
#[derive(Clone, Debug)]
pub(crate) struct Anatomy {
    /// By their names, as the attributes of stored items are.
    attributes: Vec<AttributeInfo>,
    /// Their places above.
    places: Arena<AttributeId, usize>,
    /// Those that are kept derived, each with the attributes it is computed from.
    pub(crate) derived: Vec<(AttributeId, Vec<AttributeId>)>,
    /// Those that something fills or takes away, in the order in which one needs the other.
    pub(crate) settled: Vec<Settled>,
    /// The stored values that are no attributes, by name: the texts of templates, and the entity's own name.
    pub(crate) beside: Vec<(Arc<str>, Beside)>,
    /// Whether reading computes some of them.
    pub(crate) has_virtual: bool,
    /// Whether some are stored encrypted.
    pub(crate) has_encrypted: bool,
    /// Whether filling one looks at an item that another points to.
    pub(crate) has_arrows: bool,
    /// Those that no item may lack, by their names.
    pub(crate) required: Vec<Arc<str>>,
    /// Whether some are required only under a condition.
    pub(crate) has_conditions: bool,
    /// Secrets that are made where nobody gives them.
    pub(crate) secrets: Vec<Arc<str>>,
    /// Whether an item as it is stored shows all that clients may see of it, and nothing else.
    pub(crate) is_open: bool,
    /// The attributes that an item must have, and their types.
    pub(crate) outline: Outline,
}

/// A stored value that is no attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// The text of a template.
    Template(TemplateId),
    /// The entity's name.
    Kind,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct AttributeInfo {
    pub(crate) name: Arc<str>,
    /// The name as JSON text, with the colon behind it.
    pub(crate) label: Box<[u8]>,
    pub(crate) id: AttributeId,
    /// Its type, references followed.
    pub(crate) ty: Arc<Type>,
    pub(crate) is_stored: bool,
    pub(crate) is_encrypted: bool,
    /// Whether clients see it only where a pattern selects it.
    pub(crate) is_secret: bool,
    /// Whether the table or an index has it as a part of its key: it cannot be empty then.
    pub(crate) is_key: bool,
    /// Whether no item may lack it. Sets are not among them: DynamoDB has no empty ones.
    pub(crate) is_required: bool,
    /// The types in which it may be stored, one bit for each.
    pub(crate) types: u16,
    /// Whether it holds objects whose members have defaults.
    pub(crate) is_deep: bool,
}

impl Anatomy {
    pub(crate) fn of(program: &Program, entity: &Entity) -> Anatomy {
        let table = entity.table.map(|table| &program.tables[table]);
        let info = |id: &AttributeId| {
            let attribute = &entity.attributes[*id];
            AttributeInfo {
                name: attribute.name.clone(),
                label: label(&attribute.name),
                id: *id,
                ty: Arc::clone(&attribute.ty),
                is_stored: attribute.is_stored(),
                is_encrypted: attribute.encrypted.is_some(),
                is_secret: attribute.is_hidden(),
                is_key: table.is_some_and(|table| is_key(table, attribute)),
                is_required: is_required(attribute),
                types: stored_types(attribute),
                is_deep: attribute.is_stored() && has_inner_defaults(program, &attribute.ty),
            }
        };
        let attributes: Vec<AttributeInfo> = entity.attributes.by_name().iter().map(info).collect();
        let place = |(id, _): (AttributeId, &Attribute)| {
            attributes.iter().position(|each| each.id == id).unwrap_or_default()
        };
        let places = entity.attributes.entries().map(place).collect();
        let mut has_arrows = false;
        for fill in entity.attributes.iter().filter_map(|attribute| attribute.fill.as_ref()) {
            fill.value.walk(&mut |expr| has_arrows |= matches!(expr.kind, ExprKind::Arrow { .. }));
        }
        let names = |wanted: &dyn Fn(&Attribute) -> bool| -> Vec<Arc<str>> {
            let wanted = attributes.iter().filter(|each| wanted(&entity.attributes[each.id]));
            wanted.map(|each| each.name.clone()).collect()
        };
        let has_encrypted = attributes.iter().any(|attribute| attribute.is_encrypted);
        let has_virtual = entity.attributes.iter().any(|attribute| is_virtual(program, attribute));
        let is_open = |each: &AttributeInfo| each.is_stored && !each.is_secret;
        let mut anatomy = Anatomy {
            required: names(&|attribute| attribute.is_stored() && !attribute.may_be_absent()),
            has_conditions: entity.attributes.iter().any(|each| each.when.is_some() && !each.optional),
            secrets: names(&|attribute| attribute.flags.secret && !attribute.is_derived()),
            is_open: !has_encrypted && !has_virtual && attributes.iter().all(is_open),
            has_encrypted,
            attributes,
            places,
            derived: derived(entity),
            settled: settled(entity),
            beside: beside(entity, table),
            has_virtual,
            has_arrows,
            outline: Outline::default(),
        };
        anatomy.outline = anatomy.outline_picking(&[]);
        anatomy
    }

    /// The attributes that an item must have, and their types; those in `picked`, which is sorted,
    /// are picked into their places.
    pub(crate) fn outline_picking(&self, picked: &[Arc<str>]) -> Outline {
        let attributes = self.attributes.iter().map(|each| {
            let usual = if each.is_encrypted { AttributeType::B } else { usual_type(&each.ty) };
            (&each.name, each.types, usual, each.is_required)
        });
        // A stored value that is no attribute is text, but any type is accepted.
        let beside = self.beside.iter().map(|(name, _)| name).chain(picked);
        let beside = beside.filter(|name| self.attribute(name).is_none());
        let beside = beside.map(|name| (name, u16::MAX, AttributeType::S, false));
        let mut lines: Vec<(&Arc<str>, u16, AttributeType, bool)> = attributes.chain(beside).collect();
        sortkey_value::order::sort_by(&mut lines, |(left, ..), (right, ..)| left.cmp(right));
        lines.dedup_by_key(|(name, ..)| *name);
        let mut outline = Outline::default();
        for (name, types, usual, is_required) in lines {
            outline.push(name, types, usual, is_required, picked.iter().position(|each| each == name));
        }
        outline
    }

    /// The attribute of that id.
    pub(crate) fn by_id(&self, id: AttributeId) -> &AttributeInfo {
        &self.attributes[self.places[id]]
    }

    /// The attribute of a name that arrives with an item.
    pub(crate) fn attribute(&self, name: &str) -> Option<&AttributeInfo> {
        let at = self.attributes.binary_search_by(|each| (*each.name).cmp(name)).ok()?;
        self.attributes.get(at)
    }

    /// The attributes, by their names.
    pub(crate) fn attributes(&self) -> &[AttributeInfo] {
        &self.attributes
    }

    /// Calls `show` with the attributes that a stored item has, by their names. Texts of templates are not among them.
    /// Values are passed by reference: copying one would cost more than reading it.
    pub(crate) fn each_stored(&self, item: &Item, mut show: impl FnMut(&AttributeInfo, &ValueRef<'_>)) {
        let mut walk = item.entries().walk();
        let mut attributes = self.attributes.as_slice();
        while let Some(name) = walk.name() {
            // Both ascend.
            let mut known = None;
            while let Some((first, behind)) = attributes.split_first() {
                match compare_names(first.name.as_bytes(), name) {
                    Ordering::Less => attributes = behind,
                    Ordering::Equal => {
                        known = Some(first).filter(|first| first.is_stored);
                        attributes = behind;
                        break;
                    }
                    Ordering::Greater => break,
                }
            }
            match known {
                Some(attribute) => match &walk.value() {
                    Some(value) => show(attribute, value),
                    None => return,
                },
                None if walk.skip().is_none() => return,
                None => {}
            }
        }
    }

    /// The attributes of a stored item, decoded.
    pub(crate) fn decode(&self, program: &Program, item: &Item) -> Fields {
        let mut fields = Fields::with_capacity(self.attributes.len());
        self.each_stored(item, |attribute, value| {
            fields.insert(attribute.name.clone(), attribute.decode(program, *value));
        });
        fields
    }
}

impl AttributeInfo {
    /// Decodes a stored value.
    pub(crate) fn decode(&self, program: &Program, value: ValueRef<'_>) -> Val {
        match value {
            ValueRef::B(bytes) if self.is_encrypted => Val::Sealed(bytes.to_vec()),
            value => from_stored(program, &self.ty, value),
        }
    }
}

fn label(name: &str) -> Box<[u8]> {
    let mut label = Vec::with_capacity(name.len() + 3);
    put_string(&mut label, name);
    label.push(b':');
    label.into()
}

fn is_key(table: &Table, attribute: &Attribute) -> bool {
    let mut keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    keys.any(|key| key.contains(&attribute.name))
}

fn beside(entity: &Entity, table: Option<&Table>) -> Vec<(Arc<str>, Beside)> {
    let templates = entity.templates.entries();
    let templates = templates.map(|(id, each)| (each.name.clone(), Beside::Template(id)));
    let kind = table.and_then(|table| table.kind.clone()).map(|name| (name, Beside::Kind));
    let mut beside: Vec<(Arc<str>, Beside)> = templates.chain(kind).collect();
    sortkey_value::order::sort_by(&mut beside, |(left, _), (right, _)| left.cmp(right));
    beside
}

fn is_virtual(program: &Program, attribute: &Attribute) -> bool {
    let inside = match &*attribute.ty {
        Type::Object(id) => program.objects[*id].attributes.iter().any(|each| each.flags.computed),
        _ => false,
    };
    inside || attribute.flags.computed
}
