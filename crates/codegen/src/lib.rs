//! Generates infrastructure (CloudFormation, Terraform and CDK) and typed clients from a design,
//! and reports the drift of a deployment.
//!
//! A design and a stage of `deploy.toml` make one [`model::Deployment`]; every generator is a pure function that prints
//! it. Nothing that is generated deletes a table.

mod alarms;
mod build;
mod cdk;
pub mod client;
mod cloudformation;
mod deployed;
mod drift;
mod files;
mod header;
pub mod model;
mod node;
mod problem;
mod scaling;
pub mod settings;
mod terraform;
mod waves;

pub use build::{BuildError, build};
pub use cdk::cdk;
pub use cloudformation::{Format, cloudformation};
pub use deployed::{Deployed, Found, LiveError, inspect};
pub use drift::{Difference, Drift, drift, drift_json, drift_sarif, drift_text};
pub use files::{File, difference, is_generated};
pub use problem::Problem;
pub use settings::Stage;
pub use terraform::{TERRAFORM_FILE, TerraformOptions, terraform};
pub use waves::{WaveOptions, wave_files, waves};
