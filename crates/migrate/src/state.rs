//! How far a migration is: one item in the tables, changed only by comparing and replacing it.

use std::collections::BTreeMap;
use std::fmt;

use sortkey_api::ApiError;
use sortkey_api::ErrorKind;
use sortkey_api::operations::{GetItem, GetItemInput, TransactWriteItems, TransactWriteItemsInput};
use sortkey_core::internals::{EntityInfo, reserved_key};
use sortkey_deploy::{FROM, MIGRATION, PHASE};
use sortkey_value::{AttributeValue, Item, Map, Number};

use crate::effect::{Act, Effect};
use crate::pace::Rate;
use crate::place::Place;
use crate::plan::{Plan, Side, Stage};
use crate::same;
use crate::steady::Steady;

/// The phases of a migration, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The new tables exist; only the old design is written.
    Prepared,
    /// The old design is written, and what the new tables have of an item that changes is removed. Processes that write only
    /// the old design may be left, and must not meet new items: they would not change them.
    Starting,
    /// Both designs are written, the old one answers; items are copied and verified.
    Both,
    /// Both designs are written, the old one answers, and the answers of the new one are compared.
    Shadow,
    /// Both designs are written, and the new one answers.
    Switched,
    /// Only the new design is written.
    Finished,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Phase; 6] =
        [Phase::Prepared, Phase::Starting, Phase::Both, Phase::Shadow, Phase::Switched, Phase::Finished];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Prepared => "prepared",
            Phase::Starting => "starting",
            Phase::Both => "both",
            Phase::Shadow => "shadow",
            Phase::Switched => "switched",
            Phase::Finished => "finished",
        }
    }

    /// The design that answers.
    pub fn answers(self) -> Side {
        match self {
            Phase::Prepared | Phase::Starting | Phase::Both | Phase::Shadow => Side::Old,
            Phase::Switched | Phase::Finished => Side::New,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The state of a migration.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The plan that is carried out.
    pub plan: String,
    /// The version of the old design: it must not be served by itself.
    pub before: String,
    /// The phase.
    pub phase: Phase,
    /// Counts the changes of the phase.
    pub epoch: u64,
    /// The last change of the phase that every process has had the time to notice: the next one waits for it.
    pub settled: u64,
    /// When the plan was made, in milliseconds since 1970: what `now` means in the mapping.
    pub now_ms: i64,
    /// Whether the copy is to rest.
    pub paused: bool,
    /// Whether what other programs write is captured from the streams of the old tables.
    pub captured: bool,
    /// The stage at whose end the copy rests until what is copied was compared.
    pub gate: Option<String>,
    /// The most that the copy may write in a second; none without a bound.
    pub rate: Option<Rate>,
    /// The runner that copies.
    pub lease: Option<Lease>,
    /// The number of the last lease.
    pub fence: u64,
    /// Of a hundred answers, how many are compared in the phase `shadow`.
    pub shadow: Option<u8>,
    /// In how many parts each table is copied; 0 before the copy.
    pub segments: u32,
    /// How far the copy is, by stage. It is kept apart, in an item for each segment.
    pub walks: BTreeMap<String, Walk>,
    /// How far the end of the migration is, by new table.
    pub cleaned: BTreeMap<String, Walk>,
    /// The last comparison.
    pub verified: Option<Verified>,
    /// The backups of old tables that the end of the migration has made, by table.
    pub backups: BTreeMap<String, String>,
    /// Counts the changes of this item.
    pub version: u64,
}

/// The runner that copies, and the time until which no other may.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// The runner.
    pub holder: String,
    /// When the lease ends, in milliseconds since 1970.
    pub until_ms: i64,
}

