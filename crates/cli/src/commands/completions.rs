//! `sortkey completions`: what a shell needs to complete commands and options.

use clap::Args;
use clap_complete::Shell;

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Print the completions of a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey completions bash > ~/.local/share/bash-completion/completions/sortkey
  sortkey completions zsh > ~/.zfunc/_sortkey    # with ~/.zfunc in $fpath
  sortkey completions fish > ~/.config/fish/completions/sortkey.fish")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Run for Completions {
    const NAME: &'static str = "completions";

    fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command_line(), "sortkey", &mut script);
        designs::say(&String::from_utf8_lossy(&script));
        Ok(())
    }
}
