//! What is known of an entity's attributes before any request, so that no call works it out again.

use std::cmp::Ordering;
use std::sync::Arc;

use sortkey_api::json::put_string;
use sortkey_design::Design;
use sortkey_design::model::*;
use sortkey_value::{Item, ValueRef, compare_names};

use crate::interpret::{has_inner_defaults, is_pure, is_required, stored_types};
use crate::values::{Fields, Val, from_stored};

/// The attributes of an entity.
#[derive(Clone, Debug)]
pub(crate) struct Anatomy {
    /// By their names, as the attributes of stored items are.
    attributes: Vec<AttributeInfo>,
    /// Those that are kept derived, each with the attributes it is computed from.
    pub(crate) derived: Vec<(usize, Vec<Arc<str>>)>,
    /// Those that something fills or takes away, in the order in which one needs the other.
    pub(crate) settled: Vec<Settled>,
    /// What is stored beside them, by its names: the texts of templates, and the entity's own name.
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
}

/// An attribute that something fills or takes away.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    pub(crate) name: Arc<str>,
    /// Its place in the entity.
    pub(crate) at: usize,
    /// What fills it, where that is the same for every item.
    pub(crate) constant: Option<Val>,
    /// Whether what fills it follows from the item alone, today as on the day the item was made.
    pub(crate) is_pure: bool,
}

/// What is stored and is no attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// The text of a template, by its place in the entity.
    Template(usize),
    /// The entity's name.
    Kind,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct AttributeInfo {
    pub(crate) name: Arc<str>,
    /// The name as JSON text, with the colon behind it.
    pub(crate) label: Box<[u8]>,
    /// Its place in the entity.
    pub(crate) at: usize,
    /// Its type, references followed.
    pub(crate) ty: Type,
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
    pub(crate) fn of(design: &Design, entity: &Entity) -> Anatomy {
        let info = |(at, attribute): (usize, &Attribute)| AttributeInfo {
            name: attribute.name.text.as_str().into(),
            label: label(&attribute.name.text),
            at,
            ty: design.type_of(attribute).clone(),
            is_stored: attribute.is_stored(),
            is_encrypted: attribute.has("encrypted"),
            is_secret: attribute.has("secret") || attribute.has("internal"),
            is_key: is_key(design, entity, attribute),
            is_required: is_required(design, attribute),
            types: stored_types(design, attribute),
            is_deep: attribute.is_stored() && has_inner_defaults(design, design.type_of(attribute)),
        };
        let mut attributes: Vec<AttributeInfo> = entity.attributes.iter().enumerate().map(info).collect();
        attributes.sort_by(|left, right| left.name.cmp(&right.name));
        let mut has_arrows = false;
        for fill in entity.attributes.iter().filter_map(|attribute| attribute.value.as_ref()) {
            fill.value.walk(&mut |expr| has_arrows |= matches!(expr.kind, ExprKind::Arrow { .. }));
        }
        let names = |wanted: &dyn Fn(&Attribute) -> bool| -> Vec<Arc<str>> {
            let wanted = attributes.iter().filter(|each| wanted(&entity.attributes[each.at]));
            wanted.map(|each| each.name.clone()).collect()
        };
        let has_encrypted = attributes.iter().any(|attribute| attribute.is_encrypted);
        let has_virtual = entity.attributes.iter().any(|attribute| is_virtual(design, attribute));
        let is_open = |each: &AttributeInfo| each.is_stored && !each.is_secret;
        Anatomy {
            required: names(&|attribute| attribute.is_stored() && !attribute.may_be_absent()),
            has_conditions: entity.attributes.iter().any(|each| each.when.is_some() && !each.optional),
            secrets: names(&|attribute| attribute.has("secret") && !attribute.is_derived()),
            is_open: !has_encrypted && !has_virtual && attributes.iter().all(is_open),
            has_encrypted,
            attributes,
            derived: derived(entity),
            settled: settled(design, entity),
            beside: beside(design, entity),
            has_virtual,
            has_arrows,
        }
    }

    /// The attribute of that name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&AttributeInfo> {
        let at = self.attributes.binary_search_by(|each| (*each.name).cmp(name)).ok()?;
        self.attributes.get(at)
    }

    /// The attributes, by their names.
    pub(crate) fn attributes(&self) -> &[AttributeInfo] {
        &self.attributes
    }

    /// Shows the attributes that a stored item has, by their names. What templates fill is not among them. Values are shown
    /// where they were read: to hand each one on would cost more than to read it.
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
    pub(crate) fn decode(&self, design: &Design, item: &Item) -> Fields {
        let mut fields = Fields::with_capacity(self.attributes.len());
        self.each_stored(item, |attribute, value| {
            fields.insert(attribute.name.clone(), attribute.decode(design, *value));
        });
        fields
    }
}