/// The way through an old table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The last key that was copied.
    pub after: Option<Map>,
    /// Whether the end was reached.
    pub is_done: bool,
    /// Items that were looked at.
    pub seen: u64,
    /// Items that were copied.
    pub copied: u64,
    /// Items that a writer had carried over before.
    pub there: u64,
    /// Items that changed while they were copied, and were copied again.
    pub retried: u64,
    /// Transactions that met one of a writer, and were sent again.
    pub conflicts: u64,
    /// Write units that were sent, as DynamoDB counts them.
    pub units: u64,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: i64,
    /// Items that were compared.
    pub items: u64,
    /// Differences that were found.
    pub differences: u64,
    /// The epoch in which it was made.
    pub epoch: u64,
    /// The gate at which it was made; none if everything was copied.
    pub gate: Option<String>,
}

impl State {
    /// The state of a plan before anything has happened.
    pub(crate) fn prepared(plan: &Plan, now_ms: i64, fence: u64) -> State {
        State {
            plan: plan.fingerprint().to_owned(),
            before: plan.before.clone(),
            phase: Phase::Prepared,
            epoch: 1,
            settled: 1,
            now_ms,
            paused: false,
            captured: false,
            gate: None,
            rate: None,
            lease: None,
            fence,
            shadow: None,
            segments: 0,
            walks: BTreeMap::new(),
            cleaned: BTreeMap::new(),
            backups: BTreeMap::new(),
            verified: None,
            version: 0,
        }
    }

    /// Whether every old table was copied to its end.
    pub fn is_copied(&self, plan: &Plan) -> bool {
        self.copied(plan).count() == plan.stages().len()
    }

