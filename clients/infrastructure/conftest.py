"""Generated files, servers, and tables as they are described."""

import os
import re
import subprocess
from pathlib import Path

import boto3
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BINARY = os.environ["SORTKEY_BIN"]
SYSTEMS = ["core-service", "ferryhook", "listbackup", "seller-profiles", "t3nets"]
FIXTURES = ROOT / "crates/codegen/tests/fixtures"

for name, value in {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}.items():
    os.environ[name] = value
os.environ.pop("AWS_PROFILE", None)


def sortkey(*arguments, code=0):
    """Runs the binary, expects an exit code, and returns what it printed."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def system(name):
    return ROOT / "systems" / name / f"{name}.sk"


def parameters(name):
    """A system's arguments on the command line."""
    return ["--set", "stack=prod"] if name == "listbackup" else []


def generate(target, design, out, *more, stage="prod", deploy=HERE / "plain.toml"):
    given = parameters(Path(design).stem)
    sortkey("generate", target, design, "--deploy", deploy, "--stage", stage, "--out", out, *given, *more)
    return out


class Server:
    """A `sortkey` process that serves the DynamoDB API."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [BINARY, *map(str, arguments), "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        printed = ""
        for line in self.process.stdout:
            printed += line
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.endpoint = found.group()
                return
        raise AssertionError(printed)

    def client(self):
        return boto3.client("dynamodb", endpoint_url=self.endpoint)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def served(*arguments):
    return Server("serve", "--in-memory", *arguments)


def up(design, *arguments):
    return Server("up", design, "--in-memory", *arguments)


def described(client):
    """Every table with what a deployment decides, and nothing that merely happens to it."""
    names = client.get_paginator("list_tables").paginate().build_full_result()["TableNames"]
    return {name: facts(client, name) for name in names}


def facts(client, name):
    table = client.describe_table(TableName=name)["Table"]
    index = lambda each: {
        "IndexName": each["IndexName"],
        "KeySchema": each["KeySchema"],
        "Projection": {
            "ProjectionType": each["Projection"]["ProjectionType"],
            "NonKeyAttributes": sorted(each["Projection"].get("NonKeyAttributes") or []),
        },
        "Capacity": capacity(each),
    }
    ordered = lambda key: sorted(map(index, table.get(key) or []), key=lambda each: each["IndexName"])
    expiry = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    backups = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    recovery = backups.get("PointInTimeRecoveryDescription", {})
    tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    return {
        "AttributeDefinitions": sorted(table["AttributeDefinitions"], key=lambda each: each["AttributeName"]),
        "KeySchema": table["KeySchema"],
        "Global": ordered("GlobalSecondaryIndexes"),
        "Local": ordered("LocalSecondaryIndexes"),
        "BillingMode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
        "Capacity": capacity(table),
        "Stream": table.get("StreamSpecification", {}).get("StreamViewType"),
        "DeletionProtection": table.get("DeletionProtectionEnabled", False),
        "Encryption": table.get("SSEDescription", {}).get("SSEType"),
        "Expiry": expiry.get("AttributeName"),
        "Recovery": recovery.get("PointInTimeRecoveryStatus", "DISABLED"),
        "RecoveryDays": recovery.get("RecoveryPeriodInDays"),
        "Tags": sorted((tag["Key"], tag["Value"]) for tag in tags),
    }


def capacity(described):
    units = described.get("ProvisionedThroughput") or {}
    return units.get("ReadCapacityUnits", 0), units.get("WriteCapacityUnits", 0)


@pytest.fixture(params=SYSTEMS)
def a_system(request):
    return request.param
