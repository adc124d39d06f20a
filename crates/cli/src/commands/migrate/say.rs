//! How far a migration is, and what it would do, in words.

use sortkey_migrate::{Answers, Phase, Plan, Row, State, Survey};

/// Dollars of a million write units on demand, and of a million read units.
const WRITE_PRICE: f64 = 0.625;
const READ_PRICE: f64 = 0.125;

/// The state, and the next step.
pub(super) fn state(state: &State, plan: &Plan) -> String {
    let copying = match (state.phase, state.is_copied(plan)) {
        (Phase::Both, false) if state.paused => ", the copy rests",
        (Phase::Both, false) => ", copying",
        (Phase::Both, true) => ", copied",
        _ => "",
    };
    let mut text = format!("{}{copying}\n", state.phase);
    for stage in plan.stages() {
        let label = &stage.label;
        let Some(walk) = state.walks.get(&**label) else { continue };
        text.push_str(&format!(
            "  {label}: {} items seen, {} copied, {} written by writers before, {} read again\n",
            walk.seen, walk.copied, walk.there, walk.retried
        ));
    }
    if let Some(rate) = state.rate.filter(|_| state.phase == Phase::Both) {
        text.push_str(&format!("  at most {rate} in a second\n"));
    }
    if let Some(percent) = state.shadow.filter(|_| state.phase == Phase::Shadow) {
        text.push_str(&format!("  {percent} % of the answers are compared\n"));
    }
    if let Some(verified) = &state.verified {
        text.push_str(&format!(
            "  compared: {} items, {} differences\n",
            verified.items, verified.differences
        ));
    }
    let is_verified = state.verified.as_ref().is_some_and(|verified| verified.differences == 0);
    let next = match state.phase {
        Phase::Prepared | Phase::Starting => "sortkey migrate start",
        Phase::Both | Phase::Shadow if !state.is_copied(plan) && state.paused => "sortkey migrate resume",
        Phase::Both | Phase::Shadow if !state.is_copied(plan) => {
            "sortkey migrate start, if no copy is running"
        }
        Phase::Both | Phase::Shadow if !is_verified => "sortkey migrate verify",
        Phase::Both | Phase::Shadow => "sortkey migrate switch",
        Phase::Switched => "sortkey migrate finish, or sortkey migrate back",
        Phase::Finished => return text,
    };
    text.push_str(&format!("next: {next}\n"));
    text
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
pub(super) fn survey(survey: &Survey, plan: &Plan) -> String {
    let mut text = format!("plan {}\n", plan.fingerprint());
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
    if survey.unfit_count > 0 {
        text.push_str(&format!("{} items do not fit:\n", survey.unfit_count));
        survey.unfit.iter().for_each(|each| text.push_str(&format!("  {each}\n")));
    }
    text
}

fn row(row: &Row) -> String {
    let place = if row.in_place { "stay in".to_owned() } else { "go to".to_owned() };
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
