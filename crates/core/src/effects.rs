//! The effects of a design outside of the database: requests, mails, and functions of the application.
//!
//! This crate describes an effect and reads its outcome. [`Effects`] carries it out: a client of HTTP and mail where a
//! design is served, prepared answers where it is tested.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value as Json;
use sortkey_design::program::{Callee, EffectId, EffectKind, Expr, LocalId, Signature, Type};

use crate::ask::{Ask, Told};
use crate::evaluate::Scope;
use crate::operate::Given;
use crate::values::{Admit, Fields, Origin, Val, from_json, json_object, to_json, untyped};
use crate::{Failure, FailureKind};

/// Carries out effects.
pub trait Effects: Send + Sync + 'static {
    /// Carries out one effect. An HTTP request or a mail that did not work is an answer; an error means that the outcome is
    /// unknown, and the run is tried again.
    fn perform(&self, effect: Outgoing) -> Performing<'_>;

    /// Whether it looks at the arguments of requests and mails, beside what they ask for. Those of extern effects are always
    /// there.
    fn reads_arguments(&self) -> bool {
        true
    }
}

/// An effect that is being carried out.
pub type Performing<'a> = Pin<Box<dyn Future<Output = Result<Performed, Failure>> + Send + 'a>>;

/// An effect to be carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The effect's name.
    pub name: String,
    /// Its arguments as JSON, by the names of its parameters; empty if [`Effects::reads_arguments`] is false.
    pub arguments: Json,
    /// The action.
    pub deed: Deed,
    /// How many milliseconds it may take.
    pub timeout_ms: u64,
}

/// The action of an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// An HTTP request.
    Http {
        /// The method.
        method: String,
        /// The address.
        url: String,
        /// The headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// A mail.
    Mail {
        /// The recipient.
        to: String,
        /// The sender; none means the one that the deployment names.
        from: Option<String>,
        /// The subject.
        subject: String,
        /// The text.
        text: String,
        /// The text as HTML.
        html: Option<String>,
    },
    /// A token of an OIDC issuer is verified.
    Jwt {
        /// The token.
        token: String,
        /// The issuer that it must be from.
        issuer: String,
        /// The audience that it must be for.
        audience: String,
        /// The address of the issuer's keys; none if the issuer's configuration names it.
        keys: Option<String>,
        /// The moment at which it must be valid, in milliseconds since 1970.
        now_ms: i64,
    },
    /// The arguments go as one event to those who follow a channel.
    Live {
        /// The channel.
        channel: String,
    },
    /// A function of the application, called by the effect's name.
    Extern,
    /// Like `Extern`; parts of the result go to those who follow a channel.
    Streamed {
        /// The channel.
        channel: String,
    },
}

/// The outcome of an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Performed {
    /// An answer to an HTTP request, or why there is none.
    Http {
        /// The status; 0 if there was no answer.
        status: u16,
        /// The headers of the answer.
        headers: Vec<(String, String)>,
        /// The part of the answer's body that was read.
        body: Vec<u8>,
        /// How long it took.
        latency_ms: u64,
        /// Why there is no answer.
        error: Option<String>,
    },
    /// A mail was handed over, or why not.
    Mail {
        /// How long it took.
        latency_ms: u64,
        /// Why it was not.
        error: Option<String>,
    },
    /// The claims of a token that was verified. A token that is not valid is a failure, `Unauthenticated`.
    Claims(Json),
    /// The result as JSON of the effect's own type.
    Result(Json),
}

/// Nothing is carried out: where nobody set up a client.
pub struct NoEffects;

impl Effects for NoEffects {
    fn perform(&self, effect: Outgoing) -> Performing<'_> {
        Box::pin(async move {
            let message = format!("nothing carries out the effect `{}` here", effect.name);
            Err(Failure::new(FailureKind::Unavailable, message))
        })
    }
}

