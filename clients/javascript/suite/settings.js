import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DeleteResourcePolicyCommand,
  DescribeContinuousBackupsCommand,
  DescribeEndpointsCommand,
  DescribeLimitsCommand,
  DescribeTableCommand,
  GetResourcePolicyCommand,
  ListTagsOfResourceCommand,
  PolicyNotFoundException,
  PutResourcePolicyCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateContinuousBackupsCommand,
} from "@aws-sdk/client-dynamodb";
import { client, createTable } from "../clients.js";

async function tableArn() {
  const TableName = await createTable(["pk"]);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return Table.TableArn;
}

test("tags", async () => {
  const ResourceArn = await tableArn();
  const Tags = [{ Key: "team", Value: "blue" }, { Key: "env", Value: "test" }];
  await client.send(new TagResourceCommand({ ResourceArn, Tags }));
  await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ["env"] }));
  const listed = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
  assert.deepEqual(listed.Tags, [{ Key: "team", Value: "blue" }]);
});

test("limits and endpoints", async () => {
  const limits = await client.send(new DescribeLimitsCommand({}));
  assert.equal(limits.TableMaxWriteCapacityUnits, 40000);
  const { Endpoints } = await client.send(new DescribeEndpointsCommand({}));
  assert.equal(Endpoints.length, 1);
});

test("continuous backups", async () => {
  const TableName = await createTable(["pk"]);
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  const recovery = ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  assert.equal(recovery.PointInTimeRecoveryStatus, "ENABLED");
  assert.ok(recovery.LatestRestorableDateTime instanceof Date);
});

test("resource policies", async () => {
  const ResourceArn = await tableArn();
  const Policy = JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Principal: { AWS: "111122223333" }, Action: "dynamodb:Scan", Resource: ResourceArn },
    ],
  });
  await assert.rejects(client.send(new GetResourcePolicyCommand({ ResourceArn })), PolicyNotFoundException);
  const { RevisionId } = await client.send(new PutResourcePolicyCommand({ ResourceArn, Policy }));
  const got = await client.send(new GetResourcePolicyCommand({ ResourceArn }));
  assert.deepEqual([JSON.parse(got.Policy), got.RevisionId], [JSON.parse(Policy), RevisionId]);
  await client.send(new DeleteResourcePolicyCommand({ ResourceArn }));
  await assert.rejects(client.send(new GetResourcePolicyCommand({ ResourceArn })), PolicyNotFoundException);
});
