//! Effects, workers, routes and sessions: their parameters and results, and where effects may happen.

use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::scope::Scope;
use super::{Elaboration, Wanted, missing, typed};
use crate::model::{self, Stored};
use crate::problems::{ARGUMENT, EFFECT, MISMATCH, NUMBER, UNKNOWN};
use crate::program::{
    Arena, Attribute, Callee, Effect, EffectId, EffectKind, EntityId, Expr, ExprKind, Id, Kind, Parameter,
    ParameterId, Route, Schedule, Segment, Session, StatementKind, Trigger, Ty, Type, Worker,
};

/// The parameters of an HTTP effect that are sent; all others serve its address.
const SENT: [&str; 3] = ["headers", "body", "form"];

/// The results of an HTTP effect.
const ANSWERED: [&str; 7] = ["status", "headers", "body", "json", "latencyMs", "retryAfterMs", "error"];

/// The parts of a mail.
const MAIL: [&str; 5] = ["to", "from", "subject", "text", "html"];

/// The results of sending a mail.
const MAILED: [&str; 2] = ["latencyMs", "error"];

/// The methods of HTTP.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// The methods that a route can answer.
const ROUTE_METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The first parts of paths that the server itself answers.
const RESERVED_PATHS: [&str; 7] = ["_sortkey", "api", "console", "docs", "metrics", "openapi.json", "ready"];

