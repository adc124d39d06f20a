//! A program's surface, put together: its calls with their types, costs and errors.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use sortkey_api::Request;
use sortkey_api::operations::CreateTableInput;
use sortkey_core::declared_errors;
use sortkey_design::model::Change;
use sortkey_design::program::{self, Callee, Id as _, Trigger as DesignTrigger, Yields};
use sortkey_design::{Program, wire};
use sortkey_plan::{operation_lines, operation_script, pattern_line, pattern_script};

use super::brands::Brands;
use super::inputs::operation;
use super::names::{Taken, pascal};
use super::types::Direction;
use super::*;

/// Names that clients use for something else, whatever the language.
const RESERVED: [&str; 18] = [
    "Caller",
    "Paged",
    "Page",
    "PageOptions",
    "Keyring",
    "Promise",
    "Record",
    "Error",
    "IsoTime",
    "Milliseconds",
    "Seconds",
    "SortkeyError",
    "CommonError",
    "Digits",
    "IsoDate",
    "IsoMonth",
    "Client",
    "Change",
];

/// The surface under construction.
pub(super) struct Builder<'p> {
    pub(super) program: &'p Program,
    name: &'p str,
    pub(super) taken: Taken,
    pub(super) brands: Brands,
    pub(super) records: Vec<Record>,
    /// The record of each entity, by its place.
    pub(super) items: Vec<RecordId>,
    pub(super) objects: BTreeMap<(usize, Direction), RecordId>,
    pub(super) created: BTreeMap<usize, RecordId>,
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p Program, name: &'p str) -> Builder<'p> {
        let mut taken = Taken::default();
        RESERVED.iter().chain(&COMMON).for_each(|name| taken.reserve(name));
        program.errors.iter().for_each(|name| taken.reserve(&pascal(name)));
        Builder {
            program,
            name,
            taken,
            brands: Brands::default(),
            records: Vec::new(),
            items: Vec::new(),
            objects: BTreeMap::new(),
            created: BTreeMap::new(),
        }
    }

    pub(super) fn surface(mut self) -> Surface {
        let program = self.program;
        let enums = self.enums();
        self.brands = Brands::of(program, &mut self.taken);
        self.add_items();
        let design = &program.design;
        let modules = design.modules.iter().map(|module| {
            let calls = module.entries.iter().filter_map(|(exported, own)| {
                let callee = program.callee(&own.text)?;
                Some(self.call(callee, &exported.text, format!("{}.{exported}", module.name)))
            });
            Module { name: module.name.text.clone(), calls: calls.collect() }
        });
        let modules: Vec<Module> = modules.collect();
        let exported: Vec<Callee> = design
            .modules
            .iter()
            .flat_map(|each| &each.entries)
            .filter_map(|(_, own)| program.callee(&own.text))
            .collect();
        let others = program.callees().filter(|callee| !exported.contains(callee));
        let calls = others.map(|callee| {
            let own = program.name(callee).to_string();
            self.call(callee, &own, own.clone())
        });
        let calls: Vec<Call> = calls.collect();
        let caller = program.caller.iter().map(|each| self.part(each, Direction::Given, "caller")).collect();
        let effects = program.effects.iter().map(|effect| self.effect(effect)).collect();
        let text = emitted(program);
        Surface {
            name: if design.name.text.is_empty() { self.name.to_owned() } else { design.name.text.clone() },
            version: design.version,
            fingerprint: format!("{:x}", Sha256::digest(text.as_bytes())),
            program: text,
            settings: settings(program),
            caller,
            ids: std::mem::take(&mut self.brands.ids),
            enums,
            modules,
            calls,
            errors: self.declared(),
            effects,
            workers: program.workers.iter().map(|worker| self.worker(worker)).collect(),
            feeds: self.feeds(),
            tables: tables(program),
            records: self.records,
        }
    }

    fn enums(&mut self) -> Vec<Words> {
        let program = self.program;
        let open = |name: &str| program.design.enumeration(name).is_some_and(|each| each.open);
        let words = program.enums.iter().map(|each| {
            let plain = pascal(&each.name);
            Words {
                name: self.taken.first_free([plain.clone(), format!("{plain}Word")]),
                words: each.words.iter().map(|word| word.name.to_string()).collect(),
                open: open(&each.name),
            }
        });
        words.collect()
    }

    fn call(&mut self, callee: Callee, name: &str, path: String) -> Call {
        let program = self.program;
        let parameters = self.parameters(callee);
        let grouping = self.grouping(callee, &parameters);
        let operation = operation(program, callee);
        let idempotent = operation.and_then(|each| each.idempotent.as_ref()?.by.last().copied());
        let signature = program.signature(callee);
        let (plan, cost, errors) = match callee {
            Callee::Pattern(id) => {
                let cost = pattern_script(program, id).map(|script| script.body.cost()).unwrap_or_default();
                (vec![pattern_line(program, id)], cost, Vec::new())
            }
            Callee::Operation(id) => {
                let errors = declared_errors(program, id);
                let errors = errors.iter().map(|kind| kind.name().to_owned()).collect();
                (operation_lines(program, id), operation_script(program, id).body.cost(), errors)
            }
            Callee::Effect(_) => (Vec::new(), sortkey_plan::Cost::default(), Vec::new()),
        };
        let versioned = match (&signature.yields, operation) {
            (Yields::Item(entity), Some(_)) => {
                program.entities[*entity].attributes.iter().any(|each| each.flags.version)
            }
            _ => false,
        };
        Call {
            name: name.to_owned(),
            path,
            own: program.name(callee).to_string(),
            docs: program.docs(callee).map(str::to_owned),
            reads: matches!(callee, Callee::Pattern(_)),
            needs_caller: !program.is_system(callee) && !program.caller.is_empty(),
            idempotent_by: idempotent.map(|id| signature.parameters[id].name.to_string()),
            output: self.output(callee, 0),
            grouping,
            parameters,
            errors,
            plan,
            cost: Cost { requests: cost.requests, rcu: cost.rcu, wcu: cost.wcu },
            versioned,
        }
    }

    fn effect(&mut self, effect: &program::Effect) -> Effect {
        let parameters = effect.signature.parameters.iter().map(|each| {
            let hint = format!("{} {}", effect.name, each.name);
            let ty = self.ty(&each.ty, None, Direction::Answered, &hint);
            Field { name: each.name.to_string(), ty, optional: each.optional, nullable: false }
        });
        let fields: Vec<Field> = parameters.collect();
        let name = pascal(&effect.name);
        let arguments = self.input([format!("{name}Arguments"), format!("{name}EffectArguments")], fields);
        let result = self.ty(&effect.result, None, Direction::Given, &format!("{name} Result"));
        let kind = match effect.kind {
            program::EffectKind::Http { .. } => EffectKind::Http,
            program::EffectKind::Mail => EffectKind::Mail,
            // Tokens and events are the application's, too: its handlers get the arguments.
            program::EffectKind::Jwt { .. }
            | program::EffectKind::Live { .. }
            | program::EffectKind::Extern
            | program::EffectKind::Streamed { .. } => EffectKind::Extern,
        };
        Effect { name: effect.name.to_string(), kind, arguments, result, timeout_ms: effect.timeout_ms }
    }

    fn worker(&self, worker: &program::Worker) -> Worker {
        let item = |entity: &program::EntityId| self.items[entity.at()];
        let trigger = match &worker.trigger {
            DesignTrigger::On { entity, changes, .. } => Trigger::Changes {
                item: item(entity),
                changes: changes.iter().map(|each| word(*each)).collect(),
            },
            DesignTrigger::Due { entity, .. } => Trigger::Due {
                item: item(entity),
                concurrency: worker.concurrency,
                per: worker.per.map(|(_, most)| most),
            },
            DesignTrigger::Every(_) => Trigger::Every,
        };
        Worker { name: worker.name.to_string(), trigger }
    }

    fn feeds(&self) -> Vec<Feed> {
        let tables = self.program.tables.iter().zip(&self.program.design.tables);
        let streamed = tables.filter(|(_, source)| source.stream.is_some());
        let feed = |(table, _): (&program::Table, _)| Feed {
            table: table.name.to_string(),
            items: table.entities.iter().map(|entity| self.followed(*entity)).collect(),
        };
        streamed.map(feed).collect()
    }

    fn followed(&self, entity: program::EntityId) -> (String, RecordId) {
        (self.program.entities[entity].name.to_string(), self.items[entity.at()])
    }

    /// The errors of the design that are none of the runtime's own.
    fn declared(&self) -> Vec<String> {
        let own = ["AlreadyExists", "InvalidTransition", "CheckFailed"];
        let names = self.program.errors.iter().map(ToString::to_string);
        let mut names: Vec<String> =
            names.filter(|name| !COMMON.contains(&name.as_str()) && !own.contains(&name.as_str())).collect();
        names.sort();
        names.dedup();
        names
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Create => "create",
        Change::Update => "update",
        Change::Delete => "delete",
        Change::Expire => "expire",
    }
}

