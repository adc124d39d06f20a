//! As much of AWS's Security Token Service as temporary credentials need: `AssumeRole` and `GetCallerIdentity`, in its query
//! protocol, on the port of the database.

use std::collections::HashMap;
use std::fmt::Write as _;

use hyper::StatusCode;
use hyper::header::HeaderValue;
use sortkey_access::{
    ACCOUNT, AssumeError, AssumeRole, Caller, Decided, Rejected, SignatureError, Timestamp,
};
use sortkey_api::ApiError;
use sortkey_policy::Context;

use crate::dynamodb::Asked;
use crate::form;
use crate::head::Head;
use crate::iam;
use crate::reply::{self, Answer};
use crate::shared::Shared;
use crate::signed;

const NAMESPACE: &str = "https://sts.amazonaws.com/doc/2011-06-15/";

/// Whether a request is in the protocol of this service.
pub(crate) fn is_asked(head: &Head<'_>) -> bool {
    let header = head.content_type.map_or(&b""[..], HeaderValue::as_bytes);
    let media_type = header.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    media_type == b"application/x-www-form-urlencoded"
}

/// Answers a request.
pub(crate) fn answer<B>(server: &Shared<B>, asked: &Asked<'_>, body: &[u8]) -> Answer {
    match run(server, asked, body) {
        Ok(xml) => text(StatusCode::OK, xml),
        Err(failure) => {
            let kind = if failure.status.is_server_error() { "Receiver" } else { "Sender" };
            let mut xml = format!("<ErrorResponse xmlns=\"{NAMESPACE}\"><Error><Type>{kind}</Type><Code>");
            // Writing to a string cannot fail.
            let _ = write!(xml, "{}</Code><Message>{}", failure.code, escape(&failure.message));
            xml.push_str("</Message></Error></ErrorResponse>");
            text(failure.status, xml)
        }
    }
}

struct Failure {
    status: StatusCode,
    code: &'static str,
    message: String,
}

fn run<B>(server: &Shared<B>, request: &Asked<'_>, body: &[u8]) -> Result<String, Failure> {
    let recorder = request.recorder;
    let fail = |status, code, message: String| Failure { status, code, message };
    let Some(authority) = &server.settings.guard.authority else {
        let why = "This server has no identities: start it with --auth FILE".to_owned();
        return Err(fail(StatusCode::FORBIDDEN, "AccessDenied", why));
    };
    let caller = signed::verify(server, recorder.parts, body, &["sts"]).map_err(|why| {
        recorder.rejected("sts", &why.to_string());
        rejected(why)
    })?;
    let who = Some(caller.identity.principal.arn.as_str());
    let form = fields(body).ok_or_else(|| {
        fail(
            StatusCode::BAD_REQUEST,
            "MalformedQueryString",
            "The body is not a form, or repeats a field".to_owned(),
        )
    })?;
    let get = |name: &str| form.get(name).map(String::as_str);
    let action = get("Action").unwrap_or_default();
    if let Some(name) = unknown_field(action, form.keys().map(String::as_str)) {
        let why = format!("{name} is not supported by this server");
        return Err(fail(StatusCode::BAD_REQUEST, "ValidationError", why));
    }
    match action {
        "AssumeRole" => {
            let duration = get("DurationSeconds").map(|seconds| {
                seconds.parse::<i64>().map_err(|_| {
                    let why = format!("DurationSeconds: '{seconds}' is not a number");
                    fail(StatusCode::BAD_REQUEST, "ValidationError", why)
                })
            });
            let asked = AssumeRole {
                role_arn: get("RoleArn").unwrap_or_default(),
                session_name: get("RoleSessionName").unwrap_or_default(),
                duration_seconds: duration.transpose()?,
                policy: get("Policy"),
            };
            let region = &server.settings.region;
            let assumed = iam::with_context(region, &caller, request.circumstances(), |context| {
                assume(authority, &caller, &asked, context)
            });
            let (decision, why) = match &assumed {
                Ok(_) => (Decided::Allowed, "the role trusts the caller".to_owned()),
                Err(error) => (Decided::Denied, error.to_string()),
            };
            recorder.record(who, "AssumeRole", &[asked.role_arn], decision, &why).map_err(unrecorded)?;
            assumed.map_err(not_assumed)
        }
        "GetCallerIdentity" => {
            let identity = &caller.identity;
            recorder
                .record(who, "GetCallerIdentity", &[], Decided::Allowed, "open to every identity")
                .map_err(unrecorded)?;
            Ok(wrapped(
                "GetCallerIdentity",
                &format!(
                    "<Arn>{}</Arn><UserId>{}</UserId><Account>{ACCOUNT}</Account>",
                    escape(&identity.principal.arn),
                    escape(&identity.user_id)
                ),
            ))
        }
        other => {
            let why = format!("Could not find operation {other} for version 2011-06-15");
            Err(fail(StatusCode::BAD_REQUEST, "InvalidAction", why))
        }
    }
}

