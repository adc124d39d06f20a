//! Converts types of the text to types of the program, each once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{self, Design};
use crate::program::{Arena, Attributes, EntityId, EnumId, Id, Object, ObjectId, Type, Words};

/// The types of a design, by their address in the syntax model.
pub(super) struct Types<'a> {
    made: HashMap<*const model::Type, Arc<Type>>,
    /// The attributes of every object, as the text has them.
    pub(super) sources: Vec<&'a [model::Attribute]>,
    unknown: Arc<Type>,
}

/// Makes the types of a design.
pub(super) struct Maker<'a> {
    design: &'a Design,
    types: Types<'a>,
    pub(super) objects: Arena<ObjectId, Object>,
}

impl<'a> Maker<'a> {
    /// A maker with the records declared; their attributes follow.
    pub(super) fn new(design: &'a Design) -> Maker<'a> {
        let types = Types { made: HashMap::new(), sources: Vec::new(), unknown: Arc::new(Type::Unknown) };
        let mut maker = Maker { design, types, objects: Arena::default() };
        for record in &design.records {
            maker.object(Some(record.name.text.as_str().into()), &record.attributes);
        }
        maker
    }

    fn object(&mut self, name: Option<Arc<str>>, attributes: &'a [model::Attribute]) -> ObjectId {
        self.types.sources.push(attributes);
        self.objects.push(Object { name, attributes: Attributes::default() })
    }

    /// The types and objects that were made.
    pub(super) fn finish(self) -> (Types<'a>, Arena<ObjectId, Object>) {
        (self.types, self.objects)
    }

    /// The attributes of an object, as the text has them.
    pub(super) fn source(&self, object: ObjectId) -> &'a [model::Attribute] {
        self.types.sources.get(object.at()).copied().unwrap_or_default()
    }

    /// The type of an attribute, its reference followed.
    pub(super) fn attribute(&mut self, attribute: &'a model::Attribute) -> Arc<Type> {
        self.ty(self.design.type_of(attribute))
    }

    /// A type; the parser bounds how deep types nest.
    pub(super) fn ty(&mut self, ty: &'a model::Type) -> Arc<Type> {
        if let Some(made) = self.types.made.get(&std::ptr::from_ref(ty)) {
            return Arc::clone(made);
        }
        let made = Arc::new(self.make(ty));
        self.types.made.insert(std::ptr::from_ref(ty), Arc::clone(&made));
        made
    }

    fn make(&mut self, ty: &'a model::Type) -> Type {
        match ty {
            model::Type::Undeclared => Type::Unknown,
            model::Type::Any { max } => Type::Any { max: *max },
            model::Type::String { format, min, max } => {
                Type::String { format: format.clone(), min: *min, max: *max }
            }
            model::Type::Id { prefix, body } => Type::Id { prefix: prefix.clone(), body: *body },
            model::Type::Token { prefix, length } => Type::Token { prefix: prefix.clone(), length: *length },
            model::Type::Int { min, max } => Type::Int { min: *min, max: *max },
            model::Type::Decimal { digits, scale } => Type::Decimal { digits: *digits, scale: *scale },
            model::Type::Bool => Type::Bool,
            model::Type::Bytes { max } => Type::Bytes { max: *max },
            model::Type::Time { unit } => Type::Time { unit: *unit },
            model::Type::Date => Type::Date,
            model::Type::Month => Type::Month,
            model::Type::Json { of } => Type::Json { of: self.ty(of) },
            model::Type::Enum { name, members, open } => Type::Enum(Arc::new(Words {
                declared: name.as_ref().and_then(|name| enum_id(self.design, name)),
                words: members.iter().map(|word| word.as_str().into()).collect(),
                open: *open,
            })),
            model::Type::List { of, max } => Type::List { of: self.ty(of), max: *max },
            model::Type::Map { of, max } => Type::Map { of: self.ty(of), max: *max },
            model::Type::Set { of, max } => Type::Set { of: self.ty(of), max: *max },
            model::Type::Object { attributes } => Type::Object(self.object(None, attributes)),
            model::Type::Record { name } => {
                let at = self.design.records.iter().position(|record| record.name.is(name));
                at.map_or(Type::Unknown, |at| Type::Object(ObjectId::new(at)))
            }
            model::Type::Input { of, entity } => {
                entity_id(self.design, entity).map_or(Type::Unknown, |entity| Type::Input { of: *of, entity })
            }
        }
    }
}

impl Types<'_> {
    /// The elaborated type of a type in the text.
    pub(super) fn of(&self, ty: &model::Type) -> Arc<Type> {
        self.made.get(&std::ptr::from_ref(ty)).unwrap_or(&self.unknown).clone()
    }
}

/// The id of an entity by its name.
pub(super) fn entity_id(design: &Design, name: &str) -> Option<EntityId> {
    design.entities.iter().position(|entity| entity.name.is(name)).map(EntityId::new)
}

fn enum_id(design: &Design, name: &str) -> Option<EnumId> {
    design.enums.iter().position(|each| each.name.is(name)).map(EnumId::new)
}
