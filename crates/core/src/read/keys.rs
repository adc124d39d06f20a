//! The recipe of a plan carried out: what every key attribute is asked for, made of what a call gives.
//!
//! A value that a call leaves out ends the sort key there. Ranges are inclusive on both sides, also where more text follows
//! the bounded piece: the upper bound is padded with the greatest character there is. Values that an exclusive bound
//! excludes are dropped when the items are checked again.

use sortkey_design::Program;
use sortkey_design::model::SlotFormat;
use sortkey_design::program::{AttributeId, Entity, KeyPart, Piece, Source, Template, TemplateId, Type};
use sortkey_expression::Comparator;
use sortkey_plan::{KeyIs, Limit, limits};
use sortkey_value::{AttributeValue, Item, Number};

use super::Read;
use super::asked::{Asked, Test};
use crate::Failure;
use crate::evaluate::Scope;
use crate::template;
use crate::values::{Admit, Known, Val, Values, to_stored};

/// Nothing in a key sorts behind it.
const LAST: char = char::MAX;

/// The bounds of a range on one attribute, each with whether it is in the range itself.
#[derive(Default)]
struct Bounds {
    low: Option<(Val, bool)>,
    high: Option<(Val, bool)>,
    prefix: Option<String>,
}

/// How a sort attribute is asked.
enum Open {
    /// It is fixed: the next may be asked as well.
    Fixed(AttributeValue),
    /// It is asked for more than one value, or not at all: the key ends here.
    Last(Option<Test>),
}

impl Read {
    /// The key condition of one query; none if the known values do not determine a partition, so that no item can be found.
    pub(super) fn asked(&self, scope: &Scope<'_>, known: &Known<'_>) -> Result<Option<Asked>, Failure> {
        let program = &scope.shared.program;
        let entity = &program.entities[self.first()];
        let recipe = &self.plan.key;
        let mut asked = Asked::with_capacity(recipe.partition.len() + recipe.sort.len());
        for part in &recipe.partition {
            let Some(value) = whole(program, entity, &part.is, known) else { return Ok(None) };
            asked.push(&part.stored, Test::Is(value));
        }
        for part in &recipe.sort {
            match self.open(scope, entity, &part.is, known)? {
                Open::Fixed(value) => asked.push(&part.stored, Test::Is(value)),
                Open::Last(test) => {
                    test.into_iter().for_each(|test| asked.push(&part.stored, test));
                    break;
                }
            }
        }
        Ok(Some(asked))
    }

    /// The table key of the one item that is asked for; none if the recipe or the known values do not determine it.
    pub(super) fn table_key(&self, scope: &Scope<'_>, known: &Known<'_>) -> Option<Item> {
        if !self.is_whole_key {
            return None;
        }
        let program = &scope.shared.program;
        let entity = &program.entities[self.first()];
        let recipe = &self.plan.key;
        let mut key = Item::builder();
        let mut text = String::with_capacity(128);
        for part in recipe.partition.iter().chain(&recipe.sort) {
            match &part.is {
                KeyIs::Equal(Source::Template(id)) => {
                    text.clear();
                    let template = &entity.templates[*id];
                    template::render_into(entity, template, template.pieces.len(), known, &mut text)?;
                    key.name(&part.stored);
                    key.string(&text);
                }
                is => {
                    let value = whole(program, entity, is, known)?;
                    key.name(&part.stored);
                    key.tree(&value);
                }
            }
        }
        Some(key.finish())
    }

