//! Ids as types of their own: a user's id cannot be passed as a source's.
//!
//! A brand belongs to the attribute that declares the id; its references have the same brand. An attribute that repeats
//! the type without `->` has the brand of the same name and type.

use std::collections::BTreeMap;

use sortkey_design::program::{Attribute, AttributeId, EntityId, Id as _, Program, Type};

use super::IdType;
use super::names::{Taken, pascal};

#[derive(Debug, Default)]
pub(super) struct Brands {
    pub(super) ids: Vec<IdType>,
    /// The type of each brand.
    types: Vec<Type>,
    of: BTreeMap<(usize, usize), usize>,
}

impl Brands {
    pub(super) fn of(program: &Program, taken: &mut Taken) -> Brands {
        let mut brands = Brands::default();
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for (entity, each) in program.entities.entries() {
            for (id, attribute) in each.attributes.entries() {
                let Type::Id { prefix, .. } = &*attribute.ty else { continue };
                let (owner, own) = declared(program, (entity, id));
                if (owner, own) != (entity, id) {
                    continue;
                }
                let plain = match &*attribute.name {
                    "id" => format!("{}Id", pascal(&each.name)),
                    name => pascal(name),
                };
                let known = owners.get(&plain).copied().filter(|at| brands.types[*at] == *attribute.ty);
                let at = known.unwrap_or_else(|| {
                    let qualified = format!("{}{}", pascal(&each.name), pascal(&attribute.name));
                    let name = taken.first_free([plain.clone(), qualified]);
                    brands.ids.push(IdType { name, prefix: prefix.clone() });
                    brands.types.push((*attribute.ty).clone());
                    brands.ids.len() - 1
                });
                owners.entry(plain).or_insert(at);
                brands.of.insert((entity.at(), id.at()), at);
            }
        }
        brands
    }

    /// The brand of an attribute of an entity.
    pub(super) fn of_attribute(&self, program: &Program, entity: EntityId, id: AttributeId) -> Option<usize> {
        let (entity, id) = declared(program, (entity, id));
        self.of.get(&(entity.at(), id.at())).copied()
    }

    /// The brand of an attribute of a record or of the caller: that of what it refers to.
    pub(super) fn of_reference(&self, program: &Program, attribute: &Attribute) -> Option<usize> {
        let to = attribute.reference?;
        self.of_attribute(program, to.entity, to.attribute)
    }

    /// The brand of an id type that exactly one declares.
    pub(super) fn of_type(&self, ty: &Type) -> Option<usize> {
        let mut fitting = self.types.iter().enumerate().filter(|(_, each)| *each == ty);
        let (at, _) = fitting.next()?;
        fitting.next().is_none().then_some(at)
    }
}

/// The attribute at the end of a chain of references. A chain longer than the number of entities runs in a circle.
fn declared(program: &Program, from: (EntityId, AttributeId)) -> (EntityId, AttributeId) {
    let mut at = from;
    for _ in 0..program.entities.len() {
        let Some(next) = program.entities[at.0].attributes[at.1].reference else { return at };
        at = (next.entity, next.attribute);
    }
    from
}
