//! The grammar of conditions, filters and key conditions.
//!
//! ```text
//! condition  = term (OR term)*
//! term       = factor (AND factor)*
//! factor     = NOT factor | "(" condition ")" | comparison | call
//! comparison = operand comparator operand | operand BETWEEN operand AND operand
//!            | operand IN "(" operand ("," operand)* ")"
//! operand    = path | :value | call | "(" operand ")"
//! call       = name "(" operand ("," operand)* ")"
//! ```
//!
//! An opening parenthesis can enclose an operand or a condition, and only the text after it decides, so the
//! parser carries [`Either`]. Recursion is bounded: by the number of operators, and by limits on parentheses
//! and calls.

use crate::error::Problem;
use crate::function::Function;
use crate::limits;

use super::parser::Parser;
use super::token::Token;
use super::tree::{Call, ConditionNode, Operand, SyntaxCondition};

impl SyntaxCondition {
    pub(crate) fn read(text: &str) -> Result<SyntaxCondition, Problem> {
        let mut reader = Reader { parser: Parser::new(text)?, parentheses: 0, calls: 0 };
        let root = reader.condition(Binding::Or)?;
        reader.parser.finish()?;
        Ok(SyntaxCondition { root })
    }
}

struct Reader<'t> {
    parser: Parser<'t>,
    /// How many parentheses are open.
    parentheses: usize,
    /// How many calls are open.
    calls: usize,
}

/// How tightly an operator binds; a reading stops in front of looser ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
}

/// A parsed operand or condition, in a position that admits both.
enum Either {
    Operand {
        operand: Operand,
        /// The index of its first token.
        place: usize,
        /// Whether parentheses enclose it directly.
        enclosed: bool,
    },
    Condition {
        node: ConditionNode,
        /// Whether parentheses enclose it directly.
        enclosed: bool,
    },
}

impl Either {
    fn condition(node: ConditionNode) -> Either {
        Either::Condition { node, enclosed: false }
    }
}

impl Reader<'_> {
    fn condition(&mut self, loosest: Binding) -> Result<ConditionNode, Problem> {
        let read = self.either(loosest)?;
        self.require_condition(read)
    }

    fn either(&mut self, loosest: Binding) -> Result<Either, Problem> {
        let mut read = self.factor()?;
        if self.parser.peek() == Token::And && loosest <= Binding::And {
            let first = self.require_condition(read)?;
            let terms = self.terms(first, Token::And, Binding::Not)?;
            read = Either::condition(ConditionNode::And(terms));
        }
        if self.parser.peek() == Token::Or && loosest <= Binding::Or {
            let first = self.require_condition(read)?;
            let terms = self.terms(first, Token::Or, Binding::And)?;
            read = Either::condition(ConditionNode::Or(terms));
        }
        Ok(read)
    }

    fn terms(
        &mut self,
        first: ConditionNode,
        operator: Token,
        binding: Binding,
    ) -> Result<Vec<ConditionNode>, Problem> {
        let mut terms = vec![first];
        while self.parser.accept(operator) {
            self.parser.count_operator()?;
            terms.push(self.condition(binding)?);
        }
        Ok(terms)
    }

    fn factor(&mut self) -> Result<Either, Problem> {
        let read = match self.parser.peek() {
            Token::Not => {
                self.parser.advance();
                self.parser.count_operator()?;
                let inner = self.condition(Binding::Not)?;
                Either::condition(ConditionNode::Not(Box::new(inner)))
            }
            Token::OpenParenthesis => self.enclosed()?,
            _ => Either::Operand {
                place: self.parser.place(),
                operand: self.simple_operand()?,
                enclosed: false,
            },
        };
        match read {
            Either::Operand { .. } => self.comparison(read),
            Either::Condition { .. } => Ok(read),
        }
    }

    fn enclosed(&mut self) -> Result<Either, Problem> {
        self.open()?;
        let inner = self.either(Binding::Or)?;
        self.close()?;
        match inner {
            Either::Operand { enclosed: true, .. } | Either::Condition { enclosed: true, .. } => {
                Err(Problem::RedundantParentheses)
            }
            Either::Operand { operand, place, .. } => Ok(Either::Operand { operand, place, enclosed: true }),
            Either::Condition { node, .. } => Ok(Either::Condition { node, enclosed: true }),
        }
    }

    /// The comparison that an operand begins, if it begins one.
    fn comparison(&mut self, read: Either) -> Result<Either, Problem> {
        let Either::Operand { operand, place, enclosed } = read else {
            return Ok(read);
        };
        let operator = self.parser.peek();
        if !matches!(operator, Token::Comparator(_) | Token::Between | Token::In) {
            return Ok(Either::Operand { operand, place, enclosed });
        }
        self.check_operand(&operand, place);
        self.parser.advance();
        self.parser.count_operator()?;
        let node = match operator {
            Token::Comparator(operator) => {
                ConditionNode::Compare { operator, left: operand, right: self.operand()? }
            }
            Token::Between => {
                let lower = self.operand()?;
                self.parser.expect(Token::And)?;
                let upper = self.operand()?;
                ConditionNode::Between { operand, lower, upper }
            }
            _ => ConditionNode::In { operand, members: self.list()? },
        };
        Ok(Either::condition(node))
    }

    /// Parses an operand in a position that does not admit a condition.
    fn operand(&mut self) -> Result<Operand, Problem> {
        let place = self.parser.place();
        if self.parser.peek() != Token::OpenParenthesis {
            let operand = self.simple_operand()?;
            self.check_operand(&operand, place);
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
        if function.is_for_updates() {
            let function = function.name();
            self.parser.defer(place, Problem::NotInConditions { function });
        }
        self.calls += 1;
        if self.calls > limits::NESTED_CALLS {
            // No function takes the result of another, so the outermost is already misplaced.
            return Err(Problem::MisplacedFunction { function: function.name() });
        }
        let operands = self.list()?;
        self.calls -= 1;
        Ok(Call { function, operands })
    }

    fn list(&mut self) -> Result<Vec<Operand>, Problem> {
        self.parser.expect(Token::OpenParenthesis)?;
        let mut operands = vec![self.operand()?];
        while self.parser.accept(Token::Comma) {
            operands.push(self.operand()?);
        }
        self.parser.expect(Token::CloseParenthesis)?;
        Ok(operands)
    }

    fn open(&mut self) -> Result<(), Problem> {
        self.parser.expect(Token::OpenParenthesis)?;
        self.parentheses += 1;
        if self.parentheses > limits::NESTED_PARENTHESES {
            // An expression has too few operators for each of these pairs to enclose one.
            return Err(Problem::RedundantParentheses);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        self.parser.expect(Token::CloseParenthesis)?;
        self.parentheses -= 1;
        Ok(())
    }

    /// Of the functions, only `size` gives something to work on.
    fn check_operand(&mut self, operand: &Operand, place: usize) {
        if let Operand::Call(call) = operand
            && call.function != Function::Size
        {
            let function = call.function.name();
            self.parser.defer(place, Problem::MisplacedFunction { function });
        }
    }

    /// Requires a condition in a position that admits nothing else. A call is one, unless it is `size`.
    fn require_condition(&mut self, read: Either) -> Result<ConditionNode, Problem> {
        match read {
            Either::Condition { node, .. } => Ok(node),
            Either::Operand { operand: Operand::Call(call), place, .. } => {
                if call.function == Function::Size {
                    let function = call.function.name();
                    self.parser.defer(place, Problem::MisplacedFunction { function });
                }
                Ok(ConditionNode::Call(call))
            }
            Either::Operand { .. } => Err(self.parser.unexpected()),
        }
    }
}
