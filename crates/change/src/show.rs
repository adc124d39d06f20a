//! Expressions and types as a design writes them.
//!
//! Ids of two programs cannot be compared, so two expressions are compared by their text. Renamed attributes are written
//! under their new names, so that a rename alone changes no expression.

use std::collections::HashMap;

use sortkey_design::Program;
use sortkey_design::model::{Op, StringFormat};
use sortkey_design::program::{
    AttributeId, Attributes, Callee, EntityId, Expr, ExprKind, Piece, Template, Ty, Type, Words,
};

/// Names under which the attributes of the old version appear in the new one.
pub(crate) type Renames = HashMap<String, String>;

/// Writes expressions of one entity.
pub(crate) struct Show<'a> {
    pub(crate) program: &'a Program,
    /// The entity whose attributes expressions name; none outside of one.
    pub(crate) entity: Option<EntityId>,
    /// New names of its attributes.
    pub(crate) renames: Option<&'a Renames>,
}

impl Show<'_> {
    /// An expression.
    pub(crate) fn expr(&self, expr: &Expr) -> String {
        self.within(expr, 0)
    }

    /// An expression that may be left out.
    pub(crate) fn optional(&self, expr: Option<&Expr>) -> Option<String> {
        expr.map(|expr| self.expr(expr))
    }

    /// A template.
    pub(crate) fn template(&self, template: &Template) -> String {
        let mut text = String::from("\"");
        for piece in &template.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Slot { attribute, format: None } => {
                    text += &format!("{{{}}}", self.attribute(*attribute));
                }
                Piece::Slot { attribute, format: Some(format) } => {
                    let format = slot_format(format);
                    text += &format!("{{{}:{format}}}", self.attribute(*attribute));
                }
            }
        }
        text + "\""
    }

    /// The name of an attribute of the entity.
    pub(crate) fn attribute(&self, id: AttributeId) -> String {
        let attributes = self.entity.map(|entity| &self.program.entities[entity].attributes);
        let name = attributes.map(|attributes| attributes[id].name.to_string()).unwrap_or_default();
        self.renames.and_then(|renames| renames.get(&name).cloned()).unwrap_or(name)
    }

    /// An expression inside one that binds with a strength.
    fn within(&self, expr: &Expr, outer: u8) -> String {
        let all = |list: &[Expr]| list.iter().map(|each| self.expr(each)).collect::<Vec<_>>().join(", ");
        match &expr.kind {
            ExprKind::Missing => "?".to_owned(),
            ExprKind::Number(number) => number.to_string(),
            ExprKind::Text(text) => format!("{text:?}"),
            ExprKind::Word(word) => word.to_string(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Null => "null".to_owned(),
            ExprKind::Nothing => "absent".to_owned(),
            ExprKind::Now => "now".to_owned(),
            ExprKind::New => "new".to_owned(),
            ExprKind::Item => "it".to_owned(),
            ExprKind::Caller => "caller".to_owned(),
            ExprKind::Setting(id) => self.program.settings[*id].to_string(),
            ExprKind::Local(id) => format!("{id:?}"),
            ExprKind::Attribute(id) => self.attribute(*id),
            ExprKind::Sibling(id) => format!("{id:?}"),
            ExprKind::Stored(id) => match self.entity {
                Some(entity) => self.program.entities[entity].templates[*id].name.to_string(),
                None => format!("{id:?}"),
            },
            ExprKind::CallerPart(id) => format!("caller.{}", self.program.caller[*id].name),
            ExprKind::Binary { op, left, right } => {
                let (word, strength) = operator(*op);
                let text =
                    format!("{} {word} {}", self.within(left, strength), self.within(right, strength + 1));
                if strength < outer { format!("({text})") } else { text }
            }
            ExprKind::Not(operand) => format!("not {}", self.within(operand, 9)),
            ExprKind::Negative(operand) => format!("-{}", self.within(operand, 9)),
            ExprKind::Exists(operand) => format!("{} exists", self.within(operand, 9)),
            ExprKind::Absent(operand) => format!("{} absent", self.within(operand, 9)),
            ExprKind::Range { low, high } => {
                let bound = |bound: &Option<Box<Expr>>| {
                    bound.as_ref().map(|each| self.within(each, 9)).unwrap_or_default()
                };
                format!("{}..{}", bound(low), bound(high))
            }
            ExprKind::Of { item, attribute } => {
                let name = match &item.ty {
                    Ty::Item(entity) => {
                        self.program.entities[*entity].attributes[*attribute].name.to_string()
                    }
                    _ => format!("{attribute:?}"),
                };
                format!("{}.{name}", self.within(item, 9))
            }
            ExprKind::Member { base, name } => format!("{}.{name}", self.within(base, 9)),
            ExprKind::Constant { word, name, .. } => format!("{}.{name}", self.within(word, 9)),
            ExprKind::Arrow { base, to, attribute, .. } => {
                let name = &self.program.entities[to.entity].attributes[*attribute].name;
                format!("{}->{name}", self.within(base, 9))
            }
            ExprKind::Function { function, arguments } => format!("{}({})", function.word(), all(arguments)),
            ExprKind::Rule { rule, arguments } => {
                let given = arguments.iter().map(|(_, each)| self.expr(each)).collect::<Vec<_>>();
                format!("{}({})", self.program.rules[*rule].name, given.join(", "))
            }
            ExprKind::Call { callee, arguments } => {
                let given = arguments.values.iter().map(|(_, each)| self.expr(each)).collect::<Vec<_>>();
                format!("{}({})", self.callee(*callee), given.join(", "))
            }
            ExprKind::ItemAt(key) => {
                let given = key.values.iter().map(|(_, each)| self.expr(each)).collect::<Vec<_>>();
                format!("{}({})", self.program.entities[key.entity].name, given.join(", "))
            }
            ExprKind::With { item, condition } => {
                let about = match &item.kind {
                    ExprKind::ItemAt(key) => Some(key.entity),
                    _ => None,
                };
                let inner = Show { program: self.program, entity: about, renames: None };
                format!("{} with ({})", self.expr(item), inner.expr(condition))
            }
            ExprKind::AsStored(operand) => format!("stored({})", self.expr(operand)),
            ExprKind::Index { base, index } => format!("{}[{}]", self.within(base, 9), self.expr(index)),
            ExprKind::List(elements) => format!("[{}]", all(elements)),
            ExprKind::Choose { arms, otherwise } => {
                let arms =
                    arms.iter().map(|(when, each)| format!("{}: {}", self.expr(when), self.expr(each)));
                let otherwise = otherwise.iter().map(|each| format!("otherwise: {}", self.expr(each)));
                format!("choose {{ {} }}", arms.chain(otherwise).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Object { members, .. } => {
                let members = members.iter().map(|(name, each)| format!("{name}: {}", self.expr(each)));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn callee(&self, callee: Callee) -> &str {
        self.program.name(callee)
    }
}

fn slot_format(format: &sortkey_design::model::SlotFormat) -> String {
    use sortkey_design::model::SlotFormat;
    match format {
        SlotFormat::Pad(width) => format!("pad({width})"),
        SlotFormat::Time(form) => form.clone(),
        SlotFormat::Escape => "escape".to_owned(),
        SlotFormat::Lower => "lower".to_owned(),
    }
}

/// How an operator is written, and how strongly it binds.
fn operator(op: Op) -> (&'static str, u8) {
    match op {
        Op::Implies => ("implies", 1),
        Op::Or => ("or", 2),
        Op::And => ("and", 3),
        Op::Eq => ("=", 4),
        Op::NotEq => ("!=", 4),
        Op::Lt => ("<", 4),
        Op::LtEq => ("<=", 4),
        Op::Gt => (">", 4),
        Op::GtEq => (">=", 4),
        Op::Contains => ("contains", 4),
        Op::StartsWith => ("starts with", 4),
        Op::In => ("in", 4),
        Op::Add => ("+", 5),
        Op::Sub => ("-", 5),
        Op::Mul => ("*", 6),
        Op::Div => ("/", 6),
        Op::Rem => ("%", 6),
    }
}

/// How a type changed: of two enums the words, otherwise both types.
pub(crate) fn type_change(old: (&Program, &Type), new: (&Program, &Type)) -> String {
    let (before, after) = (type_text(old.0, old.1), type_text(new.0, new.1));
    let (Type::Enum(old), Type::Enum(new)) = (old.1, new.1) else {
        return format!("{after} instead of {before}");
    };
    let less = |left: &Words, right: &Words| {
        let words = left.words.iter().filter(|word| !right.has(word)).map(ToString::to_string);
        words.collect::<Vec<_>>().join(", ")
    };
    let mut changes = Vec::new();
    for (word, words) in [("gains", less(new, old)), ("loses", less(old, new))] {
        if !words.is_empty() {
            changes.push(format!("{word} {words}"));
        }
    }
    match (old.open, new.open) {
        (false, true) => changes.push("accepts other words".to_owned()),
        (true, false) => changes.push("accepts no other words".to_owned()),
        _ => {}
    }
    format!("{after} {}", changes.join(", "))
}

/// A type as a design writes it, without the attributes of objects.
pub(crate) fn type_text(program: &Program, ty: &Type) -> String {
    let of = |of: &Type, word: &str, max: Option<u64>| match max {
        Some(max) => format!("{word}({}, ..{max})", type_text(program, of)),
        None => format!("{word}({})", type_text(program, of)),
    };
    let word = ty.describe(program);
    match ty {
        Type::String { format: StringFormat::Matching(pattern), .. } => format!("matching({pattern:?})"),
        Type::String { min, max, .. } => with_bounds(&word, Some(*min).filter(|min| *min > 0), *max),
        Type::Int { min, max } => with_bounds(&word, *min, *max),
        Type::Decimal { digits, scale } => format!("decimal({digits}, {scale})"),
        Type::Bytes { max } => with_bounds("bytes", None::<u64>, *max),
        Type::Any { max } => with_bounds("any", None::<u64>, *max),
        Type::Token { prefix, length } => format!("token({prefix:?}, {length})"),
        Type::Json { of } => format!("json({})", type_text(program, of)),
        Type::Enum(words) if words.open => format!("{word} | ..."),
        Type::List { of: element, max } => of(element, "list", *max),
        Type::Map { of: element, max } => of(element, "map", *max),
        Type::Set { of: element, max } => of(element, "set", *max),
        _ => word,
    }
}

fn with_bounds<T: ToString>(word: &str, min: Option<T>, max: Option<T>) -> String {
    match (min, max) {
        (None, None) => word.to_owned(),
        (min, max) => {
            let text = |bound: Option<T>| bound.map(|bound| bound.to_string()).unwrap_or_default();
            format!("{word}({}..{})", text(min), text(max))
        }
    }
}

/// Names of attributes with commas.
pub(crate) fn names(attributes: &Attributes, ids: &[AttributeId]) -> String {
    ids.iter().map(|id| attributes[*id].name.to_string()).collect::<Vec<_>>().join(", ")
}
