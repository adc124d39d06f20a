//! Key conditions: the partition fixed, the sort key fixed, begun, or bounded.
//!
//! Ranges are inclusive on both sides, also where more text follows the bounded piece: the upper bound is padded with
//! the greatest character there is.

use sortkey_design::facts::{Source, source};
use sortkey_design::model::*;
use sortkey_value::{AttributeValue, Item, Map};

use super::{Read, Route};
use crate::Failure;
use crate::condition::Placeholders;
use crate::evaluate::Scope;
use crate::template;
use crate::values::{Admit, Fields, Val, to_stored};

/// Nothing in a key sorts behind it.
const LAST: char = char::MAX;

/// The bounds of a range on one attribute.
#[derive(Default)]
struct Bounds {
    low: Option<(Val, bool)>,
    high: Option<(Val, bool)>,
    prefix: Option<String>,
}

impl Read {
    /// The key condition of one query; none if the known attributes do not determine a partition.
    pub(super) fn key_condition(
        &self,
        scope: &Scope<'_>,
        known: &Fields,
        into: &mut Placeholders,
    ) -> Result<Option<String>, Failure> {
        let key = self.key(&scope.shared.design);
        let mut conditions = Vec::new();
        for name in &key.partition {
            let Some(value) = self.fixed(scope, &name.text, known) else { return Ok(None) };
            conditions.push(format!("{} = {}", into.name(&name.text), into.value(value)));
        }
        if self.pattern.verb == ReadVerb::Collect {
            return Ok(Some(conditions.join(" AND ")));
        }
        for name in &key.sort {
            if let Some(value) = self.fixed(scope, &name.text, known) {
                conditions.push(format!("{} = {}", into.name(&name.text), into.value(value)));
                continue;
            }
            conditions.extend(self.open(scope, &name.text, known, into)?);
            break;
        }
        Ok(Some(conditions.join(" AND ")))
    }

    /// The table key, if the known attributes determine it.
    pub(super) fn table_key(&self, scope: &Scope<'_>, known: &Fields) -> Option<Map> {
        let names = scope.shared.design.tables[self.table_at].key.attributes();
        names.map(|name| Some((name.text.clone(), self.fixed(scope, &name.text, known)?))).collect()
    }

    /// The same in the form in which it is sent.
    pub(super) fn table_key_item(&self, scope: &Scope<'_>, known: &Fields) -> Option<Item> {
        let design = &scope.shared.design;
        let entity = &design.entities[self.entities[0]];
        let mut key = Item::builder();
        let mut text = String::with_capacity(128);
        for name in design.tables[self.table_at].key.attributes() {
            match entity.template(&name.text).filter(|_| !known.contains_key(&name.text)) {
                Some(template) => {
                    text.clear();
                    let pieces = template.pieces.len();
                    template::render_into(design, entity, template, pieces, known, &mut text)?;
                    key.name(&name.text);
                    key.string(&text);
                }
                None => {
                    let value = self.fixed(scope, &name.text, known)?;
                    key.name(&name.text);
                    key.tree(&value);
                }
            }
        }
        Some(key.finish())
    }

    /// Whether the path is the table's key, whole.
    pub(super) fn is_key_lookup(&self, scope: &Scope<'_>, known: &Fields) -> bool {
        self.route == Route::Table && self.table_key(scope, known).is_some()
    }

    /// The value of a stored key attribute, if the known attributes determine it.
    fn fixed(&self, scope: &Scope<'_>, stored: &str, known: &Fields) -> Option<AttributeValue> {
        fixed(scope, self.entities[0], stored, known)
    }

    /// The condition on a sort attribute that is not fixed.
    fn open(
        &self,
        scope: &Scope<'_>,
        stored: &str,
        known: &Fields,
        into: &mut Placeholders,
    ) -> Result<Option<String>, Failure> {
        let design = &scope.shared.design;
        let entity = &design.entities[self.entities[0]];
        match source(entity, stored) {
            Some(Source::Natural(attribute)) => {
                let bounds = self.bounds(scope, &attribute.name.text)?;
                Ok(natural(into, stored, bounds, |value| to_stored(design, design.type_of(attribute), value)))
            }
            Some(Source::Template(template)) => {
                let whole = self.bounds(scope, stored)?;
                if whole.low.is_some() || whole.high.is_some() || whole.prefix.is_some() {
                    return Ok(natural(into, stored, whole, |value| {
                        Some(AttributeValue::S(value.as_text()?.to_owned()))
                    }));
                }
                self.template(scope, entity, template, known, into)
            }
            None => Ok(None),
        }
    }

    /// A fixed beginning, and the bounds of the piece behind it.
    fn template(
        &self,
        scope: &Scope<'_>,
        entity: &Entity,
        template: &Template,
        known: &Fields,
        into: &mut Placeholders,
    ) -> Result<Option<String>, Failure> {
        let design = &scope.shared.design;
        let is_open = |piece: &Piece| matches!(piece, Piece::Slot { attribute, .. } if !known.contains_key(&attribute.text));
        let Some(at) = template.pieces.iter().position(is_open) else { return Ok(None) };
        let Some(prefix) = template::render_pieces(design, entity, template, at, known) else {
            return Ok(None);
        };
        let Piece::Slot { attribute, format } = &template.pieces[at] else { return Ok(None) };
        let bounds = self.bounds(scope, &attribute.text)?;
        let text = |value: &Val| {
            let slot = template::slot(design, entity, template, &attribute.text, format.as_ref(), value);
            slot.map(|slot| format!("{prefix}{slot}"))
        };
        let mut begins = |text: String| {
            let (alias, value) = (into.name(&template.name.text), into.value(AttributeValue::S(text)));
            Ok(Some(format!("begins_with({alias}, {value})")))
        };
        if let Some(beginning) = bounds.prefix {
            let beginning = Val::Text(beginning);
            return begins(text(&beginning).unwrap_or_default());
        }
        let low = bounds.low.as_ref().and_then(|(value, _)| text(value));
        let high = bounds.high.as_ref().and_then(|(value, _)| text(value));
        if low.is_none() && high.is_none() {
            return if prefix.is_empty() { Ok(None) } else { begins(prefix) };
        }
        let alias = into.name(&template.name.text);
        let last = at + 1 == template.pieces.len();
        if let (None, true, Some(high)) = (&low, prefix.is_empty(), &high) {
            // Nothing stands before the first: no key is empty text.
            let high = if last { high.clone() } else { format!("{high}{LAST}") };
            return Ok(Some(format!("{alias} <= {}", into.value(AttributeValue::S(high)))));
        }
        let low = low.unwrap_or_else(|| prefix.clone());
        let high = match high {
            Some(high) if last => high,
            Some(high) => format!("{high}{LAST}"),
            None => format!("{prefix}{LAST}"),
        };
        Ok(between(into, &alias, AttributeValue::S(low), AttributeValue::S(high)))
    }

