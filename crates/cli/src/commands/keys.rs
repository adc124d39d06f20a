//! `sortkey keys`: who may call a design that other machines can reach.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Map, Value as Json};
use sortkey_gateway::{ApiKeys, Holder};

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Make, list and revoke API keys
///
/// A key is shown once, when it is made; the file keeps its hash. A server that was started with `up --api-keys FILE`
/// notices changes of the file by itself.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey keys create ada --caller '{\"userId\":\"ada\"}' --file keys.json
  sortkey keys create operator --admin --file keys.json
  sortkey keys revoke ada --file keys.json")]
pub(super) struct Keys {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Make a key and print it
    Create {
        /// A name for the key, to list and to revoke it by
        name: String,

        /// The caller that the key is bound to, as JSON: '{"userId": "usr_1"}'
        #[arg(long, value_name = "JSON", required_unless_present = "admin", conflicts_with = "admin")]
        caller: Option<String>,

        /// A key that may name any caller, and call what the design declares as `system`
        #[arg(long)]
        admin: bool,

        #[command(flatten)]
        file: KeysFile,
    },
    /// List the keys and who holds them
    List {
        #[command(flatten)]
        file: KeysFile,
    },
    /// Take a key out
    Revoke {
        /// Its name
        name: String,

        #[command(flatten)]
        file: KeysFile,
    },
}

#[derive(Args, Debug)]
struct KeysFile {
    /// The file that keeps the hashes of the keys
    #[arg(long = "file", default_value = "api-keys.json", value_name = "FILE")]
    path: PathBuf,
}

impl Run for Keys {
    const NAME: &'static str = "keys";

    fn run(self) -> Result<(), Failure> {
        match self.act {
            Act::Create { name, caller, admin: _, file } => {
                let holder = caller.map_or(Ok(Holder::Admin), |caller| bound(&caller))?;
                let key = ApiKeys::create(&file.path, &name, holder).map_err(Failure::new)?;
                designs::say(&format!("{}\n", key.secret));
            }
            Act::List { file } if !file.path.exists() => {
                return Err(Failure::new(format_args!(
                    "there is no file of API keys {}",
                    file.path.display()
                ))
                .hint("name it with --file, or make it: sortkey keys create NAME --admin"));
            }
            Act::List { file } => {
                for (name, holder) in ApiKeys::list(&file.path).map_err(Failure::new)? {
                    let holder = match holder {
                        Holder::Admin => "an administrator".to_owned(),
                        Holder::Caller(caller) => Json::Object(caller).to_string(),
                    };
                    designs::say(&format!("{name}: {holder}\n"));
                }
            }
            Act::Revoke { name, file } => ApiKeys::revoke(&file.path, &name).map_err(Failure::new)?,
        }
        Ok(())
    }
}

fn bound(text: &str) -> Result<Holder, Failure> {
    let caller: Map<String, Json> = serde_json::from_str(text).map_err(|error| {
        Failure::new(format_args!("--caller {text:?} is not a JSON object: {error}"))
            .hint(r#"write it like '{"userId": "usr_1"}'"#)
    })?;
    Ok(Holder::Caller(caller))
}
