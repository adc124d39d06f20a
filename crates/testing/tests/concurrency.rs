//! Sixty-four clients at once: what may happen once happens once, and what is counted is counted exactly.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Answer, Call, Failure, Pending, Runtime, Settings};
use sortkey_deploy::deploy;
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;

const CLIENTS: usize = 64;

/// The first moment of 2026, at which the clock is held.
const NOW_MS: u64 = 1_767_225_600_000;

fn runtime(system: &str) -> Runtime {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(system).join(format!("{system}.sk"));
    let text = std::fs::read_to_string(&file).expect("the design is there");
    runtime_of(&file.to_string_lossy(), &text)
}

fn runtime_of(file: &str, text: &str) -> Runtime {
    let design = compile(file, text, &FileLoader).design;
    let engine = Engine::memory(sortkey_engine::Settings::default());
    engine.stop_clock_at(NOW_MS);
    let backend = Embedded::new(engine);
    let settings = Settings {
        clock: Arc::new(backend.clone()),
        bcrypt_cost: 4,
        ..ephemeral().expect("a system with randomness")
    };
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(deploy(&design, &settings.naming(), &backend, &pause, &mut |_| {})).expect("deployed");
    Runtime::new(design, Arc::new(backend), settings).expect("the design runs")
}

fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}

fn call(runtime: &Runtime, caller: Option<Json>, name: &str, arguments: Json) -> Result<Json, Failure> {
    let caller = caller.map(|caller| runtime.caller(object(caller)).expect("a caller"));
    let call =
        Call { name, caller: caller.as_ref(), arguments: object(arguments).try_into()?, ..Call::default() };
    Ok(match pollster::block_on(runtime.call(call))? {
        Answer::Nothing => Json::Null,
        Answer::Value(value) => value,
        Answer::Page { items, .. } => Json::Array(items),
    })
}

/// How many of the clients succeed.
fn succeed(client: impl Fn(usize) -> Result<Json, Failure> + Sync) -> usize {
    std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> = (0..CLIENTS).map(|at| scope.spawn(move || client(at).is_ok())).collect();
        clients.into_iter().filter_map(|client| client.join().ok()).filter(|won| *won).count()
    })
}

#[test]
fn one_of_many_registrations_of_an_e_mail_wins() {
    let runtime = runtime("ferryhook");
    let winners = succeed(|at| {
        let user = json!({ "email": "A@x.com", "name": "A", "githubId": at.to_string() });
        call(&runtime, None, "createUser", user)
    });
    assert_eq!(winners, 1);
}

#[test]
fn usage_is_counted_exactly() {
    let runtime = runtime("ferryhook");
    let user = json!({ "email": "a@x.com", "name": "A", "githubId": "1" });
    let user = call(&runtime, None, "createUser", user).expect("a user");
    let added =
        succeed(|_| call(&runtime, None, "incrementUsage", json!({ "userId": user["userId"], "count": 3 })));
    assert_eq!(added, CLIENTS);
    let caller = json!({ "userId": user["userId"], "permission": "read" });
    let asked = json!({ "userId": user["userId"], "period": "2026-01-01" });
    let used = call(&runtime, Some(caller), "usageOfPeriod", asked);
    assert_eq!(used.expect("a sum"), json!(3 * CLIENTS));
}

#[test]
fn one_of_many_redemptions_of_an_invite_wins() {
    let runtime = runtime("seller-profiles");
    let account =
        |email: &str| call(&runtime, None, "createAccount", json!({ "email": email })).expect("an account");
    let (owner, guest) = (account("a@x.com"), account("b@x.com"));
    let as_owner = || Some(json!({ "accountId": owner["accountId"] }));
    let profile = json!({ "ownerAccountId": owner["accountId"], "sellerName": "Troop 7" });
    let profile = call(&runtime, as_owner(), "createSellerProfile", profile).expect("a profile");
    let invite = json!({
        "profileId": profile["profileId"], "ownerAccountId": owner["accountId"], "permissions": ["READ"],
    });
    let invite = call(&runtime, as_owner(), "createProfileInvite", invite).expect("an invite");
    let winners = succeed(|_| {
        let caller = json!({ "accountId": guest["accountId"] });
        call(&runtime, Some(caller), "redeemProfileInvite", json!({ "inviteCode": invite["code"] }))
    });
    assert_eq!(winners, 1);
}

/// The first that puts something into an object makes the object; nobody's part of it is lost.
#[test]
fn many_put_something_into_an_object_that_is_not_there() {
    let runtime = runtime_of(
        "shelf.sk",
        r#"
        table Shelves "shelves" { key (id) }
        entity Shelf in Shelves {
          id     slug
          counts? map(int, max 99)
        }
        system pattern shelf = get Shelf by id strong
        system operation build = create Shelf
        system operation put(id, what: slug) { update Shelf(id) { counts[what] += 1 } }
        "#,
    );
    call(&runtime, None, "build", json!({ "id": "s" })).expect("a shelf");
    let won =
        succeed(|at| call(&runtime, None, "put", json!({ "id": "s", "what": format!("book{}", at % 8) })));
    let shelf = call(&runtime, None, "shelf", json!({ "id": "s" })).expect("a shelf");
    let counts = shelf["counts"].as_object().expect("counts").values();
    assert_eq!(counts.filter_map(Json::as_u64).sum::<u64>(), won as u64);
}
