//! All tests of this folder in one program: linking each by itself takes longer than running it. A new file is named here.

mod access_paths;
mod bill;
mod key_conditions;
mod operation_plans;
mod shown;
mod systems;
mod wire;
