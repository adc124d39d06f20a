//! Promises of the document of Ferryhook about its tables and items, number by number: tables as DescribeTable shows them, items
//! as they are stored after everything was made once through the API.
//!
//! F-51: a number of the checklist counted as kept if a declaration of its name existed. Here, every number that no test of the
//! design names is compared with what a deployment has; a kind of declaration that nothing compares fails the test.

use crate::support;
use std::path::Path;

use crate::support::Api;
use serde_json::{Value as Json, json};
use sortkey_api::Requests as _;
use sortkey_api::operations::{DescribeTableInput, DescribeTimeToLiveInput, ScanInput};
use sortkey_api::shapes::table::TableDescription;
use sortkey_core::Runtime;
use sortkey_design::model::Design;
use sortkey_design::{FileLoader, compile};
use sortkey_gateway::Admission;
use sortkey_value::{AttributeValue, Item};

/// A deployment with one of everything.
struct Deployed {
    runtime: Runtime,
    api: Api,
    items: Vec<Item>,
    /// A source that takes webhooks without a signature.
    open_source: String,
}

#[test]
fn every_number_of_ferryhook_without_a_test_is_found_in_the_tables() {
    let deployed = deployed();
    let named = named_by_tests();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (number, places) in checklist().iter().filter(|(number, _)| !named.contains(number)) {
        for place in places.iter().filter(|place| !place.starts_with("- ") && !place.starts_with("test ")) {
            compared += 1;
            if let Err(why) = deployed.compare(place) {
                wrong.push(format!("{number} {place}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 80, "only {compared} were compared");
}

#[test]
fn a_body_of_256_kb_is_accepted_and_one_byte_more_is_not() {
    let deployed = deployed();
    let path = format!("/in/{}", deployed.open_source);
    let post = |length: usize| deployed.api.send("POST", &path, &[], &"x".repeat(length));
    assert_eq!(post(256 * 1024).status, 202);
    assert_eq!(post(256 * 1024 + 1).status, 413);
}

/// The numbers of Ferryhook and the places that keep them.
fn checklist() -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/checklist.tsv");
    let text = std::fs::read_to_string(path).expect("the checklist is there");
    let lines = text.lines().filter(|line| line.starts_with("FH-"));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[3].split("; ").map(str::to_owned).collect())
    };
    lines.map(row).collect()
}

/// The numbers that tests of the design name in their titles.
fn named_by_tests() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/ferryhook/tests.sk");
    let text = std::fs::read_to_string(&path).expect("the tests are there");
    let tests = compile(&path.to_string_lossy(), &text, &FileLoader).design;
    let numbers = tests.tests.iter().map(|test| test.title.split(':').next().unwrap_or_default().to_owned());
    numbers.flat_map(|text| text.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Makes everything that the document has, once, through the API.
fn deployed() -> Deployed {
    let runtime = support::runtime("ferryhook");
    let api = Api::on(runtime.clone(), Admission::Open);
    let post = |path: &str, caller: Option<&str>, arguments: Json| {
        let headers: Vec<(&str, &str)> = caller.iter().map(|caller| ("sortkey-caller", *caller)).collect();
        let got = api.post(path, &headers, &arguments);
        assert!((200..300).contains(&got.status), "{path}: {}", got.text());
        serde_json::from_slice(&got.body).unwrap_or(Json::Null)
    };
    let account = json!({ "email": "ada@x.com", "name": "Ada", "password": "correct horse" });
    let user = post("/api/users/create", None, account);
    let user_id = &user["userId"];
    let caller = json!({ "userId": user_id, "permission": "admin" }).to_string();
    let caller = Some(caller.as_str());
    let paid =
        json!({ "userId": user_id, "plan": "pro", "stripeCustomerId": "cus_1", "stripeSubId": "sub_1" });
    post("/api/changePlan", None, paid);
    post("/api/linkIdentity", None, json!({ "userId": user_id, "githubId": "1", "googleId": "2" }));
    let signed = json!({ "name": "One", "provider": "custom" });
    let source = post("/api/sources/create", caller, signed);
    let source_id = &source["sourceId"];
    let connection = json!({ "input": {
        "sourceId": source_id, "name": "to", "destinationUrl": "https://a.example/", "signingSecret": "whsec_MDEyMzQ1Njc4",
        "filters": [{ "path": "/a", "op": "exists" }], "transform": [{ "op": "remove", "path": "/b" }],
        "retryConfig": { "delays": [1, 2] },
    }});
    let connection = post("/api/connections/create", caller, connection);
    let key = post("/api/apiKeys/create", caller, json!({ "name": "key", "permissions": "write" }));
    post("/api/apiKeys/updateLastUsed", None, json!({ "userId": user_id, "keyId": key["keyId"] }));
    let event = json!({
        "sourceId": source_id, "headers": { "x": "1" }, "body": "eyJhIjoxfQ==", "sourceIp": "203.0.113.9", "method": "POST",
        "contentType": "application/json", "requestId": "r1",
    });
    let event = post("/api/events/create", None, event);
    let place =
        json!({ "sourceId": source_id, "receivedAt": event["receivedAt"], "eventId": event["eventId"] });
    post("/api/fanOut", None, json!({ "event": place }));
    let attempt = json!({
        "connectionId": connection["connectionId"], "attemptNumber": 1, "destinationUrl": "https://a.example/",
        "statusCode": 200, "response": "fine", "latencyMs": 12, "error": "none",
    });
    post("/api/attempts/create", None, json!({ "event": place, "outcome": "delivered", "input": attempt }));
    post("/api/settle", None, json!({ "event": place }));
    let counts =
        json!({ "userId": user_id, "sourceId": source_id, "events": 1, "last": event["receivedAt"] });
    post("/api/addSourceCounts", None, counts);
    // A secret of a source is set when nothing has to be signed with it any more.
    let secret = json!({ "sourceId": source_id, "signingSecret": "s", "signingAlgorithm": "hmac-sha256" });
    post("/api/sources/update", caller, secret);
    let open = post("/api/sources/create", caller, json!({ "name": "Open", "provider": "custom" }));
    let open_source = open["sourceId"].as_str().unwrap_or_default().to_owned();
    let items = items(&runtime);
    Deployed { runtime, api, items, open_source }
}

fn items(runtime: &Runtime) -> Vec<Item> {
    let mut items = Vec::new();
    for table in ["ferryhook-main", "ferryhook-events"] {
        let input = ScanInput { table_name: table.into(), ..ScanInput::default() };
        let output = pollster::block_on(runtime.backend().scan(input)).expect("a scan");
        items.extend(output.items.unwrap_or_default());
    }
    items
}

impl Deployed {
    fn design(&self) -> &Design {
        self.runtime.design()
    }

    /// Holds what a place of the checklist declares against the deployment.
    fn compare(&self, place: &str) -> Result<(), String> {
        let (kind, name) = place.split_once(' ').unwrap_or(("attribute", place));
        let (first, second) = name.split_once('.').unwrap_or((name, ""));
        match kind {
            "table" => self.table(first).map(|_| ()),
            "index" => {
                let table = self.table(first)?;
                let indexes = table.global_secondary_indexes.unwrap_or_default();
                let found = indexes.iter().any(|index| index.index_name.as_deref() == Some(second));
                found.then_some(()).ok_or_else(|| format!("{indexes:?}"))
            }
            "key" => {
                let defined = self.table(first)?.attribute_definitions.unwrap_or_default();
                let found = defined.iter().any(|each| each.attribute_name == second);
                found.then_some(()).ok_or_else(|| format!("{defined:?}"))
            }
            "entity" => self.stored(first).map(|_| ()),
            "template" => {
                let item = self.stored(first)?;
                let value = item.get(second).map(|value| value.to_owned());
                let Some(AttributeValue::S(text)) = value else { return Err(format!("stored as {value:?}")) };
                let template = self.design().entity(first).and_then(|entity| entity.template(second));
                template
                    .filter(|_| !text.contains('{'))
                    .map(|_| ())
                    .ok_or_else(|| format!("stored as {text}"))
            }
            "unique" => {
                let is_guard = |item: &&Item| {
                    text(item, "PK").is_some_and(|key| key.contains(&format!("unique#{first}")))
                };
                let found = self.items.iter().any(|item| is_guard(&item));
                found.then_some(()).ok_or_else(|| "there is no guard".to_owned())
            }
            "attribute" => self.attribute(first, second),
            "module" => self.module(first),
            "claim" => self.claim(name),
            _ => Err("nothing compares this kind of declaration".to_owned()),
        }
    }

    fn table(&self, name: &str) -> Result<TableDescription, String> {
        let deployed =
            self.design().table(name).ok_or("not declared")?.deployed.clone().ok_or("not deployed")?;
        let input = DescribeTableInput { table_name: deployed.as_str().into() };
        let output = pollster::block_on(self.runtime.backend().describe_table(input));
        let table = output.map_err(|error| error.message)?.table.ok_or("no description")?;
        let mode = format!("{:?}", table.billing_mode_summary);
        if !mode.contains("PayPerRequest") {
            return Err(format!("billed by {mode}"));
        }
        if name == "Events" {
            let input = DescribeTimeToLiveInput { table_name: deployed.as_str().into() };
            let output = pollster::block_on(self.runtime.backend().describe_time_to_live(input));
            let described = format!("{:?}", output.map_err(|error| error.message)?);
            if !described.contains("expiresAt") {
                return Err(format!("expires by {described}"));
            }
        }
        Ok(table)
    }

    /// A stored item of an entity: the one with the most attributes.
    fn stored(&self, entity: &str) -> Result<&Item, String> {
        let begins = match entity {
            "User" => ("USER#", "PROFILE"),
            "Source" => ("USER#", "SRC#"),
            "Connection" => ("SRC#", "CONN#"),
            "ApiKey" => ("USER#", "KEY#"),
            "Event" => ("SRC#", "EVT#"),
            "Payload" => ("EVT#", "BODY"),
            "Attempt" => ("EVT#", "ATT#"),
            "Delivery" => ("EVT#", "DLV#"),
            "Usage" => ("USAGE#", ""),
            _ => return Err("the test makes no such item".to_owned()),
        };
        let is_it = |item: &&Item| {
            text(item, "PK").is_some_and(|key| key.starts_with(begins.0))
                && text(item, "SK").is_some_and(|key| key.starts_with(begins.1))
        };
        let found = self.items.iter().filter(is_it).max_by_key(|item| item.iter().count());
        found.ok_or_else(|| format!("no item {begins:?}"))
    }

    fn attribute(&self, entity: &str, name: &str) -> Result<(), String> {
        let item = self.stored(entity)?;
        let declared = self.design().entity(entity).ok_or("not declared")?;
        let declared = declared.attributes.iter().find(|each| each.name.is(name)).ok_or("not declared")?;
        let value = item.get(name).map(|value| value.to_owned()).ok_or_else(|| format!("not in {item:?}"))?;
        let stored = match &value {
            AttributeValue::S(_) => "S",
            AttributeValue::N(_) => "N",
            AttributeValue::B(_) => "B",
            AttributeValue::Bool(_) => "BOOL",
            AttributeValue::L(_) => "L",
            AttributeValue::M(_) => "M",
            _ => "another type",
        };
        let wanted = match format!("{:?}", declared.ty.stored()).to_uppercase().as_str() {
            // A reference is stored as the id that it refers to, and all ids are text.
            "ANY" => "S".to_owned(),
            other => other.to_owned(),
        };
        // Encrypted attributes are text or bytes, whatever they were.
        let is_sealed = name.ends_with("Secret") && matches!(stored, "S" | "B");
        if stored != wanted && !is_sealed {
            return Err(format!("stored as {stored}, not as {wanted}"));
        }
        // Times have the unit that the document names.
        let digits = match (name, &value) {
            ("receivedAt" | "attemptedAt" | "processedAt" | "deliveredAt", AttributeValue::N(time)) => {
                Some((time.to_string().len(), 13))
            }
            ("expiresAt", AttributeValue::N(time)) => Some((time.to_string().len(), 10)),
            _ => None,
        };
        match digits {
            Some((found, wanted)) if found != wanted => {
                Err(format!("a time of {found} digits, not {wanted}"))
            }
            _ => Ok(()),
        }
    }

    /// A module is served: every entry is an endpoint.
    fn module(&self, name: &str) -> Result<(), String> {
        let module =
            self.design().modules.iter().find(|module| module.name.is(name)).ok_or("not declared")?;
        let listed = self.api.get("/api", &[]).json();
        let listed: Vec<&str> = listed["endpoints"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|each| each["name"].as_str())
            .collect();
        for (entry, _) in &module.entries {
            let wanted = format!("{name}.{entry}");
            if !listed.contains(&wanted.as_str()) {
                return Err(format!("{wanted} is not served"));
            }
        }
        Ok(())
    }

    fn claim(&self, sentence: &str) -> Result<(), String> {
        let holds = match sentence {
            "two tables" => {
                self.design().tables.len() == 2 && self.table("Main").is_ok() && self.table("Events").is_ok()
            }
            "nanoid(16)" => {
                text(self.stored("User")?, "userId").is_some_and(|id| id.len() == "usr_".len() + 16)
            }
            "event volume does not touch configuration" => {
                let counted = |prefix: &str| {
                    self.items
                        .iter()
                        .filter(|item| text(item, "PK").is_some_and(|key| key.starts_with(prefix)))
                        .count()
                };
                counted("USAGE#") > 0 && counted("TALLY#") > 0
            }
            _ => return Err("nothing compares this claim".to_owned()),
        };
        holds.then_some(()).ok_or_else(|| "does not hold".to_owned())
    }
}

fn text(item: &Item, name: &str) -> Option<String> {
    match item.get(name)?.to_owned() {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}
