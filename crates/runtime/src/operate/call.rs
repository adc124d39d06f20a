//! Calls by name: of patterns, operations, rules and entities.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sortkey_design::model::*;
use sortkey_value::Item;

use super::receipt::{self, Receipt};
use super::{Flow, Runner, plain};
use crate::answer::{public, select};
use crate::evaluate::{Scope, View};
use crate::read::{Found, Hit, Paging, Read};
use crate::session::Session;
use crate::signature::{Kind, Parameter, Signature};
use crate::values::{Admit, Fields, Origin, Val};
use crate::write::key_fields;
use crate::{Arguments, Failure, FailureKind};

/// Room for what is filled in.
const SPARE: usize = 8;

impl<'a> Runner<'_, 'a> {
    /// `name(args)` in an expression.
    pub(super) async fn call(
        &self,
        scope: &mut Scope<'a>,
        name: &str,
        args: &Args,
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let design = &scope.shared.design;
        if let Some(rule) = design.rule(name) {
            return self.rule(scope, rule, args, view).await;
        }
        if let Some(at) = design.entities.iter().position(|entity| entity.name.is(name)) {
            return self.entity(scope, at, args, view).await;
        }
        if name == "stored" {
            return self.stored(scope, args).await;
        }
        let signature = scope.shared.signature(name)?;
        let arguments = self.arguments(scope, signature, args, view).await?;
        let admit = Admit::computed(scope);
        let arguments = admitted(&admit, signature, arguments)?;
        let mut inner = scope.fresh();
        if signature.system {
            inner.caller = None;
        }
        if self.is_test {
            scope.shared.backend.hears(name, None);
        }
        let value = self.answered(scope, inner, signature, arguments).await;
        if self.is_test {
            let failed = value.as_ref().err().map(|failure| failure.kind.name().to_owned());
            scope.shared.backend.hears(name, Some(failed));
        }
        let value = value?;
        match self.is_test {
            true => public(scope, value, self.selected(scope, name)),
            false => Ok(value),
        }
    }

    /// The answer of a pattern or an operation whose arguments are admitted.
    async fn answered(
        &self,
        scope: &mut Scope<'a>,
        mut inner: Scope<'a>,
        signature: &'a Signature,
        arguments: Fields,
    ) -> Result<Val, Failure> {
        let name = &signature.name;
        Ok(match signature.kind {
            Kind::Pattern => {
                let read = scope.shared.read(name)?;
                bind(&mut inner, signature, arguments)?;
                let paging = Paging { to_the_end: !self.is_test, ..Paging::default() };
                let found = pattern(self.session, &mut inner, read, paging).await?;
                if let (Found::Item(None), Some(key)) = (&found, missed(&inner, read)) {
                    scope.miss(read.entities[0], key);
                }
                value_of(scope, found, read)?
            }
            Kind::Operation => match operation(self.session, inner, name, arguments).await? {
                Outcome::Value(value) => value,
                Outcome::Stored(entity, item) => {
                    let info = &scope.shared.entities[entity];
                    Val::item(entity, info.decode(&scope.shared.design, &item))
                }
            },
        })
    }

    fn selected(&self, scope: &Scope<'a>, name: &str) -> Option<&'a [Name]> {
        scope.shared.design.pattern(name).and_then(|pattern| pattern.select.as_deref())
    }

    async fn rule(
        &self,
        scope: &mut Scope<'a>,
        rule: &'a Rule,
        args: &Args,
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let mut inner = scope.fresh();
        for (at, (name, value)) in args.values.iter().enumerate() {
            let name = name.as_ref().or_else(|| rule.params.get(at).map(|param| &param.name));
            if let Some(name) = name {
                inner.set(name.text.as_str(), self.value(scope, value, view).await?);
            }
        }
        Ok(Val::Bool(self.truth(&mut inner, &rule.condition, None).await?))
    }

    /// `Entity(key)` in a condition: the live item, read strongly, whoever it belongs to.
    async fn entity(
        &self,
        scope: &mut Scope<'a>,
        at: usize,
        args: &Args,
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let info = &scope.shared.entities[at];
        let known = key_fields(scope, info, Some(args), view)?;
        let Some(key) = crate::read::key_of(scope, info, &known) else { return Ok(Val::Absent) };
        let Some(item) = self.session.get(&info.table, key, true).await? else { return Ok(Val::Absent) };
        let mut anybody = scope.fresh();
        anybody.caller = None;
        Ok(crate::read::live(&anybody, info, item)?.map(|hit| hit.into_val(scope)).unwrap_or_default())
    }

    /// `stored(x)` in a test: the item as it lies in the table.
    async fn stored(&self, scope: &mut Scope<'a>, args: &Args) -> Result<Val, Failure> {
        let Some((_, argument)) = args.values.first() else { return Ok(Val::Absent) };
        let Val::Item(record) = self.value(scope, argument, None).await? else { return Ok(Val::Absent) };
        let info = &scope.shared.entities[record.entity];
        let Some(key) = crate::read::key_of(scope, info, &record.fields) else { return Ok(Val::Absent) };
        let item = self.session.get(&info.table, key, true).await?;
        Ok(item.map_or(Val::Absent, |item| {
            Val::Map(
                item.iter().map(|(name, value)| (name.to_owned(), crate::values::generic(value))).collect(),
            )
        }))
    }

    /// Arguments by name; positional ones in the order of the signature.
    async fn arguments(
        &self,
        scope: &mut Scope<'a>,
        signature: &Signature,
        args: &Args,
        view: Option<View<'_>>,
    ) -> Result<Fields, Failure> {
        let mut arguments = Fields::new();
        for spread in &args.spreads {
            let fields = scope.get(&spread.text).and_then(Val::fields).cloned().unwrap_or_default();
            arguments.extend(fields.into_iter().filter(|(name, _)| signature.parameter(name).is_some()));
        }
        let mut position = 0;
        for (name, value) in &args.values {
            let value = self.value(scope, value, view).await?;
            let name = match name {
                Some(name) => name.text.clone(),
                None => {
                    position += 1;
                    let parameter = signature.parameters.get(position - 1).ok_or_else(|| {
                        Failure::new(
                            FailureKind::Invalid,
                            format!("`{}` takes fewer arguments", signature.name),
                        )
                    })?;
                    parameter.name.clone()
                }
            };
            arguments.insert(name, value);
        }
        Ok(arguments)
    }
}

