//! Receipts: what makes a repeated operation harmless.
//!
//! The first transaction of an idempotent operation carries a receipt, an item in the table it writes whose key is
//! `receipt#operation#value`. A repeat fails on it, finds it, and returns the same result. Items are remembered by their
//! keys, other results as JSON. A call that brings other arguments is no repeat, and is refused: its result is not the first
//! one's, and somebody would lose what they sent.

mod fingerprint;

use serde_json::Value as Json;
use sortkey_design::program::{Expr, ExprKind, Id, Operation, StatementKind};
use sortkey_plan::receipt_home;
use sortkey_value::{AttributeValue, Map, ValueRef};

use self::fingerprint::Fingerprint;
pub(super) use self::fingerprint::fingerprint;
use super::Runner;
use crate::answer::to_public_json;
use crate::catalog::{EntityInfo, RECEIPT};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::template::{canonical, escape};
use crate::values::{Val, from_json};
use crate::write::{Act, Test, Write};
use crate::{Failure, FailureKind, guard};

/// The default time for which a receipt is kept.
const DAY_MS: u64 = 86_400_000;
const EXPIRES: &str = "expires";
const ENTITY: &str = "entity";
const KEY: &str = "key";
const RESULT: &str = "result";
const ARGUMENTS: &str = "arguments";

/// A receipt that is due.
#[derive(Clone, Debug)]
pub(crate) struct Receipt {
    /// The values of the parameters that the operation is idempotent by, its scope first.
    value: String,
    period_ms: u64,
    arguments: Fingerprint,
}

impl Receipt {
    /// The receipt of an operation; none if it is not idempotent, or the caller names nothing to repeat by.
    pub(super) fn of(operation: &Operation, scope: &Scope<'_>, arguments: Fingerprint) -> Option<Receipt> {
        let idempotent = operation.idempotent.as_ref()?;
        let mut values = Vec::with_capacity(idempotent.by.len());
        for id in &idempotent.by {
            let value = scope.get(operation.signature.parameters[*id].local)?;
            values.push(escape(&canonical(None, value)?, &['#']));
        }
        let period_ms = idempotent.period_ms.unwrap_or(DAY_MS);
        Some(Receipt { value: values.join("#"), period_ms, arguments })
    }

    /// The receipt as one more item of a transaction.
    pub(super) fn write(
        &self,
        runner: &Runner<'_, '_>,
        scope: &Scope<'_>,
        yields: Option<&Val>,
    ) -> Result<Write, Failure> {
        let operation =
            runner.operation.ok_or_else(|| Failure::internal("a receipt belongs to an operation"))?;
        let (info, key) = self.place(scope, operation)?;
        let mut item = key.clone();
        let until_ms = scope.now_ms.saturating_add_unsigned(self.period_ms);
        item.insert(info.aside(EXPIRES), AttributeValue::from(until_ms.div_euclid(1_000)));
        item.insert(info.aside(ARGUMENTS), AttributeValue::B(self.arguments.to_vec()));
        let program = &scope.shared.program;
        if let Some(ttl) = info.of(program).ttl
            && let Some(value) = info.encode(program, ttl, &Val::Time(until_ms))
        {
            item.insert(info.name_of(ttl).to_string(), value);
        }
        let returned = operation.body.last().and_then(|statement| match &statement.kind {
            StatementKind::Return(value) if is_open(scope, operation, value) => None,
            StatementKind::Return(value) => scope.eval(value, None).ok(),
            _ => None,
        });
        let result = returned.or_else(|| yields.cloned()).unwrap_or_default();
        item.extend(remembered(scope, info, &result));
        let mut write = Write::new(info, key, Act::Put(item.into()));
        let repeated = Failure::new(FailureKind::AlreadyExists, "this was already carried out");
        write.demand(scope, Test::Passed(info.aside(EXPIRES)), repeated)?;
        Ok(write)
    }

    /// The result that an earlier call left.
    pub(super) async fn found(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        operation: &Operation,
    ) -> Result<Option<Val>, Failure> {
        let (info, key) = self.place(scope, operation)?;
        let Some(receipt) = session.get(&info.table, key, true).await? else { return Ok(None) };
        let passed = match receipt.get(&info.aside(EXPIRES)) {
            Some(ValueRef::N(until)) => until.to_i64().is_none_or(|until| until * 1_000 <= scope.now_ms),
            _ => true,
        };
        if passed {
            return Ok(None);
        }
        if let (Some(ValueRef::B(first)), Some(token)) = (
            receipt.get(&info.aside(ARGUMENTS)),
            operation.idempotent.iter().flat_map(|each| &each.by).last(),
        ) && *first != self.arguments
        {
            let name = &operation.signature.parameters[*token].name;
            let why = format!("`{name}` was used before, with other arguments; a new call needs a new one");
            return Err(Failure::invalid(&**name, why));
        }
        if let Some(ValueRef::S(json)) = receipt.get(&info.aside(RESULT)) {
            let json: Option<Json> = serde_json::from_slice(json.as_bytes()).ok();
            return Ok(Some(json.and_then(from_json).unwrap_or_default()));
        }
        let kept = (receipt.get(&info.aside(ENTITY)), receipt.get(&info.aside(KEY)));
        let (Some(ValueRef::S(entity)), Some(ValueRef::M(key))) = kept else {
            return Ok(Some(Val::Absent));
        };
        let info = scope.shared.entity_called(entity)?;
        let key =
            sortkey_value::order::map(key.iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        let item = session.get(&info.table, key, true).await?;
        Ok(Some(item.map_or(Val::Absent, |item| Val::item(info.at, info.decode_leniently(scope, &item)))))
    }

    /// The entity and the key of the receipt.
    fn place<'a>(&self, scope: &Scope<'a>, operation: &Operation) -> Result<(&'a EntityInfo, Map), Failure> {
        let home = receipt_home(operation);
        let home = home.ok_or_else(|| Failure::internal("an idempotent operation writes something"))?;
        let info = &scope.shared.entities[home];
        // A caller's receipts are the caller's own.
        let owner = scope
            .caller
            .iter()
            .flat_map(|caller| caller.iter())
            .filter_map(|(_, value)| canonical(None, value));
        let owner: Vec<String> = owner.map(|value| escape(&value, &['#'])).collect();
        let whose = guard::bounded(format!("{}#{}", owner.join("#"), self.value));
        let text = format!("{RECEIPT}{}#{whose}", operation.name);
        Ok((info, guard::reserved_key(scope, info, &text)))
    }
}

/// Whether an expression speaks of something that is still to be made.
fn is_open(scope: &Scope<'_>, operation: &Operation, expr: &Expr) -> bool {
    let parameters = operation.signature.parameters.len();
    let mut open = false;
    expr.walk(&mut |each| {
        open |= match each.kind {
            ExprKind::Local(id) => id.at() >= parameters && scope.get(id).is_none(),
            _ => false,
        };
    });
    open
}

fn remembered(scope: &Scope<'_>, receipt: &EntityInfo, result: &Val) -> Map {
    let mut map = Map::new();
    match result {
        Val::Absent => {}
        Val::Item(record) => {
            let info = &scope.shared.entities[record.entity];
            if let Some(key) = crate::read::key_of(scope, info, &record.fields) {
                map.insert(receipt.aside(ENTITY), AttributeValue::S(info.name.to_string()));
                map.insert(receipt.aside(KEY), AttributeValue::M(key));
            }
        }
        other => {
            let json = to_public_json(scope, other).to_string();
            map.insert(receipt.aside(RESULT), AttributeValue::S(json));
        }
    }
    map
}
