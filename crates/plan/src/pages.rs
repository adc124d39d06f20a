//! The requests of a pattern along its path, without those of its rule.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{BindValue, Bound, Entity, Expr, Pattern, Program};

use crate::cost::{Cost, read_units};
use crate::flow::{Flow, Page};
use crate::request::{KEY_BYTES, Query, Request, Role, entry_bytes};
use crate::text::conditions;
use crate::{ReadPlan, SortUse, Way, scans};

/// The assumed number of items where none is declared.
pub(crate) const SOME: u64 = 10;

/// The requests of a pattern. Inside an operation a list is read to its end.
pub(crate) fn reads(program: &Program, pattern: &Pattern, plan: &ReadPlan, to_the_end: bool) -> Flow {
    let entity = &program.entities[plan.path.entity];
    let what = format!("{} through {}", pattern.name, plan.path.describe(program));
    let pages = Pages { program, pattern, plan, entity, what, to_the_end };
    let found = match (pattern.verb, plan.path.way) {
        (ReadVerb::Get, Way::Guard(_)) => pages.through_guard(),
        (ReadVerb::Get, Way::Key) => pages.by_key(),
        _ => pages.queries(),
    };
    // Another tenant's items are not requested.
    let names_tenant =
        entity.tenant.is_some_and(|tenant| pattern.bind(Bound::Attribute(tenant.attribute)).is_some());
    let quiet = !pattern.is_list() && names_tenant && !pattern.system;
    Flow::Seq(vec![if quiet { found.asked() } else { found }, pages.then()])
}

/// How many items one page or one call is expected to read.
pub(crate) fn expected_items(pattern: &Pattern, entity: &Entity, to_the_end: bool) -> u64 {
    let bounded = match to_the_end {
        true => pattern.limit,
        false => pattern.page.or(pattern.limit),
    };
    let is_bound = |attribute| pattern.bind(Bound::Attribute(attribute)).is_some();
    let per = entity.volume.per.iter().find(|share| is_bound(share.attribute)).map(|share| share.usual);
    match (bounded, per) {
        (Some(bound), Some(per)) => bound.min(per.max(1)),
        (Some(bound), None) => bound,
        (None, Some(per)) => per,
        (None, None) => SOME,
    }
}

struct Pages<'p> {
    program: &'p Program,
    pattern: &'p Pattern,
    plan: &'p ReadPlan,
    entity: &'p Entity,
    what: String,
    to_the_end: bool,
}

