//! The recipe of a plan carried out: what every key attribute is asked for, made of what a call gives.
//!
//! A value that a call leaves out ends the sort key there.

mod ranges;

use sortkey_design::Program;
use sortkey_design::program::{AttributeId, Entity, KeyPart, Source, Template, TemplateId};
use sortkey_plan::{KeyIs, Limit, limits};
use sortkey_value::{AttributeValue, Item};

use self::ranges::{Bounds, begins, natural, within};
use super::Read;
use super::asked::{Asked, Test};
use crate::Failure;
use crate::evaluate::Scope;
use crate::template;
use crate::values::{Admit, Known, Lookup, Val, to_stored};

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
    pub(super) fn table_key(&self, scope: &Scope<'_>, known: &impl Lookup) -> Option<Item> {
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
fn whole(program: &Program, entity: &Entity, is: &KeyIs, known: &impl Lookup) -> Option<AttributeValue> {
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
    values: &impl Lookup,
) -> Option<AttributeValue> {
    of_source(program, entity, part.source?, values)
}

fn of_source(
    program: &Program,
    entity: &Entity,
    source: Source,
    values: &impl Lookup,
) -> Option<AttributeValue> {
    match source {
        Source::Attribute(id) => to_stored(program, &entity.attributes[id].ty, values.value(entity, id)?),
        Source::Template(id) => of_template(entity, id, values).map(AttributeValue::S),
    }
}

fn of_template(entity: &Entity, id: TemplateId, values: &impl Lookup) -> Option<String> {
    template::render(entity, &entity.templates[id], values)
}

/// The text of the first pieces of a template as far as they are known, and whether all of them are.
fn begun(entity: &Entity, template: &Template, pieces: usize, known: &Known<'_>) -> (String, bool) {
    let mut text = String::with_capacity(64);
    let count = template::begin_into(entity, template, pieces, known, &mut text);
    (text, count == pieces)
}