impl AttributeInfo {
    /// The value that a stored one stands for.
    pub(crate) fn decode(&self, design: &Design, value: ValueRef<'_>) -> Val {
        match value {
            ValueRef::B(bytes) if self.is_encrypted => Val::Sealed(bytes.to_vec()),
            value => from_stored(design, &self.ty, value),
        }
    }

    /// Whether stored text is the value itself, not something written as text.
    pub(crate) fn is_plain_text(&self) -> bool {
        !matches!(self.ty, Type::Time { .. } | Type::Json { .. })
    }
}

fn label(name: &str) -> Box<[u8]> {
    let mut label = Vec::with_capacity(name.len() + 3);
    put_string(&mut label, name);
    label.push(b':');
    label.into()
}

/// The names that decide what an attribute is.
pub(crate) fn inputs(attribute: &Attribute) -> Vec<&str> {
    let fill = attribute.value.iter().flat_map(|fill| fill.value.names());
    fill.chain(attribute.when.iter().flat_map(Expr::names)).collect()
}

fn is_key(design: &Design, entity: &Entity, attribute: &Attribute) -> bool {
    let Some(table) = design.table_of(entity) else { return false };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    keys.flat_map(Key::attributes).any(|name| *name == attribute.name)
}

fn derived(entity: &Entity) -> Vec<(usize, Vec<Arc<str>>)> {
    let mut found = Vec::new();
    for (at, attribute) in entity.attributes.iter().enumerate() {
        let Some(Fill { derived: true, value }) = &attribute.value else { continue };
        let names = value.names().into_iter().filter(|name| entity.attribute(name).is_some());
        let names: Vec<Arc<str>> = names.map(Arc::from).collect();
        if !names.is_empty() {
            found.push((at, names));
        }
    }
    found
}

/// Each round settles at least one attribute, or the rest wait for each other and are settled as they are.
fn settled(design: &Design, entity: &Entity) -> Vec<Settled> {
    let all = entity.attributes.iter().enumerate().filter(|(_, each)| !each.has("virtual"));
    let mut open: Vec<(usize, &Attribute)> = all.collect();
    let mut order = Vec::new();
    while !open.is_empty() {
        let names: Vec<&str> = open.iter().map(|(_, attribute)| attribute.name.text.as_str()).collect();
        let ready = |(_, attribute): &&(usize, &Attribute)| {
            let own = attribute.name.text.as_str();
            !inputs(attribute).iter().any(|input| *input != own && names.contains(input))
        };
        let (now, later): (Vec<_>, Vec<_>) = open.iter().partition(ready);
        let (now, later) = if now.is_empty() { (later, Vec::new()) } else { (now, later) };
        let touched = |(_, each): &&(usize, &Attribute)| each.value.is_some() || each.when.is_some();
        order.extend(now.iter().filter(touched).map(|(at, attribute)| Settled {
            name: attribute.name.text.as_str().into(),
            at: *at,
            constant: constant(design, entity, attribute),
            is_pure: attribute.value.as_ref().is_some_and(|fill| is_pure(&fill.value)),
        }));
        open = later;
    }
    order
}

/// `= true` and `= word`: nothing that an item could change.
fn constant(design: &Design, entity: &Entity, attribute: &Attribute) -> Option<Val> {
    let Some(Fill { derived: false, value }) = &attribute.value else { return None };
    if attribute.when.is_some() || attribute.has("normalize") {
        return None;
    }
    let word = value.as_name()?;
    let is_named = entity.attribute(word).is_some()
        || entity.template(word).is_some()
        || design.parameters.iter().any(|each| each.name.is(word));
    match (design.type_of(attribute), word) {
        (Type::Bool, "true") => Some(Val::Bool(true)),
        (Type::Bool, "false") => Some(Val::Bool(false)),
        (_, "now" | "true" | "false" | "absent" | "null" | "caller" | "it" | "new") => None,
        (Type::Enum { members, .. }, word) if !is_named && members.iter().any(|each| each == word) => {
            Some(Val::text(word))
        }
        _ => None,
    }
}

fn beside(design: &Design, entity: &Entity) -> Vec<(Arc<str>, Beside)> {
    let templates = entity.templates.iter().enumerate();
    let templates = templates.map(|(at, each)| (each.name.text.as_str().into(), Beside::Template(at)));
    let kind = design.table_of(entity).and_then(|table| table.kind.as_ref());
    let kind = kind.map(|name| (name.text.as_str().into(), Beside::Kind));
    let mut beside: Vec<(Arc<str>, Beside)> = templates.chain(kind).collect();
    beside.sort_by(|(left, _), (right, _)| left.cmp(right));
    beside
}

fn is_virtual(design: &Design, attribute: &Attribute) -> bool {
    let inside = match design.type_of(attribute) {
        Type::Object { attributes } => attributes.iter().any(|each| each.has("virtual")),
        _ => false,
    };
    inside || attribute.has("virtual")
}
