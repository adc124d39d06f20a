//! Lowers syntax trees to the model.
//! Only mistakes that leave a piece of text without a meaning are reported here.

mod annotations;
mod arguments;
mod due;
mod entities;
mod entries;
mod expressions;
mod live;
mod named;
mod numbers;
mod once;
mod operations;
mod patterns;
mod tables;
mod types;

use crate::model::*;
use crate::problems::{CONTRADICTION, DUPLICATE};
use sortkey_diagnostics::{Diagnostic, FileId, Span, counted};
use sortkey_syntax::Parse;
use sortkey_syntax::ast::{self, AstNode, Item};
use std::collections::HashMap;

/// A parsed file of the design.
pub(crate) struct Unit {
    parse: Parse,
    pub(crate) file: FileId,
}

impl Unit {
    pub(crate) fn new(parse: Parse, file: FileId) -> Unit {
        Unit { parse, file }
    }
}

/// Lowers all units into one design.
pub(crate) fn design(units: &[Unit], problems: &mut Vec<Diagnostic>) -> Design {
    let mut lower = Lower { file: FileId(0), problems, declared: Declared::collect(units) };
    let mut design = Design::default();
    for unit in units {
        lower.file = unit.file;
        for item in unit.parse.file().items() {
            lower.item(&item, &mut design);
        }
    }
    tables::apply_defaults(&mut design, units, &mut lower);
    due::patterns(&mut design);
    lower.report_duplicates(&design);
    once::check(units, lower.problems);
    design
}

/// The names that types and mixins refer to, known before anything is lowered.
struct Declared {
    enums: HashMap<String, ast::Enum>,
    records: Vec<String>,
    mixins: HashMap<String, (FileId, ast::Mixin)>,
    entities: Vec<String>,
}

impl Declared {
    fn collect(units: &[Unit]) -> Declared {
        let mut declared = Declared {
            enums: HashMap::new(),
            records: Vec::new(),
            mixins: HashMap::new(),
            entities: Vec::new(),
        };
        let text = |name: Option<ast::Name>| name.map(|name| name.text().to_owned()).unwrap_or_default();
        for unit in units {
            for item in unit.parse.file().items() {
                match item {
                    Item::Enum(each) => drop(declared.enums.insert(text(each.name()), each)),
                    Item::Record(each) => declared.records.push(text(each.name())),
                    Item::Mixin(each) => drop(declared.mixins.insert(text(each.name()), (unit.file, each))),
                    Item::Entity(each) => declared.entities.push(text(each.name())),
                    _ => {}
                }
            }
        }
        declared
    }
}

/// The state of lowering one file.
pub(crate) struct Lower<'a> {
    file: FileId,
    problems: &'a mut Vec<Diagnostic>,
    declared: Declared,
}

