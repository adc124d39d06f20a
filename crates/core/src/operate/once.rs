//! An operation with a receipt: what a repeat finds, which write takes the receipt along, and the receipt by itself where
//! none does.

use sortkey_design::program::{LocalId, Operation, Statement};
use sortkey_plan::bound_before_the_end;

use super::receipt::{Earlier, Noted, Receipt};
use super::refused::again_and_again;
use super::{Flow, Runner};
use crate::evaluate::Scope;
use crate::values::Val;
use crate::write::{self, Answers, Refusal};
use crate::{Failure, FailureKind};

impl<'a> Runner<'_, 'a> {
    /// The body of an operation: the statements before the last write, that write with the receipt, what comes behind it.
    pub(super) async fn body(
        &self,
        scope: &mut Scope<'a>,
        operation: &'a Operation,
        receipt: Option<&Receipt>,
    ) -> Result<Val, Failure> {
        if let Some(receipt) = receipt.filter(|_| self.course.is_looked_for)
            && let Some(value) = self.earlier(scope, operation, receipt).await?
        {
            return Ok(value);
        }
        self.before_operation(scope, operation).await?;
        let Some(receipt) = receipt else { return self.value_of_block(scope, &operation.body).await };
        let until = self.course.carrier.unwrap_or(operation.body.len());
        let (before, rest) = operation.body.split_at(until);
        let begun = self.block(scope, before).await?;
        let (Flow::Next(_), Some((last, rest))) = (&begun, rest.split_first()) else {
            let (Flow::Return(value) | Flow::Next(value)) = begun;
            return self.with_receipt(scope, receipt, value).await;
        };
        // The statement that writes last, if there is one, takes the receipt along, unless it turns out to write nothing.
        *self.receipt.lock() = Some(receipt.clone());
        let written = self.value_of_block(scope, std::slice::from_ref(last)).await;
        *self.receipt.lock() = None;
        let value = match (written?, rest) {
            (value, []) => value,
            _ => self.value_of_block(scope, rest).await?,
        };
        self.with_receipt(scope, receipt, value).await
    }

    async fn value_of_block(&self, scope: &mut Scope<'a>, body: &'a [Statement]) -> Result<Val, Failure> {
        match self.block(scope, body).await? {
            Flow::Return(value) | Flow::Next(value) => Ok(value),
        }
    }

    /// Writes the receipt by itself, if no write has taken it along. Nothing but a call with the same word can have been faster.
    async fn with_receipt(&self, scope: &Scope<'a>, receipt: &Receipt, value: Val) -> Result<Val, Failure> {
        if self.noted.lock().is_some() {
            return Ok(value);
        }
        let (write, noted) = receipt.alone(self, scope, &value)?;
        match write::send(self.session, scope, vec![write], Answers::Nothing).await {
            Ok(_) => {
                *self.noted.lock() = Some(noted);
                Ok(value)
            }
            Err(Refusal::Failed(failure)) => Err(failure),
            Err(Refusal::Stale) => Err(again_and_again()),
        }
    }

    /// The result of an earlier call with the same word. One that was interrupted behind its last write is completed.
    pub(super) async fn earlier(
        &self,
        scope: &mut Scope<'a>,
        operation: &'a Operation,
        receipt: &Receipt,
    ) -> Result<Option<Val>, Failure> {
        let Some(earlier) = receipt.found(self.session, scope, operation, self.course).await? else {
            return Ok(None);
        };
        let value = match earlier {
            Earlier::Result(value) => value,
            Earlier::Interrupted(left) => {
                left.into_iter().for_each(|(local, value)| scope.set(local, value));
                let lost = |(local, _): &(LocalId, &str)| scope.get(*local).is_none();
                if bound_before_the_end(operation, self.course).iter().any(lost) {
                    let message = "this was already carried out, but its result was lost on the way";
                    return Err(Failure::new(FailureKind::AlreadyExists, message));
                }
                let rest = self.course.carrier.map_or(&[][..], |at| &operation.body[at + 1..]);
                let value = self.value_of_block(scope, rest).await?;
                let (home, key) = receipt.place(scope, operation)?;
                Noted::left(home, key).complete(self.session, scope, home, &value).await?;
                value
            }
        };
        self.session.repeats_earlier_call();
        Ok(Some(value))
    }
}
