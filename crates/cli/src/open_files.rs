//! The limit of open files, which is the limit of connections.

/// Raises the limit as far as the system lets us, and returns what it is. Systems start programs with a low
/// one for the sake of programs that cannot count beyond it.
#[cfg(unix)]
pub(crate) fn raise() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Some systems refuse what they claim to allow; the lower limit serves as well.
    let current = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    current.unwrap_or(u64::MAX)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn raise() -> u64 {
    u64::MAX
}
