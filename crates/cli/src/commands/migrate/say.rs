//! How far a migration is, and what it would do, in words.

use sortkey_migrate::{Answers, Captured, Phase, Row, State, Survey};

use super::place::Opened;
use super::speed::Speed;

/// Dollars of a million write units on demand, and of a million read units.
const WRITE_PRICE: f64 = 0.625;
const READ_PRICE: f64 = 0.125;

/// The rate that is proposed: a quarter of what a new table on demand takes at once at AWS, so that writers keep the rest.
const PROPOSED_UNITS: u64 = 1_000;

/// The state, and the next step.
pub(super) fn state(state: &State, opened: &Opened) -> String {
    look(state, &Speed::default(), opened)
}

/// The state with how fast the copy is, and the next step.
pub(super) fn look(state: &State, speed: &Speed, opened: &Opened) -> String {
    let plan = opened.runner.plan();
    let gate = state.reached(plan);
    let copying = match (state.phase, state.is_copied(plan), gate) {
        (Phase::Both, true, _) => ", copied".to_owned(),
        (Phase::Both, _, Some(gate)) => format!(", copied up to {gate}"),
        (Phase::Both, ..) if state.paused => ", the copy rests".to_owned(),
        (Phase::Both, ..) => ", copying".to_owned(),
        _ => String::new(),
    };
    let mut text = format!("{}{copying}\n", state.phase);
    for stage in plan.stages() {
        let label = &stage.label;
        let Some(walk) = state.walks.get(&**label).filter(|walk| walk.is_done || walk.seen > 0) else {
            continue;
        };
        let all = speed.items.get(&**label).filter(|all| !walk.is_done && **all > 0);
        let of = all.map(|all| format!(" of about {all} ({} %)", (walk.seen * 100 / all).min(99)));
        let conflicts = match walk.conflicts {
            0 => String::new(),
            count => format!(", {count} conflicts with writers"),
        };
        text.push_str(&format!(
            "  {label}: {} items{} seen, {} copied, {} need no copy, {} read again{conflicts}\n",
            walk.seen,
            of.unwrap_or_default(),
            walk.copied,
            walk.there,
            walk.retried
        ));
    }
    if let Some((items, units, left)) = speed.moves {
        let left = left.map(|seconds| format!(", about {} left", minutes(seconds))).unwrap_or_default();
        text.push_str(&format!("  {items} items and {units} write units in a second{left}\n"));
    }
    if let Some(rate) = state.rate.filter(|_| state.phase == Phase::Both && !state.is_copied(plan)) {
        text.push_str(&format!("  at most {rate} in a second\n"));
    }
    if let Some(percent) = state.shadow.filter(|_| state.phase == Phase::Shadow) {
        text.push_str(&format!("  {percent} % of the answers are compared\n"));
    }
    if let Some(verified) = &state.verified {
        let extent = verified.gate.as_ref().map(|gate| format!(" up to {gate}")).unwrap_or_default();
        text.push_str(&format!(
            "  compared{extent}: {} items, {} differences\n",
            verified.items, verified.differences
        ));
    }
    let shown = &opened.shown;
    let command = |action: &str| format!("sortkey migrate {action} {shown}");
    let next = match state.phase {
        Phase::Prepared | Phase::Starting => command("start"),
        Phase::Both if gate.is_some() && !state.is_verified(plan) => command("verify"),
        Phase::Both if gate.is_some() => command("start"),
        Phase::Both | Phase::Shadow if !state.is_copied(plan) && state.paused => command("resume"),
        Phase::Both | Phase::Shadow if !state.is_copied(plan) => {
            format!("{}, if no copy is running", command("start"))
        }
        Phase::Both | Phase::Shadow if !state.is_verified(plan) => command("verify"),
        Phase::Both => format!("{}, or first {}", command("switch"), command("shadow 10%")),
        Phase::Shadow => command("switch"),
        Phase::Switched => {
            format!("{} --name {}, or {}", command("finish"), opened.name, command("back"))
        }
        Phase::Finished => return text,
    };
    text.push_str(&format!("next: {next}\n"));
    text
}

/// How far changes of other programs were carried over.
pub(super) fn captured(captured: &Captured) -> String {
    let unfit = match captured.unfit {
        0 => String::new(),
        count => format!(", {count} did not fit: `verify` names those that still do not"),
    };
    format!("  other programs: {} changes carried over{unfit}\n", captured.carried)
}

/// Changes of other programs that the new design cannot hold.
pub(super) fn unfit(all: &[String]) {
    all.iter().for_each(|each| crate::designs::say(&format!("not carried over: {each}\n")));
}

/// A time that people wait for.
fn minutes(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{} s", seconds.max(1)),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

/// How answers of both designs compare, by pattern.
pub(super) fn answers(all: &[Answers]) -> String {
    let line = |each: &Answers| {
        let successor = match each.old == each.new {
            true => String::new(),
            false => format!(" as `{}`", each.new),
        };
        format!("  `{}`{successor}: {} of {} answers differ\n", each.old, each.differences, each.compared)
    };
    all.iter().map(line).collect()
}

/// Prints the counted effects of a migration.
pub(super) fn survey(survey: &Survey, opened: &Opened) -> String {
    let mut text = format!("plan {}\n", opened.runner.plan().fingerprint());
    for row in &survey.rows {
        text.push_str(&self::row(row));
    }
    if survey.expired > 0 {
        text.push_str(&format!("{} items have expired and are not copied\n", survey.expired));
    }
    let dollars = survey.write_units as f64 / 1e6 * WRITE_PRICE + survey.read_units as f64 / 1e6 * READ_PRICE;
    text.push_str(&format!(
        "the copy takes {} read units and {} write units: ${dollars:.2} on demand at AWS\n",
        survey.read_units, survey.write_units
    ));
    let minutes = survey.write_units.div_ceil(PROPOSED_UNITS * 60).max(1);
    text.push_str(&format!("at {PROPOSED_UNITS} write units in a second it takes about {minutes} min\n"));
    if survey.unfit_count > 0 {
        text.push_str(&format!("{} items do not fit:\n", survey.unfit_count));
        survey.unfit.iter().for_each(|each| text.push_str(&format!("  {each}\n")));
        return text;
    }
    text.push_str(&format!("next: sortkey migrate start {} --rate {PROPOSED_UNITS}wcu\n", opened.shown));
    text
}

fn row(row: &Row) -> String {
    let place = if row.in_place { "stay in" } else { "go to" };
    let mut text = format!("{} from {}: {} items {place} \"{}\"\n", row.new, row.old, row.items, row.table);
    if row.keys < row.items {
        text.push_str(&format!("  {} items have {} keys, and are merged\n", row.items, row.keys));
    }
    for (name, count) in row.dropped.iter().filter(|(_, count)| *count > 0) {
        text.push_str(&format!("  `{name}` is left behind: {count} items have it\n"));
    }
    for (name, count) in row.recomputed.iter().filter(|(_, count)| *count > 0) {
        text.push_str(&format!("  `{name}` is computed from now on: {count} items have another value\n"));
    }
    if !row.invented.is_empty() {
        text.push_str(&format!("  not from the old item: {}\n", list(&row.invented)));
    }
    if !row.one_way.is_empty() {
        text.push_str(&format!("  no way back once the new design changes them: {}\n", list(&row.one_way)));
    }
    text
}

fn list(names: &[std::sync::Arc<str>]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