/// Carries out an effect of the design with arguments of its types. Returns its result, and whether the other side is
/// healthy: it is not if a request gets no answer, or a status of 500 or above.
pub(crate) async fn perform(scope: &Scope<'_>, id: EffectId, given: Given) -> Result<(Val, bool), Failure> {
    let shared = scope.shared;
    let effect = &shared.program.effects[id];
    let mut inner = scope.fresh();
    crate::operate::bind(&mut inner, Callee::Effect(id), given)?;
    let outgoing = outgoing(&inner, id)?;
    let performed = match scope.outbox {
        None => shared.settings.effects.perform(outgoing).await?,
        Some(outbox) => match outbox.ask(Ask::Perform(outgoing)).await {
            Told::Performed(performed) => performed?,
            _ => return Err(Failure::internal("an effect was asked for, and something else answered")),
        },
    };
    let is_well = match &performed {
        Performed::Http { status, .. } => (1..500).contains(status),
        Performed::Mail { error, .. } => error.is_none(),
        Performed::Claims(_) | Performed::Result(_) => true,
    };
    let result = result(scope, &effect.result, performed)?;
    let admit = Admit::argument(scope, Origin::Json).keeping_empty();
    let result = admit.value(&effect.result, result, &effect.name).map_err(|failure| {
        let message = format!("what `{}` gave is not what the design says: {}", effect.name, failure.message);
        let kind = match effect.kind {
            // A token without the claims that the design needs belongs to nobody here.
            EffectKind::Jwt { .. } => FailureKind::Unauthenticated,
            _ => FailureKind::Unavailable,
        };
        Failure::new(kind, message)
    })?;
    Ok((result, is_well))
}

/// A parameter of an effect that the message is made of. The language gives its name a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    To,
    From,
    Subject,
    Text,
    Html,
    Headers,
    Body,
    Form,
    Token,
}

impl Part {
    const NAMES: [&str; 9] = ["to", "from", "subject", "text", "html", "headers", "body", "form", "token"];
}

/// The parameters of an effect that its message is made of, looked up once.
#[derive(Clone, Debug)]
pub(crate) struct Parts([Option<LocalId>; 9]);

impl Parts {
    pub(crate) fn of(signature: &Signature) -> Parts {
        Parts(Part::NAMES.map(|name| signature.find(name).map(|id| signature.parameters[id].local)))
    }

    fn get(&self, part: Part) -> Option<LocalId> {
        self.0[part as usize]
    }
}

fn outgoing(scope: &Scope<'_>, id: EffectId) -> Result<Outgoing, Failure> {
    let program = &scope.shared.program;
    let effect = &program.effects[id];
    let parts = &scope.shared.effect_parts[id];
    let value = |part| scope.get(parts.get(part)?).filter(|value| !value.is_absent());
    let text = |part| value(part).and_then(Val::as_text).map(str::to_owned);
    let deed = match &effect.kind {
        EffectKind::Extern => Deed::Extern,
        EffectKind::Streamed { channel } => Deed::Streamed { channel: computed(scope, channel)? },
        EffectKind::Live { channel } => Deed::Live { channel: computed(scope, channel)? },
        EffectKind::Jwt { issuer, audience, keys } => Deed::Jwt {
            token: text(Part::Token).unwrap_or_default(),
            issuer: computed(scope, issuer)?,
            audience: computed(scope, audience)?,
            keys: keys.as_ref().map(|keys| computed(scope, keys)).transpose()?,
            now_ms: scope.now_ms,
        },
        EffectKind::Mail => Deed::Mail {
            to: text(Part::To).unwrap_or_default(),
            from: text(Part::From),
            subject: text(Part::Subject).unwrap_or_default(),
            text: text(Part::Text).unwrap_or_default(),
            html: text(Part::Html),
        },
        EffectKind::Http { method, url } => {
            let url = computed(scope, url)?;
            let mut headers = pairs(value(Part::Headers));
            let (body, kind) = match (value(Part::Body), value(Part::Form)) {
                (Some(Val::Bytes(bytes)), _) => (bytes.clone(), None),
                (Some(Val::Text(text)), _) => (text.clone().into_bytes(), None),
                (Some(other), _) => (untyped(other).to_string().into_bytes(), Some("application/json")),
                (None, Some(form)) => {
                    (encoded(&pairs(Some(form))), Some("application/x-www-form-urlencoded"))
                }
                (None, None) => (Vec::new(), None),
            };
            let says_kind = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            if let Some(kind) = kind.filter(|_| !says_kind) {
                headers.push(("content-type".to_owned(), kind.to_owned()));
            }
            Deed::Http { method: method.to_string(), url, headers, body }
        }
    };
    // Requests and mails are complete without the arguments; other effects need them.
    let is_complete = matches!(deed, Deed::Http { .. } | Deed::Mail { .. });
    let is_asked = !is_complete || scope.outbox.is_some() || scope.shared.settings.effects.reads_arguments();
    let asked = effect.signature.parameters.iter().filter(|_| is_asked);
    let arguments = asked.filter_map(|parameter| {
        let value = scope.get(parameter.local).filter(|value| !value.is_absent())?;
        Some((parameter.name.to_string(), to_json(program, &parameter.ty, value)))
    });
    Ok(Outgoing {
        name: effect.name.to_string(),
        arguments: json_object(arguments),
        deed,
        timeout_ms: effect.timeout_ms,
    })
}

