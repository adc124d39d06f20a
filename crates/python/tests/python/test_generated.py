"""Generated clients: their types hold for mypy and pyright, and they run."""

import asyncio
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sortkey
from sortkey.testing import Database

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
BINARY = Path(os.environ.get("SORTKEY_BIN", ROOT / "target/debug/sortkey"))
SYSTEMS = sorted(path.parent.name for path in ROOT.glob("systems/*/tests.sk"))

pytestmark = pytest.mark.skipif(not BINARY.exists(), reason="the binary `sortkey` is not built")


def generate(system, out, *more):
    design = ROOT / f"systems/{system}/{system}.sk"
    return subprocess.run([BINARY, "generate", "python", design, "--out", out, *more], capture_output=True, text=True)


@pytest.fixture(scope="session")
def clients(tmp_path_factory):
    """A folder with the clients of all systems, which can be imported."""
    folder = tmp_path_factory.mktemp("clients")
    for system in SYSTEMS:
        made = generate(system, folder / system.replace("-", "_"))
        assert made.returncode == 0, made.stderr
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


def checked(folder, *command):
    """The lines of a file in which a checker finds errors, and all that it prints."""
    environment = {**os.environ, "MYPYPATH": f"{folder}:{os.environ['PYTHONPATH']}"}
    done = subprocess.run([Path(sys.executable).parent / command[0], *command[1:]], capture_output=True, text=True, env=environment, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def configure_pyright(folder):
    paths = [str(folder), os.environ["PYTHONPATH"]]
    settings = {"extraPaths": paths, "pythonVersion": "3.10", "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))


def test_there_are_five_systems():
    assert len(SYSTEMS) == 5


def test_mypy_is_content_with_every_client(clients):
    names = [name.replace("-", "_") for name in SYSTEMS]
    code, said = checked(clients, "mypy", "--strict", "--no-error-summary", *(arg for name in names for arg in ("-p", name)))
    assert code == 0, said


def test_pyright_is_content_with_every_client(clients):
    configure_pyright(clients)
    code, said = checked(clients, "pyright", *(name.replace("-", "_") for name in SYSTEMS))
    assert code == 0, said


WRONG = (HERE / "wrong.py").read_text()


def places(said):
    """The lines of `wrong.py` in which a checker finds an error."""
    return {int(line) for line in re.findall(r"wrong\.py:(\d+)(?::\d+)?(?: -|:) error", said)}


@pytest.mark.parametrize("checker", [("mypy", "--strict", "--no-error-summary"), ("pyright",)])
def test_wrong_programs_are_errors_and_right_ones_are_not(clients, checker):
    configure_pyright(clients)
    (clients / "wrong.py").write_text(WRONG)
    wrong = {at for at, line in enumerate(WRONG.splitlines(), 1) if line.endswith("# wrong")}
    assert len(wrong) >= 40
    _, said = checked(clients, *checker, "wrong.py")
    assert places(said) == wrong, said


def test_a_client_that_is_stale_is_noticed(clients):
    client = clients / "ferryhook"
    assert generate("ferryhook", client, "--check").returncode == 0
    users = client / "users.py"
    before = users.read_text()
    users.write_text(before.replace("def create", "def make", 1))
    try:
        assert generate("ferryhook", client, "--check").returncode != 0
    finally:
        users.write_text(before)


def test_ferryhook_runs(clients):
    ferryhook = importlib.import_module("ferryhook")
    with Database.of(ROOT / "systems/ferryhook/ferryhook.sk").fork() as database:
        system = database.client(ferryhook.Ferryhook)
        user = system.users.create(email=" Ada@X.com ", name="Ada", github_id="1")
        assert isinstance(user, ferryhook.User) and user.email == "ada@x.com" and user.user_id.startswith("usr_")
        with pytest.raises(ferryhook.EmailTaken):
            system.users.create(email="ada@x.com", name="B", github_id="2")
        ada = system.acting_as({"userId": user.user_id, "permission": "admin"})
        source = ada.sources.create(user_id=user.user_id, name="Payments", provider="stripe", signing_secret="whsec_1")
        assert [each.source_id for each in ada.sources.list_by_user(user_id=user.user_id)] == [source.source_id]
        page = ada.sources.list_by_user(user_id=user.user_id, limit=1).page()
        assert [each.name for each in page.items] == ["Payments"]
        assert ada.sources.get_by_id(ferryhook.SourceId("src_0000000000000000")) is None

        awaited = database.client(ferryhook.AsyncFerryhook, caller={"userId": user.user_id, "permission": "admin"})

        async def names():
            return [each.name async for each in awaited.sources.list_by_user(user_id=user.user_id)]

        assert asyncio.run(names()) == ["Payments"]


def test_a_client_of_an_old_design_is_refused(clients, monkeypatch):
    ferryhook = importlib.import_module("ferryhook")
    monkeypatch.setattr(ferryhook, "FINGERPRINT", "0" * 64)
    with pytest.raises(sortkey.WrongDesign):
        ferryhook.Ferryhook(Database())


def test_changes_of_a_stream_have_the_designs_types(clients):
    """A Lambda's event: items are instances, records of no entity are left out, and an expiry differs from a deletion."""
    ferryhook = importlib.import_module("ferryhook")
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/ferryhook-events/stream/2026"

    def image(status):
        return {
            "PK": {"S": "SRC#src_aaaaaaaaaaaaaaaa"}, "SK": {"S": "EVT#1767225600000#evt_aaaaaaaaaaaaaaaa"},
            "sourceId": {"S": "src_aaaaaaaaaaaaaaaa"}, "eventId": {"S": "evt_aaaaaaaaaaaaaaaa"},
            "userId": {"S": "usr_aaaaaaaaaaaaaaaa"}, "status": {"S": status}, "headers": {"S": '{"a":"b"}'},
            "sourceIp": {"S": "1.1.1.1"}, "method": {"S": "POST"}, "receivedAt": {"N": "1767225600000"},
            "expiresAt": {"N": "1800000000"},
        }  # fmt: skip

    def record(name, **images):
        return {"eventName": name, "eventSourceARN": arn, "dynamodb": images}

    by_expiry = {"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}}
    for client in (ferryhook.Ferryhook(Database()), ferryhook.AsyncFerryhook(Database())):
        changes = client.changes(
            [
                record("MODIFY", NewImage=image("processing"), OldImage=image("received")),
                record("INSERT", NewImage={"PK": {"S": "receipt#x"}, "SK": {"S": "x"}}),
                {**record("REMOVE", OldImage=image("failed")), **by_expiry},
                record("REMOVE", OldImage=image("failed")),
            ]
        )
        assert [(each.entity, each.kind) for each in changes] == [("Event", kind) for kind in ("update", "expire", "delete")]
        first = changes[0]
        assert isinstance(first.item, ferryhook.Event) and first.item.headers == {"a": "b"}
        assert (first.before.status, first.item.status, changes[1].item) == ("received", "processing", None)
