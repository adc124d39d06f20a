//! All tests of this folder in one program: linking each by itself takes longer than running it. A new file is named here.

mod any_design;
mod corrections;
mod docs;
mod examples;
mod mutants;
mod possible;
mod repairs;
mod systems;
mod variants;
