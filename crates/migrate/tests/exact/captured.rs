//! Other programs write the old tables past Sortkey, and their changes are followed in the streams of the tables.
//!
//! The other program is the old design on the bare database: it writes the old tables alone, with raw writes beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::json;
use sortkey_api::operations::{DeleteItemInput, PutItemInput, UpdateTableInput};
use sortkey_api::shapes::stream::{StreamSpecification, StreamViewType};
use sortkey_api::{Backend, Pending, Request, Requests as _, Response};
use sortkey_core::Runtime;
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::{Phase, Refusal, Runner, Side};
use sortkey_value::{AttributeValue, Item, Map};

use crate::crash::Cut;
use crate::oracle;
use crate::support::{World, call, seed, try_call};

/// A migration that follows other programs, before its start, with the other program.
fn captured() -> (World, Runner, Runtime) {
    let world = World::new();
    let program = world.old_alone();
    seed(&program);
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    let state = block_on(runner.capture()).expect("captured");
    assert!(state.captured);
    (world, runner, program)
}

fn is_same(runner: &Runner, world: &World, when: &str) {
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{when}: {:?}", report.listed);
    oracle::check(world, &world.side(Side::New));
}

fn put(world: &World, table: &str, item: &Map) {
    let input = PutItemInput {
        table_name: table.into(),
        item: Item::from_map(item).into(),
        ..PutItemInput::default()
    };
    block_on(Embedded::new(world.engine.clone()).put_item(input)).expect("put");
}

fn remove(world: &World, table: &str, key: &[(&str, &str)]) {
    let key: Map =
        key.iter().map(|(name, text)| ((*name).to_owned(), AttributeValue::S((*text).to_owned()))).collect();
    let input = DeleteItemInput {
        table_name: table.into(),
        key: Item::from_map(&key).into(),
        ..DeleteItemInput::default()
    };
    block_on(Embedded::new(world.engine.clone()).delete_item(input)).expect("deleted");
}

fn item(world: &World, table: &str, name: &str, value: &str) -> Map {
    let is_it = |item: &Map| item.get(name) == Some(&AttributeValue::S(value.to_owned()));
    world.own_items(table).into_iter().find(is_it).expect("it is there")
}

fn share(team: &str, share: &str, target: &str, right: &str) -> serde_json::Value {
    json!({ "teamId": team, "shareId": share, "target": target, "rights": [right] })
}

#[test]
fn every_kind_of_change_of_another_program_is_carried_over() {
    let (world, runner, program) = captured();
    // Between the preparation and the start.
    call(&program, "hit", json!({ "teamId": "red" }));
    block_on(runner.start()).expect("started");
    call(&program, "share", share("blue", "s8", "ed", "READ"));
    block_on(runner.copy(&mut |_| ())).expect("copied");
    is_same(&runner, &world, "copied");

    // Changed, created, removed, merged with another, taken out of a merged one.
    call(&program, "call", json!({ "teamId": "red", "name": "Crimson" }));
    call(&program, "found", json!({ "teamId": "new", "owner": "bob", "name": "New", "secret": "hush" }));
    call(&program, "rename", json!({ "userId": "ada", "email": "ada.l@x.org" }));
    call(&program, "share", share("red", "s9", "di", "WRITE"));
    call(&program, "unshare", json!({ "teamId": "red", "shareId": "s2" }));
    call(&program, "unshare", json!({ "teamId": "blue", "shareId": "s1" }));
    call(&program, "disband", json!({ "teamId": "grey" }));
    is_same(&runner, &world, "changed");

    // Another owner is another key, and another target too: the old places are left.
    let mut team = item(&world, "things", "PK", "TEAM#new");
    team.insert("owner".to_owned(), AttributeValue::S("cy".to_owned()));
    put(&world, "things", &team);
    let mut given = item(&world, "things", "SK", "SHARE#s3");
    given.insert("target".to_owned(), AttributeValue::S("elsewhere".to_owned()));
    put(&world, "things", &given);
    is_same(&runner, &world, "moved");

    // Two names exchanged, of which the new design allows each once.
    call(&program, "call", json!({ "teamId": "red", "name": "Aside" }));
    call(&program, "call", json!({ "teamId": "blue", "name": "Crimson" }));
    call(&program, "call", json!({ "teamId": "red", "name": "Team blue" }));
    is_same(&runner, &world, "exchanged");

    // A team is removed with everything that points to it, in both orders.
    call(&program, "unshare", json!({ "teamId": "blue", "shareId": "s8" }));
    call(&program, "disband", json!({ "teamId": "blue" }));
    call(&program, "share", share("red", "s5", "fay", "READ"));
    remove(&world, "things", &[("PK", "TEAM#red"), ("SK", "META")]);
    for share in ["s1", "s3", "s5", "s9"] {
        remove(&world, "things", &[("PK", "TEAM#red"), ("SK", &format!("SHARE#{share}"))]);
    }
    is_same(&runner, &world, "removed");

    block_on(runner.switch()).expect("switched");
    call(&world.side(Side::New), "hit", json!({ "owner": "cy", "teamId": "new" }));
    block_on(runner.back()).expect("back");
    call(&program, "hit", json!({ "teamId": "new" }));
    is_same(&runner, &world, "back");
    block_on(runner.switch()).expect("switched again");
    block_on(runner.finish(&mut |_| ())).expect("finished");
    let team = call(&world.side(Side::New), "team", json!({ "owner": "cy", "teamId": "new" }));
    assert_eq!(team["hits"], 2, "{team}");
}

