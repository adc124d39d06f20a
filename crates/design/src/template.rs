//! Key templates: `"EVT#{receivedAt}#{eventId:pad(4)}"` to pieces.

use crate::model::{Name, Piece, SlotFormat};
use crate::problems::TEMPLATE;
use sortkey_diagnostics::{Diagnostic, Span};

/// The pieces of a template whose string literal has this `span` (quotes included).
pub(crate) fn parse(text: &str, span: Span, problems: &mut Vec<Diagnostic>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some(open) = rest.find('{') else {
            pieces.push(Piece::Literal(rest.to_owned()));
            break;
        };
        if open > 0 {
            pieces.push(Piece::Literal(rest[..open].to_owned()));
        }
        let Some(close) = rest[open..].find('}') else {
            problems.push(TEMPLATE.at(span, "this template has a `{` that nothing closes"));
            pieces.push(Piece::Literal(rest[open..].to_owned()));
            break;
        };
        let inside = &rest[open + 1..open + close];
        // The literal begins with a quote, so the text is one byte further on. Escapes would shift it; a label a
        // character off is better than none.
        let start = span.start + 1 + u32::try_from(at + open + 1).unwrap_or(0);
        let place = Span::new(span.file, start, start + u32::try_from(inside.len()).unwrap_or(0));
        pieces.push(slot(inside, place, problems));
        at += open + close + 1;
    }
    pieces
}

fn slot(inside: &str, place: Span, problems: &mut Vec<Diagnostic>) -> Piece {
    let (name, format) = match inside.split_once(':') {
        Some((name, format)) => (name.trim(), Some(format.trim())),
        None => (inside.trim(), None),
    };
    if name.is_empty() {
        problems.push(TEMPLATE.at(place, "this slot names no attribute"));
    }
    let end = place.start + u32::try_from(name.len()).unwrap_or(0);
    let attribute = Name::new(name.trim_matches('`'), Span::new(place.file, place.start, end));
    let known = format.and_then(parse_format);
    if let (Some(format), None) = (format, &known) {
        let title = format!("`{format}` is not a format of a slot");
        problems.push(
            TEMPLATE
                .at(place, title)
                .note("The formats are pad(n), iso, ms, s, date, month, escape and lower."),
        );
    }
    Piece::Slot { attribute, format: known }
}

fn parse_format(text: &str) -> Option<SlotFormat> {
    if let Some(width) = text.strip_prefix("pad(").and_then(|rest| rest.strip_suffix(')')) {
        return width.trim().parse().ok().map(SlotFormat::Pad);
    }
    match text {
        "iso" | "ms" | "s" | "date" | "month" => Some(SlotFormat::Time(text.to_owned())),
        "escape" => Some(SlotFormat::Escape),
        "lower" => Some(SlotFormat::Lower),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_diagnostics::FileId;

    fn check(text: &str, expected: &[&str], errors: usize) {
        let mut problems = Vec::new();
        let pieces = parse(text, Span::new(FileId(0), 10, 10 + text.len() as u32 + 2), &mut problems);
        let shown: Vec<String> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.clone(),
                Piece::Slot { attribute, format: None } => format!("<{attribute}>"),
                Piece::Slot { attribute, format: Some(format) } => format!("<{attribute} {format:?}>"),
            })
            .collect();
        assert_eq!(shown, expected);
        assert_eq!(problems.len(), errors);
    }

    #[test]
    fn templates_are_literals_and_slots() {
        check("PROFILE", &["PROFILE"], 0);
        check("EVT#{receivedAt}#{eventId}", &["EVT#", "<receivedAt>", "#", "<eventId>"], 0);
        check("{n:pad(4)}", &["<n Pad(4)>"], 0);
        check("{t:iso}-{s:escape}", &["<t Time(\"iso\")>", "-", "<s Escape>"], 0);
    }

    #[test]
    fn broken_templates_keep_what_can_be_kept() {
        check("A#{b", &["A#", "{b"], 1);
        check("A#{}", &["A#", "<>"], 1);
        check("{a:upper}", &["<a>"], 1);
        check("", &[], 0);
    }

    #[test]
    fn a_slot_knows_its_place() {
        let mut problems = Vec::new();
        let pieces = parse("AB{cd}", Span::new(FileId(0), 100, 108), &mut problems);
        let Some(Piece::Slot { attribute, .. }) = pieces.last() else { panic!("a slot") };
        assert_eq!((attribute.span.start, attribute.span.end), (104, 106));
    }
}
