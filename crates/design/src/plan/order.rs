//! Whether what comes back is in the order that a pattern asks for.

use super::question::Question;
use super::read::{Obstacle, SortUse};
use crate::facts::{Condition, Source, TextOrder, condition, is_time_name, settles, source, text_order};
use crate::model::*;

impl<'a> Question<'a> {
    /// Whether a key gives the order asked for; `open` is the attribute where the pattern leaves the sort key open.
    pub(super) fn order(&self, key: &'a Key, open: Option<&'a str>) -> Result<(), Obstacle<'a>> {
        let Some(order) = &self.pattern.order else {
            return Ok(());
        };
        if self.pattern.verb == ReadVerb::Collect {
            return self.order_of_all(order, key);
        }
        if self.is_ordered(order, open) { Ok(()) } else { Err(Obstacle::Order(open)) }
    }

    fn is_ordered(&self, order: &Order, open: Option<&str>) -> bool {
        match (&order.by, open) {
            (Some(by), Some(open)) => by.is(open),
            (Some(_), None) => false,
            (None, None) => true,
            (None, Some(open)) => self.entity.attribute(open).is_some_and(|attribute| {
                let ty = self.design.type_of(attribute);
                let untyped = matches!(ty, Type::String { .. } | Type::Int { .. } | Type::Undeclared);
                let ulid = matches!(ty, Type::Id { body: IdBody::Ulid, .. });
                ty.is_temporal() || ulid || (untyped && is_time_name(open))
            }),
        }
    }

    /// One Query returns a collection in the order of its sort keys, so an order of times holds across entities only
    /// if their keys begin alike up to the time. An entity with one item per collection has no order to lose.
    fn order_of_all(&self, order: &Order, key: &'a Key) -> Result<(), Obstacle<'a>> {
        let mut first: Option<Beginning<'a>> = None;
        for name in &self.pattern.entities {
            let Some(entity) = self.design.entity(&name.text) else { continue };
            let question = Question::new(self.design, self.pattern, entity);
            let Some(beginning) = question.beginning(key) else { continue };
            let open = Some(beginning.open);
            if !question.is_ordered(order, open) {
                return Err(Obstacle::OrderOf(&entity.name, beginning.open));
            }
            question.keeps_order(key, &SortUse::Whole, open)?;
            match &first {
                Some(first) if *first != beginning => {
                    return Err(Obstacle::OrderOf(&entity.name, beginning.open));
                }
                Some(_) => {}
                None => first = Some(beginning),
            }
        }
        Ok(())
    }

    /// Queries for several values are merged by their sort keys, which therefore begin with what orders them.
    pub(super) fn merges_in_order(&self, key: &Key, open: Option<&'a str>) -> Result<(), Obstacle<'a>> {
        let several =
            self.pattern.binds.iter().filter(|bind| matches!(bind.value, BindValue::All | BindValue::In(_)));
        let mut names = several.map(|bind| bind.name.text.as_str());
        let is_in_sort = |name: &str| {
            let sources = key.sort.iter().filter_map(|stored| source(self.entity, &stored.text));
            sources.into_iter().any(|source| source.slots().contains(&name))
        };
        match self.pattern.order.is_some() && names.any(is_in_sort) {
            true => Err(Obstacle::Order(open)),
            false => Ok(()),
        }
    }

    /// Whether the text of the part of the key that a range or an order is asked of sorts as its values do.
    pub(super) fn keeps_order(
        &self,
        key: &'a Key,
        sort: &SortUse<'a>,
        open: Option<&'a str>,
    ) -> Result<(), Obstacle<'a>> {
        let Some(open) = open else { return Ok(()) };
        let mut sources = key.sort.iter().filter_map(|name| source(self.entity, &name.text));
        let Some(source) = sources.find(|each| each.slots().contains(&open)) else { return Ok(()) };
        let order = text_order(self.design, self.entity, source, open);
        let is_range = matches!(sort, SortUse::Range(expr) if matches!(condition(expr), Condition::Range(_)));
        let is_wrong = match order {
            TextOrder::Kept => false,
            TextOrder::Coarse => self.pattern.order.is_some(),
            TextOrder::Lost => self.pattern.order.is_some() || is_range,
        };
        if is_wrong { Err(Obstacle::Unordered(open)) } else { Ok(()) }
    }

    /// How the sort keys of the items asked for begin; none if they are fixed to the end.
    fn beginning(&self, key: &'a Key) -> Option<Beginning<'a>> {
        let mut before = Vec::new();
        for name in &key.sort {
            if self.bound.contains(&name.text.as_str()) {
                continue;
            }
            let pieces = match source(self.entity, &name.text)? {
                Source::Template(template) => template.pieces.clone(),
                Source::Natural(attribute) => {
                    vec![Piece::Slot { attribute: attribute.name.clone(), format: None }]
                }
            };
            for piece in pieces {
                let Piece::Slot { attribute, format } = &piece else {
                    before.push(piece);
                    continue;
                };
                if settles(self.entity, &self.bound, &attribute.text) {
                    before.push(piece);
                    continue;
                }
                let open = self.entity.attribute(&attribute.text)?;
                let ty = self.design.type_of(open);
                return Some(Beginning { before, open: &open.name.text, format: format.clone(), ty });
            }
        }
        None
    }
}

/// The beginning of a sort key, up to the first attribute that the pattern leaves open.
struct Beginning<'a> {
    before: Vec<Piece>,
    open: &'a str,
    format: Option<SlotFormat>,
    ty: &'a Type,
}

/// Two beginnings sort their times into one order; what the attribute is called does not matter.
impl PartialEq for Beginning<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.before == other.before && self.format == other.format && self.ty == other.ty
    }
}
