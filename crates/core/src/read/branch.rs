//! The queries of a page: what each asks, how far it has come, and what they give together.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::join::join_all;
use sortkey_api::operations::{QueryInput, ScanInput};
use sortkey_design::Program;
use sortkey_plan::Way;
use sortkey_value::{Item, key};

use super::Read;
use super::asked::{Asked, Expressed};
use super::sent::SentFilter;
use crate::Failure;
use crate::cursor::Position;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Known;

/// Requests that one query of a page may take before the page is cut short, and its cursor goes on from there.
const MAX_ROUNDS: u32 = 100;

/// How often the limit of a query is doubled that does not find what it looks for.
const MAX_DOUBLINGS: u32 = 10;

/// One query of a pattern and how far it has come.
pub(super) struct Branch {
    /// The key condition; none for a scan.
    asked: Option<Asked>,
    /// The conditions that DynamoDB checks itself.
    pub(super) sent: Option<Arc<SentFilter>>,
    /// The beginning of this page.
    pub(super) position: Position,
    /// The last item that was used.
    pub(super) last: Option<Item>,
    /// Read, not yet used.
    pub(super) waiting: VecDeque<Item>,
    /// The position that DynamoDB returned; `Start` before the first request.
    pub(super) next: Position,
    /// Whether a page of it may end before it is full.
    pub(super) is_cut_short: bool,
    rounds: u32,
}

impl Branch {
    /// Whether nothing more comes of it.
    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.next == Position::End
    }
}

