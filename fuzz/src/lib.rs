//! The fuzzed functions, apart from the fuzzers: `cargo fuzz` calls the [`targets`] with inputs that it evolves, and [`smoke`] with
//! mutations of the seeds, on any toolchain, for as long as a test may take.
//!
//! A target takes any bytes at all. It must not panic, hang or exhaust memory, and where there is a law, such as that a
//! text printed from a tree is read as that tree, it asserts it.

mod context;
mod mutate;
pub mod smoke;
pub mod targets;
