//! Key conditions: the partition fixed, the sort key fixed, begun, or bounded.
//!
//! Ranges are inclusive on both sides, also where more text follows the bounded piece: the upper bound is padded with
//! the greatest character there is.

use sortkey_design::Program;
use sortkey_design::model::{Op, ReadVerb};
use sortkey_design::program::{Bound, Entity, Expr, ExprKind, KeyPart, Piece, Source, Template};
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
        let program = &scope.shared.program;
        let (entity, key) = (&program.entities[self.first()], self.filled(program));
        let mut conditions = Vec::new();
        for part in &key.partition {
            let Some(value) = fixed(program, entity, part, known) else { return Ok(None) };
            conditions.push(format!("{} = {}", into.name(&part.stored), into.value(value)));
        }
        if self.pattern.verb == ReadVerb::Collect {
            return Ok(Some(conditions.join(" AND ")));
        }
        for part in &key.sort {
            if let Some(value) = fixed(program, entity, part, known) {
                conditions.push(format!("{} = {}", into.name(&part.stored), into.value(value)));
                continue;
            }
            conditions.extend(self.open(scope, part, known, into)?);
            break;
        }
        Ok(Some(conditions.join(" AND ")))
    }

    /// The table key, if the known attributes determine it.
    pub(super) fn table_key(&self, scope: &Scope<'_>, known: &Fields) -> Option<Map> {
        super::key_of(scope, self.entity(scope), known)
    }

    /// The table key in the form in which it is sent.
    pub(super) fn table_key_item(&self, scope: &Scope<'_>, known: &Fields) -> Option<Item> {
        let program = &scope.shared.program;
        let entity = &program.entities[self.first()];
        let mut key = Item::builder();
        let mut text = String::with_capacity(128);
        for part in entity.key.parts() {
            match part.source.filter(|_| !known.contains_key(&part.stored)) {
                Some(Source::Template(id)) => {
                    text.clear();
                    let template = &entity.templates[id];
                    template::render_into(entity, template, template.pieces.len(), known, &mut text)?;
                    key.name(&part.stored);
                    key.string(&text);
                }
                _ => {
                    let value = fixed(program, entity, part, known)?;
                    key.name(&part.stored);
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

    /// The condition on a sort attribute that is not fixed.
    fn open(
        &self,
        scope: &Scope<'_>,
        part: &KeyPart,
        known: &Fields,
        into: &mut Placeholders,
    ) -> Result<Option<String>, Failure> {
        let program = &scope.shared.program;
        let entity = &program.entities[self.first()];
        match part.source {
            Some(Source::Attribute(id)) => {
                let bounds = self.bounds(scope, Bound::Attribute(id))?;
                let ty = &entity.attributes[id].ty;
                Ok(natural(into, &part.stored, bounds, |value| to_stored(program, ty, value)))
            }
            Some(Source::Template(id)) => {
                let whole = self.bounds(scope, Bound::Stored(id))?;
                if whole.low.is_some() || whole.high.is_some() || whole.prefix.is_some() {
                    return Ok(natural(into, &part.stored, whole, |value| {
                        Some(AttributeValue::S(value.as_text()?.to_owned()))
                    }));
                }
                self.template(scope, entity, &entity.templates[id], known, into)
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
        let is_open = |piece: &Piece| match piece {
            Piece::Slot { attribute, .. } => !known.contains_key(&entity.attributes[*attribute].name),
            Piece::Literal(_) => false,
        };
        let Some(at) = template.pieces.iter().position(is_open) else { return Ok(None) };
        let Some(prefix) = template::render_pieces(entity, template, at, known) else {
            return Ok(None);
        };
        let Piece::Slot { attribute, format } = &template.pieces[at] else { return Ok(None) };
        let bounds = self.bounds(scope, Bound::Attribute(*attribute))?;
        let text = |value: &Val| {
            let slot = template::slot_of(template, &entity.attributes[*attribute].ty, format.as_ref(), value);
            slot.map(|slot| format!("{prefix}{slot}"))
        };
        let mut begins = |text: String| {
            let (alias, value) = (into.name(&template.name), into.value(AttributeValue::S(text)));
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
        let alias = into.name(&template.name);
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
    fn bounds(&self, scope: &Scope<'_>, bound: Bound) -> Result<Bounds, Failure> {
        let attributes = &scope.shared.program.entities[self.first()].attributes;
        let attribute = match bound {
            Bound::Attribute(id) => Some(&attributes[id]),
            Bound::Stored(_) => None,
        };
        let admit = Admit::computed(scope);
        let value = |expr: &Expr| -> Result<Option<Val>, Failure> {
            let value = scope.eval(expr, None)?;
            let value = match attribute {
                // A bound need not be a value of the type: a time cut to its unit, a month for a day.
                Some(attribute) => {
                    admit.attribute(attribute, value.clone(), &attribute.name).unwrap_or(value)
                }
                None => value,
            };
            Ok((!value.is_absent()).then_some(value))
        };
        let mut bounds = Bounds::default();
        for conjunct in self.pattern.conditions.iter().filter(|each| each.says.about() == Some(bound)) {
            let ExprKind::Binary { op, right, .. } = &conjunct.expr.kind else { continue };
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

/// The value of a part of a key, if the known attributes determine it.
pub(crate) fn fixed(
    program: &Program,
    entity: &Entity,
    part: &KeyPart,
    known: &Fields,
) -> Option<AttributeValue> {
    match part.source? {
        Source::Attribute(id) => {
            let attribute = &entity.attributes[id];
            to_stored(program, &attribute.ty, known.get(&attribute.name)?)
        }
        Source::Template(id) => match known.get(&part.stored) {
            // The text itself is known.
            Some(Val::Text(text)) => Some(AttributeValue::S(text.clone())),
            _ => template::render(entity, &entity.templates[id], known).map(AttributeValue::S),
        },
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
