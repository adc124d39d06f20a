//! Pages: queries side by side, merged in order, filtered, until a page is full.
//!
//! A page holds as many items as the pattern promises even where filters drop some of what is read; reading on is
//! bounded, and a cursor then continues from where reading stopped.

use std::cmp::Ordering;
use std::collections::VecDeque;

use futures_util::future::join_all;
use sortkey_api::operations::{QueryInput, ScanInput};
use sortkey_design::Program;
use sortkey_value::{Item, Map, ValueRef, key};

use super::{Hit, Paging, Read, Route};
use crate::Failure;
use crate::answer::to_public_json;
use crate::condition::Placeholders;
use crate::cursor::{self, Position};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::{Fields, Val};

/// Requests that one query of a page may take before the page is cut short.
const MAX_ROUNDS: usize = 100;

/// One query of a pattern and how far it has come.
struct Branch {
    /// The key condition with its placeholders; none for a scan.
    condition: Option<(String, Placeholders)>,
    /// Where this page began.
    position: Position,
    /// The last item that was used.
    last: Option<Item>,
    /// Read, not yet used.
    waiting: VecDeque<Item>,
    /// Where DynamoDB says to go on; `Start` before the first request.
    next: Position,
    rounds: usize,
}

impl Read {
    /// Up to `most` items (all of them if there is no bound), and the cursor behind them.
    pub(super) async fn page(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Fields>,
        most: Option<usize>,
        paging: Paging<'_>,
    ) -> Result<(Vec<Hit>, Option<String>), Failure> {
        if branches.len() > 1 && branches.iter().all(|known| self.is_key_lookup(scope, known)) {
            return Ok((self.batch(session, scope, &branches).await?, None));
        }
        let mut branches = self.begin(scope, &branches)?;
        if let (Some(cursor), Some(context)) = (paging.cursor, paging.context) {
            let key = &scope.shared.settings.cursor_key;
            resume(&mut branches, cursor::open(key, &self.bound_to(scope, context), cursor)?)?;
        }
        let sieve = self.sieve(scope);
        let mut found = Vec::new();
        loop {
            let wanted = most.map(|most| most.saturating_sub(found.len()));
            if wanted == Some(0) {
                break;
            }
            let taken = self.merge(session, scope, &mut branches, wanted).await?;
            if taken.is_empty() {
                break;
            }
            found.reserve(taken.len());
            for item in self.whole(session, scope, taken).await? {
                found.extend(self.admitted(scope, &sieve, item)?);
            }
        }
        let cursor = match paging.context {
            Some(context) if !branches.iter().all(Branch::is_over) => {
                let positions: Vec<Position> =
                    branches.iter().map(|branch| self.reached(scope, branch)).collect();
                let key = &scope.shared.settings.cursor_key;
                Some(cursor::seal(key, &self.bound_to(scope, context), &positions)?)
            }
            _ => None,
        };
        Ok((found, cursor))
    }

    /// `x in list` where the keys are whole: no query is needed.
    async fn batch(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: &[Fields],
    ) -> Result<Vec<Hit>, Failure> {
        let keys: Vec<Map> = branches.iter().filter_map(|known| self.table_key(scope, known)).collect();
        let items = super::fetch::items(session, self.entity(scope), &keys, self.pattern.strong).await?;
        let sieve = self.sieve(scope);
        let mut found = Vec::new();
        for item in items.into_iter().flatten() {
            found.extend(self.admitted(scope, &sieve, item)?);
        }
        Ok(found)
    }

    fn begin(&self, scope: &Scope<'_>, branches: &[Fields]) -> Result<Vec<Branch>, Failure> {
        let mut begun = Vec::with_capacity(branches.len());
        for known in branches {
            let mut placeholders = Placeholders::default();
            let condition = match self.route {
                Route::Scan(_) => None,
                _ => match self.key_condition(scope, known, &mut placeholders)? {
                    Some(condition) => Some((condition, placeholders)),
                    // A part of the partition key is not known: there can be no such item.
                    None => continue,
                },
            };
            let (position, next) = (Position::Start, Position::Start);
            begun.push(Branch { condition, position, last: None, waiting: VecDeque::new(), next, rounds: 0 });
        }
        Ok(begun)
    }

