//! The file and its declarations.

use super::{
    Allow, AstNode, Attribute, Clause, Effect, Expr, Fields, Name, Names, Number, Operation, Params, Pattern,
    Route, Session, Statement, TableClause, Text, Type, TypeObject, Where, Worker, child, children,
    name_after, nodes, nth_name, numbers, text, tokens,
};
use crate::kind::{Kind, SyntaxNode};

nodes! {
    /// `design name version n`
    Header,
    /// `import "file.sk"`
    Import,
    /// `parameter name: type = default`
    Parameter,
    /// `caller { ... }`
    Caller,
    /// `defaults { ... }`
    Defaults,
    /// `enum Name { members }`
    Enum,
    /// A member of an enum.
    Member,
    /// A constant that a member carries.
    Constant,
    /// `record Name { attributes }`
    Record,
    /// `mixin Name { clauses }`
    Mixin,
    /// `table Name "deployed" { clauses }`
    Table,
    /// `entity Name in Table { clauses }`
    Entity,
    /// `rule name(params) = expr`
    Rule,
    /// `test "..." { statements }`
    Test,
    /// `claim "..." expr`
    Claim,
    /// `migrate "old.sk" [steps names] { mappings }`
    Migrate,
    /// `New from Old { fields }`
    Mapping,
    /// `module name { entries }`
    Module,
}

/// The root.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct File(SyntaxNode);

/// A declaration.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    Header(Header),
    Import(Import),
    Parameter(Parameter),
    Caller(Caller),
    Defaults(Defaults),
    Enum(Enum),
    Record(Record),
    Mixin(Mixin),
    Table(Table),
    Entity(Entity),
    Rule(Rule),
    Pattern(Pattern),
    Operation(Operation),
    Effect(Effect),
    Worker(Worker),
    Route(Route),
    Session(Session),
    Test(Test),
    Claim(Claim),
    Migrate(Migrate),
    Module(Module),
    Allow(Allow),
}

impl File {
    pub(crate) fn new(root: SyntaxNode) -> File {
        File(root)
    }

    /// The node itself.
    pub fn syntax(&self) -> &SyntaxNode {
        &self.0
    }

    /// The declarations in order.
    pub fn items(&self) -> impl Iterator<Item = Item> + use<> {
        self.0.children().filter_map(Item::cast)
    }
}

impl Item {
    fn cast(node: SyntaxNode) -> Option<Item> {
        Some(match node.kind() {
            Kind::Header => Item::Header(Header(node)),
            Kind::Import => Item::Import(Import(node)),
            Kind::Parameter => Item::Parameter(Parameter(node)),
            Kind::Caller => Item::Caller(Caller(node)),
            Kind::Defaults => Item::Defaults(Defaults(node)),
            Kind::Enum => Item::Enum(Enum(node)),
            Kind::Record => Item::Record(Record(node)),
            Kind::Mixin => Item::Mixin(Mixin(node)),
            Kind::Table => Item::Table(Table(node)),
            Kind::Entity => Item::Entity(Entity(node)),
            Kind::Rule => Item::Rule(Rule(node)),
            Kind::Pattern => Item::Pattern(Pattern(node)),
            Kind::Operation => Item::Operation(Operation(node)),
            Kind::Effect => Item::Effect(Effect(node)),
            Kind::Worker => Item::Worker(Worker(node)),
            Kind::Route => Item::Route(Route(node)),
            Kind::Session => Item::Session(Session(node)),
            Kind::Test => Item::Test(Test(node)),
            Kind::Claim => Item::Claim(Claim(node)),
            Kind::Migrate => Item::Migrate(Migrate(node)),
            Kind::Module => Item::Module(Module(node)),
            Kind::Allow => Item::Allow(Allow::cast(node)?),
            _ => return None,
        })
    }
}

