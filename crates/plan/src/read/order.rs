//! Whether the results of a path are in the order that a pattern asks for.

use std::sync::Arc;

use sortkey_design::facts::is_time_name;
use sortkey_design::model::{IdBody, ReadVerb, SlotFormat};
use sortkey_design::program::{
    AttributeId, BindValue, Bound, EntityId, FilledKey, Order, Piece, Says, Source, Type,
};

use super::keys::Sorted;
use super::question::Question;
use super::{Obstacle, SortUse};
use crate::facts::{TextOrder, settles, slots, text_order};

impl Question<'_> {
    /// Whether a key gives the order asked for; `open` is the attribute where the pattern leaves the sort key open.
    pub(super) fn order(&self, key: &FilledKey, open: Option<AttributeId>) -> Result<(), Obstacle> {
        let Some(order) = &self.pattern.order else {
            return Ok(());
        };
        if self.pattern.verb == ReadVerb::Collect {
            return self.order_of_all(order, key);
        }
        if self.is_ordered(order, open) { Ok(()) } else { Err(Obstacle::Order(open)) }
    }

    fn is_ordered(&self, order: &Order, open: Option<AttributeId>) -> bool {
        match (order.by, open) {
            (Some(by), Some(open)) => self.named_alike(open) == (self.first(), by),
            (Some(_), None) => false,
            (None, None) => true,
            (None, Some(open)) => {
                let attribute = &self.of.attributes[open];
                let ty = &*attribute.ty;
                let untyped = matches!(ty, Type::String { .. } | Type::Int { .. } | Type::Unknown);
                let ulid = matches!(ty, Type::Id { body: IdBody::Ulid, .. });
                ty.is_temporal() || ulid || (untyped && is_time_name(&attribute.name))
            }
        }
    }

    /// One Query returns a collection in the order of its sort keys, so an order of times holds across entities only
    /// if their keys begin alike up to the time. An entity with one item per collection has no order to lose.
    fn order_of_all(&self, order: &Order, key: &FilledKey) -> Result<(), Obstacle> {
        let mut first: Option<Beginning> = None;
        for entity in &self.pattern.entities {
            let question = Question::new(self.program, self.pattern, *entity);
            let Some(own) = question.same_key(self, key) else { continue };
            let Some(beginning) = question.beginning(own) else { continue };
            let open = Some(beginning.open);
            let differs = || Obstacle::OrderOf(*entity, beginning.open);
            if !question.is_ordered(order, open) {
                return Err(differs());
            }
            let sorted = Sorted { parts: Vec::new(), usage: SortUse::Whole, open, range: None };
            question.keeps_order(own, &sorted)?;
            match &first {
                Some(first) if *first != beginning => return Err(differs()),
                Some(_) => {}
                None => first = Some(beginning),
            }
        }
        Ok(())
    }

    /// How this entity fills the key that another one of the same table fills.
    fn same_key<'k>(&'k self, other: &Question<'_>, key: &FilledKey) -> Option<&'k FilledKey> {
        if std::ptr::eq(key, &raw const other.of.key) {
            return Some(&self.of.key);
        }
        let at = other.of.indexes.iter().position(|each| std::ptr::eq(each, key))?;
        self.of.indexes.get(at)
    }

    /// Queries for several values are merged by their sort keys, which therefore begin with what orders them.
    pub(super) fn merges_in_order(&self, key: &FilledKey, open: Option<AttributeId>) -> Result<(), Obstacle> {
        let several =
            self.pattern.binds.iter().filter(|bind| matches!(bind.value, BindValue::All | BindValue::In(_)));
        let is_in_sort = |bound: Bound| {
            let sources = key.sort.iter().filter_map(|part| part.source);
            sources.into_iter().any(|source| match bound {
                Bound::Attribute(id) => slots(self.of, source).contains(&id),
                Bound::Stored(_) => false,
            })
        };
        match self.pattern.order.is_some() && several.into_iter().any(|bind| is_in_sort(bind.to)) {
            true => Err(Obstacle::Order(open)),
            false => Ok(()),
        }
    }

    /// Whether the text of the part of the key that a range or an order is asked of sorts as its values do.
    pub(super) fn keeps_order(&self, key: &FilledKey, sorted: &Sorted<'_>) -> Result<(), Obstacle> {
        let Some(open) = sorted.open else { return Ok(()) };
        let mut sources = key.sort.iter().filter_map(|part| part.source);
        let Some(source) = sources.find(|each| slots(self.of, *each).contains(&open)) else { return Ok(()) };
        let is_range = sorted.range.is_some_and(|range| matches!(range.says, Says::Range(_)));
        let is_wrong = match text_order(self.of, source, open) {
            TextOrder::Kept => false,
            TextOrder::Coarse => self.pattern.order.is_some(),
            TextOrder::Lost => self.pattern.order.is_some() || is_range,
        };
        if is_wrong { Err(Obstacle::Unordered(open)) } else { Ok(()) }
    }

    /// The entity that the pattern names first.
    fn first(&self) -> EntityId {
        self.pattern.entities.first().copied().unwrap_or(self.entity)
    }

    /// The attribute of the first entity with the same name, since `by` and `order by` name those of the first.
    fn named_alike(&self, attribute: AttributeId) -> (EntityId, AttributeId) {
        match self.program.same_attribute(self.entity, attribute, self.first()) {
            Some(same) => (self.first(), same),
            None => (self.entity, attribute),
        }
    }

    /// How the sort keys of the items asked for begin; none if they are fixed to the end.
    fn beginning(&self, key: &FilledKey) -> Option<Beginning> {
        let mut before = Vec::new();
        for part in &key.sort {
            let source = part.source?;
            let pieces = match source {
                Source::Template(template) if self.bound.stored.contains(&template) => continue,
                Source::Template(template) => self.of.templates[template].pieces.clone(),
                Source::Attribute(attribute) => vec![Piece::Slot { attribute, format: None }],
            };
            for piece in pieces {
                match piece {
                    Piece::Slot { attribute, format }
                        if !settles(self.of, &self.bound.attributes, attribute) =>
                    {
                        let ty = Arc::clone(&self.of.attributes[attribute].ty);
                        return Some(Beginning { before, open: attribute, format, ty });
                    }
                    Piece::Slot { attribute, format } => {
                        before.push(Fixed::Value(self.named_alike(attribute), format));
                    }
                    Piece::Literal(text) => before.push(Fixed::Literal(text)),
                }
            }
        }
        None
    }
}

/// The beginning of a sort key, up to the first attribute that the pattern leaves open.
struct Beginning {
    before: Vec<Fixed>,
    open: AttributeId,
    format: Option<SlotFormat>,
    ty: Arc<Type>,
}

/// A piece of a key that a pattern fixes.
#[derive(PartialEq)]
enum Fixed {
    Literal(String),
    Value((EntityId, AttributeId), Option<SlotFormat>),
}

/// Two beginnings sort their times into one order; what the attribute is called does not matter.
impl PartialEq for Beginning {
    fn eq(&self, other: &Self) -> bool {
        self.before == other.before && self.format == other.format && self.ty == other.ty
    }
}
