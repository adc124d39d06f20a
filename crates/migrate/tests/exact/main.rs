//! Migrations carried out in memory, compared with an oracle that is code of its own.

#![expect(clippy::print_stderr, reason = "the rate of a copy is for whoever asks for more items")]
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

mod callers;
mod captured;
mod crash;
mod desk;
mod documents;
mod elsewhere;
mod fill;
mod full_disk;
mod inputs;
mod load;
mod oracle;
mod outcome;
mod readers;
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
mod work;
mod writers;