fn settings(program: &Program) -> Vec<Setting> {
    let settings = program.settings.iter().zip(&program.setting_defaults);
    let setting = |(name, default): (&std::sync::Arc<str>, &Option<std::sync::Arc<str>>)| Setting {
        name: name.to_string(),
        default: default.as_ref().map(ToString::to_string),
    };
    settings.map(setting).collect()
}

fn tables(program: &Program) -> Vec<TableRequest> {
    let desired = sortkey_deploy::desired(&program.design, &sortkey_deploy::Naming::default());
    let request = |table: sortkey_deploy::Desired<'_>| {
        let mut create = Vec::new();
        let name = table.create.table_name.to_string();
        // A test throws its tables away, and nothing else creates them from here.
        let input = CreateTableInput { deletion_protection_enabled: None, ..table.create };
        Request::CreateTable(Box::new(input)).encode(&mut create);
        TableRequest {
            name,
            create: String::from_utf8(create).unwrap_or_default(),
            time_to_live: table.time_to_live.map(str::to_owned),
        }
    };
    desired.map(|tables| tables.into_iter().map(request).collect()).unwrap_or_default()
}

/// The compiled program as JSON. No client runs its tests.
fn emitted(program: &Program) -> String {
    let program = Program { tests: Vec::new(), ..program.clone() };
    serde_json::to_string(&wire::write(&program)).unwrap_or_default()
}
