//! Migrations carried out in memory, compared with an oracle that is code of its own.

#![expect(clippy::print_stderr, reason = "the rate of a copy is for whoever asks for more items")]
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

mod captured;
mod crash;
mod documents;
mod elsewhere;
mod inputs;
mod oracle;
mod refused;
mod same_table;
mod samples;
mod sellers;
mod shadow;
mod slice;
mod support;
mod torture;
mod vanishing;
mod verify;
mod whole;
mod withdraw;
mod writers;
