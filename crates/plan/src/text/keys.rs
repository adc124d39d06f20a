//! The key conditions of a read in words: `PK = "USER#{userId}" and begins_with(SK, "NOTE#")`.
//!
//! `{name}` is a value that a call gives, `{name?}` one that it may leave out, `…` the greatest text there is.

use sortkey_design::program::{
    AttributeId, BindValue, Bound, Entity, ExprKind, Pattern, Piece, Program, Source, TemplateId,
};

use super::values::{Names, literal};
use crate::{GivenBy, KeyIs, KeyPart, Limit, ReadPlan, limits};

/// Behind every text that begins alike.
const LAST: char = '…';

/// The conditions on the key of a read; empty if there are none.
pub(crate) fn conditions(program: &Program, pattern: &Pattern, plan: &ReadPlan) -> String {
    let entity = &program.entities[plan.path.entity];
    let keys = Keys { entity, pattern, plan, names: Names { program, pattern } };
    let parts = plan.key.partition.iter().chain(&plan.key.sort);
    let mut said: Vec<String> = parts.filter_map(|part| keys.part(part)).collect();
    if said.is_empty() {
        return String::new();
    }
    said = vec![said.join(" and ")];
    for given in &plan.given {
        let name = || keys.name_of(given.to);
        match given.by {
            GivenBy::Every(_) => said.push(format!("for every {}", name())),
            GivenBy::Each(_) => said.push(format!("for each {}", name())),
            GivenBy::Bind(_) | GivenBy::Condition(_) => {}
        }
    }
    said.join(", ")
}

struct Keys<'a> {
    entity: &'a Entity,
    pattern: &'a Pattern,
    plan: &'a ReadPlan,
    names: Names<'a>,
}

/// The bounds that conditions set, in words.
#[derive(Default)]
struct Bounds {
    low: Option<(String, &'static str)>,
    high: Option<(String, &'static str)>,
    prefix: Option<String>,
}

impl Keys<'_> {
    fn part(&self, part: &KeyPart) -> Option<String> {
        let stored = &part.stored;
        match &part.is {
            KeyIs::Text(template) => Some(format!("{stored} = {}", self.value(Bound::Stored(*template)))),
            KeyIs::Equal(Source::Attribute(id)) => {
                Some(format!("{stored} = {}", self.value(Bound::Attribute(*id))))
            }
            KeyIs::Equal(Source::Template(id)) => {
                let pieces = self.entity.templates[*id].pieces.len();
                Some(format!("{stored} = \"{}\"", self.pieces(*id, pieces)))
            }
            KeyIs::Begins { template, pieces } => {
                Some(format!("begins_with({stored}, \"{}\")", self.pieces(*template, *pieces)))
            }
            KeyIs::Bounded { source: Source::Template(id), pieces, attribute: Some(_), by } => {
                Some(self.within(stored, *id, *pieces, &self.bounds(by)))
            }
            KeyIs::Bounded { by, .. } => self.natural(stored, self.bounds(by)),
        }
    }

    /// A range of an attribute itself, or of text as a whole.
    fn natural(&self, stored: &str, bounds: Bounds) -> Option<String> {
        match bounds {
            Bounds { prefix: Some(prefix), .. } => Some(format!("begins_with({stored}, {prefix})")),
            Bounds { low: Some((low, _)), high: Some((high, _)), .. } => {
                Some(format!("{stored} between {low} and {high}"))
            }
            Bounds { low: Some((value, op)), .. } | Bounds { high: Some((value, op)), .. } => {
                Some(format!("{stored} {op} {value}"))
            }
            _ => None,
        }
    }

    /// A range of one piece of a template, behind a fixed beginning.
    fn within(&self, stored: &str, template: TemplateId, pieces: usize, bounds: &Bounds) -> String {
        let before = self.pieces(template, pieces);
        let bare = |text: &String| text.trim_matches('"').to_owned();
        if let Some(prefix) = &bounds.prefix {
            return format!("begins_with({stored}, \"{before}{}\")", bare(prefix));
        }
        let is_last = pieces + 1 == self.entity.templates[template].pieces.len();
        let low = bounds.low.as_ref().map(|(low, _)| format!("{before}{}", bare(low)));
        let high = bounds.high.as_ref().map(|(high, _)| match is_last {
            true => format!("{before}{}", bare(high)),
            false => format!("{before}{}{LAST}", bare(high)),
        });
        match (low, high) {
            (None, Some(high)) if before.is_empty() => format!("{stored} <= \"{high}\""),
            (low, high) => {
                let low = low.unwrap_or_else(|| before.clone());
                let high = high.unwrap_or_else(|| format!("{before}{LAST}"));
                format!("{stored} between \"{low}\" and \"{high}\"")
            }
        }
    }

    fn bounds(&self, by: &[usize]) -> Bounds {
        let mut bounds = Bounds::default();
        for (limit, expr) in limits(self.pattern, by) {
            let value = self.names.value(expr);
            match limit {
                Limit::Low(inclusive) => bounds.low = Some((value, if inclusive { ">=" } else { ">" })),
                Limit::High(inclusive) => bounds.high = Some((value, if inclusive { "<=" } else { "<" })),
                Limit::Prefix => bounds.prefix = Some(value),
            }
        }
        bounds
    }

    /// The first pieces of a template with the values in their places.
    fn pieces(&self, template: TemplateId, count: usize) -> String {
        let mut text = String::new();
        for piece in self.entity.templates[template].pieces.iter().take(count) {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Slot { attribute, .. } => {
                    text.push_str(self.value(Bound::Attribute(*attribute)).trim_matches('"'));
                }
            }
        }
        text
    }

    /// A known value: its literal if the design fixes it, otherwise its name.
    fn value(&self, of: Bound) -> String {
        let given = self.plan.given.iter().find(|given| given.to == of);
        let mark = if given.is_some_and(|given| given.optional) { "?" } else { "" };
        let expr = given.and_then(|given| match given.by {
            GivenBy::Bind(at) => match &self.pattern.binds.get(at)?.value {
                BindValue::Expr(expr) => Some(expr),
                _ => None,
            },
            GivenBy::Condition(at) => match &self.pattern.conditions.get(at)?.expr.kind {
                ExprKind::Binary { right, .. } => Some(&**right),
                _ => None,
            },
            GivenBy::Every(_) | GivenBy::Each(_) => None,
        });
        match expr {
            Some(expr) => literal(expr).unwrap_or_else(|| self.names.value(expr)),
            None => format!("{{{}{mark}}}", self.name_of(of)),
        }
    }

    fn name_of(&self, of: Bound) -> &str {
        let attribute = |id: AttributeId| &*self.entity.attributes[id].name;
        match of {
            Bound::Attribute(id) => attribute(id),
            Bound::Stored(id) => &self.entity.templates[id].name,
        }
    }
}
