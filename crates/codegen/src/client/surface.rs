//! The language-neutral description of a program's callers' side.

/// Everything that a client of a program can name.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name of the design.
    pub name: String,
    /// Its version.
    pub version: Option<u64>,
    /// The compiled program as JSON, without its tests: what a core opens.
    pub program: String,
    /// SHA-256 of [`program`](Surface::program) in hexadecimal digits: which design a client was generated from.
    pub fingerprint: String,
    /// Deployment parameters.
    pub settings: Vec<Setting>,
    /// The attributes of a caller; empty if the design has no callers.
    pub caller: Vec<Field>,
    /// Ids that are types of their own.
    pub ids: Vec<IdType>,
    /// Declared enums.
    pub enums: Vec<Words>,
    /// Objects: items, records, inputs. [`Type::Record`] names them by their place.
    pub records: Vec<Record>,
    /// Groups of exported calls.
    pub modules: Vec<Module>,
    /// The calls that no module exports, under their own names.
    pub calls: Vec<Call>,
    /// The errors that the design declares with `else`.
    pub errors: Vec<String>,
    /// The actions outside of the database.
    pub effects: Vec<Effect>,
    /// The workers, which run by themselves.
    pub workers: Vec<Worker>,
    /// Tables whose changes can be followed.
    pub feeds: Vec<Feed>,
    /// The tables as they are created under their default names; empty if a parameter without a value is part of one.
    pub tables: Vec<TableRequest>,
}

/// A request that creates a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRequest {
    /// Its name.
    pub name: String,
    /// The body of `CreateTable`, as DynamoDB's JSON.
    pub create: String,
    /// The attribute that holds an item's expiry.
    pub time_to_live: Option<String>,
}

/// A deployment parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value where a deployment gives none; without a default it must be given.
    pub default: Option<String>,
}

/// An id that cannot be passed as another one.
#[derive(Clone, Debug, PartialEq)]
pub struct IdType {
    /// Its name: `UserId`.
    pub name: String,
    /// The beginning of its text; may be empty.
    pub prefix: String,
}

/// The words of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// Its name; empty for a union that is written in place.
    pub name: String,
    /// The words, in the order of the design.
    pub words: Vec<String>,
    /// Whether other words are accepted too.
    pub open: bool,
}

/// An object with known fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its name, which no other record, id or enum has.
    pub name: String,
    /// Its purpose.
    pub role: Role,
    /// The record whose fields it has as well, before its own.
    pub extends: Option<RecordId>,
    /// Its own fields, in the order of the design.
    pub fields: Vec<Field>,
    /// Its documentation comment.
    pub docs: Option<String>,
}

/// The place of a record in [`Surface::records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub usize);

/// The purpose of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An item as calls return it.
    Item,
    /// An item as it is returned once, by what made it: with the secrets that were generated.
    Created,
    /// An item in a collection of several kinds; `$entity` names its kind.
    Collected,
    /// The attributes that a pattern selects.
    Selected,
    /// A record of the design, or an object type written in place.
    Value,
    /// The arguments of a call.
    Input,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, as it travels.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it may be left out, or may be missing from an answer.
    pub optional: bool,
    /// Whether null is one of its values: in an answer because the design declares `@null`, in an input because null
    /// removes the attribute.
    pub nullable: bool,
}

/// The types of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Any JSON value.
    Any,
    /// Text.
    Text,
    /// An id of its own type, by its place in [`Surface::ids`].
    Id(usize),
    /// An integer that a double holds exactly.
    Integer,
    /// A decimal number that a double holds exactly.
    Number,
    /// A decimal number that a double may not hold.
    Digits,
    /// An integer that a double may not hold.
    Long,
    /// True or false.
    Bool,
    /// Bytes, which travel as Base64.
    Bytes,
    /// A time as ISO 8601 text.
    IsoTime,
    /// A time as milliseconds since 1970.
    Milliseconds,
    /// A time as seconds since 1970.
    Seconds,
    /// A time in any of these forms: only of parameters.
    AnyTime,
    /// A day, `YYYY-MM-DD`.
    Date,
    /// A month, `YYYY-MM`.
    Month,
    /// A declared enum, by its place in [`Surface::enums`].
    Enum(usize),
    /// A union written in place.
    Union(Words),
    /// A text that is always the same.
    Literal(String),
    /// A list.
    List(Box<Type>),
    /// A set, which travels as a list. An empty set is stored as none; clients see an empty one.
    Set(Box<Type>),
    /// A map from text.
    Map(Box<Type>),
    /// A record, by its place.
    Record(RecordId),
    /// One of several records, distinguished by `$entity`.
    OneOf(Vec<RecordId>),
}