impl Read {
    /// The queries of some known values, before anything is read.
    pub(super) fn begin(&self, scope: &Scope<'_>, branches: &[Known<'_>]) -> Result<Vec<Branch>, Failure> {
        let mut begun = Vec::with_capacity(branches.len());
        for known in branches {
            let asked = match self.plan.path.way {
                Way::Scan(_) => None,
                _ => match self.asked(scope, known)? {
                    Some(asked) => Some(asked),
                    // A part of the partition key is not known: there can be no such item.
                    None => continue,
                },
            };
            let (position, next) = (Position::Start, Position::Start);
            // Two values may make one key: the items under it are read once.
            if begun.iter().any(|branch: &Branch| asked.is_some() && branch.asked == asked) {
                continue;
            }
            begun.push(Branch {
                asked,
                sent: None,
                position,
                last: None,
                waiting: VecDeque::new(),
                next,
                is_cut_short: false,
                rounds: 0,
            });
        }
        Ok(begun)
    }

    /// The next items of all queries together, in order.
    pub(super) async fn merge(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: &mut [Branch],
        wanted: Option<usize>,
    ) -> Result<Vec<Item>, Failure> {
        if let [branch] = branches {
            return self.next(session, branch, wanted).await;
        }
        if self.pattern.order.is_some() {
            return self.in_order(session, scope, branches, wanted).await;
        }
        let mut taken = Vec::new();
        for branch in branches {
            let left = wanted.map(|wanted| wanted - taken.len());
            if left == Some(0) {
                break;
            }
            taken.extend(self.next(session, branch, left).await?);
        }
        Ok(taken)
    }

    /// The next items of several queries, by their sort keys.
    async fn in_order(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: &mut [Branch],
        wanted: Option<usize>,
    ) -> Result<Vec<Item>, Failure> {
        // Any query may have the next item, so all are sent at the same time.
        let filled = branches.iter_mut().map(|branch| self.fill(session, branch, wanted));
        join_all(filled).await.into_iter().collect::<Result<Vec<()>, Failure>>()?;
        // Places are computed once for each item, which is compared with those of all other queries until it is taken.
        let place = |branch: &Branch| branch.waiting.front().map(|item| self.place(scope, item));
        let mut places: Vec<Option<Vec<u8>>> = branches.iter().map(place).collect();
        let mut taken = Vec::new();
        while wanted.is_none_or(|wanted| taken.len() < wanted) {
            let heads = places.iter().enumerate().filter_map(|(at, place)| Some((at, place.as_ref()?)));
            let first = match self.plan.descending {
                true => heads.min_by(|(_, left), (_, right)| right.cmp(left)),
                false => heads.min_by(|(_, left), (_, right)| left.cmp(right)),
            };
            let Some(at) = first.map(|(at, _)| at) else { break };
            let branch = &mut branches[at];
            if let Some(item) = branch.waiting.pop_front() {
                branch.last = Some(item.clone());
                taken.push(item);
            }
            let left = wanted.map(|wanted| wanted - taken.len());
            if left != Some(0) {
                self.fill(session, branch, left).await?;
                places[at] = place(branch);
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
            match taken.is_empty() && count == branch.waiting.len() {
                true => taken = std::mem::take(&mut branch.waiting).into(),
                false => taken.extend(branch.waiting.drain(..count)),
            }
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
        while branch.waiting.is_empty()
            && branch.next != Position::End
            && !(branch.is_cut_short && branch.rounds >= MAX_ROUNDS)
        {
            let start = match &branch.next {
                Position::After(key) => Some(key.clone().into()),
                _ => None,
            };
            let limit = wanted.map(|wanted| limit(wanted, branch));
            let (items, last) = match &branch.asked {
                Some(asked) => {
                    let mut input = self.query(asked);
                    if let Some(sent) = &branch.sent {
                        sent.add_to(&mut input);
                    }
                    let input = QueryInput { exclusive_start_key: start, limit, ..input };
                    let output = session.query(input).await?;
                    (output.items.unwrap_or_default(), output.last_evaluated_key)
                }
                None => {
                    let input = ScanInput {
                        table_name: self.table.clone(),
                        index_name: self.index.clone(),
                        exclusive_start_key: start,
                        limit,
                        consistent_read: self.plan.strong.then_some(true),
                        ..ScanInput::default()
                    };
                    let output = session.scan(input).await?;
                    (output.items.unwrap_or_default(), output.last_evaluated_key)
                }
            };
            // Without a bound the whole answer is wanted, however many requests it takes.
            branch.rounds += u32::from(wanted.is_some());
            branch.waiting = items.into();
            // A whole key has one item, and DynamoDB refuses to go on behind it.
            let last = last.filter(|_| !self.is_whole_key(&session.shared.program));
            branch.next = last.map_or(Position::End, Position::After);
        }
        Ok(())
    }

    /// Whether a query names a whole key of the table.
    fn is_whole_key(&self, program: &Program) -> bool {
        self.plan.path.way == Way::Key && program.tables[self.plan.path.table].key.sort.is_empty()
    }

    /// The query of a key, from its beginning to its end.
    pub(super) fn query(&self, asked: &Asked) -> QueryInput {
        let Expressed { text, names, values } = asked.expressed(&self.print);
        QueryInput {
            table_name: self.table.clone(),
            index_name: self.index.clone(),
            key_condition_expression: Some(text),
            expression_attribute_names: names,
            expression_attribute_values: Some(values.into()),
            scan_index_forward: self.plan.descending.then_some(false),
            consistent_read: self.plan.strong.then_some(true),
            ..QueryInput::default()
        }
    }

    /// The place of an item among those of all queries, as bytes in their order: by the sort key, then by the table's key.
    fn place(&self, scope: &Scope<'_>, item: &Item) -> Vec<u8> {
        let program = &scope.shared.program;
        let table = &program.tables[self.plan.path.table].key;
        let mut bytes = Vec::with_capacity(64);
        for name in self.key(program).sort.iter().chain(table.names()) {
            if let Some(value) = item.get(name) {
                // Key attributes are strings, numbers or bytes, so this cannot fail.
                let _ = key::put_component(&mut bytes, value);
            }
        }
        bytes
    }
}

/// The limit of the next request of a query. A search without a cursor that found too little so far looks at more and more
/// items, since one request for each item that a filter drops would take as many requests as there are items.
fn limit(wanted: usize, branch: &Branch) -> i32 {
    let doublings = if branch.is_cut_short { 0 } else { branch.rounds.min(MAX_DOUBLINGS) };
    i32::try_from(wanted.max(1).saturating_mul(1 << doublings)).unwrap_or(i32::MAX)
}