    /// How a part of the sort key is asked.
    fn open(
        &self,
        scope: &Scope<'_>,
        entity: &Entity,
        is: &KeyIs,
        known: &Known<'_>,
    ) -> Result<Open, Failure> {
        let program = &scope.shared.program;
        Ok(match is {
            KeyIs::Text(_) | KeyIs::Equal(Source::Attribute(_)) => {
                whole(program, entity, is, known).map_or(Open::Last(None), Open::Fixed)
            }
            KeyIs::Equal(Source::Template(id)) => {
                let template = &entity.templates[*id];
                match begun(entity, template, template.pieces.len(), known) {
                    (text, true) => Open::Fixed(AttributeValue::S(text)),
                    (text, false) => Open::Last(begins(text)),
                }
            }
            KeyIs::Begins { template, pieces } => {
                Open::Last(begins(begun(entity, &entity.templates[*template], *pieces, known).0))
            }
            KeyIs::Bounded { source: Source::Template(id), pieces, attribute: Some(attribute), by } => {
                let template = &entity.templates[*id];
                Open::Last(match begun(entity, template, *pieces, known) {
                    (text, false) => begins(text),
                    (text, true) => {
                        let bounds = self.bounds(scope, Some(*attribute), by)?;
                        within(entity, template, *pieces, text, &bounds)
                    }
                })
            }
            KeyIs::Bounded { source: Source::Attribute(id), by, .. } => {
                let ty = &entity.attributes[*id].ty;
                let bounds = self.bounds(scope, Some(*id), by)?;
                Open::Last(natural(bounds, |value| to_stored(program, ty, value)))
            }
            KeyIs::Bounded { source: Source::Template(_), by, attribute: None, .. } => {
                let text = |value: &Val| Some(AttributeValue::S(value.as_text()?.to_owned()));
                Open::Last(natural(self.bounds(scope, None, by)?, text))
            }
        })
    }

    /// The bounds that conditions of `where` set an attribute, or text as a whole; those that are left out bound nothing.
    fn bounds(
        &self,
        scope: &Scope<'_>,
        attribute: Option<AttributeId>,
        by: &[usize],
    ) -> Result<Bounds, Failure> {
        let attributes = &scope.shared.program.entities[self.first()].attributes;
        let attribute = attribute.map(|id| &attributes[id]);
        let admit = Admit::computed(scope);
        let mut bounds = Bounds::default();
        for (limit, expr) in limits(&self.pattern, by) {
            let value = scope.eval(expr, None)?;
            let value = match attribute.filter(|_| limit != Limit::Prefix) {
                // A bound need not be a value of the type: a time cut to its unit, a month for a day.
                Some(attribute) => {
                    admit.attribute(attribute, value.clone(), &attribute.name).unwrap_or(value)
                }
                None => value,
            };
            match limit {
                _ if value.is_absent() => {}
                Limit::Low(inclusive) => bounds.low = Some((value, inclusive)),
                Limit::High(inclusive) => bounds.high = Some((value, inclusive)),
                Limit::Prefix => bounds.prefix = value.as_text().map(str::to_owned),
            }
        }
        Ok(bounds)
    }
}

/// The value of a part of a key that equals something; none if that is not known.
fn whole(program: &Program, entity: &Entity, is: &KeyIs, known: &Known<'_>) -> Option<AttributeValue> {
    match is {
        KeyIs::Text(id) => known.text(entity, *id).map(|text| AttributeValue::S(text.to_owned())),
        KeyIs::Equal(source) => of_source(program, entity, *source, known),
        KeyIs::Begins { .. } | KeyIs::Bounded { .. } => None,
    }
}

/// The value of a part of a key, if an item's attributes determine it.
pub(crate) fn fixed(
    program: &Program,
    entity: &Entity,
    part: &KeyPart,
    values: &impl Values,
) -> Option<AttributeValue> {
    of_source(program, entity, part.source?, values)
}

fn of_source(
    program: &Program,
    entity: &Entity,
    source: Source,
    values: &impl Values,
) -> Option<AttributeValue> {
    match source {
        Source::Attribute(id) => to_stored(program, &entity.attributes[id].ty, values.value(entity, id)?),
        Source::Template(id) => of_template(entity, id, values).map(AttributeValue::S),
    }
}

fn of_template(entity: &Entity, id: TemplateId, values: &impl Values) -> Option<String> {
    template::render(entity, &entity.templates[id], values)
}

