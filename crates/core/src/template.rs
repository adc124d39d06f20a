//! Key templates: rendered from attributes, and matched against stored text.

use sortkey_design::Program;
use sortkey_design::model::{SlotFormat, TimeUnit};
use sortkey_design::program::{AttributeId, Entity, Piece, Template, Type};
use sortkey_design::texts::{MILLISECONDS_WIDTH, SECONDS_WIDTH};
use sortkey_value::{Item, Number, ValueRef, case};

use crate::Failure;
use crate::catalog::EntityInfo;
use crate::values::{Val, Values, date, iso, iso_seconds, month, parse_time};

/// The text of a template; none if an attribute it needs is absent.
pub(crate) fn render(entity: &Entity, template: &Template, values: &impl Values) -> Option<String> {
    let mut text = String::with_capacity(64);
    render_into(entity, template, template.pieces.len(), values, &mut text)?;
    Some(text)
}

/// Appends the text of the first pieces of a template; none if an attribute they need is absent.
pub(crate) fn render_into(
    entity: &Entity,
    template: &Template,
    count: usize,
    values: &impl Values,
    text: &mut String,
) -> Option<()> {
    (begin_into(entity, template, count, values, text) == count).then_some(())
}

/// Appends the text of the first pieces of a template, as far as they are known. How many these are.
pub(crate) fn begin_into(
    entity: &Entity,
    template: &Template,
    count: usize,
    values: &impl Values,
    text: &mut String,
) -> usize {
    for (at, piece) in template.pieces[..count].iter().enumerate() {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Slot { attribute: id, format } => match (format, values.value(entity, *id)) {
                (None, Some(Val::Text(slot))) => text.push_str(slot),
                (_, value) => {
                    let ty = &entity.attributes[*id].ty;
                    let slot = value.and_then(|value| slot_of(template, ty, format.as_ref(), value));
                    match slot {
                        Some(slot) => text.push_str(&slot),
                        None => return at,
                    }
                }
            },
        }
    }
    count
}

