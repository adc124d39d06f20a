//! ExecuteStatement: the same reads and writes in PartiQL.

use sortkey_api::ErrorKind;
use sortkey_api::operations::{ExecuteStatement, ExecuteStatementInput, ExecuteStatementOutput};
use sortkey_value::{Item, Map};

use super::items::{failure, shown_image, shows_item};
use super::queries::{key_condition, ordered_entries};
use super::reading::Wishes;
use super::scans;
use crate::model::condition::Condition;
use crate::model::cost::{Cost, Units};
use crate::model::failure::Failure;
use crate::model::partiql::{Statement, quoted};
use crate::model::path::Path;
use crate::model::table::{Mutation, Write};
use crate::model::update::Update;
use crate::session::Session;
use crate::values;

/// INSERT, which refuses to replace an item.
pub(super) fn insert(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let Session { dice, model, weight, .. } = &mut *session;
    let item = values::item(dice, &model.tables[&table].shape, model.now_ms, *weight);
    let mut statement = Statement::default();
    statement.push(&format!("INSERT INTO {} VALUE {{", quoted(&table)));
    for (position, (name, value)) in item.iter().enumerate() {
        let comma = if position > 0 { ", " } else { "" };
        statement.push(&format!("{comma}'{name}': ")).value(value);
    }
    statement.push("}");
    let is_there = session.table(&table).get(&item).is_some();
    let mutation = Mutation { table, item, condition: None, write: Write::Put };
    let has_faults = !session.table(&mutation.table).faults(&mutation).is_empty();
    let refused = (is_there && !has_faults).then_some(Failure::Kind(ErrorKind::DuplicateItemException));
    write(session, statement, &mutation, refused, None);
}

/// UPDATE, which changes only items that exist.
pub(super) fn update(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let Session { dice, model, .. } = &mut *session;
    let scene = Session::scene(model, &table);
    let key = values::key(dice, &scene.shape.key);
    let Update(mut actions) = scene.update(dice);
    actions.retain(Statement::can_do);
    let update = Update(actions);
    let condition = dice.chance(30).then(|| scene.filter(dice)).filter(Statement::can_say);
    let images = [
        ("", None),
        (" RETURNING ALL OLD *", Some("ALL_OLD")),
        (" RETURNING ALL NEW *", Some("ALL_NEW")),
        (" RETURNING MODIFIED OLD *", Some("UPDATED_OLD")),
        (" RETURNING MODIFIED NEW *", Some("UPDATED_NEW")),
    ];
    let (returning, image) = *dice.pick(&images);
    if update.0.is_empty() {
        return;
    }
    let mut statement = Statement::default();
    statement.push(&format!("UPDATE {}", quoted(&table))).update(&update);
    by_key(&mut statement, &key, condition.as_ref());
    statement.push(returning);
    let exists = Condition::Exists(Path::attribute("pk"));
    let condition = Some(Condition::And([vec![exists], condition.into_iter().collect()].concat()));
    let mutation = Mutation { table, item: key, condition, write: Write::Update(update) };
    write(session, statement, &mutation, None, image);
}

/// DELETE.
pub(super) fn delete(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let Session { dice, model, .. } = &mut *session;
    let scene = Session::scene(model, &table);
    let key = values::key(dice, &scene.shape.key);
    let condition = dice.chance(30).then(|| scene.filter(dice)).filter(Statement::can_say);
    let returns_old = dice.chance(50);
    let mut statement = Statement::default();
    statement.push(&format!("DELETE FROM {}", quoted(&table)));
    by_key(&mut statement, &key, condition.as_ref());
    statement.push(if returns_old { " RETURNING ALL OLD *" } else { "" });
    let mutation = Mutation { table, item: key, condition, write: Write::Delete };
    write(session, statement, &mutation, None, returns_old.then_some("ALL_OLD"));
}

fn by_key(statement: &mut Statement, key: &Map, condition: Option<&Condition>) {
    for (position, (name, value)) in key.iter().enumerate() {
        let joined = if position == 0 { " WHERE " } else { " AND " };
        statement.push(joined).path(&Path::attribute(name)).push(" = ").value(value);
    }
    if let Some(condition) = condition {
        statement.push(" AND (").condition(condition).push(")");
    }
}

