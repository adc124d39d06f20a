//! The subcommands: one file each, of one shape, registered by one line in [`COMMANDS`].

mod audit;
mod auth;
mod backup;
mod call;
mod check;
mod completions;
mod decrypt;
mod diff;
mod drift;
mod explain;
mod fmt;
mod generate;
mod import;
mod init;
mod keyring;
mod keys;
mod lsp;
mod migrate;
mod plan;
mod restore;
mod serve;
mod test;
mod up;
mod verify;

use std::ffi::OsStr;

use clap::{ArgMatches, Args};

use crate::failure::Failure;

/// Every subcommand, in the order of the help.
static COMMANDS: &[Command] = &[
    Command::of::<init::Init>(),
    Command::of::<check::Check>(),
    Command::of::<fmt::Fmt>(),
    Command::of::<plan::Plan>(),
    Command::of::<diff::Diff>(),
    Command::of::<test::Test>(),
    Command::of::<explain::Explain>(),
    Command::of::<import::Import>(),
    Command::of::<lsp::Lsp>(),
    Command::of::<up::Up>(),
    Command::of::<migrate::Migrate>(),
    Command::of::<up::WorkCommand>(),
    Command::of::<generate::Generate>(),
    Command::of::<drift::DriftCommand>(),
    Command::of::<call::CallCommand>(),
    Command::of::<keys::Keys>(),
    Command::of::<auth::Auth>(),
    Command::of::<keyring::KeyringCommand>(),
    Command::of::<audit::AuditCommand>(),
    Command::of::<serve::Serve>(),
    Command::of::<backup::Backup>(),
    Command::of::<restore::Restore>(),
    Command::of::<verify::Verify>(),
    Command::of::<decrypt::Decrypt>(),
    Command::of::<completions::Completions>(),
];

/// A subcommand: its arguments, which clap reads, and what it does with them. The doc comment of the type is
/// the help text.
trait Run: Args {
    /// The word on the command line.
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
            // Tests parse command lines and run none. Without this, they would contain every command, and compile as long as the
            // binary does.
            run: if cfg!(test) {
                |_| Err(Failure::new("tests run no command"))
            } else {
                |matches| C::from_arg_matches(matches).map_err(Failure::new)?.run()
            },
        }
    }
}

/// The whole command line.
pub(crate) fn command_line() -> clap::Command {
    with(COMMANDS)
}

/// Parses the arguments of this process. If they begin with the name of a subcommand, only that one is built: a server would
/// keep the memory of all others, and start later.
pub(crate) fn parse() -> ArgMatches {
    let first = std::env::args_os().nth(1);
    let asked = COMMANDS.iter().find(|command| first.as_deref() == Some(OsStr::new(command.name)));
    with(asked.map_or(COMMANDS, std::slice::from_ref)).get_matches()
}

fn with(commands: &[Command]) -> clap::Command {
    let subcommands = commands.iter().map(|command| (command.arguments)(clap::Command::new(command.name)));
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

    #[test]
    fn every_command_shows_an_example_that_parses() {
        for command in command_line().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let call = format!("sortkey {}", command.get_name());
            let examples: Vec<&str> = help.lines().filter(|line| line.trim().starts_with(&call)).collect();
            assert!(!examples.is_empty(), "`sortkey {} --help` has no example:\n{help}", command.get_name());
            for example in examples {
                let parsed = command_line().try_get_matches_from(words(example));
                assert!(
                    parsed.is_ok(),
                    "{example}\n{}",
                    parsed.err().map(|why| why.to_string()).unwrap_or_default()
                );
            }
        }
    }

    /// Commands that only transcripts run were checked; those of other pages could name flags that are not there.
    #[test]
    fn commands_in_the_documents_parse() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut pages = vec![root.join("README.md"), root.join("examples/README.md")];
        for folder in ["docs", "docs/guide", "docs/lints"] {
            let files = std::fs::read_dir(root.join(folder)).expect(folder);
            pages.extend(files.map(|file| file.expect("a file").path()));
        }
        let mut count = 0;
        for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
            let text = std::fs::read_to_string(page).expect("a page");
            for line in commands(&text) {
                count += 1;
                let parsed = command_line().try_get_matches_from(words(&line));
                let shown = parsed.as_ref().err().filter(|why| why.use_stderr()).map(ToString::to_string);
                assert_eq!(shown, None, "{}\n{line}", page.display());
            }
        }
        assert!(count > 80, "{count} commands");
    }

    /// The calls of `sortkey` in the shell blocks of a page, one in a line.
    fn commands(page: &str) -> Vec<String> {
        let mut calls = Vec::new();
        for (at, block) in page.split("```").enumerate() {
            let (language, text) = block.split_once('\n').unwrap_or((block, ""));
            if at % 2 == 0 || !["sh", "console"].contains(&language.trim()) {
                continue;
            }
            let joined = text.replace("\\\n", " ");
            let mut lines = joined.lines();
            while let Some(line) = lines.next() {
                // Lines of a transcript without a prompt are output.
                let command = if language == "console" { line.strip_prefix("$ ") } else { Some(line) };
                let Some(mut command) = command.map(str::to_owned) else { continue };
                while command.matches('\'').count() % 2 == 1
                    && let Some(more) = lines.next()
                {
                    command.push_str(more);
                }
                let parts = command.replace("&&", "|").replace("$(", "|").replace(") ", "|");
                let parts = parts.split(['|', ';']).map(str::trim);
                calls.extend(parts.filter(|part| part.starts_with("sortkey ")).map(str::to_owned));
            }
        }
        calls
    }

    /// Splits a line the way a shell does, up to a comment or a redirection.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for letter in line.chars().chain([' ']) {
            match (quote, letter) {
                (Some(open), letter) if letter == open => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                (None, '#' | '>' | '&') if word.is_none() => break,
                (None, ' ') => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words
    }
}
