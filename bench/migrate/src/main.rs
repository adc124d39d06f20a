//! Seller profiles carried over to their next design. `bench/migrate.sh` builds and starts it.

mod copy;
mod load;
mod recorder;
mod world;

// The migration under load is the one that the tests carry out, on the items that they make.
#[allow(dead_code)]
#[path = "../../../crates/migrate/tests/exact/callers.rs"]
mod callers;
#[path = "../../../crates/migrate/tests/exact/load.rs"]
mod carried;
#[path = "../../../crates/migrate/tests/exact/desk.rs"]
mod desk;
#[path = "../../../crates/migrate/tests/exact/fill.rs"]
mod fill;
#[path = "../../../crates/migrate/tests/exact/outcome.rs"]
mod outcome;
#[path = "../../../crates/migrate/tests/exact/readers.rs"]
mod readers;
#[allow(dead_code)]
#[path = "../../../crates/migrate/tests/exact/support.rs"]
mod support;
#[path = "../../../crates/migrate/tests/exact/work.rs"]
mod work;

use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, directory, rest @ ..] = arguments.as_slice() else {
        eprintln!("sortkey-bench-migrate copy|copy-in-memory|load|load-in-memory DIRECTORY [ITEMS]");
        std::process::exit(2);
    };
    let items: usize = rest.first().and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let directory = PathBuf::from(directory);
    let _ = std::fs::remove_dir_all(&directory);
    match what.as_str() {
        "copy" => copy::run(Some(&directory), items),
        "copy-in-memory" => copy::run(None, items),
        "load" => load::run(Some(&directory), items),
        "load-in-memory" => load::run(None, items),
        _ => {
            eprintln!("there is no measurement {what:?}");
            std::process::exit(2);
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
}
