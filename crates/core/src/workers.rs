//! Runs workers, answers routes and recognises callers: the bodies are operations of the program, entered by their ids.
//!
//! This crate decides what one run does. When runs start, how many there are and what follows a failure is decided above.

mod failed;
mod turn;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json};
use sortkey_api::operations::UpdateItemInput;
use sortkey_api::shapes::returns::ReturnValue;
use sortkey_api::{ApiError, ErrorKind, TableName};
use sortkey_design::model::Change;
use sortkey_design::program::{
    Callee, EntityId, Id, OperationId, ParameterId, RouteId, Segment, SessionId, Trigger, Worker, WorkerId,
};
use sortkey_value::{AttributeValue, Item, Number, ValueRef};

use crate::condition::Placeholders;
use crate::evaluate::{Scope, View};
use crate::fence::{DEAD, FENCE, Fence, LEASE, TRIES, writes_last};
use crate::operate::{self, Given};
use crate::read::{Found, Hit, Paging};
use crate::session::Session;
use crate::values::{Fields, Val};
use crate::{Caller, Failure, FailureKind, Reply, Runtime};

pub use self::failed::LETTERS;
pub use self::turn::Turn;

/// Why a run failed that would start again at once.
pub const UNCHANGED: &str = "the run left its item as it was, so that it would be due again at once";

/// Why a schedule cannot be kept.
pub const NO_NOTES: &str =
    "no table of the design has a key of text, in which a schedule could be remembered";

/// An item that is due.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    /// Its key as it is stored.
    pub key: Item,
    /// The value whose items share the worker's runs; empty if the worker does not share them out.
    pub share: String,
    /// Since when it is due, in milliseconds since 1970.
    pub since_ms: i64,
}

/// A page of items that are due.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DuePage {
    /// The items.
    pub items: Vec<Due>,
    /// The cursor of the next page; none if this was the last.
    pub cursor: Option<String>,
}

/// The end of the queue of due items that is read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that have been due for longest.
    Oldest,
    /// Those that became due last.
    Newest,
}

/// An item that a run has leased.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The item as it was when it was leased.
    pub(crate) image: Item,
    pub(crate) fence: Fence,
    /// When the lease ends, in milliseconds since 1970.
    pub(crate) until_ms: i64,
    /// How often a run of it has begun, this one included.
    pub tries: u64,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// It did what it does.
    Done,
    /// It did, and an effect got no answer, or one of a side that is in trouble.
    Unanswered,
    /// It did, and the item is as it was: it would be due again at once.
    Unchanged,
    /// It failed, and a handler of the worker dealt with that.
    Handled(String),
}

