//! Names → addresses, through a trait, so that tests script the answers.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

/// The addresses of a name, later.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves names.
pub trait Resolver: Send + Sync + 'static {
    /// The addresses of a name, which is in ASCII and lower case.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// How many lookups run at once. Each blocks a thread for as long as the name servers of a stranger take.
const MAX_LOOKUPS: usize = 64;

/// How many of them may be for one domain, so that slow name servers of one do not stop the lookups of all others.
const MAX_LOOKUPS_OF_A_DOMAIN: usize = 8;

/// The resolver of the operating system.
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
    by_domain: Arc<Mutex<HashMap<String, usize>>>,
}

impl Default for SystemResolver {
    fn default() -> SystemResolver {
        SystemResolver { lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)), by_domain: Arc::default() }
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let counted = Counted::new(&self.by_domain, name)?;
            let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(io::Error::other)?;
            let name = name.to_owned();
            // A lookup cannot be cancelled: its caller may be gone, but the thread is busy, and counted, until it ends.
            let lookup = tokio::task::spawn_blocking(move || {
                let _held = (permit, counted);
                (name.as_str(), 0).to_socket_addrs().map(|found| found.map(|each| each.ip()).collect())
            });
            lookup.await.map_err(io::Error::other)?
        })
    }
}

/// A lookup that counts for its domain until it ends.
struct Counted {
    domain: String,
    by_domain: Arc<Mutex<HashMap<String, usize>>>,
}

impl Counted {
    fn new(by_domain: &Arc<Mutex<HashMap<String, usize>>>, name: &str) -> io::Result<Counted> {
        let domain = domain(name);
        let mut counts = by_domain.lock();
        let count = counts.entry(domain.clone()).or_default();
        if *count >= MAX_LOOKUPS_OF_A_DOMAIN {
            return Err(io::Error::other("too many lookups of this domain are under way"));
        }
        *count += 1;
        Ok(Counted { domain, by_domain: Arc::clone(by_domain) })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.by_domain.lock();
        if let Some(count) = counts.get_mut(&self.domain) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.domain);
            }
        }
    }
}

/// The last two labels of a name, below which one owner can make as many names as it likes; three where the last two are as short as in `co.uk`, which has many
/// owners.
fn domain(name: &str) -> String {
    let mut labels = name.rsplit('.');
    let (last, second) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let is_shared = last.len() == 2 && second.len() <= 3;
    let third = labels.next().filter(|_| is_shared).unwrap_or_default();
    [third, second, last].iter().filter(|label| !label.is_empty()).copied().collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_to_the_domain_of_their_owner() {
        for (name, expected) in [
            ("localhost", "localhost"),
            ("example.com", "example.com"),
            ("a.b.example.com", "example.com"),
            ("a.example.co.uk", "example.co.uk"),
            ("example.co.uk", "example.co.uk"),
            ("co.uk", "co.uk"),
            ("a.b.example.de", "example.de"),
        ] {
            assert_eq!(domain(name), expected);
        }
    }

    /// A stranger's name servers that never answer must not use up the lookups of everybody.
    #[tokio::test]
    async fn one_domain_cannot_use_up_all_lookups() {
        let resolver = SystemResolver::default();
        let names: Vec<String> =
            (0..MAX_LOOKUPS_OF_A_DOMAIN).map(|number| format!("a{number}.slow.example")).collect();
        let held: Vec<Counted> =
            names.iter().map(|name| Counted::new(&resolver.by_domain, name).expect("counted")).collect();
        assert!(resolver.resolve("b.slow.example").await.is_err());
        assert!(Counted::new(&resolver.by_domain, "b.slow.example").is_err());
        assert!(Counted::new(&resolver.by_domain, "b.other.example").is_ok());
        let found = resolver.resolve("localhost").await.expect("addresses");
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
        drop(held);
        assert!(Counted::new(&resolver.by_domain, "b.slow.example").is_ok());
        assert!(resolver.by_domain.lock().is_empty());
    }
}
