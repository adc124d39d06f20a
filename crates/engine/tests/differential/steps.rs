//! The steps of a run: each makes a random request or a few, and compares the answers with the model's.

mod batches;
mod items;
mod queries;
mod reading;
mod scans;
mod statements;
mod streams;
mod tables;
mod time;
mod transactions;
mod wording;

pub(crate) use self::transactions::Transaction;
use crate::session::Session;

type Step = fn(&mut Session);

/// The steps and how often each is taken.
const STEPS: &[(usize, Step)] = &[
    (350, items::write),
    (60, items::get),
    (90, queries::query),
    (30, scans::scan),
    (15, scans::scan_segments),
    (35, batches::write),
    (25, batches::get),
    (70, transactions::write),
    (15, transactions::replay),
    (20, transactions::get),
    (15, statements::insert),
    (20, statements::update),
    (10, statements::delete),
    (25, statements::select),
    (20, time::advance),
    (10, time::expire),
    (2, time::change_database),
    (4, tables::create),
    (2, tables::delete),
    (10, tables::change_indexes),
    (6, tables::change_stream),
    (6, tables::change_expiry),
    (8, tables::describe),
    (5, streams::read),
];

pub(crate) fn random(session: &mut Session) {
    if session.model.tables.is_empty() {
        return tables::create(session);
    }
    let mut at: usize = session.dice.below(STEPS.iter().map(|(weight, _)| weight).sum());
    for (weight, step) in STEPS {
        if at < *weight {
            return step(session);
        }
        at -= weight;
    }
}

/// Looks at every table, index and stream as a whole.
pub(crate) fn check_everything(session: &mut Session) {
    let names: Vec<String> = session.model.tables.keys().cloned().collect();
    for name in names {
        tables::check(session, &name);
        let indexes = session.table(&name).shape.indexes.clone();
        for index in std::iter::once(None).chain(indexes.iter().map(Some)) {
            scans::check(session, &name, index);
        }
    }
    streams::check_all(session);
    session.check_equal(&session.place.problems(), &Vec::new());
}
