//! Calls: of functions, rules, patterns, operations, and the keys of items.

use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::functions::{self, Gives};
use super::types::entity_id;
use super::{Elaboration, Wanted, did_you_mean, missing, typed};
use crate::facts::known_key;
use crate::model;
use crate::problems::{ARGUMENT, MISMATCH, nearest};
use crate::program::{
    Arena, Arguments, AttributeId, Callee, EntityId, Expr, ExprKind, Function, Id, ItemKey, OperationId,
    Parameter, ParameterId, PatternId, RuleId, Ty, Type,
};

/// Parameters by their ids.
type Parameters = Arena<ParameterId, Parameter>;

impl<'a> Elaboration<'a, '_> {
    pub(super) fn call(
        &mut self,
        callee: &'a model::Expr,
        args: &'a model::Args,
        span: Span,
        wanted: Option<&Type>,
    ) -> Expr {
        let (design, program) = (self.design, self.program);
        let Some(name) = callee.as_name() else {
            self.infer(callee, None);
            self.values(args);
            return missing(span);
        };
        if let Some(at) = design.patterns.iter().position(|pattern| pattern.name.is(name)) {
            let (id, source) = (PatternId::new(at), &design.patterns[at]);
            self.called_pattern(source, span);
            let parameters = &program.patterns[id].signature.parameters;
            let arguments = self.arguments(name, parameters, args, span, source.name.span);
            let kind = ExprKind::Call { callee: Callee::Pattern(id), arguments };
            return typed(kind, self.pattern_result(source), span);
        }
        if let Some(at) = design.operations.iter().position(|operation| operation.name.is(name)) {
            let (id, source) = (OperationId::new(at), &design.operations[at]);
            let parameters = &program.operations[id].signature.parameters;
            let arguments = self.arguments(name, parameters, args, span, source.name.span);
            let kind = ExprKind::Call { callee: Callee::Operation(id), arguments };
            return typed(kind, self.operation_result(source, 0), span);
        }
        if let Some(at) = design.rules.iter().position(|rule| rule.name.is(name)) {
            let rule = RuleId::new(at);
            self.called_rule(&design.rules[at], span);
            let parameters = &program.rules[rule].parameters;
            // A rule about something absent is not refused: it is false.
            let outer = std::mem::replace(&mut self.lenient, true);
            let arguments = self.arguments(name, parameters, args, span, design.rules[at].name.span);
            self.lenient = outer;
            return typed(ExprKind::Rule { rule, arguments: arguments.values }, Ty::Bool, span);
        }
        if design.effect(name).is_some() {
            self.values(args);
            return self.without_do(name, span);
        }
        if let Some(entity) = entity_id(design, name) {
            let key = self.whole_key(entity, args, span);
            return typed(ExprKind::ItemAt(key), Ty::Bool, span);
        }
        match (functions::named(name), name) {
            (Some(function), _) => self.function(function, args, span, wanted),
            (None, "stored") => self.as_stored(args, span),
            (None, _) => {
                self.values(args);
                let rules = design.rules.iter().map(|rule| rule.name.text.as_str());
                let patterns = design.patterns.iter().map(|each| each.name.text.as_str());
                let operations = design.operations.iter().map(|each| each.name.text.as_str());
                let functions = Function::ALL.iter().map(|function| function.word());
                let known = functions.chain(rules).chain(patterns).chain(operations);
                self.unknown("function, rule, pattern, operation or entity", name, callee.span, known);
                missing(span)
            }
        }
    }

    /// `stored(x)`: the item as it is stored in the table.
    fn as_stored(&mut self, args: &'a model::Args, span: Span) -> Expr {
        let mut values = self.values(args);
        match values.len() {
            1 => typed(ExprKind::AsStored(Box::new(values.remove(0))), Ty::Unknown, span),
            given => {
                self.push(ARGUMENT.at(span, format!("`stored` takes one argument, not {given}")));
                missing(span)
            }
        }
    }

    /// `Entity(key) with (condition)`
    pub(super) fn with(&mut self, base: &'a model::Expr, condition: &'a model::Expr, span: Span) -> Expr {
        let item = self.infer(base, None);
        let entity = match &item.kind {
            ExprKind::ItemAt(key) => Some(key.entity),
            _ => None,
        };
        let Some(entity) = entity else {
            return Expr { ty: Ty::Bool, ..missing(span) };
        };
        let condition = self.with_item(entity, |typing| typing.condition(condition));
        typed(ExprKind::With { item: Box::new(item), condition: Box::new(condition) }, Ty::Bool, span)
    }

    fn values(&mut self, args: &'a model::Args) -> Vec<Expr> {
        args.values.iter().map(|(_, value)| self.infer(value, None)).collect()
    }

    fn function(
        &mut self,
        function: Function,
        args: &'a model::Args,
        span: Span,
        wanted: Option<&Type>,
    ) -> Expr {
        let shape = functions::shape(function);
        let (most, given) = (shape.takes.len(), args.values.len());
        let least = most - shape.optional;
        if given < least || (given > most && !shape.more) {
            let takes = match (least, shape.more) {
                (count, false) if count < most => format!("{count} to {most} arguments"),
                (1, false) => "one argument".to_owned(),
                (count, false) => format!("{count} arguments"),
                (count, true) => format!("at least {count}"),
            };
            self.push(ARGUMENT.at(span, format!("`{}` takes {takes}, not {given}", function.word())));
        }
        // The arguments of `coalesce(a, b)` must fit where its result is used;
        // other functions return a value of another type.
        let hint = wanted.filter(|_| matches!(shape.gives, Gives::Known));
        let mut arguments = Vec::with_capacity(args.values.len());
        for (at, (_, value)) in args.values.iter().enumerate() {
            let argument = self.infer(value, hint);
            let takes = shape.takes.get(at).or(shape.takes.last());
            if let Some(takes) = takes.filter(|takes| !takes.accepts(&argument.ty)) {
                let found = self.named(&argument.ty);
                let title = format!("`{}` takes {}, not {found}", function.word(), takes.describe());
                self.push(MISMATCH.at(value.span, title));
            }
            arguments.push(argument);
        }
        match function {
            Function::Csv => self.columns(&arguments),
            Function::Random => self.whole(function, 1, arguments.first()),
            Function::First | Function::Last => self.whole(function, 0, arguments.get(1)),
            _ => {}
        }
        let ty = match shape.gives {
            Gives::Text => Ty::Text,
            Gives::Number => Ty::Number,
            Gives::Bool => Ty::Bool,
            Gives::Time => Ty::Time,
            Gives::Duration => Ty::Duration,
            Gives::Map => Ty::Map,
            Gives::Bytes => Ty::Is(Arc::new(Type::Bytes { max: None })),
            Gives::Date => Ty::Date,
            Gives::Month => Ty::Month,
            Gives::First => match arguments.first().map(|first| &first.ty) {
                Some(Ty::Unknown) | None => Ty::Unknown,
                Some(list) if list.element().is_some() => list.clone(),
                Some(_) => Ty::Text,
            },
            Gives::Known => {
                let known = arguments.iter().find(|each| !matches!(each.ty, Ty::Unknown | Ty::Nothing));
                known.map_or(Ty::Unknown, |each| each.ty.clone())
            }
        };
        typed(ExprKind::Function { function, arguments }, ty, span)
    }

    /// A number that is written out is one that the function can use.
    fn whole(&mut self, function: Function, least: i64, argument: Option<&Expr>) {
        let (number, span) = match argument.map(|each| (&each.kind, each.span)) {
            Some((ExprKind::Number(number), span)) => (*number, span),
            Some((ExprKind::Negative(inner), span)) => match inner.kind {
                ExprKind::Number(number) => (number.negated(), span),
                _ => return,
            },
            _ => return,
        };
        if number.to_i64().is_none_or(|whole| whole < least) {
            let word = function.word();
            let title = format!("`{word}` takes a whole number from {least} on, not {number}");
            self.push(ARGUMENT.at(span, title));
        }
    }

    /// The columns of `csv` are attributes of the items.
    fn columns(&mut self, arguments: &[Expr]) {
        let program = self.program;
        let Some(Ty::Item(entity)) = arguments.first().and_then(|list| list.ty.element()) else { return };
        let attributes = &program.entities[entity].attributes;
        for column in &arguments[1..] {
            let ExprKind::Text(name) = &column.kind else { continue };
            match attributes.find(name).map(|id| &attributes[id]) {
                None => {
                    let known = attributes.iter().map(|each| &*each.name);
                    self.unknown("attribute", name, column.span, known);
                }
                Some(attribute) if attribute.flags.secret => {
                    self.push(ARGUMENT.at(column.span, format!("the secret `{name}` is not shown")));
                }
                Some(_) => {}
            }
        }
    }

    /// Checks arguments against parameters: none unknown, none twice, none missing, each of its type.
    pub(super) fn arguments(
        &mut self,
        callee: &str,
        parameters: &'a Parameters,
        args: &'a model::Args,
        span: Span,
        declared: Span,
    ) -> Arguments {
        let arguments = self.given_arguments(callee, parameters, args, declared);
        let is_given = |id: ParameterId| arguments.values.iter().any(|(other, _)| *other == id);
        let lacking = parameters.entries().filter(|(id, each)| !each.optional && !is_given(*id));
        let lacking: Vec<&str> = lacking.map(|(_, each)| &*each.name).collect();
        if !lacking.is_empty() && args.spreads.is_empty() {
            let title = format!("`{callee}` is not given `{}`", lacking.join("`, `"));
            let problem = ARGUMENT.at(span, title).also(declared, "declared here");
            self.push(problem.note("Only parameters marked with `?` or given a default may be left out."));
        }
        arguments
    }

    /// The arguments as they are given; any parameter may be left out.
    pub(super) fn given_arguments(
        &mut self,
        callee: &str,
        parameters: &'a Parameters,
        args: &'a model::Args,
        declared: Span,
    ) -> Arguments {
        let mut given: Vec<(ParameterId, Expr)> = Vec::new();
        let mut unknown: Vec<Arc<str>> = Vec::new();
        for (at, (name, value)) in args.values.iter().enumerate() {
            let id = match name {
                Some(name) => parameters.entries().find(|(_, each)| name.is(&each.name)).map(|(id, _)| id),
                None if at < parameters.len() => Some(self.meant(parameters, ParameterId::new(at), value)),
                None => None,
            };
            let Some(id) = id else {
                self.no_parameter(callee, parameters, name.as_ref(), (at, value), declared);
                self.infer(value, None);
                let place = || format!("argument {}", at + 1);
                unknown.push(name.as_ref().map_or_else(place, |name| name.text.clone()).into());
                continue;
            };
            let parameter = &parameters[id];
            if given.iter().any(|(other, _)| *other == id) {
                let title = format!("`{}` is given twice", parameter.name);
                self.push(ARGUMENT.at(value.span, title).also(declared, "declared here"));
            }
            let wanted = Wanted::parameter(self.declaring, parameter);
            let value = self.want(value, &if self.lenient { wanted.leniently() } else { wanted });
            given.push((id, value));
        }
        let spreads = args.spreads.iter().filter_map(|name| self.spread(name)).map(|(id, _)| id).collect();
        Arguments { values: given, spreads, unknown }
    }

    fn no_parameter(
        &mut self,
        callee: &str,
        parameters: &Parameters,
        name: Option<&model::Name>,
        (at, value): (usize, &model::Expr),
        declared: Span,
    ) {
        let problem = match name {
            Some(name) => {
                let near = nearest(&name.text, parameters.iter().map(|each| &*each.name));
                let problem = ARGUMENT.at(name.span, format!("`{callee}` has no parameter called `{name}`"));
                did_you_mean(problem, name.span, near)
            }
            None => {
                let title = format!("`{callee}` takes {} arguments, not {}", parameters.len(), at + 1);
                ARGUMENT.at(value.span, title)
            }
        };
        self.push(problem.also(declared, "declared here"));
    }

    /// `membership(accountId, userId)` with its parameters swapped: the parameter that was meant.
    fn meant(&mut self, parameters: &Parameters, id: ParameterId, value: &model::Expr) -> ParameterId {
        let parameter = &parameters[id];
        let Some(bare) = value.as_name().filter(|bare| *parameter.name != **bare) else {
            return id;
        };
        let Some((meant, _)) = parameters.entries().find(|(_, other)| *other.name == *bare) else {
            return id;
        };
        let title = format!("`{bare}` stands in the place of `{}`", parameter.name);
        let problem = ARGUMENT.at(value.span, title).also(parameter.span, "this parameter comes here");
        self.push(problem.note(format!("Name it: `{bare}: {bare}`, or change the order.")));
        meant
    }

    /// `E(a, b: x)` in an expression: the arguments make up the whole key.
    fn whole_key(&mut self, entity: EntityId, args: &'a model::Args, span: Span) -> ItemKey {
        // An item whose key is absent is not there.
        let outer = std::mem::replace(&mut self.lenient, true);
        let key = self.key_values(entity, args);
        self.lenient = outer;
        let source = &self.design.entities[entity.at()];
        let attributes = &self.program.entities[entity].attributes;
        let known: Vec<&str> = key.values.iter().map(|(id, _)| &*attributes[*id].name).collect();
        let lacking = known_key(self.design, source, &known);
        if !lacking.is_empty() && args.spreads.is_empty() {
            let title = format!("the key of `{}` needs `{}`", source.name, lacking.join("`, `"));
            let problem = ARGUMENT.at(span, title).label("not a whole key");
            self.push(problem.also(source.name.span, "the entity"));
        }
        key
    }

    /// The values of a key, each against its attribute: named, meant by their own names, or by position.
    pub(super) fn key_values(&mut self, entity: EntityId, args: &'a model::Args) -> ItemKey {
        let of = &self.program.entities[entity];
        let source = &self.design.entities[entity.at()];
        let mut values: Vec<(AttributeId, Expr)> = Vec::new();
        let mut position = 0;
        for (name, value) in &args.values {
            let bare = value.as_name().and_then(|bare| of.attributes.find(bare));
            let by_position = of.key_attributes.get(position).copied();
            position += usize::from(name.is_none());
            let id = match (name, bare) {
                (Some(name), _) => match of.attributes.find(&name.text) {
                    Some(id) => id,
                    None => {
                        self.unknown_attribute(entity, name);
                        self.infer(value, None);
                        continue;
                    }
                },
                (None, Some(bare)) => bare,
                (None, None) => match by_position {
                    Some(id) => id,
                    None => {
                        let parts = of.key_attributes.len();
                        let title = format!("the key of `{}` has {parts} parts", source.name);
                        self.push(ARGUMENT.at(value.span, title).also(source.name.span, "the entity"));
                        continue;
                    }
                },
            };
            if values.iter().any(|(earlier, _)| *earlier == id) {
                let title = format!("`{}` is given twice", of.attributes[id].name);
                self.push(ARGUMENT.at(value.span, title));
            }
            let wanted = self.wanted_of(entity, &of.attributes[id].name);
            let wanted = wanted.map(|each| if self.lenient { each.leniently() } else { each.strictly() });
            let value = match wanted {
                Some(wanted) => self.want(value, &wanted),
                None => self.infer(value, None),
            };
            values.push((id, value));
        }
        let spreads = args.spreads.iter().filter_map(|name| self.spread(name)).map(|(id, _)| id).collect();
        ItemKey { entity, values, spreads }
    }
}
