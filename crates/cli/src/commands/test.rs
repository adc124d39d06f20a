//! `sortkey test`: the promises of a design, tried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sortkey_core::Problem;
use sortkey_design::{Compilation, Design, FileLoader, compile};
use sortkey_diagnostics::{Diagnostic, FileId, Severity, render};
use sortkey_remote::{Remote, Settings};
use sortkey_testing::recording::{Difference, Recording, Step, replay};
use sortkey_testing::{Outcome, Suite, Survey, survey};

use super::Run;
use crate::designs;
use crate::failure::Failure;
use crate::secret_file;
use crate::tls::Trust;

/// Run the tests of designs
///
/// Each test has a database of its own, in memory, with a clock that moves only by `advance`. Outside `as` it runs
/// as `system`. A failure is shown at its place in the design.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey test
  sortkey test links.sk --filter \"one link\"
  sortkey test links.sk --mutate    # find out what no test covers
  sortkey test links.sk --record calls.jsonl    # what clients of every language can replay")]
pub(super) struct Test {
    /// Designs, or folders with designs; this folder if none is given
    paths: Vec<PathBuf>,

    /// Run the tests whose sentence contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Give a parameter of the design a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,

    /// Run the tests on the DynamoDB at this address, each on tables of its own that are deleted afterwards
    #[arg(long, value_name = "URL", conflicts_with = "mutate")]
    endpoint: Option<String>,

    #[command(flatten)]
    trust: Trust,

    /// Take out one annotation, condition, guard or transition at a time, and show which of these changes no test notices
    #[arg(long)]
    mutate: bool,

    /// Run a race in the order that a failure printed; names the test with --filter
    #[arg(long, value_name = "CHOICES", value_delimiter = ',', requires = "filter", conflicts_with_all = ["endpoint", "mutate"])]
    order: Option<Vec<usize>>,

    /// Write the calls of the tests to this file, with their requests, answers and items; races in the order of their text
    #[arg(long, value_name = "FILE", conflicts_with_all = ["endpoint", "mutate", "order"])]
    record: Option<PathBuf>,

    /// Make the calls that --record wrote to this file in place of the tests, and show where they differ now
    #[arg(long, value_name = "FILE", conflicts_with_all = ["endpoint", "mutate", "order", "record", "filter"])]
    replay: Option<PathBuf>,
}

impl Run for Test {
    const NAME: &'static str = "test";

    fn run(self) -> Result<(), Failure> {
        let (mut ran, mut failed, mut unnoticed) = (0, 0, 0);
        let files = designs::files(&self.paths)?;
        if let Some(recording) = self.record.as_ref().or(self.replay.as_ref()) {
            let [file] = files.as_slice() else {
                return Err(Failure::new("a recording is of one design: name its file"));
            };
            let compilation = compile(&file.to_string_lossy(), &designs::read(file)?, &FileLoader);
            return match compilation.has_errors() {
                true => Err(broken(file, &compilation)),
                false if self.record.is_some() => self.record(&compilation, recording),
                false => replayed(&compilation, recording),
            };
        }
        for file in files {
            let compilation = compile(&file.to_string_lossy(), &designs::read(&file)?, &FileLoader);
            // A file that was named is judged even if an error took its tests; others without tests are no business of this.
            let is_named = self.paths.contains(&file) && compilation.has_errors();
            if self.chosen(&compilation.design).is_empty() && !is_named {
                continue;
            }
            if compilation.has_errors() {
                return Err(broken(&file, &compilation));
            }
            let tests = self.tests(&compilation)?;
            ran += tests.0;
            failed += tests.1;
            if self.mutate && tests.1 == 0 {
                unnoticed += self.mutants(&compilation);
            }
        }
        if let Some(filter) = self.filter.as_ref().filter(|_| ran == 0) {
            return Err(Failure::new(format_args!("no test has {filter:?} in its title")));
        }
        let plural = if ran == 1 { "" } else { "s" };
        designs::say(&format!("{ran} test{plural}: {} passed, {failed} failed\n", ran - failed));
        match (failed, unnoticed) {
            (0, 0) => Ok(()),
            (0, 1) => Err(Failure::new("1 mutant is noticed by no test")),
            (0, unnoticed) => Err(Failure::new(format_args!("{unnoticed} mutants are noticed by no test"))),
            (failed, _) => Err(Failure::new(format_args!("{failed} of {ran} tests failed"))),
        }
    }
}

impl Test {
    /// The tests of the file itself; those of imported files belong to them.
    fn chosen(&self, design: &Design) -> Vec<usize> {
        let wanted = |title: &str| self.filter.as_ref().is_none_or(|filter| title.contains(filter));
        let tests = design.tests.iter().enumerate();
        let tests = tests.filter(|(_, test)| test.span.file == FileId(0) && wanted(&test.title));
        tests.map(|(at, _)| at).collect()
    }

