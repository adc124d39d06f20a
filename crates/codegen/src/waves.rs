//! The order in which CloudFormation can change what is deployed.
//!
//! An update may create or delete one global secondary index of a table. Changes are therefore ordered in waves: each is a
//! whole template, and between two of them no table has more than one index created or deleted. New tables come with all
//! their indexes in the first wave.
//!
//! Nothing is deleted unless asked for: an index that the design no longer has stays, and an index whose key or projection
//! changed is refused.

mod script;

use sha2::{Digest, Sha256};

use crate::cloudformation::{Format, print, template};
use crate::deployed::{Deployed, Found};
use crate::files::File;
use crate::model::{Deployment, GlobalIndex, Scaling, Table};
use crate::node::Node;
use crate::problem::{Problem, unless};

/// The changes that are allowed in order to reach the design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaveOptions {
    /// Delete indexes that the design no longer has, and make indexes anew that it defines differently.
    pub remove_indexes: bool,
}

/// The most indexes that a table may have at any time.
const MOST_INDEXES: usize = 20;

/// One step of a table.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Create(GlobalIndex),
    Delete(String),
}

/// The states through which a deployment goes, the last of which is the wanted one. There is always at least one.
pub fn waves(
    wanted: &Deployment,
    deployed: &Deployed,
    options: WaveOptions,
) -> Result<Vec<Deployment>, Vec<Problem>> {
    let mut problems = of_this_design(wanted, deployed);
    let mut paths = Vec::new();
    for table in &wanted.tables {
        match deployed.table(&table.name) {
            None => paths.push(vec![table.clone()]),
            Some(found) => {
                unchangeable(table, found, &mut problems);
                paths.push(path(table, found, options, &mut problems));
            }
        }
    }
    let retained = match deployed.is_template {
        true => {
            let gone = |found: &&Found| !wanted.tables.iter().any(|table| table.name == found.name);
            deployed.tables.iter().filter(gone).map(|found| found.name.clone()).collect()
        }
        // A description may cover all tables of an account: those of other designs are left alone.
        false => Vec::new(),
    };
    let count = paths.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let states = (0..count).map(|at| Deployment {
        tables: paths.iter().filter_map(|path| path.get(at).or(path.last()).cloned()).collect(),
        retained: Clone::clone(&retained),
        ..wanted.clone()
    });
    unless(problems, states.collect())
}

/// The files of some waves: one template, or a template for each wave and a script that applies them.
pub fn wave_files(waves: &[Deployment], format: Format) -> Result<Vec<File>, Vec<Problem>> {
    let Some(last) = waves.last() else { return Ok(Vec::new()) };
    let extension = format.extension();
    let wanted = template(last, None)?;
    if waves.len() == 1 {
        return Ok(vec![File::new(format!("template.{extension}"), print(last, &wanted, format))]);
    }
    let fingerprint = fingerprint(&wanted);
    let mut files = Vec::new();
    for (at, wave) in waves.iter().enumerate() {
        let number = at + 1;
        let template = template(wave, Some(format!("{fingerprint}-{number}")))?;
        files.push(File::new(format!("{number:02}-wave.{extension}"), print(wave, &template, format)));
    }
    files.push(File::executable("apply.sh", script::text(waves, last, &fingerprint, extension)));
    Ok(files)
}

