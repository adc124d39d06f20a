//! Values of a type that look like those of people and programs.

use serde_json::{Map, Value as Json, json};
use sortkey_design::model::{IdBody, InputKind, StringFormat, TimeUnit};
use sortkey_design::program::{Attribute, EntityId, Type};

use super::{Story, matching};
use sortkey_core::internals::{iso, iso_seconds};
use sortkey_core::{Ids, KeyError};

/// An upper bound of generated times: everything depends on the seed, nothing on the machine's clock.
pub(crate) const LATEST_MS: u64 = 1_790_000_000_000;
const SPAN_MS: u64 = 30 * 86_400_000;

const FIRST: [&str; 12] = [
    "Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "Tony", "Radia", "Ken", "Lynn",
    "Niklaus",
];
const LAST: [&str; 10] =
    ["Hopper", "Lovelace", "Turing", "Liskov", "Knuth", "Allen", "Hoare", "Perlman", "Conway", "Wirth"];
const WORDS: [&str; 12] = [
    "amber", "harbour", "signal", "meadow", "copper", "ledger", "north", "willow", "quartz", "ferry",
    "lantern", "orbit",
];

/// Text that may be longer than this is long now and then, if that is asked for, up to some kilobytes.
const LONG: u64 = 200;
const LONGEST: u64 = 9_000;

/// How deep generated records nest.
const DEEPEST: usize = 6;

