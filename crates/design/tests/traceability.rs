//! Everything that the five documents promise, by number, and where it is: `systems/checklist.tsv` names the declaration
//! that keeps a number, tests name the numbers in their titles, and `docs/traceability.md` is the report.
//!
//! A declaration that is renamed or deleted fails the test. `SORTKEY_BLESS=1` rewrites the report; that lines have moved
//! or tests have come does not make it wrong, only older.

use sortkey_design::model::*;
use sortkey_design::{Compilation, FileLoader, compile};
use sortkey_diagnostics::Span;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const SYSTEMS: [(&str, &str, &str); 5] = [
    ("LB", "listbackup", "ListBackup"),
    ("CS", "core-service", "Core service"),
    ("SP", "seller-profiles", "Seller profiles"),
    ("FH", "ferryhook", "Ferryhook"),
    ("T3", "t3nets", "T3nets"),
];

/// The systems whose declarations tests in `crates/gateway/tests` compare with a deployment.
const COMPARED: [&str; 5] = ["LB", "CS", "SP", "FH", "T3"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One line of the checklist.
struct Promise {
    number: String,
    kind: String,
    subject: String,
    /// Declarations, tests of this repository (`test FILE::name`), and remarks that begin with a dash.
    places: Vec<String>,
}

fn promises() -> Vec<Promise> {
    let text =
        std::fs::read_to_string(repository().join("systems/checklist.tsv")).expect("the checklist is there");
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 4, "{line}");
            Promise {
                number: fields[0].to_owned(),
                kind: fields[1].to_owned(),
                subject: fields[2].to_owned(),
                places: fields[3].split("; ").filter(|place| !place.is_empty()).map(str::to_owned).collect(),
            }
        })
        .collect()
}

fn compiled(folder: &str, file: &str) -> Option<Compilation> {
    let path = repository().join("systems").join(folder).join(file);
    let text = std::fs::read_to_string(&path).ok()?;
    Some(compile(&path.to_string_lossy(), &text, &FileLoader))
}

/// A test that is not in the language of designs: the file contains its function.
fn has_test(place: &str) -> bool {
    let Some((file, name)) = place.split_once("::") else { return false };
    let text = std::fs::read_to_string(repository().join(file)).unwrap_or_default();
    ["fn", "def"].iter().any(|word| text.contains(&format!("{word} {name}(")))
}

/// `file:line` of a place, the file without its folders.
fn position(compilation: &Compilation, span: Span) -> String {
    let source = compilation.sources.get(span.file).map(|source| source.name.clone()).unwrap_or_default();
    let file = Path::new(&source).file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{file}:{}", compilation.sources.position(span).line)
}

/// The declaration that a place of the checklist names.
fn declaration(design: &Design, place: &str) -> Option<Span> {
    let (kind, name) = place.split_once(' ').unwrap_or(("attribute", place));
    let dotted = name.split_once('.');
    Some(match kind {
        "table" => design.table(name)?.name.span,
        "entity" => design.entity(name)?.name.span,
        "pattern" => design.pattern(name)?.name.span,
        "operation" => design.operation(name)?.name.span,
        "rule" => design.rule(name)?.name.span,
        "parameter" => design.parameters.iter().find(|each| each.name.is(name))?.name.span,
        "claim" => design.claims.iter().find(|each| each.sentence == name)?.span,
        "ttl" => design.table(name)?.ttl.as_ref()?.span,
        "tenant" => design.entity(name)?.tenant.as_ref()?.span,
        "check" => design.entity(name)?.checks.first()?.condition.span,
        "migrate" => {
            design.migrations.iter().flat_map(|each| &each.mappings).find(|each| each.new.is(name))?.new.span
        }
        "index" => design.table(dotted?.0)?.index(dotted?.1)?.name.span,
        "key" => {
            let table = design.table(dotted?.0)?;
            let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
            keys.flat_map(Key::attributes).find(|each| each.is(dotted.map_or("", |each| each.1)))?.span
        }
        "template" => design.entity(dotted?.0)?.template(dotted?.1)?.name.span,
        "unique" => {
            let uniques = &design.entity(dotted?.0)?.uniques;
            uniques
                .iter()
                .find(|each| {
                    each.names.first().is_some_and(|first| first.is(dotted.map_or("", |each| each.1)))
                })?
                .span
        }
        "states" => {
            let states = &design.entity(dotted?.0)?.states;
            states
                .iter()
                .find(|each| {
                    each.path.first().is_some_and(|first| first.is(dotted.map_or("", |each| each.1)))
                })?
                .span
        }
        "enum" => match dotted {
            Some((name, member)) => {
                design.enumeration(name)?.members.iter().find(|each| each.name.is(member))?.name.span
            }
            None => design.enumeration(name)?.name.span,
        },
        "module" => match dotted {
            Some((module, entry)) => {
                let module = design.modules.iter().find(|each| each.name.is(module))?;
                module.entries.iter().find(|(exported, _)| exported.is(entry))?.0.span
            }
            None => design.modules.iter().find(|each| each.name.is(name))?.name.span,
        },
        "attribute" => {
            let mut parts = name.split('.');
            attribute(design, &design.entity(parts.next()?)?.attributes, &parts.collect::<Vec<_>>())?
        }
        _ => return None,
    })
}

