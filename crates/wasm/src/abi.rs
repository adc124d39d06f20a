//! The exports of the WebAssembly module.
//!
//! Messages go through two buffers of the module: the host asks for `input(length)`, writes there, and calls a function;
//! the answer of the function is at `output()`, `output_length()` bytes long, until the next call. Functions return a
//! number that is not negative, or -1 with the reason at `output()`. WebAssembly has one thread,
//! so the module has one state.

#![allow(
    unsafe_code,
    reason = "an export needs the attribute `no_mangle`, which is unsafe; nothing else here is"
)]

use std::cell::RefCell;

use crate::Host;
use crate::calling::failed;

#[derive(Default)]
struct State {
    host: Host,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(run: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(run)
}

/// A number that was asked for, or -1 with a reason.
fn numbered(state: &mut State, result: Result<u32, String>) -> i32 {
    state.output.clear();
    match result.and_then(|number| i32::try_from(number).map_err(|_| "too many calls".to_owned())) {
        Ok(number) => number,
        Err(reason) => {
            state.output = reason.into_bytes();
            -1
        }
    }
}

/// The buffer for a message of some bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: u32) -> *mut u8 {
    with(|state| {
        state.input.clear();
        state.input.resize(length as usize, 0);
        state.input.as_mut_ptr()
    })
}

/// The buffer of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with(|state| state.output.as_ptr())
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> u32 {
    with(|state| state.output.len() as u32)
}

/// Opens the program of the input, and returns its number.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> i32 {
    with(|state| {
        let input = std::mem::take(&mut state.input);
        let opened = state.host.open(&input);
        numbered(state, opened)
    })
}

/// Starts the call of the input, and returns the number of its task. The reason for -1 is a failure as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn start() -> i32 {
    with(|state| {
        let input = std::mem::take(&mut state.input);
        let started = state.host.start(&input).map_err(|failure| failed(&failure).to_string());
        numbered(state, started)
    })
}

/// Reads the stream record of the input: 0 with the change at the output, -1 with a failure as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn change() -> i32 {
    with(|state| {
        let input = std::mem::take(&mut state.input);
        let (result, output) = match state.host.change(&input) {
            Ok(change) => (0, change),
            Err(failure) => (-1, failed(&failure)),
        };
        state.output = output.to_string().into_bytes();
        result
    })
}

/// Runs a task: 0 if it waits, 1 if it is over, -1 without such a task. The output holds its requests or its result.
#[unsafe(no_mangle)]
pub extern "C" fn step(task: u32) -> i32 {
    with(|state| {
        state.output.clear();
        state.host.step(task, &mut state.output).map_or(-1, i32::from)
    })
}

/// Answers an ask of a task with a status and the bytes of the input: 1, or 0 if it was not asked.
#[unsafe(no_mangle)]
pub extern "C" fn answer(task: u32, ask: u32, status: u32) -> i32 {
    with(|state| {
        let input = std::mem::take(&mut state.input);
        let status = u16::try_from(status).unwrap_or(0);
        i32::from(state.host.answer(task, ask, status, &input))
    })
}

/// Gives a task up: 1, or 0 without such a task.
#[unsafe(no_mangle)]
pub extern "C" fn cancel(task: u32) -> i32 {
    with(|state| i32::from(state.host.cancel(task)))
}
