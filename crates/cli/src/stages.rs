//! A design and a stage of `deploy.toml`, as the commands that deploy share them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use sortkey_codegen::model::Deployment;
use sortkey_codegen::{BuildError, Problem, Stage, build};
use sortkey_design::{Compilation, FileLoader};
use sortkey_diagnostics::{Diagnostic, Severity, render};
use sortkey_lints::{Options, check};

use crate::designs;
use crate::failure::Failure;

/// What is deployed, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct StageArguments {
    /// The design: a file, or a folder with one
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,

    /// The stage of deploy.toml; may be left out where there is no such file
    #[arg(long, value_name = "NAME")]
    pub(crate) stage: Option<String>,

    /// The settings of all stages [default: deploy.toml beside the design]
    #[arg(long, value_name = "FILE")]
    pub(crate) deploy: Option<PathBuf>,

    /// A parameter of the design, before that of the stage; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) parameters: Vec<(String, String)>,
}

/// A design that compiles, and its deployment.
pub(crate) struct Staged {
    pub(crate) compilation: Compilation,
    pub(crate) deployment: Deployment,
}

/// The stage of a deployment without a `deploy.toml`.
const ONLY_STAGE: &str = "default";

impl StageArguments {
    /// The deployment that the arguments mean. `change` may adjust the stage.
    pub(crate) fn load(&self, change: impl FnOnce(&mut Stage)) -> Result<Staged, Failure> {
        let file = designs::one(&self.path)?;
        let compilation = compiled(&file)?;
        let mut stage = self.stage(&file)?;
        change(&mut stage);
        let name = file.file_stem().map_or("design".into(), |stem| stem.to_string_lossy());
        let given: BTreeMap<String, String> = self.parameters.iter().cloned().collect();
        let deployment = build(&compilation.design, &name, &stage, &given).map_err(|error| match error {
            BuildError::Design(diagnostics) => {
                show(&compilation, diagnostics.iter());
                Failure::new("the design cannot be deployed like this")
            }
            BuildError::Stage(problems) => failed(&problems),
        })?;
        Ok(Staged { compilation, deployment })
    }

    fn stage(&self, design: &Path) -> Result<Stage, Failure> {
        let beside = design.with_file_name("deploy.toml");
        let file = match &self.deploy {
            Some(file) => file.clone(),
            None if beside.is_file() => beside,
            None => match &self.stage {
                None => return Ok(Stage::plain(ONLY_STAGE)),
                Some(name) => {
                    let what =
                        format_args!("there is no stage {name:?}, for there is no {}", beside.display());
                    return Err(
                        Failure::new(what).hint(format_args!("write it, beginning with [stages.{name}]"))
                    );
                }
            },
        };
        let text = designs::read(&file)?;
        let name = file.display().to_string();
        match &self.stage {
            Some(stage) => Stage::read(&name, &text, stage).map_err(|problems| failed(&problems)),
            None => {
                let stages = Stage::names(&name, &text).map_err(|problems| failed(&problems))?;
                let what = format_args!("{name} has stages; name one of them with --stage");
                Err(Failure::new(what).hint(stages.join(", ")))
            }
        }
    }
}

/// Everything that is wrong, in one failure.
pub(crate) fn failed(problems: &[Problem]) -> Failure {
    match problems {
        [only] => match &only.hint {
            Some(hint) => Failure::new(&only.what).hint(hint),
            None => Failure::new(&only.what),
        },
        several => {
            let all: Vec<String> = several.iter().map(ToString::to_string).collect();
            Failure::new(all.join("\nerror: "))
        }
    }
}

pub(crate) fn compiled(file: &Path) -> Result<Compilation, Failure> {
    let compilation = check(&file.to_string_lossy(), &designs::read(file)?, &FileLoader, &Options::default());
    let errors: Vec<&Diagnostic> =
        compilation.diagnostics.iter().filter(|each| each.severity == Severity::Error).collect();
    if errors.is_empty() {
        return Ok(compilation);
    }
    show(&compilation, errors.iter().copied());
    let plural = if errors.len() == 1 { "error" } else { "errors" };
    Err(Failure::new(format_args!("{} has {} {plural}", file.display(), errors.len())).hint("sortkey check"))
}

fn show<'a>(compilation: &Compilation, diagnostics: impl Iterator<Item = &'a Diagnostic>) {
    let style = designs::style();
    let text: String = diagnostics.map(|each| render(each, &compilation.sources, style) + "\n\n").collect();
    designs::say(&text);
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}