impl Lower<'_> {
    fn item(&mut self, item: &Item, design: &mut Design) {
        match item {
            Item::Header(header) => {
                if design.name.text.is_empty() {
                    design.name = self.name(header.name());
                    design.version = header.version().map(|number| self.plain(&number));
                }
            }
            Item::Import(_) | Item::Defaults(_) | Item::Mixin(_) => {}
            Item::Parameter(parameter) => design.parameters.push(Parameter {
                name: self.name(parameter.name()),
                ty: self.ty(parameter.ty().as_ref()),
                default: parameter.default().map(|value| self.expr(&value)),
            }),
            Item::Caller(caller) => {
                design.caller_span = Some(self.span(caller.range()));
                design.caller.extend(self.attributes(caller.attributes()));
            }
            Item::Enum(each) => design.enums.push(self.enumeration(each)),
            Item::Record(record) => design.records.push(Record {
                name: self.name(record.name()),
                attributes: record
                    .object()
                    .map(|object| self.attributes(object.attributes()))
                    .unwrap_or_default(),
                span: self.span(record.range()),
            }),
            Item::Table(table) => {
                let lowered = self.table(table, &mut design.allows);
                design.tables.push(lowered);
            }
            Item::Entity(entity) => {
                let lowered = self.entity(entity, &mut design.allows);
                design.entities.push(lowered);
            }
            Item::Rule(rule) => design.rules.push(Rule {
                name: self.name(rule.name()),
                params: self.params(rule.params().as_ref()),
                condition: self.expr_or_missing(rule.condition().as_ref(), self.span(rule.range())),
            }),
            Item::Pattern(pattern) => {
                let lowered = self.pattern(pattern, &mut design.allows);
                design.patterns.push(lowered);
            }
            Item::Operation(operation) => {
                let lowered = self.operation(operation, &mut design.allows);
                design.operations.push(lowered);
            }
            Item::Effect(effect) => design.effects.push(self.effect(effect)),
            Item::Worker(worker) => self.worker(worker, design),
            Item::Route(route) => self.route(route, design),
            Item::Session(session) => self.session(session, design),
            Item::Test(test) => design.tests.push(Test {
                title: test.title().map(|title| title.value()).unwrap_or_default(),
                body: test.statements().filter_map(|statement| self.statement(&statement)).collect(),
                span: self.span(test.range()),
            }),
            Item::Claim(claim) => design.claims.push(Claim {
                sentence: claim.sentence().map(|sentence| sentence.value()).unwrap_or_default(),
                fact: self.expr_or_missing(claim.fact().as_ref(), self.span(claim.range())),
                span: self.span(claim.range()),
            }),
            Item::Migrate(migrate) => design.migrations.push(self.migration(migrate)),
            Item::Module(module) => design.modules.push(self.module(module)),
            Item::Allow(allow) => {
                let everywhere = Span::new(self.file, 0, u32::MAX);
                design.allows.push(self.allow(allow, everywhere));
            }
        }
    }

    fn migration(&mut self, migrate: &ast::Migrate) -> Migration {
        Migration {
            from: migrate.from().map(|from| from.value()).unwrap_or_default(),
            old: None,
            steps: self.names(migrate.steps().as_ref()),
            mappings: migrate.mappings().map(|mapping| self.mapping(&mapping)).collect(),
            from_span: migrate
                .from()
                .map_or_else(|| self.span(migrate.range()), |from| self.span(from.range())),
            span: self.span(migrate.range()),
        }
    }

    fn mapping(&mut self, mapping: &ast::Mapping) -> Mapping {
        self.plain_fields(mapping.fields().as_ref(), "a mapping");
        self.no_spreads(mapping.fields().as_ref(), "a mapping");
        Mapping {
            new: self.name(mapping.new_entity()),
            old: self.name(mapping.old_entity()),
            condition: mapping.condition().and_then(|clause| clause.condition()).map(|expr| self.expr(&expr)),
            fields: self.fields(mapping.fields().as_ref()),
            merge: self.names(mapping.merge().as_ref()),
            dropped: self.names(mapping.dropped().as_ref()),
            span: self.span(mapping.range()),
        }
    }

    fn module(&mut self, module: &ast::Module) -> Module {
        self.plain_fields(module.entries().as_ref(), "a module");
        self.no_spreads(module.entries().as_ref(), "a module");
        let fields = module.entries().into_iter().flat_map(|entries| entries.fields());
        let entries = fields
            .filter_map(|field| {
                let exported = self.name(field.path()?.names().next());
                let target = match field.value() {
                    Some((_, ast::Expr::Name(name))) => self.name(name.name()),
                    _ => exported.clone(),
                };
                Some((exported, target))
            })
            .collect();
        Module { name: self.name(module.name()), entries }
    }

    // ---- small things

    fn span(&self, range: sortkey_syntax::TextRange) -> Span {
        Span::new(self.file, range.start().into(), range.end().into())
    }

    /// A name, or an empty one where the text has a hole.
    fn name(&self, name: Option<ast::Name>) -> Name {
        name.map(|name| Name::new(name.text(), self.span(name.range()))).unwrap_or_default()
    }

    fn names(&self, names: Option<&ast::Names>) -> Vec<Name> {
        let names = names.into_iter().flat_map(ast::Names::names);
        names.map(|name| self.name(Some(name))).collect()
    }

    fn allow(&self, allow: &ast::Allow, scope: Span) -> Allow {
        Allow {
            rule: self.name(allow.rule()),
            reason: allow.reason().map(|reason| reason.value()).unwrap_or_default(),
            scope,
            span: self.span(allow.range()),
        }
    }

    fn report_duplicates(&mut self, design: &Design) {
        self.duplicates("table", design.tables.iter().map(|each| &each.name));
        self.duplicates("entity", design.entities.iter().map(|each| &each.name));
        let types =
            design.enums.iter().map(|each| &each.name).chain(design.records.iter().map(|each| &each.name));
        self.duplicates("type", types);
        let patterns = design.patterns.iter().filter(|each| !each.internal).map(|each| &each.name);
        let operations = design.operations.iter().filter(|each| !each.internal).map(|each| &each.name);
        self.duplicates("pattern or operation", patterns.chain(operations));
        self.duplicates("effect", design.effects.iter().map(|each| &each.name));
        self.duplicates("worker", design.workers.iter().map(|each| &each.name));
        self.duplicates("parameter", design.parameters.iter().map(|each| &each.name));
        self.duplicates("rule", design.rules.iter().map(|each| &each.name));
        for entity in &design.entities {
            self.contradictions(entity);
            self.duplicates("attribute", entity.attributes.iter().map(|each| &each.name));
        }
        for table in &design.tables {
            self.duplicates("index", table.indexes.iter().map(|each| &each.name));
        }
    }

    /// Two templates of one name are worse than two attributes: each is a possible key of the item.
    fn contradictions(&mut self, entity: &Entity) {
        for (at, template) in entity.templates.iter().enumerate() {
            let earlier = entity.templates[..at].iter().find(|other| other.name == template.name);
            if let Some(first) = earlier {
                let title = format!("`{}` of `{}` has two templates", template.name, entity.name);
                let problem = CONTRADICTION.at(template.text_span, title).label("the second");
                self.problems.push(problem.also(first.text_span, "the first"));
            }
        }
    }

    fn duplicates<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n Name>) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for name in names.filter(|name| !name.text.is_empty()) {
            if let Some(first) = seen.get(name.text.as_str()) {
                let problem = DUPLICATE.at(name.span, format!("{} are called `{name}`", two_of(what)));
                self.problems.push(problem.label("the second").also(*first, "the first"));
            } else {
                seen.insert(&name.text, name.span);
            }
        }
    }
}

/// `two workers`, `two patterns or operations`.
fn two_of(what: &str) -> String {
    let each: Vec<String> =
        what.split(" or ").map(|word| counted(2_u8, word).trim_start_matches("2 ").to_owned()).collect();
    format!("two {}", each.join(" or "))
}