    /// The next items of all queries together, in order.
    async fn merge(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: &mut [Branch],
        wanted: Option<usize>,
    ) -> Result<Vec<Item>, Failure> {
        if let [branch] = branches {
            return self.next(session, branch, wanted).await;
        }
        let mut taken = Vec::new();
        while wanted.is_none_or(|wanted| taken.len() < wanted) {
            let left = wanted.map(|wanted| wanted - taken.len());
            let ordered = self.pattern.order.is_some() && branches.len() > 1;
            if ordered {
                // Every query has a say in what comes next, so all are asked at the same time.
                let filled = branches.iter_mut().map(|branch| self.fill(session, branch, left));
                join_all(filled).await.into_iter().collect::<Result<Vec<()>, Failure>>()?;
            } else {
                for branch in branches.iter_mut() {
                    self.fill(session, branch, left).await?;
                    if !branch.waiting.is_empty() {
                        break;
                    }
                }
            }
            let heads =
                branches.iter().enumerate().filter_map(|(at, branch)| Some((at, branch.waiting.front()?)));
            let first = match ordered {
                true => heads.min_by(|(_, left), (_, right)| self.compare(scope, left, right)),
                false => heads.into_iter().next(),
            };
            let Some(at) = first.map(|(at, _)| at) else { break };
            if let Some(item) = branches[at].waiting.pop_front() {
                branches[at].last = Some(item.clone());
                taken.push(item);
            }
        }
        Ok(taken)
    }

    /// The next items of the only query.
    async fn next(
        &self,
        session: &Session<'_>,
        branch: &mut Branch,
        wanted: Option<usize>,
    ) -> Result<Vec<Item>, Failure> {
        let mut taken = Vec::new();
        while wanted.is_none_or(|wanted| taken.len() < wanted) {
            let left = wanted.map(|wanted| wanted - taken.len());
            self.fill(session, branch, left).await?;
            let count = left.unwrap_or(usize::MAX).min(branch.waiting.len());
            if count == 0 {
                break;
            }
            taken.extend(branch.waiting.drain(..count));
        }
        if let Some(last) = taken.last() {
            branch.last = Some(last.clone());
        }
        Ok(taken)
    }

    /// Reads on if nothing is waiting.
    async fn fill(
        &self,
        session: &Session<'_>,
        branch: &mut Branch,
        wanted: Option<usize>,
    ) -> Result<(), Failure> {
        while branch.waiting.is_empty() && branch.next != Position::End && branch.rounds < MAX_ROUNDS {
            let start = match &branch.next {
                Position::After(key) => Some(key.clone().into()),
                _ => None,
            };
            let limit = wanted.map(|wanted| i32::try_from(wanted.max(1)).unwrap_or(i32::MAX));
            let (items, last) = match &branch.condition {
                Some((condition, placeholders)) => {
                    let input = self.query(condition.clone(), placeholders.clone());
                    let input = QueryInput { exclusive_start_key: start, limit, ..input };
                    let output = session.query(input).await?;
                    (output.items.unwrap_or_default(), output.last_evaluated_key)
                }
                None => {
                    let index_name = match &self.route {
                        Route::Scan(Some((_, name))) => Some(name.clone()),
                        _ => None,
                    };
                    let input = ScanInput {
                        table_name: self.table.clone(),
                        index_name,
                        exclusive_start_key: start,
                        limit,
                        consistent_read: self.pattern.strong.then_some(true),
                        ..ScanInput::default()
                    };
                    let output = session.scan(input).await?;
                    (output.items.unwrap_or_default(), output.last_evaluated_key)
                }
            };
            // Without a bound the whole answer is wanted, however many requests it takes.
            branch.rounds += usize::from(wanted.is_some());
            branch.waiting = items.into();
            // A whole key has one item, and DynamoDB refuses to go on behind it.
            let last = last.filter(|_| !self.is_whole_key(&session.shared.program));
            branch.next = last.map_or(Position::End, Position::After);
        }
        Ok(())
    }

