//! Generated data of every system: made by its own operations, the same for the same seed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sortkey_core::{Ids, Pending, Runtime, Settings};
use sortkey_deploy::{Naming, deploy};
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_testing::seeding::{Seeded, seed};
use sortkey_testkit::SYSTEMS;

/// The generated items of every entity of a system, and how many entities there are.
fn seeded(system: &str, most: u64) -> (Vec<Seeded>, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../systems/{system}/{system}.sk"));
    let text = std::fs::read_to_string(&path).expect("the system is there");
    seeded_in(&path.to_string_lossy(), &text, most)
}

fn seeded_in(path: &str, text: &str, most: u64) -> (Vec<Seeded>, usize) {
    let design = compile(path, text, &FileLoader).design;
    let parameters: BTreeMap<String, String> =
        design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned())).collect();
    let naming = Naming { prefix: None, parameters: parameters.clone() };
    let engine = Engine::memory(sortkey_engine::Settings::default());
    // Nothing but the seed decides: neither the machine's clock nor its randomness.
    engine.stop_clock_at(1_790_000_000_000);
    let backend = Embedded::new(engine);
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    pollster::block_on(deploy(&design, &naming, &backend, &pause, &mut |_| {})).expect("deployed");
    let settings = Settings {
        parameters,
        clock: Arc::new(backend.clone()),
        ids: Arc::new(Ids::seeded(7)),
        bcrypt_cost: 4,
        ..ephemeral().expect("randomness")
    };
    let entities = design.entities.len();
    let runtime = Runtime::new(design, Arc::new(backend), settings).expect("a design that runs");
    (pollster::block_on(seed(&runtime, most, 7, &mut |_| {})).expect("randomness"), entities)
}

#[test]
fn ferryhook_is_filled_in_proportion() {
    let (done, _) = seeded("ferryhook", 40);
    let made =
        |entity: &str| done.iter().find(|each| each.entity == entity).map(|each| (each.made, each.wanted));
    // Signing in through another provider makes users, too.
    assert!(made("User").is_some_and(|(made, wanted)| wanted == 10 && made >= wanted), "{done:?}");
    assert_eq!(made("Source"), Some((10, 10)), "{done:?}");
    assert_eq!(made("Event"), Some((40, 40)), "{done:?}");
    assert_eq!(made("Connection"), Some((10, 10)), "{done:?}");
}

#[test]
fn every_entity_of_every_system_has_items() {
    for system in SYSTEMS.iter().copied() {
        let (done, entities) = seeded(system, 30);
        assert_eq!(done.len(), entities, "{system}: {done:?}");
        // Attempts and deliveries are made by workers, failures to sign in not on purpose, events of billing by a provider's webhook, and
        // codes of mails and proofs of a sign-in only for those who wait for them.
        let made_by_itself = ["Attempt", "BillingEvent", "Delivery", "Failures", "EmailCheck", "Access"];
        let by_itself = |seeded: &&Seeded| made_by_itself.contains(&seeded.entity.as_str());
        let missing = done.iter().filter(|seeded| seeded.made == 0);
        let missing: Vec<&Seeded> =
            missing.filter(|seeded| !(by_itself(seeded) && seeded.trouble.is_some())).collect();
        assert!(missing.is_empty(), "{system}: {missing:?}");
    }
}

// F-79: items that were written again were counted again, and an entity that nothing creates was not mentioned.
#[test]
fn what_is_counted_is_there_and_what_is_not_made_is_named() {
    let design = r#"
table Things "things" { key (PK | SK) }
entity Mood in Things { PK = "MOOD"  SK = "{mood}"  mood good | bad  note string(1..9) }
entity Past in Things { PK = "PAST#{id}"  SK = "PAST"  id uuid = new }
operation feel = upsert Mood
"#;
    let (done, entities) = seeded_in("things.sk", design, 20);
    assert_eq!((done.len(), entities), (2, 2));
    assert_eq!((done[0].entity.as_str(), done[0].made), ("Mood", 2), "{done:?}");
    assert_eq!(done[1].trouble.as_deref(), Some("no operation creates it"), "{done:?}");
}
