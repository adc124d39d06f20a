//! Computes the functions of webhooks, schedules and sign-ins: here, or by the host of a task.
//!
//! Time zones, elliptic curves and password hashes are half a megabyte. A core for hosts of other languages is loaded at
//! every cold start, and few designs use them, so on WebAssembly they are a module of their own: a task asks its host for
//! them, as it asks for keys, and its host calls [`compute`] there.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use sortkey_design::formats;
use sortkey_design::program::{Expr, Function};
use sortkey_functions::hmac::is_equal;
use sortkey_value::Number;

use super::webhooks::{Moment, bytes, period_start};
use super::{Scope, View};
use crate::ask::{Ask, Told};
use crate::values::{Val, json_object};
use crate::{Failure, FailureKind};

/// The functions that can be computed elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    /// A function of the language.
    Function(Function),
    /// The composed form (NFC) of a text, whose tables have a hundred kilobytes.
    Composed,
    /// Whether a text matches a pattern. Regular expressions are a thirtieth of the core.
    IsMatch,
}

impl Computed {
    /// Its name in messages to hosts.
    pub fn word(self) -> &'static str {
        match self {
            Computed::Function(function) => function.word(),
            Computed::Composed => "composed",
            Computed::IsMatch => "isMatch",
        }
    }

    /// The one of a name.
    pub fn named(word: &str) -> Option<Computed> {
        let functions = Function::ALL.iter().map(|function| Computed::Function(*function));
        functions.chain([Computed::Composed, Computed::IsMatch]).find(|each| each.word() == word)
    }
}

/// Something to be computed elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Computation {
    /// The function to compute.
    pub function: Computed,
    /// Its arguments, each as JSON tagged with its kind.
    pub arguments: Json,
    /// The moment of the call.
    pub now_ms: i64,
    /// A random number, for a function that needs one.
    pub random: u64,
}

/// Computes something for a task. The result is JSON tagged with its kind, as arguments are.
pub fn compute(computation: &Computation) -> Result<Json, Failure> {
    let arguments = computation.arguments.as_array().into_iter().flatten().map(untagged);
    let arguments = arguments.collect::<Option<Vec<Val>>>();
    let malformed = || Failure::new(FailureKind::Invalid, "the arguments of a function are malformed");
    let moment = Moment { now_ms: computation.now_ms, random: computation.random };
    let arguments = arguments.ok_or_else(malformed)?;
    let value = match (computation.function, &arguments[..]) {
        (Computed::Function(function), arguments) => moment.computed(function, arguments)?,
        (Computed::Composed, [Val::Text(text)]) => Some(Val::Text(formats::composed(text))),
        (Computed::IsMatch, [Val::Text(pattern), Val::Text(text)]) => {
            Some(Val::Bool(formats::is_match(pattern, text)))
        }
        (Computed::Composed | Computed::IsMatch, _) => None,
    };
    value.as_ref().map(tagged).ok_or_else(malformed)
}

impl Scope<'_> {
    /// The value of an argument of a function. A secret of an item in hand is opened for it.
    pub(super) fn argument(&self, argument: &Expr, view: Option<View<'_>>) -> Result<Val, Failure> {
        let open = |value: Val| crate::write::unsealed(self, value);
        match self.eval(argument, view)? {
            Val::List(members) => members.into_iter().map(open).collect::<Result<_, _>>().map(Val::List),
            value => open(value),
        }
    }

    /// `function(arguments)`, if it is one of these.
    pub(super) fn webhook_function(
        &self,
        function: Function,
        values: &[Val],
    ) -> Result<Option<Val>, Failure> {
        let at = |place: usize| values.get(place).unwrap_or(&Val::Absent);
        match function {
            Function::PeriodStart => return Ok(Some(period_start(at(0), at(1)))),
            Function::Same => {
                let is_same = || is_equal(&bytes(at(0)), &bytes(at(1)));
                return Ok(Some(Val::Bool(!at(0).is_absent() && !at(1).is_absent() && is_same())));
            }
            // Without a stored hash, a password is hashed all the same,
            // so that the time does not reveal whether there is one.
            Function::Matches if at(1).as_text().is_none() => {
                drop(self.bcrypt(&bytes(at(0))));
                return Ok(Some(Val::Bool(false)));
            }
            Function::CronNext
            | Function::Matches
            | Function::Totp
            | Function::Verified
            | Function::DeliveryId
            | Function::StandardWebhook
            | Function::Passes
            | Function::Transformed
            | Function::TransformedHeaders
            | Function::RetryDelay
            | Function::RepeatNext
            | Function::Hour => {}
            _ => return Ok(None),
        }
        let random = match function {
            Function::RetryDelay => self.ids.next().map_err(|error| Failure::internal(error.to_string()))?,
            _ => 0,
        };
        let moment = Moment { now_ms: self.now_ms, random };
        self.computed(function, values, moment).map(Some)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn computed(&self, function: Function, values: &[Val], moment: Moment) -> Result<Val, Failure> {
        let mut found = Ok(None);
        match function {
            Function::Matches => {
                (self.shared.settings.aside)(&mut || found = moment.computed(function, values));
            }
            _ => found = moment.computed(function, values),
        }
        found.map(Option::unwrap_or_default)
    }

    #[cfg(target_arch = "wasm32")]
    fn computed(&self, function: Function, values: &[Val], moment: Moment) -> Result<Val, Failure> {
        self.asked(Computed::Function(function), values, moment)
    }

    /// Text in its composed form (NFC).
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn composed(&self, text: String) -> Result<String, Failure> {
        Ok(formats::composed(&text))
    }

    /// Text in its composed form (NFC).
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn composed(&self, text: String) -> Result<String, Failure> {
        match self.asked(Computed::Composed, &[Val::Text(text)], Moment { now_ms: 0, random: 0 })? {
            Val::Text(text) => Ok(text),
            _ => Err(Failure::internal("a composed text is text")),
        }
    }

    /// Whether a whole text matches a pattern.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> Result<bool, Failure> {
        Ok(formats::is_match(pattern, text))
    }

    /// Whether a whole text matches a pattern.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> Result<bool, Failure> {
        let arguments = [Val::text(pattern), Val::text(text)];
        let answer = self.asked(Computed::IsMatch, &arguments, Moment { now_ms: 0, random: 0 })?;
        Ok(answer == Val::Bool(true))
    }

    /// Asks the host of a task.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "computed here"))]
    fn asked(&self, function: Computed, values: &[Val], moment: Moment) -> Result<Val, Failure> {
        let arguments = values.iter().map(tagged).collect();
        let computation = Computation { function, arguments, now_ms: moment.now_ms, random: moment.random };
        let awaited = || Failure::internal("a function is awaited");
        match self.outbox.ok_or_else(awaited)?.known(Ask::Compute(computation)) {
            Some(Told::Computed(value)) => {
                untagged(&value?).ok_or_else(|| Failure::internal("the value of a function is malformed"))
            }
            Some(_) => Err(Failure::internal("a function was asked for, and something else answered")),
            None => Err(awaited()),
        }
    }
}

