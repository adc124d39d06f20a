//! The expected contents of the new tables, worked out from the old ones by code that has nothing in common with the mapping.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use sortkey_core::Runtime;
use sortkey_value::{AttributeValue, Map};

use crate::support::{World, call};

fn text(item: &Map, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        other => panic!("{name} of {item:?} is {other:?}"),
    }
}

fn set(item: &Map, name: &str) -> BTreeSet<String> {
    match item.get(name) {
        Some(AttributeValue::Ss(members)) => members.iter().cloned().collect(),
        other => panic!("{name} of {item:?} is {other:?}"),
    }
}

/// One share as it has to be: who owns the team, the rights, the note and the second.
#[derive(Clone, Debug, PartialEq)]
struct Share {
    owner: String,
    rights: BTreeSet<String>,
    note: Option<AttributeValue>,
    at: String,
    key: String,
}

/// Panics unless the new tables follow from the old ones, guards included.
pub(crate) fn check(world: &World, new: &Runtime) {
    let things = world.own_items("things");
    let teams: Vec<&Map> = things.iter().filter(|item| text(item, "SK") == "META").collect();
    let shares: Vec<&Map> = things.iter().filter(|item| text(item, "SK").starts_with("SHARE#")).collect();

    let mut owners = BTreeMap::new();
    let mut wanted = BTreeMap::new();
    for team in &teams {
        owners.insert(text(team, "teamId"), text(team, "owner"));
        wanted.insert(
            (text(team, "owner"), text(team, "teamId")),
            (text(team, "name"), team.get("hits").cloned()),
        );
    }
    let mut found = BTreeMap::new();
    for team in world.own_items("teams") {
        let (owner, id) = (text(&team, "owner"), text(&team, "teamId"));
        found.insert((owner.clone(), id.clone()), (text(&team, "name"), team.get("hits").cloned()));
        let answer = call(new, "team", json!({ "owner": owner, "teamId": id }));
        assert_eq!(answer["secret"], "hush", "{answer}");
    }
    assert_eq!(found, wanted, "teams");

    let mut wanted: BTreeMap<(String, String), Share> = BTreeMap::new();
    for share in &shares {
        let one = Share {
            owner: owners.get(&text(share, "teamId")).cloned().unwrap_or_default(),
            rights: set(share, "rights"),
            note: share.get("note").cloned(),
            at: text(share, "at"),
            key: text(share, "SK"),
        };
        let place = (text(share, "teamId"), text(share, "target"));
        let merged = match wanted.remove(&place) {
            None => one,
            Some(other) => {
                let rights = one.rights.union(&other.rights).cloned().collect();
                let newest = if (&one.at, &one.key) > (&other.at, &other.key) { one } else { other };
                Share { rights, ..newest }
            }
        };
        wanted.insert(place, merged);
    }
    let found: BTreeMap<_, _> = world
        .own_items("shares")
        .iter()
        .map(|item| {
            assert!(matches!(item.get("at"), Some(AttributeValue::N(_))), "{item:?}");
            (
                (text(item, "teamId"), text(item, "target")),
                (text(item, "owner"), set(item, "rights"), item.get("note").cloned()),
            )
        })
        .collect();
    let wanted: BTreeMap<_, _> =
        wanted.into_iter().map(|(place, share)| (place, (share.owner, share.rights, share.note))).collect();
    assert_eq!(found, wanted, "shares");

    for user in world.own_items("users") {
        let length = text(&user, "email").len();
        assert_eq!(
            user.get("length"),
            Some(&AttributeValue::N(sortkey_value::Number::from(length as i64))),
            "{user:?}"
        );
    }
    let guards: BTreeSet<String> = world
        .items("teams")
        .iter()
        .filter_map(|item| match item.get("owner") {
            Some(AttributeValue::S(text)) if text.starts_with("unique#Team#name#") => Some(text.clone()),
            _ => None,
        })
        .collect();
    let wanted: BTreeSet<String> = world
        .own_items("teams")
        .iter()
        .map(|team| format!("unique#Team#name#{}", text(team, "name")))
        .collect();
    assert_eq!(guards, wanted, "guards");
}