/// A request to a route.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incoming {
    /// An id of its own.
    pub id: String,
    /// The HTTP method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The address of the client.
    pub ip: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The parameters behind the path.
    pub query: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Runtime {
    /// Comes back after a while.
    pub async fn pause(&self, length: std::time::Duration) {
        self.shared().settings.timer.pause(length).await;
    }

    /// A random token that nobody can guess.
    pub fn token(&self) -> Result<String, Failure> {
        let ids = self.ids();
        let next = || ids.next().map_err(|error| Failure::internal(error.to_string()));
        Ok(format!("{:016x}{:016x}", next()?, next()?))
    }

    /// A page of the items that are due for a worker.
    pub async fn due(
        &self,
        worker: WorkerId,
        which: Which,
        cursor: Option<&str>,
    ) -> Result<DuePage, Failure> {
        let worker = &self.program().workers[worker];
        let Trigger::Due { entity, by, pattern, .. } = &worker.trigger else { return Ok(DuePage::default()) };
        let session = self.session();
        let mut scope = self.scope(None);
        let read = &self.shared().reads[*pattern];
        let name = &self.program().patterns[*pattern].name;
        let (read, name) = match which {
            Which::Oldest => (Cow::Borrowed(read), Cow::Borrowed(&**name)),
            // Hosts ask for the oldest only.
            Which::Newest if cfg!(target_arch = "wasm32") => (Cow::Borrowed(read), Cow::Borrowed(&**name)),
            Which::Newest => (Cow::Owned(read.reversed()), Cow::Owned(format!("{name} newest"))),
        };
        let paging = Paging { cursor, limit: None, context: Some(&name), to_the_end: false };
        let Found::Items { items, cursor } = operate::pattern(&session, &mut scope, &read, paging).await?
        else {
            return Ok(DuePage::default());
        };
        let info = &self.shared().entities[*entity];
        let is_free = |hit: &Hit| !matches!(hit, Hit::Stored(_, item) if self.is_leased(item, scope.now_ms));
        let due = items.into_iter().filter(is_free).filter_map(|hit| {
            let share = worker.per.and_then(|(per, _)| hit.view().get(self.shared(), per));
            let since = hit.view().get(self.shared(), *by).map(Cow::into_owned);
            let share = share.map(Cow::into_owned);
            let key = match &hit {
                Hit::Stored(_, item) => info.key_of(item),
                Hit::Decoded(record) => crate::read::key_of(&scope, info, &record.fields)?,
            };
            Some(Due {
                key: key.into(),
                share: share.and_then(|value| crate::template::canonical(None, &value)).unwrap_or_default(),
                since_ms: match since {
                    Some(Val::Time(time_ms)) => time_ms,
                    _ => scope.now_ms,
                },
            })
        });
        Ok(DuePage { items: due.collect(), cursor })
    }

    /// A stored item that is due now, by its image alone. None if it is not the worker's, or not due yet.
    pub fn due_now(&self, worker: WorkerId, table: &TableName, image: &Item) -> Option<Due> {
        let worker = &self.program().workers[worker];
        let Trigger::Due { entity, by, when, .. } = &worker.trigger else { return None };
        let info = &self.shared().entities[*entity];
        if info.table != *table || !info.owns(self.program(), image) {
            return None;
        }
        let scope = self.scope(None);
        let view = View::stored(*entity, image);
        let Some(Val::Time(since_ms)) = view.get(self.shared(), *by).map(Cow::into_owned) else {
            return None;
        };
        let holds = when.as_ref().is_none_or(|when| scope.holds(when, Some(view)).unwrap_or(false));
        if since_ms > scope.now_ms || !holds {
            return None;
        }
        let share = worker.per.and_then(|(per, _)| view.get(self.shared(), per));
        let share = share.and_then(|value| crate::template::canonical(None, &value)).unwrap_or_default();
        Some(Due { key: info.key_of(image).into(), share, since_ms })
    }

    /// Whether an item with this key may be one of those that start a worker.
    pub fn may_be_of(&self, worker: WorkerId, key: &Item) -> bool {
        self.entity_of(worker).is_ok_and(|entity| self.shared().entities[entity].fits(self.program(), key))
    }

    /// Leases an item that is due. None if it is not due any more, or another run has it. A lease that is `held` is renewed.
    pub async fn claim(
        &self,
        worker: WorkerId,
        key: &Item,
        held: Option<&Claim>,
    ) -> Result<Option<Claim>, Failure> {
        let program = self.program();
        let worker = &program.workers[worker];
        let Trigger::Due { entity, by, when, .. } = &worker.trigger else { return Ok(None) };
        let info = &self.shared().entities[*entity];
        let scope = self.scope(None);
        let token = self.lease_token()?;
        let mut into = Placeholders::default();
        let [lease, fence, tries, dead] = [LEASE, FENCE, TRIES, DEAD].map(|name| into.name(name));
        let (exists, due) = (into.name(&info.partition), into.name(info.name_of(*by)));
        let until_ms = scope.now_ms.saturating_add(whole(worker.lease_ms));
        let until = into.value(number(until_ms));
        let own = into.value(AttributeValue::S(token.clone()));
        let (one, now) = (into.value(number(1)), into.value(number(scope.now_ms)));
        let at = info.encode(program, *by, &Val::Time(scope.now_ms));
        let at = into.value(at.unwrap_or_else(|| number(scope.now_ms)));
        let update = format!("SET {lease} = {until}, {fence} = {own} ADD {tries} {one}");
        let renewal = held
            .map(|held| format!(" OR {fence} = {}", into.value(AttributeValue::S(held.fence.token.clone()))));
        let renewal = renewal.unwrap_or_default();
        let takeover = self.takeover(&mut into);
        let condition = format!(
            "attribute_exists({exists}) AND {due} <= {at} AND attribute_not_exists({dead}) AND \
             (attribute_not_exists({lease}) OR {lease} <= {now}{renewal}{takeover})"
        );
        let updated = self.update(&info.table, key, update, condition, into, true).await?;
        let Some(image) = updated else { return Ok(None) };
        let marks = [LEASE, FENCE, TRIES].into_iter();
        let fence = Fence {
            entity: *entity,
            table: info.table.clone(),
            key: key.clone(),
            token,
            ends_with_write: writes_last(program, worker.operation),
            marks: marks.filter_map(|name| Some((name, image.get(name)?.to_owned()))).collect(),
        };
        let tries = match image.get(TRIES) {
            Some(ValueRef::N(count)) => {
                count.to_i64().and_then(|count| u64::try_from(count).ok()).unwrap_or(1)
            }
            _ => 1,
        };
        let claim = Claim { image, fence, until_ms, tries };
        let view = View::stored(*entity, &claim.image);
        let holds = match when {
            Some(when) => scope.holds(when, Some(view))?,
            None => true,
        };
        if holds && !crate::read::is_expired(&scope, view) && !crate::read::is_deleted(&scope, view)? {
            return Ok(Some(claim));
        }
        self.give_back(&claim, None).await?;
        Ok(None)
    }

    /// Runs a worker on an item that it has leased.
    pub async fn run_due(&self, worker: WorkerId, claim: &Claim, run: &str) -> Result<Ran, Failure> {
        let session = self.session().fenced(claim.fence.clone());
        let item = self.item(self.entity_of(worker)?, &claim.image)?;
        let ran = self.run_worker(&session, worker, Some(item), run).await?;
        if !session.has_written_own() {
            return Ok(Ran::Unchanged);
        }
        if session.is_fenced() {
            // False if the lease has ended meanwhile; what the run wrote was written before that.
            self.give_back(claim, None).await?;
        }
        Ok(if session.is_in_trouble() { Ran::Unanswered } else { ran })
    }

    /// Runs a worker on a change of an item.
    pub async fn run_change(&self, worker: WorkerId, image: &Item, run: &str) -> Result<Ran, Failure> {
        let session = self.session();
        let item = self.item(self.entity_of(worker)?, image)?;
        self.run_worker(&session, worker, Some(item), run).await
    }

    /// Runs a worker that no item starts.
    pub async fn run_slot(&self, worker: WorkerId, run: &str) -> Result<Ran, Failure> {
        self.run_worker(&self.session(), worker, None, run).await
    }

    /// Whether a change of an item starts a worker: an item of its entity, of which the condition holds.
    pub fn is_started_by(&self, worker: WorkerId, change: Change, image: &Item) -> Result<bool, Failure> {
        let Trigger::On { entity, changes, when } = &self.program().workers[worker].trigger else {
            return Ok(false);
        };
        let info = &self.shared().entities[*entity];
        if !changes.contains(&change)
            || crate::catalog::is_reserved(image, &info.partition)
            || !info.owns(self.program(), image)
        {
            return Ok(false);
        }
        let scope = self.scope(None);
        match when {
            Some(when) => scope.holds(when, Some(View::stored(*entity, image))),
            None => Ok(true),
        }
    }

    /// The value that an item has a turn by, among those that start a worker: that of `per`, or the item's partition.
    pub fn share_of(&self, worker: WorkerId, image: &Item) -> String {
        let Ok(entity) = self.entity_of(worker) else { return String::new() };
        let text = match self.program().workers[worker].per {
            Some((per, _)) => {
                let value = View::stored(entity, image).get(self.shared(), per);
                value.and_then(|value| crate::template::canonical(None, &value))
            }
            None => image.get(&self.shared().entities[entity].partition).map(|value| match value {
                ValueRef::S(text) => text.to_owned(),
                other => format!("{other:?}"),
            }),
        };
        text.unwrap_or_default()
    }

    /// The deployed name of the table whose changes start a worker.
    pub fn table_of(&self, worker: WorkerId) -> Option<&TableName> {
        let entity = self.entity_of(worker).ok()?;
        Some(&self.shared().entities[entity].table)
    }

    /// Ends the lease of a run that left the item as it was: at once, or at a time before which nobody tries again.
    /// False if another run has it by now.
    pub async fn give_back(&self, claim: &Claim, retry_at_ms: Option<i64>) -> Result<bool, Failure> {
        let mut into = Placeholders::default();
        let [lease, fence] = [LEASE, FENCE].map(|name| into.name(name));
        let update = match retry_at_ms {
            Some(at) => format!("SET {lease} = {} REMOVE {fence}", into.value(number(at))),
            None => format!("REMOVE {lease}, {fence}, {}", into.name(TRIES)),
        };
        self.if_held(claim, update, into, &fence).await
    }

    /// Takes an item out of the due set: no run is tried any more until [`Runtime::revive`].
    pub async fn bury(&self, claim: &Claim, reason: &str) -> Result<bool, Failure> {
        let mut into = Placeholders::default();
        let [lease, fence, dead] = [LEASE, FENCE, DEAD].map(|name| into.name(name));
        let reason = into.value(AttributeValue::S(reason.to_owned()));
        let update = format!("SET {dead} = {reason} REMOVE {lease}, {fence}");
        self.if_held(claim, update, into, &fence).await
    }

    async fn if_held(
        &self,
        claim: &Claim,
        update: String,
        mut into: Placeholders,
        fence: &str,
    ) -> Result<bool, Failure> {
        let condition = format!("{fence} = {}", into.value(AttributeValue::S(claim.fence.token.clone())));
        let Fence { table, key, .. } = &claim.fence;
        Ok(self.update(table, key, update, condition, into, false).await?.is_some())
    }

    /// An update under a condition; none if that does not hold.
    pub(crate) async fn update(
        &self,
        table: &TableName,
        key: &Item,
        update: String,
        condition: String,
        into: Placeholders,
        answers: bool,
    ) -> Result<Option<Item>, Failure> {
        let (expression_attribute_names, expression_attribute_values) = into.into_parts();
        let input = UpdateItemInput {
            table_name: table.clone(),
            key: key.clone().into(),
            update_expression: Some(update),
            condition_expression: Some(condition),
            expression_attribute_names,
            expression_attribute_values,
            return_values: answers.then_some(ReturnValue::AllNew),
            ..UpdateItemInput::default()
        };
        match self.session().update(input).await {
            Ok(output) => Ok(Some(output.attributes.unwrap_or_default())),
            Err(ApiError { kind: ErrorKind::ConditionalCheckFailedException, .. }) => Ok(None),
            Err(error) => Err(crate::session::failure(error)),
        }
    }

    pub(crate) fn entity_of(&self, worker: WorkerId) -> Result<EntityId, Failure> {
        match &self.program().workers[worker].trigger {
            Trigger::On { entity, .. } | Trigger::Due { entity, .. } => Ok(*entity),
            Trigger::Every(_) => Err(Failure::internal("no item starts this worker")),
        }
    }

    fn item(&self, entity: EntityId, image: &Item) -> Result<Val, Failure> {
        let scope = self.scope(None);
        let fields = self.shared().entities[entity].read(&scope, image)?;
        Ok(Val::item(entity, fields))
    }

    async fn run_worker(
        &self,
        session: &Session<'_>,
        worker: WorkerId,
        item: Option<Val>,
        run: &str,
    ) -> Result<Ran, Failure> {
        let Worker { operation, .. } = &self.program().workers[worker];
        let last = ParameterId::new(self.program().operations[*operation].signature.parameters.len() - 1);
        let item = item.map(|item| (ParameterId::new(0), item));
        let given: Given = item.into_iter().chain([(last, Val::text(run))]).collect();
        match operate::operation(session, self.scope(None), *operation, given).await {
            Ok(_) => Ok(Ran::Done),
            Err(failure) if self.handles(*operation, &failure) => Ok(Ran::Handled(failure.message)),
            Err(failure) => Err(failure),
        }
    }

    /// Whether a handler of an operation has dealt with a failure.
    fn handles(&self, operation: OperationId, failure: &Failure) -> bool {
        let mut handlers = self.program().operations[operation].handlers.iter();
        handlers.any(|(error, _)| self.shared().errors[*error] == failure.kind)
    }

    /// The route of a request, with the values of its path.
    pub fn route(&self, method: &str, path: &str) -> Option<(RouteId, Vec<(ParameterId, String)>)> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let routes = self.program().routes.entries();
        let mut fitting =
            routes.filter(|(_, route)| route.segments.len() == parts.len()).filter_map(|(id, route)| {
                if route.method.as_ref().is_some_and(|wanted| **wanted != *method) {
                    return None;
                }
                let mut values = Vec::new();
                for (segment, part) in route.segments.iter().zip(&parts) {
                    match segment {
                        Segment::Literal(text) if **text == **part => {}
                        Segment::Literal(_) => return None,
                        Segment::Parameter(id) => values.push((*id, (*part).to_owned())),
                    }
                }
                Some((id, values))
            });
        // The path with the most text is meant: `/in/health` before `/in/{sourceId}`.
        let mut best = fitting.next()?;
        for other in fitting {
            if other.1.len() < best.1.len() {
                best = other;
            }
        }
        Some(best)
    }

    /// Whether a route has a caller.
    pub fn needs_caller(&self, route: RouteId) -> bool {
        !self.program().operations[self.program().routes[route].operation].system
    }

    /// Answers a request to a route.
    pub async fn answer(
        &self,
        route: RouteId,
        caller: Option<&Caller>,
        path: Vec<(ParameterId, String)>,
        request: Incoming,
    ) -> Result<Reply<'_>, Failure> {
        let operation = self.program().routes[route].operation;
        let session = self.session();
        let mut scope = self.scope(None);
        if self.needs_caller(route) && !self.program().caller.is_empty() {
            let nobody = || Failure::new(FailureKind::Unauthenticated, "this route needs a caller");
            scope.caller = Some(self.shared().admitted(&scope, caller.ok_or_else(nobody)?)?);
        }
        let parameters = &self.program().operations[operation].signature.parameters;
        let last = ParameterId::new(parameters.len() - 1);
        let mut given: Given = path.into_iter().map(|(id, text)| (id, Val::Text(text))).collect();
        given.push((last, request.into_val()));
        let given = operate::admit_computed(&scope, Callee::Operation(operation), given)?;
        let outcome = operate::operation(&session, scope.clone(), operation, given).await?;
        Ok(Reply::of_outcome(scope, outcome, session.is_repeat()))
    }

    /// The caller that a token belongs to: found by the first session whose prefix the token has.
    pub async fn recognise(&self, token: &str) -> Result<Option<Caller>, Failure> {
        let sessions = self.program().sessions.entries();
        let fits =
            |prefix: &Option<Arc<str>>| prefix.as_ref().is_none_or(|prefix| token.starts_with(&**prefix));
        let ids: Vec<SessionId> = sessions.filter(|(_, each)| fits(&each.prefix)).map(|(id, _)| id).collect();
        for id in ids {
            let operation = self.program().sessions[id].operation;
            let session = self.session();
            let scope = self.scope(None);
            let given = vec![(ParameterId::new(0), Val::text(token))];
            let outcome = operate::operation(&session, scope.clone(), operation, given).await;
            let value = match outcome {
                Ok(operate::Outcome::Value(value)) => value,
                Ok(_) => continue,
                Err(failure) if failure.kind == FailureKind::Unauthenticated => continue,
                Err(failure) => return Err(failure),
            };
            let attributes = self.caller_attributes(&scope, value.fields())?;
            // An owner of a token who is no caller of this design is nobody here.
            return self.caller(attributes).map(Some).map_err(|failure| {
                let why = format!("this token does not say who calls: {}", failure.message);
                Failure::new(FailureKind::Unauthenticated, why)
            });
        }
        Ok(None)
    }

    fn caller_attributes(
        &self,
        _scope: &Scope<'_>,
        fields: Option<&Fields>,
    ) -> Result<JsonMap<String, Json>, Failure> {
        let program = self.program();
        let known = fields.into_iter().flatten().filter(|(_, value)| !value.is_absent());
        let json = known.map(|(name, value)| {
            let json = match program.caller.find(name) {
                Some(id) => crate::values::to_json(program, &program.caller[id].ty, value),
                None => crate::values::untyped(value),
            };
            (name.to_string(), json)
        });
        Ok(json.collect())
    }
}

