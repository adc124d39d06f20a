//! What a pattern sends along its path, rules left aside.

use super::flow::{Flow, Page};
use super::request::{KEY_BYTES, Query, Request, entry_bytes};
use super::{Path, ReadPlan, SortUse};
use crate::facts::pattern_signature;
use crate::model::*;
use crate::size::typical_bytes;

/// Where nothing is declared, so many items are reckoned with.
const SOME: u64 = 10;

/// The requests of a pattern. Inside an operation a list is read to its end.
pub(super) fn reads<'d>(
    design: &'d Design,
    pattern: &Pattern,
    plan: &ReadPlan<'_>,
    to_the_end: bool,
) -> Flow<'d> {
    // The pattern may be made for the occasion; what the requests name is the design's.
    let table = design.table(&plan.path.table().name.text);
    let entity = design.entity(&plan.entity.name.text);
    let (Some(table), Some(entity)) = (table, entity) else {
        return Flow::nothing();
    };
    let index = match plan.path {
        Path::Index(_, index) => table.index(&index.name.text),
        _ => None,
    };
    let what = format!("{} through {}", pattern.name, plan.path.describe());
    let pages = Pages { design, pattern, plan, table, entity, index, what, to_the_end };
    let found = match (pattern.verb, plan.path) {
        (ReadVerb::Get, Path::Guard(..)) => pages.through_guard(),
        (ReadVerb::Get, Path::Table(_)) => pages.by_key(),
        _ => pages.queries(),
    };
    // Of another tenant's items nothing is asked.
    let refusable = |tenant: &Name| pattern.bind(&tenant.text).is_some() && !pattern.system;
    let quiet = !pattern.is_list() && entity.tenant.as_ref().is_some_and(refusable);
    Flow::Seq(vec![if quiet { found.asked() } else { found }, pages.then()])
}

/// How many items one page or one call is expected to read.
pub(super) fn expected_items(pattern: &Pattern, entity: &Entity, to_the_end: bool) -> u64 {
    let bounded = match to_the_end {
        true => pattern.limit,
        false => pattern.page.or(pattern.limit),
    };
    let per = entity.volume.as_ref().and_then(|volume| {
        let (_, usual, _) = volume.per.iter().find(|(name, _, _)| pattern.bind(&name.text).is_some())?;
        Some(*usual)
    });
    match (bounded, per) {
        (Some(bound), Some(per)) => bound.min(per.max(1)),
        (Some(bound), None) => bound,
        (None, Some(per)) => per,
        (None, None) => SOME,
    }
}

struct Pages<'d, 'p> {
    design: &'d Design,
    pattern: &'p Pattern,
    plan: &'p ReadPlan<'p>,
    table: &'d Table,
    entity: &'d Entity,
    index: Option<&'d Index>,
    what: String,
    to_the_end: bool,
}

