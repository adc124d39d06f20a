//! The exports of the WebAssembly module: like those of the core, with one function.

#![allow(
    unsafe_code,
    reason = "an export needs the attribute `no_mangle`, which is unsafe; nothing else here is"
)]

use std::cell::RefCell;

use crate::answered;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = RefCell::default();
    static OUTPUT: RefCell<Vec<u8>> = RefCell::default();
}

/// The buffer for a message of some bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: u32) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length as usize, 0);
        input.as_mut_ptr()
    })
}

/// The buffer of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> u32 {
    OUTPUT.with_borrow(|output| output.len() as u32)
}

/// Answers the message of the input: 0, or -1 with the reason as text.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> i32 {
    let input = INPUT.take();
    let (result, output) = match answered(&input) {
        Ok(answer) => (0, answer),
        Err(reason) => (-1, reason.into_bytes()),
    };
    OUTPUT.set(output);
    result
}