    /// The stages that were copied to their end.
    pub fn copied<'p>(&self, plan: &'p Plan) -> impl Iterator<Item = &'p Stage> {
        let is_done = |stage: &&Stage| self.walks.get(&*stage.label).is_some_and(|walk| walk.is_done);
        plan.stages().iter().filter(is_done)
    }

    /// The gate that the copy has come to; none while it is on its way, or if there is none.
    pub fn reached(&self, plan: &Plan) -> Option<&str> {
        let gate = self.gate.as_deref()?;
        let at = plan.stages().iter().position(|stage| *stage.label == *gate)?;
        let wanted = &plan.stages()[..=at];
        (!self.is_copied(plan)
            && self.copied(plan).filter(|each| wanted.contains(each)).count() == wanted.len())
        .then_some(gate)
    }

    /// Whether everything that is copied was compared without differences: up to the gate, or all of it.
    pub fn is_verified(&self, plan: &Plan) -> bool {
        let gate = self.reached(plan);
        self.verified
            .as_ref()
            .is_some_and(|verified| verified.differences == 0 && verified.gate.as_deref() == gate)
    }

    fn stored(&self, names: &dyn Fn(&str) -> String) -> Map {
        let mut map = Map::new();
        let mut put = |name: &str, value: AttributeValue| drop(map.insert(names(name), value));
        put("plan", text(&self.plan));
        put(FROM, text(&self.before));
        put(PHASE, text(self.phase.name()));
        put("epoch", number(self.epoch));
        put("settled", number(self.settled));
        put("planned", signed(self.now_ms));
        put("paused", AttributeValue::Bool(self.paused));
        if self.captured {
            put("captured", AttributeValue::Bool(true));
        }
        put("fence", number(self.fence));
        put("revision", number(self.version));
        put("segments", number(self.segments.into()));
        if let Some(gate) = &self.gate {
            put("gate", text(gate));
        }
        if let Some(percent) = self.shadow {
            put("shadow", number(percent.into()));
        }
        match self.rate {
            Some(Rate::Items(count)) => put("rate", number(count)),
            Some(Rate::Units(count)) => put("units", number(count)),
            None => {}
        }
        if let Some(lease) = &self.lease {
            put("holder", text(&lease.holder));
            put("until", signed(lease.until_ms));
        }
        let cleaned = self
            .cleaned
            .iter()
            .map(|(table, walk)| (table.clone(), AttributeValue::M(walk.stored())))
            .collect();
        put("cleaned", AttributeValue::M(cleaned));
        if !self.backups.is_empty() {
            let backups = self.backups.iter().map(|(table, arn)| (table.clone(), text(arn)));
            put("backups", AttributeValue::M(backups.collect()));
        }
        if let Some(verified) = &self.verified {
            let members = [
                ("at", signed(verified.at_ms)),
                ("items", number(verified.items)),
                ("differences", number(verified.differences)),
                ("epoch", number(verified.epoch)),
            ];
            let gate = verified.gate.as_ref().map(|gate| ("gate", text(gate)));
            let members =
                members.into_iter().chain(gate).map(|(name, value)| (name.to_owned(), value)).collect();
            put("verified", AttributeValue::M(members));
        }
        map
    }

    fn read(map: &Map, names: &dyn Fn(&str) -> String) -> Option<State> {
        let get = |name: &str| map.get(&names(name));
        let word = as_text(get(PHASE)?)?;
        let lease = match (get("holder").and_then(as_text), get("until").and_then(as_signed)) {
            (Some(holder), Some(until_ms)) => Some(Lease { holder, until_ms }),
            _ => None,
        };
        let cleaned = match get("cleaned") {
            Some(AttributeValue::M(walks)) => {
                walks.iter().filter_map(|(table, walk)| Some((table.clone(), Walk::read(walk)?))).collect()
            }
            _ => BTreeMap::new(),
        };
        let verified = match get("verified") {
            Some(AttributeValue::M(members)) => Some(Verified {
                at_ms: as_signed(members.get("at")?)?,
                items: as_number(members.get("items")?)?,
                differences: as_number(members.get("differences")?)?,
                epoch: as_number(members.get("epoch")?)?,
                gate: members.get("gate").and_then(as_text),
            }),
            _ => None,
        };
        Some(State {
            plan: as_text(get("plan")?)?,
            before: as_text(get(FROM)?)?,
            phase: Phase::ALL.into_iter().find(|phase| phase.name() == word)?,
            epoch: as_number(get("epoch")?)?,
            settled: get("settled").and_then(as_number).unwrap_or(0),
            now_ms: as_signed(get("planned")?)?,
            paused: matches!(get("paused"), Some(AttributeValue::Bool(true))),
            captured: matches!(get("captured"), Some(AttributeValue::Bool(true))),
            gate: get("gate").and_then(as_text),
            rate: match (get("rate").and_then(as_number), get("units").and_then(as_number)) {
                (Some(items), _) => Some(Rate::Items(items)),
                (None, units) => units.map(Rate::Units),
            },
            lease,
            fence: as_number(get("fence")?)?,
            shadow: get("shadow").and_then(as_number).and_then(|percent| percent.try_into().ok()),
            segments: get("segments")
                .and_then(as_number)
                .and_then(|count| count.try_into().ok())
                .unwrap_or(0),
            walks: BTreeMap::new(),
            cleaned,
            backups: match get("backups") {
                Some(AttributeValue::M(backups)) => {
                    backups.iter().filter_map(|(table, arn)| Some((table.clone(), as_text(arn)?))).collect()
                }
                _ => BTreeMap::new(),
            },
            verified,
            version: as_number(get("revision")?)?,
        })
    }
}

impl Walk {
    pub(crate) fn stored(&self) -> Map {
        let mut map = Map::new();
        let mut put = |name: &str, value: AttributeValue| drop(map.insert(name.to_owned(), value));
        if let Some(after) = &self.after {
            put("after", AttributeValue::M(after.clone()));
        }
        put("done", AttributeValue::Bool(self.is_done));
        for (name, count) in [
            ("seen", self.seen),
            ("copied", self.copied),
            ("there", self.there),
            ("retried", self.retried),
            ("conflicts", self.conflicts),
            ("units", self.units),
        ] {
            put(name, number(count));
        }
        map
    }

    pub(crate) fn read(value: &AttributeValue) -> Option<Walk> {
        let AttributeValue::M(map) = value else { return None };
        let count = |name: &str| map.get(name).and_then(as_number).unwrap_or(0);
        let after = match map.get("after") {
            Some(AttributeValue::M(after)) => Some(after.clone()),
            _ => None,
        };
        let is_done = matches!(map.get("done"), Some(AttributeValue::Bool(true)));
        Some(Walk {
            after,
            is_done,
            seen: count("seen"),
            copied: count("copied"),
            there: count("there"),
            retried: count("retried"),
            conflicts: count("conflicts"),
            units: count("units"),
        })
    }
}

