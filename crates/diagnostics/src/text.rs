//! Diagnostics for people, drawn as rustc draws them.

use crate::{Diagnostic, FileId, Fix, Label, Severity, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet, renderer::DecorStyle};

/// How the text will be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape codes: a file, a pipe, a test.
    Plain,
    /// ANSI colours: a terminal.
    Coloured,
}

/// One diagnostic as text, without a trailing newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let mut report = vec![finding(diagnostic, sources)];
    report.extend(diagnostic.fixes.iter().filter_map(|each| fix(each, sources)));
    renderer.decor_style(DecorStyle::Ascii).render(&report)
}

fn finding<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Hint => Level::NOTE.with_name("hint"),
    };
    let title = level.primary_title(diagnostic.title.as_str()).id(diagnostic.code);
    let mut group =
        Group::with_title(title).element(snippet(diagnostic, diagnostic.primary.span.file, sources));
    for file in other_files(diagnostic) {
        group = group.element(snippet(diagnostic, file, sources));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let more = format!("rule `{}`: `sortkey explain {0}` says more", diagnostic.rule);
    group.element(Level::HELP.message(more))
}

fn other_files(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut files: Vec<FileId> = diagnostic.secondary.iter().map(|label| label.span.file).collect();
    files.retain(|file| *file != diagnostic.primary.span.file);
    files.sort_unstable();
    files.dedup();
    files
}

fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    file: FileId,
    sources: &'a Sources,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let (name, text) =
        sources.get(file).map_or(("", ""), |source| (source.name.as_str(), source.text.as_str()));
    let annotation = |kind: AnnotationKind, label: &'a Label| {
        let mut annotation = kind.span(clamp(label.span, text));
        if !label.text.is_empty() {
            annotation = annotation.label(label.text.as_str());
        }
        annotation
    };
    let mut snippet = Snippet::source(text).path(name);
    if diagnostic.primary.span.file == file {
        snippet = snippet.annotation(annotation(AnnotationKind::Primary, &diagnostic.primary));
    }
    let involved = diagnostic.secondary.iter().filter(|label| label.span.file == file);
    snippet.annotations(involved.map(|label| annotation(AnnotationKind::Context, label)))
}

fn fix<'a>(fix: &'a Fix, sources: &'a Sources) -> Option<Group<'a>> {
    let source = sources.get(fix.edits.first()?.span.file)?;
    let patches =
        fix.edits.iter().map(|edit| Patch::new(clamp(edit.span, &source.text), edit.replacement.as_str()));
    let snippet = Snippet::source(source.text.as_str()).path(source.name.as_str()).patches(patches);
    Some(Group::with_title(Level::HELP.secondary_title(fix.title.as_str())).element(snippet))
}

/// A span from another version of the text must not take the renderer down.
fn clamp(span: Span, text: &str) -> std::ops::Range<usize> {
    let floor = |at: u32| {
        (0..=(at as usize).min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    floor(span.start)..floor(span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_shows_its_places_its_reason_and_its_fix() {
        let mut sources = Sources::new();
        let file = sources.add("a.sk", "table T {\n  key (a)\n}\n");
        let diagnostic = Diagnostic::new(
            "SK0001",
            "some-rule",
            Severity::Warning,
            Span::new(file, 17, 18),
            "`a` is no key",
        )
        .label("this")
        .also(Span::new(file, 6, 7), "of this table")
        .note("Keys are strings.")
        .fix(Fix::new("call it `b`", Span::new(file, 17, 18), "b"));
        let expected = "\
warning[SK0001]: `a` is no key
 --> a.sk:2:8
  |
1 | table T {
  |       - of this table
2 |   key (a)
  |        ^ this
  |
  = note: Keys are strings.
  = help: rule `some-rule`: `sortkey explain some-rule` says more
help: call it `b`
  |
2 -   key (a)
2 +   key (b)
  |";
        assert_eq!(render(&diagnostic, &sources, Style::Plain), expected);
    }

    #[test]
    fn a_span_outside_the_text_is_clamped() {
        let mut sources = Sources::new();
        let file = sources.add("a.sk", "ä");
        let diagnostic = Diagnostic::new("SK0001", "r", Severity::Error, Span::new(file, 1, 99), "t");
        assert!(render(&diagnostic, &sources, Style::Plain).contains("error[SK0001]: t"));
    }
}