fn write(
    session: &mut Session,
    statement: Statement,
    mutation: &Mutation,
    refused: Option<Failure>,
    image: Option<&str>,
) {
    let (asked, shows) = (session.wanted_capacity(), shows_item(session));
    let table = session.table(&mutation.table);
    let result = table.evaluate(mutation);
    let paths = match &mutation.write {
        Write::Update(update) => update.paths(),
        _ => Vec::new(),
    };
    let expected = match (refused, &result) {
        (Some(failure), _) => Err(failure),
        (None, Err(refusal)) => Err(failure(refusal.clone(), shows.is_some())),
        (None, Ok(change)) => {
            let items = shown_image(image, change, &paths).as_ref().map(Item::from_map);
            Ok(ExecuteStatementOutput {
                items: Some(items.into_iter().collect()),
                consumed_capacity: Cost::of_write(table, change).report(
                    asked.as_ref(),
                    &mutation.table,
                    Units::Unnamed,
                ),
                ..Default::default()
            })
        }
    };
    let mut input = request(statement);
    input.return_consumed_capacity = asked;
    input.return_values_on_condition_check_failure = shows;
    let actual = session.ask::<ExecuteStatement>(input);
    session.check(&actual, &expected);
    if let (Ok(_), Ok(change)) = (expected, result) {
        session.model.apply(&mutation.table, &change, false);
    }
}

/// SELECT: by key, or all there is.
pub(super) fn select(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let index = session.any_index(&table);
    let index = index.as_ref();
    let key = index.map_or(&session.table(&table).shape.key, |index| &index.key).clone();
    // Keys of several attributes are beyond PartiQL.
    if key.partition.len() > 1 || key.sort.len() > 1 {
        return;
    }
    let mut wishes = Wishes::random(session, &table, index);
    let filter = wishes.filter.take().filter(Statement::can_say);
    let is_shown =
        |path: &Path| index.is_none_or(|index| session.table(&table).is_kept(index, &path.attribute));
    let whole = |path: &Path| path.steps.is_empty();
    let paths = wishes.paths.take().filter(|paths| paths.iter().all(|path| is_shown(path) && whole(path)));
    let by_key = session.dice.chance(70).then(|| {
        let entries = session.model.tables[&table].entries(index);
        key_condition(&mut session.dice, &key, &entries)
    });
    let ordered = match &by_key {
        Some(condition) => ordered_entries(session, &table, index, condition),
        None => scans::check(session, &table, index),
    };
    let mut statement = Statement::default();
    statement.push("SELECT ");
    match &paths {
        None => statement.push("*"),
        Some(paths) => {
            for (position, path) in paths.iter().enumerate() {
                statement.push(if position > 0 { ", " } else { "" }).path(path);
            }
            &mut statement
        }
    };
    statement.push(&format!(" FROM {}", quoted(&table)));
    if let Some(index) = index {
        statement.push(&format!(".{}", quoted(&index.name)));
    }
    let conditions: Vec<&Condition> = by_key.iter().chain(&filter).collect();
    for (position, condition) in conditions.into_iter().enumerate() {
        let joined = if position == 0 { " WHERE " } else { " AND " };
        // The key condition is at the top, where it is found.
        match condition {
            Condition::And(terms) if by_key.is_some() && position == 0 => {
                for (position, term) in terms.iter().enumerate() {
                    statement.push(if position == 0 { joined } else { " AND " }).condition(term);
                }
            }
            other => {
                statement.push(joined).push("(").condition(other).push(")");
            }
        }
    }
    wishes = Wishes { filter, paths, select: None, ..wishes };
    read(session, &table, index, &statement, &wishes, &ordered);
}

fn read(
    session: &mut Session,
    table: &str,
    index: Option<&crate::shape::IndexShape>,
    statement: &Statement,
    wishes: &Wishes,
    ordered: &[Map],
) {
    let mut next_token = None;
    for page in wishes.pages(session.table(table), index, ordered) {
        let mut input = request(statement.clone());
        input.limit = wishes.limit.map(|limit| limit as i32);
        input.consistent_read = wishes.consistent;
        input.return_consumed_capacity = wishes.capacity.clone();
        input.next_token = next_token.take();
        let mut actual = session.ask::<ExecuteStatement>(input);
        next_token = actual.as_mut().ok().and_then(|page| page.next_token.take());
        session.check_equal(&next_token.is_some(), &page.last_evaluated_key.is_some());
        let expected = ExecuteStatementOutput {
            items: page.items,
            next_token: None,
            consumed_capacity: page.consumed_capacity,
            last_evaluated_key: page.last_evaluated_key,
        };
        session.check(&actual, &Ok(expected));
    }
}

fn request(statement: Statement) -> ExecuteStatementInput {
    let parameters = statement.parameters.into_iter().map(Into::into).collect::<Vec<_>>();
    ExecuteStatementInput {
        statement: statement.text,
        parameters: (!parameters.is_empty()).then_some(parameters),
        ..Default::default()
    }
}
