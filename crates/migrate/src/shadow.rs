//! The phase before the switch: the old design answers, and some of its answers are compared with those of the new one.
//!
//! Comparisons run in parallel to the call, so that no caller waits for them. Their results are counted by pattern, in an
//! item beside the state.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sortkey_api::ApiError;
use sortkey_api::operations::{
    DeleteItem, DeleteItemInput, GetItem, GetItemInput, UpdateItem, UpdateItemInput,
};
use sortkey_core::Observer;
use sortkey_core::internals::Fields;
use sortkey_design::program::PatternId;
use sortkey_value::{AttributeValue, Map, Number};

use crate::mapper::Mapper;
use crate::patterns::{Compared, Pair, pairs};
use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::state::{Home, Phase};
use crate::steady::Steady;
use crate::verify::Answers;
use crate::watch::Watch;

/// The name of the item with the counts.
const COUNTS: &str = "shadow";
/// Before the names of patterns: answers that were compared, and that differ.
const COMPARED: &str = "compared ";
const DIFFERENT: &str = "different ";
/// How long counts are collected before they are written down.
const COLLECTED: Duration = Duration::from_secs(1);
/// Comparisons at once; calls beyond them are not compared.
const AT_ONCE: usize = 32;

/// Starts a task in the background.
pub type Spawn = Arc<dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync>;

/// Compares answers while a migration is in its phase `shadow`.
pub struct Shadow {
    inner: Arc<Inner>,
    spawn: Spawn,
}

struct Inner {
    plan: Arc<Plan>,
    backend: Steady,
    watch: Arc<Watch>,
    home: Home,
    pairs: Vec<Pair>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// By pattern: answers that were compared, and that differ.
    open: BTreeMap<Arc<str>, (u64, u64)>,
    running: usize,
    is_due: bool,
}

impl Shadow {
    /// An observer of the old design; none if the state of the migration has no place.
    pub fn new(plan: Arc<Plan>, backend: Steady, watch: Arc<Watch>, spawn: Spawn) -> Option<Shadow> {
        let home = Home::of(&plan)?;
        let (pairs, _) = pairs(&plan);
        let inner = Inner { plan, backend, watch, home, pairs, counts: Mutex::default() };
        Some(Shadow { inner: Arc::new(inner), spawn })
    }
}

impl Observer for Shadow {
    fn reads(&self, pattern: PatternId, known: Fields) {
        let Some((now_ms, percent)) = self.inner.share() else { return };
        if self.inner.backend.dice(100) >= u64::from(percent) {
            return;
        }
        for at in 0..self.inner.pairs.len() {
            if self.inner.pairs[at].old != pattern || !self.inner.begin() {
                continue;
            }
            let (inner, known) = (Arc::clone(&self.inner), known.clone());
            (self.spawn)(Box::pin(async move { inner.compare(at, now_ms, &known).await }));
        }
    }
}

impl Inner {
    /// The value of `now` in the mapping, and the share of the answers that is compared, in percent.
    fn share(&self) -> Option<(i64, u8)> {
        let state = self.watch.known()?;
        let percent = state.shadow.filter(|_| state.phase == Phase::Shadow)?;
        Some((state.now_ms, percent))
    }

    fn begin(&self) -> bool {
        let mut counts = self.counts.lock();
        let is_free = counts.running < AT_ONCE;
        counts.running += usize::from(is_free);
        is_free
    }

