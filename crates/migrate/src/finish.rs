//! The end of a migration: only the new design is left, and nothing of the migration in its items.

use sortkey_api::ErrorKind;
use sortkey_api::operations::{
    CreateBackup, CreateBackupInput, DeleteItem, DeleteItemInput, UpdateItem, UpdateItemInput, UpdateTable,
    UpdateTableInput,
};
use sortkey_value::Item;

use crate::hidden;
use crate::place::Place;
use crate::plan::{Side, stored_names};
use crate::refusal::Refusal;
use crate::runner::{Runner, explain};
use crate::state::{Phase, State, Walk};

impl Runner {
    /// Ends the migration. The old tables stay as they are, backed up and protected from deletion.
    pub async fn finish(&self, watcher: &mut (dyn FnMut(&State) + Send)) -> Result<State, Refusal> {
        let state = self
            .go(&[Phase::Switched], Phase::Finished, "switch to the new design before it is finished")
            .await?;
        // Nobody writes the old tables any more, and nothing is taken out of any table yet.
        for table in self.plan.tables(Side::Old) {
            self.back_up(table).await?;
        }
        for table in self.plan.tables(Side::New) {
            self.clean(&state, table, watcher).await?;
        }
        let new = self.plan.runtime(Side::New);
        sortkey_deploy::record_version(new).await.map_err(|error| Refusal::new(explain(&error)))?;
        for table in self.plan.tables(Side::Old) {
            if !self.plan.new.shared().entities.iter().any(|info| info.table.name() == &**table) {
                self.protect(table).await?;
            }
        }
        self.begun().await
    }

    /// Takes what the migration kept out of the items of a table.
    async fn clean(
        &self,
        state: &State,
        table: &str,
        watcher: &mut (dyn FnMut(&State) + Send),
    ) -> Result<(), Refusal> {
        let mut walk = state.cleaned.get(table).cloned().unwrap_or_default();
        while !walk.is_done {
            let (items, next) = self.page(table, walk.after.clone(), None).await?;
            for item in &items {
                self.strip(table, item, &mut walk).await?;
            }
            walk.is_done = next.is_none();
            walk.after = next.or(walk.after);
            let state = self
                .change(|state| {
                    state.cleaned.insert(table.to_owned(), walk.clone());
                    Ok(())
                })
                .await?;
            watcher(&state);
        }
        Ok(())
    }

    async fn strip(&self, table: &str, item: &Item, walk: &mut Walk) -> Result<(), Refusal> {
        let Some(info) = self.plan.owner(Side::New, table, item) else {
            return self.outlived(table, item, walk).await;
        };
        walk.seen += 1;
        let mut names = vec![hidden::FROM.to_owned()];
        // Attributes that the mapping drops are removed now from items that both designs share.
        let own = stored_names(self.plan.new.program(), info.at);
        for (_, mapping) in self.plan.making(info.at) {
            let old = self.plan.info(Side::Old, mapping.of.old);
            if old.table == info.table {
                let dropped = stored_names(self.plan.old.program(), old.at).into_iter();
                names.extend(dropped.filter(|name| !own.contains(name)));
            }
        }
        names.retain(|name| item.get(name).is_some());
        let Some(first) = names.first() else { return Ok(()) };
        let place = Place::of(info, item);
        let aliases: std::collections::BTreeMap<String, String> =
            names.iter().enumerate().map(|(at, name)| (format!("#m{at}"), name.clone())).collect();
        let removed: Vec<&str> = aliases.keys().map(String::as_str).collect();
        let first = aliases
            .iter()
            .find(|(_, name)| *name == first)
            .map(|(alias, _)| alias.clone())
            .unwrap_or_default();
        let input = UpdateItemInput {
            table_name: place.table_name(),
            key: place.key.clone().into(),
            update_expression: Some(format!("REMOVE {}", removed.join(", "))),
            condition_expression: Some(format!("attribute_exists({first})")),
            expression_attribute_names: Some(aliases),
            ..UpdateItemInput::default()
        };
        match self.backend.ask::<UpdateItem>(input).await {
            Ok(_) => walk.copied += 1,
            // A writer of the new design was there, or the request was sent twice.
            Err(error) if error.kind == ErrorKind::ConditionalCheckFailedException => walk.there += 1,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Removes an old item from a table that the new design keeps: there it would be an item of no design.
    async fn outlived(&self, table: &str, item: &Item, walk: &mut Walk) -> Result<(), Refusal> {
        let Some(info) = self.plan.owner(Side::Old, table, item) else { return Ok(()) };
        walk.seen += 1;
        let input = DeleteItemInput {
            table_name: table.into(),
            key: Place::of(info, item).key.into(),
            ..DeleteItemInput::default()
        };
        self.backend.ask::<DeleteItem>(input).await?;
        walk.copied += 1;
        Ok(())
    }

    /// Makes a backup of an old table, where backups are known.
    async fn back_up(&self, table: &str) -> Result<(), Refusal> {
        if self.begun().await?.backups.contains_key(table) {
            return Ok(());
        }
        let backup_name = format!("sortkey-migration-{}", &self.plan.fingerprint()[..12]);
        let input = CreateBackupInput { table_name: table.into(), backup_name };
        let arn = match self.backend.ask::<CreateBackup>(input).await {
            Ok(output) => output.backup_details.map(|details| details.backup_arn),
            Err(error) if is_unknown_here(error.kind) => None,
            Err(error) => return Err(error.into()),
        };
        let Some(arn) = arn else { return Ok(()) };
        self.change(|state| {
            state.backups.insert(table.to_owned(), arn.clone());
            Ok(())
        })
        .await
        .map(drop)
    }

    async fn protect(&self, table: &str) -> Result<(), Refusal> {
        let input = UpdateTableInput {
            table_name: table.into(),
            deletion_protection_enabled: Some(true),
            ..UpdateTableInput::default()
        };
        match self.backend.ask::<UpdateTable>(input).await {
            Ok(_) => Ok(()),
            // It is protected already, gone, or such protection is not known here.
            Err(error) if is_unknown_here(error.kind) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether an error means that there is no such table, or no such feature on this DynamoDB.
fn is_unknown_here(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ResourceNotFoundException
            | ErrorKind::TableNotFoundException
            | ErrorKind::ValidationException
            | ErrorKind::UnknownOperationException
            | ErrorKind::AccessDeniedException
    )
}
