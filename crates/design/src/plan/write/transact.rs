//! `transact { }`: everything in one request.

use super::{Parts, Plan, SOME};
use crate::model::*;
use crate::plan::deed::Deed;
use crate::plan::describe;
use crate::plan::flow::Flow;
use crate::plan::request::Request;

impl<'d> Plan<'d> {
    /// Everything of a `transact` is one request; what must be known is read before it, sweeps run around it.
    pub(super) fn transact(&mut self, body: &'d [Stmt]) -> Flow<'d> {
        let (mut before, mut deeds, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        self.gather(body, false, &mut before, &mut deeds, &mut parts);
        if parts.is_empty() {
            return Flow::Seq(before);
        }
        let surely = parts.iter().any(|(part, _)| !part.sometimes && !part.many);
        self.add_receipt(&mut parts, surely);
        let swept: Vec<Flow<'d>> = deeds.iter().map(|(deed, _)| self.sweeps(deed, &mut Vec::new())).collect();
        if swept.iter().any(|swept| !swept.is_nothing()) {
            before.extend(deeds.iter().map(|(deed, surely)| match surely {
                true => self.foreseen(deed),
                false => self.foreseen(deed).each("those", 1.0).maybe(),
            }));
        }
        before.extend(swept.iter().cloned());
        let write = Request::write(parts);
        let after = std::mem::take(&mut self.after);
        Flow::Seq(vec![
            Flow::Write { before: Box::new(Flow::Seq(before)), write },
            Flow::Seq(swept),
            Flow::Seq(after),
        ])
    }

    pub(super) fn gather(
        &mut self,
        body: &'d [Stmt],
        many: bool,
        before: &mut Vec<Flow<'d>>,
        deeds: &mut Vec<(Deed<'d>, bool)>,
        parts: &mut Parts<'d>,
    ) {
        for statement in body {
            let (name, action) = match &statement.kind {
                StmtKind::Let { name, value: Value::Action(action), .. } => (Some(name), action),
                StmtKind::Do { value: Value::Action(action) } => (None, action),
                StmtKind::Each { name, list, body } => {
                    before.push(self.calls(list));
                    self.named.push(&name.text);
                    let mut inner = Vec::new();
                    self.gather(body, true, &mut inner, deeds, parts);
                    before.push(Flow::Seq(inner).each(list.as_name().unwrap_or("the list"), SOME));
                    continue;
                }
                _ => {
                    before.push(self.statement(statement));
                    continue;
                }
            };
            let Some(entity) = self.design.entity(&action.entity.text) else {
                continue;
            };
            before.extend(action.when.iter().map(|when| self.calls(when)));
            let item = describe::action(self.design, self.operation, entity, action);
            let deed = Deed::of(self.design, self.operation, entity, action, &self.named);
            let reads = match action.verb {
                WriteVerb::Get => self.get(entity, action.strong, item.clone()),
                _ => Flow::Seq(vec![self.references(entity, action), self.read_back(&deed)]),
            };
            before.push(if action.when.is_some() { reads.maybe() } else { reads });
            if action.verb != WriteVerb::Get {
                let seen = self.seen_after(&deed, action);
                self.after.push(seen);
                let mut own = self.parts(&deed, item, action.when.is_some());
                own.iter_mut().for_each(|(part, _)| part.many = many);
                parts.extend(own);
                deeds.push((deed, action.when.is_none() && !many));
            }
            self.named.extend(name.map(|name| name.text.as_str()));
        }
    }
}
