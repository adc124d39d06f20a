//! A program with a design inside: the design is compiled at startup, its tables are in memory, and the program calls patterns
//! and operations by name, with JSON in the design's own types.
//!
//! `Database::open("data")` in place of `Database::memory()` keeps the items in a directory.
// A program for people at a terminal.
#![allow(clippy::print_stdout)]

use std::error::Error;

use serde_json::json;
use sortkey::{Database, Design};

fn main() -> Result<(), Box<dyn Error>> {
    let notes = Design::from_text(include_str!("notes.sk"))?.on(&Database::memory())?;
    let ada = notes.caller(json!({ "userId": "ada" }))?;
    notes.call("write", Some(&ada), json!({ "words": "remember the milk" })).wait()?;
    notes.call("write", Some(&ada), json!({ "words": "call Bob" })).wait()?;
    for item in notes.call("notes", Some(&ada), json!({ "userId": "ada" })).wait()?.items() {
        println!("{}", item["words"].as_str().unwrap_or_default());
    }
    // A wrong argument is a failure that names the field.
    if let Err(failure) = notes.call("write", Some(&ada), json!({ "words": "" })).wait() {
        println!("{failure}");
    }
    Ok(())
}