/// Arguments of the declared types, as a client writes them; an unknown one is refused.
pub(crate) fn arguments(
    admit: &Admit<'_>,
    signature: &Signature,
    given: Arguments,
) -> Result<Fields, Failure> {
    let admit = suited(admit, signature);
    let mut admitted = Fields::with_capacity(given.0.len() + SPARE);
    let mut failures = Vec::new();
    let mut refused = Vec::new();
    for (name, value) in given.0 {
        let Some(parameter) = signature.parameter(&name) else {
            failures.push(unknown(signature, &name));
            continue;
        };
        match admit_one(&admit, parameter, value) {
            Ok(value) => admitted.insert(parameter.label.clone(), value),
            Err(failure) => {
                failures.push(failure);
                refused.push(parameter.label.clone());
            }
        }
    }
    if failures.is_empty() {
        return Ok(admitted);
    }
    let is_left_out = |each: &&Parameter| {
        !each.optional && !admitted.contains_key(&each.name) && !refused.contains(&each.label)
    };
    let design = &admit.scope.shared.design;
    let has_default = |each: &&Parameter| {
        let operation = design.operation(&signature.name).map(|each| &each.params);
        let params = operation.or_else(|| design.pattern(&signature.name).map(|each| &each.params));
        let param = params.and_then(|params| params.iter().find(|param| param.name.is(&each.name)));
        each.of_caller || param.is_some_and(|param| param.default.is_some())
    };
    let left_out = signature.parameters.iter().filter(is_left_out).filter(|each| !has_default(each));
    failures.extend(left_out.map(required));
    Err(together(failures))
}

/// The same for values of the design.
fn admitted(admit: &Admit<'_>, signature: &Signature, given: Fields) -> Result<Fields, Failure> {
    let admit = suited(admit, signature);
    let mut admitted = Fields::with_capacity(given.len());
    for (name, value) in given {
        let parameter = signature.parameter(&name).ok_or_else(|| unknown(signature, &name))?;
        admitted.insert(name, admit_one(&admit, parameter, value)?);
    }
    Ok(admitted)
}

/// A pattern looks for its arguments, a bare `create` stores them, and any other operation may ask what is in them.
fn suited<'a>(admit: &Admit<'a>, signature: &Signature) -> Admit<'a> {
    match signature.kind {
        Kind::Pattern => admit.finding().keeping_empty(),
        Kind::Operation if signature.is_bare => *admit,
        // What it stores is checked once more when it is stored.
        Kind::Operation => admit.finding().keeping_empty(),
    }
}

/// All that is wrong, in one failure; the field is the first's.
fn together(failures: Vec<Failure>) -> Failure {
    let all: Vec<&str> = failures.iter().map(|each| each.message.as_str()).collect();
    let message = all.join("; ");
    let first = failures.into_iter().next().unwrap_or_else(|| Failure::internal("nothing is wrong"));
    Failure { message, ..first }
}