/// A group of exported calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Its name in the design, which may contain dashes.
    pub name: String,
    /// Its calls.
    pub calls: Vec<Call>,
}

/// A pattern or an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its name for its callers: the module's, or its own.
    pub name: String,
    /// Its name in a core: `users.create`, or its own name.
    pub path: String,
    /// Its own name in the design.
    pub own: String,
    /// Its documentation comment.
    pub docs: Option<String>,
    /// Whether it only reads.
    pub reads: bool,
    /// Whether it needs a caller.
    pub needs_caller: bool,
    /// Its parameters, in the order of the design.
    pub parameters: Vec<Parameter>,
    /// How its parameters are grouped where a language passes arguments by position.
    pub grouping: Grouping,
    /// Its result.
    pub output: Output,
    /// The errors that are its own, by name; every call may also fail with the errors in [`COMMON`].
    pub errors: Vec<String>,
    /// Its requests: one line for a pattern, a line for each request of an operation.
    pub plan: Vec<String>,
    /// The cost of an average call.
    pub cost: Cost,
    /// The parameter that makes a repeat harmless.
    pub idempotent_by: Option<String>,
    /// Whether a version may be demanded of the item that it changes.
    pub versioned: bool,
}

/// The kinds of failures that every call may have, beside its own.
pub const COMMON: [&str; 11] = [
    "Invalid",
    "Forbidden",
    "Unauthenticated",
    "NotFound",
    "Conflict",
    "VersionDiffers",
    "TooLarge",
    "Unreadable",
    "Throttled",
    "Unavailable",
    "Internal",
];

/// A parameter of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as it travels.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether the caller's own value is taken if it is left out.
    pub of_caller: bool,
    /// Whether null removes the attribute that it sets.
    pub nullable: bool,
}

/// How parameters are grouped where a language passes arguments by position.
#[derive(Clone, Debug, PartialEq)]
pub enum Grouping {
    /// Each by itself: those that must be given first. Places in [`Call::parameters`].
    Positions(Vec<usize>),
    /// All of them as the fields of one record.
    Input(RecordId),
    /// Those that must be given of the key, the changes as fields of one record, then the rest of the key. Places in
    /// [`Call::parameters`].
    Changes {
        /// Before the record.
        before: Vec<usize>,
        /// The record of changes.
        changes: RecordId,
        /// After it.
        after: Vec<usize>,
    },
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Nothing.
    Nothing,
    /// A value.
    One {
        /// Its type.
        ty: Type,
        /// Whether there may be none.
        optional: bool,
    },
    /// Items by pages.
    Page(Type),
    /// All items at once.
    All(Type),
}

/// The cost of an average call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Requests.
    pub requests: f64,
    /// Read capacity units.
    pub rcu: f64,
    /// Write capacity units.
    pub wcu: f64,
}

/// Something that happens outside of the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Its name.
    pub name: String,
    /// The part of the program that carries it out.
    pub kind: EffectKind,
    /// The record of its arguments.
    pub arguments: RecordId,
    /// Its result.
    pub result: Type,
    /// How many milliseconds it may take.
    pub timeout_ms: u64,
}

/// The part of the program that carries out an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// The binding, as an HTTP request.
    Http,
    /// The application's mailer.
    Mail,
    /// The application, under the effect's name.
    Extern,
}

/// Something that runs by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// The trigger of a run.
    pub trigger: Trigger,
}

/// The trigger of a worker's runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// Changes of an item.
    Changes {
        /// The entity's record.
        item: RecordId,
        /// `create`, `update`, `delete` or `expire`.
        changes: Vec<&'static str>,
    },
    /// A time that an item names.
    Due {
        /// The entity's record.
        item: RecordId,
        /// How many runs there may be at a time.
        concurrency: u64,
        /// How many of those items that share one value.
        per: Option<u64>,
    },
    /// A schedule.
    Every,
}

/// A table whose changes can be followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// The table's name in the design.
    pub table: String,
    /// The kinds of items in it: the entity's name in the design, and its record.
    pub items: Vec<(String, RecordId)>,
}

impl Surface {
    /// A record by its place.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0]
    }

    /// The fields of a record, with those that it takes from another one.
    pub fn fields(&self, id: RecordId) -> Vec<&Field> {
        let record = self.record(id);
        let mut fields = record.extends.map(|base| self.fields(base)).unwrap_or_default();
        fields.extend(&record.fields);
        fields
    }

    /// Every call: of the modules, then the others.
    pub fn every_call(&self) -> impl Iterator<Item = &Call> {
        self.modules.iter().flat_map(|module| &module.calls).chain(&self.calls)
    }
}
