//! Migrations carried out in memory, compared with an oracle that is code of its own.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

mod crash;
mod oracle;
mod slice;
mod support;
mod verify;
mod writers;
