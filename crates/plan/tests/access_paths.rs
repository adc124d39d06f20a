//! The index that serves a pattern: conditions compared by meaning, orders that a key has.

use sortkey_design::program::Callee;
use sortkey_design::{NoFiles, compile};
use sortkey_plan::{Obstacle, read};

/// How a pattern is read: the path, or the first obstacle of every path.
fn path(design: &str, pattern: &str) -> String {
    let text = format!("{design}\npattern p{pattern}\n");
    let compilation = compile("paths.sk", &text, &NoFiles);
    let found: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(found.is_empty(), "{pattern}: {found:?}");
    let program = compilation.program;
    let id = match program.callee("p") {
        Some(Callee::Pattern(id)) => Some(id),
        _ => None,
    };
    let choice = id.and_then(|id| read(&program, id)).expect("a pattern of an entity in a table");
    match choice.plan {
        Some(plan) => plan.path.describe(&program),
        None => {
            let why = choice.rejected.iter().map(|each| match &each.obstacle {
                Obstacle::Sparse => "sparse".to_owned(),
                Obstacle::UnusedCondition(_) => "condition".to_owned(),
                Obstacle::OrderOf(entity, _) => format!("order of {}", program.entities[*entity].name),
                Obstacle::Order(_) => "order".to_owned(),
                _ => "other".to_owned(),
            });
            why.filter(|each| each != "other").collect::<Vec<_>>().join(", ")
        }
    }
}

const TASKS: &str = r#"
table Tasks {
  key (PK | SK)
  index Due (due | at) project all
  index Loud (loud | at) project all
  index Named (named | at) project all
}
entity Task in Tasks {
  PK = "T#{id}"  SK = "T"
  due   = "D" when status = open or status = late
  loud  = "L" when urgent and status != done
  named = "N" when kind = "a" or kind = "b"
  id     uuid = new
  at     time(iso) = now
  status open | late | done = open
  phase? early | final
  urgent bool = false
  kind   string(1..9)
}
"#;

// F-18: `status in [open, late]` did not imply `when status = open or status = late`.
#[test]
fn conditions_imply_each_other_by_meaning() {
    let due = |condition: &str| path(TASKS, &format!(" = list Task by due = \"D\" where {condition} page 9"));
    assert_eq!(due("status in [open, late]"), "Tasks.Due");
    assert_eq!(due("status in [late, open] and at <= now"), "Tasks.Due");
    assert_eq!(due("status = late or status = open"), "Tasks.Due");
    assert_eq!(due("status != done"), "Tasks.Due");
    assert_eq!(due("not status = done"), "Tasks.Due");
    assert_eq!(due("it.status in [open, late]"), "Tasks.Due");
    assert_eq!(due("status = open or status = late or urgent"), "Tasks.Due");
    let loud =
        |condition: &str| path(TASKS, &format!(" = list Task by loud = \"L\" where {condition} page 9"));
    assert_eq!(loud("urgent = true and status in [open, late]"), "Tasks.Loud");
    assert_eq!(loud("status != done"), "Tasks.Loud");
    let named =
        |condition: &str| path(TASKS, &format!(" = list Task by named = \"N\" where {condition} page 9"));
    assert_eq!(named("kind in [\"a\", \"b\"]"), "Tasks.Named");
}

// F-18: the other direction. An index that holds more than is asked for does not answer the condition.
#[test]
fn an_index_that_holds_more_does_not_answer_the_condition() {
    let due = |condition: &str| {
        path(TASKS, &format!(" = list Task by due = \"D\" where {condition} via Due page 9"))
    };
    assert_eq!(due("status = open"), "condition");
    assert_eq!(due("status in [open]"), "condition");
    assert_eq!(due("status in [open, late] and urgent"), "condition");
    assert_eq!(due("phase = early"), "condition");
    assert_eq!(due("phase absent"), "condition");
    let named = |condition: &str| {
        path(TASKS, &format!(" = list Task by named = \"N\" where {condition} via Named page 9"))
    };
    assert_eq!(named("kind in [\"a\", \"b\"] and kind != \"b\""), "condition");
    assert_eq!(named("kind in [\"a\", \"b\", \"c\"]"), "Tasks.Named");
}

const GUARDED: &str = r#"
table Seats { key (id) }
entity Seat in Seats {
  id     uuid = new
  event  uuid
  number int(1..999)
  status held | sold | void = held
  unique event, number when status != void
}
"#;

// F-18: what is asked must imply the condition of an index or guard: a parameter may have any value.
#[test]
fn a_parameter_implies_nothing() {
    let seat = |rest: &str| path(GUARDED, rest);
    assert_eq!(seat(" = get Seat by event, number where status != void"), "Seats guard(event, number)");
    assert_eq!(
        seat(" = get Seat by event, number where status in [held, sold]"),
        "Seats guard(event, number)"
    );
    assert_eq!(seat(" = get Seat by event, number filter status = sold"), "Seats guard(event, number)");
    assert_eq!(
        seat("(wanted: held | sold | void) = get Seat by event, number filter status = wanted"),
        "sparse"
    );
    assert_eq!(seat("(held: held | sold | void) = get Seat by event, number filter status = held"), "sparse");
    assert_eq!(seat(" = get Seat by event, number where status in [held, void]"), "sparse");
}

