//! Types, attributes, enums.

use super::Lower;
use crate::model::*;
use crate::problems::{ANNOTATION, NUMBER, TYPE, nearest};
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode};
use sortkey_syntax::{Kind, TextRange};

/// The annotations of the language.
const ANNOTATIONS: [&str; 14] = [
    "immutable",
    "transient",
    "virtual",
    "secret",
    "internal",
    "encrypted",
    "personal",
    "normalize",
    "unique",
    "counter",
    "counts",
    "version",
    "null",
    "was",
];

/// The types of the language.
const TYPES: [&str; 24] = [
    "string", "slug", "email", "url", "cron", "matching", "id", "uuid", "ulid", "token", "int", "decimal",
    "bool", "bytes", "time", "date", "month", "json", "list", "map", "set", "any", "new", "key",
];

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

/// The range of an attribute without the comma behind it: the comma belongs to the list,
/// and a repair inserts before it.
fn without_comma(attribute: &ast::Attribute) -> TextRange {
    let range = attribute.range();
    let mut last = attribute.syntax().last_token();
    while let Some(token) = last.take_if(|token| token.kind() == Kind::Comma || token.kind().is_trivia()) {
        last = token.prev_token();
    }
    last.map_or(range, |token| TextRange::new(range.start(), token.text_range().end().max(range.start())))
}

