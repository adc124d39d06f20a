"""Terraform: formatted, valid, and applied to `sortkey serve`."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import hcl2
import pytest

from conftest import BINARY, FIXTURES, HERE, SYSTEMS, described, generate, parameters, served, system, up

pytestmark = pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on this machine")

# The folder of the providers on machines without a network.
PLUGINS = Path(os.environ.get("SORTKEY_TERRAFORM_PLUGINS", "/opt/tf-plugins"))

# The arguments and blocks of `aws_dynamodb_global_secondary_index` in version 6.44 of the provider: required and optional ones.
INDEX_SCHEMA = {
    "table_name": None,
    "index_name": None,
    "depends_on": None,
    "key_schema": {"attribute_name", "attribute_type", "key_type"},
    "projection": {"projection_type", "non_key_attributes"},
    "provisioned_throughput": {"read_capacity_units", "write_capacity_units"},
    "on_demand_throughput": {"max_read_request_units", "max_write_request_units"},
    "lifecycle": {"prevent_destroy", "ignore_changes"},
}

PROVIDER = """
provider "aws" {
  region                      = "us-east-1"
  access_key                  = "local"
  secret_key                  = "local"
  skip_credentials_validation = true
  skip_requesting_account_id  = true
  skip_metadata_api_check     = true
  endpoints {
    dynamodb = "%s"
  }
}
"""


def terraform(folder, *arguments, codes=(0,)):
    settings = folder / "settings.tfrc"
    if PLUGINS.is_dir():
        settings.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{PLUGINS}"\n  }}\n}}\n')
    else:
        settings.write_text("")
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": str(settings), "CHECKPOINT_DISABLE": "1"}
    done = subprocess.run(
        ["terraform", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode in codes, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    """A folder with the provider installed, whose locks and plugins the other folders use."""
    folder = tmp_path_factory.mktemp("provider")
    generate("terraform", system("t3nets"), folder, "--inline")
    (folder / "provider.tf").write_text(PROVIDER % "http://127.0.0.1:9")
    done = terraform(folder, "init", "-no-color", codes=(0, 1))
    if done.returncode:
        pytest.skip("the AWS provider is not installed and cannot be")
    return folder


def prepared(provider, folder):
    shutil.copytree(provider / ".terraform", folder / ".terraform", symlinks=True)
    shutil.copy(provider / ".terraform.lock.hcl", folder)
    return folder


def test_everything_is_formatted(tmp_path):
    for name in SYSTEMS:
        generate("terraform", system(name), tmp_path / name)
    for stage in ["prod", "world"]:
        generate("terraform", FIXTURES / "jobs.sk", tmp_path / stage, stage=stage, deploy=FIXTURES / "deploy.toml")
    assert terraform(tmp_path, "fmt", "-check", "-recursive", "-diff").stdout == ""


def test_indexes_of_their_own_fit_the_schema(tmp_path):
    found = 0
    for name in [*SYSTEMS, "jobs"]:
        design = FIXTURES / "jobs.sk" if name == "jobs" else system(name)
        more = {"deploy": FIXTURES / "deploy.toml"} if name == "jobs" else {}
        text = (generate("terraform", design, tmp_path / name, **more) / "sortkey.tf").read_text()
        for resource in hcl2.loads(text)["resource"]:
            for kind, named in resource.items():
                if kind.strip('"') != "aws_dynamodb_global_secondary_index":
                    continue
                for index in named.values():
                    found += 1
                    check_index(index)
    assert found > 20


def check_index(index):
    own = {key: value for key, value in index.items() if not key.startswith("__")}
    assert set(own) <= set(INDEX_SCHEMA), own
    assert {"table_name", "index_name", "key_schema", "projection"} <= set(own)
    for key, allowed in INDEX_SCHEMA.items():
        for block in own.get(key, []) if allowed else []:
            assert {name for name in block if not name.startswith("__")} <= allowed, (key, block)


def inline(design, folder):
    """The files of a design for provider 5; none if it cannot express them, which is printed."""
    arguments = ["--deploy", HERE / "plain.toml", "--stage", "prod", *parameters(Path(design).stem)]
    command = [BINARY, "generate", "terraform", design, *arguments, "--inline", "--out", folder]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        assert "which --inline cannot express" in done.stderr, done.stderr
        return None
    return folder


def test_systems_are_applied_and_have_the_tables_of_sortkey_up(provider, tmp_path):
    """The part of the systems that provider 5 can express: applied as it is valid, and nothing is left to do."""
    applied = 0
    for name in SYSTEMS:
        folder = inline(system(name), tmp_path / name)
        if folder is None:
            continue
        prepared(provider, folder)
        assert json.loads(terraform(folder, "validate", "-json").stdout)["valid"], name
        with served() as server:
            (folder / "provider.tf").write_text(PROVIDER % server.endpoint)
            terraform(folder, "apply", "-auto-approve", "-no-color")
            plan = terraform(folder, "plan", "-detailed-exitcode", "-no-color", codes=(0, 2))
            assert plan.returncode == 0, plan.stdout
            found = described(server.client())
        with up(system(name), *parameters(name)) as server:
            assert found == described(server.client()), name
        applied += 1
    assert applied == 3, "all but the two whose indexes have keys of several attributes"


def test_a_design_is_applied_changed_and_applied_again(provider, tmp_path):
    before = """design notes
