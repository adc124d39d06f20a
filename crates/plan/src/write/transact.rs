//! `transact { }`: everything in one request.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, Statement, StatementKind, Value};

use super::each::SOME;
use super::{Deed, Parts, Plan, describe};
use crate::flow::Flow;
use crate::request::Request;

/// The parts of a transaction, as they are collected.
#[derive(Default)]
struct Gathered {
    /// The reads before it.
    before: Vec<Flow>,
    /// The writes, and whether each certainly happens.
    deeds: Vec<(Deed, bool)>,
    parts: Parts,
}

impl<'p> Plan<'p> {
    /// A `transact` is one request; the reads it needs come before it, sweeps around it.
    pub(super) fn transact(&mut self, body: &'p [Statement]) -> Flow {
        let mut gathered = Gathered::default();
        self.gather(body, false, &mut gathered);
        let Gathered { mut before, deeds, mut parts } = gathered;
        if parts.is_empty() {
            return Flow::Seq(before);
        }
        let surely = parts.iter().any(|(part, _)| !part.sometimes && !part.many);
        self.add_receipt(&mut parts, surely);
        let swept: Vec<Flow> = deeds.iter().map(|(deed, _)| self.sweeps(deed, &mut Vec::new())).collect();
        let parents = || deeds.iter().zip(&swept).filter(|(_, swept)| !swept.is_nothing());
        let perhaps = |flow: Flow, surely: bool| if surely { flow } else { flow.each("those", 1.0).maybe() };
        let (mut done, mut refused) = (Vec::new(), Vec::new());
        for ((deed, surely), swept) in parents() {
            let begun = Flow::Seq(vec![self.looked(deed), self.noted(deed, "note the cascade of")]);
            before.push(perhaps(begun, *surely));
            let Flow::Any(ends) = self.aftermath(deed, swept.clone()) else { continue };
            let mut ends = ends.into_iter().map(|flow| perhaps(flow, *surely));
            done.extend(ends.next());
            refused.extend(ends.next());
        }
        let write = Request::write(parts);
        let after = std::mem::take(&mut self.after);
        Flow::Seq(vec![
            Flow::Write { before: Box::new(Flow::Seq(before)), write },
            Flow::Any(vec![Flow::Seq(done), Flow::Seq(refused)]),
            Flow::Seq(after),
        ])
    }

    fn gather(&mut self, body: &'p [Statement], many: bool, into: &mut Gathered) {
        for statement in body {
            match &statement.kind {
                StatementKind::Let { value: Value::Action(action), .. }
                | StatementKind::Do(Value::Action(action)) => self.gather_action(action, many, into),
                StatementKind::Each { list, body, .. } => {
                    into.before.push(self.calls(list));
                    let outer = std::mem::take(&mut into.before);
                    self.gather(body, true, into);
                    let inner = std::mem::replace(&mut into.before, outer);
                    into.before.push(Flow::Seq(inner).each(self.name_of(list), SOME));
                }
                _ => {
                    let flow = self.statement(statement);
                    into.before.push(flow);
                }
            }
        }
    }

    fn gather_action(&mut self, action: &'p Action, many: bool, into: &mut Gathered) {
        into.before.extend(action.when.iter().map(|when| self.calls(when)));
        let deed = Deed::of(self.program, action);
        let item = describe::action(self.program, self.operation, action, &deed);
        let reads = match action.verb {
            WriteVerb::Get => self.get(action.entity, action.strong, item.clone()),
            _ => Flow::Seq(vec![self.references(action), self.read_back(&deed)]),
        };
        into.before.push(if action.when.is_some() { reads.maybe() } else { reads });
        if action.verb == WriteVerb::Get {
            return;
        }
        let seen = self.seen_after(&deed, action);
        self.after.push(seen);
        let mut own = self.parts(&deed, item, action.when.is_some());
        own.iter_mut().for_each(|(part, _)| part.many = many);
        into.parts.extend(own);
        into.deeds.push((deed, action.when.is_none() && !many));
    }
}