impl Lower<'_> {
    pub(super) fn attributes(&mut self, attributes: impl Iterator<Item = ast::Attribute>) -> Vec<Attribute> {
        attributes.map(|attribute| self.attribute(&attribute)).collect()
    }

    pub(super) fn attribute(&mut self, attribute: &ast::Attribute) -> Attribute {
        let written = attribute.ty();
        Attribute {
            name: self.name(attribute.name()),
            optional: attribute.is_optional(),
            ty: self.ty(written.as_ref()),
            ty_span: written.map(|ty| self.span(ty.range())),
            reference: attribute.reference().map(|reference| self.reference(&reference)),
            value: attribute.value().map(|(derived, value)| Fill { derived, value: self.expr(&value) }),
            when: attribute.when().and_then(|when| when.condition()).map(|expr| self.expr(&expr)),
            annotations: attribute.annotations().map(|annotation| self.annotation(&annotation)).collect(),
            span: self.span(without_comma(attribute)),
        }
    }

    fn reference(&mut self, reference: &ast::Reference) -> Reference {
        Reference {
            entity: self.name(reference.entity()),
            attribute: reference.attribute().map(|name| self.name(Some(name))),
            on_delete: match (reference.cascades(), reference.keeps()) {
                (true, _) => Some(OnDelete::Cascade),
                (_, true) => Some(OnDelete::Keep),
                _ => None,
            },
            span: self.span(reference.range()),
        }
    }

    fn annotation(&mut self, annotation: &ast::Annotation) -> Annotation {
        let name = self.name(annotation.name());
        if !ANNOTATIONS.contains(&name.text.as_str()) && !name.text.is_empty() {
            let mut problem = ANNOTATION.at(name.span, format!("`@{name}` is not an annotation"));
            if let Some(near) = nearest(&name.text, ANNOTATIONS.into_iter()) {
                problem = problem.label(format!("did you mean `@{near}`?"));
            }
            self.problems.push(problem);
        }
        Annotation {
            name,
            args: self.args(annotation.args().as_ref()).values,
            span: self.span(annotation.range()),
        }
    }

    pub(super) fn enumeration(&mut self, each: &ast::Enum) -> Enum {
        let open = each.members().find(ast::Member::is_open);
        Enum {
            name: self.name(each.name()),
            members: each
                .members()
                .filter(|member| !member.is_open())
                .map(|member| Member {
                    name: self.name(member.name()),
                    constants: member
                        .constants()
                        .map(|constant| {
                            let hole = self.span(constant.range());
                            (
                                self.name(constant.name()),
                                self.expr_or_missing(constant.value().as_ref(), hole),
                            )
                        })
                        .collect(),
                })
                .collect(),
            open: open.is_some(),
            open_span: open.map(|member| self.span(member.range())),
            span: self.span(each.range()),
        }
    }

    /// A type; the parser bounds how deep types nest.
    pub(super) fn ty(&mut self, ty: Option<&ast::Type>) -> Type {
        match ty {
            None => Type::Undeclared,
            Some(ast::Type::Object(object)) => {
                Type::Object { attributes: self.attributes(object.attributes()) }
            }
            Some(ast::Type::Union(union)) => Type::Enum {
                name: None,
                members: union.members().map(|name| name.text().to_owned()).collect(),
                open: union.open().is_some(),
            },
            Some(ast::Type::Named(named)) => self.named_type(named),
        }
    }

    fn named_type(&mut self, named: &ast::TypeName) -> Type {
        let name = self.name(named.name());
        let args = TypeArgs::read(self, named);
        self.some_value_fits(&args, &name.text, named);
        let max = args.max;
        let (low, high) = args.range;
        let length = |format| Type::String {
            format,
            min: low.or(args.numbers.first().copied()).unwrap_or(0).max(0) as u64,
            max: high.or(args.numbers.first().copied()).map(|max| max.max(0) as u64),
        };
        let body = |fallback| args.body.unwrap_or(fallback);
        match name.text.as_str() {
            "string" => length(StringFormat::Plain),
            "slug" => length(StringFormat::Slug),
            "email" => length(StringFormat::Email),
            "url" => length(StringFormat::Url),
            "cron" => length(StringFormat::Cron),
            "matching" => Type::String {
                format: StringFormat::Matching(args.text.unwrap_or_default()),
                min: 0,
                max: max.or(high.map(|high| high.max(0) as u64)),
            },
            "id" => Type::Id { prefix: args.text.unwrap_or_default(), body: body(IdBody::Uuid) },
            "uuid" => Type::Id { prefix: String::new(), body: IdBody::Uuid },
            "ulid" => Type::Id { prefix: String::new(), body: IdBody::Ulid },
            "nanoid" => Type::Id { prefix: String::new(), body: body(IdBody::Nanoid(21)) },
            "token" => Type::Token {
                prefix: args.text.unwrap_or_default(),
                length: args.numbers.first().map_or(32, |length| (*length).max(0) as u64),
            },
            "int" => Type::Int { min: low, max: high },
            "decimal" => Type::Decimal {
                digits: args.numbers.first().map_or(38, |digits| (*digits).max(0) as u64),
                scale: args.numbers.get(1).map_or(0, |scale| (*scale).max(0) as u64),
            },
            "bool" => Type::Bool,
            "bytes" => {
                Type::Bytes { max: high.or(args.numbers.first().copied()).map(|max| max.max(0) as u64) }
            }
            "time" => Type::Time { unit: self.time_unit(args.word.as_deref(), name.span) },
            "date" => Type::Date,
            "month" => Type::Month,
            "json" => Type::Json { of: Box::new(args.ty.unwrap_or(Type::Any { max: None })) },
            "list" => Type::List { of: Box::new(args.ty.unwrap_or(Type::Any { max: None })), max },
            "map" => Type::Map { of: Box::new(args.ty.unwrap_or(Type::Any { max: None })), max },
            "set" => Type::Set { of: Box::new(args.ty.unwrap_or(Type::Any { max: None })), max },
            "any" => Type::Any { max },
            "new" | "patch" | "key" if args.word.is_some() => Type::Input {
                of: match name.text.as_str() {
                    "new" => InputKind::New,
                    "patch" => InputKind::Patch,
                    _ => InputKind::Key,
                },
                entity: args.word.unwrap_or_default(),
            },
            _ => self.declared_type(&name),
        }
    }

    /// Reports a type that no value has: every call that gives one would be refused.
    fn some_value_fits(&mut self, args: &TypeArgs, name: &str, named: &ast::TypeName) {
        let why = match (name, args) {
            (_, TypeArgs { range: (Some(low), Some(high)), .. }) if low > high => {
                format!("nothing is in {low}..{high}")
            }
            ("string" | "slug" | "email" | "url" | "cron", TypeArgs { range: (Some(low), _), .. })
                if *low < 0 =>
            {
                format!("a length is never {low}")
            }
            ("decimal", TypeArgs { numbers, .. }) if matches!(numbers[..], [digits, scale] if scale > digits) =>
            {
                format!("{} digits of a decimal cannot all be among {}", numbers[1], numbers[0])
            }
            ("token", TypeArgs { numbers, .. }) if numbers.first() == Some(&0) => {
                "a token without characters is not a secret".to_owned()
            }
            (_, TypeArgs { body: Some(IdBody::Nanoid(0)), .. }) => {
                "an id without characters is the same for all".to_owned()
            }
            _ => return,
        };
        let span = self.span(named.range());
        self.problems.push(TYPE.at(span, why));
    }

    fn time_unit(&mut self, word: Option<&str>, span: Span) -> TimeUnit {
        match word {
            None => TimeUnit::Unstated,
            Some("iso") => TimeUnit::Iso,
            Some("iso_s") => TimeUnit::IsoSeconds,
            Some("ms") => TimeUnit::Milliseconds,
            Some("s") => TimeUnit::Seconds,
            Some(other) => {
                let title = format!("`{other}` is not a form of time");
                self.problems.push(TYPE.at(span, title).note("The forms are iso, iso_s, ms and s."));
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
            let known =
                TYPES.into_iter().chain(declared).chain(self.declared.records.iter().map(String::as_str));
            let mut problem = TYPE.at(name.span, format!("there is no type `{name}`"));
            if let Some(ours) = ours(&name.text) {
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

/// The arguments of a type, sorted by what they look like.
#[derive(Default)]
struct TypeArgs {
    range: (Option<i64>, Option<i64>),
    numbers: Vec<i64>,
    text: Option<String>,
    max: Option<u64>,
    body: Option<IdBody>,
    /// A bare word: `iso` in `time(iso)`, the entity in `key(Event)`.
    word: Option<String>,
    ty: Option<Type>,
}

impl TypeArgs {
    fn read(lower: &mut Lower<'_>, named: &ast::TypeName) -> TypeArgs {
        let takes_word = matches!(
            named.name().as_ref().map(ast::Name::text),
            Some("time" | "new" | "patch" | "key" | "id" | "nanoid")
        );
        let mut args = TypeArgs::default();
        for arg in named.args() {
            if arg.is_range() {
                let bound = |lower: &mut Lower<'_>, bound: Option<ast::Bound>| {
                    bound.map(|bound| {
                        let digits = bound.number.digits().replace('_', "");
                        let count = match (bound.number.unit(), digits.parse::<i64>()) {
                            ("", Ok(count)) => count,
                            ("", Err(_)) if !digits.contains('.') => {
                                let span = lower.span(bound.number.range());
                                let title = format!("{digits} does not fit into 64 bits");
                                let note = "An `int` lies between -9223372036854775808 and 9223372036854775807; `decimal(38, 0)` is longer.";
                                lower.problems.push(NUMBER.at(span, title).note(note));
                                i64::MAX
                            }
                            _ => i64::try_from(lower.count(&bound.number)).unwrap_or(i64::MAX),
                        };
                        if bound.negative { -count } else { count }
                    })
                };
                let (low, high) = arg.bounds();
                args.range = (bound(lower, low), bound(lower, high));
            } else if let (Some(word), Some(number)) = (arg.word(), arg.number()) {
                let count = lower.count(&number);
                match word.text() {
                    "nanoid" => args.body = Some(IdBody::Nanoid(count)),
                    _ => args.max = Some(count),
                }
            } else if let Some(number) = arg.number() {
                args.numbers.push(i64::try_from(lower.count(&number)).unwrap_or(i64::MAX));
            } else if let Some(text) = arg.text() {
                args.text = Some(text.value());
            } else if let Some(ty) = arg.ty() {
                match &ty {
                    ast::Type::Named(inner) if takes_word => {
                        let word = lower.name(inner.name()).text;
                        match word.as_str() {
                            "uuid" => args.body = Some(IdBody::Uuid),
                            "ulid" => args.body = Some(IdBody::Ulid),
                            _ => args.word = Some(word),
                        }
                    }
                    _ => args.ty = Some(lower.ty(Some(&ty))),
                }
            }
        }
        args
    }
}