impl<'a> Elaboration<'a, '_> {
    /// An effect with its expressions.
    pub(super) fn effect(&mut self, source: &'a model::Effect, declared: &'a Effect) -> Effect {
        let mut effect = declared.clone();
        let parameters = &declared.signature.parameters;
        for (id, parameter) in parameters.entries() {
            let default = self.parameter_default(&source.params, parameter);
            effect.signature.parameters[id].default = default;
        }
        match &source.kind {
            model::EffectKind::Http { method, url } => {
                self.method(method, &METHODS);
                let scope = Scope::of_parameters(parameters, true);
                let url = self.within(scope, |typing| typing.text_of(url, "the address of a request"));
                self.answered(source, &ANSWERED, "an HTTP request");
                effect.kind = EffectKind::Http { method: method.text.as_str().into(), url };
                self.sent(source, &effect);
            }
            model::EffectKind::Mail => {
                for param in &source.params {
                    self.known_part("part of a mail", &param.name, &MAIL);
                }
                self.needs(source, &["to", "subject", "text"], "a mail");
                self.answered(source, &MAILED, "a mail");
            }
            model::EffectKind::Jwt { issuer, audience, keys } => {
                let mut expr = |expr, what| {
                    let scope = Scope::of_parameters(parameters, true);
                    self.within(scope, |typing| typing.text_of(expr, what))
                };
                effect.kind = EffectKind::Jwt {
                    issuer: expr(issuer, "an issuer"),
                    audience: expr(audience, "an audience"),
                    keys: keys.as_ref().map(|keys| expr(keys, "the address of keys")),
                };
                self.needs(source, &["token"], "verifying a token");
            }
            model::EffectKind::Live { channel } => {
                effect.kind = EffectKind::Live { channel: self.channel(parameters, channel) };
            }
            model::EffectKind::Streamed { channel } => {
                effect.kind = EffectKind::Streamed { channel: self.channel(parameters, channel) };
            }
            model::EffectKind::Extern => {}
        }
        effect
    }

    fn channel(&mut self, parameters: &'a Arena<ParameterId, Parameter>, channel: &'a model::Expr) -> Expr {
        let scope = Scope::of_parameters(parameters, true);
        self.within(scope, |typing| typing.text_of(channel, "a channel"))
    }

    fn method(&mut self, method: &model::Name, known: &'static [&'static str]) {
        if !known.contains(&method.text.as_str()) {
            self.unknown("HTTP method", &method.text, method.span, known.iter().copied());
        }
    }

    fn text_of(&mut self, expr: &'a model::Expr, what: &str) -> Expr {
        let expr = self.infer(expr, None);
        if !matches!(expr.ty.kind(), Kind::Text | Kind::Any) {
            let title = format!("{what} is text, not {}", self.named(&expr.ty));
            self.push(MISMATCH.at(expr.span, title));
        }
        expr
    }

    /// A parameter that is neither sent nor part of the address has no meaning.
    fn sent(&mut self, source: &'a model::Effect, effect: &Effect) {
        let EffectKind::Http { url, .. } = &effect.kind else { return };
        let mut used = Vec::new();
        url.walk(&mut |expr| {
            if let ExprKind::Local(local) = expr.kind {
                used.push(local);
            }
        });
        for (param, parameter) in source.params.iter().zip(&effect.signature.parameters) {
            if !used.contains(&parameter.local) && !SENT.contains(&param.name.text.as_str()) {
                let title = format!("`{}` is not part of the request", param.name);
                let problem = ARGUMENT.at(param.name.span, title).label("neither sent nor in the address");
                self.push(problem.note(
                    "A request is made of `headers` (a map), `body` or `form` (a map), and its address.",
                ));
            }
        }
    }

    fn answered(&mut self, source: &'a model::Effect, known: &'static [&'static str], what: &str) {
        for attribute in source.results() {
            let name = &attribute.name;
            self.known_part(&format!("result of {what}"), name, known);
            let wanted = match name.text.as_str() {
                "status" | "latencyMs" | "retryAfterMs" => Stored::N,
                "error" => Stored::S,
                "headers" => Stored::M,
                _ => continue,
            };
            if attribute.ty.stored() != wanted {
                let what = match wanted {
                    Stored::N => "a number",
                    Stored::S => "text",
                    _ => "a map",
                };
                let title = format!("`{name}` is {what}, not {}", attribute.ty.describe());
                self.push(MISMATCH.at(attribute.type_place(), title));
            }
        }
    }

    fn needs(&mut self, source: &'a model::Effect, names: &[&str], what: &str) {
        let given = |name: &str| source.params.iter().any(|param| param.name.is(name));
        let lacking: Vec<&str> = names.iter().copied().filter(|name| !given(name)).collect();
        if !lacking.is_empty() {
            let title = format!("{what} needs `{}`", lacking.join("`, `"));
            self.push(ARGUMENT.at(source.name.span, title));
        }
    }

    fn known_part(&mut self, what: &str, name: &model::Name, known: &'static [&'static str]) {
        if !known.contains(&name.text.as_str()) {
            self.unknown(what, &name.text, name.span, known.iter().copied());
        }
    }

    /// `do effect(args)` as the value of a statement.
    pub(super) fn act(&mut self, call: &'a model::Expr, span: Span) -> Expr {
        let model::ExprKind::Call { callee, args } = &call.kind else { return missing(span) };
        let name = callee.as_name().unwrap_or_default();
        let Some(id) = self.effect_called(name, callee.span) else { return missing(span) };
        if self.scope.in_transaction {
            let problem = EFFECT.at(span, format!("`{name}` cannot be part of a transaction"));
            self.push(problem.label("cannot be undone").note(
                "A transaction happens as a whole or not at all, and may be tried several times. Do it before, and \
                 write what it gave.",
            ));
        } else if !self.scope.acts {
            let problem =
                EFFECT.at(span, format!("`{name}` can only be done by a worker or a `system` operation"));
            self.push(
                problem.note(
                    "What callers run only reads and writes. Write an item, and let a worker act on it.",
                ),
            );
        }
        let (source, effect) = (&self.design.effects[id.at()], &self.program.effects[id]);
        let arguments = self.arguments(name, &effect.signature.parameters, args, span, source.name.span);
        let kind = ExprKind::Call { callee: Callee::Effect(id), arguments };
        typed(kind, Ty::of(&effect.result), span)
    }

    /// `do` inside of another expression.
    pub(super) fn misplaced(&mut self, call: &'a model::Expr, span: Span) -> Expr {
        let problem = EFFECT.at(span, "an effect is the whole value of a `let` or a statement");
        self.push(
            problem.note("What happens outside of the database is a step of its own: `let r = do ...`."),
        );
        self.silently(|typing| typing.infer(call, None));
        missing(span)
    }

    /// An effect that is called like a function.
    pub(super) fn without_do(&mut self, name: &str, span: Span) -> Expr {
        let problem = EFFECT.at(span, format!("`{name}` is an effect"));
        let fix = sortkey_diagnostics::Fix::new("write `do`", Span { end: span.start, ..span }, "do ");
        self.push(problem.label("written without `do`").fix(fix));
        missing(span)
    }

    fn effect_called(&mut self, name: &str, span: Span) -> Option<EffectId> {
        let found = self.design.effects.iter().position(|effect| effect.name.is(name)).map(EffectId::new);
        if found.is_none() {
            let design = self.design;
            let known = design.effects.iter().map(|effect| effect.name.text.as_str());
            self.unknown("effect", name, span, known);
        }
        found
    }

    /// `given effect(args) -> result`
    pub(super) fn given(
        &mut self,
        effect: &'a model::Name,
        args: &'a model::Args,
        result: Option<&'a model::Expr>,
        fails: Option<&'a model::Name>,
    ) -> Option<StatementKind> {
        let id = self.effect_called(&effect.text, effect.span)?;
        let arguments = self.some_arguments(id, args);
        let declared = &self.program.effects[id];
        let wanted = Wanted::result(self.program, &declared.result, self.design.effects[id.at()].span);
        let result = result.map(|result| self.want(result, &wanted));
        let fails = fails.map(|error| self.error(error));
        Some(StatementKind::Given { effect: id, arguments, result, fails })
    }

    /// `expect did effect(args) n times`
    pub(super) fn did(
        &mut self,
        effect: &'a model::Name,
        args: &'a model::Args,
        times: Option<u64>,
    ) -> Option<StatementKind> {
        let id = self.effect_called(&effect.text, effect.span)?;
        let arguments = self.some_arguments(id, args);
        Some(StatementKind::Did { effect: id, arguments, times })
    }

    /// Arguments that a call of an effect is compared with: any of them may be left out.
    fn some_arguments(&mut self, id: EffectId, args: &'a model::Args) -> Vec<(ParameterId, Expr)> {
        let name = &self.design.effects[id.at()].name;
        let parameters = &self.program.effects[id].signature.parameters;
        self.given_arguments(&name.text, parameters, args, name.span).values
    }

    /// The workers of the design; those with a mistake in what starts them are left out.
    pub(super) fn workers(&mut self) -> Vec<Worker> {
        let design = self.design;
        design.workers.iter().filter_map(|worker| self.worker(worker)).collect()
    }

    fn worker(&mut self, source: &'a model::Worker) -> Option<Worker> {
        let program = self.program;
        let trigger = self.trigger(source)?;
        let operation = program.operations.entries().find(|(_, each)| *each.name == *source.operation)?.0;
        let entity = match &trigger {
            Trigger::On { entity, .. } | Trigger::Due { entity, .. } => Some(*entity),
            Trigger::Every(_) => None,
        };
        let per = source.per.as_ref().and_then(|(name, most)| {
            let entity = entity?;
            let found = program.entities[entity].attributes.find(&name.text);
            if found.is_none() {
                self.unknown_attribute(entity, name);
            }
            Some((found?, *most))
        });
        Some(Worker {
            name: source.name.text.as_str().into(),
            trigger,
            operation,
            concurrency: source.concurrency,
            per,
            lease_ms: source.lease_ms,
            attempts: source.attempts,
            span: source.span,
        })
    }

    fn trigger(&mut self, worker: &'a model::Worker) -> Option<Trigger> {
        match &worker.trigger {
            model::Trigger::On { changes, entity, when } => {
                let entity = self.entity_of(entity)?;
                let when = self.condition_on(entity, when.as_ref());
                Some(Trigger::On { entity, changes: changes.clone(), when })
            }
            model::Trigger::Due { entity, by, when, pattern } => {
                let entity = self.entity_of(entity)?;
                let attributes = &self.program.entities[entity].attributes;
                let Some(id) = attributes.find(&by.text) else {
                    self.unknown_attribute(entity, by);
                    return None;
                };
                self.is_a_time(&attributes[id], by);
                let when = self.condition_on(entity, when.as_ref());
                let found = pattern
                    .as_ref()
                    .and_then(|name| self.program.patterns.entries().find(|(_, each)| *each.name == **name));
                // A lint reports the missing index.
                let pattern = found?.0;
                Some(Trigger::Due { entity, by: id, when, pattern })
            }
            model::Trigger::Every { interval_ms, cron, zone, span } => {
                self.schedule(*interval_ms, cron.as_deref(), zone.as_deref(), *span).map(Trigger::Every)
            }
        }
    }

    fn entity_of(&mut self, name: &model::Name) -> Option<EntityId> {
        let found = super::types::entity_id(self.design, &name.text);
        if found.is_none() {
            let design = self.design;
            let known = design.entities.iter().map(|each| each.name.text.as_str());
            self.unknown("entity", &name.text, name.span, known);
        }
        found
    }

    fn condition_on(&mut self, entity: EntityId, when: Option<&'a model::Expr>) -> Option<Expr> {
        let scope = Scope { system: true, ..Scope::of_entity(entity) };
        when.map(|when| self.within(scope, |typing| typing.condition(when)))
    }

    fn is_a_time(&mut self, attribute: &Attribute, by: &model::Name) {
        if !matches!(*attribute.ty, Type::Time { .. } | Type::Unknown) {
            let title =
                format!("`{by}` is {}, and something is due at a time", attribute.ty.describe(self.program));
            self.push(MISMATCH.at(by.span, title).also(attribute.span, "declared here"));
        }
    }

    fn schedule(
        &mut self,
        interval_ms: Option<u64>,
        cron: Option<&str>,
        zone: Option<&str>,
        span: Span,
    ) -> Option<Schedule> {
        if let Some(zone) = zone
            && let Err(error) = sortkey_functions::cron::Zone::parse(zone)
        {
            self.push(NUMBER.at(span, format!("\"{zone}\" is not a time zone: {error}")));
        }
        match (interval_ms, cron) {
            (Some(0), _) => {
                self.push(NUMBER.at(span, "a worker runs at most every millisecond"));
                None
            }
            (Some(interval), _) => {
                if zone.is_some() {
                    self.push(NUMBER.at(span, "an interval is the same in every time zone"));
                }
                Some(Schedule::Interval(interval))
            }
            (None, Some(text)) => {
                if let Err(error) = sortkey_functions::cron::Cron::parse(text) {
                    self.push(NUMBER.at(span, format!("\"{text}\" is not a cron expression: {error}")));
                } else if !text.starts_with('@') && !crate::formats::is_cron(text) {
                    let title = format!(
                        "\"{text}\" has other than five fields, or a day that none of its months has"
                    );
                    let note = "The fields are minute, hour, day, month and weekday.";
                    self.push(NUMBER.at(span, title).note(note));
                    return None;
                }
                Some(Schedule::Cron { text: text.into(), zone: zone.map(Arc::from) })
            }
            (None, None) => None,
        }
    }

    /// The routes of the design, each path once.
    pub(super) fn routes(&mut self) -> Vec<Route> {
        let (design, program) = (self.design, self.program);
        let mut seen: Vec<(Option<&str>, String, Span)> = Vec::new();
        let mut routes = Vec::new();
        for source in &design.routes {
            if let Some(method) = &source.method {
                self.method(method, &ROUTE_METHODS);
            }
            if !source.path.starts_with('/') {
                let title = format!("the path \"{}\" does not begin with `/`", source.path);
                self.push(UNKNOWN.at(source.path_span, title));
            }
            let begin = source.path.split('/').nth(1).unwrap_or_default();
            if begin.is_empty() || begin.starts_with('{') || RESERVED_PATHS.contains(&begin) {
                let title = format!("no route can begin with `/{begin}`");
                let note = format!(
                    "The first part of a path is a word of the design's own; `/` and {} are the server's.",
                    RESERVED_PATHS.map(|each| format!("`/{each}`")).join(", ")
                );
                self.push(UNKNOWN.at(source.path_span, title).note(note));
            }
            if !(200..300).contains(&source.status) {
                let title = format!("{} is not the status of a success", source.status);
                self.push(NUMBER.at(source.span, title).note("A success has a status from 200 to 299."));
            }
            // Two paths that differ only in the names of their parameters are one path.
            let shape = |each: &'_ str| if each.starts_with('{') { "{}".to_owned() } else { each.to_owned() };
            let shape = source.path.split('/').map(shape).collect::<Vec<_>>().join("/");
            let method = source.method.as_ref().map(|name| name.text.as_str());
            if let Some((_, _, first)) = seen.iter().find(|(m, path, _)| *m == method && *path == shape) {
                let problem =
                    crate::problems::DUPLICATE.at(source.path_span, "there are two routes of this path");
                let first = *first;
                self.push(problem.label("the second").also(first, "the first"));
            }
            seen.push((method, shape, source.path_span));
            let found = program.operations.entries().find(|(_, each)| *each.name == *source.operation);
            let Some((operation, body)) = found else { continue };
            let segment = |text: &str| match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
                Some(name) => body.signature.find(name).map(Segment::Parameter),
                None => Some(Segment::Literal(text.into())),
            };
            let segments =
                source.path.split('/').filter(|each| !each.is_empty()).filter_map(segment).collect();
            let method = method.map(Arc::from);
            self.answer_of(source);
            routes.push(Route {
                method,
                segments,
                operation,
                status: source.status,
                content_type: source.content_type.as_deref().map(Arc::from),
                live: source.live,
                max_body: source.max_body,
                limit: source.limit,
            });
        }
        routes
    }

    /// The form of a route's answer: its clauses must go together.
    fn answer_of(&mut self, source: &'a model::Route) {
        let is_get = source.method.as_ref().is_some_and(|method| method.is("GET"));
        if source.live && !is_get {
            let problem = ARGUMENT.at(source.span, "a channel is followed with GET");
            self.push(problem.note("Write `route GET ... live`."));
        }
        if source.live && (source.content_type.is_some() || source.status != 200) {
            let title = "events are `text/event-stream` and answered with 200";
            self.push(ARGUMENT.at(source.span, title));
        }
        if let Some(text) = &source.content_type
            && !is_content_type(text)
        {
            self.push(ARGUMENT.at(source.span, format!("\"{text}\" is not a content type")));
        }
    }

    /// The sessions of the design. Each yields the whole caller.
    pub(super) fn sessions(&mut self) -> Vec<Session> {
        let (design, program) = (self.design, self.program);
        let mut sessions = Vec::new();
        for source in &design.sessions {
            let caller: Vec<&str> = program.caller.iter().map(|each| &*each.name).collect();
            for field in &source.fields {
                if program.caller.find(&field.text).is_none() {
                    self.unknown("part of the caller", &field.text, field.span, caller.iter().copied());
                }
            }
            let lacking = program.caller.iter().filter(|each| !each.may_be_absent());
            let lacking = lacking.filter(|each| !source.fields.iter().any(|field| field.is(&each.name)));
            let lacking: Vec<&str> = lacking.map(|each| &*each.name).collect();
            if !lacking.is_empty() {
                let title =
                    format!("this session does not say what `{}` of the caller is", lacking.join("`, `"));
                self.push(ARGUMENT.at(source.span, title));
            }
            let found = program.operations.entries().find(|(_, each)| *each.name == *source.operation);
            if let Some((operation, _)) = found {
                sessions.push(Session { prefix: source.prefix.as_deref().map(Arc::from), operation });
            }
        }
        sessions
    }

    /// `choose { condition: value, otherwise: value }` without an expected type.
    pub(super) fn choose(
        &mut self,
        arms: &'a [(model::Expr, model::Expr)],
        otherwise: Option<&'a model::Expr>,
        wanted: Option<&Type>,
        span: Span,
    ) -> Expr {
        let mut known = Ty::Unknown;
        let mut chosen = |typing: &mut Self, value: &'a model::Expr| {
            let value = typing.infer(value, wanted);
            match (&known, &value.ty) {
                (_, Ty::Unknown | Ty::Nothing) => {}
                (Ty::Unknown, ty) => known = ty.clone(),
                (first, ty) if crate::program::ty::comparable(first, ty) => {}
                (first, ty) => {
                    let (one, other) = (typing.named(first), typing.named(ty));
                    let title = format!("this is {other}, and an earlier choice is {one}");
                    typing.push(MISMATCH.at(value.span, title));
                }
            }
            value
        };
        let outer = self.asked.clone();
        let mut made = Vec::with_capacity(arms.len());
        for (condition, value) in arms {
            let condition = self.condition(condition);
            self.asked.about(&condition);
            made.push((condition, chosen(self, value)));
        }
        let otherwise = otherwise.map(|value| Box::new(chosen(self, value)));
        self.asked = outer;
        typed(ExprKind::Choose { arms: made, otherwise }, known, span)
    }

    /// `choose` against a declared type: every choice must fit.
    pub(super) fn choose_wanted(
        &mut self,
        arms: &'a [(model::Expr, model::Expr)],
        otherwise: Option<&'a model::Expr>,
        wanted: &Wanted,
        span: Span,
    ) -> Expr {
        let outer = self.asked.clone();
        let arms = arms.iter().map(|(condition, value)| {
            let condition = self.condition(condition);
            self.asked.about(&condition);
            (condition, self.want(value, wanted))
        });
        let arms = arms.collect();
        if otherwise.is_none() && !wanted.is_optional() {
            let problem =
                crate::problems::ABSENT.at(span, "there may be no choice, but this must always be there");
            self.push(wanted.show(problem.label("add `otherwise: ...`")));
        }
        let otherwise = otherwise.map(|value| Box::new(self.want(value, wanted)));
        self.asked = outer;
        typed(ExprKind::Choose { arms, otherwise }, Ty::of(&wanted.ty), span)
    }
}

/// Whether text is a content type, such as `text/csv; charset=utf-8`.
fn is_content_type(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_token = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+.".contains(&byte))
    };
    let kind = text.split(';').next().unwrap_or_default();
    is_plain && kind.split_once('/').is_some_and(|(one, other)| is_token(one) && is_token(other))
}
