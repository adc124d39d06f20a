//! Requests that do not exist: a pattern that nothing but a scan could answer, children that no key finds. A design that
//! needs one does not start, so no `allow` makes it right, whatever rule it silences.

use sortkey_design::model::Trigger;
use sortkey_design::program::Id;
use sortkey_design::{CANNOT_RUN, Compilation};
use sortkey_diagnostics::{Diagnostic, Severity, Span};
use sortkey_plan::{read, sweeps};

/// Reports what no rule reports any more, because it was silenced or turned off.
pub(super) fn impossible(compilation: &Compilation, found: &[Diagnostic]) -> Vec<Diagnostic> {
    if compilation.has_errors() {
        return Vec::new();
    }
    let (design, program) = (&compilation.design, &compilation.program);
    let is_reported = |scope: Span| {
        found.iter().any(|each| each.severity == Severity::Error && scope.contains(each.primary.span))
    };
    let mut problems = Vec::new();
    for (id, pattern) in program.patterns.entries() {
        let source = &design.patterns[id.at()];
        let is_unserved = read(program, id).is_none_or(|choice| choice.plan.is_none());
        if is_unserved && !is_reported(source.span) {
            let problem =
                CANNOT_RUN.at(source.name.span, format!("no access path serves `{}`", pattern.name));
            let note = "An `allow` silences a rule, but the design would not start. Give the table an index, or write `scan`.";
            problems.push(problem.label("no key or index serves this").note(note));
        }
    }
    for worker in &design.workers {
        let Trigger::Due { entity, by, pattern: None, .. } = &worker.trigger else { continue };
        if !is_reported(worker.span) {
            let title = format!("no index finds the `{entity}` items whose `{by}` has come");
            let note = "An `allow` silences a rule, but the worker would never run.";
            problems.push(CANNOT_RUN.at(by.span, title).label("sorted by nothing").note(note));
        }
    }
    for parent in program.entities.ids() {
        for sweep in sweeps(program, parent).into_iter().filter(|sweep| sweep.finding.is_none()) {
            let child = &design.entities[sweep.child.at()];
            let attribute = &child.attributes[sweep.attribute.at()];
            let place = attribute.reference.as_ref().map_or(attribute.span, |reference| reference.span);
            if !is_reported(place) {
                let parent = &program.entities[parent].name;
                let problem =
                    CANNOT_RUN.at(place, format!("no key finds the `{}` of one `{parent}`", child.name));
                let note = "An `allow` silences a rule, but the design would not start. An index that begins with the \
                            reference would find them, and `on delete keep` leaves them.";
                problems.push(problem.label("they cannot be deleted with it").note(note));
            }
        }
    }
    problems
}
