//! Limits of DynamoDB and of the runtime that the grammar does not express: too many indexes,
//! impossible periods, reserved names.

use crate::deployed::{RULE, is_deployed_name};
use crate::model::*;
use crate::problems::{DUPLICATE, LIMIT, PARAMETER, RESERVED};
use crate::program::{Program, Yields};
use sortkey_diagnostics::Diagnostic;

/// The maximum number of global indexes of a table.
const GLOBAL_INDEXES: usize = 20;
/// The maximum number of local indexes of a table.
const LOCAL_INDEXES: usize = 5;
/// The days to which point-in-time recovery can go back.
const RECOVERY_DAYS: std::ops::RangeInclusive<u64> = 0..=35;
/// The maximum length of the name of a key attribute, in bytes.
const KEY_NAME_BYTES: usize = 255;

/// The price classes of a table's storage.
const CLASSES: [&str; 2] = ["standard", "infrequent_access"];

/// The images that a stream can hold.
const STREAMS: [&str; 4] = ["keys_only", "new_image", "old_image", "new_and_old_images"];

/// Whose key encrypts a table.
const KEYS: [&str; 3] = ["aws_owned", "aws_managed", "customer"];

/// Reports designs that would be refused when they start.
pub(crate) fn check(design: &Design, program: &Program, problems: &mut Vec<Diagnostic>) {
    for (at, table) in design.tables.iter().enumerate() {
        indexes(table, problems);
        capacity(table, problems);
        if let Some(days) = table.recovery_days.filter(|days| !RECOVERY_DAYS.contains(days)) {
            let title = format!("a table cannot be brought back to {days} days ago");
            problems.push(
                LIMIT.at(table.name.span, title).note("Point-in-time recovery reaches back 1 to 35 days."),
            );
        }
        words(table, problems);
        let deployed = |table: &Table| table.deployed.clone().unwrap_or_else(|| table.name.text.clone());
        if let Some(other) = design.tables[..at].iter().find(|other| deployed(other) == deployed(table)) {
            let title =
                format!("`{}` and `{}` would be one table, \"{}\"", other.name, table.name, deployed(table));
            let span = table.deployed_span.unwrap_or(table.name.span);
            problems.push(DUPLICATE.at(span, title).also(other.name.span, "the other one"));
        }
        default_name(design, table, problems);
    }
    for entity in &design.entities {
        let templates = entity.templates.iter().map(|template| &template.name);
        for name in entity.attributes.iter().map(|each| &each.name).chain(templates) {
            if name.is("$entity") || name.text.starts_with("sortkey#") {
                let title = format!("`{name}` is a name of Sortkey's own");
                let note = "`$entity` names the entity in answers of `collect`, and `sortkey#...` holds leases and owners.";
                problems.push(RESERVED.at(name.span, title).label("choose another").note(note));
            }
        }
    }
    for (pattern, compiled) in design.patterns.iter().zip(&program.patterns) {
        if !matches!(compiled.signature.yields, Yields::Page(_)) {
            continue;
        }
        for parameter in compiled.signature.parameters.iter() {
            if matches!(&*parameter.name, "cursor" | "limit") {
                let title = format!("`{}` is what asks a page of `{}`", parameter.name, pattern.name);
                let note = "Callers give `cursor` and `limit` to get the next page and its size; call the parameter otherwise.";
                problems.push(RESERVED.at(parameter.span, title).label("choose another name").note(note));
            }
        }
    }
}

fn indexes(table: &Table, problems: &mut Vec<Diagnostic>) {
    for (local, most, what) in [(false, GLOBAL_INDEXES, "global"), (true, LOCAL_INDEXES, "local")] {
        let of_kind: Vec<&Index> = table.indexes.iter().filter(|index| index.local == local).collect();
        if let Some(first) = of_kind.get(most) {
            let title = format!("table `{}` has {} {what} indexes", table.name, of_kind.len());
            problems.push(
                LIMIT.at(first.name.span, title).note(format!("DynamoDB has at most {most} {what} indexes.")),
            );
        }
    }
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    for name in keys.flat_map(Key::attributes).filter(|name| name.text.len() > KEY_NAME_BYTES) {
        let title = format!("a key attribute is called by at most {KEY_NAME_BYTES} bytes");
        problems.push(LIMIT.at(name.span, title));
    }
}

/// Reports settings that DynamoDB does not have.
fn words(table: &Table, problems: &mut Vec<Diagnostic>) {
    let kind = table.encryption.as_ref().map(|encryption| &encryption.kind);
    let settings = [
        ("class", table.class.as_ref(), &CLASSES[..]),
        ("stream", table.stream.as_ref(), &STREAMS),
        ("encryption", kind, &KEYS),
    ];
    for (clause, word, known) in settings {
        let Some(word) = word.filter(|word| !known.iter().any(|known| word.is(known))) else { continue };
        let known: Vec<String> = known.iter().map(|known| format!("`{clause} {known}`")).collect();
        let title = format!("`{clause} {word}` is not a setting of a table");
        let note = format!("There is {}.", known.join(", "));
        problems.push(LIMIT.at(word.span, title).label(format!("unknown {clause}")).note(note));
    }
    let Some(encryption) = &table.encryption else { return };
    let (kind, place) = (&encryption.kind, encryption.key_span.unwrap_or(encryption.kind.span));
    match (kind.is("customer"), &encryption.key) {
        (true, None) => {
            let note = "Write `encryption customer \"alias/my-key\"`.";
            problems.push(LIMIT.at(place, "which key of the customer?").note(note));
        }
        (false, Some(_)) if KEYS.iter().any(|known| kind.is(known)) => {
            let title = format!("`encryption {kind}` names no key");
            problems.push(LIMIT.at(place, title).note("Only `encryption customer` has a key of its own."));
        }
        _ => {}
    }
}

fn capacity(table: &Table, problems: &mut Vec<Diagnostic>) {
    let own = match &table.billing {
        Some(Billing::Provisioned(capacity)) => Some((*capacity, table.name.span)),
        _ => None,
    };
    let indexes = table.indexes.iter().filter_map(|index| Some((index.provisioned?, index.name.span)));
    for (capacity, span) in own.into_iter().chain(indexes) {
        if capacity.rcu == 0 || capacity.wcu == 0 {
            let title = "provisioned capacity is at least 1 rcu and 1 wcu";
            problems.push(LIMIT.at(span, title).note("`billing on_demand` reserves nothing."));
        }
    }
}

/// The name that a table gets by the defaults of its parameters.
fn default_name(design: &Design, table: &Table, problems: &mut Vec<Diagnostic>) {
    let Some(deployed) = table.deployed.as_ref().filter(|text| text.contains('{')) else { return };
    let mut name = deployed.clone();
    for parameter in &design.parameters {
        let Some(Expr { kind: ExprKind::Text { value }, .. }) = &parameter.default else { continue };
        name = name.replace(&format!("{{{}}}", parameter.name), value);
    }
    if !name.contains('{') && !is_deployed_name(&name) {
        let title = format!("table `{}` would be called \"{name}\", which DynamoDB refuses", table.name);
        let span = table.deployed_span.unwrap_or(table.name.span);
        problems.push(PARAMETER.at(span, title).note(RULE));
    }
}
