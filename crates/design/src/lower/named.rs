//! Types that have a name, with what each takes in parentheses. Each type takes the arguments that it knows; whatever is
//! left over is an error, so that no argument is ignored.

use super::Lower;
use crate::model::*;
use crate::problems::{TYPE, nearest};
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode};

use super::arguments::Arguments;

/// The types of the language, each with the form that shows its arguments.
pub(super) const TYPES: [(&str, &str); 26] = [
    ("string", "string(1..120)"),
    ("slug", "slug(1..60)"),
    ("email", "email(..120)"),
    ("url", "url(..2_000)"),
    ("cron", "cron(..60)"),
    ("matching", "matching(\"[a-z]+\", max 60)"),
    ("id", "id(\"usr_\", nanoid 16)"),
    ("uuid", "uuid"),
    ("ulid", "ulid"),
    ("nanoid", "nanoid(21)"),
    ("token", "token(\"fh_\", 32)"),
    ("int", "int(0..9)"),
    ("decimal", "decimal(12, 2)"),
    ("bool", "bool"),
    ("bytes", "bytes(..256 KB)"),
    ("time", "time(iso)"),
    ("date", "date"),
    ("month", "month"),
    ("json", "json(T)"),
    ("list", "list(T, max 20)"),
    ("map", "map(T, max 50)"),
    ("set", "set(T, max 20)"),
    ("any", "any(max 8 KB)"),
    ("new", "new(Entity)"),
    ("patch", "patch(Entity)"),
    ("key", "key(Entity)"),
];

/// The most digits of a number in DynamoDB.
const MAX_DIGITS: u64 = 38;

/// The length of a `nanoid` without a declared one.
const NANOID_CHARACTERS: u64 = 21;

/// The length of a `token` without a declared one.
const TOKEN_CHARACTERS: u64 = 32;

