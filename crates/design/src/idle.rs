//! Clauses that would be read and have no effect where they stand: the page of a `get`, the condition of a read by key, a
//! statement behind a `return`. The grammar judges shape only, so they are refused here.

use crate::facts::actions;
use crate::model::*;
use crate::problems::ARGUMENT;
use sortkey_diagnostics::{Diagnostic, Span};

/// Reports clauses that change nothing.
pub(crate) fn check(design: &Design, problems: &mut Vec<Diagnostic>) {
    let mut idle = Idle { problems };
    design.patterns.iter().for_each(|each| idle.pattern(each));
    design.operations.iter().for_each(|each| idle.operation(each));
    design.tests.iter().for_each(|each| idle.body(&each.body, false));
    for worker in &design.workers {
        if let (Trigger::Every { .. }, Some((name, _))) = (&worker.trigger, &worker.per) {
            let note = "`every` starts one run at a time, and no item takes part in it.";
            idle.report(name.span, format!("`concurrency` per `{name}` needs an item"), note);
        }
    }
}

struct Idle<'p> {
    problems: &'p mut Vec<Diagnostic>,
}

impl Idle<'_> {
    fn report(&mut self, span: Span, title: impl Into<String>, note: &str) {
        self.problems.push(ARGUMENT.at(span, title).label("would have no effect").note(note));
    }

    /// What a verb answers decides which clauses it has.
    fn pattern(&mut self, pattern: &Pattern) {
        let one = matches!(pattern.verb, ReadVerb::Get | ReadVerb::Exists);
        let folds = matches!(pattern.verb, ReadVerb::Count | ReadVerb::Sum | ReadVerb::Exists);
        let verb = word(pattern.verb);
        let answer = match pattern.verb {
            ReadVerb::Get => "answers one item",
            ReadVerb::Exists => "answers yes or no",
            _ => "answers one number, of all items",
        };
        let clauses = [
            ("page", pattern.page.is_some() && (one || folds)),
            ("limit", pattern.limit.is_some() && (one || folds)),
            ("all", pattern.all && one),
            ("select", pattern.select.is_some() && folds),
            ("then get", pattern.then.is_some() && (one || folds)),
            ("an order", pattern.order.is_some() && folds),
        ];
        for (clause, _) in clauses.into_iter().filter(|(_, is_idle)| *is_idle) {
            let title = match clause {
                "an order" => format!("`{verb}` has no order"),
                _ => format!("`{verb}` takes no `{clause}`"),
            };
            self.report(pattern.verb_span, title, &format!("`{verb}` {answer}."));
        }
    }

    fn operation(&mut self, operation: &Operation) {
        if let (Some(names), Some(site)) =
            (operation.short.as_ref().and_then(|short| short.names.as_ref()), actions(operation).first())
            && matches!(site.action.verb, WriteVerb::Delete | WriteVerb::Purge)
        {
            let span = names.first().map_or(operation.span, |name| name.span);
            let verb = site.action.verb.as_str();
            self.report(span, format!("`{verb}` takes the key and no attributes"), "Leave the list out.");
        }
        self.body(&operation.body, false);
        operation.handlers.iter().for_each(|(_, body)| self.body(body, false));
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&mut self, body: &[Stmt], is_part: bool) {
        let mut returned = false;
        for statement in body {
            if std::mem::replace(&mut returned, false) {
                self.report(statement.span, "nothing runs behind a `return`", "Put it before the `return`.");
            }
            match &statement.kind {
                StmtKind::Let { value: Value::Action(action), .. }
                | StmtKind::Do { value: Value::Action(action) }
                | StmtKind::Expect { value: Value::Action(action), .. } => self.action(action),
                StmtKind::Transact { body } | StmtKind::Each { body, .. } => self.body(body, true),
                StmtKind::As { body, .. } => self.body(body, is_part),
                StmtKind::Race { bodies, .. } => bodies.iter().for_each(|body| self.body(body, is_part)),
                StmtKind::Return { .. } if is_part => {
                    let note = "Name the result with `let`, and return it behind the block.";
                    self.report(statement.span, "`return` stands at the end of an operation", note);
                }
                StmtKind::Return { .. } => returned = true,
                _ => {}
            }
        }
    }

    fn action(&mut self, action: &Action) {
        let verb = action.verb.as_str();
        if action.strong && action.verb != WriteVerb::Get {
            let note = "Only a `get` chooses how it reads: every write, and what is read for it, is strong.";
            self.report(action.verb_span, format!("`{verb}` takes no `strong`"), note);
        }
        if let (WriteVerb::Get, Some(condition)) = (action.verb, &action.condition) {
            let note = "Read it with `let x = get ...`, then `require x.a = 1 else Error`.";
            self.report(condition.span, "`get` takes no `if`", note);
        }
        let writes_fields =
            !matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge | WriteVerb::Check | WriteVerb::Get);
        if let (false, Some(spread)) = (writes_fields, action.fields.spreads.first()) {
            self.report(spread.span, format!("`{verb}` writes no attributes"), "Leave `...` out.");
        }
    }
}

fn word(verb: ReadVerb) -> &'static str {
    match verb {
        ReadVerb::Get => "get",
        ReadVerb::List => "list",
        ReadVerb::Count => "count",
        ReadVerb::Exists => "exists",
        ReadVerb::Sum => "sum",
        ReadVerb::Collect => "collect",
        ReadVerb::Scan => "scan",
    }
}
