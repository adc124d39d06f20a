//! The lines that are printed when a design runs: its address, and a call to try.

use std::path::Path;

use sortkey_core::Runtime;
use sortkey_diagnostics::counted;
use sortkey_gateway::example_call;

use crate::designs;

/// Says where the server is. The first line is for programs too: it has always this form.
pub(super) fn say(runtime: &Runtime, base: &str, keys: Option<&Path>, kept: &str, report: &str) {
    let design = runtime.design();
    let patterns = counted(design.patterns.iter().filter(|each| !each.internal).count(), "pattern");
    let operations = counted(design.operations.iter().filter(|each| !each.internal).count(), "operation");
    let mut text = format!(
        "sortkey is listening on {base}\n\
         {}: {patterns} and {operations} under {base}/api, shown at {base}/docs\n\
         {kept}; Ctrl-C stops it.\n\
         {report}\n",
        design.name,
    );
    // A name that was mistyped looks like this too.
    if let Some(file) = keys.filter(|file| !file.exists()) {
        let file = file.display();
        text.push_str(&format!(
            "{file} is not there, so nobody is let in: sortkey keys create admin --admin --file {file}\n"
        ));
    }
    if let Some(call) = example_call(runtime, base, keys.is_some()) {
        text.push_str(&format!("\nTry a call:\n{call}\n"));
    }
    designs::say(&text);
}
