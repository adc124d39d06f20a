//! Effects, workers, routes and sessions, and the clauses of tests about them.

use super::{
    Allow, Args, Body, Expr, Fields, Name, Names, Number, On, Params, Rate, Text, TypeObject, When, child,
    children, name_after, nodes, nth_name, numbers, text, tokens,
};
use crate::kind::Kind;

nodes! {
    /// `effect name(params) -> { attributes } = http METHOD url timeout duration`
    Effect,
    /// `timeout duration`
    Timeout,
    /// `audience text`
    Audience,
    /// `keys url`
    Keys,
    /// `live channel`
    Channel,
    /// `worker name trigger { statements }`
    Worker,
    /// `on create Entity as name`, `due Entity as name by attribute` or `every duration`
    Trigger,
    /// `concurrency n per attribute m`
    Concurrency,
    /// `lease duration`
    Lease,
    /// `attempts n`
    Attempts,
    /// `route METHOD "/path" = expr`
    Route,
    /// `answers status`
    Answers,
    /// `as "content/type"`
    Typed,
    /// `live`
    Live,
    /// `max size`
    MaxBody,
    /// `limit rate`
    Throttle,
    /// `session "prefix" = expr as name { fields }`
    Session,
    /// `given effect(args) -> { result }`
    Given,
    /// `expect did effect(args) n times`
    Did,
    /// `work`
    Work,
}

impl Effect {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its parameters.
    pub fn params(&self) -> Option<Params> {
        child(&self.0)
    }

    /// Its result.
    pub fn result(&self) -> Option<TypeObject> {
        child(&self.0)
    }

    /// `http`, `mail`, `jwt`, `live` or `extern`.
    pub fn kind(&self) -> Option<Name> {
        self.names_behind().first().cloned()
    }

    /// The method of an HTTP request.
    pub fn method(&self) -> Option<Name> {
        self.names_behind().get(1).cloned()
    }

    /// The address of an HTTP request, the issuer of a token, or the channel of an event.
    pub fn url(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The audience of a token.
    pub fn audience(&self) -> Option<Expr> {
        child::<Audience>(&self.0).and_then(|clause| child(&clause.0))
    }

    /// The address of an issuer's keys.
    pub fn keys(&self) -> Option<Expr> {
        child::<Keys>(&self.0).and_then(|clause| child(&clause.0))
    }

    /// The channel to which parts of the result go.
    pub fn channel(&self) -> Option<Expr> {
        child::<Channel>(&self.0).and_then(|clause| child(&clause.0))
    }

    /// How long it may take.
    pub fn timeout(&self) -> Option<Number> {
        child::<Timeout>(&self.0).and_then(|clause| numbers(&clause.0).next())
    }

    fn names_behind(&self) -> Vec<Name> {
        let Some(equals) = tokens(&self.0, Kind::Eq).next() else { return Vec::new() };
        let after = tokens(&self.0, Kind::Name)
            .filter(move |name| name.text_range().start() >= equals.text_range().end());
        after.map(Name).collect()
    }
}

impl Worker {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The trigger.
    pub fn trigger(&self) -> Option<Trigger> {
        child(&self.0)
    }

    /// How many runs there may be at a time.
    pub fn concurrency(&self) -> Option<Concurrency> {
        child(&self.0)
    }

    /// For how long a run owns its item.
    pub fn lease(&self) -> Option<Number> {
        child::<Lease>(&self.0).and_then(|clause| numbers(&clause.0).next())
    }

    /// How often a run is tried.
    pub fn attempts(&self) -> Option<Number> {
        child::<Attempts>(&self.0).and_then(|clause| numbers(&clause.0).next())
    }

    /// The rules that are silenced here.
    pub fn allows(&self) -> impl Iterator<Item = Allow> + use<> {
        children(&self.0)
    }

    /// Its body.
    pub fn body(&self) -> Option<Body> {
        child(&self.0)
    }

    /// The statements that run when the body fails.
    pub fn handlers(&self) -> impl Iterator<Item = On> + use<> {
        children(&self.0)
    }
}

impl Trigger {
    /// `on`, `due` or `every`.
    pub fn word(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// The changes that `on` names.
    pub fn changes(&self) -> Option<Names> {
        child(&self.0)
    }

    /// The entity.
    pub fn entity(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The name of the item in the body.
    pub fn item(&self) -> Option<Name> {
        name_after(&self.0, "as")
    }

    /// The attribute with the time at which an item is due.
    pub fn by(&self) -> Option<Name> {
        name_after(&self.0, "by")
    }

    /// The condition on the item.
    pub fn when(&self) -> Option<When> {
        child(&self.0)
    }

    /// The interval of `every`.
    pub fn interval(&self) -> Option<Number> {
        numbers(&self.0).next()
    }

    /// The texts of `every`: the cron expression, unless there is an interval, and the zone.
    pub fn texts(&self) -> Vec<Text> {
        tokens(&self.0, Kind::Str).map(Text).collect()
    }
}

impl Concurrency {
    /// How many runs there may be at a time.
    pub fn runs(&self) -> Option<Number> {
        numbers(&self.0).next()
    }

    /// The attribute whose values share a part of them, and how many one value may have.
    pub fn per(&self) -> Option<(Name, Number)> {
        Some((name_after(&self.0, "per")?, numbers(&self.0).nth(1)?))
    }
}

impl Route {
    /// The HTTP method; none accepts every method.
    pub fn method(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The path, a template over parameters.
    pub fn path(&self) -> Option<Text> {
        text(&self.0)
    }

    /// The callee.
    pub fn call(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The status of a success.
    pub fn answers(&self) -> Option<Number> {
        child::<Answers>(&self.0).and_then(|clause| numbers(&clause.0).next())
    }

    /// The content type of a success that is text.
    pub fn content_type(&self) -> Option<Text> {
        child::<Typed>(&self.0).and_then(|clause| text(&clause.0))
    }

    /// Whether it answers with the events of a channel.
    pub fn live(&self) -> Option<Live> {
        child(&self.0)
    }

    /// The largest body.
    pub fn max_body(&self) -> Option<Number> {
        child::<MaxBody>(&self.0).and_then(|clause| numbers(&clause.0).next())
    }

    /// How often one address may ask.
    pub fn limit(&self) -> Option<Rate> {
        child::<Throttle>(&self.0).and_then(|clause| child(&clause.0))
    }
}

impl Session {
    /// The prefix of a token.
    pub fn prefix(&self) -> Option<Text> {
        text(&self.0)
    }

    /// The call that finds the owner of a token.
    pub fn call(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The name of the found item in the fields.
    pub fn item(&self) -> Option<Name> {
        name_after(&self.0, "as")
    }

    /// The caller.
    pub fn fields(&self) -> Option<Fields> {
        child(&self.0)
    }
}

impl Given {
    /// The effect.
    pub fn effect(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The arguments that it must have.
    pub fn args(&self) -> Option<Args> {
        child(&self.0)
    }

    /// The result of the effect.
    pub fn result(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The error it fails with.
    pub fn fails(&self) -> Option<Name> {
        name_after(&self.0, "fails")
    }
}

impl Did {
    /// The effect.
    pub fn effect(&self) -> Option<Name> {
        nth_name(&self.0, 2)
    }

    /// Its arguments.
    pub fn args(&self) -> Option<Args> {
        child(&self.0)
    }

    /// How often.
    pub fn times(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}