/// The attribute at the end of a path through objects, records and lists.
fn attribute(design: &Design, attributes: &[Attribute], path: &[&str]) -> Option<Span> {
    let found = attributes.iter().find(|each| each.name.is(path[0]))?;
    if path.len() == 1 {
        return Some(found.name.span);
    }
    let mut ty = &found.ty;
    loop {
        match ty {
            Type::Json { of } | Type::List { of, .. } | Type::Map { of, .. } | Type::Set { of, .. } => {
                ty = of
            }
            Type::Object { attributes } => return attribute(design, attributes, &path[1..]),
            Type::Record { name } => return attribute(design, &design.record(name)?.attributes, &path[1..]),
            _ => return None,
        }
    }
}

/// The tests that name a number in their title, before the colon.
fn tests(compilation: &Compilation, found: &mut BTreeMap<String, Vec<String>>) {
    for test in &compilation.design.tests {
        let numbers = test.title.split(':').next().unwrap_or_default();
        for number in numbers.split([' ', ',']).filter(|word| word.contains('-')) {
            found.entry(number.to_owned()).or_default().push(position(compilation, test.span));
        }
    }
}

struct Report {
    text: String,
    wrong: Vec<String>,
}

fn report() -> Report {
    let mut text = String::from(
        "# Where the promises of the five documents are\n\n\
         Generated from `systems/checklist.tsv`, the designs and their tests (`SORTKEY_BLESS=1 cargo test -p sortkey-design\n\
         --test all traceability`). A declaration stands for a number if it says the same; a remark says what is left to the\n\
         application or why there is nothing. Lines are those of the files in `systems/`.\n\n\
         A number is kept in one of three ways: a test names and exercises it; or its declaration is compared\n\
         with DescribeTable, stored items and the endpoints of a deployment, which fails for a declaration of a kind that nothing\n\
         compares (`promises.rs`, `kept.rs` and `stored.rs` in `crates/gateway/tests`); or a remark says why no software can keep it.\n",
    );
    let (mut wrong, mut summary, mut remarks) = (Vec::new(), String::new(), String::new());
    let promises = promises();
    let mut tables = String::new();
    for (prefix, folder, title) in SYSTEMS {
        let design = compiled(folder, &format!("{folder}.sk")).expect("every system has its design");
        let before = compiled(folder, &format!("{folder}-before.sk"));
        let mut tested = BTreeMap::new();
        tests(&design, &mut tested);
        if let Some(more) = compiled(folder, "tests.sk") {
            tested.clear();
            tests(&more, &mut tested);
        }
        let (mut all, mut declared, mut with_test, mut remarked) = (0, 0, 0, 0);
        let _ = writeln!(
            tables,
            "\n## {title}\n\n| number | kind | subject | where | tests |\n|---|---|---|---|---|"
        );
        for promise in promises.iter().filter(|each| each.number.starts_with(prefix)) {
            let (mut places, mut elsewhere) = (Vec::new(), Vec::new());
            for place in &promise.places {
                if let Some(remark) = place.strip_prefix("- ") {
                    places.push(format!("*{remark}*"));
                    continue;
                }
                if let Some(test) = place.strip_prefix("test ") {
                    match has_test(test) {
                        true => elsewhere.push(test.to_owned()),
                        false => wrong.push(format!("{} {place}", promise.number)),
                    }
                    continue;
                }
                let (compilation, name) = match (place.strip_prefix("before "), &before) {
                    (Some(name), Some(before)) => (before, name),
                    _ => (&design, place.as_str()),
                };
                match declaration(&compilation.design, name) {
                    Some(span) => places.push(format!("`{name}` {}", position(compilation, span))),
                    None => wrong.push(format!("{} {place}", promise.number)),
                }
            }
            if places.is_empty() && elsewhere.is_empty() {
                wrong.push(format!("{} is nowhere and nothing says why", promise.number));
            }
            let mut tests = tested.get(&promise.number).cloned().unwrap_or_default();
            tests.extend(elsewhere);
            all += 1;
            with_test += usize::from(!tests.is_empty());
            let is_declared = places.iter().any(|place| place.starts_with('`'));
            declared += usize::from(tests.is_empty() && is_declared);
            if tests.is_empty() && !is_declared {
                remarked += 1;
                if COMPARED.contains(&prefix) {
                    let _ =
                        writeln!(remarks, "- {} {}: {}", promise.number, promise.subject, places.join(", "));
                }
            }
            let _ = writeln!(
                tables,
                "| {} | {} | {} | {} | {} |",
                promise.number,
                promise.kind,
                promise.subject.replace('|', "\\|"),
                places.join(", "),
                tests.join(", ")
            );
        }
        let (compared, open) = if COMPARED.contains(&prefix) { (declared, 0) } else { (0, declared) };
        let _ = writeln!(summary, "| {title} | {all} | {with_test} | {compared} | {remarked} | {open} |");
    }
    let _ = write!(
        text,
        "\n| system | numbers | exercised by a test | compared with a deployment | remark | only declared |\n\
         |---|---|---|---|---|---|\n{summary}\nNumbers of compared systems that no software can keep:\n\n{remarks}{tables}"
    );
    Report { text, wrong }
}