    /// Whether a query names a whole key of the table.
    fn is_whole_key(&self, program: &Program) -> bool {
        self.route == Route::Table && program.tables[self.table_id].key.sort.is_empty()
    }

    /// The query of a key condition, from its beginning to its end.
    pub(super) fn query(&self, condition: String, placeholders: Placeholders) -> QueryInput {
        let (names, values) = placeholders.into_parts();
        QueryInput {
            table_name: self.table.clone(),
            index_name: match &self.route {
                Route::Index(_, name) => Some(name.clone()),
                _ => None,
            },
            key_condition_expression: Some(condition),
            expression_attribute_names: names,
            expression_attribute_values: values,
            scan_index_forward: self.is_descending().then_some(false),
            consistent_read: self.pattern.strong.then_some(true),
            ..QueryInput::default()
        }
    }

    async fn whole(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        taken: Vec<Item>,
    ) -> Result<Vec<Item>, Failure> {
        match self.fetches {
            true => Ok(self.fetch(session, scope, &taken).await?.into_iter().flatten().collect()),
            false => Ok(taken),
        }
    }

    fn is_descending(&self) -> bool {
        self.pattern.order.as_ref().is_some_and(|order| order.descending)
    }

    /// The order of two items of different queries: that of the sort key, then of the table's key.
    fn compare(&self, scope: &Scope<'_>, left: &Item, right: &Item) -> Ordering {
        let program = &scope.shared.program;
        let bytes = |item: &Item| {
            let mut bytes = Vec::new();
            let table = &program.tables[self.table_id].key;
            for name in self.key(program).sort.iter().chain(table.names()) {
                if let Some(value) = item.get(name) {
                    // Key attributes are strings, numbers or bytes, so this cannot fail.
                    let _ = key::put_component(&mut bytes, value);
                }
            }
            bytes
        };
        let order = bytes(left).cmp(&bytes(right));
        if self.is_descending() { order.reverse() } else { order }
    }

    /// Where the next page goes on: behind the last item that was used, or behind all that was read.
    fn reached(&self, scope: &Scope<'_>, branch: &Branch) -> Position {
        match (branch.waiting.is_empty(), &branch.next, &branch.last) {
            (true, next @ (Position::End | Position::After(_)), _) => next.clone(),
            (_, _, Some(last)) => Position::After(self.starting_key(scope, last)),
            (_, _, None) => branch.position.clone(),
        }
    }

    /// Where a query goes on behind an item: the key of the table and of the index.
    fn starting_key(&self, scope: &Scope<'_>, item: &Item) -> Item {
        let program = &scope.shared.program;
        let table = &program.tables[self.table_id].key;
        let names = table.names().chain(self.key(program).names());
        let value = |name: &str| item.get(name).map(|value: ValueRef<'_>| value.to_owned());
        let map: Map = names.filter_map(|name| Some((name.to_string(), value(name)?))).collect();
        Item::from(map)
    }

    /// What a cursor belongs to: one pattern with one set of arguments, asked by one caller.
    fn bound_to(&self, scope: &Scope<'_>, pattern: &str) -> Vec<u8> {
        let own = scope.caller.as_ref().map(|caller| Val::Map((**caller).clone())).unwrap_or_default();
        let given = self.pattern.signature.parameters.iter();
        let given = given.filter_map(|each| Some((each.name.clone(), scope.get(each.local)?.clone())));
        let arguments = Val::Map(given.collect());
        let context = [pattern.into(), to_public_json(scope, &arguments), to_public_json(scope, &own)];
        serde_json::Value::from(context.to_vec()).to_string().into_bytes()
    }
}

impl Branch {
    fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.next == Position::End
    }
}

fn resume(branches: &mut [Branch], positions: Vec<Position>) -> Result<(), Failure> {
    if branches.len() != positions.len() {
        return Err(Failure::invalid("cursor", "the cursor does not belong to this query"));
    }
    for (branch, position) in branches.iter_mut().zip(positions) {
        branch.next = position.clone();
        branch.position = position;
    }
    Ok(())
}
