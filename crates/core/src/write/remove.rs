//! `delete`, `purge` and `check`.

use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::Action;
use sortkey_plan::{AttributeSet, Change, effects};
use sortkey_value::{AttributeValue, Item};

use super::belongs::{Whose, agrees};
use super::create::key;
use super::given::{key_fields, not_found, only_live, only_ours};
use super::guards::guards;
use super::update::{self, Plan, remove_by};
use super::{Act, Answers, Parent, Prepared, Test, Write, declared};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::session::Session;
use crate::values::{Fields, Val};
use crate::{Failure, FailureKind};

pub(super) async fn prepare(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    action: &Action,
) -> Result<Prepared, Failure> {
    let info = &scope.shared.entities[action.entity];
    let entity = info.of(&scope.shared.program);
    let known = key_fields(scope, info, action.key.as_ref(), None)?;
    only_ours(scope, info, &known)?;
    let cascades = Some(Parent { entity: info.at, known: known.clone(), whole: None });
    if let (WriteVerb::Delete, Some(deleted)) = (action.verb, &entity.deleted) {
        let plan = Plan {
            info,
            verb: WriteVerb::Update,
            known,
            changes: remove_by(scope, info, deleted)?,
            condition: action.condition.as_ref(),
            error: action.error,
            gone: true,
        };
        let prepared = update::prepare_plan(session, scope, plan).await?;
        return Ok(Prepared { cascades, ..prepared });
    }
    let key = key(scope, info, &known)?;
    let mut write = Write::new(info, key.clone(), Act::Delete);
    let whole = demands(scope, info, action, &known, &mut write, None)?;
    let change = Change { verb: action.verb, ..Change::default() };
    let effects = effects(&scope.shared.program, info.at, &change);
    // A condition cannot use values that only a key of an index holds.
    let (yields, freed) = match whole && effects.needs.is_empty() && scope.attempt == 0 {
        true => (Val::Absent, Vec::new()),
        false => {
            write = Write::new(info, key.clone(), Act::Delete);
            let old = read(session, scope, info, action, &known, (&mut write, effects.consults)).await?;
            let freed = guards(scope, info, std::slice::from_ref(&old), &Fields::new(), &key, true)?;
            (Val::item(info.at, old), freed)
        }
    };
    let writes: Vec<Write> = std::iter::once(write).chain(freed).collect();
    let answers = if yields.is_absent() { Answers::Old } else { Answers::Nothing };
    Ok(Prepared { writes, yields, answers, is_exact: true, cascades, secrets: None })
}

/// `check`: a condition on an item that is not written.
pub(super) async fn prepare_check(
    session: &Session<'_>,
    scope: &Scope<'_>,
    action: &Action,
) -> Result<Prepared, Failure> {
    let info = &scope.shared.entities[action.entity];
    let known = key_fields(scope, info, action.key.as_ref(), None)?;
    let mut write = Write::new(info, key(scope, info, &known)?, Act::Check);
    if only_ours(scope, info, &known).is_err() {
        return Err(refused(&scope.shared.program, info, action));
    }
    if !demands(scope, info, action, &known, &mut write, None)? {
        // DynamoDB cannot decide it: it holds of what is read, as long as that stays as it is.
        read(session, scope, info, action, &known, (&mut write, AttributeSet::new())).await?;
    }
    let (yields, answers) = (Val::Absent, Answers::Nothing);
    Ok(Prepared { writes: vec![write], yields, answers, is_exact: true, cascades: None, secrets: None })
}

/// The item is there, live, the caller's, and meets the statement's condition;
/// false if that cannot be expressed.
fn demands(
    scope: &Scope<'_>,
    info: &EntityInfo,
    action: &Action,
    known: &Fields,
    write: &mut Write,
    stored: Option<&Item>,
) -> Result<bool, Failure> {
    let checks = action.verb == WriteVerb::Check;
    let missing = || if checks { refused(&scope.shared.program, info, action) } else { not_found(info) };
    let error = action.error.filter(|_| action.condition.is_none() && !checks);
    let missing = || declared(&scope.shared.program, error, missing());
    write.demand(scope, Test::Exists, missing())?;
    if action.verb != WriteVerb::Purge {
        write.demand(scope, Test::NotExpired, missing())?;
        write.demand(scope, Test::NotDeleted, missing())?;
    }
    Whose { known, stored, may_make: false }.demand(scope, info, write, &missing())?;
    if let Some(kind) = &info.kind {
        let own = AttributeValue::S(info.name.to_string());
        write.demand(scope, Test::Is(kind.clone(), own), missing())?;
    }
    if !checks {
        update::expected_version(scope, info, write)?;
    }
    match &action.condition {
        Some(condition) => {
            write.demand(scope, Test::condition(condition), refused(&scope.shared.program, info, action))
        }
        None => Ok(true),
    }
}

fn refused(program: &Program, info: &EntityInfo, action: &Action) -> Failure {
    let message = match action.condition {
        Some(_) => format!("the condition on the {} does not hold", info.name),
        None => format!("there is no such {}", info.name),
    };
    declared(program, action.error, Failure::new(FailureKind::CheckFailed, message))
}

/// The item as it is now, and the condition that what its removal depends on stays so.
async fn read(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
    action: &Action,
    known: &Fields,
    (write, mut consulted): (&mut Write, AttributeSet),
) -> Result<Fields, Failure> {
    let program = &scope.shared.program;
    let entity = info.of(program);
    let error = action.error.filter(|_| action.condition.is_none());
    let missing = || match action.verb {
        WriteVerb::Check => refused(program, info, action),
        _ => declared(program, error, not_found(info)),
    };
    let item = session.get(&info.table, write.key.clone(), true).await?.ok_or_else(missing)?;
    if !info.owns(program, &item) {
        return Err(missing());
    }
    agrees(scope, info, &item)?;
    let old = info.read(scope, &item)?;
    if action.verb != WriteVerb::Check {
        demands(scope, info, action, known, write, Some(&item))?;
    }
    if action.verb != WriteVerb::Purge {
        only_live(scope, info, &old).map_err(|_| missing())?;
    }
    if let Some(condition) = &action.condition
        && !scope.holds(condition, Some(View::of(info.at, &old)))?
    {
        return Err(refused(&scope.shared.program, info, action));
    }
    consulted.extend(action.condition.iter().flat_map(|condition| entity.attributes.deciding(condition)));
    for id in consulted.iter().filter(|id| entity.attributes[*id].is_stored()) {
        let name = info.name_of(id);
        let changed = Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
        let value = item.get(name).map(|value| value.to_owned());
        write.demand(scope, Test::Unchanged(name.clone(), value), changed)?;
    }
    Ok(old)
}
