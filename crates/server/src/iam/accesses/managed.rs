//! Operations on tables, backups, streams and policies.

use sortkey_api::operations as op;
use sortkey_api::{ApiError, OperationId, decode};

use super::{Access, Backend, Reader};

impl<B: Backend> Reader<'_, B> {
    pub(super) fn managed(&self, body: &[u8]) -> Result<Vec<Access>, ApiError> {
        let accesses = self.named(body)?;
        Ok(match concerns_all_items(self.operation) {
            true => accesses.into_iter().map(Access::of_all_items).collect(),
            false => accesses,
        })
    }

    /// The accesses to what a request names.
    fn named(&self, body: &[u8]) -> Result<Vec<Access>, ApiError> {
        use OperationId as Id;
        /// The access that an input asks for by one of its members, which names a table, an ARN or a resource.
        macro_rules! by {
            ($kind:ident, $input:ident, $member:ident) => {
                self.$kind(&decode::<op::$input>(body)?.$member)
            };
        }
        let one = match self.operation {
            Id::CreateTable => return Ok(self.create_table(&decode(body)?)),
            Id::DescribeTable => by!(on_named, DescribeTableInput, table_name),
            Id::UpdateTable => by!(on_named, UpdateTableInput, table_name),
            Id::DeleteTable => by!(on_named, DeleteTableInput, table_name),
            Id::DescribeTimeToLive => by!(on_named, DescribeTimeToLiveInput, table_name),
            Id::UpdateTimeToLive => by!(on_named, UpdateTimeToLiveInput, table_name),
            Id::DescribeContinuousBackups => by!(on_named, DescribeContinuousBackupsInput, table_name),
            Id::UpdateContinuousBackups => by!(on_named, UpdateContinuousBackupsInput, table_name),
            Id::CreateBackup => by!(on_named, CreateBackupInput, table_name),
            Id::ExportTableToPointInTime => by!(on_named, ExportTableToPointInTimeInput, table_arn),
            Id::DeleteBackup => by!(on, DeleteBackupInput, backup_arn),
            Id::DescribeBackup => by!(on, DescribeBackupInput, backup_arn),
            Id::DescribeExport => by!(on, DescribeExportInput, export_arn),
            Id::DescribeImport => by!(on, DescribeImportInput, import_arn),
            Id::TagResource => by!(on_arn, TagResourceInput, resource_arn),
            Id::UntagResource => by!(on_arn, UntagResourceInput, resource_arn),
            Id::ListTagsOfResource => by!(on_arn, ListTagsOfResourceInput, resource_arn),
            Id::GetResourcePolicy => by!(on_arn, GetResourcePolicyInput, resource_arn),
            Id::PutResourcePolicy => by!(on_arn, PutResourcePolicyInput, resource_arn),
            Id::DeleteResourcePolicy => by!(on_arn, DeleteResourcePolicyInput, resource_arn),
            Id::DescribeStream => by!(on_arn, DescribeStreamInput, stream_arn),
            Id::GetShardIterator => by!(on_arn, GetShardIteratorInput, stream_arn),
            Id::ImportTable => {
                let input: op::ImportTableInput = decode(body)?;
                self.on_table(input.table_creation_parameters.table_name.as_str())
            }
            Id::GetRecords => {
                let iterator = decode::<op::GetRecordsInput>(body)?.shard_iterator;
                let stream = self.backend.iterator_stream(self.fork, &iterator);
                stream.map_or_else(|| self.on("*"), |(table, label)| self.on_stream(&table, &label))
            }
            Id::RestoreTableFromBackup => {
                let input: op::RestoreTableFromBackupInput = decode(body)?;
                return Ok(vec![self.on(&input.backup_arn), self.on_table(&input.target_table_name)]);
            }
            Id::RestoreTableToPointInTime => {
                let input: op::RestoreTableToPointInTimeInput = decode(body)?;
                let source = input.source_table_arn.as_ref().map(|arn| arn.name().to_owned());
                let source = source.or(input.source_table_name).unwrap_or_default();
                return Ok(vec![self.on_table(&source), self.on_table(&input.target_table_name)]);
            }
            // Operations that list, and those without a resource.
            _ => self.on("*"),
        };
        Ok(vec![one])
    }

    /// A policy and tags that a table is created with need the permissions that they would need later.
    fn create_table(&self, input: &op::CreateTableInput) -> Vec<Access> {
        let table = || self.on_named(&input.table_name);
        let policy = input
            .resource_policy
            .as_ref()
            .map(|_| Access { action: "dynamodb:PutResourcePolicy", ..table() }.of_all_items());
        let tags = input.tags.as_ref().filter(|tags| !tags.is_empty());
        let tags = tags.map(|_| Access { action: "dynamodb:TagResource", ..table() });
        [Some(table()), policy, tags].into_iter().flatten().collect()
    }
}

/// Whether an operation reads or changes every item of a table, or decides who may. AWS leaves the keys and attributes of
/// such requests out, so that a policy which confines a tenant to some of them would let it pass.
fn concerns_all_items(operation: OperationId) -> bool {
    use OperationId as Id;
    matches!(
        operation,
        Id::GetRecords
            | Id::ExportTableToPointInTime
            | Id::ImportTable
            | Id::CreateBackup
            | Id::DeleteBackup
            | Id::RestoreTableFromBackup
            | Id::RestoreTableToPointInTime
            | Id::UpdateContinuousBackups
            | Id::UpdateTable
            | Id::DeleteTable
            | Id::UpdateTimeToLive
            | Id::PutResourcePolicy
            | Id::DeleteResourcePolicy
    )
}
