//! Effects, workers, routes and sessions. The body of each becomes an internal operation of the design.

use super::Lower;
use crate::model::*;
use crate::problems::NUMBER;
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode, docs};

/// The default time limit of an effect.
const TIMEOUT_MS: u64 = 15_000;

/// The default time for which a run owns its item.
const LEASE_MS: u64 = 60_000;

/// The default number of attempts of a failing run.
const ATTEMPTS: u64 = 5;

/// The default number of concurrent runs of a worker.
const CONCURRENCY: u64 = 16;

/// The longest bearer token: that of an issuer names the groups of its owner.
const MAX_TOKEN_BYTES: u64 = 8_192;

/// The largest body of a request to a route.
const MAX_BODY_BYTES: u64 = 256 * 1024;

impl Lower<'_> {
    pub(super) fn effect(&mut self, effect: &ast::Effect) -> Effect {
        let span = self.span(effect.range());
        let kind = self.name(effect.kind());
        let attributes = effect.result().map(|object| self.attributes(object.attributes()));
        Effect {
            name: self.name(effect.name()),
            params: self.params(effect.params().as_ref()),
            result: Type::Object { attributes: attributes.unwrap_or_default() },
            kind: match kind.text.as_str() {
                "http" => EffectKind::Http {
                    method: self.name(effect.method()),
                    url: self.expr_or_missing(effect.url().as_ref(), span),
                },
                "mail" => EffectKind::Mail,
                "jwt" => EffectKind::Jwt {
                    issuer: self.expr_or_missing(effect.url().as_ref(), span),
                    audience: self.expr_or_missing(effect.audience().as_ref(), span),
                    keys: effect.keys().map(|keys| self.expr(&keys)),
                },
                "live" => EffectKind::Live { channel: self.expr_or_missing(effect.url().as_ref(), span) },
                _ => match effect.channel() {
                    Some(channel) => EffectKind::Streamed { channel: self.expr(&channel) },
                    None => EffectKind::Extern,
                },
            },
            timeout_ms: effect.timeout().map_or(TIMEOUT_MS, |number| self.duration_ms(&number)),
            span,
            docs: docs(effect.syntax()),
        }
    }

    pub(super) fn worker(&mut self, worker: &ast::Worker, design: &mut Design) {
        let span = self.span(worker.range());
        design.allows.extend(worker.allows().map(|allow| self.allow(&allow, span)));
        let name = self.name(worker.name());
        let trigger = worker.trigger();
        let lowered = trigger.as_ref().and_then(|each| self.trigger(each));
        let Some(lowered) = lowered else { return };
        let mut params = Vec::new();
        if let (Some(entity), Some(item)) = (lowered.entity(), trigger.and_then(|each| each.item())) {
            let ty = Type::Input { of: InputKind::Item, entity: entity.text.clone() };
            params.push(param(self.name(Some(item)), ty));
        }
        params.push(param(Name::new("run", name.span), text(256)));
        let operation = Operation {
            name: Name::new(format!("worker {name}"), name.span),
            system: true,
            internal: true,
            params,
            body: self.body(worker.body().as_ref()),
            handlers: worker
                .handlers()
                .map(|on| (self.name(on.error()), self.body(on.body().as_ref())))
                .collect(),
            span,
            ..Operation::default()
        };
        let concurrency = worker.concurrency();
        design.workers.push(Worker {
            operation: operation.name.text.clone(),
            trigger: lowered,
            concurrency: concurrency
                .as_ref()
                .and_then(ast::Concurrency::runs)
                .map_or(CONCURRENCY, |number| self.at_least_one(&number)),
            per: concurrency
                .and_then(|each| each.per())
                .map(|(attribute, number)| (self.name(Some(attribute)), self.at_least_one(&number))),
            lease_ms: worker.lease().map_or(LEASE_MS, |number| self.duration_ms(&number)),
            lease_span: worker.lease().map(|number| self.span(number.range())),
            attempts: worker.attempts().map_or(ATTEMPTS, |number| self.at_least_one(&number)),
            name,
            span,
            docs: docs(worker.syntax()),
        });
        design.operations.push(operation);
    }

    fn trigger(&mut self, trigger: &ast::Trigger) -> Option<Trigger> {
        let when = trigger.when().and_then(|when| when.condition()).map(|expr| self.expr(&expr));
        Some(match trigger.word()?.text() {
            "on" => Trigger::On {
                changes: self.changes(trigger.changes().as_ref()),
                entity: self.name(trigger.entity()),
                when,
            },
            "due" => Trigger::Due {
                entity: self.name(trigger.entity()),
                by: self.name(trigger.by()),
                when,
                pattern: None,
            },
            _ => {
                let interval_ms = trigger.interval().map(|number| self.duration_ms(&number));
                let mut texts = trigger.texts().into_iter().map(|text| text.value());
                let cron = if interval_ms.is_none() { texts.next() } else { None };
                Trigger::Every { interval_ms, cron, zone: texts.next(), span: self.span(trigger.range()) }
            }
        })
    }

    fn changes(&mut self, names: Option<&ast::Names>) -> Vec<Change> {
        let mut changes = Vec::new();
        for name in self.names(names) {
            match Change::ALL.into_iter().find(|change| name.is(change.word())) {
                Some(change) => changes.push(change),
                None => {
                    let title = format!("`{name}` is not a change of an item");
                    let problem = crate::problems::UNKNOWN.at(name.span, title);
                    self.problems
                        .push(problem.note("The changes are `create`, `update`, `delete` and `expire`."));
                }
            }
        }
        changes
    }

    pub(super) fn route(&mut self, route: &ast::Route, design: &mut Design) {
        let span = self.span(route.range());
        let path = route.path().map(|path| path.value()).unwrap_or_default();
        let path_span = route.path().map_or(span, |path| self.span(path.range()));
        let method = route.method().map(|name| self.name(Some(name)));
        let called = match &method {
            Some(method) => format!("route {method} {path}"),
            None => format!("route {path}"),
        };
        let names = path_parameters(&path);
        let mut params: Vec<Param> =
            names.map(|name| param(Name::new(name, path_span), Type::Undeclared)).collect();
        params.push(param(Name::new("request", span), request()));
        let value = self.expr_or_missing(route.call().as_ref(), span);
        design.operations.push(Operation {
            name: Name::new(called.clone(), path_span),
            system: true,
            internal: true,
            params,
            body: vec![Stmt { kind: StmtKind::Return { value }, span }],
            span,
            ..Operation::default()
        });
        let status = route.answers().map_or(200, |number| self.plain(&number));
        design.routes.push(Route {
            method,
            path,
            operation: called,
            status,
            content_type: route.content_type().map(|text| text.value()),
            live: route.live().is_some(),
            max_body: route.max_body().map_or(MAX_BODY_BYTES, |number| self.body_size(&number)),
            limit: route.limit().map(|rate| self.limit(&rate)),
            path_span,
            span,
        });
    }

    fn body_size(&mut self, number: &ast::Number) -> u64 {
        let size = self.count(number);
        if size > MAX_BODY_BYTES {
            let span = self.span(number.range());
            self.problems.push(NUMBER.at(span, "a body has at most 256 KB"));
        }
        size.min(MAX_BODY_BYTES)
    }

    pub(super) fn session(&mut self, session: &ast::Session, design: &mut Design) {
        let span = self.span(session.range());
        let prefix = session.prefix().map(|prefix| prefix.value());
        let called = format!("session {}", prefix.as_deref().unwrap_or_default());
        let name = self.name(session.item());
        let call = self.expr_or_missing(session.call().as_ref(), span);
        self.plain_fields(session.fields().as_ref(), "a session");
        self.no_spreads(session.fields().as_ref(), "a session");
        let fields = self.fields(session.fields().as_ref());
        let names = fields.fields.iter().filter_map(|field| field.path.first().cloned()).collect();
        let result = Expr { span: fields.span, kind: ExprKind::Object { fields } };
        let unknown = Name::new("Unauthenticated", call.span);
        let found = StmtKind::Let { name, value: Value::Expr(call), error: Some(unknown) };
        design.operations.push(Operation {
            name: Name::new(called.clone(), span),
            system: true,
            internal: true,
            params: vec![param(Name::new("token", span), text(MAX_TOKEN_BYTES))],
            body: vec![Stmt { kind: found, span }, Stmt { kind: StmtKind::Return { value: result }, span }],
            span,
            ..Operation::default()
        });
        design.sessions.push(Session { prefix, operation: called, fields: names, span });
    }
}

