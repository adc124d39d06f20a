//! The names that show the purpose of an attribute. Rules prefer a type or an annotation if there is one; names are
//! the only evidence when a document was transcribed literally.

pub(crate) use sortkey_design::facts::is_time_name;
use sortkey_design::model::*;

/// Names that hold something which must not leak.
pub(crate) fn is_secret(attribute: &Attribute) -> bool {
    const ENDINGS: [&str; 9] = [
        "secret",
        "password",
        "credentials",
        "tokens",
        "accesstoken",
        "refreshtoken",
        "apikey",
        "privatekey",
        "botsecret",
    ];
    let name = attribute.name.text.to_lowercase();
    // A number of tokens counts something.
    attribute.ty.stored() != Stored::N && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether what is stored is a digest or a ciphertext, so that reading it gives nothing away.
pub(crate) fn is_protected(attribute: &Attribute) -> bool {
    let hashed = attribute.value.as_ref().is_some_and(|fill| {
        fill.derived
            && ["sha256", "bcrypt", "hmac", "first"].iter().any(|function| fill.value.mentions(function))
    });
    attribute.has("encrypted")
        || hashed
        || !attribute.is_stored()
        || attribute.name.text.to_lowercase().ends_with("hash")
}

/// Whether an attribute holds a point in time, by its type or else by its name.
pub(crate) fn is_time(design: &Design, attribute: &Attribute) -> bool {
    let ty = design.type_of(attribute);
    let untyped = matches!(ty, Type::String { .. } | Type::Int { .. } | Type::Undeclared);
    ty.is_temporal() || (untyped && is_time_name(&attribute.name.text))
}

/// Whether people type the value to find something: an e-mail address, a user name.
pub(crate) fn is_typed_by_people(design: &Design, attribute: &Attribute) -> bool {
    let email = matches!(design.type_of(attribute), Type::String { format: StringFormat::Email, .. });
    email
        || ["email", "username", "login", "handle", "slug", "subdomain"]
            .contains(&attribute.name.text.to_lowercase().as_str())
}

/// Entities that record what happened.
pub(crate) fn is_log(entity: &Entity) -> bool {
    const WORDS: [&str; 12] = [
        "Activity",
        "Log",
        "History",
        "Audit",
        "Event",
        "Job",
        "Metric",
        "Message",
        "Attempt",
        "Notification",
        "Usage",
        "Run",
    ];
    WORDS.iter().any(|word| entity.name.text.ends_with(word))
}

/// Entities that people read from the newest on.
pub(crate) fn is_history(entity: &Entity) -> bool {
    is_log(entity) && !entity.name.text.ends_with("Job")
}

/// Entities whose possession opens something for a while.
pub(crate) fn is_credential(entity: &Entity) -> bool {
    const WORDS: [&str; 10] = [
        "State",
        "Token",
        "Invite",
        "Invitation",
        "Session",
        "Otp",
        "Nonce",
        "Challenge",
        "Verification",
        "Code",
    ];
    WORDS.iter().any(|word| entity.name.text.ends_with(word))
}

/// The attribute by which an item belongs to a caller: `tenant`, or an attribute that every call carries, or one that
/// refers to what the caller refers to.
pub(crate) fn owner<'a>(design: &'a Design, entity: &'a Entity) -> Option<&'a Attribute> {
    if let Some(tenant) = &entity.tenant {
        return entity.attribute(&tenant.text);
    }
    let named = design.caller.iter().find_map(|carried| entity.attribute(&carried.name.text));
    named.or_else(|| {
        let targets: Vec<&str> = design
            .caller
            .iter()
            .filter_map(|each| Some(each.reference.as_ref()?.entity.text.as_str()))
            .collect();
        entity.attributes.iter().find(|attribute| {
            attribute
                .reference
                .as_ref()
                .is_some_and(|reference| targets.contains(&reference.entity.text.as_str()))
        })
    })
}

/// The attributes that a stored key attribute is made of: the slots of its template, or the parts of a name such as
/// `tagKey#tagValue` that was joined by hand.
pub(crate) fn parts<'a>(entity: &'a Entity, stored: &'a str) -> Vec<&'a str> {
    match sortkey_design::facts::source(entity, stored) {
        Some(sortkey_design::facts::Source::Template(template)) => {
            template.slots().map(|name| name.text.as_str()).collect()
        }
        Some(sortkey_design::facts::Source::Natural(_)) => stored.split('#').collect(),
        None => Vec::new(),
    }
}

/// Whether a number spreads load on purpose.
pub(crate) fn is_shard(attribute: &Attribute) -> bool {
    let spread = attribute
        .value
        .as_ref()
        .is_some_and(|fill| fill.value.mentions("hash") || fill.value.mentions("random"));
    spread || attribute.name.text.to_lowercase().contains("shard")
}

/// Whether a write happens once per event or request, by what it counts or stamps.
pub(crate) fn is_per_event(field: &Field) -> bool {
    const COUNTED: [&str; 7] =
        ["eventcount", "requestcount", "deliverycount", "viewcount", "hits", "apicalls", "requests"];
    const STAMPED: [&str; 4] = ["lastusedat", "lastseenat", "lastaccessedat", "lasteventat"];
    let Some(name) = field.path.first() else {
        return false;
    };
    let lower = name.text.to_lowercase().replace('_', "");
    match field.op {
        FieldOp::Add => lower.starts_with("usage") || COUNTED.contains(&lower.as_str()),
        FieldOp::Set => field.value.is_name("now") && STAMPED.contains(&lower.as_str()),
        FieldOp::Subtract => false,
    }
}