    async fn compare(&self, at: usize, now_ms: i64, known: &Fields) {
        let pair = &self.pairs[at];
        let mapper = Mapper { plan: &self.plan, now_ms };
        let compared = mapper.compare_steadily(&self.backend, pair, known, None).await;
        let is_first = {
            let mut counts = self.counts.lock();
            counts.running -= 1;
            let differs = match compared {
                Ok(Compared::Same) => 0,
                Ok(Compared::Differs(_)) => 1,
                // An error of the backend is no evidence about the answers.
                Ok(Compared::Unable) | Err(_) => return,
            };
            let count = counts.open.entry(pair.name.clone()).or_default();
            *count = (count.0 + 1, count.1 + differs);
            !std::mem::replace(&mut counts.is_due, true)
        };
        if is_first {
            self.backend.pause(COLLECTED).await;
            let open = {
                let mut counts = self.counts.lock();
                counts.is_due = false;
                std::mem::take(&mut counts.open)
            };
            if self.home.count(&self.backend, &open).await.is_err() {
                let mut counts = self.counts.lock();
                for (name, (compared, different)) in open {
                    let count = counts.open.entry(name).or_default();
                    *count = (count.0 + compared, count.1 + different);
                }
            }
        }
    }
}

impl Home {
    /// Adds to the counts of answers.
    async fn count(&self, backend: &Steady, open: &BTreeMap<Arc<str>, (u64, u64)>) -> Result<(), ApiError> {
        let (mut names, mut values, mut parts) = (BTreeMap::new(), Map::new(), Vec::new());
        for (name, (compared, different)) in open {
            for (prefix, count) in [(COMPARED, compared), (DIFFERENT, different)] {
                let at = names.len();
                names.insert(format!("#m{at}"), format!("{prefix}{name}"));
                let count = i64::try_from(*count).unwrap_or(i64::MAX);
                values.insert(format!(":m{at}"), AttributeValue::N(Number::from(count)));
                parts.push(format!("#m{at} :m{at}"));
            }
        }
        let place = self.beside(COUNTS);
        let input = UpdateItemInput {
            table_name: place.table_name(),
            key: place.key.clone().into(),
            update_expression: Some(format!("ADD {}", parts.join(", "))),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(sortkey_value::Item::from_map(&values).into()),
            ..UpdateItemInput::default()
        };
        backend.ask::<UpdateItem>(input).await.map(drop)
    }

    pub(crate) async fn forget_counts(&self, backend: &Steady) -> Result<(), ApiError> {
        let place = self.beside(COUNTS);
        let input = DeleteItemInput {
            table_name: place.table_name(),
            key: place.key.clone().into(),
            ..DeleteItemInput::default()
        };
        backend.ask::<DeleteItem>(input).await.map(drop)
    }
}

impl Runner {
    /// Compares so many of a hundred answers from now on, while the old design answers.
    pub async fn shadow(&self, percent: u8) -> Result<crate::State, Refusal> {
        if !(1..=100).contains(&percent) {
            return Err(Refusal::new(format!(
                "{percent} %: between 1 and 100 of a hundred answers are compared"
            )));
        }
        self.ready().await?;
        if self.begun().await?.phase == Phase::Both {
            self.home.forget_counts(&self.backend).await?;
        }
        self.change(|state| {
            state.shadow = Some(percent);
            Ok(())
        })
        .await?;
        self.go(&[Phase::Both], Phase::Shadow, "answers are compared before the switch").await
    }

    /// The answers that were compared since the phase `shadow` began, by pattern.
    pub async fn shadowed(&self) -> Result<Vec<Answers>, Refusal> {
        let place = self.home.beside(COUNTS);
        let input = GetItemInput {
            table_name: place.table_name(),
            key: place.key.clone().into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let item = self.backend.ask::<GetItem>(input).await?.item;
        let counts = item.map(|item| item.to_map()).unwrap_or_default();
        let count = |prefix: &str, name: &str| match counts.get(&format!("{prefix}{name}")) {
            Some(AttributeValue::N(number)) => number.to_i64().and_then(|count| u64::try_from(count).ok()),
            _ => None,
        };
        let (pairs, _) = pairs(&self.plan);
        let answers = pairs.into_iter().filter_map(|pair| {
            let compared = count(COMPARED, &pair.name)?;
            let differences = count(DIFFERENT, &pair.name).unwrap_or(0);
            Some(Answers { old: pair.name, new: pair.successor, compared, differences })
        });
        let mut answers: Vec<Answers> = answers.collect();
        answers.dedup_by(|one, other| one.old == other.old);
        Ok(answers)
    }
}
