//! The tables of all systems, deployed to the engine: created once, found complete the second time.

use std::collections::BTreeMap;
use std::path::Path;

use sortkey_core::Pending;
use sortkey_deploy::{Change, Deployment, Naming, Step, deploy};
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::Embedded;
use sortkey_engine::{Engine, Settings};
use sortkey_testkit::SYSTEMS;

fn bring(system: &str, backend: &Embedded) -> (Deployment, Vec<Step>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../systems/{system}/{system}.sk"));
    let text = std::fs::read_to_string(&path).expect("the system is there");
    let design = compile(&path.to_string_lossy(), &text, &FileLoader).design;
    let declared = |name: &str| design.parameters.iter().any(|each| each.name.is(name));
    let parameters = BTreeMap::from([("stack".to_owned(), "test".to_owned())]);
    let naming = Naming {
        prefix: Some("p-".into()),
        parameters: parameters.into_iter().filter(|(name, _)| declared(name)).collect(),
    };
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    let mut steps = Vec::new();
    let mut watch = |progress: sortkey_deploy::Progress<'_>| steps.push(progress.step);
    let done = pollster::block_on(deploy(&design, &naming, backend, &pause, &mut watch)).expect("deployed");
    assert_eq!(done.tables.len(), design.tables.len());
    assert!(done.tables.iter().all(|name| name.starts_with("p-")), "{:?}", done.tables);
    (done, steps)
}

#[test]
fn every_system_is_deployed_once() {
    for system in SYSTEMS.iter().copied() {
        let backend = Embedded::new(Engine::memory(Settings::default()));
        let (first, steps) = bring(system, &backend);
        let created = first.changes.iter().filter(|(_, change)| *change == Change::Create).count();
        assert_eq!(created, first.tables.len(), "{system}");
        assert_eq!(steps.iter().filter(|step| **step == Step::Done).count(), first.changes.len(), "{system}");

        let (second, _) = bring(system, &backend);
        assert_eq!(second.changes, [], "{system}");
        assert_eq!(second.remarks, Vec::<String>::new(), "{system}");
    }
}
