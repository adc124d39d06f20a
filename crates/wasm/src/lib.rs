//! The core for hosts of other languages: bytes in, bytes out.
//!
//! [`Host`] is the protocol, and runs natively as well; [`abi`] is its door on WebAssembly. A host opens a compiled program,
//! starts calls, and repeats: step, send what is asked, answer. `docs/design/wasm.md` describes every message.

#[cfg(target_arch = "wasm32")]
pub mod abi;
mod answers;
mod asks;
mod calling;
mod changes;
mod host;
mod opening;
mod turns;

pub use asks::write_ask;
pub use calling::{StartedCall, failed};
pub use changes::change;
pub use host::Host;
pub use opening::hex;