fn unknown(signature: &Signature, name: &str) -> Failure {
    Failure::invalid(name, format!("`{}` takes no `{name}`", signature.name))
}

fn required(parameter: &Parameter) -> Failure {
    Failure::invalid(&parameter.name, format!("`{}` is required", parameter.name))
}

fn admit_one(admit: &Admit<'_>, parameter: &Parameter, value: Val) -> Result<Val, Failure> {
    let design = &admit.scope.shared.design;
    match (parameter.place, value) {
        // Null says that an attribute goes, and leaves an optional parameter out.
        (_, Val::Null) if parameter.optional => Ok(Val::Absent),
        (Some((entity, at)), value) => {
            admit.attribute(&design.entities[entity].attributes[at], value, &parameter.name)
        }
        (None, value) => admit.value(&parameter.ty, value, &parameter.name),
    }
}

/// Puts arguments into the scope of a pattern or operation: defaults filled in, the caller's own tenant, nothing required
/// missing.
pub(crate) fn bind(scope: &mut Scope<'_>, signature: &Signature, arguments: Fields) -> Result<(), Failure> {
    let declared = declared_params(scope, &signature.name);
    for (name, value) in arguments {
        scope.set(name, value);
    }
    for parameter in &signature.parameters {
        let name = &parameter.name;
        if scope.has(name) {
            continue;
        }
        let default =
            declared.iter().find(|param| param.name.is(name)).and_then(|param| param.default.as_ref());
        let own = scope.caller.as_ref().filter(|_| parameter.of_caller).and_then(|caller| caller.get(name));
        let value = match (default, own) {
            // A default does not speak of other parameters.
            (Some(default), _) => Some(scope.fresh().eval(default, None)?),
            (None, Some(own)) => Some(own.clone()),
            (None, None) => None,
        };
        if let Some(value) = value {
            scope.set(parameter.label.clone(), value);
        } else if !parameter.optional || (parameter.of_caller && signature.kind == Kind::Pattern) {
            return Err(required(parameter));
        }
    }
    // What is declared and left out is absent, not a word of that name.
    for param in declared {
        if !scope.has(&param.name.text) {
            scope.set(param.name.text.as_str(), Val::Absent);
        }
    }
    Ok(())
}

/// What the arguments of a lookup say of the item: what is given, and the caller's own tenant.
pub(crate) fn known(
    scope: &Scope<'_>,
    signature: &Signature,
    mut arguments: Fields,
) -> Result<Fields, Failure> {
    for parameter in &signature.parameters {
        if arguments.contains_key(&parameter.name) {
            continue;
        }
        let caller = scope.caller.as_ref().filter(|_| parameter.of_caller);
        match caller.and_then(|caller| caller.get(&parameter.name)) {
            Some(own) => arguments.insert(parameter.label.clone(), own.clone()),
            None if !parameter.optional || parameter.of_caller => return Err(required(parameter)),
            None => {}
        }
    }
    arguments.retain(|_, value| !value.is_absent());
    Ok(arguments)
}

fn declared_params<'a>(scope: &Scope<'a>, name: &str) -> &'a [Param] {
    let design = &scope.shared.design;
    let pattern = design.pattern(name).map(|pattern| pattern.params.as_slice());
    pattern
        .or_else(|| design.operation(name).map(|operation| operation.params.as_slice()))
        .unwrap_or_default()
}

/// Runs a pattern whose arguments are bound.
pub(crate) async fn pattern<'a>(
    session: &Session<'a>,
    scope: &mut Scope<'a>,
    read: &'a Read,
    paging: Paging<'_>,
) -> Result<Found, Failure> {
    if read.pattern.requires.is_none() {
        return read.run(session, scope, paging).await;
    }
    let runner = Runner::new(session, None);
    runner.before_read(scope, read).await?;
    let found = read.run(session, scope, paging).await?;
    runner.after_read(scope, read, found).await
}

fn missed(scope: &Scope<'_>, read: &Read) -> Option<sortkey_value::Map> {
    let info = &scope.shared.entities[*read.entities.first()?];
    let known: Fields =
        info.keys.iter().filter_map(|name| Some((name.clone(), scope.get(name)?.clone()))).collect();
    crate::read::key_of(scope, info, &known)
}