/// The item that holds the state of a migration: in the first old table that has room for it.
#[derive(Clone)]
pub(crate) struct Home {
    pub(crate) place: Place,
    taken: Vec<String>,
}

impl Home {
    /// None if no old table has a text as its partition key.
    pub(crate) fn of(plan: &Plan) -> Option<Home> {
        let scope = plan.old.scope(None);
        let at = |info: &EntityInfo| {
            let key = reserved_key(&scope, info, MIGRATION);
            matches!(key.get(&*info.partition), Some(AttributeValue::S(_))).then(|| {
                let names = [
                    "plan", FROM, PHASE, "epoch", "settled", "planned", "paused", "gate", "fence",
                    "revision", "rate", "units", "holder", "until", "shadow", "segments", "walks", "cleaned",
                    "verified", "backups", "captured", "carried", "unfit", "rounds",
                ];
                let taken = names
                    .iter()
                    .filter(|name| info.aside(name) != **name)
                    .map(|name| (*name).to_owned())
                    .collect();
                Home { place: Place::at(info, key), taken }
            })
        };
        plan.entities(Side::Old).find_map(at)
    }

    pub(crate) fn name(&self, name: &str) -> String {
        match self.taken.iter().any(|taken| taken == name) {
            true => format!("sortkey#{name}"),
            false => name.to_owned(),
        }
    }

    /// The state; none if no migration was prepared, or the table is gone.
    pub(crate) async fn read(&self, backend: &Steady) -> Result<Option<State>, ApiError> {
        let input = GetItemInput {
            table_name: self.place.table_name(),
            key: self.place.key.clone().into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        match backend.ask::<GetItem>(input).await {
            Ok(output) => match output.item {
                None => Ok(None),
                Some(item) => match State::read(&item.to_map(), &|name| self.name(name)) {
                    Some(state) => Ok(Some(state)),
                    None => Err(ApiError::validation(
                        "the state of the migration cannot be read: it was written by another version of Sortkey",
                    )),
                },
            },
            Err(error) if error.kind == ErrorKind::ResourceNotFoundException => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the state; false if it is not what was read.
    pub(crate) async fn write(
        &self,
        backend: &Steady,
        read: Option<&State>,
        mut state: State,
    ) -> Result<Option<State>, ApiError> {
        state.version = read.map_or(0, |read| read.version) + 1;
        let effect = self.replacing(read, &state);
        let input = TransactWriteItemsInput {
            transact_items: vec![effect.member()],
            client_request_token: Some(backend.token()?),
            ..TransactWriteItemsInput::default()
        };
        match backend.ask::<TransactWriteItems>(input).await {
            Ok(_) => Ok(Some(state)),
            Err(error) if error.kind == ErrorKind::TransactionCanceledException => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The write of a state that has its number already.
    pub(crate) fn replacing(&self, read: Option<&State>, state: &State) -> Effect {
        let mut item = self.place.map();
        item.extend(state.stored(&|name| self.name(name)));
        let condition = match read {
            Some(read) => same::has(&self.name("revision"), Some(number(read.version))),
            None => same::vacant(&self.place),
        };
        Effect::new(self.place.clone(), Act::Put(Item::from_map(&item)), condition)
    }
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn number(number: u64) -> AttributeValue {
    signed(i64::try_from(number).unwrap_or(i64::MAX))
}

fn signed(number: i64) -> AttributeValue {
    AttributeValue::N(Number::from(number))
}

fn as_text(value: &AttributeValue) -> Option<String> {
    match value {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    }
}

fn as_signed(value: &AttributeValue) -> Option<i64> {
    match value {
        AttributeValue::N(number) => number.to_i64(),
        _ => None,
    }
}

fn as_number(value: &AttributeValue) -> Option<u64> {
    as_signed(value).and_then(|number| u64::try_from(number).ok())
}
