//! `sortkey explain`: the long text of a rule.

use clap::Args;
use sortkey_design::nearest;
use sortkey_lints::{explain, lints};

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Explain a rule: what it notices, why it matters, and what to do instead
///
/// Without a rule, lists all of them.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey explain ttl-attribute-not-number
  sortkey explain SK5001")]
pub(super) struct Explain {
    /// The name or the code of a rule
    rule: Option<String>,
}

impl Run for Explain {
    const NAME: &'static str = "explain";

    fn run(self) -> Result<(), Failure> {
        let Some(rule) = self.rule else {
            let lines =
                lints().map(|lint| format!("{}  {:<8} {}\n", lint.code, lint.level.as_str(), lint.name));
            designs::say(&lines.collect::<String>());
            return Ok(());
        };
        let explanation = explain(&rule).ok_or_else(|| {
            let failure = Failure::new(format_args!("there is no rule {rule:?}"));
            match nearest(&rule, lints().map(|lint| lint.name)) {
                Some(near) => failure.hint(format_args!("did you mean `sortkey explain {near}`?")),
                None => failure.hint("`sortkey explain` lists all rules"),
            }
        })?;
        designs::say(&format!("{}\n\n{}\n", explanation.heading, explanation.text));
        Ok(())
    }
}
