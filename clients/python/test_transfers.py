"""Exports of tables to files, and imports of tables from files."""

import gzip
import json
import time

import pytest

KEY = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def wait(describe, status):
    for _ in range(600):
        described = describe()
        if described[status] != "IN_PROGRESS":
            return described
        time.sleep(0.1)
    raise AssertionError("it never ends")


def exported(client, arn):
    return wait(lambda: client.describe_export(ExportArn=arn)["ExportDescription"], "ExportStatus")


def imported(client, **request):
    arn = client.import_table(**request)["ImportTableDescription"]["ImportArn"]
    return wait(lambda: client.describe_import(ImportArn=arn)["ImportTableDescription"], "ImportStatus")


@pytest.fixture
def here(buckets, name):
    """A bucket of this test alone; the server must be on this machine."""
    bucket = buckets / name
    bucket.mkdir()
    return bucket


def test_export_and_import(client, create, here, name):
    table = create("pk")
    arn = client.describe_table(TableName=table)["Table"]["TableArn"]
    with pytest.raises(client.exceptions.PointInTimeRecoveryUnavailableException):
        client.export_table_to_point_in_time(TableArn=arn, S3Bucket=here.name)
    client.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    for number in range(3):
        client.put_item(TableName=table, Item={"pk": {"S": str(number)}, "n": {"N": "1.5"}})
    begun = client.export_table_to_point_in_time(TableArn=arn, S3Bucket=here.name, S3Prefix="p")
    export = exported(client, begun["ExportDescription"]["ExportArn"])
    assert (export["ExportStatus"], export["ItemCount"]) == ("COMPLETED", 3)
    summary = json.loads((here / export["ExportManifest"]).read_text())
    files = [json.loads(line) for line in (here / summary["manifestFilesS3Key"]).read_text().splitlines()]
    lines = [json.loads(line) for file in files for line in gzip.open(here / file["dataFileS3Key"])]
    assert sorted(line["Item"]["pk"]["S"] for line in lines) == ["0", "1", "2"]
    listed = client.list_exports(TableArn=arn)["ExportSummaries"]
    assert [export["ExportArn"] for export in listed] == [export["ExportArn"]]

    done = imported(
        client,
        S3BucketSource={"S3Bucket": here.name, "S3KeyPrefix": "p/"},
        InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP",
        TableCreationParameters={"TableName": f"{name}-imported", **KEY},
    )
    assert (done["ImportStatus"], done["ImportedItemCount"], done["ErrorCount"]) == ("COMPLETED", 3, 0)
    client.get_waiter("table_exists").wait(TableName=f"{name}-imported", WaiterConfig={"Delay": 1})
    found = client.scan(TableName=f"{name}-imported")["Items"]
    assert sorted(found, key=str) == sorted(client.scan(TableName=table)["Items"], key=str)


def test_import_of_csv(client, here, name):
    (here / "rows.csv").write_text("a;1\nb;2\nbroken\n")
    done = imported(
        client,
        S3BucketSource={"S3Bucket": here.name},
        InputFormat="CSV",
        InputFormatOptions={"Csv": {"Delimiter": ";", "HeaderList": ["pk", "v"]}},
        TableCreationParameters={"TableName": name, **KEY},
    )
    assert (done["ImportStatus"], done["FailureCode"]) == ("FAILED", "ItemValidationError")
    assert (done["ImportedItemCount"], done["ErrorCount"]) == (2, 1)
    arns = [found["ImportArn"] for found in pages(client)]
    assert done["ImportArn"] in arns
    failed = imported(
        client,
        S3BucketSource={"S3Bucket": here.name, "S3KeyPrefix": "nothing"},
        InputFormat="DYNAMODB_JSON",
        TableCreationParameters={"TableName": f"{name}-2", **KEY},
    )
    assert (failed["ImportStatus"], failed["FailureCode"]) == ("FAILED", "S3NoSuchKey")


def pages(client):
    """All imports, one at a time."""
    token = {}
    while True:
        page = client.list_imports(PageSize=1, **token)
        yield from page["ImportSummaryList"]
        if "NextToken" not in page:
            return
        token = {"NextToken": page["NextToken"]}