impl Pages<'_> {
    fn bytes(&self) -> u64 {
        self.entity.volume.bytes
    }

    /// The kind of the items.
    fn role(&self) -> Role {
        Role::Item(self.plan.path.entity)
    }

    /// One item by its key.
    fn get(&self, role: Role, bytes: u64, what: String) -> Flow {
        Flow::Send(Request::get((self.plan.path.table, role), bytes, self.plan.strong, what))
    }

    /// The guard, then the item that it names.
    fn through_guard(&self) -> Flow {
        let guard = match self.plan.path.way {
            Way::Guard(unique) => Role::Guard(self.plan.path.entity, unique),
            _ => self.role(),
        };
        let guard = self.get(guard, KEY_BYTES, format!("the guard of {}", self.what));
        let item = self.get(self.role(), self.bytes(), self.what.clone());
        Flow::Seq(vec![guard, item.maybe()])
    }

    fn by_key(&self) -> Flow {
        let get = self.get(self.role(), self.bytes(), self.what.clone());
        let get = match self.fan_out() {
            1 => get,
            values => get.each("the values", values as f64),
        };
        if self.is_certain() { get } else { Flow::Any(vec![get, self.page()]).maybe() }
    }

    /// Whole keys need no query; one query per value otherwise.
    fn queries(&self) -> Flow {
        let lists = self.has_lists();
        if !(self.fan_out() > 1 && self.is_whole_key()) {
            return if lists { self.page().maybe() } else { self.page() };
        }
        let (table, strong) = (self.plan.path.table, self.plan.strong);
        let items =
            Request::items((table, self.role()), self.bytes(), self.fan_out(), strong, self.what.clone());
        let items = Flow::Send(items);
        match (lists, self.is_certain()) {
            (true, _) => Flow::Any(vec![items, self.page()]).maybe(),
            (false, true) => items,
            (false, false) => Flow::Any(vec![items, self.page()]),
        }
    }

    fn page(&self) -> Flow {
        let (path, strong) = (self.plan.path, self.plan.strong);
        let (bytes, queries) = (self.bytes(), self.fan_out());
        let is_get = self.pattern.verb == ReadVerb::Get;
        let count = if is_get { 1 } else { expected_items(self.pattern, self.entity, self.to_the_end) };
        let fetched = || match is_get {
            true => {
                Request::get((path.table, self.role()), bytes, strong, format!("the {}", self.entity.name))
            }
            false => {
                let what = format!("the {} items", self.entity.name);
                Request::items((path.table, self.role()), bytes, count, strong, what)
            }
        };
        // A rule about the items is asked of each.
        let asks_each = self.pattern.requires.as_ref().is_some_and(Expr::concerns_item);
        let bounded = is_get
            || (self.pattern.verb == ReadVerb::Exists && (self.pattern.system || !asks_each))
            || (!self.to_the_end && self.pattern.page.is_some());
        let bounded = bounded || self.pattern.limit.is_some();
        let ordered = self.pattern.order.is_some() && queries > 1;
        Flow::Page(Page {
            query: self.query(count, queries),
            queries,
            every: self.is_certain() && (!bounded || ordered),
            fetch: self.plan.fetches.then(fetched),
        })
    }

    /// One of the queries that read some items together.
    fn query(&self, count: u64, queries: u64) -> Request {
        let (path, strong) = (self.plan.path, self.plan.strong);
        let read = match path.index_in(self.program) {
            Some(_) if self.plan.fetches => self.bytes().min(KEY_BYTES),
            Some(index) => entry_bytes(index, self.bytes()),
            None => self.bytes(),
        };
        let query = Query {
            table: path.table,
            index: path.index(),
            strong,
            scan: matches!(path.way, Way::Scan(_)),
            entity: path.entity,
            key: self.plan.key.clone(),
        };
        let cost = match path.way {
            Way::Scan(_) => scans::cost(self.program, self.pattern, path, self.to_the_end),
            // Each query rounds up by itself.
            _ => {
                let each = count.saturating_mul(read).div_ceil(queries.max(1));
                Cost { requests: 1.0, rcu: read_units(each, strong), wcu: 0.0 }
            }
        };
        let conditions = conditions(self.program, self.pattern, self.plan);
        let what = match conditions.is_empty() {
            true => self.what.clone(),
            false => format!("{} where {conditions}", self.what),
        };
        Request::query(query, cost, what)
    }

    /// The items that the found ones point to.
    fn then(&self) -> Flow {
        let then = self.pattern.then.filter(|_| self.pattern.is_list());
        let next = then.and_then(|id| {
            let entity = &self.program.entities[id];
            Some((entity, (entity.table?, Role::Item(id))))
        });
        let Some((next, place)) = next else {
            return Flow::nothing();
        };
        let count = expected_items(self.pattern, self.entity, self.to_the_end);
        let what = format!("the {} items", next.name);
        Flow::Send(Request::items(place, next.volume.bytes, count, self.plan.strong, what)).maybe()
    }

    fn has_lists(&self) -> bool {
        self.pattern.binds.iter().any(|bind| matches!(bind.value, BindValue::In(_)))
    }

    /// One query per value of each `in`.
    fn fan_out(&self) -> u64 {
        let values = self.pattern.binds.iter().map(|bind| match (&bind.value, bind.to) {
            (BindValue::All, Bound::Attribute(id)) => {
                self.entity.attributes[id].ty.cardinality().unwrap_or(1)
            }
            (BindValue::In(_), _) => SOME,
            _ => 1,
        });
        values.fold(1, u64::saturating_mul)
    }

    /// Whether every parameter must be given, so that the arguments cannot change the kind of request.
    fn is_certain(&self) -> bool {
        let parameters = &self.pattern.signature.parameters;
        !self.has_lists() && parameters.iter().all(|each| !each.optional || each.of_caller.is_some())
    }

    fn is_whole_key(&self) -> bool {
        let sort = self.plan.sort == SortUse::Equal
            || (self.entity.key.sort.is_empty() && self.plan.sort == SortUse::Whole);
        self.plan.path.way == Way::Key && sort && self.pattern.verb != ReadVerb::Collect
    }
}
