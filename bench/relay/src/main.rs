//! A webhook relay under load. `bench/relay.sh` builds both sides and runs this.

mod fairness;
mod http;
mod kills;
mod queue;
mod receiver;
mod relay;
mod report;
mod speed;

use std::path::PathBuf;

use relay::{Place, design, free_port};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, binary, data, rest @ ..] = arguments.as_slice() else {
        eprintln!("relay speed|fairness|queue|kills BINARY DIRECTORY [NUMBER ...]");
        std::process::exit(2);
    };
    let number =
        |at: usize, otherwise: u64| rest.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let place = Place {
        binary: PathBuf::from(binary),
        design: design(),
        data: PathBuf::from(data),
        port: free_port(),
        arguments: Vec::new(),
    };
    let _ = std::fs::remove_dir_all(&place.data);
    match what.as_str() {
        "speed" => {
            let rates: Vec<Option<f64>> = match rest.get(1..).filter(|rates| !rates.is_empty()) {
                Some(rates) => rates.iter().map(|rate| rate.parse().ok()).collect(),
                None => vec![None, Some(2_000.0), Some(1_000.0)],
            };
            speed::run(&place, number(0, 15), &rates);
        }
        "fairness" => fairness::run(&place, number(0, 10_000), number(1, 20)),
        "queue" => queue::run(&place, number(0, 1_000_000), number(1, 20)),
        "kills" => {
            let (events, kills) = (number(0, 200_000) as usize, number(1, 100) as usize);
            println!("{:#?}", kills::run(&place, events, kills));
        }
        _ => {
            eprintln!("there is no measurement {what:?}");
            std::process::exit(2);
        }
    }
    let _ = std::fs::remove_dir_all(&place.data);
}
