//! `mod.rs`: the client, and everything that the other files export.

use std::fmt::Write as _;

use super::text::{self, quoted};
use super::{LIBRARY, Source, header};
use crate::client::{EffectKind, pascal};
use crate::files::File;

/// The client's own members, beside modules and calls.
pub(super) const MEMBERS: [&str; 4] = ["open", "acting_as", "changes", "clone"];

/// The file.
pub(super) fn file(source: &Source<'_>) -> File {
    let surface = source.surface;
    let name = &source.names.client;
    let mut out = format!(
        "{}//! A client of the design `{}`.\n\nmod program;\nmod types;\n",
        header(surface),
        surface.name
    );
    let modules: Vec<(String, String)> =
        surface.modules.iter().map(|each| (text::name(&each.name), pascal(&each.name))).collect();
    for (module, _) in &modules {
        let _ = writeln!(out, "mod {module};");
    }
    out += "\npub use program::{FINGERPRINT, PROGRAM, TABLES};\npub use types::*;\n";
    for (module, class) in &modules {
        let _ = writeln!(out, "pub use {module}::{class};");
    }
    let _ = write!(
        out,
        "\n/// The design `{}`, over a database in this process or a DynamoDB elsewhere. Clones are handles of the same one.\n\
         #[derive(Clone)]\npub struct {name} {{\n    client: {LIBRARY}Client,\n}}\n\nimpl {name} {{\n    \
         /// Opens the design. Nothing is sent before the first call.\n    \
         pub fn open(options: {LIBRARY}Options) -> ::core::result::Result<{name}, {LIBRARY}OpenError> {{\n        \
         ::core::result::Result::Ok({name} {{ client: {LIBRARY}Client::open(PROGRAM, FINGERPRINT, options)? }})\n    }}\n",
        surface.name
    );
    if !surface.caller.is_empty() {
        let _ = write!(
            out,
            "\n    /// The same database, as a caller sees it.\n    pub fn acting_as(&self, caller: &Caller) -> {name} {{\n        \
             {name} {{ client: self.client.acting_as(caller) }}\n    }}\n"
        );
    }
    for (module, class) in &modules {
        let _ = write!(
            out,
            "\n    /// The calls of `{module}`.\n    pub fn {module}(&self) -> {class}<'_> {{\n        \
             {class} {{ client: &self.client }}\n    }}\n"
        );
    }
    for call in &surface.calls {
        out.push('\n');
        out += &source.method(call, "", "self.client");
    }
    out += &source.following();
    out += "}\n";
    out += &source.changes();
    out += &source.handlers();
    File::new("mod.rs", out)
}

impl Source<'_> {
    /// The kinds of items whose changes can be followed.
    fn followed(&self) -> Vec<(&str, &str)> {
        let feeds = self.surface.feeds.iter().flat_map(|feed| &feed.items);
        feeds.map(|(entity, id)| (entity.as_str(), self.surface.record(*id).name.as_str())).collect()
    }

    /// The method that reads the records of a stream.
    fn following(&self) -> String {
        let kinds = self.followed();
        if kinds.is_empty() {
            return String::new();
        }
        let (change, error) = (format!("{}Change", self.names.client), self.error());
        let mut arms = String::new();
        for (entity, kind) in kinds {
            let _ = writeln!(
                arms,
                "                {} => found.push({change}::{kind}({LIBRARY}read_change::<_, {error}>(raw)?)),",
                quoted(entity)
            );
        }
        format!(
            "\n    /// Changes from a stream, in the design's types: `Records` of a Lambda's event.\n    \
             pub fn changes(&self, records: &[{LIBRARY}Json]) -> ::core::result::Result<::std::vec::Vec<{change}>, {error}> {{\n        \
             let mut found = ::std::vec::Vec::new();\n        for raw in self.client.changes::<{error}>(records)? {{\n            \
             match raw.entity.as_str() {{\n{arms}                _ => {{}}\n            }}\n        }}\n        \
             ::core::result::Result::Ok(found)\n    }}\n"
        )
    }

    /// The enum of changes.
    fn changes(&self) -> String {
        let kinds = self.followed();
        if kinds.is_empty() {
            return String::new();
        }
        let members: String = kinds
            .iter()
            .map(|(_, kind)| format!("    /// A change of one.\n    {kind}({LIBRARY}Changed<{kind}>),\n"))
            .collect();
        format!(
            "\n/// A change of an item, from the stream of its table.\n#[derive(Clone, Debug, PartialEq)]\n\
             pub enum {}Change {{\n{members}}}\n",
            self.names.client
        )
    }

    /// The effects that the design leaves to the application, as a trait.
    fn handlers(&self) -> String {
        let externs = self.surface.effects.iter().filter(|effect| effect.kind == EffectKind::Extern);
        let externs: Vec<_> = externs.collect();
        if externs.is_empty() {
            return String::new();
        }
        let (mut methods, mut bound) = (String::new(), String::new());
        for effect in externs {
            let method = text::name(&effect.name);
            let arguments = &self.surface.record(effect.arguments).name;
            let result = self.ty(&effect.result, "");
            let _ = writeln!(
                methods,
                "    /// `{}`, within {} ms.\n    fn {method}(&self, given: {arguments}) -> {LIBRARY}Handling<{result}>;",
                effect.name, effect.timeout_ms
            );
            let _ = write!(
                bound,
                "\n        .on({}, {{\n            let handlers = ::std::sync::Arc::clone(&handlers);\n            \
                 move |given| handlers.{method}(given)\n        }})",
                quoted(&effect.name)
            );
        }
        format!(
            "\n/// What the design leaves to the application.\npub trait Handlers: Send + Sync + 'static {{\n{methods}}}\n\n\
             /// Handlers as the effects of a client: `Options::effects` takes them.\n\
             pub fn handled(handlers: impl Handlers) -> {LIBRARY}Externs {{\n    \
             let handlers = ::std::sync::Arc::new(handlers);\n    {LIBRARY}Externs::new(){bound}\n}}\n"
        )
    }
}
