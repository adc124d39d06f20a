//! The deployed names of tables and indexes: DynamoDB's rules, and the parameters in them.

use crate::model::*;
use crate::problems::{PARAMETER, nearest};
use sortkey_diagnostics::{Diagnostic, Span};

/// DynamoDB's rule for names, as shown in messages.
pub(crate) const RULE: &str = "A name in DynamoDB has 3 to 255 letters, digits, `_`, `-` or `.`.";

/// Whether DynamoDB accepts a name for a table or an index.
pub fn is_deployed_name(name: &str) -> bool {
    (3..=255).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Reports deployed names that are invalid for every value of their parameters.
pub(crate) fn check(design: &Design, problems: &mut Vec<Diagnostic>) {
    for table in &design.tables {
        // The name in the design may be short: a prefix is written before it.
        if let Some(deployed) = &table.deployed {
            let span = table.deployed_span.unwrap_or(table.name.span);
            problems.extend(table_name(design, &table.name, deployed, span));
        }
        for index in &table.indexes {
            let name = index.deployed.as_ref().unwrap_or(&index.name.text);
            if !name.is_empty() && !is_deployed_name(name) {
                let title =
                    format!("index `{}` would be called \"{name}\", which DynamoDB refuses", index.name);
                problems.push(PARAMETER.at(index.name.span, title).note(RULE));
            }
        }
    }
}

fn table_name(design: &Design, table: &Name, deployed: &str, span: Span) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut literal = String::new();
    let (mut rest, mut filled) = (deployed, false);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((slot, after)) = after.split_once('}') else {
            problems.push(PARAMETER.at(span, format!("the name of table `{table}` has an open `{{`")));
            return problems;
        };
        problems.extend(undeclared(design, table, slot, span));
        literal.push_str(before);
        (rest, filled) = (after, true);
    }
    literal.push_str(rest);
    let fits = literal.len() <= 255 && (filled || literal.len() >= 3);
    if !fits || !literal.bytes().all(is_allowed) {
        let title = format!("table `{table}` would be called \"{deployed}\", which DynamoDB refuses");
        problems.push(PARAMETER.at(span, title).note(RULE));
    }
    problems
}

fn undeclared(design: &Design, table: &Name, slot: &str, span: Span) -> Option<Diagnostic> {
    let known = || design.parameters.iter().map(|parameter| parameter.name.text.as_str());
    if known().any(|name| name == slot) {
        return None;
    }
    let title = format!("the name of table `{table}` needs a parameter `{slot}`, which is not declared");
    let next = match nearest(slot, known()) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("Declare it: `parameter {slot}: string(1..40)`."),
    };
    Some(PARAMETER.at(span, title).note(next))
}
