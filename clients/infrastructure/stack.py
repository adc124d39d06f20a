"""Stands for `aws` where a script applies CloudFormation templates: `cloudformation deploy` brings tables to a DynamoDB as
CloudFormation would, and refuses more than one change of an index in an update; everything else is the real AWS CLI.

moto accepts an update of a table in a stack, and does nothing.
"""

import json
import os
import sys
from pathlib import Path

import boto3

STATE = Path(os.environ["STACK_STATE"])


def main(arguments):
    if arguments[:2] == ["cloudformation", "deploy"]:
        deploy(json.loads(Path(arguments[arguments.index("--template-file") + 1]).read_text()))
    elif arguments[:2] == ["cloudformation", "describe-stacks"]:
        outputs = json.loads(STATE.read_text())["Outputs"] if STATE.exists() else {}
        print(outputs.get("SortkeyWave", {}).get("Value", "None"))
    else:
        os.execv(os.environ["REAL_AWS"], ["aws", *arguments, "--endpoint-url", os.environ["STACK_ENDPOINT"]])


def deploy(template):
    client = boto3.client("dynamodb", endpoint_url=os.environ["STACK_ENDPOINT"])
    deployed = json.loads(STATE.read_text())["Resources"] if STATE.exists() else {}
    for name, resource in template["Resources"].items():
        wanted = resource["Properties"]
        if name not in deployed:
            client.create_table(**wanted)
            continue
        old, new = (indexes(each) for each in (deployed[name]["Properties"], wanted))
        changes = [{"Delete": {"IndexName": index}} for index in old if index not in new]
        changes += [{"Create": new[index]} for index in new if index not in old]
        if len(changes) > 1:
            sys.exit("Cannot perform more than one GSI creation or deletion in a single update")
        if any(new[index] != old[index] for index in new if index in old):
            sys.exit("Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights Specification")
        if changes:
            attributes = wanted["AttributeDefinitions"]
            client.update_table(
                TableName=wanted["TableName"], AttributeDefinitions=attributes, GlobalSecondaryIndexUpdates=changes
            )
    STATE.write_text(json.dumps(template))


def indexes(properties):
    return {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes", [])}


main(sys.argv[1:])
