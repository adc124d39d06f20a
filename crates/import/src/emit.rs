//! The text of a design.

use crate::source::{Billing, Index, Key, Projection, Table};
use sortkey_diagnostics::FileId;
use std::fmt::Write as _;

/// The design of some tables, laid out.
pub(crate) fn design(name: &str, tables: &[Table]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "design {}\n", word(name));
    let stack =
        tables.iter().any(|table| table.deployed.as_ref().is_some_and(|name| name.contains("{stack}")));
    if stack {
        let _ = writeln!(text, "parameter stack: string(1..40)\n");
    }
    for table in tables {
        write_table(&mut text, table);
    }
    for table in tables {
        write_entity(&mut text, table);
    }
    for table in tables {
        write_patterns(&mut text, table);
    }
    let parsed = sortkey_syntax::parse(&text, FileId(0));
    sortkey_syntax::format(&parsed).unwrap_or(text)
}

fn write_table(text: &mut String, table: &Table) {
    let deployed =
        table.deployed.as_ref().map(|name| format!(" \"{}\"", name.replace('"', ""))).unwrap_or_default();
    let _ = writeln!(text, "table {}{deployed} {{\n  key {}", table_name(table), shape(&table.key));
    for index in &table.indexes {
        let _ = writeln!(text, "  {}", index_clause(index));
    }
    match table.billing {
        Some(Billing::OnDemand) => text.push_str("  billing on_demand\n"),
        Some(Billing::Provisioned(rcu, wcu)) => {
            let _ = writeln!(text, "  billing provisioned {rcu} rcu {wcu} wcu");
        }
        None => text.push_str("  // TODO the source does not say how the table is paid for\n"),
    }
    if let Some(ttl) = &table.ttl {
        let _ = writeln!(text, "  ttl {}", quoted(ttl));
    }
    if let Some(stream) = &table.stream {
        let _ = writeln!(text, "  stream {stream}");
    }
    match table.recovery {
        Some(true) => text.push_str("  recovery 35d\n"),
        Some(false) => text.push_str("  recovery off\n"),
        None => text.push_str("  // TODO the source does not say whether the table can be restored\n"),
    }
    if table.deletion_protection {
        text.push_str("  protect deletion\n");
    }
    if let Some((kind, key)) = &table.encryption {
        let key = key.as_ref().map(|key| format!(" \"{}\"", key.replace('"', ""))).unwrap_or_default();
        let _ = writeln!(text, "  encryption {kind}{key}");
    }
    text.push_str("}\n\n");
}

fn index_clause(index: &Index) -> String {
    let local = if index.local { "local " } else { "" };
    let projection = match &index.projection {
        Some(Projection::All) => " project all".to_owned(),
        Some(Projection::Keys) => " project keys".to_owned(),
        Some(Projection::Include(names)) if !names.is_empty() => {
            format!(" project [{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
        }
        _ => String::new(),
    };
    let units =
        index.provisioned.map(|(rcu, wcu)| format!(" provisioned {rcu} rcu {wcu} wcu")).unwrap_or_default();
    format!("{local}index {} {}{projection}{units}", quoted(&index.name), shape(&index.key))
}

fn write_entity(text: &mut String, table: &Table) {
    let name = entity_name(table);
    let _ =
        writeln!(text, "// TODO the source knows the keys of `{name}` only: add what is stored beside them");
    let _ = writeln!(text, "entity {name} in {} {{", table_name(table));
    for (attribute, ty) in &table.attributes {
        let in_key = table.key.partition.contains(attribute) || table.key.sort.contains(attribute);
        let optional = if in_key { "" } else { "?" };
        let ty = match ty.as_str() {
            "N" => "int",
            "B" => "bytes(..1 KB)",
            _ => "string(..1 KB)",
        };
        let _ = writeln!(text, "  {}{optional} {ty}", quoted(attribute));
    }
    for name in included(table) {
        let _ = writeln!(text, "  {}? any(max 4 KB)  // TODO of which type?", quoted(name));
    }
    if let Some(ttl) = table.ttl.as_ref().filter(|ttl| !table.attributes.iter().any(|(name, _)| name == *ttl))
    {
        let _ = writeln!(text, "  {}? time(s)  // TODO how long do items live?", quoted(ttl));
    }
    text.push_str("}\n\n");
}

/// Attributes that an index copies and nothing else mentions.
fn included(table: &Table) -> Vec<&String> {
    let mut names: Vec<&String> = Vec::new();
    for index in &table.indexes {
        if let Some(Projection::Include(included)) = &index.projection {
            names.extend(
                included.iter().filter(|name| !table.attributes.iter().any(|(known, _)| known == *name)),
            );
        }
    }
    names.sort();
    names.dedup();
    names.retain(|name| Some(*name) != table.ttl.as_ref());
    names
}

fn write_patterns(text: &mut String, table: &Table) {
    let name = entity_name(table);
    let by = |names: &[&String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let whole: Vec<&String> = table.key.partition.iter().chain(&table.key.sort).collect();
    let _ = writeln!(text, "pattern get{name} = get {name} by {}", by(&whole));
    if !table.key.sort.is_empty() {
        let partition: Vec<&String> = table.key.partition.iter().collect();
        let _ = writeln!(text, "pattern list{name} = list {name} by {} page 50", by(&partition));
    }
    for (number, index) in (1..).zip(&table.indexes) {
        let partition: Vec<&String> = index.key.partition.iter().collect();
        let _ = writeln!(
            text,
            "pattern list{name}{number} = list {name} by {} via {} page 50",
            by(&partition),
            quoted(&index.name)
        );
    }
    text.push('\n');
}

fn shape(key: &Key) -> String {
    let names = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    if key.sort.is_empty() {
        format!("({})", names(&key.partition))
    } else {
        format!("({} | {})", names(&key.partition), names(&key.sort))
    }
}

/// A name of the language: letters and digits, in capitals where words begin.
fn table_name(table: &Table) -> String {
    let mut name = String::new();
    let mut upper = true;
    for c in table.name.chars() {
        if c.is_alphanumeric() {
            name.extend(if upper { c.to_uppercase().collect::<Vec<_>>() } else { vec![c] });
            upper = false;
        } else {
            upper = true;
        }
    }
    let name = if name.starts_with(|c: char| c.is_alphabetic()) { name } else { format!("T{name}") };
    name.strip_suffix("Table").filter(|short| !short.is_empty()).map(str::to_owned).unwrap_or(name)
}

/// One of the things in a table: `Event` in `Events`, `MusicItem` in `Music`.
fn entity_name(table: &Table) -> String {
    let name = table_name(table);
    match name.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => format!("{name}Item"),
    }
}

fn word(name: &str) -> String {
    let kept: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let kept = kept.trim_matches('-');
    if kept.starts_with(|c: char| c.is_alphabetic()) { kept.to_owned() } else { "imported".to_owned() }
}

/// A name as the language writes it: in backticks, if it needs them.
fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        && !name.ends_with('-')
        && !name.contains("--")
        && !RESERVED.contains(&name);
    if plain { name.to_owned() } else { format!("`{}`", name.replace(['`', '\n'], "")) }
}

/// Words that begin a clause of an entity or end an expression.
const RESERVED: [&str; 18] = [
    "unique", "check", "tenant", "deleted", "states", "volume", "include", "allow", "when", "in", "and",
    "or", "not", "exists", "absent", "contains", "starts", "implies",
];