impl<'d> Pages<'d, '_> {
    fn bytes(&self) -> u64 {
        typical_bytes(self.design, self.entity)
    }

    /// The guard, then the item that it names.
    fn through_guard(&self) -> Flow<'d> {
        let strong = self.pattern.strong;
        let guard = Request::get(self.table, KEY_BYTES, strong, format!("the guard of {}", self.what));
        let item = Request::get(self.table, self.bytes(), strong, self.what.clone());
        Flow::Seq(vec![Flow::Send(guard), Flow::Send(item).maybe()])
    }

    fn by_key(&self) -> Flow<'d> {
        let get = Flow::Send(Request::get(self.table, self.bytes(), self.pattern.strong, self.what.clone()));
        let get = match self.fan_out() {
            1 => get,
            values => get.each("the values", values as f64),
        };
        if self.is_certain() { get } else { Flow::Any(vec![get, self.page()]).maybe() }
    }

    /// Whole keys need no query; one query per value otherwise.
    fn queries(&self) -> Flow<'d> {
        let lists = self.pattern.binds.iter().any(|bind| matches!(bind.value, BindValue::In(_)));
        if !(self.fan_out() > 1 && self.is_whole_key()) {
            return if lists { self.page().maybe() } else { self.page() };
        }
        let strong = self.pattern.strong;
        let items = Request::items(self.table, self.bytes(), self.fan_out(), strong, self.what.clone());
        let items = Flow::Send(items);
        match (lists, self.is_certain()) {
            (true, _) => Flow::Any(vec![items, self.page()]).maybe(),
            (false, true) => items,
            (false, false) => Flow::Any(vec![items, self.page()]),
        }
    }

    fn page(&self) -> Flow<'d> {
        let (bytes, queries) = (self.bytes(), self.fan_out());
        let is_get = self.pattern.verb == ReadVerb::Get;
        let count = if is_get { 1 } else { expected_items(self.pattern, self.entity, self.to_the_end) };
        let read = match self.index {
            Some(_) if self.plan.fetches => bytes.min(KEY_BYTES),
            Some(index) => entry_bytes(index, bytes),
            None => bytes,
        };
        let query = Query {
            table: self.table,
            index: self.index,
            strong: self.pattern.strong,
            scan: matches!(self.plan.path, Path::Scan(_)),
        };
        // Each query rounds up by itself.
        let each = count.saturating_mul(read).div_ceil(queries.max(1));
        let fetched = || match is_get {
            true => Request::get(self.table, bytes, self.pattern.strong, format!("the {}", self.entity.name)),
            false => {
                let what = format!("the {} items", self.entity.name);
                Request::items(self.table, bytes, count, self.pattern.strong, what)
            }
        };
        let bounded = is_get
            || self.pattern.verb == ReadVerb::Exists
            || (!self.to_the_end && self.pattern.page.is_some());
        let bounded = bounded || self.pattern.limit.is_some();
        let ordered = self.pattern.order.is_some() && queries > 1;
        Flow::Page(Page {
            query: Request::query(query, each, self.what.clone()),
            queries,
            every: self.is_certain() && (!bounded || ordered),
            fetch: self.plan.fetches.then(fetched),
        })
    }

    /// The items that the found ones point to.
    fn then(&self) -> Flow<'d> {
        let then = self.pattern.then.as_ref().filter(|_| self.pattern.is_list());
        let next = then.and_then(|name| self.design.entity(&name.text));
        let Some((next, table)) = next.and_then(|next| Some((next, self.design.table_of(next)?))) else {
            return Flow::nothing();
        };
        let count = expected_items(self.pattern, self.entity, self.to_the_end);
        let what = format!("the {} items", next.name);
        let bytes = typical_bytes(self.design, next);
        Flow::Send(Request::items(table, bytes, count, self.pattern.strong, what)).maybe()
    }

    /// One query per value of each `in`.
    fn fan_out(&self) -> u64 {
        let values = self.pattern.binds.iter().map(|bind| match &bind.value {
            BindValue::All => {
                let attribute = self.entity.attribute(&bind.name.text);
                attribute.and_then(|each| self.design.type_of(each).cardinality()).unwrap_or(1)
            }
            BindValue::In(_) => SOME,
            _ => 1,
        });
        values.fold(1, u64::saturating_mul)
    }

    /// Whether every parameter must be given, so that the arguments cannot change the kind of request.
    fn is_certain(&self) -> bool {
        let formals = pattern_signature(self.design, self.pattern);
        let own = |name: &Name| self.design.caller.iter().any(|attribute| attribute.name == *name);
        let lists = self.pattern.binds.iter().any(|bind| matches!(bind.value, BindValue::In(_)));
        !lists && formals.iter().all(|formal| !formal.optional || own(formal.name))
    }

    fn is_whole_key(&self) -> bool {
        let sort = self.plan.sort == SortUse::Equal
            || (self.table.key.sort.is_empty() && self.plan.sort == SortUse::Whole);
        matches!(self.plan.path, Path::Table(_)) && sort && self.pattern.verb != ReadVerb::Collect
    }
}