/// The names in the braces of a path.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

/// The type of the request that a route receives.
fn request() -> Type {
    let texts = || Type::Map { of: Box::new(text(8_192)), max: Some(200) };
    let parts = [
        ("id", false, text(64)),
        ("method", false, methods()),
        ("path", false, text(2_048)),
        ("ip", false, text(45)),
        ("contentType", true, text(255)),
        ("headers", false, texts()),
        ("query", false, texts()),
        ("json", true, Type::Any { max: Some(MAX_BODY_BYTES) }),
        ("body", false, Type::Bytes { max: Some(MAX_BODY_BYTES) }),
    ];
    let attribute = |(name, optional, ty): (&str, bool, Type)| Attribute {
        name: Name::new(name, Span::default()),
        optional,
        ty,
        ..Attribute::default()
    };
    Type::Object { attributes: parts.map(attribute).into() }
}

/// The methods that a route can be asked with.
fn methods() -> Type {
    let members = ["POST", "PUT", "PATCH", "GET", "DELETE"].map(str::to_owned).into();
    Type::Enum { name: None, members, open: false }
}

fn text(max: u64) -> Type {
    Type::String { format: StringFormat::Plain, min: 0, max: Some(max) }
}

fn param(name: Name, ty: Type) -> Param {
    Param { name, optional: false, ty, default: None }
}