/// A value as JSON tagged with its kind: a number, a time and a text are three things.
fn tagged(value: &Val) -> Json {
    match value {
        Val::Absent | Val::Sealed(_) => Json::Null,
        Val::Null => json!({ "null": true }),
        Val::Bool(value) => json!(value),
        Val::Number(number) => json!({ "number": number.to_string() }),
        Val::Text(text) => json!(text),
        Val::Bytes(bytes) => json!({ "bytes": STANDARD.encode(bytes) }),
        Val::Time(time_ms) => json!({ "time": time_ms }),
        Val::List(members) | Val::Set(members) => Json::Array(members.iter().map(tagged).collect()),
        Val::Map(_) | Val::Item(_) => {
            let fields = value.fields().into_iter().flatten();
            json!({ "map": json_object(fields.map(|(name, each)| (name.to_string(), tagged(each)))) })
        }
    }
}

/// The inverse of [`tagged`].
fn untagged(json: &Json) -> Option<Val> {
    Some(match json {
        Json::Null => Val::Absent,
        Json::Bool(value) => Val::Bool(*value),
        Json::String(text) => Val::text(text),
        Json::Array(members) => Val::List(members.iter().map(untagged).collect::<Option<_>>()?),
        Json::Number(_) => return None,
        Json::Object(tags) => {
            let (tag, value) = tags.iter().next()?;
            match tag.as_str() {
                "null" => Val::Null,
                "number" => Val::Number(Number::parse(value.as_str()?).ok()?),
                "bytes" => Val::Bytes(STANDARD.decode(value.as_str()?).ok()?),
                "time" => Val::Time(value.as_i64()?),
                "map" => {
                    let fields = value.as_object()?.iter();
                    let fields = fields.map(|(name, each)| Some((Arc::from(name.as_str()), untagged(each)?)));
                    Val::Map(fields.collect::<Option<_>>()?)
                }
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_way_to_a_host_and_back() {
        let fields = [(Arc::<str>::from("a"), Val::Null), (Arc::from("b"), Val::Time(-7))];
        let number = Number::parse("12345678901234567890123456789.5").expect("a number");
        let all = Val::List(vec![
            Val::Absent,
            Val::Bool(true),
            Val::Number(number),
            Val::text("x"),
            Val::Bytes(vec![0, 255]),
            Val::Map(fields.into_iter().collect()),
        ]);
        assert_eq!(untagged(&tagged(&all)), Some(all));
        for nonsense in [json!(1), json!({}), json!({ "time": "x" }), json!({ "what": 1 })] {
            assert_eq!(untagged(&nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_host_computes_what_the_core_does() {
        let computation = Computation {
            function: Computed::Function(Function::CronNext),
            arguments: json!(["0 9 * * *", { "time": 1_767_225_600_000_i64 }, "Europe/Berlin"]),
            now_ms: 0,
            random: 0,
        };
        assert_eq!(compute(&computation), Ok(json!({ "time": 1_767_254_400_000_i64 })));
        let composed = |arguments| {
            compute(&Computation { function: Computed::Composed, arguments, now_ms: 0, random: 0 })
        };
        assert_eq!(composed(json!(["e\u{301}@example.com"])), Ok(json!("\u{e9}@example.com")));
        assert!(composed(json!([])).is_err());
        let is_match = |text: &str| {
            let arguments = json!(["[a-z]+", text]);
            compute(&Computation { function: Computed::IsMatch, arguments, now_ms: 0, random: 0 })
        };
        assert_eq!((is_match("abc"), is_match("abc1")), (Ok(json!(true)), Ok(json!(false))));
        for each in [Computed::Composed, Computed::IsMatch, Computed::Function(Function::CronNext)] {
            assert_eq!(Computed::named(each.word()), Some(each));
        }
    }
}