/// A field of an action that would be ignored: the first by name, so that equal requests get equal answers.
fn unknown_field<'f>(action: &str, fields: impl Iterator<Item = &'f str>) -> Option<&'f str> {
    let known: &[&str] = match action {
        "AssumeRole" => &["RoleArn", "RoleSessionName", "DurationSeconds", "Policy"],
        "GetCallerIdentity" => &[],
        _ => return None,
    };
    fields.filter(|name| !["Action", "Version"].contains(name) && !known.contains(name)).min()
}

fn assume(
    authority: &sortkey_access::Authority,
    caller: &Caller,
    asked: &AssumeRole<'_>,
    context: &dyn Context,
) -> Result<String, AssumeError> {
    let credentials = authority.assume_role(caller, asked, context, signed::now_seconds())?;
    let expiration = Timestamp { seconds: credentials.expires_seconds }.extended();
    Ok(wrapped(
        "AssumeRole",
        &format!(
            "<Credentials><AccessKeyId>{}</AccessKeyId><SecretAccessKey>{}</SecretAccessKey><SessionToken>{}</SessionToken>\
         <Expiration>{expiration}</Expiration></Credentials>\
         <AssumedRoleUser><Arn>{}</Arn><AssumedRoleId>{}</AssumedRoleId></AssumedRoleUser>",
            credentials.access_key,
            credentials.secret,
            credentials.token,
            escape(&credentials.arn),
            escape(&credentials.user_id)
        ),
    ))
}

fn unrecorded(error: ApiError) -> Failure {
    let message = error.message.clone();
    Failure { status: StatusCode::SERVICE_UNAVAILABLE, code: "ServiceUnavailable", message }
}

fn wrapped(action: &str, content: &str) -> String {
    format!(
        "<{action}Response xmlns=\"{NAMESPACE}\"><{action}Result>{content}</{action}Result></{action}Response>"
    )
}

fn rejected(rejected: Rejected) -> Failure {
    let code = match &rejected {
        Rejected::Signature(SignatureError::Missing) => "MissingAuthenticationToken",
        Rejected::Signature(SignatureError::Incomplete(_)) => "IncompleteSignature",
        Rejected::Signature(SignatureError::Invalid(_)) => "SignatureDoesNotMatch",
        Rejected::UnknownKey => "InvalidClientTokenId",
        Rejected::Expired => "ExpiredToken",
    };
    Failure { status: StatusCode::FORBIDDEN, code, message: rejected.to_string() }
}

fn not_assumed(error: AssumeError) -> Failure {
    let (status, code) = match &error {
        AssumeError::Invalid(_) => (StatusCode::BAD_REQUEST, "ValidationError"),
        AssumeError::Denied(_) => (StatusCode::FORBIDDEN, "AccessDenied"),
        AssumeError::MalformedPolicy(_) => (StatusCode::BAD_REQUEST, "MalformedPolicyDocument"),
        AssumeError::PolicyTooLarge(_) => (StatusCode::BAD_REQUEST, "PackedPolicyTooLarge"),
    };
    Failure { status, code, message: error.to_string() }
}

fn text(status: StatusCode, xml: String) -> Answer {
    reply::answer(status, Some(HeaderValue::from_static("text/xml")), xml.into_bytes())
}

/// The fields of a form; none if it is not one, or repeats a field.
fn fields(body: &[u8]) -> Option<HashMap<String, String>> {
    let mut fields = HashMap::new();
    for (name, value) in form::pairs(std::str::from_utf8(body).ok()?)? {
        if fields.insert(name, value).is_some() {
            return None;
        }
    }
    Some(fields)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_strictly() {
        let fields = fields(b"Action=AssumeRole&RoleArn=arn%3Aaws%3Aiam&Name=a+b&Empty=").expect("a form");
        assert_eq!(fields["RoleArn"], "arn:aws:iam");
        assert_eq!((fields["Name"].as_str(), fields["Empty"].as_str()), ("a b", ""));
        for bad in [&b"a=%"[..], b"a=%4", b"a=%zz", b"a=1&a=2", b"\xff", b"a=%ff"] {
            assert_eq!(super::fields(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn fields_that_would_be_ignored_are_named() {
        let assume = ["Action", "Version", "RoleArn", "RoleSessionName", "DurationSeconds", "Policy"];
        let contexts = "ProvidedContexts.member.1.ProviderArn";
        for (action, fields, expected) in [
            ("AssumeRole", &assume[..], None),
            ("AssumeRole", &["Tags.member.1.Key", "ExternalId"], Some("ExternalId")),
            ("AssumeRole", &["RoleArn", contexts], Some(contexts)),
            ("GetCallerIdentity", &["Action", "Version"], None),
            ("GetCallerIdentity", &["RoleArn"], Some("RoleArn")),
            ("Other", &["Anything"], None),
        ] {
            assert_eq!(unknown_field(action, fields.iter().copied()), expected, "{action} {fields:?}");
        }
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a href=\"x\">&\u{7}"), "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}");
        assert_eq!(Timestamp { seconds: 1_440_938_160 }.extended(), "2015-08-30T12:36:00Z");
    }
}
