//! Seller profiles from end to end with writers through both designs and readers all the time: copy, verify, shadow, switch,
//! back, switch, finish. Nothing may be lost, doubled or brought back.
//!
//! `bench/migrate.sh load` does it with 200,000 items and a bounded copy, and prints how long calls took before and meanwhile. With
//! `SORTKEY_MIGRATE_ENDPOINT=http://127.0.0.1:8000` the test does it on another DynamoDB.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use sortkey_core::{FailureKind, Runtime};
use sortkey_embedded::block_on;
use sortkey_engine::Engine;
use sortkey_migrate::{Copied, Dice, Extent, Rate, Refusal, Runner, Side};

use crate::sellers::{as_owner, design, try_as_owner, try_system};
use crate::support::{World, call};

/// Orders of a seller; with two accounts, the profile, two shares, an invite, a season and a catalog.
const ORDERS: usize = 92;
const OF_A_SELLER: usize = ORDERS + 8;
const WRITERS: usize = 2;

/// The keys of one writer, with the value that must be stored: the name in each order, or nothing where it deleted one.
#[derive(Default)]
struct Desk {
    account: String,
    profile: String,
    season: String,
    catalog: String,
    guest: String,
    orders: BTreeMap<String, Option<String>>,
    /// Names of what is never deleted: the profile, its seasons and catalogs, by id.
    names: BTreeMap<String, String>,
    shared: usize,
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
    let catalog = json!({ "ownerAccountId": account, "catalogName": "C", "isPublic": at.is_multiple_of(2) });
    let catalog = ask("createCatalog", catalog);
    let season =
        json!({ "input": { "profileId": profile, "seasonName": "Fall", "startDate": "2026-01-01" } });
    let season = text(&ask("createSeason", season), "seasonId");
    let catalog = text(&catalog, "catalogId");
    let guest = call(old, "createAccount", json!({ "email": format!("Guest{at}@X.org") }));
    let guest = text(&guest, "accountId");
    let mut desk = Desk { account: account.clone(), profile, season, catalog, guest, ..Desk::default() };
    for at in 0..ORDERS {
        let name = format!("Customer {at}");
        let id = text(&ask("createOrder", order(&desk, &name)), "orderId");
        desk.orders.insert(id, Some(name));
    }
    desk
}

/// As often as one account is given a share: the new one is derived from all of them, in one transaction.
const SHARES: usize = 20;

/// One write through a design; false if the design does not write at the moment.
fn write(runtime: &Runtime, side: Side, desk: &mut Desk, dice: &mut Dice, count: usize) -> bool {
    if desk.shared < SHARES && dice.roll(12) == 0 {
        desk.shared += 1;
        return share(runtime, side, desk, dice);
    }
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
    let named = |id: String| (id, Some(name.clone()));
    let outcome = match (dice.roll(11), some) {
        (0, _) => {
            let profile = json!({ "profileId": desk.profile, "sellerName": name });
            ask("updateSellerProfile", with_owner(profile)).map(|_| named(desk.profile.clone()))
        }
        (1, _) => {
            let season = json!({ "profileId": desk.profile, "seasonName": name, "startDate": "2026-01-01" });
            let made = ask("createSeason", json!({ "input": with_owner(season) }));
            made.map(|made| named(text(&made, "seasonId")))
        }
        (2, _) => {
            let season = match side {
                Side::Old => json!({ "seasonId": desk.season, "seasonName": name }),
                Side::New => {
                    json!({ "profileId": desk.profile, "seasonId": desk.season, "seasonName": name })
                }
            };
            ask("updateSeason", season).map(|_| named(desk.season.clone()))
        }
        (3, _) => {
            let catalog = json!({ "ownerAccountId": desk.account, "catalogName": name, "isPublic": count.is_multiple_of(2) });
            ask("createCatalog", catalog).map(|made| named(text(&made, "catalogId")))
        }
        (4, _) => {
            let catalog = json!({ "catalogId": desk.catalog, "catalogName": name, "isPublic": count.is_multiple_of(2) });
            ask("updateCatalog", catalog).map(|_| named(desk.catalog.clone()))
        }
        (5, Some(id)) => ask("deleteOrder", key(&id)).map(|_| (id, None)),
        (6 | 7, _) | (_, None) => {
            let mut order = with_owner(order(desk, &name));
            if side == Side::New {
                drop(order.as_object_mut().and_then(|order| order.remove("totalAmount")));
                order = json!({ "input": order });
            }
            ask("createOrder", order).map(|made| named(text(&made, "orderId")))
        }
        (_, Some(id)) => {
            let mut arguments = key(&id);
            arguments["customerName"] = json!(name);
            ask("updateOrder", arguments).map(|_| named(id))
        }
    };
    match outcome {
        Ok((id, name)) if id.starts_with("ORDER#") => drop(desk.orders.insert(id, name)),
        Ok((id, name)) => desk.names.extend(name.map(|name| (id, name))),
        Err(failure) if failure.kind == FailureKind::Unavailable => return false,
        // Transactions of the copy and of others meet now and then; nothing was written.
        Err(failure) if failure.kind == FailureKind::Conflict => {}
        Err(failure) => panic!("{side:?}: {failure}"),
    }
    true
}

