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

# The arguments of `aws_dynamodb_global_secondary_index`, as schema.py recorded them; every resource has the others.
INDEX_SCHEMA = json.loads((HERE / "index_schema.json").read_text())
OF_EVERY_RESOURCE = {"depends_on": set(), "lifecycle": {"prevent_destroy", "ignore_changes"}}

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
    arguments, blocks = INDEX_SCHEMA["arguments"], INDEX_SCHEMA["blocks"]
    assert set(own) <= set(arguments) | set(OF_EVERY_RESOURCE), own
    assert {name for name, is_required in arguments.items() if is_required} <= set(own), own
    for key, values in own.items():
        known = blocks.get(key)
        for block in values if known is not None else []:
            given = {name for name in block if not name.startswith("__")}
            assert given <= set(known), (key, block)
            assert {name for name, is_required in known.items() if is_required} <= given, (key, block)


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
        plan = terraform(folder, "plan", "-detailed-exitcode", "-no-color", "-out", "planned", codes=(2,)).stdout
        assert "0 to add, 1 to change, 0 to destroy" in plan
        assert changes_of_indexes(folder) == {"create": ["by-b"], "delete": [], "update": []}
        terraform(folder, "apply", "-auto-approve", "-no-color", "planned")
        assert terraform(folder, "plan", "-detailed-exitcode", "-no-color", codes=(0, 2)).returncode == 0
        found = described(server.client())
    with up(design) as server:
        assert found == described(server.client())


def changes_of_indexes(folder):
    """What a plan does to the indexes of the one table that it changes."""
    planned = json.loads(terraform(folder, "show", "-json", "planned").stdout)
    [change] = [each["change"] for each in planned["resource_changes"] if each["change"]["actions"] != ["no-op"]]
    # What is not set is null before and 0 after, or the other way round.
    own = lambda index: {key: value for key, value in index.items() if value}
    before, after = ({each["name"]: own(each) for each in change[when]["global_secondary_index"]} for when in ("before", "after"))
    shared = before.keys() & after.keys()
    return {
        "create": sorted(after.keys() - before.keys()),
        "delete": sorted(before.keys() - after.keys()),
        "update": sorted(name for name in shared if before[name] != after[name]),
    }


def test_one_more_index_of_its_own_is_one_more_resource(tmp_path):
    """Provider 6.44 plans indexes as resources: the same files with one more of them, which waits for the one before."""
    before = """design notes
table Notes "notes" { key (owner | id)  index by-a (a) }
entity Note in Notes { owner uuid  id uuid  a uuid  b uuid }
"""
    texts = []
    for text in (before, before.replace("index by-a (a)", "index by-a (a)  index by-b (b)")):
        (tmp_path / "notes.sk").write_text(text)
        files = generate("terraform", tmp_path / "notes.sk", tmp_path / "out")
        texts.append(hcl2.loads((files / "sortkey.tf").read_text())["resource"])
    resources = [{(kind, name): body for each in all for kind, named in each.items() for name, body in named.items()} for all in texts]
    added = resources[1].keys() - resources[0].keys()
    assert [kind.strip('"') for kind, _ in added] == ["aws_dynamodb_global_secondary_index"]
    assert all(resources[1][key] == body for key, body in resources[0].items()), "what was there is as it was"


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
