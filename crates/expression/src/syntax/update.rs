//! The grammar of updates.
//!
//! ```text
//! update  = section+
//! section = SET set ("," set)* | REMOVE path ("," path)*
//!         | ADD path :value ("," path :value)* | DELETE path :value ("," path :value)*
//! set     = path "=" value
//! value   = operand | operand ("+" | "-") operand | "(" value ")"
//! operand = path | :value | call | "(" operand ")"
//! call    = name "(" operand ("," operand)* ")"
//! ```
//!
//! Recursion is bounded by limits on parentheses and calls.

use crate::error::Problem;
use crate::function::Function;
use crate::limits;
use crate::operator::Comparator;

use super::parser::Parser;
use super::token::Token;
use super::tree::{ActionNode, Call, ChangeNode, Operand, SetNode, SyntaxUpdate};

impl SyntaxUpdate {
    pub(crate) fn read(text: &str) -> Result<SyntaxUpdate, Problem> {
        let mut reader = Reader { parser: Parser::new(text)?, parentheses: 0, calls: 0 };
        let mut actions: Vec<ActionNode> = Vec::new();
        let mut repeated = None;
        loop {
            let section = reader.section()?;
            let name = section[0].change.section();
            if actions.iter().any(|action| action.change.section() == name) {
                repeated.get_or_insert(name);
            }
            actions.extend(section);
            if reader.parser.peek() == Token::End {
                break;
            }
        }
        reader.parser.finish()?;
        match repeated {
            Some(section) => Err(Problem::RepeatedSection { section }),
            None => Ok(SyntaxUpdate { actions }),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t>,
    /// How many parentheses are open.
    parentheses: usize,
    /// How many calls are open.
    calls: usize,
}

/// A value that `SET` assigns, and whether parentheses enclose it directly.
struct Value {
    node: SetNode,
    enclosed: bool,
}

impl Reader<'_> {
    /// A section: at least one action.
    fn section(&mut self) -> Result<Vec<ActionNode>, Problem> {
        let section = self.parser.peek();
        if !matches!(section, Token::Set | Token::Remove | Token::Add | Token::Delete) {
            return Err(self.parser.unexpected());
        }
        self.parser.advance();
        let mut actions = Vec::new();
        loop {
            let path = self.parser.path()?;
            let change = match section {
                Token::Set => ChangeNode::Set(self.assignment()?),
                Token::Add => ChangeNode::Add(self.placeholder()?),
                Token::Delete => ChangeNode::Delete(self.placeholder()?),
                _ => ChangeNode::Remove,
            };
            actions.push(ActionNode { path, change });
            if !self.parser.accept(Token::Comma) {
                return Ok(actions);
            }
        }
    }

    fn placeholder(&mut self) -> Result<String, Problem> {
        let value = self.parser.expect(Token::ValuePlaceholder)?;
        Ok(value.to_owned())
    }

    fn assignment(&mut self) -> Result<SetNode, Problem> {
        self.parser.expect(Token::Comparator(Comparator::Equal))?;
        Ok(self.value()?.node)
    }

    fn value(&mut self) -> Result<Value, Problem> {
        let place = self.parser.place();
        let (left, enclosed) = if self.parser.peek() == Token::OpenParenthesis {
            match self.enclosed_value()? {
                SetNode::Operand(operand) => (operand, true),
                // A sum cannot be the operand of another.
                node => {
                    return Ok(Value { node, enclosed: true });
                }
            }
        } else {
            (self.simple_operand()?, false)
        };
        let operator = self.parser.peek();
        if !matches!(operator, Token::Plus | Token::Minus) {
            return Ok(Value { node: SetNode::Operand(left), enclosed });
        }
        self.check_nested(&left, place);
        self.parser.advance();
        self.parser.count_operator()?;
        let right = self.operand()?;
        let node = match operator {
            Token::Plus => SetNode::Plus(left, right),
            _ => SetNode::Minus(left, right),
        };
        Ok(Value { node, enclosed: false })
    }

    fn enclosed_value(&mut self) -> Result<SetNode, Problem> {
        self.open()?;
        let inner = self.value()?;
        self.close()?;
        if inner.enclosed {
            return Err(Problem::RedundantParentheses);
        }
        Ok(inner.node)
    }

    /// An operand of an operator or of a function.
    fn operand(&mut self) -> Result<Operand, Problem> {
        let place = self.parser.place();
        if self.parser.peek() != Token::OpenParenthesis {
            let operand = self.simple_operand()?;
            self.check_nested(&operand, place);
            return Ok(operand);
        }
        self.open()?;
        let twice = self.parser.peek() == Token::OpenParenthesis;
        let operand = self.operand()?;
        self.close()?;
        if twice {
            return Err(Problem::RedundantParentheses);
        }
        Ok(operand)
    }

    fn simple_operand(&mut self) -> Result<Operand, Problem> {
        if self.parser.at_call() {
            return Ok(Operand::Call(self.call()?));
        }
        match self.parser.peek() {
            Token::ValuePlaceholder => Ok(Operand::Value(self.parser.advance().to_owned())),
            _ => Ok(Operand::Path(self.parser.path()?)),
        }
    }

    fn call(&mut self) -> Result<Call, Problem> {
        let place = self.parser.place();
        let function = self.parser.function();
        if !function.is_for_updates() {
            let function = function.name();
            self.parser.defer(place, Problem::NotInUpdates { function });
        }
        self.parser.count_operator()?;
        self.calls += 1;
        if self.calls > limits::NESTED_CALLS {
            return Err(Problem::MisplacedFunction { function: function.name() });
        }
        self.parser.expect(Token::OpenParenthesis)?;
        let mut operands = vec![self.operand()?];
        while self.parser.accept(Token::Comma) {
            operands.push(self.operand()?);
        }
        self.parser.expect(Token::CloseParenthesis)?;
        self.calls -= 1;
        Ok(Call { function, operands })
    }

    fn open(&mut self) -> Result<(), Problem> {
        self.parser.expect(Token::OpenParenthesis)?;
        self.parentheses += 1;
        if self.parentheses > limits::NESTED_PARENTHESES {
            return Err(Problem::RedundantParentheses);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        self.parser.expect(Token::CloseParenthesis)?;
        self.parentheses -= 1;
        Ok(())
    }

    /// `list_append` can only be all of what is assigned.
    fn check_nested(&mut self, operand: &Operand, place: usize) {
        if let Operand::Call(call) = operand
            && call.function == Function::ListAppend
        {
            let function = call.function.name();
            self.parser.defer(place, Problem::MisplacedFunction { function });
        }
    }
}