    /// What `where` says about the range of an attribute; bounds that are left out bound nothing.
    fn bounds(&self, scope: &Scope<'_>, name: &str) -> Result<Bounds, Failure> {
        let design = &scope.shared.design;
        let attribute = design.entities[self.entities[0]].attribute(name);
        let admit = Admit::computed(scope);
        let value = |expr: &Expr| -> Result<Option<Val>, Failure> {
            let value = scope.eval(expr, None)?;
            let value = match attribute {
                // A bound need not be a value of the type: a time cut to its unit, a month for a day.
                Some(attribute) => admit.attribute(attribute, value.clone(), name).unwrap_or(value),
                None => value,
            };
            Ok((!value.is_absent()).then_some(value))
        };
        let mut bounds = Bounds::default();
        for conjunct in self.pattern.conditions() {
            let ExprKind::Binary { op, right, .. } = &conjunct.kind else { continue };
            if sortkey_design::facts::condition(conjunct).attribute() != Some(name) {
                continue;
            }
            match (op, &right.kind) {
                (Op::In, ExprKind::Range { low, high }) => {
                    bounds.low =
                        low.as_ref().map(|each| value(each)).transpose()?.flatten().map(|each| (each, true));
                    bounds.high =
                        high.as_ref().map(|each| value(each)).transpose()?.flatten().map(|each| (each, true));
                }
                (Op::GtEq | Op::Gt, _) => bounds.low = value(right)?.map(|each| (each, *op == Op::GtEq)),
                (Op::LtEq | Op::Lt, _) => bounds.high = value(right)?.map(|each| (each, *op == Op::LtEq)),
                (Op::StartsWith, _) => {
                    bounds.prefix = scope.eval(right, None)?.as_text().map(str::to_owned);
                }
                _ => {}
            }
        }
        Ok(bounds)
    }
}

/// The value of a stored attribute of an entity, if the known attributes determine it.
pub(crate) fn fixed(
    scope: &Scope<'_>,
    entity: usize,
    stored: &str,
    known: &Fields,
) -> Option<AttributeValue> {
    let design = &scope.shared.design;
    let entity = &design.entities[entity];
    if let Some(Val::Text(text)) = known.get(stored).filter(|_| entity.attribute(stored).is_none()) {
        return Some(AttributeValue::S(text.clone()));
    }
    match source(entity, stored)? {
        Source::Natural(attribute) => {
            to_stored(design, design.type_of(attribute), known.get(&attribute.name.text)?)
        }
        Source::Template(template) => {
            template::render(design, entity, template, known).map(AttributeValue::S)
        }
    }
}

/// The condition on a sort key that is an attribute itself: DynamoDB knows its order.
fn natural(
    into: &mut Placeholders,
    stored: &str,
    bounds: Bounds,
    encode: impl Fn(&Val) -> Option<AttributeValue>,
) -> Option<String> {
    if bounds.low.is_none() && bounds.high.is_none() && bounds.prefix.is_none() {
        return None;
    }
    let alias = into.name(stored);
    if let Some(prefix) = bounds.prefix {
        let value = into.value(AttributeValue::S(prefix));
        return Some(format!("begins_with({alias}, {value})"));
    }
    let low = bounds.low.and_then(|(value, inclusive)| Some((encode(&value)?, inclusive)));
    let high = bounds.high.and_then(|(value, inclusive)| Some((encode(&value)?, inclusive)));
    match (low, high) {
        // What an exclusive bound excludes is dropped when the items are checked again.
        (Some((low, _)), Some((high, _))) => between(into, &alias, low, high),
        (Some((low, inclusive)), None) => {
            Some(format!("{alias} {} {}", if inclusive { ">=" } else { ">" }, into.value(low)))
        }
        (None, Some((high, inclusive))) => {
            Some(format!("{alias} {} {}", if inclusive { "<=" } else { "<" }, into.value(high)))
        }
        (None, None) => None,
    }
}

/// A range that is empty is asked for as a point between its ends, since DynamoDB refuses ends that are swapped.
fn between(
    into: &mut Placeholders,
    alias: &str,
    low: AttributeValue,
    high: AttributeValue,
) -> Option<String> {
    let swapped = match (&low, &high) {
        (AttributeValue::S(low), AttributeValue::S(high)) => low > high,
        (AttributeValue::N(low), AttributeValue::N(high)) => low > high,
        _ => false,
    };
    let (low, high) = if swapped { (high.clone(), high) } else { (low, high) };
    let (low, high) = (into.value(low), into.value(high));
    Some(format!("{alias} BETWEEN {low} AND {high}"))
}
