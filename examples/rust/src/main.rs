//! A program with a design inside: the design is compiled at startup, its tables are in memory, and the program calls patterns
//! and operations by name, with JSON in the design's own types.
//!
//! The crate `sortkey` offers the database only, so this program joins the compiler, the engine and the runtime itself. Their
//! interfaces may change before version 1.0.
// A program for people at a terminal.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sortkey_core::{Answer, Call, Caller, Failure, Pending, Runtime};
use sortkey_deploy::deploy;
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = open("notes.sk", include_str!("notes.sk"))?;
    let ada = runtime.caller(object(json!({ "userId": "ada" })))?;
    call(&runtime, &ada, "write", json!({ "words": "remember the milk" }))?;
    call(&runtime, &ada, "write", json!({ "words": "call Bob" }))?;
    if let Answer::Page { items, .. } = call(&runtime, &ada, "notes", json!({ "userId": "ada" }))? {
        for item in items {
            println!("{}", item["words"].as_str().unwrap_or_default());
        }
    }
    // A wrong argument is a failure that names the field.
    if let Err(failure) = call(&runtime, &ada, "write", json!({ "words": "" })) {
        println!("{failure}");
    }
    Ok(())
}

/// Compiles a design, creates its tables in memory and prepares its calls.
fn open(name: &str, text: &str) -> Result<Runtime, Box<dyn Error>> {
    let compiled = compile(name, text, &FileLoader);
    let settings = ephemeral().map_err(|error| error.0)?;
    let backend = Embedded::new(Engine::memory(sortkey_engine::Settings::default()));
    // The tables of an engine in memory are there at once, so there is nothing to wait for.
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    let deployed =
        pollster::block_on(deploy(&compiled.design, &settings.naming(), &backend, &pause, &mut |_| {}));
    deployed.map_err(|error| format!("{name} cannot be deployed: {error:?}"))?;
    Runtime::new(compiled.design, Arc::new(backend), settings)
        .map_err(|problems| format!("{name} cannot run: {problems:?}").into())
}

fn call(runtime: &Runtime, caller: &Caller, name: &str, arguments: Value) -> Result<Answer, Failure> {
    let arguments = object(arguments).try_into()?;
    pollster::block_on(runtime.call(Call { name, caller: Some(caller), arguments, ..Call::default() }))
}

fn object(json: Value) -> Map<String, Value> {
    json.as_object().cloned().unwrap_or_default()
}
