import assert from "node:assert/strict";
import { test } from "node:test";
import { called } from "../clients.js";

const OPERATIONS = `
  CreateTable DescribeTable ListTables UpdateTable DeleteTable
  PutItem GetItem UpdateItem DeleteItem Query Scan
  BatchGetItem BatchWriteItem TransactGetItems TransactWriteItems
  ExecuteStatement BatchExecuteStatement ExecuteTransaction
  UpdateTimeToLive DescribeTimeToLive
  TagResource UntagResource ListTagsOfResource
  DescribeLimits DescribeEndpoints
  ListStreams DescribeStream GetShardIterator GetRecords
  UpdateContinuousBackups DescribeContinuousBackups
  CreateBackup DescribeBackup ListBackups DeleteBackup RestoreTableFromBackup RestoreTableToPointInTime
  ExportTableToPointInTime DescribeExport ListExports ImportTable DescribeImport ListImports
  GetResourcePolicy PutResourcePolicy DeleteResourcePolicy
`.trim().split(/\s+/);

test("every operation was called", () => {
  assert.equal(OPERATIONS.length, 46);
  assert.deepEqual(OPERATIONS.filter((name) => !called.has(name)), []);
});
