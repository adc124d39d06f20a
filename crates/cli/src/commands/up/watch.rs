//! `--watch`: a design that is served anew whenever one of its files changes.
//!
//! The database, its keys and the port stay. A version that does not compile is shown and never served; one that the tables refuse
//! is shown, and the version before is served again. `up` refuses before it changes anything, so going back finds the tables as
//! that version left them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::time::Duration;

use sortkey_design::Compilation;

use super::{Seat, Up, design};
use crate::failure::Failure;
use crate::{designs, shutdown};

/// How often files are compared with what they were.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Completes when a version is to stop.
pub(super) type Stop<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Runs a design, version after version, until a signal asks it to stop.
pub(super) async fn run(up: &Up, first: Compilation, seat: &Seat) -> Result<(), Failure> {
    // One listener for all versions: a signal that comes between two of them counts, too.
    let mut asked_for = pin!(shutdown::asked_for());
    let mut files = Files::of(&up.path, &first);
    let (mut current, mut before) = (first, None);
    loop {
        let mut next = None;
        let stop = async {
            tokio::select! {
                () = &mut asked_for => {}
                changed = files.changed(&up.path) => next = Some(changed),
            }
        };
        let served = up.version(&current, seat, Some(Box::pin(stop))).await;
        match (served, next, before.take()) {
            (Ok(()), Some(changed), _) => {
                designs::say("\nThe design changed.\n");
                before = Some(std::mem::replace(&mut current, changed));
            }
            (Ok(()), None, _) => return Ok(()),
            (Err(failure), _, Some(working)) => {
                failure.report();
                designs::say("The version before is served again.\n");
                current = working;
            }
            (Err(failure), _, None) => return Err(failure),
        }
    }
}

/// The text of every file that a design may be made of.
struct Files(BTreeMap<PathBuf, Option<Vec<u8>>>);

impl Files {
    fn of(path: &Path, compilation: &Compilation) -> Files {
        let folder = path.is_dir().then(|| std::fs::read_dir(path).ok()).flatten();
        let entries = folder.into_iter().flatten().flatten().map(|entry| entry.path());
        let designs = entries.filter(|file| file.extension().is_some_and(|extension| extension == "sk"));
        let beside = designs.map(|file| (file.clone(), std::fs::read(file).ok()));
        // The text that was compiled, not the text that is there now: it may have changed in between.
        let sources = compilation
            .sources
            .iter()
            .map(|(_, source)| (PathBuf::from(&source.name), Some(source.text.clone().into_bytes())));
        Files(beside.chain(sources).collect())
    }

    /// Waits for another version without errors. The errors of others are shown as they come.
    async fn changed(&mut self, path: &Path) -> Compilation {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if self.0.iter().all(|(file, text)| std::fs::read(file).ok() == *text) {
                continue;
            }
            let found = match design::compiled(path) {
                Ok(compilation) => {
                    *self = Files::of(path, &compilation);
                    design::without_errors(compilation)
                }
                Err(failure) => {
                    // A file that an editor is about to replace is missing for a moment.
                    self.0.iter_mut().for_each(|(file, text)| *text = std::fs::read(file).ok());
                    Err(failure)
                }
            };
            match found {
                Ok(compilation) => return compilation,
                Err(failure) => {
                    failure.report();
                    designs::say("The version before goes on.\n");
                }
            }
        }
    }
}
