"""Constructs: what the CDK synthesises is the generated template, resource by resource."""

import json
import re
import subprocess

import pytest

from conftest import FIXTURES, HERE, SYSTEMS, generate, system

pytestmark = pytest.mark.skipif(not (HERE / "node_modules").is_dir(), reason="the CDK is not installed")


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_construct_of_a_system_is_its_template(name, tmp_path):
    compare(system(name), tmp_path, "prod", HERE / "global.toml")


@pytest.mark.parametrize("stage", ["cdk", "world"])
def test_the_construct_of_a_design_with_everything_is_its_template(stage, tmp_path):
    compare(FIXTURES / "jobs.sk", tmp_path, stage, FIXTURES / "deploy.toml")


def compare(design, folder, stage, deploy):
    generate("cdk", design, folder / "cdk", stage=stage, deploy=deploy)
    generate("cloudformation", design, folder / "cloudformation", stage=stage, deploy=deploy)
    [file] = (folder / "cdk").iterdir()
    name = re.search(r"export class (\w+)", file.read_text()).group(1)
    # Replicas and customer keys need a stack with a region, which the stages of the fixture name.
    region = ["eu-west-1"] if deploy == FIXTURES / "deploy.toml" else []
    done = subprocess.run(["node", HERE / "synth.js", file, name, *region], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wanted = json.loads((folder / "cloudformation/template.json").read_text())
    assert resources(json.loads(done.stdout)) == resources(wanted)


def resources(template):
    """Resources by the name that they have in AWS, with references by that name as well."""
    made = {id: each for id, each in template["Resources"].items() if not each["Type"].startswith("AWS::CDK::")}
    names = {id: name_of(each) for id, each in made.items()}
    assert len(set(names.values())) == len(names)
    return {names[id]: renamed(each, names) for id, each in made.items()}


def name_of(resource):
    properties = resource["Properties"]
    return properties.get("TableName") or properties.get("AlarmName")


def renamed(value, names):
    if isinstance(value, dict):
        if "Ref" in value:
            return {"Ref": names.get(value["Ref"], value["Ref"])}
        if "Fn::GetAtt" in value:
            id, attribute = value["Fn::GetAtt"]
            return {"Fn::GetAtt": [names.get(id, id), attribute]}
        if "Fn::Join" in value:
            # The CDK writes the ARN of an alias, a template its name; DynamoDB takes both.
            return re.sub(r"^.*:(alias/.*)$", r"\1", value["Fn::Join"][1][-1])
        # The CDK adds where a resource comes from.
        return {key: renamed(each, names) for key, each in value.items() if key != "Metadata"}
    if isinstance(value, list):
        named = [renamed(each, names) for each in value]
        # The order of attributes, indexes and replicas means nothing; that of a key does.
        is_set = all(isinstance(each, dict) and "KeyType" not in each and "Id" not in each for each in named)
        return sorted(named, key=lambda each: json.dumps(each, sort_keys=True)) if is_set else named
    return value
