//! Receivers whose behaviour is the first part of the path: `/ok/...`, `/broken/...`, `/hang/...`.

use std::collections::HashMap;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::http::Wire;

/// Every arrival: the path, the id of the webhook, and when.
#[derive(Default)]
pub(crate) struct Log {
    shards: [Mutex<HashMap<String, Vec<Arrival>>>; 16],
    /// Set once every receiver is to answer 200, whatever its path.
    pub(crate) is_healed: AtomicBool,
}

/// One request that arrived.
#[derive(Clone)]
pub(crate) struct Arrival {
    pub(crate) path: String,
    pub(crate) at: Instant,
    pub(crate) is_signed: bool,
}

impl Log {
    fn add(&self, id: &str, arrival: Arrival) {
        self.shards[shard(id)].lock().expect("a log").entry(id.to_owned()).or_default().push(arrival);
    }

    /// The arrivals of one webhook.
    pub(crate) fn of(&self, id: &str) -> Vec<Arrival> {
        self.shards[shard(id)].lock().expect("a log").get(id).cloned().unwrap_or_default()
    }

    /// How many webhooks arrived at all.
    #[allow(dead_code, reason = "the tests ask")]
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().expect("a log").len()).sum()
    }

    /// Runs something over everything that arrived.
    pub(crate) fn each(&self, mut run: impl FnMut(&str, &[Arrival])) {
        for shard in &self.shards {
            shard.lock().expect("a log").iter().for_each(|(id, arrivals)| run(id, arrivals));
        }
    }
}

fn shard(id: &str) -> usize {
    id.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte))) % 16
}

/// Starts a receiver on a free port.
pub(crate) fn start(log: &Arc<Log>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let log = Arc::clone(log);
    let serve = move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&log);
            let name = std::thread::Builder::new().stack_size(128 * 1024);
            let _ = name.spawn(move || connection(stream, &log));
        }
    };
    std::thread::spawn(serve);
    port
}

fn connection(stream: TcpStream, log: &Log) {
    let Ok(whole) = stream.try_clone() else { return };
    let mut wire = Wire::new(stream);
    while let Some(message) = wire.read() {
        let path = message.second().to_owned();
        let id = message.header("webhook-id").unwrap_or_default().to_owned();
        let signature = message.header("webhook-signature").unwrap_or_default();
        let is_signed = signature.starts_with("v1,") && message.header("webhook-timestamp").is_some();
        log.add(&id, Arrival { path: path.clone(), at: Instant::now(), is_signed });
        let behaviour = match log.is_healed.load(Ordering::Relaxed) {
            true => "ok",
            false => path.split('/').nth(1).unwrap_or_default(),
        };
        let answer = match behaviour {
            "ok" => "200 OK\r\ncontent-length: 0\r\n\r\n",
            "late" => {
                std::thread::sleep(Duration::from_millis(300));
                "200 OK\r\ncontent-length: 0\r\n\r\n"
            }
            "gone" => "410 Gone\r\ncontent-length: 0\r\n\r\n",
            "busy" => "429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n",
            "redirect" => "302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
            // Nothing is answered until the sender gives up.
            "hang" => {
                std::thread::sleep(Duration::from_secs(20));
                return;
            }
            // The head comes at once, the body never ends.
            "slow" => {
                let _ = wire.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
                for _ in 0..40 {
                    std::thread::sleep(Duration::from_millis(500));
                    if wire.write(b".").is_none() {
                        return;
                    }
                }
                return;
            }
            "reset" => {
                let _ = whole.shutdown(Shutdown::Both);
                return;
            }
            _ => "500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
        };
        if wire.write(format!("HTTP/1.1 {answer}").as_bytes()).is_none() {
            return;
        }
    }
}
