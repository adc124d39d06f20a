//! `index.ts`: the function that opens a client, and everything that the other files export.

use std::fmt::Write as _;

use super::text::{comment, property, quoted};
use super::{Source, module_function};
use crate::client::names::client_name;
use crate::client::{EffectKind, Surface, Trigger, camel, pascal};
use crate::files::File;

/// The client's own members, beside modules and calls.
pub(super) const MEMBERS: [&str; 5] = ["as", "changes", "close", "ready", "workers"];

/// The file.
pub(super) fn file(surface: &Surface) -> File {
    let mut source = Source::new(surface);
    let name = client_name(surface);
    source.options(&name);
    source.changes(&name);
    source.workers(&name);
    source.client(&name);
    source.function(&name);
    let work = if surface.workers.is_empty() { "" } else { ", work" };
    let mut imports = format!("import {{ open, type OpenOptions{work} }} from \"sortkey\";\n");
    for module in &surface.modules {
        let (function, interface) = (module_function(&module.name), pascal(&module.name));
        let _ = writeln!(
            imports,
            "import {{ {function}, type {interface} }} from {};",
            quoted(&format!("./{}.js", module.name))
        );
    }
    let shapes = if source.text.contains("shapes.") { ", shapes" } else { "" };
    let _ = writeln!(imports, "import {{ program{shapes} }} from \"./program.js\";");
    if !surface.errors.is_empty() {
        let classes: Vec<String> = surface.errors.iter().map(|name| pascal(name)).collect();
        let _ = writeln!(imports, "import {{ {} }} from \"./types.js\";", classes.join(", "));
    }
    imports += "\nexport * from \"./types.js\";\nexport { program, tables } from \"./program.js\";\n";
    for module in &surface.modules {
        let (file, interface) = (format!("./{}.js", module.name), pascal(&module.name));
        let _ = writeln!(imports, "export type {{ {interface} }} from {};", quoted(&file));
    }
    source.file("index.ts".to_owned(), &imports)
}

impl Source<'_> {
    /// The options for opening a client.
    fn options(&mut self, name: &str) {
        let surface = self.surface;
        let mut members = String::new();
        if !surface.caller.is_empty() {
            let caller = self.own("Caller");
            let _ = writeln!(members, "  /** Who calls; `as` names another. */\n  caller?: {caller};");
        }
        if !surface.settings.is_empty() {
            let must = surface.settings.iter().any(|setting| setting.default.is_none());
            let settings: String = surface
                .settings
                .iter()
                .map(|setting| {
                    let sign = if setting.default.is_some() { "?" } else { "" };
                    format!("    {}{sign}: string;\n", property(&setting.name))
                })
                .collect();
            let sign = if must { "" } else { "?" };
            let _ = writeln!(
                members,
                "  /** The design's parameters. */\n  parameters{sign}: {{\n{settings}  }};"
            );
        }
        let externs = surface.effects.iter().filter(|effect| effect.kind == EffectKind::Extern);
        let externs: String = externs
            .map(|effect| {
                let arguments = self.own(&surface.record(effect.arguments).name);
                let result = self.ty(&effect.result);
                format!("    {}(given: {arguments}): Promise<{result}>;\n", property(&effect.name))
            })
            .collect();
        if !externs.is_empty() {
            let _ = writeln!(
                members,
                "  /** What the design leaves to the application: `effect ... = extern`. */\n  handlers: {{\n{externs}  }};"
            );
        }
        let _ = write!(self.text, "export interface {name}Options extends OpenOptions {{\n{members}}}\n\n");
    }

    /// The changes of the tables that have a stream.
    fn changes(&mut self, name: &str) {
        let surface = self.surface;
        let mut kinds = Vec::new();
        for feed in &surface.feeds {
            for (entity, id) in &feed.items {
                let record = &surface.record(*id).name;
                kinds.push(format!("{}<{}, {}>", self.library("Change"), quoted(entity), self.own(record)));
            }
        }
        if kinds.is_empty() {
            return;
        }
        let _ = write!(
            self.text,
            "/** A change of an item, from the stream of its table: `entity` says what it is. */\n\
             export type {name}Change =\n  | {};\n\n",
            kinds.join("\n  | ")
        );
    }

    fn client(&mut self, name: &str) {
        let surface = self.surface;
        let mut members = String::new();
        for module in &surface.modules {
            let _ = writeln!(members, "  readonly {}: {};", camel(&module.name), pascal(&module.name));
        }
        for call in &surface.calls {
            members += &self.signature(call);
        }
        if !surface.caller.is_empty() {
            let caller = self.own("Caller");
            let docs = comment(&["The same database, as another caller sees it.".to_owned()], "  ");
            let _ = writeln!(members, "{docs}  as(caller: {caller}): {name};");
        }
        if !surface.feeds.is_empty() {
            let records = self.library("StreamRecord");
            let docs = comment(
                &["Changes from a stream, in the design's types: `event.Records` of a Lambda.".to_owned()],
                "  ",
            );
            let _ =
                writeln!(members, "{docs}  changes(records: readonly {records}[]): Promise<{name}Change[]>;");
        }
        if !surface.workers.is_empty() {
            let _ = writeln!(
                members,
                "  /** The design's workers, for functions that a stream or a schedule calls. */\n  readonly workers: {name}Workers;"
            );
        }
        members += "  /** Opens the core before the first call does. */\n  ready(): Promise<void>;\n";
        members += "  /** Ends what the package started: the thread that hashes passwords. */\n  close(): Promise<void>;\n";
        let _ = write!(self.text, "export interface {name} {{\n{members}}}\n\n");
    }

    fn function(&mut self, name: &str) {
        let surface = self.surface;
        let errors: Vec<String> = surface
            .errors
            .iter()
            .map(|each| {
                let class = pascal(each);
                if class == *each { class } else { format!("{}: {class}", property(each)) }
            })
            .collect();
        let errors = if errors.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", errors.join(", ")) };
        let client = self.library("Client");
        let mut members = String::new();
        for module in &surface.modules {
            let (member, function) = (camel(&module.name), module_function(&module.name));
            let _ = writeln!(members, "    {member}: {function}(client),");
        }
        for call in &surface.calls {
            members += &self.binding(call, "    ");
        }
        if !surface.caller.is_empty() {
            let _ = writeln!(members, "    as: (caller) => bound(client.as({{ ...caller }})),");
        }
        if !surface.feeds.is_empty() {
            let _ = writeln!(
                members,
                "    changes: (records) => client.changes(records) as Promise<{name}Change[]>,"
            );
        }
        members += &worker_bindings(surface);
        members += "    ready: () => client.ready(),\n    close: () => client.close(),\n";
        let function = camel(name);
        let _ = write!(
            self.text,
            "/** Opens the design `{}`. Nothing is sent before the first call. */\n\
             export function {function}(options: {name}Options): {name} {{\n  \
             return bound(open(program, {errors}, options));\n}}\n\n\
             function bound(client: {client}): {name} {{\n  return {{\n{members}  }};\n}}\n",
            surface.name
        );
    }
}

