//! `types.rs`: ids, enums, items, arguments and errors.

use std::fmt::Write as _;

use super::text::{self, comment, quoted};
use super::{LIBRARY, STRING, Source, header, option};
use crate::client::{Field, IdType, Record, RecordId, Role, Type, Words, pascal};
use crate::files::File;

/// The file of all types.
pub(super) fn file(source: &Source<'_>) -> File {
    let surface = source.surface;
    let mut out = format!("{}//! The types of the design `{}`.\n", header(surface), surface.name);
    surface.ids.iter().for_each(|each| out += &id(each));
    surface.enums.iter().for_each(|each| out += &words(&each.name, each));
    source.names.unions.iter().for_each(|(each, name)| out += &words(name, each));
    for (at, record) in surface.records.iter().enumerate() {
        // An item among others is the item itself, in the variant of its kind.
        if record.role != Role::Collected {
            let fields: Vec<Field> = surface.fields(RecordId(at)).into_iter().cloned().collect();
            out += &source.record(record, &fields);
        }
    }
    source.names.kinds.iter().for_each(|(ids, name)| out += &source.kinds(ids, name));
    if !surface.caller.is_empty() {
        let docs = Some("Who calls.".to_owned());
        let fields = surface.caller.clone();
        let caller = Record { name: "Caller".to_owned(), role: Role::Input, extends: None, fields, docs };
        out += &source.record(&caller, &caller.fields);
    }
    out += &source.errors();
    File::new("types.rs", out)
}

/// The traits that every type derives.
fn derive(more: &str) -> String {
    format!(
        "#[derive(Clone, Debug, PartialEq{more}, {LIBRARY}serde::Serialize, {LIBRARY}serde::Deserialize)]\n"
    )
}

/// The path of serde, which an application need not name.
const SERDE: &str = "crate = \"::sortkey::client::serde\"";

fn id(id: &IdType) -> String {
    let form = if id.prefix.is_empty() { "An id".to_owned() } else { format!("An id, `{}...`", id.prefix) };
    let name = &id.name;
    format!(
        "\n/// {form}. Calls check its form.\n{}#[serde({SERDE}, transparent)]\npub struct {name}(pub {STRING});\n\n\
         impl {name} {{\n    /// Says that a text is one.\n    pub fn new(text: impl ::core::convert::Into<{STRING}>) -> {name} {{\n        \
         {name}(text.into())\n    }}\n\n    /// Its text.\n    pub fn as_str(&self) -> &str {{\n        &self.0\n    }}\n}}\n\n\
         impl ::core::fmt::Display for {name} {{\n    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{\n        \
         f.write_str(&self.0)\n    }}\n}}\n",
        derive(", Eq, PartialOrd, Ord, Hash"),
    )
}

/// An enum. An open one keeps other words as they are.
fn words(name: &str, words: &Words) -> String {
    let mut variants = text::distinct(words.words.iter().map(|word| text::variant(word)));
    let other = words.open.then(|| {
        variants = text::distinct(std::iter::once("Other".to_owned()).chain(variants.drain(..)));
        variants.remove(0)
    });
    let copy = if words.open { "" } else { ", Copy" };
    let mut out =
        format!("\n{}#[serde({SERDE})]\npub enum {name} {{\n", derive(&format!("{copy}, Eq, Hash")));
    let mut arms = String::new();
    for (word, variant) in words.words.iter().zip(&variants) {
        let _ = writeln!(out, "    /// `{word}`\n    #[serde(rename = {})]\n    {variant},", quoted(word));
        let _ = writeln!(arms, "            {name}::{variant} => {},", quoted(word));
    }
    if let Some(other) = other {
        let _ = writeln!(
            out,
            "    /// A word that the design does not name.\n    #[serde(untagged)]\n    {other}({STRING}),"
        );
        let _ = writeln!(arms, "            {name}::{other}(word) => word,");
    }
    let _ = write!(
        out,
        "}}\n\nimpl {name} {{\n    /// The word.\n    pub fn as_str(&self) -> &str {{\n        match self {{\n{arms}        }}\n    }}\n}}\n"
    );
    out
}

/// Whether programs make such a record.
fn is_made(role: Role) -> bool {
    matches!(role, Role::Input | Role::Value)
}

