"""Templates: linted, deployed to moto, and created table by table on `sortkey serve`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from conftest import FIXTURES, HERE, SYSTEMS, described, generate, parameters, served, system, up

# moto reads none of these from a template; tables made on `sortkey serve` are compared in full.
MOTO_FORGETS = ["Encryption", "Expiry", "Recovery", "RecoveryDays"]


def test_cfn_lint_reports_nothing(tmp_path):
    for name in SYSTEMS:
        generate("cloudformation", system(name), tmp_path / name)
        generate("cloudformation", system(name), tmp_path / f"{name}-yaml", "--yaml")
    for stage in ["prod", "world", "cdk"]:
        generate("cloudformation", FIXTURES / "jobs.sk", tmp_path / stage, stage=stage, deploy=FIXTURES / "deploy.toml")
    files = sorted(str(path) for path in tmp_path.glob("*/template.*"))
    assert len(files) == 13
    lint = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([lint, "--regions", "eu-west-1", "--", *files], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_a_stack_in_moto_has_the_tables_of_sortkey_up(a_system, tmp_path):
    template = (generate("cloudformation", system(a_system), tmp_path) / "template.json").read_text()
    with up(system(a_system), *parameters(a_system)) as server:
        wanted = described(server.client())
    with mock_aws():
        boto3.client("cloudformation").create_stack(StackName="tables", TemplateBody=template)
        found = described(boto3.client("dynamodb"))
    for tables in (wanted, found):
        for table in tables.values():
            for fact in MOTO_FORGETS:
                del table[fact]
            # moto adds tags of its own, as CloudFormation does.
            table["Tags"] = [tag for tag in table["Tags"] if not tag[0].startswith("aws:")]
    assert found == wanted


def test_tables_made_from_the_template_are_those_of_sortkey_up(a_system, tmp_path):
    template = json.loads((generate("cloudformation", system(a_system), tmp_path) / "template.json").read_text())
    with up(system(a_system), *parameters(a_system)) as server:
        wanted = described(server.client())
    with served() as server:
        client = server.client()
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::DynamoDB::Table":
                create(client, resource["Properties"])
        assert described(client) == wanted


def create(client, properties):
    """Makes a table the way CloudFormation would."""
    later = ["TimeToLiveSpecification", "PointInTimeRecoverySpecification"]
    request = {key: value for key, value in properties.items() if key not in later}
    if stream := request.get("StreamSpecification"):
        request["StreamSpecification"] = {"StreamEnabled": True, **stream}
    if encryption := request.pop("SSESpecification", None):
        request["SSESpecification"] = {"Enabled": encryption.pop("SSEEnabled"), **encryption}
    client.create_table(**request)
    name = properties["TableName"]
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 0.05})
    if expiry := properties.get("TimeToLiveSpecification"):
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=expiry)
    if recovery := properties.get("PointInTimeRecoverySpecification"):
        client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=recovery)


BEFORE = """design notes
table Notes "notes" { key (id) }
entity Note in Notes { id uuid  a uuid  b uuid  c uuid }
"""
AFTER = BEFORE.replace("key (id)", "key (id) index by-a (a) index by-b (b) project keys index by-c (c)")


def test_waves_are_applied_one_after_the_other(tmp_path):
    """The script brings a stack from no index to three, an index in each update, and goes on where it stopped."""
    design, out = tmp_path / "notes.sk", tmp_path / "out"
    design.write_text(BEFORE)
    generate("cloudformation", design, out)
    (out / "template.json").rename(tmp_path / "before.json")
    design.write_text(AFTER)
    generate("cloudformation", design, out, "--against", tmp_path / "before.json")
    waves = ["01-wave.json", "02-wave.json", "03-wave.json"]
    assert sorted(path.name for path in out.iterdir()) == [*waves, "apply.sh"]
    stand_in = tmp_path / "bin/aws"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE / "stack.py"}" "$@"\n')
    stand_in.chmod(0o755)
    with served() as server:
        environment = {
            **os.environ,
            "PATH": f"{stand_in.parent}:{os.environ['PATH']}",
            "REAL_AWS": str(Path(sys.executable).with_name("aws")),
            "STACK_ENDPOINT": server.endpoint,
            "STACK_STATE": str(tmp_path / "stack.json"),
            "SORTKEY_WAIT_SECONDS": "0.1",
        }
        run = lambda *command: subprocess.run(command, env=environment, capture_output=True, text=True)
        deploy = ["aws", "cloudformation", "deploy", "--template-file"]
        made = run(*deploy, tmp_path / "before.json")
        assert made.returncode == 0, made.stderr
        # All three at once are what CloudFormation refuses.
        assert "more than one GSI" in run(*deploy, out / "03-wave.json").stderr
        first = run(out / "apply.sh", "notes")
        assert first.returncode == 0, first.stdout + first.stderr
        table = server.client().describe_table(TableName="notes")["Table"]
        states = {index["IndexName"]: index["IndexStatus"] for index in table["GlobalSecondaryIndexes"]}
        assert states == {"by-a": "ACTIVE", "by-b": "ACTIVE", "by-c": "ACTIVE"}
        again = run(out / "apply.sh", "notes")
        assert again.stdout.splitlines() == [f"wave {number} of 3 is applied already" for number in (1, 2, 3)]
        # A stack that stopped after the second wave goes on with the third.
        (tmp_path / "stack.json").write_text((out / waves[1]).read_text())
        server.client().update_table(TableName="notes", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-c"}}])
        third = run(out / "apply.sh", "notes")
        assert (third.returncode, third.stdout.splitlines()[2]) == (0, "wave 3 of 3"), third.stdout + third.stderr
