//! A diagnostic: one sentence, the places involved, DynamoDB's rule behind it, and possible repairs.

use crate::{Fix, Span};
use serde::Serialize;

/// How much a diagnostic weighs. The order is the order of weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The design would fail or lie: `check` exits with an error.
    Error,
    /// It works today and will hurt: a reviewer would stop here.
    Warning,
    /// Worth knowing; nothing needs to change.
    Hint,
}

impl Severity {
    /// The word shown to the reader.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        }
    }
}

/// A place with a few words about its part in the matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// Its text; may be empty.
    pub text: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The short code, stable for ever (`SK2001`).
    pub code: &'static str,
    /// The readable name of the rule (`range-condition-on-partition-key`).
    pub rule: &'static str,
    /// Its weight.
    pub severity: Severity,
    /// One sentence.
    pub title: String,
    /// The token to change.
    pub primary: Label,
    /// The declarations that make it wrong.
    pub secondary: Vec<Label>,
    /// The rule and its numbers, then the way out.
    pub notes: Vec<String>,
    /// Repairs, the best first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic that so far has one label.
    pub fn new(
        code: &'static str,
        rule: &'static str,
        severity: Severity,
        span: Span,
        title: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            code,
            rule,
            severity,
            title: title.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Sets the text at the primary place: the mistake.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Points at another place that is involved.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a sentence below the snippet.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Offers a repair.
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }
}

/// Puts diagnostics into reading order: by place, errors before hints at one place.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| {
        let key =
            |d: &Diagnostic| (d.primary.span.file, d.primary.span.start, d.severity, d.primary.span.end);
        key(a).cmp(&key(b)).then_with(|| a.rule.cmp(b.rule)).then_with(|| a.title.cmp(&b.title))
    });
}