/// The names of the workers that changes start, as a list.
fn started_by_changes(surface: &Surface) -> Vec<String> {
    let workers = surface.workers.iter().filter(|each| matches!(each.trigger, Trigger::Changes { .. }));
    workers.map(|each| quoted(&each.name)).collect()
}

impl Source<'_> {
    /// The workers as functions.
    fn workers(&mut self, name: &str) {
        let surface = self.surface;
        if surface.workers.is_empty() {
            return;
        }
        let report = format!("Promise<{}>", self.library("WorkReport"));
        let mut members = String::new();
        let changes = started_by_changes(surface);
        if !changes.is_empty() {
            let (record, answer) = (self.library("StreamRecord"), self.library("BatchAnswer"));
            let options = self.library("WorkOptions");
            let names: Vec<String> = changes.iter().map(|each| each.replace('"', "`")).collect();
            let docs = comment(
                &[format!(
                    "Runs what the records of a stream start: {}. Lambda takes the answer.",
                    names.join(", ")
                )],
                "  ",
            );
            let _ = writeln!(
                members,
                "{docs}  records(records: readonly {record}[], options?: {options}): Promise<{answer}>;"
            );
        }
        for each in &surface.workers {
            let member = camel(&each.name);
            let (docs, arguments) = match &each.trigger {
                Trigger::Changes { .. } => continue,
                Trigger::Due { item, .. } => {
                    let docs = format!(
                        "Runs `{}` on every `{}` that is due.",
                        each.name,
                        surface.record(*item).name
                    );
                    (docs, format!("options?: {}", self.library("DueOptions")))
                }
                Trigger::Every => {
                    let docs = format!("Runs the slot of `{}` that a moment belongs to, once.", each.name);
                    (docs, "at?: Date | number | string".to_owned())
                }
            };
            let _ = writeln!(members, "{}  {member}({arguments}): {report};", comment(&[docs], "  "));
        }
        let _ = write!(
            self.text,
            "/** The design's workers, each as a function that does what there is to do and returns. */\n\
             export interface {name}Workers {{\n{members}}}\n\n"
        );
    }
}

fn worker_bindings(surface: &Surface) -> String {
    if surface.workers.is_empty() {
        return String::new();
    }
    let mut members = String::new();
    let changes = started_by_changes(surface);
    if !changes.is_empty() {
        let _ = writeln!(
            members,
            "      records: (records, options) => work.records(client, [{}], records, options),",
            changes.join(", ")
        );
    }
    for each in &surface.workers {
        let (member, name) = (camel(&each.name), quoted(&each.name));
        match &each.trigger {
            Trigger::Changes { .. } => {}
            Trigger::Due { concurrency, per, .. } => {
                let per = per.map(|per| format!(", per: {per}")).unwrap_or_default();
                let _ = writeln!(
                    members,
                    "      {member}: (options) => work.due(client, {name}, {{ concurrency: {concurrency}{per} }}, options),"
                );
            }
            Trigger::Every => {
                let _ = writeln!(members, "      {member}: (at) => work.slot(client, {name}, at),");
            }
        }
    }
    format!("    workers: {{\n{members}    }},\n")
}