/// The text of the first pieces of a template as far as they are known, and whether all of them are.
fn begun(entity: &Entity, template: &Template, pieces: usize, known: &Known<'_>) -> (String, bool) {
    let mut text = String::with_capacity(64);
    let count = template::begin_into(entity, template, pieces, known, &mut text);
    (text, count == pieces)
}

/// Text that begins like this; nothing is asked where every text does.
fn begins(text: String) -> Option<Test> {
    (!text.is_empty()).then_some(Test::Begins(text))
}

/// A range of one piece of a template, behind a fixed beginning.
fn within(
    entity: &Entity,
    template: &Template,
    pieces: usize,
    before: String,
    bounds: &Bounds,
) -> Option<Test> {
    let Some(Piece::Slot { attribute, format }) = template.pieces.get(pieces) else { return begins(before) };
    let ty = &entity.attributes[*attribute].ty;
    let text = |value: &Val| {
        let slot = template::slot_of(template, ty, format.as_ref(), value)?;
        Some(format!("{before}{slot}"))
    };
    if let Some(beginning) = &bounds.prefix {
        return begins(text(&Val::text(beginning)).unwrap_or(before));
    }
    let is_last = pieces + 1 == template.pieces.len();
    let next = match template.pieces.get(pieces + 1) {
        Some(Piece::Literal(text)) => text.chars().next(),
        _ => None,
    };
    let low = bounds.low.as_ref().map(|(value, _)| lowest(ty, format.as_ref(), value));
    let high = bounds.high.as_ref().map(|(value, _)| highest(ty, format.as_ref(), next, value));
    if matches!(low, Some(None)) || matches!(high, Some(None)) {
        let nowhere = AttributeValue::S(format!("{before}{LAST}"));
        return Some(Test::Between(nowhere.clone(), nowhere));
    }
    let low = low.flatten().and_then(|value| text(&value));
    let high = high.flatten().and_then(|value| text(&value));
    let high = high.map(|high| if is_last { high } else { format!("{high}{LAST}") });
    match (low, high) {
        (None, None) => begins(before),
        // No lower bound is needed: no key is empty text.
        (None, Some(high)) if before.is_empty() => {
            Some(Test::Compared(Comparator::LessOrEqual, AttributeValue::S(high)))
        }
        (low, high) => {
            let high = high.unwrap_or_else(|| format!("{before}{LAST}"));
            let low = low.unwrap_or(before);
            Some(between(AttributeValue::S(low), AttributeValue::S(high)))
        }
    }
}

/// The least value of an attribute that is not below a bound; none if there is none. Only such a value has a text that sorts
/// among those of the attribute.
fn lowest(ty: &Type, format: Option<&SlotFormat>, bound: &Val) -> Option<Val> {
    match (ty, bound) {
        (Type::Int { min, max }, Val::Number(number)) => {
            let least = whole_number(*number, true)?;
            let least = min.map_or(least, |min| least.max(min));
            max.is_none_or(|max| least <= max).then(|| Val::integer(least))
        }
        (Type::Time { .. }, Val::Time(time_ms)) => {
            let (first, last) = template::sortable(ty, format);
            (*time_ms <= last).then_some(Val::Time((*time_ms).max(first)))
        }
        _ => Some(bound.clone()),
    }
}

/// The greatest value of an attribute that is not above a bound; none if there is none. Text is cut where it goes on with a
/// character that sorts before `next`, which follows the attribute in the key: no value goes on so.
fn highest(ty: &Type, format: Option<&SlotFormat>, next: Option<char>, bound: &Val) -> Option<Val> {
    match (ty, bound) {
        (Type::Int { min, max }, Val::Number(number)) => {
            let most = whole_number(*number, false)?;
            let most = max.map_or(most, |max| most.min(max));
            min.is_none_or(|min| most >= min).then(|| Val::integer(most))
        }
        (Type::Time { .. }, Val::Time(time_ms)) => {
            let (first, last) = template::sortable(ty, format);
            (*time_ms >= first).then_some(Val::Time((*time_ms).min(last)))
        }
        (_, Val::Text(text)) => {
            let end = next.and_then(|next| text.find(|c: char| c <= next)).unwrap_or(text.len());
            Some(Val::text(&text[..end]))
        }
        _ => Some(bound.clone()),
    }
}

