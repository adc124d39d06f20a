//! One statement of a policy, compiled.

use std::sync::Arc;

use crate::Request;
use crate::condition::Condition;
use crate::json::Json;
use crate::operator::Operator;
use crate::pattern::{Pattern, Syntax};
use crate::policy::{Kind, texts};
use crate::principal::{Named, Naming};

/// The effect of a statement on the requests it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Permits them.
    Allow,
    /// Forbids them, whatever permits them.
    Deny,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) sid: Option<Arc<str>>,
    pub(crate) effect: Effect,
    principal: Option<Named>,
    actions: List,
    resources: Option<List>,
    conditions: Vec<Condition>,
}

/// `Action` or `NotAction`, `Resource` or `NotResource`.
#[derive(Clone, Debug, PartialEq)]
struct List {
    patterns: Vec<Pattern>,
    negated: bool,
    ignore_case: bool,
}

impl List {
    fn matches(&self, request: &Request<'_>, text: &str) -> bool {
        let found =
            self.patterns.iter().any(|pattern| pattern.matches(text, self.ignore_case, request.context));
        found != self.negated
    }
}

const MEMBERS: [&str; 9] = [
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];

impl Statement {
    pub(crate) fn read(json: &Json, kind: Kind, variables: bool) -> Result<Statement, String> {
        let Json::Object(members) = json else { return Err("a statement must be an object".to_owned()) };
        if let Some((unknown, _)) = members.iter().find(|(name, _)| !MEMBERS.contains(&name.as_str())) {
            return Err(format!("a statement has no member `{unknown}`"));
        }
        let get = |name: &str| members.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let sid = match get("Sid") {
            None => None,
            Some(Json::String(text)) => Some(Arc::from(text.as_str())),
            Some(_) => return Err("`Sid` must be text".to_owned()),
        };
        let effect = match get("Effect") {
            Some(Json::String(text)) if text == "Allow" => Effect::Allow,
            Some(Json::String(text)) if text == "Deny" => Effect::Deny,
            _ => return Err("`Effect` must be `Allow` or `Deny`".to_owned()),
        };
        let principal = match (get("Principal"), get("NotPrincipal")) {
            (None, None) => None,
            (Some(named), None) => Some(Named::read(named, false)?),
            (None, Some(named)) if effect == Effect::Deny => Some(Named::read(named, true)?),
            (None, Some(_)) => return Err("`NotPrincipal` is only for `Deny`".to_owned()),
            (Some(_), Some(_)) => return Err("a statement has `Principal` or `NotPrincipal`".to_owned()),
        };
        match (kind, principal.is_some()) {
            (Kind::Identity, true) => return Err("a policy of an identity has no `Principal`".to_owned()),
            (Kind::Resource | Kind::Trust, false) => return Err("`Principal` is missing".to_owned()),
            _ => {}
        }
        let actions = list(get("Action"), get("NotAction"), "Action", false)?;
        let actions = actions.ok_or("`Action` or `NotAction` is missing")?;
        check_actions(&actions)?;
        let resources = list(get("Resource"), get("NotResource"), "Resource", variables)?;
        match (kind, resources.is_some()) {
            (Kind::Trust, true) => return Err("a trust policy has no `Resource`".to_owned()),
            (Kind::Identity | Kind::Resource, false) => {
                return Err("`Resource` or `NotResource` is missing".to_owned());
            }
            _ => {}
        }
        let conditions = get("Condition").map_or(Ok(Vec::new()), |json| conditions(json, variables))?;
        Ok(Statement { sid, effect, principal, actions, resources, conditions })
    }

    /// Whether the statement applies to a request, and how closely it names who asks.
    pub(crate) fn applies(&self, request: &Request<'_>) -> Option<Naming> {
        // A name of a resource is compared faster than actions, whose case does not matter, and rules out more.
        let resources = self.resources.as_ref();
        if !resources.is_none_or(|resources| resources.matches(request, request.resource)) {
            return None;
        }
        if !self.actions.matches(request, request.action) {
            return None;
        }
        let naming = match &self.principal {
            None => Naming::Itself,
            Some(named) => named.naming(request.principal)?,
        };
        let holds = self.conditions.iter().all(|condition| condition.holds(self.effect, request.context));
        holds.then_some(naming)
    }
}

fn list(
    given: Option<&Json>,
    not: Option<&Json>,
    name: &str,
    variables: bool,
) -> Result<Option<List>, String> {
    let (json, negated) = match (given, not) {
        (None, None) => return Ok(None),
        (Some(json), None) => (json, false),
        (None, Some(json)) => (json, true),
        (Some(_), Some(_)) => return Err(format!("a statement has `{name}` or `Not{name}`")),
    };
    let texts = texts(json).filter(|texts| !texts.is_empty());
    let texts = texts.ok_or_else(|| format!("`{name}` must be text, or a list of texts"))?;
    let syntax = Syntax { wildcards: true, variables };
    let patterns: Result<Vec<Pattern>, String> =
        texts.iter().map(|text| Pattern::compile(text, syntax)).collect();
    Ok(Some(List { patterns: patterns?, negated, ignore_case: name == "Action" }))
}

/// An action names its service, or is `*`.
fn check_actions(actions: &List) -> Result<(), String> {
    let without_service =
        actions.patterns.iter().filter_map(Pattern::literal).find(|text| !text.contains(':'));
    match without_service {
        Some(text) => Err(format!("`{text}` is not an action: write `service:Action`")),
        None => Ok(()),
    }
}

fn conditions(json: &Json, variables: bool) -> Result<Vec<Condition>, String> {
    let Json::Object(operators) = json else { return Err("`Condition` must be an object".to_owned()) };
    let mut conditions = Vec::new();
    for (name, keys) in operators {
        let operator = Operator::read(name).ok_or_else(|| format!("`{name}` is not a condition operator"))?;
        let Json::Object(keys) = keys else { return Err(format!("`{name}` must be an object")) };
        for (key, values) in keys {
            let values = texts(values).ok_or_else(|| format!("`{key}` must have texts as values"))?;
            conditions.push(Condition::read(operator, key, &values, variables)?);
        }
    }
    Ok(conditions)
}