/// A value that the new design cannot hold is no reason to stop: `verify` names it, the switch is refused, and its correction is
/// carried over as any other change.
#[test]
fn a_value_that_does_not_fit_is_named_until_it_is_corrected() {
    let (world, runner, program) = captured();
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).expect("copied");
    call(&program, "call", json!({ "teamId": "red", "name": "Team blue" }));
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert!(report.differences > 0);
    let captured = block_on(runner.captured()).expect("read").expect("followed");
    assert!(captured.unfit > 0, "{captured:?}");
    let refusal = block_on(runner.switch()).expect_err("refused");
    assert!(refusal.to_string().contains("differences"), "{refusal}");
    call(&program, "call", json!({ "teamId": "red", "name": "Crimson" }));
    is_same(&runner, &world, "corrected");
}

/// Other programs, servers on the layer, the copy and whoever follows, all at once.
#[test]
fn nothing_is_lost_while_other_programs_and_servers_write() {
    let teams = [("red", "ada"), ("blue", "bob"), ("grey", "ada")];
    let (world, runner, _) = captured();
    let (stop, hits) = (AtomicBool::new(false), [const { AtomicU64::new(0) }; 3]);
    std::thread::scope(|scope| {
        let mut writers = Vec::new();
        for writer in 0..4_u64 {
            let (stop, hits, world) = (&stop, &hits, &world);
            writers.push(scope.spawn(move || {
                // Two write past Sortkey, two through it.
                let old = if writer < 2 { world.old_alone() } else { world.side(Side::Old) };
                for count in 0_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let roll = count.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(writer * 977) >> 7;
                    let (at, id) = ((roll % 3) as usize, format!("w{}", roll % 5));
                    let (team, target) = (teams[at].0, format!("t{}", roll % 2));
                    let right = ["READ", "WRITE", "ADMIN"][(roll % 7 % 3) as usize];
                    let asked = match roll % 4 {
                        0 => ("hit", json!({ "teamId": team })),
                        1 => ("share", share(team, &id, &target, right)),
                        2 => ("allow", json!({ "teamId": team, "shareId": id, "rights": [right] })),
                        _ => ("unshare", json!({ "teamId": team, "shareId": id })),
                    };
                    let is_done = block_on(try_call(&old, asked.0, asked.1)).is_ok();
                    // Writers that do nothing else would be faster than anybody can follow.
                    std::thread::sleep(std::time::Duration::from_millis(2));
                    if is_done && roll % 4 == 0 {
                        hits[at].fetch_add(1, Ordering::Relaxed);
                    }
                }
            }));
        }
        let nap = || std::thread::sleep(std::time::Duration::from_millis(100));
        let mut work = || {
            nap();
            block_on(runner.start())?;
            nap();
            block_on(runner.copy(&mut |_| ()))?;
            let follower = world.runner();
            let following = scope.spawn(move || block_on(follower.follow(&mut |_, _| ())));
            nap();
            // An item that changes whenever it is looked at may count as different; it comes right when it rests.
            block_on(runner.verify(&mut |_| ()))?;
            stop.store(true, Ordering::Relaxed);
            for writer in writers.drain(..) {
                writer.join().expect("no panic");
            }
            let report = block_on(runner.verify(&mut |_| ()))?;
            if report.differences > 0 {
                let reasons = report.listed.into_iter().map(|each| format!("{}: {}", each.place, each.what));
                return Err(Refusal { reasons: reasons.collect() });
            }
            block_on(runner.switch())?;
            // The process that follows was relieved, or has seen the switch.
            drop(following.join());
            Ok::<(), Refusal>(())
        };
        let outcome = work();
        stop.store(true, Ordering::Relaxed);
        if outcome.is_err() {
            // Without the way back the follower, and with it the test, would never end.
            drop(block_on(runner.back()));
        }
        outcome.unwrap_or_else(|refusal| panic!("{refusal}"));
    });
    let new = world.side(Side::New);
    oracle::check(&world, &new);
    for (at, (team, owner)) in teams.iter().enumerate() {
        let answer = call(&new, "team", json!({ "owner": owner, "teamId": team }));
        assert_eq!(answer["hits"], hits[at].load(Ordering::Relaxed), "{team}");
    }
    let captured = block_on(runner.captured()).expect("read").expect("followed");
    assert!(captured.carried > 0, "{captured:?}");
}