/// Shares the profile with another account: the old design makes another share each time, of which the new one makes one. `verify`
/// compares the result.
fn share(runtime: &Runtime, side: Side, desk: &Desk, dice: &mut Dice) -> bool {
    let rights = ["READ", "WRITE"][dice.roll(2) as usize];
    let outcome = match side {
        Side::Old => {
            let share = json!({
                "profileId": desk.profile, "targetAccountId": desk.guest, "permissions": [rights], "createdByAccountId": desk.account
            });
            try_system(runtime, "shareProfile", share)
        }
        Side::New => {
            let share = json!({
                "profileId": desk.profile, "ownerAccountId": desk.account, "targetAccountId": desk.guest, "permissions": [rights]
            });
            try_as_owner(runtime, &desk.account, "shareProfileDirect", share)
        }
    };
    match outcome {
        Ok(_) => true,
        Err(failure) if failure.kind == FailureKind::Unavailable => false,
        Err(failure) if failure.kind == FailureKind::Conflict => true,
        Err(failure) => panic!("{side:?}: {failure}"),
    }
}

/// Readers' questions to the design that answers, asked all the time.
fn read(new: &Runtime, old: &Runtime, is_new: bool, desk: &Desk) {
    let ask = |runtime: &Runtime, name: &str, arguments: Json| {
        let is_system = runtime.program().patterns.iter().any(|each| *each.name == *name && each.system);
        let answer = match is_system {
            true => try_system(runtime, name, arguments),
            false => try_as_owner(runtime, &desk.account, name, arguments),
        };
        if let Err(failure) = answer {
            assert!(
                failure.kind == FailureKind::Conflict || failure.kind == FailureKind::NotFound,
                "{name}: {failure}"
            );
        }
    };
    let (account, profile, season) = (json!(desk.account), json!(desk.profile), json!(desk.season));
    let order = json!(desk.orders.keys().next());
    let guest = json!(desk.guest);
    let common: [(&str, Json); 10] = [
        ("getMyAccount", json!({ "accountId": account })),
        ("emailLookup", json!({ "email": "seller0@x.org" })),
        ("listMyProfiles", json!({ "ownerAccountId": account })),
        ("listSharedProfiles", json!({ "targetAccountId": account })),
        ("getSeason", json!({ "seasonId": season })),
        ("listSeasonsByProfile", json!({ "profileId": profile })),
        ("listCatalogUsage", json!({ "catalogId": desk.catalog })),
        ("getOrder", json!({ "orderId": order })),
        ("listOrdersBySeason", json!({ "seasonId": season })),
        ("listOrdersByProfile", json!({ "profileId": profile })),
    ];
    let catalogs = [
        ("getCatalog", json!({ "catalogId": desk.catalog })),
        ("listMyCatalogs", json!({ "ownerAccountId": account })),
        ("listPublicCatalogs", json!({})),
    ];
    let own = match is_new {
        false => vec![
            ("getProfile", json!({ "profileId": profile })),
            ("getShare", json!({ "profileId": profile, "shareId": "00000000-0000-4000-8000-000000000000" })),
            ("inviteByCode", json!({ "inviteCode": "0000000000" })),
        ],
        true => vec![
            ("accountForLogin", json!({ "email": "seller0@x.org" })),
            ("getProfileOf", json!({ "ownerAccountId": account, "profileId": profile })),
            ("getSellerProfile", json!({ "profileId": profile })),
            ("listSharesByProfile", json!({ "profileId": profile })),
            ("getShare", json!({ "profileId": profile, "targetAccountId": guest })),
            ("myPermissions", json!({ "profileId": profile })),
            ("getInvite", json!({ "inviteCode": "0000000000" })),
            ("listInvitesByProfile", json!({ "profileId": profile })),
            ("getSeasonOf", json!({ "profileId": profile, "seasonId": season })),
            ("getOrderOf", json!({ "seasonId": season, "orderId": order })),
            ("ordersForReport", json!({ "profileId": profile })),
            ("invitesNamed", json!({ "profileId": profile, "id": "0123456789abcdef" })),
            ("ordersOfSeason", json!({ "season": season })),
        ],
    };
    let runtime = if is_new { new } else { old };
    for (name, arguments) in common.into_iter().chain(catalogs).chain(own) {
        ask(runtime, name, arguments);
    }
}

