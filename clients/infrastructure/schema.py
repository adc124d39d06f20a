"""Records what `aws_dynamodb_global_secondary_index` takes, in `index_schema.json`.

    python schema.py                          from pulumi-aws on PyPI, which is generated from the provider's own schema
    python schema.py providers.json           from `terraform providers schema -json`, where the provider can be installed

Provider 5, which `terraform` of the tests has, does not know the resource. Run this again for a newer provider, and look at what changed.
"""

import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

RESOURCE = "aws_dynamodb_global_secondary_index"
OUT = Path(__file__).with_name("index_schema.json")


def of_provider(file):
    """The schema that a provider prints."""
    [provider] = json.loads(Path(file).read_text())["provider_schemas"].values()
    block = provider["resource_schemas"][RESOURCE]["block"]
    arguments = {name: bool(each.get("required")) for name, each in block["attributes"].items() if not is_computed(each)}
    blocks = {}
    for name, each in block.get("block_types", {}).items():
        blocks[name] = {key: bool(value.get("required")) for key, value in each["block"].get("attributes", {}).items()}
        arguments[name] = each.get("min_items", 0) > 0
    return {"from": file, "arguments": arguments, "blocks": blocks}


def is_computed(attribute):
    return attribute.get("computed") and not attribute.get("optional")


def of_pypi():
    """The schema of the package that is generated from it: blocks are classes, lists of blocks have names in the plural."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check", "pulumi-aws", "-d", folder]
        subprocess.run(command, check=True)
        [wheel] = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            resource = ast.parse(archive.read("pulumi_aws/dynamodb/global_secondary_index.py"))
            inputs = ast.parse(archive.read("pulumi_aws/dynamodb/_inputs.py"))
    version = wheel.name.split("-")[1]
    arguments, blocks = {}, {}
    for name, (is_required, annotation) in parameters(resource, "GlobalSecondaryIndexArgs").items():
        named = [each.value for each in ast.walk(annotation) if isinstance(each, ast.Constant) and str(each.value).endswith("Args")]
        # Provider arguments that every resource has.
        if name == "timeouts":
            continue
        if named:
            name = name[:-1] if name == "key_schemas" else name
            blocks[name] = {key: required for key, (required, _) in parameters(inputs, named[0]).items()}
        arguments[name] = is_required
    return {"from": f"pulumi-aws {version}", "arguments": arguments, "blocks": blocks}


def parameters(module, name):
    """The arguments of a class's constructor: whether each is required, and its annotation."""
    [found] = [each for each in module.body if isinstance(each, ast.ClassDef) and each.name == name]
    [made] = [each for each in found.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    return {each.arg: (default is None, each.annotation) for each, default in zip(made.args.kwonlyargs, made.args.kw_defaults)}


if __name__ == "__main__":
    found = of_provider(sys.argv[1]) if len(sys.argv) > 1 else of_pypi()
    OUT.write_text(json.dumps(found, indent=2) + "\n")
