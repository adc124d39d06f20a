//! The deployed name of a table: the name in the design, with parameters and a prefix.

use std::collections::BTreeMap;

use sortkey_design::model::{Design, ExprKind, Parameter, Table, Type};
use sortkey_design::program::{self, TableId};
use sortkey_design::{PARAMETER, Program, is_deployed_name, nearest};
use sortkey_diagnostics::Diagnostic;

use crate::Settings;

/// Derives deployed names from those of the design.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// Written before every name, so that several copies of a design can live side by side.
    pub prefix: Option<String>,
    /// Values of the design's parameters; those that are not here have their defaults.
    pub parameters: BTreeMap<String, String>,
}

/// The value of every parameter, given or by default; or what is wrong with them.
pub fn parameter_values(
    design: &Design,
    given: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let mut values = BTreeMap::new();
    let mut problems: Vec<Diagnostic> =
        given.keys().filter_map(|name| unknown_parameter(design, name)).collect();
    for parameter in &design.parameters {
        match value(parameter, given.get(&parameter.name.text)) {
            Ok(value) => {
                values.insert(parameter.name.text.clone(), value);
            }
            Err(problem) => problems.push(*problem),
        }
    }
    if problems.is_empty() { Ok(values) } else { Err(problems) }
}

/// The deployed name of a table. `values` are those of [`parameter_values`].
pub fn table_name(
    table: &Table,
    prefix: Option<&str>,
    values: &BTreeMap<String, String>,
) -> Result<String, Box<Diagnostic>> {
    let template = table.deployed.as_deref().unwrap_or(&table.name.text);
    let name = filled(template, prefix, |slot| values.get(slot).cloned()).map_err(|slot| {
        let title = format!("the name of table `{}` needs a parameter `{slot}`", table.name);
        let declare = format!("Declare it: parameter {slot}: string(1..40)");
        Box::new(PARAMETER.at(table.name.span, title).note(declare))
    })?;
    if is_deployed_name(&name) {
        return Ok(name);
    }
    let title = format!("table `{}` would be called \"{name}\", which DynamoDB refuses", table.name);
    let rule = "A table's name has 3 to 255 letters, digits, `_`, `-` or `.`, the prefix included.";
    Err(Box::new(PARAMETER.at(table.name.span, title).note(rule)))
}

/// The deployed name of a table of a program. Names that cannot be made were refused when the program was prepared.
pub fn deployed(program: &Program, table: TableId, settings: &Settings) -> String {
    let prefix = settings.table_prefix.as_deref();
    let value = |slot: &str| setting(program, settings, slot);
    filled(&program.tables[table].deployed, prefix, value).unwrap_or_default()
}

/// The value of a deployment parameter, given or by default.
pub(crate) fn setting(program: &Program, settings: &Settings, name: &str) -> Option<String> {
    let declared = program.settings.iter().zip(&program.setting_defaults);
    let default = || declared.into_iter().find(|(each, _)| ***each == *name)?.1.as_deref().map(str::to_owned);
    settings.parameters.get(name).cloned().or_else(default)
}

/// The first table of a program whose name cannot be made, and what is wrong with it.
pub(crate) fn unnamed(program: &Program, settings: &Settings) -> Option<String> {
    let wrong = |table: &program::Table| {
        let value = |slot: &str| setting(program, settings, slot);
        match filled(&table.deployed, settings.table_prefix.as_deref(), value) {
            Ok(name) if is_deployed_name(&name) => None,
            Ok(name) => {
                Some(format!("table `{}` would be called \"{name}\", which DynamoDB refuses", table.name))
            }
            Err(slot) => Some(format!("the name of table `{}` needs a value for `{slot}`", table.name)),
        }
    };
    program.tables.iter().find_map(wrong)
}

/// A name with its slots filled, or the first slot that has no value.
fn filled<'t>(
    template: &'t str,
    prefix: Option<&str>,
    value: impl Fn(&str) -> Option<String>,
) -> Result<String, &'t str> {
    let (mut name, mut rest) = (prefix.unwrap_or_default().to_owned(), template);
    while let Some((before, after)) = rest.split_once('{') {
        let (slot, after) = after.split_once('}').unwrap_or((after, ""));
        name.push_str(before);
        name.push_str(&value(slot).ok_or(slot)?);
        rest = after;
    }
    name.push_str(rest);
    Ok(name)
}

