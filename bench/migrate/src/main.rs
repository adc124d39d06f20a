//! Seller profiles carried over to their next design. `bench/migrate.sh` builds and starts it.

mod copy;
mod fill;
mod recorder;
mod world;

use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, directory, rest @ ..] = arguments.as_slice() else {
        eprintln!("sortkey-bench-migrate copy DIRECTORY [ITEMS]");
        std::process::exit(2);
    };
    let items: usize = rest.first().and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let directory = PathBuf::from(directory);
    let _ = std::fs::remove_dir_all(&directory);
    match what.as_str() {
        "copy" => copy::run(&directory, items),
        _ => {
            eprintln!("there is no measurement {what:?}");
            std::process::exit(2);
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
}