/// How much there is, and how fast it is carried over.
pub(crate) struct Load {
    pub(crate) items: usize,
    pub(crate) rate: Option<Rate>,
    /// How long each measured phase lasts at least. Writers have half of what they are capable of, measured for as long.
    pub(crate) nap: Duration,
}

/// The steps during which calls are measured.
const STEPS: [&str; 5] = ["before", "both are written, no copy", "copying", "comparing", "switched"];

/// The result of a migration under load.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) copied: u64,
    pub(crate) took: Duration,
    /// Calls in a second that the writers were capable of.
    pub(crate) capacity: f64,
    /// The longest that a change of phase took.
    pub(crate) changes: Vec<(&'static str, Duration)>,
    /// By step: writes, and the times below which half of them stayed, and 99 of 100.
    pub(crate) calls: BTreeMap<usize, (usize, Duration, Duration)>,
    pub(crate) orders: usize,
    pub(crate) lost: usize,
    pub(crate) differing: usize,
    pub(crate) resurrected: usize,
    pub(crate) doubled: i64,
}

impl Outcome {
    pub(crate) fn is_right(&self) -> bool {
        (self.lost, self.differing, self.resurrected, self.doubled) == (0, 0, 0, 0)
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.took.as_secs_f64();
        writeln!(
            f,
            "{} items copied in {seconds:.1} s, {:.0} in a second",
            self.copied,
            self.copied as f64 / seconds
        )?;
        writeln!(f, "writers are capable of {:.0} calls a second, and made half as many", self.capacity)?;
        for (step, (count, half, most)) in &self.calls {
            writeln!(f, "| {} | {count} writes | p50 {half:?} | p99 {most:?} |", STEPS[*step])?;
        }
        for (name, took) in &self.changes {
            writeln!(f, "{name} took {took:?}")?;
        }
        write!(
            f,
            "{} orders of writers: lost {}, differing {}, resurrected {}, doubled {}",
            self.orders, self.lost, self.differing, self.resurrected, self.doubled
        )
    }
}

/// Ends the writers, also when something is found to be wrong.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The flags that writers look at between two calls.
#[derive(Default)]
struct Signs {
    stop: AtomicBool,
    /// Whether the new design answers.
    is_new: AtomicBool,
    step: AtomicUsize,
    /// Between two calls of one writer; none while the capacity is measured.
    pace_us: AtomicU64,
    calls: AtomicU64,
    times: Mutex<BTreeMap<usize, Vec<Duration>>>,
}

impl Signs {
    fn at(&self, step: usize) {
        self.step.store(step, Ordering::Relaxed);
    }

    /// One writer, with a reader beside it every eighth time, until it is stopped.
    fn work(&self, world: &World, desk: &Mutex<Desk>, at: usize) {
        let (old, new) = (world.side(Side::Old), world.side(Side::New));
        let mut dice = Dice::new(at as u64 + 1);
        let mut due = Instant::now();
        for count in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let pace = Duration::from_micros(self.pace_us.load(Ordering::Relaxed));
            // A call that took long is not made up for.
            due = (due + pace).max(Instant::now());
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let (begun, now) = (Instant::now(), self.step.load(Ordering::Relaxed));
            let mut desk = desk.lock().expect("no panic");
            let may_new = now >= 4 && dice.roll(2) == 0;
            if !may_new || !write(&new, Side::New, &mut desk, &mut dice, count) {
                write(&old, Side::Old, &mut desk, &mut dice, count);
            }
            self.calls.fetch_add(1, Ordering::Relaxed);
            if !pace.is_zero() {
                self.times.lock().expect("no panic").entry(now).or_default().push(begun.elapsed());
            }
            if count % 8 == 0 {
                read(&new, &old, self.is_new.load(Ordering::Relaxed), &desk);
            }
            drop(desk);
        }
    }
}

