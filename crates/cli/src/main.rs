//! The binary `sortkey`: finds the command, runs it, and reports its error.
//!
//! Everything it can do is a library elsewhere; a command joins libraries and prints for people.

mod audit;
mod commands;
mod data_key;
mod designs;
mod effects;
mod export_keys;
mod failure;
mod http;
mod imitate;
mod keep;
mod keyring;
mod kms;
mod listen;
mod open_files;
mod parent;
mod pause;
mod progress;
mod protect;
mod sealed_key;
mod secret_file;
mod shutdown;
mod stages;
mod tls;

use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = commands::parse();
    match commands::run(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}
