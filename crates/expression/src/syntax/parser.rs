//! Shared by the three grammars: the cursor over tokens, document paths, and the reporting of problems.
//!
//! Problems come in two sorts. A syntax error ends the parsing at once. Semantic problems, such as a reserved
//! word or a function that does not exist, are deferred: DynamoDB reports one only if no syntax error follows
//! it, and of several the one written first.

use crate::error::Problem;
use crate::function::Function;
use crate::limits;
use crate::reserved::is_reserved;

use super::token::{Spanned, Token, tokens};
use super::tree::{PathElement, SyntaxPath};

/// A place in a text.
pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Spanned>,
    at: usize,
    operators: usize,
    /// The deferred problem that is written first, with its place.
    deferred: Option<(usize, Problem)>,
}

impl<'t> Parser<'t> {
    /// Starts reading, unless the text is empty or too long.
    pub(super) fn new(text: &'t str) -> Result<Parser<'t>, Problem> {
        if text.is_empty() {
            return Err(Problem::Empty);
        }
        if text.len() > limits::EXPRESSION_BYTES {
            return Err(Problem::TooLong { size_bytes: text.len() });
        }
        Ok(Parser { text, tokens: tokens(text), at: 0, operators: 0, deferred: None })
    }

    /// Ends reading: nothing may be left, and nothing deferred.
    pub(super) fn finish(mut self) -> Result<(), Problem> {
        self.expect(Token::End)?;
        match self.deferred.take() {
            Some((_, problem)) => Err(problem),
            None => Ok(()),
        }
    }

    /// The current token.
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at].token
    }

    /// The token behind the current one.
    pub(super) fn peek_second(&self) -> Token {
        self.tokens.get(self.at + 1).map_or(Token::End, |spanned| spanned.token)
    }

    /// The place of the current token, for [`Parser::defer`].
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Moves on and gives the text of the token left behind. The end is never left.
    pub(super) fn advance(&mut self) -> &'t str {
        let span = self.tokens[self.at].span.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        &self.text[span]
    }

    /// Moves on if the current token is this one.
    pub(super) fn accept(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Moves on if the current token is this one, which the grammar requires.
    pub(super) fn expect(&mut self, token: Token) -> Result<&'t str, Problem> {
        if self.peek() == token { Ok(self.advance()) } else { Err(self.unexpected()) }
    }

    /// The syntax error at the current token.
    pub(super) fn unexpected(&self) -> Problem {
        let here = &self.tokens[self.at];
        let from = self.at.checked_sub(1).map_or(0, |at| self.tokens[at].span.start);
        let to = self.tokens.get(self.at + 1).map_or(here.span.end, |behind| behind.span.end);
        Problem::Syntax {
            token: match here.token {
                Token::End => "<EOF>".to_owned(),
                _ => self.text[here.span.clone()].to_owned(),
            },
            near: self.text[from..to].to_owned(),
        }
    }

    /// Remembers a problem that is only reported if the text follows the grammar to its end.
    pub(super) fn defer(&mut self, place: usize, problem: Problem) {
        if self.deferred.as_ref().is_none_or(|(first, _)| place < *first) {
            self.deferred = Some((place, problem));
        }
    }

    /// Counts an operator.
    pub(super) fn count_operator(&mut self) -> Result<(), Problem> {
        self.operators += 1;
        if self.operators > limits::OPERATORS {
            return Err(Problem::TooManyOperators { count: self.operators });
        }
        Ok(())
    }

    /// Whether a call starts here.
    pub(super) fn at_call(&self) -> bool {
        self.peek() == Token::Identifier && self.peek_second() == Token::OpenParenthesis
    }

    /// Parses the name of a function. An unknown name is a deferred problem; an arbitrary function is
    /// returned for it, since the tree is then discarded.
    pub(super) fn function(&mut self) -> Function {
        let place = self.place();
        let name = self.advance();
        Function::from_name(name).unwrap_or_else(|| {
            let function = name.to_owned();
            self.defer(place, Problem::UnknownFunction { function });
            Function::Size
        })
    }

    /// A document path: a name, then `.name` and `[index]`.
    pub(super) fn path(&mut self) -> Result<SyntaxPath, Problem> {
        let mut elements = vec![self.name()?];
        loop {
            if self.accept(Token::Dot) {
                elements.push(self.name()?);
            } else if self.accept(Token::OpenBracket) {
                elements.push(self.index()?);
                self.expect(Token::CloseBracket)?;
            } else {
                return Ok(SyntaxPath { elements });
            }
        }
    }

    fn name(&mut self) -> Result<PathElement, Problem> {
        let place = self.place();
        match self.peek() {
            Token::Identifier => {
                let name = self.advance().to_owned();
                if is_reserved(&name) {
                    self.defer(place, Problem::ReservedWord { name: name.clone() });
                }
                Ok(PathElement::Name(name))
            }
            Token::NamePlaceholder => Ok(PathElement::Placeholder(self.advance().to_owned())),
            _ => Err(self.unexpected()),
        }
    }

    fn index(&mut self) -> Result<PathElement, Problem> {
        let place = self.place();
        let digits = self.expect(Token::Integer)?;
        match digits.parse() {
            Ok(index) if index <= limits::LIST_INDEX => Ok(PathElement::Index(index)),
            _ => {
                let index = digits.to_owned();
                self.defer(place, Problem::IndexOutOfRange { index });
                Ok(PathElement::Index(limits::LIST_INDEX))
            }
        }
    }
}