/// The nearest integer on one side of a number, as far as 64 bits reach.
fn whole_number(number: Number, up: bool) -> Option<i64> {
    if let Some(whole) = number.to_i64() {
        return Some(whole);
    }
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole: i64 = match whole.parse() {
        Ok(whole) => whole,
        Err(_) if number.is_negative() => return Some(i64::MIN),
        Err(_) => return Some(i64::MAX),
    };
    let is_part = fraction.bytes().any(|digit| digit != b'0');
    match (is_part, up, number.is_negative()) {
        (true, true, false) => whole.checked_add(1),
        (true, false, true) => whole.checked_sub(1),
        _ => Some(whole),
    }
}

/// A range of an attribute itself, or of text as a whole, in DynamoDB's own order.
fn natural(bounds: Bounds, encode: impl Fn(&Val) -> Option<AttributeValue>) -> Option<Test> {
    if let Some(prefix) = bounds.prefix {
        return begins(prefix);
    }
    let encoded =
        |bound: Option<(Val, bool)>| bound.and_then(|(value, inclusive)| Some((encode(&value)?, inclusive)));
    let compared = |inclusive: bool, with: Comparator, without: Comparator, value: AttributeValue| {
        Test::Compared(if inclusive { with } else { without }, value)
    };
    match (encoded(bounds.low), encoded(bounds.high)) {
        (Some((low, _)), Some((high, _))) => Some(between(low, high)),
        (Some((low, inclusive)), None) => {
            Some(compared(inclusive, Comparator::GreaterOrEqual, Comparator::Greater, low))
        }
        (None, Some((high, inclusive))) => {
            Some(compared(inclusive, Comparator::LessOrEqual, Comparator::Less, high))
        }
        (None, None) => None,
    }
}

/// A range that is empty is asked for as a point between its ends, since DynamoDB refuses ends that are swapped.
fn between(low: AttributeValue, high: AttributeValue) -> Test {
    let swapped = match (&low, &high) {
        (AttributeValue::S(low), AttributeValue::S(high)) => low > high,
        (AttributeValue::N(low), AttributeValue::N(high)) => low > high,
        (AttributeValue::B(low), AttributeValue::B(high)) => low > high,
        _ => false,
    };
    if swapped { Test::Between(high.clone(), high) } else { Test::Between(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // F-15: bounds outside of the type were written into the key as they were, and sorted among its texts by accident.
    #[test]
    fn bounds_are_cut_to_the_values_there_are() {
        let int = Type::Int { min: Some(100), max: Some(999) };
        let number = |text: &str| Val::Number(Number::parse(text).expect("a number"));
        for (bound, least, most) in [
            ("5", Some(100), None),
            ("100", Some(100), Some(100)),
            ("150.5", Some(151), Some(150)),
            ("-3.5", Some(100), None),
            ("2000", None, Some(999)),
            ("1e30", None, Some(999)),
            ("-1e30", Some(100), None),
        ] {
            assert_eq!(lowest(&int, None, &number(bound)), least.map(Val::integer), "{bound}");
            assert_eq!(highest(&int, None, None, &number(bound)), most.map(Val::integer), "{bound}");
        }
        let slug = Type::Unknown;
        let highest = |text: &str| highest(&slug, None, Some('#'), &Val::text(text));
        assert_eq!(highest("b"), Some(Val::text("b")));
        assert_eq!(highest("b\"c"), Some(Val::text("b")));
        assert_eq!(whole_number(Number::parse("-2.5").expect("a number"), false), Some(-3));
        assert_eq!(whole_number(Number::parse("-2.5").expect("a number"), true), Some(-2));
    }
}
