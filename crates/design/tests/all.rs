//! All tests of this folder in one program: linking each by itself takes longer than running it. A new file is named here.

mod coherence;
mod deployed_names;
mod heeded;
mod live;
mod migrations;
mod refused;
mod schema;
mod signatures;
mod systems;
mod traceability;
mod types;