impl Incoming {
    fn into_val(self) -> Val {
        let texts = |pairs: Vec<(String, String)>| {
            let mut fields = Fields::new();
            for (name, value) in pairs {
                let joined = match fields.get(&name).and_then(Val::as_text) {
                    Some(earlier) => format!("{earlier}, {value}"),
                    None => value,
                };
                fields.insert(Arc::from(name.as_str()), Val::Text(joined));
            }
            Val::Map(fields)
        };
        let kind =
            self.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
        // A body that is not JSON has no JSON value; the design may still take its bytes. A body with a duplicate name
        // counts as such: another reader of the same bytes could take the other value.
        let json = crate::values::exact::read(&self.body, "the body").unwrap_or_default();
        let parts = [
            ("id", Val::Text(self.id)),
            ("method", Val::Text(self.method)),
            ("path", Val::Text(self.path)),
            ("ip", Val::Text(self.ip)),
            ("contentType", kind.map_or(Val::Absent, Val::Text)),
            ("headers", texts(self.headers)),
            ("query", texts(self.query)),
            ("json", json),
            ("body", Val::Bytes(self.body)),
        ];
        Val::Map(parts.into_iter().map(|(name, value)| (Arc::<str>::from(name), value)).collect())
    }
}

pub(crate) fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from(value))
}

pub(crate) fn whole(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Of a name that is given twice the last value was used, while a proxy or a verifier may go by the first.
    #[test]
    fn a_body_that_gives_a_name_twice_has_no_json() {
        for (body, has_json) in [
            (r#"{"a": 1, "b": {"a": 2}}"#, true),
            (r#"{"a": 1, "a": 2}"#, false),
            (r#"{"a": 1, "\u0061": 2}"#, false),
            (r#"[{"b": {"a": 1, "a": 1}}]"#, false),
            ("no JSON", false),
        ] {
            let incoming = Incoming {
                id: String::new(),
                method: "POST".to_owned(),
                path: "/".to_owned(),
                ip: String::new(),
                headers: Vec::new(),
                query: Vec::new(),
                body: body.as_bytes().to_vec(),
            };
            let request = incoming.into_val();
            let json = request.fields().and_then(|fields| fields.get("json")).cloned().unwrap_or_default();
            assert_eq!(!json.is_absent(), has_json, "{body}");
        }
    }
}
