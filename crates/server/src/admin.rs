//! Administration over HTTP: what a test in any language needs to steer the database it runs against.
//!
//! [`Admin`] is what an engine offers, in plain types; `routes` is its HTTP form under `/_sortkey`. Every
//! act concerns the main database, or the fork that the `x-sortkey-fork` header names.

mod routes;
mod types;

pub use self::routes::admin_mount;
pub use self::types::{
    AdminError, Clock, ClockChange, Expired, Fault, Fork, NewFork, Recorded, Tuning, TuningChange, Verified,
};

use crate::backend::ForkName;

/// The bytes of a backup, piece by piece.
pub type Backup = Box<dyn Iterator<Item = std::io::Result<Vec<u8>>> + Send>;

/// A database that can be steered. Methods may block: the server calls them off its own threads.
pub trait Admin: Send + Sync + 'static {
    /// The current time of the database.
    fn clock(&self, fork: Option<&ForkName>) -> Result<Clock, AdminError>;

    /// Moves or stops the clock.
    fn change_clock(&self, fork: Option<&ForkName>, change: ClockChange) -> Result<Clock, AdminError>;

    /// Lets the clock follow the machine's again.
    fn release_clock(&self, fork: Option<&ForkName>) -> Result<Clock, AdminError>;

    /// Deletes every item whose time to live has passed, now, as the background job would.
    fn expire(&self, fork: Option<&ForkName>) -> Result<Expired, AdminError>;

    /// Removes every table, stream, backup and token, and puts clock, faults and tuning back to how they began.
    fn reset(&self, fork: Option<&ForkName>) -> Result<(), AdminError>;

    /// The forks that exist, by name; the main database is not among them.
    fn forks(&self) -> Result<Vec<Fork>, AdminError>;

    /// Makes a copy of the database under a new name.
    fn create_fork(&self, fork: NewFork) -> Result<Fork, AdminError>;
    /// The requests of a fork that is recorded, in the order in which they came.
    fn requests(&self, fork: Option<&ForkName>) -> Result<Vec<Recorded>, AdminError>;

    /// Forgets a fork.
    fn delete_fork(&self, name: &ForkName) -> Result<(), AdminError>;

    /// The faults that are still to come.
    fn faults(&self, fork: Option<&ForkName>) -> Result<Vec<Fault>, AdminError>;

    /// Makes coming requests fail.
    fn add_fault(&self, fork: Option<&ForkName>, fault: Fault) -> Result<(), AdminError>;

    /// Forgets the faults that are still to come.
    fn clear_faults(&self, fork: Option<&ForkName>) -> Result<(), AdminError>;

    /// Everything in it, as the bytes of a backup. It goes on working while they are sent.
    fn backup(&self, fork: Option<&ForkName>) -> Result<Backup, AdminError>;

    /// Looks whether everything in it fits together. It goes on working meanwhile.
    fn verify(&self, fork: Option<&ForkName>) -> Result<Verified, AdminError>;

    /// How the database deviates from an ideal one.
    fn tuning(&self, fork: Option<&ForkName>) -> Result<Tuning, AdminError>;

    /// Changes how it deviates.
    fn change_tuning(&self, fork: Option<&ForkName>, change: TuningChange) -> Result<Tuning, AdminError>;
}
