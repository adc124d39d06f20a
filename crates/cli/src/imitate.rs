//! How closely the server imitates AWS where most programs prefer something simpler.

use std::time::Duration;

use clap::{Args, ValueEnum};
use sortkey_api::Wording;

#[derive(Args, Debug)]
pub(crate) struct Imitate {
    /// The wording of errors: AWS is changing some of them, region by region
    #[arg(long, value_name = "WORDING", value_enum, default_value_t = Words::Classic)]
    wording: Words,

    /// How many shards a new stream has; AWS starts with one, and more for busy tables
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    stream_shards: u16,

    /// After how many seconds the shards of a stream are closed and split into children, as AWS does after a few hours
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(10..))]
    shard_lifetime: Option<u64>,

    /// For how many seconds a new table is CREATING and cannot be used
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    creation_delay: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Words {
    /// The wording of all regions until 2026
    Classic,
    /// The wording of the regions that have changed it
    Current,
}

impl Imitate {
    /// The settings of an engine with what was asked for.
    pub(crate) fn apply(&self, settings: sortkey_engine::Settings) -> sortkey_engine::Settings {
        sortkey_engine::Settings {
            wording: match self.wording {
                Words::Classic => Wording::Classic,
                Words::Current => Wording::Current,
            },
            stream_shards: self.stream_shards,
            shard_lifetime: self.shard_lifetime.map(Duration::from_secs),
            creation_delay: Duration::from_secs(self.creation_delay),
            ..settings
        }
    }
}
