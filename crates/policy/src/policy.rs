//! A policy document.

use std::fmt;
use std::sync::Arc;

use crate::Request;
use crate::json::{self, Json};
use crate::principal::Naming;
use crate::statement::{Effect, Statement};

/// The owner of a policy, which determines the elements of its statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A user or role; also boundaries and session policies. No `Principal`.
    Identity,
    /// A table or stream. With `Principal`.
    Resource,
    /// A role, for the principals that may assume it. With `Principal`, without `Resource`.
    Trust,
}

/// A compiled policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    name: Option<Arc<str>>,
    pub(crate) statements: Vec<Statement>,
}

/// Identifies a statement in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Which {
    /// The name of its policy.
    pub policy: Option<Arc<str>>,
    /// Its id.
    pub sid: Option<Arc<str>>,
    /// Its place in the policy, counted from 1.
    pub number: usize,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "statement {}", self.number)?;
        if let Some(sid) = &self.sid {
            write!(f, " ({sid})")?;
        }
        self.policy.as_ref().map_or(Ok(()), |policy| write!(f, " of {policy}"))
    }
}

/// Why a document is not a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError(String);

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PolicyError {}

impl Policy {
    /// Reads and compiles a document.
    pub fn parse(document: &str, kind: Kind) -> Result<Policy, PolicyError> {
        read(document, kind).map_err(PolicyError)
    }

    /// Gives the policy a name, which decisions mention.
    pub fn named(self, name: &str) -> Policy {
        Policy { name: Some(name.into()), ..self }
    }

    /// A policy that denies everything, used in place of a document that does not parse.
    pub fn deny_all() -> Policy {
        let document = r#"{"Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}}"#;
        let statements = read(document, Kind::Resource).map_or(Vec::new(), |policy| policy.statements);
        Policy { name: None, statements }
    }

    /// The place of the first statement with an effect that applies to a request, and how closely it names who asks.
    pub(crate) fn find(&self, effect: Effect, request: &Request<'_>) -> Option<(usize, Naming)> {
        let mut closest: Option<(usize, Naming)> = None;
        for (at, statement) in self.statements.iter().enumerate() {
            if statement.effect != effect {
                continue;
            }
            let Some(naming) = statement.applies(request) else { continue };
            // One deny is as good as another, and nothing is closer than naming who asks.
            if effect == Effect::Deny || naming == Naming::Itself {
                return Some((at, naming));
            }
            if closest.is_none_or(|(_, before)| before < naming) {
                closest = Some((at, naming));
            }
        }
        closest
    }

    /// A statement by its place.
    pub(crate) fn which(&self, at: usize) -> Which {
        let sid = self.statements.get(at).and_then(|statement| statement.sid.clone());
        Which { policy: self.name.clone(), sid, number: at + 1 }
    }
}

fn read(document: &str, kind: Kind) -> Result<Policy, String> {
    let Json::Object(members) = json::parse(document)? else {
        return Err("a policy must be an object".to_owned());
    };
    let known = ["Version", "Id", "Statement"];
    if let Some((unknown, _)) = members.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        return Err(format!("a policy has no member `{unknown}`"));
    }
    let get = |name: &str| members.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let variables = match get("Version") {
        Some(Json::String(version)) if version == "2012-10-17" => true,
        Some(Json::String(version)) if version == "2008-10-17" => false,
        None => false,
        Some(_) => return Err("`Version` must be `2012-10-17` or `2008-10-17`".to_owned()),
    };
    let statements: Vec<&Json> = match get("Statement") {
        Some(Json::Array(statements)) if !statements.is_empty() => statements.iter().collect(),
        Some(statement @ Json::Object(_)) => vec![statement],
        _ => return Err("a policy must have at least one statement".to_owned()),
    };
    let statements: Result<Vec<Statement>, String> = statements
        .iter()
        .enumerate()
        .map(|(at, json)| {
            Statement::read(json, kind, variables).map_err(|why| format!("statement {}: {why}", at + 1))
        })
        .collect();
    Ok(Policy { name: None, statements: statements? })
}

/// A text, or a list of texts; numbers and booleans count as texts.
pub(crate) fn texts(json: &Json) -> Option<Vec<String>> {
    let one = |json: &Json| match json {
        Json::String(text) | Json::Number(text) => Some(text.clone()),
        Json::Bool(value) => Some(value.to_string()),
        _ => None,
    };
    match json {
        Json::Array(values) => values.iter().map(one).collect(),
        json => one(json).map(|text| vec![text]),
    }
}
