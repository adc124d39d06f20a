//! Operations, and the statements that they share with tests.

use super::{
    Allow, Args, Did, Else, Expr, Fields, Given, If, Load, Name, Names, Number, Params, Requires, Strong,
    When, Work, child, children, has_word, name_after, nodes, nth_name, numbers, tokens,
};
use crate::kind::{Kind, SyntaxNode};

nodes! {
    /// `[system] operation name(params) ...`
    Operation,
    /// `idempotent by scope, name for duration`
    Idempotent,
    /// `{ statements }`
    Body,
    /// `on Error { statements }`
    On,
    /// `let name = value`
    Let,
    /// `verb Entity(key) ... { fields }`
    Action,
    /// `transact { statements }`
    Transact,
    /// `each name in expr { statements }`
    Each,
    /// `require expr else Error`
    Require,
    /// `return expr`
    Return,
    /// An expression on its own.
    ExprStmt,
    /// `expect value fails Error using n requests`
    Expect,
    /// `advance duration`
    Advance,
    /// `as (caller) { statements }`
    As,
    /// `race { } { } succeeds n`
    Race,
}

/// A statement of an operation or of a test.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    Let(Let),
    Action(Action),
    Transact(Transact),
    Each(Each),
    Require(Require),
    Return(Return),
    Expr(ExprStmt),
    Expect(Expect),
    Advance(Advance),
    As(As),
    Race(Race),
    Given(Given),
    Did(Did),
    Work(Work),
}

/// The value of a `let`, an `expect` or a statement.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Action(Action),
    Expr(Expr),
}

impl Statement {
    pub(crate) fn cast(node: SyntaxNode) -> Option<Statement> {
        Some(match node.kind() {
            Kind::Let => Statement::Let(Let(node)),
            Kind::Action => Statement::Action(Action(node)),
            Kind::Transact => Statement::Transact(Transact(node)),
            Kind::Each => Statement::Each(Each(node)),
            Kind::Require => Statement::Require(Require(node)),
            Kind::Return => Statement::Return(Return(node)),
            Kind::ExprStmt => Statement::Expr(ExprStmt(node)),
            Kind::Expect => Statement::Expect(Expect(node)),
            Kind::Advance => Statement::Advance(Advance(node)),
            Kind::As => Statement::As(As(node)),
            Kind::Race => Statement::Race(Race(node)),
            Kind::Given => Statement::Given(Given(node)),
            Kind::Did => Statement::Did(Did(node)),
            Kind::Work => Statement::Work(Work(node)),
            _ => return None,
        })
    }
}

fn statements(node: &SyntaxNode) -> impl Iterator<Item = Statement> + use<> {
    node.children().filter_map(Statement::cast)
}

fn value(node: &SyntaxNode) -> Option<Value> {
    child::<Action>(node).map(Value::Action).or_else(|| child::<Expr>(node).map(Value::Expr))
}

impl Operation {
    /// Whether it runs without a caller.
    pub fn is_system(&self) -> bool {
        nth_name(&self.0, 0).is_some_and(|name| name.text() == "system")
    }

    /// Its name.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, if self.is_system() { 2 } else { 1 })
    }

    /// Its parameters.
    pub fn params(&self) -> Option<Params> {
        child(&self.0)
    }

    /// The verb and the entity of the short form.
    pub fn short_form(&self) -> Option<(Name, Name)> {
        let equals = tokens(&self.0, Kind::Eq).next()?;
        let mut names = tokens(&self.0, Kind::Name)
            .filter(move |name| name.text_range().start() >= equals.text_range().end());
        Some((Name(names.next()?), Name(names.next()?)))
    }

    /// The attributes that the short form lists.
    pub fn short_names(&self) -> Option<Names> {
        child(&self.0)
    }

    /// Its body.
    pub fn body(&self) -> Option<Body> {
        child(&self.0)
    }

    /// The statements that run before an error is returned.
    pub fn handlers(&self) -> impl Iterator<Item = On> + use<> {
        children(&self.0)
    }

    /// The condition on the caller.
    pub fn requires(&self) -> impl Iterator<Item = Requires> + use<> {
        children(&self.0)
    }

    /// The name that makes a repeat harmless.
    pub fn idempotent(&self) -> Option<Idempotent> {
        child(&self.0)
    }

    /// Its declared load.
    pub fn load(&self) -> Option<Load> {
        child(&self.0)
    }

    /// The condition of the short form.
    pub fn condition(&self) -> Option<If> {
        child(&self.0)
    }

    /// The error of that condition.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }

    /// The rules that are silenced here.
    pub fn allows(&self) -> impl Iterator<Item = Allow> + use<> {
        children(&self.0)
    }
}

