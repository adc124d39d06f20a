//! Generated data of every system: made by its own operations, the same for the same seed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sortkey_design::{FileLoader, compile};
use sortkey_engine::Engine;
use sortkey_runtime::deploy::{Naming, deploy};
use sortkey_runtime::seeding::{Seeded, seed};
use sortkey_runtime::{Embedded, Pending, Runtime, Settings};

fn seeded(system: &str, most: u64) -> Vec<Seeded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../systems/{system}/{system}.sk"));
    let text = std::fs::read_to_string(&path).expect("the system is there");
    let design = Arc::new(compile(&path.to_string_lossy(), &text, &FileLoader).design);
    let parameters: BTreeMap<String, String> =
        design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned())).collect();
    let naming = Naming { prefix: None, parameters: parameters.clone() };
    let backend = Embedded::new(Engine::memory(sortkey_engine::Settings::default()));
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    pollster::block_on(deploy(&design, &naming, &backend, &pause, &mut |_| {})).expect("deployed");
    let settings = Settings { parameters, bcrypt_cost: 4, ..Settings::ephemeral().expect("randomness") };
    let runtime = Runtime::new(design, Arc::new(backend), settings).expect("a design that runs");
    pollster::block_on(seed(&runtime, most, 7, &mut |_| {})).expect("randomness")
}

#[test]
fn ferryhook_is_filled_in_proportion() {
    let done = seeded("ferryhook", 40);
    let made =
        |entity: &str| done.iter().find(|each| each.entity == entity).map(|each| (each.made, each.wanted));
    assert_eq!(made("User"), Some((10, 10)), "{done:?}");
    assert_eq!(made("Source"), Some((10, 10)), "{done:?}");
    assert_eq!(made("Event"), Some((40, 40)), "{done:?}");
    assert_eq!(made("Connection"), Some((10, 10)), "{done:?}");
}