defaults { billing on_demand  recovery 7d }
table Notes "notes" { key (owner | id)  index by-a (a) project keys  ttl gone  stream new_image }
entity Note in Notes { owner uuid  id uuid  a uuid  b uuid  gone time(s) }
"""
    after = before.replace("project keys", "project keys  index by-b (b) project [a]")
    design, folder = tmp_path / "notes.sk", tmp_path / "out"
    with served() as server:
        design.write_text(before)
        generate("terraform", design, folder, "--inline")
        prepared(provider, folder)
        (folder / "provider.tf").write_text(PROVIDER % server.endpoint)
        terraform(folder, "apply", "-auto-approve", "-no-color")
        assert terraform(folder, "plan", "-detailed-exitcode", "-no-color", codes=(0, 2)).returncode == 0
        design.write_text(after)
        generate("terraform", design, folder, "--inline")
        plan = terraform(folder, "plan", "-detailed-exitcode", "-no-color", codes=(2,)).stdout
        assert "0 to add, 1 to change, 0 to destroy" in plan
        terraform(folder, "apply", "-auto-approve", "-no-color")
        assert terraform(folder, "plan", "-detailed-exitcode", "-no-color", codes=(0, 2)).returncode == 0
        found = described(server.client())
    with up(design) as server:
        assert found == described(server.client())


def test_what_the_design_loses_is_released_and_not_destroyed(provider, tmp_path):
    one = 'table Notes "notes" { key (id) }  entity Note in Notes { id uuid }\n'
    two = 'table Old "old" { key (id) }  entity Older in Old { id uuid }\n'
    design, folder = tmp_path / "notes.sk", tmp_path / "out"
    with served() as server:
        design.write_text("design notes\n" + one + two)
        generate("terraform", design, folder, "--inline")
        prepared(provider, folder)
        (folder / "provider.tf").write_text(PROVIDER % server.endpoint)
        terraform(folder, "apply", "-auto-approve", "-no-color")
        design.write_text("design notes\n" + one)
        generate("terraform", design, folder, "--inline")
        applied = terraform(folder, "apply", "-auto-approve", "-no-color").stdout
        assert "0 destroyed" in applied
        assert sorted(described(server.client())) == ["notes", "old"]


def test_tables_that_exist_are_imported(provider, tmp_path):
    design, folder = tmp_path / "notes.sk", tmp_path / "out"
    design.write_text('design notes\ntable Notes "notes" { key (id) index by-a (a) }  entity Note in Notes { id uuid a uuid }\n')
    with up(design) as server:
        generate("terraform", design, folder, "--inline", "--endpoint", server.endpoint)
        prepared(provider, folder)
        (folder / "provider.tf").write_text(PROVIDER % server.endpoint)
        plan = terraform(folder, "plan", "-no-color").stdout
        assert "1 to import, 0 to add" in plan and "0 to destroy" in plan, plan