/// Soft-deleted items: what is live by default may be asked for, too.
#[test]
fn a_live_item_is_known_to_be_live() {
    let design = r#"
table Notes { key (id)  index Live (owner | at) project all }
entity Note in Notes {
  id     uuid = new
  owner  uuid when status != gone
  at     time(iso) = now
  status draft | sent | gone = draft
  deleted when status = gone
}
"#;
    assert_eq!(path(design, " = list Note by owner page 9"), "Notes.Live");
}

// F-35: `collect A, B ... newest first` looked at the key of A only.
#[test]
fn a_collection_has_an_order_only_if_all_its_keys_begin_alike() {
    let design = |repo: &str, issue: &str| {
        format!(
            "table Ts {{ key (PK | SK) }}\n\
             entity Repo in Ts {{ PK = \"R#{{repo}}\"  SK = \"{repo}\"  repo slug  at time(iso) = now }}\n\
             entity Issue in Ts {{ PK = \"R#{{repo}}\"  SK = \"{issue}\"  repo slug  num int(1..999)  \
             at time(iso) = now }}\n"
        )
    };
    let newest = " = collect Repo, Issue by repo newest first page 50";
    assert_eq!(path(&design("A#{at}", "I#{num:pad(6)}"), newest), "order of Issue");
    assert_eq!(path(&design("A#{at}", "I#{at}"), newest), "order of Issue");
    assert_eq!(path(&design("{at}#A", "{at}#I"), newest), "Ts");
    assert_eq!(path(&design("REPO", "I#{at}"), newest), "Ts");
    assert_eq!(path(&design("A#{at}", "ISSUE"), newest), "Ts");
    assert_eq!(path(&design("REPO", "I#{num:pad(6)}"), newest), "order of Issue");
    let plain = " = collect Repo, Issue by repo page 50";
    assert_eq!(path(&design("A#{at}", "I#{num:pad(6)}"), plain), "Ts");
}

// F-16: `order by priority` sorted the words of an enum by letter.
#[test]
fn an_enum_has_no_order() {
    let design = r#"
enum Priority { low, normal, high, urgent }
table Tasks { key (PK | SK)  index Queue (PK | qk) project all }
entity Task in Tasks {
  PK = "L#{listId}"  SK = "T#{id}"
  qk = "{priority}#{id}"
  listId   string(1..9)
  id       ulid = new
  priority Priority = normal
}
pattern mostUrgent = list Task by listId order by priority desc page 10
"#;
    let found = compile("paths.sk", design, &NoFiles).diagnostics;
    let titles: Vec<&str> = found.iter().map(|each| each.title.as_str()).collect();
    assert_eq!(titles, ["a Priority has no order"]);
    let ranked = design
        .replace("{priority}#{id}", "{rank:pad(2)}#{id}")
        .replace("priority Priority = normal", "rank int(0..99) = 1")
        .replace("by priority", "by rank");
    assert_eq!(compile("paths.sk", &ranked, &NoFiles).diagnostics, []);
}

// F-18: numbers were compared by spelling: `n >= 4` did not imply `n > 3`, nor `3 < n`.
#[test]
fn numbers_imply_each_other_by_meaning() {
    let design = |ty: &str, when: &str| {
        format!(
            r#"table T {{ key (PK | SK)  index Few (few | SK) project all }}
            entity E in T {{ PK = "E#{{id}}"  SK = "E"  few = "F#{{label}}" when {when}  id slug  label slug  n {ty} }}"#
        )
    };
    for (ty, when, asked, is_served) in [
        ("int(0..9)", "3 < n", "where n > 3", true),
        ("int(0..9)", "n > 3", "where n >= 4", true),
        ("int(0..9)", "n > 3", "filter n > 5", true),
        ("int(0..9)", "n > 3", "filter n in 4..6", true),
        ("int(0..9)", "n > 3", "filter n in [5, 7]", true),
        ("int(0..9)", "n > 3", "filter 5 <= n", true),
        ("int(0..9)", "n > 3", "filter n > 2", false),
        ("int(0..9)", "n > 3", "filter n >= 3", false),
        ("int(0..9)", "n > 3", "filter n != 2", false),
        ("int(0..9)", "n < 20", "filter label = \"a\"", true),
        ("int(-9..9)", "n > -3", "filter n >= -2", true),
        ("decimal(6, 2)", "n > 3", "filter n >= 4", true),
        ("decimal(6, 2)", "n >= 4", "filter n > 3", false),
    ] {
        let pattern = format!(" = list E by label {asked} page 9");
        let found = path(&design(ty, when), &pattern);
        assert_eq!(found == "T.Few", is_served, "{ty} when {when}, {asked}: {found}");
    }
}