/// By which a script recognises that a stack is already on its way to this template.
fn fingerprint(template: &Node) -> String {
    let digest = Sha256::digest(template.to_json().as_bytes());
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// A file of another design would remove what is not its own.
fn of_this_design(wanted: &Deployment, deployed: &Deployed) -> Vec<Problem> {
    if let Some(other) = deployed.design.as_ref().filter(|other| **other != wanted.design) {
        let what = format!("what is deployed is of the design \"{other}\", not of \"{}\"", wanted.design);
        return vec![Problem::new(what).hint("name the template of this design with --against")];
    }
    let common = wanted.tables.iter().any(|table| deployed.table(&table.name).is_some());
    if deployed.tables.is_empty() || common || wanted.tables.is_empty() {
        return Vec::new();
    }
    let names = |names: Vec<&str>| names.join(", ");
    let theirs = names(deployed.tables.iter().map(|table| table.name.as_str()).collect());
    let ours = names(wanted.tables.iter().map(|table| table.name.as_str()).collect());
    let problem = Problem::new(format!("what is deployed has no table of the design: it has {theirs}"));
    vec![problem.hint(format!("the design's tables are {ours}; is it another design, stage or prefix?"))]
}

/// Reports differences that no update can change: key, types, local indexes.
fn unchangeable(table: &Table, found: &Found, problems: &mut Vec<Problem>) {
    let name = &table.name;
    let way = "give the table another name in the design, and copy the items";
    if table.key != found.key {
        let what = format!(
            "the key of table \"{name}\" cannot change: the design has ({}), deployed is ({})",
            shown(&table.key),
            shown(&found.key)
        );
        problems.push(Problem::new(what).hint(way));
    }
    for (attribute, kind) in table.attributes() {
        if let Some(other) = found.types.get(attribute).filter(|other| *other != kind) {
            let what = format!(
                "the type of `{attribute}` in table \"{name}\" cannot change: the design has {kind}, deployed is {other}"
            );
            problems.push(Problem::new(what).hint(way));
        }
    }
    let mut local = (table.local.clone(), found.local.clone());
    local.0.sort_by(|a, b| a.name.cmp(&b.name));
    local.1.sort_by(|a, b| a.name.cmp(&b.name));
    if local.0 != local.1 {
        let names = |list: &[crate::model::LocalIndex]| {
            let names: Vec<&str> = list.iter().map(|index| index.name.as_str()).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let what = format!(
            "local indexes of table \"{name}\" cannot change: the design has {}, deployed is {}",
            names(&local.0),
            names(&local.1)
        );
        problems.push(Problem::new(what).hint("make it a global index, or give the table another name"));
    }
}

fn shown(key: &crate::model::Key) -> String {
    match key.sort.is_empty() {
        true => key.partition.join(", "),
        false => format!("{} | {}", key.partition.join(", "), key.sort.join(", ")),
    }
}

/// The states of one table, without the one that is there.
fn path(table: &Table, found: &Found, options: WaveOptions, problems: &mut Vec<Problem>) -> Vec<Table> {
    let mut steps = Vec::new();
    for index in &table.global {
        let Some(there) = found.global.iter().find(|there| there.name == index.name) else {
            steps.push(Step::Create(index.clone()));
            continue;
        };
        if there.key == index.key && projects_alike(there, index) {
            continue;
        }
        if !options.remove_indexes {
            problems.push(changed(table, index));
            continue;
        }
        steps.push(Step::Delete(index.name.clone()));
        steps.push(Step::Create(index.clone()));
    }
    let gone = |there: &&GlobalIndex| !table.global.iter().any(|index| index.name == there.name);
    let gone: Vec<&GlobalIndex> = found.global.iter().filter(gone).collect();
    let created = steps.iter().filter(|step| matches!(step, Step::Create(_))).count();
    if options.remove_indexes {
        let deletes = gone.iter().map(|index| Step::Delete(index.name.clone()));
        // Readers move to a new index before the old one goes, unless there is no room for both.
        match found.global.len() + created > MOST_INDEXES {
            true => steps = deletes.chain(steps).collect(),
            false => steps.extend(deletes),
        }
    }
    let start: Vec<GlobalIndex> = found.global.iter().map(|there| as_wanted(table, there)).collect();
    follow(table, found, start, steps)
}

/// The tables after each step. A table without steps has one state.
fn follow(table: &Table, found: &Found, start: Vec<GlobalIndex>, steps: Vec<Step>) -> Vec<Table> {
    let state = |global: &[GlobalIndex]| {
        let mut types = found.types.clone();
        types.extend(table.types.clone());
        Table { global: global.to_vec(), types, ..table.clone() }
    };
    let mut current = start;
    if steps.is_empty() {
        return vec![state(&current)];
    }
    let mut states = Vec::new();
    for step in steps {
        match step {
            Step::Create(index) => current.push(index),
            Step::Delete(name) => current.retain(|index| index.name != name),
        }
        states.push(state(&current));
    }
    states
}

/// An index that is there, with the design's capacity if the design has it, and one that fits the table if not.
fn as_wanted(table: &Table, there: &GlobalIndex) -> GlobalIndex {
    let wanted = table.global.iter().find(|index| index.name == there.name);
    let capacity = match wanted {
        Some(wanted) => wanted.capacity,
        None => table.capacity().map(|own| there.capacity.unwrap_or(own)),
    };
    let scaling = wanted.map_or(Scaling::default(), |wanted| wanted.scaling);
    GlobalIndex { capacity, scaling, span: wanted.and_then(|wanted| wanted.span), ..there.clone() }
}

/// Compares projections regardless of the order of their attributes.
fn projects_alike(one: &GlobalIndex, other: &GlobalIndex) -> bool {
    let sorted = |index: &GlobalIndex| {
        let mut names = index.projection.names().to_vec();
        names.sort();
        names
    };
    one.projection.kind() == other.projection.kind() && sorted(one) == sorted(other)
}

fn changed(table: &Table, index: &GlobalIndex) -> Problem {
    let what = format!(
        "index \"{}\" of table \"{}\" differs from the deployed one in its key or projection, which cannot change",
        index.name, table.name
    );
    Problem::new(what).hint(
        "give the index another name, so that both exist for a while; --remove-indexes deletes and creates it \
         instead, and reads of it fail in between",
    )
}

#[cfg(test)]
mod tests;