/// A report without what changes when lines move or tests are added.
fn lasting(report: &str) -> Vec<String> {
    let tables = report.lines().filter(|line| line.starts_with("| ") && line.contains('-'));
    tables
        .filter_map(|line| line.rsplit_once(" | ").map(|(kept, _)| kept))
        .map(|line| {
            let mut kept = String::new();
            let mut parts = line.split(".sk:");
            kept.push_str(parts.next().unwrap_or_default());
            parts.for_each(|part| kept.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit())));
            kept
        })
        .collect()
}

#[test]
fn every_number_has_its_place() {
    let report = report();
    assert!(report.wrong.is_empty(), "not found:\n{}", report.wrong.join("\n"));
    let file = repository().join("docs/traceability.md");
    if std::env::var_os("SORTKEY_BLESS").is_some() {
        std::fs::write(&file, &report.text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        lasting(&kept),
        lasting(&report.text),
        "{} is stale (SORTKEY_BLESS=1 rewrites it)",
        file.display()
    );
}

#[test]
fn the_checklist_is_whole() {
    let promises = promises();
    assert_eq!(promises.len(), 1200);
    for (prefix, count) in [("LB", 392), ("CS", 292), ("SP", 242), ("FH", 184), ("T3", 90)] {
        let numbers: Vec<&str> = promises
            .iter()
            .map(|each| each.number.as_str())
            .filter(|number| number.starts_with(prefix))
            .collect();
        let expected: Vec<String> = (1..=count).map(|number| format!("{prefix}-{number:03}")).collect();
        assert_eq!(numbers, expected);
    }
}
