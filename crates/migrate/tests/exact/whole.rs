//! Seller profiles from end to end with writers through both designs and readers all the time: copy, verify, shadow, switch,
//! back, switch, finish. Nothing may be lost, doubled or brought back.
//!
//! `SORTKEY_MIGRATE_ITEMS=200000 SORTKEY_MIGRATE_RATE=3000 cargo test -p sortkey-migrate --test exact whole -- --nocapture` does it
//! with more items and a bounded copy, and prints how long calls took before and during the copy.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use sortkey_core::{FailureKind, Runtime};
use sortkey_embedded::block_on;
use sortkey_engine::Engine;
use sortkey_migrate::{Copied, Dice, Extent, Rate, Side};

use crate::sellers::{as_owner, design, try_as_owner};
use crate::support::{World, call};

/// Orders of a seller; with the account, the profile, two shares, an invite, a season and a catalog.
const ORDERS: usize = 93;
const OF_A_SELLER: usize = ORDERS + 7;
const WRITERS: usize = 2;

/// Where a writer works, and what it knows to be stored: the name in each order, or nothing where it deleted one.
#[derive(Default)]
struct Desk {
    account: String,
    profile: String,
    season: String,
    orders: BTreeMap<String, Option<String>>,
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn text(value: &Json, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn order(desk: &Desk, name: &str) -> Json {
    json!({
        "seasonId": desk.season, "profileId": desk.profile, "customerName": name, "paymentMethod": "check", "orderDate": "2025-12-31",
        "totalAmount": 99, "lineItems": [{ "sku": "a", "title": "Mints", "quantity": 2, "price": 3 }]
    })
}

/// A seller with what years leave behind: shares twice, an invite that was used or has expired, totals that differ from their lines.
fn seller(old: &Runtime, at: usize) -> Desk {
    let account = text(
        &call(old, "createAccount", json!({ "email": format!("Seller{at}@X.org"), "isAdmin": true })),
        "accountId",
    );
    let ask = |name: &str, arguments: Json| as_owner(old, &account, name, arguments);
    let profile = text(
        &ask("createSellerProfile", json!({ "ownerAccountId": account, "sellerName": "Troop" })),
        "profileId",
    );
    for rights in ["READ", "WRITE"] {
        let share = json!({ "profileId": profile, "targetAccountId": account, "permissions": [rights], "createdByAccountId": account });
        call(old, "shareProfile", share);
    }
    let expires = if at.is_multiple_of(2) { "2025-01-10T00:00:00.000Z" } else { "2090-01-10T00:00:00.000Z" };
    let invite = json!({ "profileId": profile, "inviteCode": format!("{at:010}"), "permissions": ["READ"], "createdByAccountId": account, "expiresAt": expires });
    let invite = call(old, "inviteToProfile", invite);
    if at.is_multiple_of(3) {
        ask("redeemProfileInvite", json!({ "profileId": profile, "inviteId": invite["inviteId"] }));
    }
    ask(
        "createCatalog",
        json!({ "ownerAccountId": account, "catalogName": "C", "isPublic": at.is_multiple_of(2) }),
    );
    let season =
        json!({ "input": { "profileId": profile, "seasonName": "Fall", "startDate": "2026-01-01" } });
    let season = text(&ask("createSeason", season), "seasonId");
    let mut desk = Desk { account: account.clone(), profile, season, ..Desk::default() };
    for at in 0..ORDERS {
        let name = format!("Customer {at}");
        let id = text(&ask("createOrder", order(&desk, &name)), "orderId");
        desk.orders.insert(id, Some(name));
    }
    desk
}

/// One write through a design; false if the design does not write at the moment.
fn write(runtime: &Runtime, side: Side, desk: &mut Desk, dice: &mut Dice, count: usize) -> bool {
    let ids: Vec<String> =
        desk.orders.iter().filter(|(_, name)| name.is_some()).map(|(id, _)| id.clone()).collect();
    let some = ids.get(dice.roll(ids.len().max(1) as u64) as usize).cloned();
    let name = format!("Changed {count}");
    let with_owner = |mut arguments: Json| {
        if side == Side::New {
            arguments["ownerAccountId"] = json!(desk.account);
        }
        arguments
    };
    let ask = |operation: &str, arguments: Json| try_as_owner(runtime, &desk.account, operation, arguments);
    let key = |id: &str| match side {
        Side::Old => json!({ "orderId": id }),
        Side::New => json!({ "seasonId": desk.season, "orderId": id }),
    };
    let outcome = match (dice.roll(5), some) {
        (0, Some(id)) => ask("deleteOrder", key(&id)).map(|_| (id, None)),
        (1 | 2, _) | (_, None) => {
            let mut order = with_owner(order(desk, &name));
            if side == Side::New {
                drop(order.as_object_mut().and_then(|order| order.remove("totalAmount")));
                order = json!({ "input": order });
            }
            ask("createOrder", order).map(|made| (text(&made, "orderId"), Some(name.clone())))
        }
        (_, Some(id)) => {
            let mut arguments = key(&id);
            arguments["customerName"] = json!(name);
            ask("updateOrder", arguments).map(|_| (id, Some(name.clone())))
        }
    };
    match outcome {
        Ok((id, name)) => drop(desk.orders.insert(id, name)),
        Err(failure) if failure.kind == FailureKind::Unavailable => return false,
        // Transactions of the copy and of others meet now and then; nothing was written.
        Err(failure) if failure.kind == FailureKind::Conflict => {}
        Err(failure) => panic!("{side:?}: {failure}"),
    }
    true
}

/// What readers ask the design that answers, all the time.
fn read(new: &Runtime, old: &Runtime, is_new: bool, desk: &Desk) {
    let ask = |runtime: &Runtime, name: &str, arguments: Json| {
        if let Err(failure) = try_as_owner(runtime, &desk.account, name, arguments) {
            assert!(
                failure.kind == FailureKind::Conflict || failure.kind == FailureKind::NotFound,
                "{name}: {failure}"
            );
        }
    };
    let runtime = if is_new { new } else { old };
    ask(runtime, "listMyProfiles", json!({ "ownerAccountId": desk.account }));
    ask(runtime, "listOrdersBySeason", json!({ "seasonId": desk.season }));
    ask(runtime, "listOrdersByProfile", json!({ "profileId": desk.profile }));
    ask(runtime, "listSeasonsByProfile", json!({ "profileId": desk.profile }));
    ask(runtime, "listSharedProfiles", json!({ "targetAccountId": desk.account }));
}

/// The time below which 99 of 100 calls of a phase stayed.
fn p99(times: &Mutex<BTreeMap<usize, Vec<Duration>>>, phase: usize) -> (usize, Duration) {
    let mut all = times.lock().expect("no panic").get(&phase).cloned().unwrap_or_default();
    all.sort_unstable();
    (all.len(), all.get(all.len() * 99 / 100).copied().unwrap_or_default())
}

#[test]
fn nothing_is_lost_doubled_or_brought_back() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let world =
        World { engine, before: design("seller-profiles-before.sk"), after: design("seller-profiles.sk") };
    let alone = world.old_alone();
    let items = number("SORTKEY_MIGRATE_ITEMS", 600) as usize;
    let rate = number("SORTKEY_MIGRATE_RATE", 0);
    let pace = Duration::from_micros(number("SORTKEY_MIGRATE_PACE_US", 2_000));
    let mut desks: Vec<Desk> =
        (0..items.div_ceil(OF_A_SELLER).max(WRITERS)).map(|at| seller(&alone, at)).collect();
    let rest: usize = desks.iter().skip(WRITERS).map(|desk| desk.orders.len()).sum();
    desks.truncate(WRITERS);
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");

    /// Ends the writers, also when something is found to be wrong.
    struct Ends<'a>(&'a AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (stop, is_new, phase) = (AtomicBool::new(false), AtomicBool::new(false), AtomicUsize::new(0));
    let times: Mutex<BTreeMap<usize, Vec<Duration>>> = Mutex::default();
    let desks: Vec<Mutex<Desk>> = desks.into_iter().map(Mutex::new).collect();
    let copied = std::thread::scope(|scope| {
        for (at, desk) in desks.iter().enumerate() {
            let (old, new) = (world.side(Side::Old), world.side(Side::New));
            let (stop, is_new, phase, times) = (&stop, &is_new, &phase, &times);
            scope.spawn(move || {
                let mut dice = Dice::new(at as u64 + 1);
                for count in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let (begun, now) = (Instant::now(), phase.load(Ordering::Relaxed));
                    let mut desk = desk.lock().expect("no panic");
                    let may_new = now >= 3 && dice.roll(2) == 0;
                    if !may_new || !write(&new, Side::New, &mut desk, &mut dice, count) {
                        write(&old, Side::Old, &mut desk, &mut dice, count);
                    }
                    if count % 8 == 0 {
                        read(&new, &old, is_new.load(Ordering::Relaxed), &desk);
                    } else {
                        times.lock().expect("no panic").entry(now).or_default().push(begun.elapsed());
                    }
                    drop(desk);
                    std::thread::sleep(pace);
                }
            });
        }
        let work = || -> Result<(u64, Duration), sortkey_migrate::Refusal> {
            std::thread::sleep(Duration::from_millis(400));
            block_on(runner.start())?;
            if rate > 0 {
                block_on(runner.rate(Some(Rate::Items(rate))))?;
            }
            phase.store(1, Ordering::Relaxed);
            let begun = Instant::now();
            assert_eq!(block_on(runner.copy(&mut |_| ()))?, Copied::Done);
            let took = begun.elapsed();
            phase.store(2, Ordering::Relaxed);
            let state = block_on(runner.state())?.expect("begun");
            let copied = state.walks.values().map(|walk| walk.copied).sum();
            let compared = |extent: Extent| {
                let report = block_on(runner.verify_to(extent, &mut |_| ()))?;
                assert_eq!(report.differences, 0, "{:?}", report.listed);
                assert!(report.patterns.iter().all(|each| each.differences == 0), "{:?}", report.patterns);
                Ok::<(), sortkey_migrate::Refusal>(())
            };
            compared(Extent::Sample(200))?;
            block_on(runner.shadow(50))?;
            for _ in 0..2 {
                block_on(runner.switch())?;
                is_new.store(true, Ordering::Relaxed);
                phase.store(3, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(200));
                is_new.store(false, Ordering::Relaxed);
                block_on(runner.back())?;
                std::thread::sleep(Duration::from_millis(100));
            }
            block_on(runner.switch())?;
            is_new.store(true, Ordering::Relaxed);
            compared(Extent::Sample(200))?;
            Ok((copied, took))
        };
        let _ends = Ends(&stop);
        work().unwrap_or_else(|refusal| panic!("{refusal}"))
    });
    block_on(runner.finish(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));