/// Whether a template makes exactly this text of a stored item's attributes.
pub(crate) fn makes(
    program: &Program,
    info: &EntityInfo,
    template: &Template,
    item: &Item,
    text: &str,
) -> bool {
    let mut rest = text;
    for piece in &template.pieces {
        let behind = match piece {
            Piece::Literal(literal) => rest.strip_prefix(literal.as_str()),
            Piece::Slot { attribute, format } => {
                let known = info.anatomy.by_id(*attribute);
                match item.get(&known.name).filter(|_| known.is_stored) {
                    Some(ValueRef::S(text)) if format.is_none() && known.ty.is_plain() => {
                        rest.strip_prefix(text)
                    }
                    Some(value) => {
                        let value = known.decode(program, value);
                        let slot = slot_of(template, &known.ty, format.as_ref(), &value);
                        slot.and_then(|slot| rest.strip_prefix(slot.as_str()))
                    }
                    None => None,
                }
            }
        };
        match behind {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}

/// The text of one slot.
pub(crate) fn slot_of(
    template: &Template,
    ty: &Type,
    format: Option<&SlotFormat>,
    value: &Val,
) -> Option<String> {
    match (format, value) {
        (Some(SlotFormat::Pad(width)), Val::Number(number)) => {
            Some(format!("{:0>width$}", number.to_string(), width = *width as usize))
        }
        (Some(SlotFormat::Time(form)), Val::Time(time_ms)) => Some(match form.as_str() {
            "ms" => milliseconds(*time_ms),
            "s" => seconds(*time_ms),
            "date" => date(*time_ms),
            "month" => month(*time_ms),
            _ => iso(*time_ms),
        }),
        (Some(SlotFormat::Escape), Val::Text(text)) => Some(escape(text, &template.delimiters)),
        (Some(SlotFormat::Lower), Val::Text(text)) => Some(case::to_lowercase(text)),
        (None, Val::Time(time_ms)) => match ty {
            Type::Time { unit: TimeUnit::Seconds } => Some(seconds(*time_ms)),
            Type::Time { unit: TimeUnit::Milliseconds } => Some(milliseconds(*time_ms)),
            _ => canonical(Some(ty), value),
        },
        _ => canonical(Some(ty), value),
    }
}

/// Numbers of a fixed width sort as times do.
fn seconds(time_ms: i64) -> String {
    format!("{:0>width$}", time_ms.div_euclid(1_000), width = SECONDS_WIDTH)
}

fn milliseconds(time_ms: i64) -> String {
    format!("{time_ms:0>MILLISECONDS_WIDTH$}")
}

/// The times whose text in a key sorts as they do, the first and the last: a number of a fixed width has no sign, and a year
/// has four digits.
pub(crate) fn sortable(ty: &Type, format: Option<&SlotFormat>) -> (i64, i64) {
    const WIDEST: i64 = 9_999_999_999_999;
    const FIRST_YEAR: i64 = -62_167_219_200_000;
    const LAST_YEAR: i64 = 253_402_300_799_999;
    let is_number = match (format, ty) {
        (Some(SlotFormat::Time(form)), _) => matches!(form.as_str(), "s" | "ms"),
        (_, Type::Time { unit }) => matches!(unit, TimeUnit::Seconds | TimeUnit::Milliseconds),
        _ => false,
    };
    if is_number { (0, WIDEST) } else { (FIRST_YEAR, LAST_YEAR) }
}

/// Refuses a time whose text would not sort in a key as the time does.
pub(crate) fn fit_to_sort(entity: &Entity, template: &Template, values: &impl Values) -> Result<(), Failure> {
    for piece in &template.pieces {
        let Piece::Slot { attribute: id, format } = piece else { continue };
        let Some(Val::Time(time_ms)) = values.value(entity, *id) else { continue };
        let attribute = &entity.attributes[*id];
        let (first, last) = sortable(&attribute.ty, format.as_ref());
        if !(first..=last).contains(time_ms) {
            let name = &*attribute.name;
            let why = format!(
                "`{name}` is {}; in a key, times {} to {} are allowed",
                iso(*time_ms),
                iso(first),
                iso(last)
            );
            return Err(Failure::invalid(name, why));
        }
    }
    Ok(())
}

/// The text of a value within a key.
pub(crate) fn canonical(ty: Option<&Type>, value: &Val) -> Option<String> {
    Some(match value {
        Val::Text(text) => text.clone(),
        Val::Number(number) => number.to_string(),
        Val::Bool(value) => value.to_string(),
        Val::Time(time_ms) => match ty {
            Some(Type::Time { unit: TimeUnit::Seconds }) => time_ms.div_euclid(1_000).to_string(),
            Some(Type::Time { unit: TimeUnit::Milliseconds }) => time_ms.to_string(),
            Some(Type::Time { unit: TimeUnit::IsoSeconds }) => iso_seconds(*time_ms),
            _ => iso(*time_ms),
        },
        _ => return None,
    })
}

/// Percent-encodes `%` and some characters.
pub(crate) fn escape(text: &str, characters: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '%' || characters.contains(&character) {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                escaped.push_str(&format!("%{byte:02X}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Whether a template could have produced a text: its literals in their positions,
/// at least one character for each slot.
pub(crate) fn matches(template: &Template, text: &str) -> bool {
    let mut rest = text;
    let mut pieces = template.pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Literal(literal) => match rest.strip_prefix(literal.as_str()) {
                Some(behind) => rest = behind,
                None => return false,
            },
            Piece::Slot { .. } => {
                if rest.is_empty() {
                    return false;
                }
                match pieces.peek() {
                    None => return true,
                    Some(Piece::Literal(next)) => match rest.find(next.as_str()) {
                        Some(at) if at > 0 => rest = &rest[at..],
                        _ => return false,
                    },
                    // Two slots side by side: the first takes a character, the second what is left.
                    Some(Piece::Slot { .. }) => {
                        let first = rest.chars().next().map_or(0, char::len_utf8);
                        rest = &rest[first..];
                    }
                }
            }
        }
    }
    rest.is_empty()
}

/// The texts of the slots in a text that a template produced. Adjacent slots cannot be separated.
pub(crate) fn slots_of<'t, 's>(
    template: &'t Template,
    text: &'s str,
) -> Option<Vec<(AttributeId, Option<&'t SlotFormat>, &'s str)>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut pieces = template.pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            Piece::Slot { attribute, format } => {
                let end = match pieces.peek() {
                    None => rest.len(),
                    Some(Piece::Literal(next)) => rest.find(next.as_str())?,
                    Some(Piece::Slot { .. }) => return None,
                };
                let (text, behind) = rest.split_at(end);
                found.push((*attribute, format.as_ref(), text));
                rest = behind;
            }
        }
    }
    rest.is_empty().then_some(found)
}

/// The value of a slot's text; none where the text does not determine it, as a day does not determine a time.
/// The inverse of [`slot_of`].
pub(crate) fn value_of(ty: &Type, format: Option<&SlotFormat>, text: &str) -> Option<Val> {
    let number = |text: &str| Number::parse(text).ok();
    let integer = |text: &str| number(text).and_then(Number::to_i64);
    match (format, ty) {
        (Some(SlotFormat::Lower), _) => None,
        (Some(SlotFormat::Escape), _) => unescape(text).map(Val::Text),
        (Some(SlotFormat::Time(form)), Type::Time { unit }) => {
            let is_whole = matches!(unit, TimeUnit::Seconds | TimeUnit::IsoSeconds);
            match form.as_str() {
                "ms" => integer(text).map(Val::Time),
                "s" if is_whole => integer(text)?.checked_mul(1_000).map(Val::Time),
                "iso" => parse_time(text).map(Val::Time),
                _ => None,
            }
        }
        (Some(SlotFormat::Time(_)), _) => None,
        (_, Type::Time { unit: TimeUnit::Seconds }) => integer(text)?.checked_mul(1_000).map(Val::Time),
        (_, Type::Time { unit: TimeUnit::Milliseconds }) => integer(text).map(Val::Time),
        (_, Type::Time { .. }) => parse_time(text).map(Val::Time),
        // Zeros are put before the sign as well.
        (Some(SlotFormat::Pad(_)), Type::Int { .. } | Type::Decimal { .. }) => {
            let unpadded = text.trim_start_matches('0');
            let text = if unpadded.starts_with('-') { unpadded } else { text };
            number(text).map(Val::Number)
        }
        (_, Type::Int { .. } | Type::Decimal { .. }) => number(text).map(Val::Number),
        (_, Type::Bool) => text.parse().ok().map(Val::Bool),
        _ => Some(Val::text(text)),
    }
}

/// The text that [`escape`] made another of; none if it made no such text.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, behind) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = behind;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Fields;
    use sortkey_design::program::{EntityId, Id};
    use sortkey_design::{NoFiles, compile};

    const DESIGN: &str = r#"
        table T { key (pk | sk) }
        entity E in T {
          pk = "E#{a}"  sk = "{t}#{n:pad(3)}#{b:escape}"
          a slug  t time(ms)  n int  b string
        }
    "#;

    #[test]
    fn templates_render_match_and_come_apart_again() {
        let program = compile("t.sk", DESIGN, &NoFiles).program;
        let entity = &program.entities[EntityId::new(0)];
        let fields: Fields = [
            ("a".to_owned(), Val::text("x")),
            ("t".to_owned(), Val::Time(1_700_000_000_000)),
            ("n".to_owned(), Val::integer(-7)),
            ("b".to_owned(), Val::text("50%#")),
        ]
        .into();
        let sk = entity.templates.iter().find(|each| &*each.name == "sk").expect("a sort key");
        assert_eq!(render(entity, sk, &fields).as_deref(), Some("1700000000000#0-7#50%25%23"));
        assert!(matches(sk, "1700000000000#007#b"));
        assert!(!matches(sk, "1700000000000#007#"));
        assert!(!matches(sk, "1700000000000"));
        let slots = slots_of(sk, "1700000000000#0-7#50%25%23").expect("three slots");
        for (id, format, text) in slots {
            let attribute = &entity.attributes[id];
            assert_eq!(value_of(&attribute.ty, format, text).as_ref(), fields.get(&attribute.name), "{text}");
        }
    }
}
