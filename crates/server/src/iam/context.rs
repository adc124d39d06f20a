//! The condition keys of a request: AWS's global ones, and DynamoDB's.

use std::borrow::Cow;

use sortkey_access::{ACCOUNT, Caller, Timestamp};
use sortkey_policy::{Context, Values};

use super::Circumstances;
use super::accesses::Access;

/// Everything that policies can ask about a request.
pub(super) struct RequestContext<'a> {
    pub(super) caller: &'a Caller,
    pub(super) access: &'a Access,
    pub(super) region: &'a str,
    pub(super) circumstances: Circumstances<'a>,
}

/// Keys that are known and that no request here has.
const NEVER: [&str; 11] = [
    "aws:multifactorauthpresent",
    "aws:multifactorauthage",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:vpcsourceip",
    "aws:sourcearn",
    "aws:sourceaccount",
    "aws:calledvia",
    "aws:calledviafirst",
    "aws:calledvialast",
    "aws:federatedprovider",
];

impl Context for RequestContext<'_> {
    fn values(&self, key: &str) -> Option<Values<'_>> {
        let identity = &self.caller.identity;
        let optional =
            |value: Option<&'_ str>| value.map_or(Values::Absent, |value| Values::one(value.to_owned()));
        let key = key.to_ascii_lowercase();
        let access = self.access;
        Some(match key.as_str() {
            "dynamodb:leadingkeys" => access.leading_keys.clone().into_values(),
            "dynamodb:attributes" => access.attributes.clone().into_values(),
            "dynamodb:select" => optional(access.select.as_deref()),
            "dynamodb:returnvalues" => optional(access.return_values.as_deref()),
            "dynamodb:returnconsumedcapacity" => optional(access.return_consumed_capacity.as_deref()),
            "dynamodb:enclosingoperation" => optional(access.enclosing),
            "dynamodb:fulltablescan" => match access.full_table_scan {
                Some(full) => Values::one(full.to_string()),
                None => Values::Absent,
            },
            "aws:username" => optional(identity.user.as_deref()),
            "aws:userid" => Values::one(identity.user_id.as_str()),
            "aws:principalarn" => {
                Values::one(identity.principal.role.as_deref().unwrap_or(&identity.principal.arn))
            }
            "aws:principalaccount" | "aws:resourceaccount" => Values::one(ACCOUNT),
            "aws:principaltype" => Values::one(if identity.user.is_some() { "User" } else { "AssumedRole" }),
            "aws:sourceip" => Values::one(self.circumstances.source_ip.to_canonical().to_string()),
            "aws:useragent" => optional(self.circumstances.user_agent),
            "aws:securetransport" => Values::one(self.circumstances.is_encrypted.to_string()),
            "aws:epochtime" => Values::one(self.circumstances.now_seconds.to_string()),
            "aws:currenttime" => {
                Values::one(Timestamp { seconds: self.circumstances.now_seconds }.extended())
            }
            "aws:tokenissuetime" => match self.caller.issued_seconds {
                Some(seconds) => Values::one(Timestamp { seconds }.extended()),
                None => Values::Absent,
            },
            "aws:requestedregion" => Values::one(self.region),
            // Only services of AWS make such requests.
            "aws:principalisawsservice" | "aws:viaawsservice" => Values::one("false"),
            key if NEVER.contains(&key) => Values::Absent,
            _ => return None,
        })
    }
}

/// Names or keys that a request concerns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Concerned {
    /// The operation has no such thing.
    #[default]
    Nothing,
    /// All there are.
    Everything,
    /// These.
    These(Vec<String>),
}

impl Concerned {
    fn into_values(self) -> Values<'static> {
        match self {
            Concerned::Nothing => Values::Absent,
            Concerned::Everything => Values::Everything,
            Concerned::These(list) => Values::List(list.into_iter().map(Cow::Owned).collect()),
        }
    }

    /// Both together.
    pub(super) fn and(self, other: Concerned) -> Concerned {
        match (self, other) {
            (Concerned::Everything, _) | (_, Concerned::Everything) => Concerned::Everything,
            (Concerned::Nothing, other) | (other, Concerned::Nothing) => other,
            (Concerned::These(mut one), Concerned::These(other)) => {
                one.extend(other.into_iter().filter(|name| !one.contains(name)).collect::<Vec<_>>());
                Concerned::These(one)
            }
        }
    }
}
