//! Operations and the statements of tests. The short form is expanded to its one action.

use super::Lower;
use super::patterns::both;
use crate::model::*;
use crate::problems::ARGUMENT;
use sortkey_syntax::ast::{self, AstNode, Statement, docs};

impl Lower<'_> {
    pub(super) fn operation(&mut self, operation: &ast::Operation, allows: &mut Vec<Allow>) -> Operation {
        let span = self.span(operation.range());
        allows.extend(operation.allows().map(|allow| self.allow(&allow, span)));
        let short = operation.short_form();
        let body = match &short {
            Some((verb, entity)) => vec![self.short_action(operation, verb, entity)],
            None => self.body(operation.body().as_ref()),
        };
        self.belongs_to_a_statement(operation);
        let names = operation.short_names().map(|names| self.names(Some(&names)));
        Operation {
            name: self.name(operation.name()),
            system: operation.is_system(),
            internal: false,
            params: self.params(operation.params().as_ref()),
            short: short.map(|_| ShortForm { names }),
            body,
            handlers: operation
                .handlers()
                .map(|on| (self.name(on.error()), self.body(on.body().as_ref())))
                .collect(),
            requires: operation
                .requires()
                .filter_map(|each| each.condition())
                .fold(None, |earlier, expr| both(earlier, Some(self.expr(&expr)))),
            idempotent: operation.idempotent().map(|each| {
                let period = each.period().map(|period| self.duration_ms(&period));
                (self.name(each.name()), period)
            }),
            idempotent_within: operation
                .idempotent()
                .map(|each| each.scope().into_iter().map(|name| self.name(Some(name))).collect())
                .unwrap_or_default(),
            load: operation.load().map(|load| self.load(&load)),
            span,
            docs: docs(operation.syntax()),
        }
    }

    /// An operation with a block has no condition of its own, and no error.
    fn belongs_to_a_statement(&mut self, operation: &ast::Operation) {
        let condition = operation.condition().map(|each| ("if", each.range()));
        let error = operation.otherwise().map(|each| ("else", each.range()));
        if operation.short_form().is_none()
            && let Some((word, range)) = condition.or(error)
        {
            let problem =
                ARGUMENT.at(self.span(range), format!("`{word}` belongs to a statement of the block"));
            let note = "Write `update E(key) if a = 1 else Error { ... }`, or `require a = 1 else Error`.";
            self.problems.push(problem.label("would have no effect").note(note));
        }
    }

    fn short_action(&mut self, operation: &ast::Operation, verb: &ast::Name, entity: &ast::Name) -> Stmt {
        let verb = self.name(Some(verb.clone()));
        let entity = self.name(Some(entity.clone()));
        let span = verb.span.to(entity.span);
        let action = Action {
            verb: write_verb(&verb.text),
            entity,
            condition: operation.condition().and_then(|each| each.condition()).map(|expr| self.expr(&expr)),
            error: operation.otherwise().map(|otherwise| self.name(otherwise.error())),
            span,
            verb_span: verb.span,
            ..Action::default()
        };
        Stmt { kind: StmtKind::Do { value: Value::Action(Box::new(action)) }, span }
    }

    pub(super) fn body(&mut self, body: Option<&ast::Body>) -> Vec<Stmt> {
        let statements = body.into_iter().flat_map(ast::Body::statements);
        statements.filter_map(|statement| self.statement(&statement)).collect()
    }

    fn statements(&mut self, statements: impl Iterator<Item = Statement>) -> Vec<Stmt> {
        statements.filter_map(|statement| self.statement(&statement)).collect()
    }

    /// A statement; none where the text has a hole. The parser bounds how deep blocks nest.
    pub(super) fn statement(&mut self, statement: &Statement) -> Option<Stmt> {
        let (kind, range) = match statement {
            Statement::Let(each) => {
                let kind = StmtKind::Let {
                    name: self.name(each.name()),
                    value: self.value(each.value())?,
                    error: each.otherwise().map(|otherwise| self.name(otherwise.error())),
                };
                (kind, each.range())
            }
            Statement::Action(each) => {
                (StmtKind::Do { value: Value::Action(Box::new(self.action(each))) }, each.range())
            }
            Statement::Transact(each) => {
                (StmtKind::Transact { body: self.statements(each.statements()) }, each.range())
            }
            Statement::Each(each) => {
                let hole = self.span(each.range());
                let kind = StmtKind::Each {
                    name: self.name(each.name()),
                    list: self.expr_or_missing(each.list().as_ref(), hole),
                    body: self.statements(each.statements()),
                };
                (kind, each.range())
            }
            Statement::Require(each) => {
                let hole = self.span(each.range());
                let kind = StmtKind::Require {
                    condition: self.expr_or_missing(each.condition().as_ref(), hole),
                    error: each.otherwise().map(|otherwise| self.name(otherwise.error())),
                };
                (kind, each.range())
            }
            Statement::Return(each) => {
                let hole = self.span(each.range());
                (StmtKind::Return { value: self.expr_or_missing(each.value().as_ref(), hole) }, each.range())
            }
            Statement::Expr(each) => {
                self.has_no_error(each);
                (StmtKind::Do { value: self.value(each.value())? }, each.range())
            }
            Statement::Expect(each) => {
                let kind = StmtKind::Expect {
                    value: self.value(each.value())?,
                    fails: each.fails().map(|name| self.name(Some(name))),
                    using: each.using().map(|number| self.plain(&number)),
                };
                (kind, each.range())
            }
            Statement::Advance(each) => {
                let by_ms = each.by().map_or(0, |number| self.duration_ms(&number));
                (StmtKind::Advance { by_ms }, each.range())
            }
            Statement::As(each) => {
                let kind = StmtKind::As {
                    caller: self.args(each.caller().as_ref()),
                    body: self.statements(each.statements()),
                };
                (kind, each.range())
            }
            Statement::Race(each) => {
                let kind = StmtKind::Race {
                    bodies: each.bodies().map(|body| self.body(Some(&body))).collect(),
                    succeeds: each.succeeds().map_or(0, |number| self.plain(&number)),
                };
                (kind, each.range())
            }
            Statement::Given(each) => {
                let kind = StmtKind::Given {
                    effect: self.name(each.effect()),
                    args: self.args(each.args().as_ref()),
                    result: each.result().map(|result| self.expr(&result)),
                    fails: each.fails().map(|name| self.name(Some(name))),
                };
                (kind, each.range())
            }
            Statement::Did(each) => {
                let kind = StmtKind::Did {
                    effect: self.name(each.effect()),
                    args: self.args(each.args().as_ref()),
                    times: each.times().map(|number| self.plain(&number)),
                };
                (kind, each.range())
            }
            Statement::Work(each) => (StmtKind::Work, each.range()),
        };
        Some(Stmt { kind, span: self.span(range) })
    }

    /// An expression that is a statement gives nothing that could be absent.
    fn has_no_error(&mut self, statement: &ast::ExprStmt) {
        let Some(otherwise) = statement.otherwise() else { return };
        let span = self.span(otherwise.range());
        let problem = ARGUMENT.at(span, "`else` names the error of a `let`, or of a write");
        let note = "Write `let x = pattern(key) else Error`, or handle the error of an operation with `on Error { }`.";
        self.problems.push(problem.label("would have no effect").note(note));
    }

    fn value(&mut self, value: Option<ast::Value>) -> Option<Value> {
        Some(match value? {
            ast::Value::Action(action) => Value::Action(Box::new(self.action(&action))),
            ast::Value::Expr(expr) => Value::Expr(self.expr(&expr)),
        })
    }

    fn action(&mut self, action: &ast::Action) -> Action {
        let verb = self.name(action.verb());
        Action {
            verb: write_verb(&verb.text),
            entity: self.name(action.entity()),
            key: action.key().map(|args| self.args(Some(&args))),
            strong: action.strong().is_some(),
            condition: action.condition().and_then(|each| each.condition()).map(|expr| self.expr(&expr)),
            error: action.otherwise().map(|otherwise| self.name(otherwise.error())),
            fields: self.fields(action.fields().as_ref()),
            when: action.when().and_then(|when| when.condition()).map(|expr| self.expr(&expr)),
            span: self.span(action.range()),
            verb_span: verb.span,
        }
    }
}

fn write_verb(word: &str) -> WriteVerb {
    match word {
        "put" => WriteVerb::Put,
        "update" => WriteVerb::Update,
        "upsert" => WriteVerb::Upsert,
        "delete" => WriteVerb::Delete,
        "purge" => WriteVerb::Purge,
        "check" => WriteVerb::Check,
        "get" => WriteVerb::Get,
        _ => WriteVerb::Create,
    }
}
