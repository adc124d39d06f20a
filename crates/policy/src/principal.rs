//! The callers of requests, and how a resource policy names them.

use crate::json::Json;
use crate::pattern::{Pattern, Syntax};

/// The caller of a request: an AWS identity of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The account: twelve digits.
    pub account: String,
    /// `arn:aws:iam::000000000000:user/ann`, or `arn:aws:sts::000000000000:assumed-role/reader/session`.
    pub arn: String,
    /// The role behind a session: `arn:aws:iam::000000000000:role/reader`.
    pub role: Option<String>,
}

/// How closely a resource policy names a principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// By the account, which leaves it to the account's identity policies to allow something.
    Account,
    /// By the role of a session, or as one of everybody: limited by boundary and session policies.
    Role,
    /// By the very user or session: not limited by what boundary and session policies leave out.
    Itself,
}

/// The `Principal` element of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    names: Vec<Pattern>,
    negated: bool,
}

impl Named {
    pub(crate) fn read(json: &Json, negated: bool) -> Result<Named, String> {
        let exact = Syntax { wildcards: false, variables: false };
        let name = |text: &str| match text {
            "*" => Ok(Pattern::Anything),
            _ if text.contains('*') => Err(format!("the principal `{text}` must not contain a wildcard")),
            _ => Pattern::compile(text, exact),
        };
        let mut names = Vec::new();
        match json {
            Json::String(text) if text == "*" => names.push(Pattern::Anything),
            Json::Object(members) if !members.is_empty() => {
                for (kind, value) in members {
                    let texts = crate::policy::texts(value)
                        .ok_or_else(|| format!("`Principal.{kind}` must be text"))?;
                    match kind.as_str() {
                        "AWS" => {
                            for text in texts {
                                names.push(name(&text)?);
                            }
                        }
                        // No service, federated or canonical user ever calls: they name nobody here.
                        "Service" | "Federated" | "CanonicalUser" => {}
                        _ => return Err(format!("`Principal.{kind}` is not known")),
                    }
                }
            }
            _ => return Err("`Principal` must be `*` or an object".to_owned()),
        }
        Ok(Named { names, negated })
    }

    /// How closely the element names somebody; none if it does not.
    pub(crate) fn naming(&self, principal: &Principal) -> Option<Naming> {
        match self.negated {
            false => self.names.iter().filter_map(|name| one(name, principal)).max(),
            true => (!self.exempts(principal)).then_some(Naming::Role),
        }
    }

    /// Whether a `NotPrincipal` leaves somebody out. As on AWS, it must name the caller, the role of a session and the
    /// account: the account alone would otherwise exempt everybody in it.
    fn exempts(&self, principal: &Principal) -> bool {
        let is_named = |naming| self.names.iter().any(|name| one(name, principal) == Some(naming));
        let names_everybody = self.names.contains(&Pattern::Anything);
        let needs_role = principal.role.is_some();
        names_everybody
            || is_named(Naming::Itself)
                && is_named(Naming::Account)
                && (!needs_role || is_named(Naming::Role))
    }
}

fn one(name: &Pattern, principal: &Principal) -> Option<Naming> {
    let Some(text) = name.literal() else { return Some(Naming::Role) };
    let root = text.strip_prefix("arn:aws:iam::").and_then(|rest| rest.strip_suffix(":root"));
    if text == principal.arn {
        Some(Naming::Itself)
    } else if principal.role.as_deref() == Some(text) {
        Some(Naming::Role)
    } else if text == principal.account || root == Some(principal.account.as_str()) {
        Some(Naming::Account)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: &str = "arn:aws:iam::111122223333:user/ann";
    const ROLE: &str = "arn:aws:iam::111122223333:role/reader";
    const SESSION: &str = "arn:aws:sts::111122223333:assumed-role/reader/s1";
    const ROOT: &str = "arn:aws:iam::111122223333:root";

    fn principal(arn: &str, role: Option<&str>) -> Principal {
        Principal { account: "111122223333".into(), arn: arn.into(), role: role.map(str::to_owned) }
    }

    /// AWS's own example names a user and the account, to deny everybody but that user. The name of the account exempted all
    /// of its users.
    #[test]
    fn not_principal_exempts_whom_it_names_completely() {
        let ann = principal(ANN, None);
        let bob = principal("arn:aws:iam::111122223333:user/bob", None);
        let session = principal(SESSION, Some(ROLE));
        for (names, exempt) in [
            (&[ANN, ROOT][..], &[&ann][..]),
            (&[ANN, "111122223333"], &[&ann]),
            (&[ANN], &[]),
            (&[ROOT], &[]),
            (&[ROLE, ROOT], &[]),
            (&[SESSION, ROOT], &[]),
            (&[SESSION, ROLE, ROOT], &[&session]),
            (&["*"], &[&ann, &bob, &session]),
        ] {
            let texts = names.iter().map(|name| Json::String((*name).to_owned())).collect();
            let element = Json::Object(vec![("AWS".to_owned(), Json::Array(texts))]);
            let named = Named::read(&element, true).expect("principals");
            for who in [&ann, &bob, &session] {
                assert_eq!(named.naming(who).is_none(), exempt.contains(&who), "{names:?} {}", who.arn);
            }
        }
    }
}