/// Everything that changes the new items of an item at once.
fn write_past(program: &Runtime) {
    call(program, "hit", json!({ "teamId": "red" }));
    call(program, "call", json!({ "teamId": "blue", "name": "Azure" }));
    call(program, "unshare", json!({ "teamId": "red", "shareId": "s2" }));
    call(program, "share", share("grey", "s7", "cy", "READ"));
    call(program, "disband", json!({ "teamId": "grey" }));
    call(program, "found", json!({ "teamId": "grey", "owner": "bob", "name": "Grey", "secret": "hush" }));
}

#[test]
fn whoever_follows_is_cut_off_at_every_request() {
    let (world, runner, program) = captured();
    block_on(runner.start()).expect("started");
    write_past(&program);
    for after in [false, true] {
        for at in usize::from(after).. {
            let fork = World { engine: world.engine.fork().expect("in memory"), ..world.clone() };
            let cut = Cut { inner: Embedded::new(fork.engine.clone()), left: AtomicUsize::new(at), after };
            let first = fork.runner_on(Arc::new(cut));
            let steps = |runner: &Runner| {
                block_on(async {
                    runner.copy(&mut |_| ()).await?;
                    runner.verify(&mut |_| ()).await
                })
            };
            let is_done = steps(&first).is_ok();
            fork.engine.advance_clock(60_000);
            let program = fork.runtime(&fork.before, fork.backend());
            drop(block_on(try_call(&program, "hit", json!({ "teamId": "blue" }))));
            let second = fork.runner();
            let report = steps(&second).unwrap_or_else(|refusal| panic!("cut off at {at}: {refusal}"));
            assert_eq!(report.differences, 0, "cut off at {at}: {:?}", report.listed);
            block_on(second.switch()).unwrap_or_else(|refusal| panic!("cut off at {at}: {refusal}"));
            oracle::check(&fork, &fork.side(Side::New));
            if is_done {
                assert!(at > 40, "only {at} requests");
                break;
            }
        }
    }
}

/// Calls a function once the state of the migration has the new design answer.
struct Hooked {
    inner: Embedded,
    hook: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Backend for Hooked {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        Box::pin(async move {
            let is_switch = match &request {
                Request::TransactWriteItems(input) => input.transact_items.iter().any(|each| {
                    let put = each.put.as_ref().map(|put| put.item.unchecked());
                    put.and_then(|item| item.get("phase")).is_some_and(|phase| {
                        phase.to_owned() == AttributeValue::S(Phase::Switched.name().to_owned())
                    })
                }),
                _ => false,
            };
            let answer = self.inner.send(request).await;
            let hook = self.hook.lock().take_if(|_| is_switch);
            if let Some(hook) = hook {
                hook();
            }
            answer
        })
    }
}

#[test]
fn a_switch_is_taken_back_when_another_program_goes_on() {
    let (world, runner, program) = captured();
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).expect("copied");
    is_same(&runner, &world, "copied");
    let late = Box::new(move || drop(call(&program, "hit", json!({ "teamId": "blue" }))));
    let hooked = Hooked { inner: Embedded::new(world.engine.clone()), hook: Mutex::new(Some(late)) };
    let refusal = block_on(world.runner_on(Arc::new(hooked)).switch()).expect_err("taken back");
    assert!(
        refusal.to_string().contains("taken back") && refusal.to_string().contains("TEAM#blue"),
        "{refusal}"
    );
    assert_eq!(block_on(runner.state()).expect("read").expect("begun").phase, Phase::Both);
    is_same(&runner, &world, "taken back");
    block_on(runner.switch()).expect("switched");
    oracle::check(&world, &world.side(Side::New));
}

#[test]
fn following_begins_before_the_start_and_ends_with_the_way_back() {
    let world = World::new();
    let program = world.old_alone();
    seed(&program);
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    let refusal = block_on(runner.capture()).expect_err("too late");
    assert!(refusal.to_string().contains("migrate back"), "{refusal}");
    block_on(runner.back()).expect("back");

    block_on(runner.capture()).expect("captured");
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).expect("copied");
    call(&program, "hit", json!({ "teamId": "red" }));
    is_same(&runner, &world, "followed");
    let state = block_on(runner.back()).expect("back");
    assert!(!state.captured && state.phase == Phase::Prepared);
    assert_eq!(world.own_items("teams"), Vec::<Map>::new());
}

#[test]
fn a_stream_without_old_images_is_refused() {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let stream =
        StreamSpecification { stream_enabled: true, stream_view_type: Some(StreamViewType::KeysOnly) };
    let input = UpdateTableInput {
        table_name: "things".into(),
        stream_specification: Some(stream),
        ..UpdateTableInput::default()
    };
    block_on(Embedded::new(world.engine.clone()).update_table(input)).expect("updated");
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    let refusal = block_on(runner.capture()).expect_err("refused");
    assert!(refusal.to_string().contains("NEW_AND_OLD_IMAGES"), "{refusal}");
}