/// The types that other languages and databases have by other names.
fn ours(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "number" | "numeric" | "float" | "double" | "real" | "money" => {
            "`int`, or `decimal(12, 2)` with its digits"
        }
        "integer" | "long" | "bigint" | "short" | "serial" => "`int`, with its range: `int(0..)`",
        "timestamp" | "datetime" | "instant" => "`time(iso)`, `time(ms)` or `time(s)`: how it is stored",
        "str" | "text" | "varchar" | "char" => "`string`, with its length: `string(1..200)`",
        "boolean" | "flag" => "`bool`",
        "binary" | "blob" | "buffer" => "`bytes`, with its size: `bytes(..64 KB)`",
        "guid" => "`uuid`",
        "array" => "`list(string(1..40), max 20)`",
        "object" | "struct" | "dict" => "`{ a string(1..40), b int }`, or `map(string(1..40), max 20)`",
        "enum" | "oneof" => "the words themselves: `a | b | c`",
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn named_type(&mut self, named: &ast::TypeName) -> Type {
        let name = self.name(named.name());
        let mut args = Arguments::read(self, &name.text, named);
        let ty = self.with_arguments(&name, &mut args);
        let form = TYPES.iter().find(|(known, _)| name.is(known)).map(|(_, form)| *form);
        // An unknown type is one problem, whatever is in its parentheses.
        let is_known = !matches!(ty, Type::Undeclared);
        for (text, span) in args.left().filter(|_| is_known) {
            let title = match form {
                Some(form) => format!("`{name}` does not take `{text}`: `{form}` is its form"),
                None => format!("`{name}` takes nothing in parentheses"),
            };
            self.problems.push(TYPE.at(span, title).label("has no meaning here"));
        }
        self.some_value_fits(&ty, self.span(named.range()));
        ty
    }

    fn with_arguments(&mut self, name: &Name, args: &mut Arguments) -> Type {
        match name.text.as_str() {
            "string" => text(StringFormat::Plain, args),
            "slug" => text(StringFormat::Slug, args),
            "email" => text(StringFormat::Email, args),
            "url" => text(StringFormat::Url, args),
            "cron" => text(StringFormat::Cron, args),
            "matching" => {
                let pattern = args.text();
                if pattern.is_none() {
                    let note = "Write `matching(\"[a-z]+\")`: a regular expression.";
                    self.problems.push(TYPE.at(name.span, "`matching` does not say what").note(note));
                }
                let format = StringFormat::Matching(pattern.unwrap_or_default());
                match args.max() {
                    Some(max) => Type::String { format, min: 0, max: Some(max) },
                    None => text(format, args),
                }
            }
            "id" => Type::Id {
                prefix: args.text().unwrap_or_default(),
                body: args.body().unwrap_or(IdBody::Uuid),
            },
            "uuid" => Type::Id { prefix: String::new(), body: IdBody::Uuid },
            "ulid" => Type::Id { prefix: String::new(), body: IdBody::Ulid },
            "nanoid" => {
                let length = args.number().unwrap_or(NANOID_CHARACTERS);
                Type::Id { prefix: String::new(), body: IdBody::Nanoid(length) }
            }
            "token" => Type::Token {
                prefix: args.text().unwrap_or_default(),
                length: args.number().unwrap_or(TOKEN_CHARACTERS),
            },
            "int" => {
                let (min, max) = args.range().unwrap_or_default();
                Type::Int { min, max }
            }
            "decimal" => Type::Decimal {
                digits: args.number().unwrap_or(MAX_DIGITS),
                scale: args.number().unwrap_or_default(),
            },
            "bool" => Type::Bool,
            "bytes" => Type::Bytes { max: args.at_most() },
            "time" => {
                let unit = args.word();
                Type::Time { unit: self.time_unit(unit) }
            }
            "date" => Type::Date,
            "month" => Type::Month,
            "json" => Type::Json { of: self.element(args) },
            "list" => Type::List { of: self.element(args), max: args.max() },
            "map" => Type::Map { of: self.element(args), max: args.max() },
            "set" => Type::Set { of: self.element(args), max: args.max() },
            "any" => Type::Any { max: args.max() },
            "new" => self.input(InputKind::New, name, args),
            "patch" => self.input(InputKind::Patch, name, args),
            "key" => self.input(InputKind::Key, name, args),
            _ => self.declared_type(name),
        }
    }

    /// The type of the elements; anything if none is written.
    fn element(&mut self, args: &mut Arguments) -> Box<Type> {
        Box::new(match args.ty() {
            Some(ty) => self.ty(Some(&ty)),
            None => Type::Any { max: None },
        })
    }

    /// `new(E)`, `patch(E)` or `key(E)`; without an entity, the name of a type that someone declared.
    fn input(&mut self, of: InputKind, name: &Name, args: &mut Arguments) -> Type {
        let Some(entity) = args.word() else { return self.declared_type(name) };
        if !self.declared.entities.contains(&entity.text) {
            let mut problem = TYPE.at(entity.span, format!("there is no entity called `{entity}`"));
            let known = self.declared.entities.iter().map(String::as_str);
            if let Some(near) = nearest(&entity.text, known) {
                problem = problem.label(format!("did you mean `{near}`?"));
            }
            self.problems.push(problem);
        }
        Type::Input { of, entity: entity.text }
    }

    /// Reports a type that no value has: every call that gives one would be refused.
    fn some_value_fits(&mut self, ty: &Type, span: Span) {
        let nothing = |low: String, high: String| format!("nothing is in {low}..{high}");
        let why = match ty {
            Type::Int { min: Some(min), max: Some(max) } if min > max => {
                nothing(min.to_string(), max.to_string())
            }
            Type::String { min, max: Some(max), .. } if min > max => {
                nothing(min.to_string(), max.to_string())
            }
            Type::Decimal { digits, .. } if !(1..=MAX_DIGITS).contains(digits) => {
                format!("a decimal has 1 to {MAX_DIGITS} digits, not {digits}")
            }
            Type::Decimal { digits, scale } if scale > digits => {
                format!("{scale} digits of a decimal cannot all be among {digits}")
            }
            Type::Token { length: 0, .. } => "a token without characters is not a secret".to_owned(),
            Type::Id { body: IdBody::Nanoid(0), .. } => {
                "an id without characters is the same for all".to_owned()
            }
            _ => return,
        };
        self.problems.push(TYPE.at(span, why));
    }

    fn time_unit(&mut self, word: Option<Name>) -> TimeUnit {
        let Some(word) = word else { return TimeUnit::Unstated };
        match word.text.as_str() {
            "iso" => TimeUnit::Iso,
            "iso_s" => TimeUnit::IsoSeconds,
            "ms" => TimeUnit::Milliseconds,
            "s" => TimeUnit::Seconds,
            other => {
                let title = format!("`{other}` is not a form of time");
                self.problems.push(TYPE.at(word.span, title).note("The forms are iso, iso_s, ms and s."));
                TimeUnit::Unstated
            }
        }
    }

    fn declared_type(&mut self, name: &Name) -> Type {
        if let Some(each) = self.declared.enums.get(&name.text) {
            let members =
                each.members().filter_map(|member| Some(member.name()?.text().to_owned())).collect();
            let open = each.members().any(|member| member.is_open());
            return Type::Enum { name: Some(name.text.clone()), members, open };
        }
        if self.declared.records.contains(&name.text) {
            return Type::Record { name: name.text.clone() };
        }
        if !name.text.is_empty() {
            let declared = self.declared.enums.keys().map(String::as_str);
            let types = TYPES.into_iter().map(|(known, _)| known);
            let known = types.chain(declared).chain(self.declared.records.iter().map(String::as_str));
            let mut problem = TYPE.at(name.span, format!("there is no type `{name}`"));
            if let Some((known, form)) = TYPES.iter().find(|(known, _)| name.is(known)) {
                problem = problem.label(format!("`{known}` names an entity: `{form}`"));
            } else if let Some(ours) = ours(&name.text) {
                problem = problem.label(format!("write {ours}"));
            } else if let Some(near) = nearest(&name.text, known) {
                problem = problem.label(format!("did you mean `{near}`?"));
            } else if self.declared.entities.contains(&name.text) {
                problem = problem.label("an entity is referred to by `->`");
            }
            self.problems.push(problem);
        }
        Type::Undeclared
    }
}

/// A type of text: a range of lengths, or exactly one length.
fn text(format: StringFormat, args: &mut Arguments) -> Type {
    if let Some(length) = args.number() {
        return Type::String { format, min: length, max: Some(length) };
    }
    let (min, max) = args.lengths().unwrap_or_default();
    Type::String { format, min, max }
}
