//! Names that a language would give twice, where calls and modules are members of one type.

use super::{Surface, Trigger};
use crate::problem::Problem;

/// The members that would have one name. `spell` is the language's spelling, `reserved` are the client's own members.
pub(super) fn members(
    surface: &Surface,
    spell: fn(&str) -> String,
    reserved: &[&str],
    language: &str,
) -> Vec<Problem> {
    let mut client: Vec<String> = surface.modules.iter().map(|each| spell(&each.name)).collect();
    client.extend(surface.calls.iter().map(|each| spell(&each.name)));
    client.extend(reserved.iter().map(|name| (*name).to_owned()));
    let mut types = vec![("the client".to_owned(), client)];
    for each in &surface.modules {
        let names = each.calls.iter().map(|call| spell(&call.name));
        types.push((format!("the module `{}`", each.name), names.collect()));
    }
    // Those that changes start have one member, `records`, together.
    let own = surface.workers.iter().filter(|each| !matches!(each.trigger, Trigger::Changes { .. }));
    let own = own.map(|each| spell(&each.name)).chain(["records".to_owned()]);
    types.push(("the client's `workers`".to_owned(), own.collect()));
    let mut problems = Vec::new();
    for (of, mut names) in types {
        names.sort();
        for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
            let what = format!("two members of {of} would be called `{}` in {language}", pair[0]);
            problems.push(Problem::new(what).hint("rename one of them in the design"));
        }
    }
    problems
}