fn unknown_parameter(design: &Design, name: &str) -> Option<Diagnostic> {
    let known = || design.parameters.iter().map(|parameter| parameter.name.text.as_str());
    if known().any(|each| each == name) {
        return None;
    }
    let problem = PARAMETER.at(design.name.span, format!("the design has no parameter `{name}`"));
    Some(match (nearest(name, known()), known().next()) {
        (Some(near), _) => problem.note(format!("Did you mean `{near}`?")),
        (None, Some(_)) => problem.note(format!("It has: {}.", known().collect::<Vec<_>>().join(", "))),
        (None, None) => problem.note("It has none at all."),
    })
}

fn value(parameter: &Parameter, given: Option<&String>) -> Result<String, Box<Diagnostic>> {
    let name = &parameter.name;
    let text = given.cloned().or_else(|| default(parameter)).ok_or_else(|| {
        let problem = PARAMETER.at(name.span, format!("parameter `{name}` has no value"));
        Box::new(problem.note(format!("Give one: --set {name}=...")))
    })?;
    match complaint(&parameter.ty, &text) {
        None => Ok(text),
        Some(why) => {
            let title = format!("\"{text}\" is not a value for `{name}`: {why}");
            Err(Box::new(PARAMETER.at(name.span, title)))
        }
    }
}

fn default(parameter: &Parameter) -> Option<String> {
    match &parameter.default.as_ref()?.kind {
        ExprKind::Text { value } => Some(value.clone()),
        ExprKind::Name { name } => Some(name.clone()),
        ExprKind::Number { digits, unit } if unit.is_empty() => Some(digits.clone()),
        _ => None,
    }
}

/// Why a text is not of a type, for the types that a parameter can reasonably have.
fn complaint(ty: &Type, text: &str) -> Option<String> {
    match ty {
        Type::String { min, max, .. } => {
            let length = text.chars().count() as u64;
            let fits = length >= *min && max.is_none_or(|max| length <= max);
            let most = max.map_or(String::new(), |max| max.to_string());
            (!fits).then(|| format!("it has {length} characters, string({min}..{most}) is declared"))
        }
        Type::Enum { members, open: false, .. } => (!members.iter().any(|member| member == text))
            .then(|| format!("it is one of {}", members.join(", "))),
        Type::Int { min, max } => match text.parse::<i64>() {
            Err(_) => Some("it is not an integer".to_owned()),
            Ok(number) => {
                let fits = min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
                (!fits).then(|| "it is out of the declared range".to_owned())
            }
        },
        Type::Bool => (text != "true" && text != "false").then(|| "it is true or false".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_design::{NoFiles, compile};

    const DESIGN: &str = r#"
        design d
        parameter stack: string(1..8)
        parameter stage: dev | prod = dev
        table A "{stack}-{stage}-a" { key (id) }
        table B { key (id) }
    "#;

    fn names(prefix: Option<&str>, given: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let design = compile("d.sk", DESIGN, &NoFiles).design;
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let values = parameter_values(&design, &given)
            .map_err(|problems| problems.into_iter().map(|each| each.title).collect::<Vec<_>>().join("; "))?;
        let name = |table| table_name(table, prefix, &values).map_err(|problem| problem.title);
        design.tables.iter().map(name).collect()
    }

    #[test]
    fn names_are_filled_and_prefixed() {
        let named = |a: &str, b: &str| Ok(vec![a.to_owned(), b.to_owned()]);
        let failed = |why: &str| Err(why.to_owned());
        for (prefix, given, expected) in [
            (Some("t-"), &[("stack", "x")][..], named("t-x-dev-a", "t-B")),
            (Some("t-"), &[("stack", "x"), ("stage", "prod")], named("t-x-prod-a", "t-B")),
            (None, &[("stack", "x")], failed("table `B` would be called \"B\", which DynamoDB refuses")),
            (None, &[], failed("parameter `stack` has no value")),
            (None, &[("stack", "x"), ("stag", "x")], failed("the design has no parameter `stag`")),
            (
                None,
                &[("stack", "far too long")],
                failed(
                    "\"far too long\" is not a value for `stack`: it has 12 characters, string(1..8) is declared",
                ),
            ),
            (
                None,
                &[("stack", "x"), ("stage", "test")],
                failed("\"test\" is not a value for `stage`: it is one of dev, prod"),
            ),
        ] {
            assert_eq!(names(prefix, given), expected, "{prefix:?} {given:?}");
        }
    }
}
