//! `types.ts`: ids, enums, items, inputs and errors.

use std::fmt::Write as _;

use super::text::{comment, property, quoted};
use super::{Source, union};
use crate::client::names::client_name;
use crate::client::{Field, Record, Role, Surface, pascal};
use crate::files::File;

/// The name of the file.
pub(super) const FILE: &str = "types.ts";

/// The file of all types.
pub(super) fn file(surface: &Surface) -> File {
    let mut source = Source::new(surface);
    source.ids();
    source.enums();
    for record in &surface.records {
        let text = source.record(record);
        source.text += &text;
    }
    if !surface.caller.is_empty() {
        let fields = source.fields(&surface.caller);
        let _ = write!(source.text, "/** Who calls. */\nexport interface Caller {{\n{fields}}}\n\n");
    }
    source.errors();
    let imports = "import { SortkeyError, type CommonError } from \"sortkey\";\n";
    source.file(FILE.to_owned(), imports)
}

impl Source<'_> {
    fn ids(&mut self) {
        if self.surface.ids.is_empty() {
            return;
        }
        self.text += "declare const brand: unique symbol;\n\n";
        for id in &self.surface.ids {
            let form =
                if id.prefix.is_empty() { "An id".to_owned() } else { format!("An id, `{}...`", id.prefix) };
            let name = &id.name;
            let _ = write!(
                self.text,
                "/** {form}. `{name}(text)` says that a text is one; calls check its form. */\n\
                 export type {name} = string & {{ readonly [brand]: \"{name}\" }};\n\
                 export const {name} = (text: string): {name} => text as {name};\n\n",
            );
        }
    }

    fn enums(&mut self) {
        for each in &self.surface.enums {
            let _ = write!(self.text, "export type {} = {};\n\n", each.name, union(each));
        }
    }

    fn record(&self, record: &Record) -> String {
        let mut docs: Vec<String> = record.docs.iter().cloned().collect();
        docs.extend(about(record.role).map(str::to_owned));
        let base = record.extends.map(|base| format!(" extends {}", self.surface.record(base).name));
        format!(
            "{}export interface {}{} {{\n{}}}\n\n",
            comment(&docs, ""),
            record.name,
            base.unwrap_or_default(),
            self.fields(&record.fields)
        )
    }

    fn fields(&self, fields: &[Field]) -> String {
        let field = |field: &Field| {
            let (name, ty) = (property(&field.name), self.ty(&field.ty));
            let sign = if field.optional { "?" } else { "" };
            let null = if field.nullable { " | null" } else { "" };
            format!("  {name}{sign}: {ty}{null};\n")
        };
        fields.iter().map(field).collect()
    }

    fn errors(&mut self) {
        for name in &self.surface.errors {
            let class = pascal(name);
            let _ = write!(
                self.text,
                "export class {class} extends SortkeyError {{\n  override readonly kind = {} as const;\n}}\n\n",
                quoted(name)
            );
        }
        let own: Vec<String> = self.surface.errors.iter().map(|name| pascal(name)).collect();
        let members = own.into_iter().chain(["CommonError".to_owned()]).collect::<Vec<_>>().join(" | ");
        let name = client_name(self.surface);
        let _ = write!(
            self.text,
            "/** What a call of this client may throw: `switch (error.kind)` tells them apart. */\n\
             export type {name}Error = {members};\n",
        );
    }
}

fn about(role: Role) -> Option<&'static str> {
    match role {
        Role::Created => Some("With what is returned once, by the call that made the item."),
        Role::Collected => Some("One of several kinds of items; `$entity` says which."),
        Role::Item | Role::Selected | Role::Value | Role::Input => None,
    }
}