/// What a pattern found, as a value; `select` keeps the named attributes.
pub(crate) fn value_of(scope: &Scope<'_>, found: Found, read: &Read) -> Result<Val, Failure> {
    let chosen = |hit: Hit| match (&read.pattern.select, hit.into_val(scope)) {
        (Some(names), Val::Item(mut record)) => {
            select(scope, &mut record, names)?;
            Ok(Val::Item(record))
        }
        (_, value) => Ok(value),
    };
    Ok(match found {
        Found::Item(item) => item.map_or(Ok(Val::Absent), chosen)?,
        Found::Items { items, .. } => {
            Val::List(items.into_iter().map(chosen).collect::<Result<_, Failure>>()?)
        }
        Found::Count(count) => Val::integer(count),
        Found::Exists(exists) => Val::Bool(exists),
        // One sum is a number, several are named.
        Found::Sums(sums) if sums.len() == 1 => sums.into_iter().next().map_or(Val::Absent, |(_, sum)| sum),
        Found::Sums(sums) => Val::Map(sums),
    })
}

/// What an operation gives.
pub(crate) enum Outcome {
    Value(Val),
    /// An item as it is stored, of the entity at a place; clients may see all of it.
    Stored(usize, Item),
}

/// Runs an operation.
pub(crate) async fn operation<'a>(
    session: &Session<'a>,
    scope: Scope<'a>,
    name: &str,
    arguments: Fields,
) -> Result<Outcome, Failure> {
    let (signature, at) = scope.shared.operation(name)?;
    let operation = &scope.shared.design.operations[at];
    // What calls nobody needs no room of its own on the heap, and it would be a large one.
    let Some(entity) = scope.shared.created[at] else {
        return composed(session, scope, signature, operation, arguments).await;
    };
    if let Some(missing) = signature.missing(&arguments) {
        return Err(required(missing));
    }
    let item = plain::create(session, &scope, entity, operation, arguments).await?;
    Ok(Outcome::Stored(entity, item))
}

/// Runs an operation of statements, which may call others. If somebody else changed what it read, and nothing was written yet,
/// it starts again.
fn composed<'f, 'a>(
    session: &'f Session<'a>,
    mut scope: Scope<'a>,
    signature: &'a Signature,
    operation: &'a Operation,
    arguments: Fields,
) -> BoxFuture<'f, Result<Outcome, Failure>>
where
    'a: 'f,
{
    Box::pin(async move {
        let fingerprint = receipt::fingerprint(&scope, operation, signature, &arguments);
        bind(&mut scope, signature, arguments)?;
        let bound = scope.mark();
        let mut attempt = 0;
        loop {
            attempt += 1;
            scope.forget_since(bound);
            let receipt = Receipt::of(operation, &scope, fingerprint);
            let runner = Runner {
                receipt: parking_lot::Mutex::new(receipt.clone()),
                ..Runner::new(session, Some(operation))
            };
            let written = session.writes();
            let failure = match runner.body(&mut scope, operation).await {
                Ok(value) => return Ok(Outcome::Value(value)),
                Err(failure) => failure,
            };
            if failure.kind == FailureKind::Conflict
                && attempt < crate::write::ATTEMPTS
                && session.writes() == written
            {
                continue;
            }
            // A repeat of what was already carried out may fail anywhere; its receipt tells.
            if let Some(receipt) = receipt
                && let Some(value) = receipt.found(session, &scope, operation).await?
            {
                session.repeats_earlier_call();
                return Ok(Outcome::Value(value));
            }
            for (error, handler) in &operation.handlers {
                if error.is(failure.kind.name()) {
                    runner.block(&mut scope, handler).await?;
                }
            }
            return Err(failure);
        }
    })
}

impl<'a> Runner<'_, 'a> {
    async fn body(&self, scope: &mut Scope<'a>, operation: &'a Operation) -> Result<Val, Failure> {
        self.before_operation(scope, operation).await?;
        match self.block(scope, &operation.body).await? {
            Flow::Return(value) | Flow::Next(value) => Ok(value),
        }
    }
}

/// The caller as values, checked against what the design declares; a test may leave out what it does not need.
pub(crate) fn caller(
    scope: &Scope<'_>,
    attributes: Fields,
    origin: Origin,
    whole: bool,
) -> Result<Arc<Fields>, Failure> {
    let design = &scope.shared.design;
    let admit = Admit::argument(scope, origin).keeping_empty();
    let mut fields = Fields::new();
    for (name, value) in attributes {
        let attribute = design.caller.iter().find(|each| each.name.is(&name));
        let attribute = attribute
            .ok_or_else(|| Failure::invalid(format!("caller.{name}"), format!("a caller has no `{name}`")))?;
        fields.insert(name.clone(), admit.attribute(attribute, value, &format!("caller.{name}"))?);
    }
    for attribute in design.caller.iter().filter(|each| whole && !each.may_be_absent()) {
        if fields.get(&attribute.name.text).is_none_or(Val::is_absent) {
            let name = &attribute.name;
            return Err(Failure::new(FailureKind::Unauthenticated, format!("the caller has no `{name}`"))
                .at(format!("caller.{name}")));
        }
    }
    Ok(Arc::new(fields))
}