/// Carries a database of seller profiles over, with writers and readers at work all the time.
pub(crate) fn carried_over(world: &World, load: &Load) -> Outcome {
    let alone = world.old_alone();
    let sellers = load.items.div_ceil(OF_A_SELLER).max(WRITERS);
    let mut desks: Vec<Desk> = (0..sellers).map(|at| seller(&alone, at)).collect();
    let rest: usize = desks.iter().skip(WRITERS).map(|desk| desk.orders.len()).sum();
    desks.truncate(WRITERS);
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    let signs = Signs::default();
    let desks: Vec<Mutex<Desk>> = desks.into_iter().map(Mutex::new).collect();
    let mut outcome = Outcome::default();
    std::thread::scope(|scope| {
        for (at, desk) in desks.iter().enumerate() {
            let signs = &signs;
            scope.spawn(move || signs.work(world, desk, at));
        }
        let _ends = Ends(&signs.stop);
        steps(&runner, load, &signs, &mut outcome).unwrap_or_else(|refusal| panic!("{refusal}"));
    });
    let begun = Instant::now();
    block_on(runner.finish(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    outcome.changes.push(("finish", begun.elapsed()));
    for (step, mut times) in signs.times.into_inner().expect("no panic") {
        times.sort_unstable();
        let below = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        outcome.calls.insert(step, (times.len(), below(50), below(99)));
    }
    count(world, &desks, rest, &mut outcome);
    outcome
}

fn steps(runner: &Runner, load: &Load, signs: &Signs, outcome: &mut Outcome) -> Result<(), Refusal> {
    let nap = || std::thread::sleep(load.nap);
    let begun = Instant::now();
    nap();
    outcome.capacity = signs.calls.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64();
    let pace_us = 2.0 * 1e6 * WRITERS as f64 / outcome.capacity.max(1.0);
    signs.pace_us.store(pace_us as u64, Ordering::Relaxed);
    nap();
    block_on(runner.start())?;
    signs.at(1);
    nap();
    block_on(runner.rate(load.rate))?;
    signs.at(2);
    let begun = Instant::now();
    assert_eq!(block_on(runner.copy(&mut |_| ()))?, Copied::Done);
    outcome.took = begun.elapsed();
    signs.at(3);
    let state = block_on(runner.state())?.expect("begun");
    outcome.copied = state.walks.values().map(|walk| walk.copied).sum();
    let compared = || {
        let report = block_on(runner.verify_to(Extent::Sample(200), &mut |_| ()))?;
        assert_eq!(report.differences, 0, "{:?}", report.listed);
        assert!(report.patterns.iter().all(|each| each.differences == 0), "{:?}", report.patterns);
        Ok::<(), Refusal>(())
    };
    compared()?;
    block_on(runner.shadow(50))?;
    for round in 0..3 {
        let begun = Instant::now();
        block_on(runner.switch())?;
        outcome.changes.push(("switch", begun.elapsed()));
        signs.is_new.store(true, Ordering::Relaxed);
        signs.at(4);
        nap();
        if round < 2 {
            signs.is_new.store(false, Ordering::Relaxed);
            let begun = Instant::now();
            block_on(runner.back())?;
            outcome.changes.push(("back", begun.elapsed()));
            nap();
        }
    }
    compared()
}

/// Compares the items of the new design with the writers' records.
fn count(world: &World, desks: &[Mutex<Desk>], rest: usize, outcome: &mut Outcome) {
    let new = world.side(Side::New);
    for desk in desks {
        let desk = desk.lock().expect("no panic");
        for (id, name) in &desk.orders {
            let key = json!({ "seasonId": desk.season, "orderId": id });
            let found =
                try_as_owner(&new, &desk.account, "getOrderOf", key).ok().filter(|found| !found.is_null());
            outcome.orders += usize::from(name.is_some());
            match (name, found) {
                (Some(_), None) => outcome.lost += 1,
                (Some(name), Some(found)) => {
                    outcome.differing += usize::from(found["customerName"] != **name)
                }
                (None, Some(_)) => outcome.resurrected += 1,
                (None, None) => {}
            }
        }
        for (id, name) in &desk.names {
            let (pattern, key, attribute) = match id.split('#').next() {
                Some("PROFILE") => ("getSellerProfile", "profileId", "sellerName"),
                Some("SEASON") => ("getSeason", "seasonId", "seasonName"),
                _ => ("getCatalog", "catalogId", "catalogName"),
            };
            let found = as_owner(&new, &desk.account, pattern, json!({ key: id }));
            outcome.lost += usize::from(found.is_null());
            outcome.differing += usize::from(!found.is_null() && found[attribute] != **name);
        }
    }
    outcome.doubled = world.own_items("orders-v2").len() as i64 - (outcome.orders + rest) as i64;
}

/// A database in memory with both designs.
pub(crate) fn world(engine: Engine) -> World {
    World {
        engine,
        before: design("seller-profiles-before.sk"),
        after: design("seller-profiles.sk"),
        elsewhere: None,
    }
}

#[test]
fn nothing_is_lost_doubled_or_brought_back() {
    let number = |name: &str, usual: u64| -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let mut world = world(Engine::memory(sortkey_engine::Settings::default()));
    world.elsewhere = std::env::var("SORTKEY_MIGRATE_ENDPOINT").ok().map(|url| crate::elsewhere::at(&url));
    let load = Load {
        items: number("SORTKEY_MIGRATE_ITEMS", 600) as usize,
        rate: std::env::var("SORTKEY_MIGRATE_RATE").ok().and_then(|text| text.parse().ok()),
        nap: Duration::from_millis(number("SORTKEY_MIGRATE_NAP_MS", 200)),
    };
    let outcome = carried_over(&world, &load);
    eprintln!("{outcome}");
    assert!(outcome.is_right(), "{outcome}");
}