impl Source<'_> {
    /// A struct, and a function that makes one of what must be given.
    fn record(&self, record: &Record, fields: &[Field]) -> String {
        let names = text::distinct(fields.iter().map(|field| text::name(&field.name)));
        let is_input = record.role == Role::Input;
        let is_optional = |field: &Field| field.optional || field.nullable && !is_input;
        let has_default = is_made(record.role) && fields.iter().all(|field| field.optional);
        let mut docs: Vec<String> = record.docs.iter().cloned().collect();
        if record.role == Role::Created {
            docs.push("With what is returned once, by the call that made the item.".to_owned());
        }
        let mut out = format!(
            "\n{}{}#[serde({SERDE})]\npub struct {} {{\n",
            comment(&docs, ""),
            derive(if has_default { ", Default" } else { "" }),
            record.name
        );
        for (field, name) in fields.iter().zip(&names) {
            let plain = self.ty(&field.ty, "");
            let mut attributes = Vec::new();
            if *name != field.name {
                attributes.push(format!("rename = {}", quoted(&field.name)));
            }
            let ty = if is_input && field.optional && field.nullable {
                attributes
                    .push("default, skip_serializing_if = \"::sortkey::client::Edit::is_keep\"".to_owned());
                format!("{LIBRARY}Edit<{plain}>")
            } else if is_optional(field) || field.nullable {
                let skip = if field.nullable {
                    "default"
                } else {
                    "default, skip_serializing_if = \"::core::option::Option::is_none\""
                };
                attributes.push(skip.to_owned());
                option(&plain)
            } else {
                // An empty set is stored as none.
                if matches!(field.ty, Type::Set(_)) {
                    attributes.push("default".to_owned());
                }
                plain
            };
            if !attributes.is_empty() {
                let _ = writeln!(out, "    #[serde({})]", attributes.join(", "));
            }
            let _ = writeln!(out, "    pub {name}: {ty},");
        }
        out += "}\n";
        if is_made(record.role) && !has_default {
            out += &self.constructor(record, fields, &names);
        }
        out
    }

    /// `new`, of the fields that must be given.
    fn constructor(&self, record: &Record, fields: &[Field], names: &[String]) -> String {
        let is_input = record.role == Role::Input;
        let (mut parameters, mut members) = (Vec::new(), Vec::new());
        for (field, name) in fields.iter().zip(names) {
            let plain = self.ty(&field.ty, "");
            let is_text = plain == STRING;
            if is_input && field.optional && field.nullable {
                members.push(format!("{name}: {LIBRARY}Edit::Keep"));
            } else if field.optional {
                members.push(format!("{name}: ::core::option::Option::None"));
            } else {
                let ty = if field.nullable { option(&plain) } else { plain };
                let is_text = is_text && !field.nullable;
                let ty = if is_text { format!("impl ::core::convert::Into<{STRING}>") } else { ty };
                parameters.push(format!("{name}: {ty}"));
                members.push(if is_text { format!("{name}: {name}.into()") } else { name.clone() });
            }
        }
        format!(
            "\nimpl {0} {{\n    /// With what must be given.\n    pub fn new({1}) -> {0} {{\n        {0} {{ {2} }}\n    }}\n}}\n",
            record.name,
            parameters.join(", "),
            members.join(", ")
        )
    }

    /// One of several kinds of items, distinguished by `$entity`.
    fn kinds(&self, ids: &[RecordId], name: &str) -> String {
        let mut out = format!(
            "\n/// One of several kinds of items.\n{}#[serde({SERDE}, tag = \"$entity\")]\npub enum {name} {{\n",
            derive("")
        );
        for id in ids {
            let record = self.surface.record(*id);
            let tag = record.fields.iter().find_map(|field| match &field.ty {
                Type::Literal(tag) => Some(tag.as_str()),
                _ => None,
            });
            let base = record.extends.map_or(record, |base| self.surface.record(base));
            let tag = tag.unwrap_or(&base.name);
            let _ = writeln!(
                out,
                "    /// `{tag}`\n    #[serde(rename = {})]\n    {}({}),",
                quoted(tag),
                text::variant(tag),
                base.name
            );
        }
        out + "}\n"
    }

    /// The enum of what a call may fail with.
    fn errors(&self) -> String {
        let surface = self.surface;
        let names = std::iter::once("Common".to_owned());
        let variants = text::distinct(names.chain(surface.errors.iter().map(|name| text::variant(name))));
        let (error, declared) = (self.error(), &variants[1..]);
        let (mut members, mut arms, mut words) = (String::new(), String::new(), String::new());
        for (name, variant) in surface.errors.iter().zip(declared) {
            let _ = writeln!(members, "    /// The design's `{name}`.\n    {variant}({LIBRARY}Refused),");
            let _ = writeln!(
                arms,
                "            {} => ::core::result::Result::Ok({error}::{variant}(refused)),",
                quoted(name)
            );
            let _ = writeln!(
                words,
                "            {error}::{variant}(refused) => ::core::write!(f, \"{}: {{refused}}\"),",
                pascal(name)
            );
        }
        format!(
            "\n/// What a call of this client may fail with.\n#[derive(Clone, Debug, PartialEq)]\npub enum {error} {{\n{members}    \
             /// What every call may fail with.\n    Common({LIBRARY}CommonError),\n}}\n\n\
             impl {LIBRARY}DesignError for {error} {{\n    \
             fn declared(name: &str, refused: {LIBRARY}Refused) -> ::core::result::Result<{error}, {LIBRARY}Refused> {{\n        \
             match name {{\n{arms}            _ => ::core::result::Result::Err(refused),\n        }}\n    }}\n\n    \
             fn common(error: {LIBRARY}CommonError) -> {error} {{\n        {error}::Common(error)\n    }}\n}}\n\n\
             impl ::core::fmt::Display for {error} {{\n    \
             fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{\n        match self {{\n{words}            \
             {error}::Common(error) => ::core::write!(f, \"{{error}}\"),\n        }}\n    }}\n}}\n\n\
             impl ::std::error::Error for {error} {{}}\n"
        )
    }
}