    /// How many tests ran, and how many failed.
    fn tests(&self, compilation: &Compilation) -> Result<(usize, usize), Failure> {
        let suite = self.suite(Arc::clone(&compilation.design)).map_err(|problems| {
            let what: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            Failure::new(what.join("; "))
        })?;
        let chosen = self.chosen(&compilation.design);
        let mut failed = 0;
        for at in &chosen {
            let outcome = match (&self.endpoint, &self.order) {
                (None, None) => wait(suite.run(*at))?,
                (None, Some(order)) => wait(suite.replay(*at, order))?,
                (Some(endpoint), _) => wait(elsewhere(&suite, *at, endpoint, &self.trust))??,
            };
            match &outcome.failure {
                None => designs::say(&format!("ok    {}\n", outcome.title)),
                Some(failure) => {
                    failed += 1;
                    let shown = render(failure, &compilation.sources, designs::style());
                    designs::say(&format!("FAIL  {}\n{shown}\n", outcome.title));
                }
            }
        }
        Ok((chosen.len(), failed))
    }

    /// Writes what the tests do to a file.
    fn record(&self, compilation: &Compilation, file: &Path) -> Result<(), Failure> {
        let suite = self.suite(Arc::clone(&compilation.design)).map_err(|problems| {
            let what: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            Failure::new(what.join("; "))
        })?;
        let recording = wait(suite.record(&self.chosen(&compilation.design)))?.map_err(Failure::new)?;
        std::fs::write(file, recording.write())
            .map_err(|error| Failure::new(format_args!("{}: {error}", file.display())))?;
        let calls = recording.tests.iter().flat_map(|test| &test.steps);
        let calls = calls.filter(|step| matches!(step, Step::Call(_))).count();
        designs::say(&format!("{} tests with {calls} calls: {}\n", recording.tests.len(), file.display()));
        Ok(())
    }

    /// How many mutants no test notices.
    fn mutants(&self, compilation: &Compilation) -> usize {
        let Survey { count, unnoticed } =
            survey(&compilation.design, &self.chosen(&compilation.design), &self.parameters());
        for mutant in &unnoticed {
            let place = compilation.sources.position(mutant.span);
            let file = compilation.sources.get(mutant.span.file).map_or("", |source| source.name.as_str());
            designs::say(&format!("noticed by no test: {} ({file}:{})\n", mutant.what, place.line));
        }
        designs::say(&format!(
            "{count} mutants: {} noticed, {} not\n",
            count - unnoticed.len(),
            unnoticed.len()
        ));
        unnoticed.len()
    }

    fn parameters(&self) -> BTreeMap<String, String> {
        self.set.iter().cloned().collect()
    }

    fn suite(&self, design: Arc<Design>) -> Result<Suite, Vec<Problem>> {
        match wait(Suite::new(design, self.parameters())) {
            Ok(suite) => suite,
            Err(_) => Err(Vec::new()),
        }
    }
}

/// Makes the calls of a recording, and shows where they differ.
fn replayed(compilation: &Compilation, file: &Path) -> Result<(), Failure> {
    let recording = Recording::read(&designs::read(file)?).map_err(|error| {
        Failure::new(format_args!("{} is not a recording: {error}", file.display()))
            .hint("`sortkey test DESIGN --record FILE` makes one")
    })?;
    let differences = replay(&compilation.program, &recording).map_err(Failure::new)?;
    for each in &differences {
        let Difference { test, what, recorded, found } = each;
        designs::say(&format!("FAIL  {test}\n  {what}\n  recorded: {recorded}\n  now:      {found}\n"));
    }
    let count = recording.tests.len();
    match differences.len() {
        0 => {
            designs::say(&format!("{count} tests replayed\n"));
            Ok(())
        }
        failed => Err(Failure::new(format_args!("{failed} of {count} tests differ from the recording"))),
    }
}

/// Runs a test on tables that nobody else has.
async fn elsewhere(suite: &Suite, at: usize, endpoint: &str, trust: &Trust) -> Result<Outcome, Failure> {
    let settings = Settings { ca: trust.pem()?, ..Settings::new(endpoint).map_err(Failure::new)? };
    let backend = Arc::new(Remote::new(settings).await);
    let secret = secret_file::random()?;
    let name: String = secret.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    Ok(suite.run_on(at, backend, &format!("test-{name}-")).await)
}

fn wait<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    Ok(runtime.block_on(future))
}

/// Shows why a design cannot be tested.
fn broken(file: &Path, compilation: &Compilation) -> Failure {
    let errors: Vec<&Diagnostic> =
        compilation.diagnostics.iter().filter(|each| each.severity == Severity::Error).collect();
    for error in &errors {
        designs::say(&(render(error, &compilation.sources, designs::style()) + "\n\n"));
    }
    let plural = if errors.len() == 1 { "" } else { "s" };
    Failure::new(format_args!("{} has {} error{plural}, so no test ran", file.display(), errors.len()))
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