    let new = world.side(Side::New);
    let (mut lost, mut differing, mut resurrected, mut live) = (0, 0, 0, 0);
    for desk in &desks {
        let desk = desk.lock().expect("no panic");
        for (id, name) in &desk.orders {
            let found = try_as_owner(
                &new,
                &desk.account,
                "getOrderOf",
                json!({ "seasonId": desk.season, "orderId": id }),
            );
            let found = found.ok().filter(|found| !found.is_null());
            live += usize::from(name.is_some());
            match (name, found) {
                (Some(_), None) => lost += 1,
                (Some(name), Some(found)) => differing += usize::from(found["customerName"] != **name),
                (None, Some(_)) => resurrected += 1,
                (None, None) => {}
            }
        }
    }
    let stored = world.own_items("orders-v2").len();
    let (copied, took) = copied;
    let ((calls, before), (_, during)) = (p99(&times, 0), p99(&times, 1));
    eprintln!(
        "{copied} items copied in {:.1} s, {:.0} in a second; p99 of a write {before:?} before ({calls} calls), {during:?} during the copy; {} orders of writers, lost {lost}, differing {differing}, resurrected {resurrected}, doubled {}",
        took.as_secs_f64(),
        copied as f64 / took.as_secs_f64(),
        live,
        stored as i64 - (live + rest) as i64,
    );
    assert_eq!((lost, differing, resurrected), (0, 0, 0));
    assert_eq!(stored, live + rest, "every order once");
}
