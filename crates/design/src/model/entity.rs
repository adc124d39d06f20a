//! Entities: attributes, templates, and the rules that hold for every item.

use super::{Expr, Fields, Name, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// A kind of item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    /// Its name.
    pub name: Name,
    /// The table it lives in.
    pub table: Name,
    /// Stored attributes that are computed from others.
    pub templates: Vec<Template>,
    /// Its attributes, those of mixins included.
    pub attributes: Vec<Attribute>,
    /// The unique attributes.
    pub uniques: Vec<Unique>,
    /// The conditions that always hold.
    pub checks: Vec<Check>,
    /// The attribute that names the owner.
    pub tenant: Option<Name>,
    /// When an item counts as deleted.
    pub deleted: Option<Expr>,
    /// State machines.
    pub states: Vec<States>,
    /// How many and how large.
    pub volume: Option<Volume>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// An attribute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// Whether it may be absent.
    pub optional: bool,
    /// Its own type; `Undeclared` if a reference supplies it.
    #[serde(rename = "type")]
    pub ty: Type,
    /// The span of the type.
    #[serde(skip)]
    pub ty_span: Option<Span>,
    /// Its target.
    pub reference: Option<Reference>,
    /// The expression that fills it.
    pub value: Option<Fill>,
    /// When it is present.
    pub when: Option<Expr>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `-> Profile.profileId on delete cascade`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The entity.
    pub entity: Name,
    /// The attribute, if it is not called the same.
    pub attribute: Option<Name>,
    /// The effect of deleting the other item; none if the design leaves it open.
    pub on_delete: Option<OnDelete>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// The effect on children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnDelete {
    /// They are deleted too.
    Cascade,
    /// They stay, on purpose.
    Keep,
}

/// The value that fills an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fill {
    /// `:=` keeps it derived for ever; `=` fills it at creation.
    pub derived: bool,
    /// The value.
    pub value: Expr,
}

/// `@normalize(trim, lower)`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Annotation {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub args: Vec<(Option<Name>, Expr)>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `PK = "USER#{userId}" when ...`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Template {
    /// The stored attribute.
    pub name: Name,
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// When it is present.
    pub when: Option<Expr>,
    /// The span of the text.
    #[serde(skip)]
    pub text_span: Span,
    /// The span of the whole template.
    #[serde(skip)]
    pub span: Span,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// Text as it is.
    Literal(String),
    /// The text of an attribute.
    Slot {
        /// The attribute.
        attribute: Name,
        /// How its text is made.
        format: Option<SlotFormat>,
    },
}

/// How a slot's text is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlotFormat {
    /// Zero-padded to a width.
    Pad(u32),
    /// A time in one of the forms `iso`, `ms`, `s`, `date`, `month`.
    Time(String),
    /// Delimiters percent-encoded.
    Escape,
    /// Lower case.
    Lower,
}

/// `unique email when ... else EmailTaken`, or `@unique`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unique {
    /// The attributes that together are unique.
    pub names: Vec<Name>,
    /// Only among these items.
    pub when: Option<Expr>,
    /// The error.
    pub error: Option<Name>,
    /// The index that `@unique(via: ...)` wrongly relies on.
    #[serde(skip)]
    pub via: Option<Name>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `check a <= b else Error`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The condition.
    pub condition: Expr,
    /// The error.
    pub error: Option<Name>,
}

/// `states status { ... }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct States {
    /// The attribute, as a path.
    pub path: Vec<Name>,
    /// The moves.
    pub transitions: Vec<Transition>,
    /// The fields that are written on entry.
    pub enters: Vec<Enter>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `a, b -> c if ...`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transition {
    /// Before.
    pub from: Vec<Name>,
    /// After.
    pub to: Vec<Name>,
    /// Further conditions.
    pub condition: Option<Expr>,
}

/// `enter c { ... }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Enter {
    /// The states.
    pub states: Vec<Name>,
    /// The fields that are written.
    pub fields: Fields,
}

/// `volume 5_000 items, 1 KB each, 20 per userId max 200`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Volume {
    /// How many items.
    pub items: u64,
    /// The usual size of one, in bytes.
    pub each_bytes: Option<u64>,
    /// How many items share a value of an attribute: usual and largest.
    pub per: Vec<(Name, u64, Option<u64>)>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

impl Entity {
    /// The attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name.is(name))
    }

    /// The template that fills a stored attribute.
    pub fn template(&self, name: &str) -> Option<&Template> {
        self.templates.iter().find(|template| template.name.is(name))
    }

    /// Whether something of that name is stored.
    pub fn stores(&self, name: &str) -> bool {
        self.template(name).is_some() || self.attribute(name).is_some_and(Attribute::is_stored)
    }
}

impl Attribute {
    /// The annotation of that name.
    pub fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|annotation| annotation.name.is(name))
    }

    /// Whether it has the annotation.
    pub fn has(&self, annotation: &str) -> bool {
        self.annotation(annotation).is_some()
    }

    /// Whether it is in the item at all.
    pub fn is_stored(&self) -> bool {
        !self.has("transient") && !self.has("virtual")
    }

    /// Whether it is always recomputed.
    pub fn is_derived(&self) -> bool {
        self.value.as_ref().is_some_and(|fill| fill.derived)
    }

    /// Whether an item may lack it.
    pub fn may_be_absent(&self) -> bool {
        self.optional || self.when.is_some()
    }

    /// The span of the type, or else of the name.
    pub fn type_place(&self) -> Span {
        self.ty_span.unwrap_or(self.name.span)
    }
}

impl Template {
    /// The attributes it is made of.
    pub fn slots(&self) -> impl Iterator<Item = &Name> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot { attribute, .. } => Some(attribute),
            Piece::Literal(_) => None,
        })
    }

    /// The characters that separate slots, which `escape` encodes.
    pub fn delimiters(&self) -> Vec<char> {
        let literals = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(text) => text.chars().next(),
            Piece::Slot { .. } => None,
        });
        let begins = matches!(self.pieces.first(), Some(Piece::Literal(_)));
        let found: Vec<char> = literals.skip(usize::from(begins)).collect();
        if found.is_empty() { vec!['#'] } else { found }
    }

    /// Whether it is the same for every item.
    pub fn is_constant(&self) -> bool {
        self.slots().next().is_none()
    }

    /// The text before the first slot.
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// The template as it is written.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Slot { attribute, .. } => {
                    text.push('{');
                    text.push_str(&attribute.text);
                    text.push('}');
                }
            }
        }
        text
    }
}

impl Unique {
    /// The attribute, if it is one alone.
    pub fn single(&self) -> Option<&Name> {
        match self.names.as_slice() {
            [name] => Some(name),
            _ => None,
        }
    }
}