impl Idempotent {
    /// The parameter that differs from call to call: the last.
    pub fn name(&self) -> Option<Name> {
        self.names().pop()
    }

    /// The parameters within which a repeat is a repeat.
    pub fn scope(&self) -> Vec<Name> {
        let mut names = self.names();
        names.pop();
        names
    }

    /// The names between `by` and `for`.
    fn names(&self) -> Vec<Name> {
        child::<Names>(&self.0).map(|names| names.names().collect()).unwrap_or_default()
    }

    /// How long a repeat is recognised.
    pub fn period(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}

impl Body {
    /// Its statements.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        statements(&self.0)
    }
}

impl On {
    /// The error.
    pub fn error(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The statements.
    pub fn body(&self) -> Option<Body> {
        child(&self.0)
    }
}

impl Let {
    /// The name it introduces.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// Its value.
    pub fn value(&self) -> Option<Value> {
        value(&self.0)
    }

    /// The error if there is nothing.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }
}

impl Action {
    /// `create`, `update`, `get` and so on.
    pub fn verb(&self) -> Option<Name> {
        nth_name(&self.0, 0)
    }

    /// The entity.
    pub fn entity(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The arguments that determine the key.
    pub fn key(&self) -> Option<Args> {
        child(&self.0)
    }

    /// Whether a `get` is strongly consistent.
    pub fn strong(&self) -> Option<Strong> {
        child(&self.0)
    }

    /// The condition.
    pub fn condition(&self) -> Option<If> {
        child(&self.0)
    }

    /// The error of that condition.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }

    /// The fields that are written.
    pub fn fields(&self) -> Option<Fields> {
        child(&self.0)
    }

    /// Whether it runs at all.
    pub fn when(&self) -> Option<When> {
        child(&self.0)
    }
}

impl Transact {
    /// Its statements.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        statements(&self.0)
    }
}

impl Each {
    /// The name of one element.
    pub fn name(&self) -> Option<Name> {
        nth_name(&self.0, 1)
    }

    /// The elements.
    pub fn list(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The statements for each element.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        statements(&self.0)
    }
}

impl Require {
    /// The condition that must hold.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.0)
    }

    /// The error.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }
}

impl Return {
    /// The result.
    pub fn value(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl ExprStmt {
    /// An error, which this statement cannot have.
    pub fn otherwise(&self) -> Option<Else> {
        child(&self.0)
    }

    /// The expression that is evaluated.
    pub fn value(&self) -> Option<Value> {
        value(&self.0)
    }
}

impl Expect {
    /// The expression that is evaluated.
    pub fn value(&self) -> Option<Value> {
        value(&self.0)
    }

    /// The error it must fail with.
    pub fn fails(&self) -> Option<Name> {
        name_after(&self.0, "fails")
    }

    /// How many requests it must take.
    pub fn using(&self) -> Option<Number> {
        has_word(&self.0, "using").then(|| numbers(&self.0).next())?
    }
}

impl Advance {
    /// By how much the clock moves.
    pub fn by(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}

impl As {
    /// The caller.
    pub fn caller(&self) -> Option<Args> {
        child(&self.0)
    }

    /// The statements that they run.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        statements(&self.0)
    }
}

impl Race {
    /// The branches that run at the same time.
    pub fn bodies(&self) -> impl Iterator<Item = Body> + use<> {
        children(&self.0)
    }

    /// How many may succeed.
    pub fn succeeds(&self) -> Option<Number> {
        numbers(&self.0).next()
    }
}
