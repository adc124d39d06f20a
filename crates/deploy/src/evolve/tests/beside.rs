//! Every kind of change beside writers: of the version before until the new one is let in, and of the new one from the moment in
//! which it answers.

use crate::begin;

use super::served::{Served, every, pause};
use super::*;

/// Orders that writers change; nobody else asks for them.
const ORDERS: usize = 40;
/// Orders that a writer makes.
const MADE: usize = 30;

fn key(at: usize) -> Json {
    json!({ "userId": "w", "orderId": format!("w{}", at % ORDERS) })
}

/// An order that no list of a status shows.
fn put_aside(runtime: &Runtime, id: &str, total: usize) {
    let order = json!({ "userId": "w", "orderId": id, "total": total % 7, "email": format!("{id}@x.org") });
    call(runtime, "place", order);
    call(runtime, "set", json!({ "userId": "w", "orderId": id, "status": "void" }));
}

/// Counts on the orders until `stop` is set.
fn hit(runtime: &Runtime, stop: &AtomicBool, acknowledged: &AtomicUsize) {
    for at in 0.. {
        if try_call(runtime, "hit", &key(at)).is_ok() {
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        if stop.load(Ordering::Relaxed) {
            return;
        }
    }
}

#[test]
fn every_class_of_change_happens_beside_writers() {
    for row in rows() {
        let (text, database, fresh) = (changed(row.changes), engine(), engine());
        let (old, _) = up(&database, SHOP);
        fill(&old, 12, "note");
        (0..ORDERS).for_each(|at| put_aside(&old, &format!("w{at}"), at));
        let served = Served::of(&database, &text);
        let (is_in, is_done, acknowledged) =
            (AtomicBool::new(false), AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|threads| {
            let before = threads.spawn(|| hit(&old, &is_in, &acknowledged));
            while acknowledged.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            // Processes of the version before stop when they see that items are being rewritten; this is the moment.
            let fence = |_: Duration| -> Pending<'_, ()> {
                is_in.store(true, Ordering::Relaxed);
                Box::pin(async { Ok(()) })
            };
            let begun = pollster::block_on(begin(&served.bare, Coverage::AsMarked, &fence, &mut |_| {}));
            is_in.store(true, Ordering::Relaxed);
            drop(before.join());
            let begun = begun.expect("begun");
            served.interim.follow(begun.turning());
            let writes = || {
                for at in 0..MADE {
                    put_aside(&served.runtime, &format!("n{at}"), at);
                }
                hit(&served.runtime, &is_done, &acknowledged);
            };
            let reads = || {
                while !is_done.load(Ordering::Relaxed) {
                    assert_eq!(
                        every(&served.runtime, "ofUser", &json!({ "userId": "u0" }), Some(3)).len(),
                        4
                    );
                    let paid = every(&served.runtime, "inStatus", &json!({ "status": "paid" }), None);
                    assert_eq!(paid.len(), 4, "{:?}", row.changes);
                }
            };
            // A version that rewrites nothing, or has to rewrite everything first, answers when that is done.
            let serves = begun.turning().is_some();
            let run = || {
                threads.spawn(reads);
                threads.spawn(writes)
            };
            let early = serves.then(run);
            pollster::block_on(begun.finish(&pause, &mut |_| {})).expect("finished");
            served.interim.follow(None);
            let writer = early.unwrap_or_else(run);
            let enough = acknowledged.load(Ordering::Relaxed) + ORDERS;
            while acknowledged.load(Ordering::Relaxed) < enough && !writer.is_finished() {
                std::thread::yield_now();
            }
            is_done.store(true, Ordering::Relaxed);
        });
        let (new, _) = up(&fresh, &text);
        fill(&new, 12, row.note);
        assert_eq!(answers(&served.runtime, &row.asked), answers(&new, &row.asked), "{:?}", row.changes);
        let own = every(&served.runtime, "ofUser", &json!({ "userId": "w" }), None);
        assert_eq!(own.len(), ORDERS + MADE, "{:?}", row.changes);
        let hits: u64 = own.iter().filter_map(|order| order["hits"].as_u64()).sum();
        assert_eq!(hits, acknowledged.load(Ordering::Relaxed) as u64, "{:?}", row.changes);
        is_sound(&served.runtime);
    }
}
