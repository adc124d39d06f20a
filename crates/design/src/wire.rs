//! The wire format: a compiled program as JSON, for other languages and for runtimes without a compiler.
//!
//! It has a name and a version of its own and is declared here field by field, so that the program can change without it.
//! The form is complete: a program that was read back plans and runs like the one that was written. Only the places in
//! the source text are left out. Ids are places in lists. Types are written once each, in `types`, and expressions in
//! `expressions`, and both are named by their places; numbers of the language are text, since they have 38 digits.

mod attributes;
mod entities;
mod expressions;
mod form;
mod json;
mod live;
mod operations;
mod patterns;
mod pool;
mod tables;
mod types;
mod verify;

pub use attributes::*;
pub use entities::*;
pub use expressions::*;
pub use form::{Unreadable, Wire};
pub use live::*;
pub use operations::*;
pub use patterns::*;
pub use pool::{Reading, Writing};
pub use tables::*;
pub use types::*;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use self::form::{hold, release};
use crate::{Design, program};

/// The name of the format.
pub const FORMAT: &str = "sortkey-program";

/// The version of the format. It changes with everything that an older reader would misread.
pub const VERSION: u32 = 2;

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// `sortkey-program`.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The name of the design; empty if it has none.
    pub name: String,
    /// The version of the design.
    pub design_version: Option<u64>,
    /// Deployment parameters.
    pub settings: Vec<Setting>,
    /// All types, each after those that it is made of.
    pub types: Vec<Type>,
    /// All expressions, each after those that it is made of.
    pub expressions: Vec<Expr>,
    /// Declared enums.
    pub enums: Vec<Enum>,
    /// Records and object types.
    pub objects: Vec<Object>,
    /// The attributes of a caller.
    pub caller: Vec<Attribute>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The entities.
    pub entities: Vec<Entity>,
    /// Conditions on callers.
    pub rules: Vec<Rule>,
    /// Reads.
    pub patterns: Vec<Pattern>,
    /// Writes.
    pub operations: Vec<Operation>,
    /// An effect outside of the database.
    pub effects: Vec<Effect>,
    /// A worker.
    pub workers: Vec<Worker>,
    /// Paths of HTTP requests that operations answer.
    pub routes: Vec<Route>,
    /// How callers are recognised.
    pub sessions: Vec<Session>,
    /// Tests.
    pub tests: Vec<Test>,
    /// The names of errors.
    pub errors: Vec<String>,
    /// The names that calls may use.
    pub names: BTreeMap<String, Callee>,
}

/// A deployment parameter.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value where a deployment gives none.
    pub default: Option<String>,
}

/// The form of a program.
pub fn write(program: &program::Program) -> Program {
    let out = &mut Writing::default();
    let settings = program.settings.iter().zip(&program.setting_defaults);
    let names = program.names.iter().map(|(name, callee)| (name.clone(), *callee));
    let mut form = Program {
        format: FORMAT.to_owned(),
        version: VERSION,
        name: program.design.name.text.clone(),
        design_version: program.design.version,
        settings: settings
            .map(|(name, default)| Setting { name: name.to_string(), default: default.write(out) })
            .collect(),
        types: Vec::new(),
        expressions: Vec::new(),
        enums: program.enums.write(out),
        objects: program.objects.write(out),
        caller: program.caller.write(out),
        tables: program.tables.write(out),
        entities: program.entities.write(out),
        rules: program.rules.write(out),
        patterns: program.patterns.write(out),
        operations: program.operations.write(out),
        effects: program.effects.write(out),
        workers: program.workers.write(out),
        routes: program.routes.write(out),
        sessions: program.sessions.write(out),
        tests: program.tests.write(out),
        errors: program.errors.write(out),
        names: names.map(|(name, callee)| (name, callee.write(out))).collect(),
    };
    form.types = std::mem::take(&mut out.types);
    form.expressions = std::mem::take(&mut out.expressions);
    form
}

/// The names of a program's members.
const MEMBERS: [&str; 22] = [
    "format",
    "version",
    "name",
    "design_version",
    "settings",
    "types",
    "expressions",
    "enums",
    "objects",
    "caller",
    "tables",
    "entities",
    "rules",
    "patterns",
    "operations",
    "effects",
    "workers",
    "routes",
    "sessions",
    "tests",
    "errors",
    "names",
];

/// The program that was written as JSON, or what is wrong with it. Nothing that is read leads outside of a list.
pub fn read(json: &Json) -> Result<program::Program, Unreadable> {
    let members = json::object(json, "a program", &MEMBERS)?;
    let member = |name| json::member(members, name);
    match member("format").as_str() {
        Some(FORMAT) => {}
        other => {
            return Err(Unreadable(format!("this is \"{}\", not \"{FORMAT}\"", other.unwrap_or_default())));
        }
    }
    if member("version").as_u64() != Some(u64::from(VERSION)) {
        let version = member("version");
        return Err(Unreadable(format!("this is version {version}; only {VERSION} can be read")));
    }
    let length = |name| json::list(member(name)).map(Vec::len);
    let mut from = hold(Reading {
        tables: length("tables")?,
        entities: length("entities")?,
        enums: length("enums")?,
        objects: length("objects")?,
        settings: length("settings")?,
        rules: length("rules")?,
        patterns: length("patterns")?,
        operations: length("operations")?,
        effects: length("effects")?,
        errors: length("errors")?,
        ..Reading::default()
    });
    for ty in json::list(member("types"))? {
        let ty = program::Type::read(ty, &from)?;
        from.types.push(Arc::new(ty));
    }
    let from = &from;
    from.read_expressions(member("expressions"))?;
    let (name, version) = (json::text(member("name"))?, Wire::read(member("design_version"), from)?);
    let (mut settings, mut setting_defaults) = (Vec::new(), Vec::new());
    for setting in json::list(member("settings"))? {
        let members = json::object(setting, "a setting", &["name", "default"])?;
        settings.push(Wire::read(json::member(members, "name"), from)?);
        setting_defaults.push(Wire::read(json::member(members, "default"), from)?);
    }
    let mut names = HashMap::new();
    for (name, callee) in member("names").as_object().into_iter().flatten() {
        names.insert(name.clone(), program::Callee::read(callee, from)?);
    }
    macro_rules! program {
        ({ $($field:ident),+ } without { $($empty:ident),* }) => {{
            $(let $field = hold(Wire::read(member(stringify!($field)), from)?);)+
            let mut design = Design { version, ..Design::default() };
            name.clone_into(&mut design.name.text);
            hold(program::Program {
                design: Arc::new(design),
                settings: settings.into(),
                setting_defaults: setting_defaults.into(),
                names,
                migrations: Vec::new(),
                $($field: release($field),)+
                $($empty: Default::default(),)*
            })
        }};
    }
    #[cfg(not(target_arch = "wasm32"))]
    let program = program!({
        enums, objects, caller, tables, entities, rules, patterns, operations, effects, workers, routes, sessions, tests,
        errors
    } without {});
    // What our own processes run; a host on WebAssembly calls, and gives workers their turns.
    #[cfg(target_arch = "wasm32")]
    let program = program!({
        enums, objects, caller, tables, entities, rules, patterns, operations, effects, workers, errors
    } without { routes, sessions, tests });
    verify::places(&program)?;
    Ok(release(program))
}
