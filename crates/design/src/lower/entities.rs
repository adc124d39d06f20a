//! Entities, with their mixins put in place.

use super::Lower;
use super::annotations::Home;
use crate::model::*;
use crate::problems::{DUPLICATE, NUMBER, UNKNOWN, nearest};
use crate::template;
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode, Clause, docs};

/// The maximum number of mixins of one entity.
const MAX_MIXINS: usize = 64;

impl Lower<'_> {
    pub(super) fn entity(&mut self, entity: &ast::Entity, allows: &mut Vec<Allow>) -> Entity {
        let mut lowered = Entity {
            name: self.name(entity.name()),
            table: self.name(entity.table()),
            span: self.span(entity.range()),
            docs: docs(entity.syntax()),
            ..Entity::default()
        };
        self.clauses(entity.clauses(), &mut lowered, allows, &mut Vec::new());
        lowered
    }

    fn clauses(
        &mut self,
        clauses: impl Iterator<Item = Clause>,
        entity: &mut Entity,
        allows: &mut Vec<Allow>,
        included: &mut Vec<String>,
    ) {
        for clause in clauses {
            self.clause(&clause, entity, allows, included);
        }
    }

    fn clause(
        &mut self,
        clause: &Clause,
        entity: &mut Entity,
        allows: &mut Vec<Allow>,
        included: &mut Vec<String>,
    ) {
        match clause {
            Clause::Template(each) => entity.templates.push(self.template(each)),
            Clause::Attribute(each) => {
                let mut attribute = self.attribute(each, Home::Entity);
                counts_from_the_start(&mut attribute);
                if let Some(annotation) = attribute.annotation("unique") {
                    entity.uniques.push(annotated_unique(&attribute, annotation));
                }
                entity.attributes.push(attribute);
            }
            Clause::Unique(each) => entity.uniques.push(Unique {
                names: self.names(each.names().as_ref()),
                when: each.when().and_then(|when| when.condition()).map(|expr| self.expr(&expr)),
                error: each.otherwise().map(|otherwise| self.name(otherwise.error())),
                via: None,
                span: self.span(each.range()),
            }),
            Clause::Check(each) => {
                let hole = self.span(each.range());
                entity.checks.push(Check {
                    condition: self.expr_or_missing(each.condition().as_ref(), hole),
                    error: each.otherwise().map(|otherwise| self.name(otherwise.error())),
                });
            }
            Clause::Tenant(each) => {
                let tenant = self.name(each.attribute());
                self.once(entity.tenant.as_ref().map(|first| first.span), tenant.span, "tenant");
                entity.tenant = Some(tenant);
            }
            Clause::Deleted(each) => {
                let deleted = each.condition().map(|expr| self.expr(&expr));
                let span = self.span(each.range());
                self.once(entity.deleted.as_ref().map(|first| first.span), span, "deleted when");
                entity.deleted = deleted;
            }
            Clause::States(each) => entity.states.push(self.states(each)),
            Clause::Volume(each) => {
                let volume = self.volume(each);
                self.once(entity.volume.as_ref().map(|first| first.span), volume.span, "volume");
                entity.volume = Some(volume);
            }
            Clause::Include(each) => self.include(each, entity, allows, included),
            Clause::Allow(each) => {
                let allow = self.allow(each, entity.span);
                allows.push(allow);
            }
        }
    }

    fn include(
        &mut self,
        include: &ast::Include,
        entity: &mut Entity,
        allows: &mut Vec<Allow>,
        included: &mut Vec<String>,
    ) {
        let name = self.name(include.name());
        let Some((file, mixin)) = self.declared.mixins.get(&name.text).cloned() else {
            let mut problem = UNKNOWN.at(name.span, format!("there is no mixin `{name}`"));
            if let Some(near) = nearest(&name.text, self.declared.mixins.keys().map(String::as_str)) {
                problem = problem.label(format!("did you mean `{near}`?"));
            }
            self.problems.push(problem);
            return;
        };
        // Once per entity, so that mixins which include each other stay finite.
        if included.contains(&name.text) {
            self.problems.push(DUPLICATE.at(name.span, format!("mixin `{name}` is included twice")));
            return;
        }
        if included.len() >= MAX_MIXINS {
            self.problems
                .push(DUPLICATE.at(name.span, format!("more than {MAX_MIXINS} mixins in one entity")));
            return;
        }
        included.push(name.text.clone());
        let here = std::mem::replace(&mut self.file, file);
        self.clauses(mixin.clauses(), entity, allows, included);
        self.file = here;
    }

    /// Reports a clause that an entity and its mixins have twice.
    fn once(&mut self, first: Option<Span>, second: Span, what: &str) {
        if let Some(first) = first {
            let problem = DUPLICATE.at(second, format!("an entity has one `{what}`"));
            self.problems.push(problem.label("the second").also(first, "the first"));
        }
    }

    fn template(&mut self, each: &ast::Template) -> Template {
        let span = self.span(each.range());
        let (text, text_span) =
            each.text().map_or((String::new(), span), |text| (text.value(), self.span(text.range())));
        Template {
            name: self.name(each.name()),
            pieces: template::parse(&text, text_span, self.problems),
            when: each.when().and_then(|when| when.condition()).map(|expr| self.expr(&expr)),
            text_span,
            span,
        }
    }

    fn states(&mut self, states: &ast::States) -> States {
        let path = states.path().into_iter().flat_map(|path| path.names());
        States {
            path: path.map(|name| self.name(Some(name))).collect(),
            transitions: states
                .transitions()
                .map(|each| Transition {
                    from: self.names(each.from().as_ref()),
                    to: self.names(each.to().as_ref()),
                    condition: each.condition().map(|expr| self.expr(&expr)),
                })
                .collect(),
            enters: states
                .enters()
                .map(|each| Enter {
                    states: self.names(each.names().as_ref()),
                    fields: self.fields(each.fields().as_ref()),
                })
                .collect(),
            span: self.span(states.range()),
        }
    }

    fn volume(&mut self, volume: &ast::Volume) -> Volume {
        let mut lowered = Volume {
            items: volume.items().map_or(0, |number| self.plain(&number)),
            span: self.span(volume.range()),
            ..Volume::default()
        };
        for part in volume.parts() {
            let span = self.span(part.range());
            if part.is_each() {
                if lowered.each_bytes.is_some() {
                    self.problems.push(DUPLICATE.at(span, "an item has one size"));
                }
                lowered.each_bytes = Some(part.number().map_or(0, |number| self.count(&number)));
            } else {
                let name = self.name(part.per());
                if lowered.per.iter().any(|(other, ..)| *other == name) {
                    self.problems.push(DUPLICATE.at(span, format!("`per {name}` is written twice")));
                }
                let number = part.number().map_or(0, |number| self.plain(&number));
                let max = part.max().map(|max| self.plain(&max));
                if max.is_some_and(|max| max < number) {
                    self.problems.push(NUMBER.at(span, "the most is not below the usual number"));
                }
                lowered.per.push((name, number, max));
            }
        }
        lowered
    }
}

/// A version is nobody's to give: the first one is 0, or the least that its type allows, unless the design names another.
fn counts_from_the_start(attribute: &mut Attribute) {
    let Type::Int { min, .. } = attribute.ty else { return };
    if attribute.has("version") && !attribute.optional && attribute.value.is_none() {
        let digits = min.unwrap_or_default().max(0).to_string();
        let kind = ExprKind::Number { digits, unit: String::new() };
        attribute.value = Some(Fill { derived: false, value: Expr { kind, span: attribute.name.span } });
    }
}

/// `@unique` is `unique` for one attribute; `via` is a mistake that must be expressible to be reported.
fn annotated_unique(attribute: &Attribute, annotation: &Annotation) -> Unique {
    let argument = |wanted: &str| {
        let found =
            annotation.args.iter().find(|(name, _)| name.as_ref().is_some_and(|name| name.is(wanted)));
        found.and_then(|(_, value)| value.as_name().map(|text| Name::new(text, value.span)))
    };
    let name = Name::new(attribute.name.text.clone(), attribute.name.span);
    let span: Span = annotation.span;
    Unique { names: vec![name], when: None, error: argument("else"), via: argument("via"), span }
}
