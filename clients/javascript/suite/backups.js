import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  BackupNotFoundException,
  CreateBackupCommand,
  DeleteBackupCommand,
  DescribeBackupCommand,
  DescribeExportCommand,
  DescribeImportCommand,
  DescribeTableCommand,
  ExportTableToPointInTimeCommand,
  ImportTableCommand,
  ListBackupsCommand,
  ListExportsCommand,
  ListImportsCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, documents, uniqueName } from "../clients.js";

/** Asks again until the answer will do. */
async function until(ask, isEnough) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const answer = await ask();
    if (isEnough(answer)) {
      return answer;
    }
    await setTimeout(100);
  }
  throw new Error("it never ends");
}

async function keys(TableName) {
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  const { Items } = await documents.send(new ScanCommand({ TableName }));
  return Items.map((item) => item.pk).sort();
}

const put = (TableName, pk) => documents.send(new PutCommand({ TableName, Item: { pk } }));

test("a backup becomes a table", async () => {
  const TableName = await createTable(["pk"]);
  await put(TableName, "a");
  const { BackupDetails } = await client.send(new CreateBackupCommand({ TableName, BackupName: "nightly" }));
  const { BackupArn } = BackupDetails;
  await put(TableName, "b");
  await until(
    () => client.send(new DescribeBackupCommand({ BackupArn })),
    ({ BackupDescription }) => BackupDescription.BackupDetails.BackupStatus === "AVAILABLE",
  );
  const { BackupSummaries } = await client.send(new ListBackupsCommand({ TableName }));
  assert.deepEqual(BackupSummaries.map((backup) => backup.BackupArn), [BackupArn]);
  const TargetTableName = uniqueName();
  await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName }));
  assert.deepEqual(await keys(TargetTableName), ["a"]);
  await client.send(new DeleteBackupCommand({ BackupArn }));
  await assert.rejects(client.send(new DescribeBackupCommand({ BackupArn })), BackupNotFoundException);
});

test("a table as it was, and its files", async () => {
  const TableName = await createTable(["pk"]);
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  await put(TableName, "a");
  const TargetTableName = uniqueName();
  await client.send(
    new RestoreTableToPointInTimeCommand({ SourceTableName: TableName, TargetTableName, UseLatestRestorableTime: true }),
  );
  await put(TableName, "b");
  assert.deepEqual(await keys(TargetTableName), ["a"]);

  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const { TableArn, KeySchema, AttributeDefinitions } = Table;
  const S3Bucket = uniqueName();
  const begun = await client.send(new ExportTableToPointInTimeCommand({ TableArn, S3Bucket }));
  const { ExportArn } = begun.ExportDescription;
  const { ExportDescription } = await until(
    () => client.send(new DescribeExportCommand({ ExportArn })),
    ({ ExportDescription }) => ExportDescription.ExportStatus !== "IN_PROGRESS",
  );
  assert.equal(ExportDescription.ItemCount, 2);
  const { ExportSummaries } = await client.send(new ListExportsCommand({ TableArn }));
  assert.deepEqual(ExportSummaries.map((found) => found.ExportArn), [ExportArn]);

  const imported = uniqueName();
  const { ImportTableDescription } = await client.send(
    new ImportTableCommand({
      S3BucketSource: { S3Bucket },
      InputFormat: "DYNAMODB_JSON",
      InputCompressionType: "GZIP",
      TableCreationParameters: { TableName: imported, KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" },
    }),
  );
  const { ImportArn } = ImportTableDescription;
  await until(
    () => client.send(new DescribeImportCommand({ ImportArn })),
    ({ ImportTableDescription }) => ImportTableDescription.ImportStatus === "COMPLETED",
  );
  assert.deepEqual(await keys(imported), ["a", "b"]);
  const { ImportSummaryList } = await client.send(new ListImportsCommand({}));
  assert.ok(ImportSummaryList.some((found) => found.ImportArn === ImportArn));
});