/// Random numbers that a seed replays.
pub(crate) struct Dice<'a> {
    ids: &'a Ids,
    /// Makes every text different from the last.
    count: u64,
    /// Whether texts are long now and then.
    long: bool,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(ids: &'a Ids) -> Dice<'a> {
        Dice { ids, count: 0, long: false }
    }

    /// Makes items of many sizes: where a design allows long texts, some are.
    pub(crate) fn generous(ids: &'a Ids) -> Dice<'a> {
        Dice { long: true, ..Dice::new(ids) }
    }

    /// The length of a text that is to be long; zero if it is not.
    fn length(&mut self, most: Option<u64>) -> Result<u64, KeyError> {
        let most = most.unwrap_or(0).min(LONGEST);
        match self.long && most >= LONG && self.below(2)? == 0 {
            true => self.below(most),
            false => Ok(0),
        }
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> Result<u64, KeyError> {
        Ok(self.ids.next()? % bound.max(1))
    }

    fn one<'t>(&mut self, texts: &[&'t str]) -> Result<&'t str, KeyError> {
        let at = self.below(texts.len() as u64)?;
        Ok(usize::try_from(at).ok().and_then(|at| texts.get(at)).copied().unwrap_or_default())
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// A value of a type; none if a part of it refers to something that does not exist.
pub(super) fn of(
    story: &mut Story<'_>,
    name: &str,
    ty: &Type,
    dice: &mut Dice<'_>,
) -> Result<Option<Json>, KeyError> {
    Ok(Some(match ty {
        Type::String { format, min, max } => Json::String(text(name, format, *min, *max, dice)?),
        Type::Id { prefix, body } => Json::String(format!("{prefix}{}", id(*body, dice)?)),
        Type::Token { prefix, length } => Json::String(format!("{prefix}{}", letters(*length, dice)?)),
        Type::Int { min, max } => {
            let low = min.unwrap_or(0);
            let width = max.unwrap_or(low.saturating_add(1_000)).saturating_sub(low).clamp(0, 1_000);
            json!(low.saturating_add_unsigned(dice.below(width.unsigned_abs() + 1)?))
        }
        Type::Decimal { scale: 0, .. } => json!(dice.below(10)?),
        Type::Decimal { .. } => json!(format!("{}.{}", dice.below(10)?, dice.below(10)?)),
        Type::Bool => json!(dice.below(2)? == 1),
        Type::Bytes { max } => match dice.length(*max)? / 4 * 4 {
            0 => json!("eyJvayI6dHJ1ZX0="),
            length => json!("A".repeat(usize::try_from(length).unwrap_or(0))),
        },
        Type::Time { unit } => time(*unit, LATEST_MS - dice.below(SPAN_MS)?),
        Type::Date => json!(iso_ms(LATEST_MS - dice.below(SPAN_MS)?).get(..10)),
        Type::Month => json!(iso_ms(LATEST_MS - dice.below(SPAN_MS)?).get(..7)),
        Type::Json { of: inner } => return of(story, name, inner, dice),
        Type::Enum(words) => {
            let words: Vec<&str> = words.words.iter().map(|word| &**word).collect();
            json!(dice.one(&words)?)
        }
        Type::List { of: inner, .. } | Type::Set { of: inner, .. } => {
            let value = of(story, name, inner, dice)?;
            Json::Array(value.into_iter().collect())
        }
        Type::Map { of: inner, .. } => {
            let value = of(story, name, inner, dice)?;
            Json::Object(value.into_iter().map(|value| (dice.next().to_string(), value)).collect())
        }
        Type::Object(id) => {
            let attributes = story.program.objects[*id].attributes.iter();
            return object(story, attributes.filter(|each| is_needed(each)).collect(), dice);
        }
        Type::Input { of, entity } => return input(story, *of, *entity, dice),
        Type::Any { max } => {
            let length = usize::try_from(dice.length(max.map(|max| max / 2))?).unwrap_or(0);
            json!({ "note": format!("{:x<length$}", dice.one(&WORDS)?) })
        }
        Type::Unknown => json!({ "note": dice.one(&WORDS)? }),
    }))
}

fn is_needed(attribute: &Attribute) -> bool {
    !attribute.may_be_absent() && attribute.fill.is_none()
}

fn object(
    story: &mut Story<'_>,
    attributes: Vec<&Attribute>,
    dice: &mut Dice<'_>,
) -> Result<Option<Json>, KeyError> {
    if story.depth == DEEPEST {
        return Ok(None);
    }
    story.depth += 1;
    let mut members = Map::new();
    for attribute in attributes {
        if let Some(value) = story.attribute(attribute, dice)? {
            members.insert(attribute.name.to_string(), value);
        }
    }
    story.depth -= 1;
    Ok(Some(Json::Object(members)))
}

fn input(
    story: &mut Story<'_>,
    kind: InputKind,
    entity: EntityId,
    dice: &mut Dice<'_>,
) -> Result<Option<Json>, KeyError> {
    let entity = &story.program.entities[entity];
    if kind == InputKind::New {
        // The tenant is the caller's.
        let attributes = entity.attributes.entries().filter(|(id, each)| {
            is_needed(each) && entity.tenant.is_none_or(|tenant| tenant.attribute != *id)
        });
        return object(story, attributes.map(|(_, each)| each).collect(), dice);
    }
    let keys: Vec<&str> = entity.key_attributes.iter().map(|id| &*entity.attributes[*id].name).collect();
    // The item of the story is the one that is meant, if it has such a key.
    let item = match keys.iter().all(|name| story.known.contains_key(*name)) {
        true => story.known.clone(),
        false => match story.pool.pick(&entity.name, dice)? {
            Some(item) => item.clone(),
            None => return Ok(None),
        },
    };
    for (name, value) in &item {
        story.known.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let members =
        item.into_iter().filter(|(name, _)| kind == InputKind::Key && keys.contains(&name.as_str()));
    Ok(Some(Json::Object(members.collect())))
}

/// Text by what its name suggests, within its bounds.
fn text(
    name: &str,
    format: &StringFormat,
    min: u64,
    max: Option<u64>,
    dice: &mut Dice<'_>,
) -> Result<String, KeyError> {
    let lower = name.to_lowercase();
    let number = dice.next();
    let (first, last, word) = (dice.one(&FIRST)?, dice.one(&LAST)?, dice.one(&WORDS)?);
    let text = match format {
        StringFormat::Email => {
            format!("{}.{}{number}@example.com", first.to_lowercase(), last.to_lowercase())
        }
        StringFormat::Url => format!("https://{word}{number}.example.com/hooks"),
        StringFormat::Slug => format!("{word}-{number}"),
        StringFormat::Matching(pattern) => matching::text(pattern, dice)?,
        StringFormat::Cron => format!("{} {} * * *", dice.below(60)?, dice.below(24)?),
        _ if lower.ends_with("ip") => format!("203.0.113.{}", dice.below(256)?),
        _ if lower.contains("firstname") => first.to_owned(),
        _ if lower.contains("lastname") => last.to_owned(),
        _ if lower == "name" || lower.contains("username") => format!("{first} {last}"),
        _ => format!("{word}-{number}"),
    };
    let most = usize::try_from(max.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let mut text: String = text.chars().take(most).collect();
    let long = if *format == StringFormat::Plain { dice.length(max)? } else { 0 };
    while (text.chars().count() as u64) < min.min(1_000).max(long) {
        text.push_str(word);
    }
    Ok(text.chars().take(most).collect())
}

fn id(body: IdBody, dice: &mut Dice<'_>) -> Result<String, KeyError> {
    Ok(match body {
        IdBody::Uuid => {
            let (a, b) = (dice.ids.next()?, dice.ids.next()?);
            format!(
                "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
                a >> 32,
                (a >> 16) & 0xffff,
                a & 0xfff,
                0x8000 | (b >> 50),
                b & 0xffff_ffff_ffff
            )
        }
        IdBody::Ulid => {
            format!("01JCQ{}", letters(21, dice)?.to_uppercase().replace(['I', 'L', 'O', 'U'], "X"))
        }
        IdBody::Nanoid(length) => letters(length, dice)?,
    })
}

fn letters(length: u64, dice: &mut Dice<'_>) -> Result<String, KeyError> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = String::new();
    for _ in 0..length.min(1_000) {
        let at = usize::try_from(dice.below(ALPHABET.len() as u64)?).unwrap_or(0);
        text.extend(ALPHABET.get(at).map(|byte| char::from(*byte)));
    }
    Ok(text)
}

fn time(unit: TimeUnit, time_ms: u64) -> Json {
    match unit {
        TimeUnit::Iso | TimeUnit::Unstated => json!(iso_ms(time_ms)),
        TimeUnit::IsoSeconds => json!(iso_seconds(i64::try_from(time_ms).unwrap_or(i64::MAX))),
        TimeUnit::Milliseconds => json!(time_ms),
        TimeUnit::Seconds => json!(time_ms / 1_000),
    }
}

fn iso_ms(time_ms: u64) -> String {
    iso(i64::try_from(time_ms).unwrap_or(i64::MAX))
}