impl Header {
    /// The design's name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The design's version.
    pub fn version(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}

impl Import {
    /// The file, relative to this one.
    pub fn path(&self) -> Option<Text> {
        text(&self.0)
    }
}

impl Parameter {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.0)
    }

    /// The value if none is given.
    pub fn default(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Caller {
    /// The attributes that every call carries.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute> + use<> {
        child::<TypeObject>(&self.0).into_iter().flat_map(|object| object.attributes())
    }
}

impl Defaults {
    /// The clauses that apply to every table.
    pub fn clauses(&self) -> impl Iterator<Item = TableClause> + use<> {
        self.0.children().filter_map(TableClause::cast)
    }
}

impl Enum {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its members.
    pub fn members(&self) -> impl Iterator<Item = Member> + use<> {
        children(&self.0)
    }
}

impl Member {
    /// Its name; none for `...`.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// Whether it is the `...` that lets other values in.
    pub fn is_open(&self) -> bool {
        tokens(&self.0, Kind::DotDotDot).next().is_some()
    }

    /// Its constants.
    pub fn constants(&self) -> impl Iterator<Item = Constant> + use<> {
        children(&self.0)
    }
}

impl Constant {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// Its value.
    pub fn value(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Record {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its shape.
    pub fn object(&self) -> Option<TypeObject> {
        child(&self.0)
    }
}

impl Mixin {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its clauses.
    pub fn clauses(&self) -> impl Iterator<Item = Clause> + use<> {
        self.0.children().filter_map(Clause::cast)
    }
}

impl Table {
    /// Its name in the design.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its deployed name, a template over parameters.
    pub fn deployed(&self) -> Option<Text> {
        text(&self.0)
    }

    /// Its clauses.
    pub fn clauses(&self) -> impl Iterator<Item = TableClause> + use<> {
        self.0.children().filter_map(TableClause::cast)
    }
}

impl Entity {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The table it lives in.
    pub fn table(&self) -> Option<Name> {
        name_after(&self.0, "in")
    }

    /// Its clauses.
    pub fn clauses(&self) -> impl Iterator<Item = Clause> + use<> {
        self.0.children().filter_map(Clause::cast)
    }
}

impl Rule {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its parameters.
    pub fn params(&self) -> Option<Params> {
        child(&self.0)
    }

    /// The condition that must hold.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Test {
    /// Its sentence.
    pub fn title(&self) -> Option<Text> {
        text(&self.0)
    }

    /// Its statements.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        self.0.children().filter_map(Statement::cast)
    }
}

impl Claim {
    /// The sentence of the prose.
    pub fn sentence(&self) -> Option<Text> {
        text(&self.0)
    }

    /// The fact of the design.
    pub fn fact(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Migrate {
    /// The old design's file.
    pub fn from(&self) -> Option<Text> {
        text(&self.0)
    }

    /// How it is carried out, in order.
    pub fn steps(&self) -> Option<Names> {
        child(&self.0)
    }

    /// The mappings.
    pub fn mappings(&self) -> impl Iterator<Item = Mapping> + use<> {
        children(&self.0)
    }
}

impl Mapping {
    /// The new entity.
    pub fn new_entity(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// The old entity.
    pub fn old_entity(&self) -> Option<Name> {
        name_after(&self.0, "from")
    }

    /// The condition on the old items.
    pub fn condition(&self) -> Option<Where> {
        child(&self.0)
    }

    /// The attributes that are not copied by name.
    pub fn fields(&self) -> Option<Fields> {
        child(&self.0)
    }

    /// The attributes that are combined when two old items meet on one new key.
    pub fn merge(&self) -> Option<Names> {
        self.names_after("merge")
    }

    /// The old attributes that are left behind.
    pub fn dropped(&self) -> Option<Names> {
        self.names_after("drop")
    }

    fn names_after(&self, word: &str) -> Option<Names> {
        let word = tokens(&self.0, Kind::Name).find(|token| token.text() == word)?;
        children::<Names>(&self.0).find(|names| names.range().start() >= word.text_range().end())
    }
}

impl Module {
    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its entries: exported name, and the call that it names.
    pub fn entries(&self) -> Option<Fields> {
        child(&self.0)
    }
}
