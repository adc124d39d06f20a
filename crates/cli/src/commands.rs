//! The subcommands: one file each, of one shape, registered by one line in [`COMMANDS`].

mod backup;
mod call;
mod check;
mod explain;
mod fmt;
mod import;
mod keys;
mod lsp;
mod plan;
mod restore;
mod serve;
mod test;
mod up;
mod verify;

use clap::{ArgMatches, Args};

use crate::failure::Failure;

/// Every subcommand, in the order of the help.
static COMMANDS: &[Command] = &[
    Command::of::<check::Check>(),
    Command::of::<fmt::Fmt>(),
    Command::of::<plan::Plan>(),
    Command::of::<test::Test>(),
    Command::of::<explain::Explain>(),
    Command::of::<import::Import>(),
    Command::of::<lsp::Lsp>(),
    Command::of::<up::Up>(),
    Command::of::<call::CallCommand>(),
    Command::of::<keys::Keys>(),
    Command::of::<serve::Serve>(),
    Command::of::<backup::Backup>(),
    Command::of::<restore::Restore>(),
    Command::of::<verify::Verify>(),
];

/// A subcommand: its arguments, which clap reads, and what it does with them. The doc comment of the type is
/// the help text.
trait Run: Args {
    /// What to type.
    const NAME: &'static str;

    /// Does it.
    fn run(self) -> Result<(), Failure>;
}

/// An entry of the list.
struct Command {
    name: &'static str,
    arguments: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches) -> Result<(), Failure>,
}

impl Command {
    const fn of<C: Run>() -> Command {
        Command {
            name: C::NAME,
            arguments: C::augment_args,
            run: |matches| C::from_arg_matches(matches).map_err(Failure::new)?.run(),
        }
    }
}

/// The command line that clap parses.
pub(crate) fn command_line() -> clap::Command {
    let subcommands = COMMANDS.iter().map(|command| (command.arguments)(clap::Command::new(command.name)));
    clap::Command::new("sortkey")
        .version(env!("CARGO_PKG_VERSION"))
        .about("DynamoDB designs checked like programs, and a DynamoDB on your machine to run them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands)
}

/// Runs the command that was asked for.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let asked = matches.subcommand();
    let found = asked.and_then(|(name, matches)| {
        COMMANDS.iter().find(|command| command.name == name).map(|command| (command, matches))
    });
    let (command, matches) = found.ok_or_else(|| Failure::new("no such command"))?;
    (command.run)(matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command_line().debug_assert();
    }
}
