//! Types of the design as clients write them.

use sortkey_design::model::{InputKind, TimeUnit};
use sortkey_design::program::{Attribute, Id as _, ObjectId, Type as Declared, Words as DeclaredWords};

use super::calls::Builder;
use super::names::pascal;
use super::{Field, Record, RecordId, Role, Type, Words};

/// The integers of which a double holds each: below 2 to the 53rd.
const MOST_EXACT: i64 = (1 << 53) - 1;

/// The decimal digits of which a double holds each number.
const MOST_DIGITS: u64 = 15;

/// The direction of a value: attributes that the design fills may be left out of arguments,
/// and are never missing from an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    Given,
    Answered,
}

impl Builder<'_> {
    /// A type. `brand` is that of its attribute, `hint` names an object that is written in place.
    pub(super) fn ty(&mut self, ty: &Declared, brand: Option<usize>, way: Direction, hint: &str) -> Type {
        let inner = |builder: &mut Self, ty: &Declared| Box::new(builder.ty(ty, brand, way, hint));
        match ty {
            Declared::Unknown | Declared::Any { .. } => Type::Any,
            Declared::String { .. } | Declared::Token { .. } => Type::Text,
            Declared::Id { .. } => brand.or_else(|| self.brands.of_type(ty)).map_or(Type::Text, Type::Id),
            Declared::Int { min, max } => {
                let exact =
                    |bound: &Option<i64>| bound.is_none_or(|it| (-MOST_EXACT..=MOST_EXACT).contains(&it));
                // An integer is given as a number; text is refused.
                if way == Direction::Given || (exact(min) && exact(max)) { Type::Integer } else { Type::Long }
            }
            Declared::Decimal { digits, .. } if *digits <= MOST_DIGITS => Type::Number,
            Declared::Decimal { .. } => Type::Digits,
            Declared::Bool => Type::Bool,
            Declared::Bytes { .. } => Type::Bytes,
            Declared::Time { unit } => match unit {
                TimeUnit::Iso | TimeUnit::IsoSeconds => Type::IsoTime,
                TimeUnit::Milliseconds => Type::Milliseconds,
                TimeUnit::Seconds => Type::Seconds,
                TimeUnit::Unstated if way == Direction::Given => Type::AnyTime,
                TimeUnit::Unstated => Type::IsoTime,
            },
            Declared::Date => Type::Date,
            Declared::Month => Type::Month,
            Declared::Json { of } => self.ty(of, brand, way, hint),
            Declared::Enum(words) => match words.declared {
                Some(id) => Type::Enum(id.at()),
                None => Type::Union(in_place(words)),
            },
            Declared::List { of, .. } => Type::List(inner(self, of)),
            Declared::Set { of, .. } => Type::Set(inner(self, of)),
            Declared::Map { of, .. } => Type::Map(inner(self, of)),
            Declared::Object(id) => Type::Record(self.object(*id, way, hint)),
            Declared::Input { of: InputKind::Item, entity } => Type::Record(self.items[entity.at()]),
            Declared::Input { of, entity } => Type::Record(self.entity_input(*of, *entity, &[], hint)),
        }
    }

    /// A record of the design, or an object type written in place.
    fn object(&mut self, id: ObjectId, way: Direction, hint: &str) -> RecordId {
        if let Some(known) = self.objects.get(&(id.at(), way)) {
            return *known;
        }
        let program = self.program;
        let name = match &program.objects[id].name {
            Some(name) => pascal(name),
            None => pascal(hint),
        };
        let role = Role::Value;
        if way == Direction::Answered {
            let name = self.taken.first_free([name, format!("{}Value", pascal(hint))]);
            let at =
                self.push(Record { name: name.clone(), role, extends: None, fields: Vec::new(), docs: None });
            self.objects.insert((id.at(), way), at);
            self.records[at.0].fields = self.object_fields(id, way, &name);
            return at;
        }
        // Arguments have a type of their own only if the design fills something in.
        let answered = self.object(id, Direction::Answered, hint);
        self.objects.insert((id.at(), way), answered);
        let hint = self.records[answered.0].name.clone();
        let fields = self.object_fields(id, way, &hint);
        if fields == self.records[answered.0].fields {
            return answered;
        }
        let name = self.taken.first_free([format!("New{hint}"), format!("{hint}Given")]);
        let at = self.push(Record { name, role, extends: None, fields, docs: None });
        self.objects.insert((id.at(), way), at);
        at
    }

    fn object_fields(&mut self, id: ObjectId, way: Direction, hint: &str) -> Vec<Field> {
        let program = self.program;
        program.objects[id].attributes.iter().map(|each| self.part(each, way, hint)).collect()
    }

    /// An attribute of a record or of the caller.
    pub(super) fn part(&mut self, attribute: &Attribute, way: Direction, hint: &str) -> Field {
        let brand = self.brands.of_reference(self.program, attribute);
        let ty = self.ty(&attribute.ty, brand, way, &format!("{hint} {}", attribute.name));
        let filled = way == Direction::Given && attribute.fill.is_some();
        Field {
            name: attribute.name.to_string(),
            ty,
            optional: attribute.may_be_absent() || attribute.may_misfit() || filled,
            nullable: attribute.flags.null,
        }
    }

    pub(super) fn push(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId(self.records.len() - 1)
    }
}

fn in_place(words: &DeclaredWords) -> Words {
    Words {
        name: String::new(),
        words: words.words.iter().map(ToString::to_string).collect(),
        open: words.open,
    }
}
