//! Pages: queries side by side, merged in order, filtered, until a page is full.
//!
//! A page holds as many items as the pattern promises even where filters drop some of what is read; reading on is
//! bounded, and a cursor then continues from where reading stopped.

use std::sync::Arc;

use sortkey_value::{Item, ValueRef};

use super::branch::Branch;
use super::{Hit, Paging, Read};
use crate::Failure;
use crate::answer::print_values;
use crate::cursor::{self, Position};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::{Known, Val, print_text};

impl Read {
    /// Up to `most` items (all of them if there is no bound), and the cursor behind them.
    pub(super) async fn page(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: Vec<Known<'_>>,
        most: Option<usize>,
        paging: Paging<'_>,
    ) -> Result<(Vec<Hit>, Option<String>), Failure> {
        if branches.len() > 1
            && let Some(keys) =
                branches.iter().map(|known| self.table_key(scope, known)).collect::<Option<Vec<_>>>()
        {
            return self.batch(session, scope, branches.into_iter().zip(keys).collect(), most, paging).await;
        }
        let sieve = self.sieve(scope, &branches);
        let sent = self.sent_filter(scope)?.map(Arc::new);
        let mut branches = self.begin_at(scope, &branches, paging)?;
        for branch in &mut branches {
            branch.sent.clone_from(&sent);
        }
        let mut found = Vec::new();
        loop {
            let wanted = most.map(|most| most.saturating_sub(found.len()));
            if wanted == Some(0) {
                break;
            }
            let taken = self.merge(session, scope, &mut branches, wanted).await?;
            if taken.is_empty() {
                break;
            }
            found.reserve(taken.len());
            for item in self.whole(session, scope, taken).await? {
                found.extend(self.admitted(scope, &sieve, item)?);
            }
        }
        let cursor = self.cursor(scope, &branches, paging)?;
        Ok((found, cursor))
    }

    /// The queries of some known values, each continued at its position in the cursor.
    pub(super) fn begin_at(
        &self,
        scope: &Scope<'_>,
        branches: &[Known<'_>],
        paging: Paging<'_>,
    ) -> Result<Vec<Branch>, Failure> {
        let mut branches = self.begin(scope, branches)?;
        // Without a cursor nobody could read on, so reading ends with the last item.
        branches.iter_mut().for_each(|branch| branch.is_cut_short = paging.context.is_some());
        if let Some(positions) = self.opened(scope, paging)? {
            resume(&mut branches, positions)?;
        }
        Ok(branches)
    }

    /// The positions in the cursor of a call; none if it begins at the beginning.
    pub(super) fn opened(
        &self,
        scope: &Scope<'_>,
        paging: Paging<'_>,
    ) -> Result<Option<Vec<Position>>, Failure> {
        let (Some(cursor), Some(context)) = (paging.cursor, paging.context) else { return Ok(None) };
        cursor::open(&scope.shared.settings.cursor_key, &self.bound_to(scope, context), cursor).map(Some)
    }

    /// The cursor behind what queries have given; none behind the last page.
    pub(super) fn cursor(
        &self,
        scope: &Scope<'_>,
        branches: &[Branch],
        paging: Paging<'_>,
    ) -> Result<Option<String>, Failure> {
        if branches.iter().all(Branch::is_over) {
            return Ok(None);
        }
        self.sealed(scope, branches.iter().map(|branch| self.reached(scope, branch)), paging)
    }

    /// The cursor with some positions; none where a page has none.
    pub(super) fn sealed(
        &self,
        scope: &Scope<'_>,
        positions: impl Iterator<Item = Position>,
        paging: Paging<'_>,
    ) -> Result<Option<String>, Failure> {
        let Some(context) = paging.context else { return Ok(None) };
        let key = &scope.shared.settings.cursor_key;
        cursor::seal(key, &self.bound_to(scope, context), &positions.collect::<Vec<_>>()).map(Some)
    }

    async fn whole(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        taken: Vec<Item>,
    ) -> Result<Vec<Item>, Failure> {
        match self.plan.fetches {
            true => Ok(self.fetch(session, scope, &taken).await?.into_iter().flatten().collect()),
            false => Ok(taken),
        }
    }

    /// The position of the next page: behind the last item that was used, or behind all that was read.
    fn reached(&self, scope: &Scope<'_>, branch: &Branch) -> Position {
        match (branch.waiting.is_empty(), &branch.next, &branch.last) {
            (true, next @ (Position::End | Position::After(_)), _) => next.clone(),
            (_, _, Some(last)) => Position::After(self.starting_key(scope, last)),
            (_, _, None) => branch.position.clone(),
        }
    }

    /// The start key of a query behind an item: the key of the table and of the index.
    fn starting_key(&self, scope: &Scope<'_>, item: &Item) -> Item {
        let program = &scope.shared.program;
        let table = &program.tables[self.plan.path.table].key;
        let names = table.names().chain(self.key(program).names());
        let value = |name: &str| item.get(name).map(|value: ValueRef<'_>| value.to_owned());
        let map = sortkey_value::order::map(names.filter_map(|name| Some((name.to_string(), value(name)?))));
        Item::from(map)
    }

    /// The context of a cursor: one pattern with one set of arguments, asked by one caller.
    fn bound_to(&self, scope: &Scope<'_>, pattern: &str) -> Vec<u8> {
        let mut context = vec![b'['];
        print_text(&mut context, pattern);
        context.push(b',');
        let given = self.pattern.signature.parameters.iter();
        let given = given.filter_map(|each| Some((&each.name, scope.get(each.local)?)));
        let mut given: Vec<(&Arc<str>, &Val)> = given.collect();
        // Cursors outlive the version of the program that gave them out, and so does this order.
        sortkey_value::order::sort_by(&mut given, |(left, _), (right, _)| left.cmp(right));
        print_values(scope, &mut context, given);
        context.push(b',');
        match &scope.caller {
            Some(caller) => print_values(scope, &mut context, &**caller),
            None => context.extend_from_slice(b"null"),
        }
        context.push(b']');
        context
    }
}

fn resume(branches: &mut [Branch], positions: Vec<Position>) -> Result<(), Failure> {
    if branches.len() != positions.len() {
        return Err(cursor::foreign());
    }
    for (branch, position) in branches.iter_mut().zip(positions) {
        branch.next = position.clone();
        branch.position = position;
    }
    Ok(())
}