/// The text of an expression over the parameters.
fn computed(scope: &Scope<'_>, expr: &Expr) -> Result<String, Failure> {
    Ok(scope.eval(expr, None)?.as_text().unwrap_or_default().to_owned())
}

/// The members of a map as text.
fn pairs(map: Option<&Val>) -> Vec<(String, String)> {
    let fields = map.and_then(Val::fields).into_iter().flatten();
    let text = |value: &Val| crate::template::canonical(None, value);
    fields.filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect()
}

/// Names and values as a form is sent.
fn encoded(pairs: &[(String, String)]) -> Vec<u8> {
    fn escaped(text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                    escaped.push(char::from(byte))
                }
                _ => escaped.push_str(&format!("%{byte:02X}")),
            }
        }
        escaped
    }
    let members: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    members.join("&").into_bytes()
}

/// The outcome of an effect as an object of the declared type, whose attributes decide which parts are kept.
fn result(scope: &Scope<'_>, ty: &Type, performed: Performed) -> Result<Val, Failure> {
    let Type::Object(id) = ty else { return Ok(Val::Map(Fields::new())) };
    let attributes = &scope.shared.program.objects[*id].attributes;
    let unreadable = || Failure::new(FailureKind::Unavailable, "the result has a number of too many digits");
    let mut fields = Fields::new();
    let mut put = |name: &str, value: Val| {
        if let Some(id) = attributes.find(name) {
            fields.insert(attributes[id].name.clone(), value);
        }
    };
    match performed {
        Performed::Result(json) => return from_json(json).ok_or_else(unreadable),
        Performed::Claims(json) => {
            return from_json(json).map(|claims| known(scope, ty, claims)).ok_or_else(unreadable);
        }
        Performed::Mail { latency_ms, error } => {
            put("latencyMs", whole(latency_ms));
            put("error", error.map_or(Val::Absent, Val::Text));
        }
        Performed::Http { status, headers, body, latency_ms, error } => {
            let after = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
            let after = after.and_then(|(_, text)| {
                sortkey_functions::retry::retry_after_seconds(text, scope.now_ms.div_euclid(1_000))
            });
            put("status", Val::integer(i64::from(status)));
            put("latencyMs", whole(latency_ms));
            put("retryAfterMs", after.map_or(Val::Absent, |seconds| whole(u64::from(seconds) * 1_000)));
            put("error", error.map_or(Val::Absent, Val::Text));
            let json = serde_json::from_slice(&body).ok().and_then(from_json);
            let json = match attributes.find("json").map(|id| &*attributes[id].ty) {
                Some(ty) => json.map(|value| known(scope, ty, value)),
                None => None,
            };
            put("json", json.unwrap_or_default());
            put("body", Val::Text(String::from_utf8_lossy(&body).into_owned()));
            let headers =
                headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), Val::Text(value)));
            put("headers", Val::Map(headers.collect()));
        }
    }
    Ok(Val::Map(fields))
}

/// The attributes of an answer that the design declares; others and nulls are left out.
fn known(scope: &Scope<'_>, ty: &Type, value: Val) -> Val {
    let (Type::Object(id), Val::Map(fields)) = (ty, &value) else { return value };
    let attributes = &scope.shared.program.objects[*id].attributes;
    let members = attributes.iter().filter_map(|attribute| {
        let member = fields.get(&attribute.name).filter(|each| !matches!(each, Val::Null | Val::Absent))?;
        Some((attribute.name.clone(), known(scope, &attribute.ty, member.clone())))
    });
    Val::Map(members.collect())
}

fn whole(number: u64) -> Val {
    Val::integer(i64::try_from(number).unwrap_or(i64::MAX))
}
