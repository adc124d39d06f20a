"""Workers as handlers: of a stream's records, of what is due, of a schedule."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sortkey.testing import Database

ROOT = Path(__file__).resolve().parents[4]
BINARY = Path(os.environ.get("SORTKEY_BIN", ROOT / "target/debug/sortkey"))

pytestmark = pytest.mark.skipif(not BINARY.exists(), reason="the binary `sortkey` is not built")

DESIGN = """
design relay
table Parcels "parcels" { key (PK | SK)  index Due (lane | nextAt) project keys sparse  stream new_and_old_images }
entity Parcel in Parcels {
  PK = "PARCEL#{parcelId}"  SK = "PARCEL"
  parcelId ulid = new
  address  url(..500)
  content  string(..100)
  phase    waiting | taken | lost = waiting
  attempts int(0..8) = 0 @counter
  nextAt   time(ms) = now when phase = waiting
  lane     int(0..3) := hash(parcelId) % 4 when phase = waiting
  states phase { waiting -> waiting, taken, lost }
}
entity Note in Parcels { PK = "NOTE#{parcelId}"  SK = "NOTE"  parcelId ulid  words string(..100) }
entity Day in Parcels { PK = "DAY"  SK = "DAY"  days int(0..) @counter }
pattern parcel = get Parcel by parcelId strong
pattern note = get Note by parcelId strong
pattern day = get Day strong
operation accept(address, content) { create Parcel { address, content } }
effect post(url: url, body: string(..100)) -> { status int(0..599) } = http POST url timeout 10s
effect write(words: string(..100)) -> { words string(..100) } = extern timeout 5s
worker noted on create Parcel as p { let w = do write(words: p.content)  put Note { parcelId: p.parcelId, words: w.words } }
worker send due Parcel as p by nextAt when phase = waiting concurrency 100 per address 2 lease 30s attempts 2 {
  let r = do post(url: p.address, body: p.content)
  require r.status != 400 else Refused
  update Parcel(...p) {
    phase: choose { r.status in 200..299: taken, otherwise: waiting },
    attempts += 1,
    nextAt: choose { r.status in 200..299: absent, otherwise: now + 10s }
  }
}
worker nightly every "0 3 * * *" { upsert Day { days += 1 } }
"""


@pytest.fixture(scope="module")
def relay(tmp_path_factory):
    folder = tmp_path_factory.mktemp("relay")
    (folder / "relay.sk").write_text(DESIGN)
    made = subprocess.run(
        [BINARY, "generate", "python", folder / "relay.sk", "--out", folder / "relay"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    yield __import__("relay")
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def template():
    return Database.of(DESIGN)


class World:
    """A relay on a database of its own, with scripted receivers."""

    def __init__(self, relay, database, is_async=False):
        self.database, self.status, self.posted = database, 200, []
        effects = {"post": self.post, "write": lambda given: {"words": given["words"].upper()}}
        self.db = database.client(relay.AsyncRelay if is_async else relay.Relay, effects=effects)

    def post(self, request):
        self.posted.append((request["url"], request["body"]))
        return {"status": self.status}

    def records(self, kind="INSERT"):
        """Everything as the records of a stream, as if it had been written just now."""
        arn = "arn:aws:dynamodb:us-east-1:000000000000:table/parcels/stream/2026"
        items = enumerate(self.database.dump()["parcels"])
        return [{"eventName": kind, "eventSourceARN": arn, "dynamodb": {"NewImage": item, "SequenceNumber": str(at)}} for at, item in items]


def test_a_record_of_a_stream_starts_what_follows_it(relay, template):
    world = World(relay, template.fork())
    made = world.db.accept(address="https://example.com", content="hello")
    # A second delivery of the same records writes the same again.
    for _ in range(2):
        assert world.db.workers.records(world.records()) == {"batchItemFailures": []}
    assert world.db.note(parcel_id=made.parcel_id).words == "HELLO"
    # A change of another kind, and a record of another table, start nothing.
    world.db.accept(address="https://example.com", content="other")
    world.db.workers.records(world.records("MODIFY"))
    elsewhere = [{**record, "eventSourceARN": record["eventSourceARN"].replace("parcels", "else")} for record in world.records()]
    world.db.workers.records(elsewhere)
    notes = [item for item in world.database.dump()["parcels"] if item["PK"]["S"].startswith("NOTE#")]
    assert len(notes) == 1


def test_the_first_record_whose_run_fails_is_named(relay, template, caplog):
    world = World(relay, template.fork())
    world.db.accept(address="https://example.com", content="hello")
    [record] = [each for each in world.records() if each["dynamodb"]["NewImage"]["SK"]["S"] == "PARCEL"]
    broken = json.loads(json.dumps(record))
    broken["dynamodb"]["NewImage"]["content"] = {"BOOL": True}
    broken["dynamodb"]["SequenceNumber"] = "broken"
    told = []
    answer = world.db.workers.records([broken, record], on_failure=lambda error, worker: told.append(worker))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "broken"}]}
    assert told == ["noted"]
    assert not [item for item in world.database.dump()["parcels"] if item["SK"]["S"] == "NOTE"]
    world.db.workers.records([broken])
    assert "worker noted" in caplog.text


def test_what_is_due_is_run_and_comes_again_when_it_failed(relay, template):
    world = World(relay, template.fork())
    made = [world.db.accept(address=f"https://{at % 2}.example.com", content=str(at)) for at in range(12)]
    assert world.db.workers.send(until=0.0).is_done is False
    report = world.db.workers.send()
    assert (report.runs, report.failed, report.is_done) == (12, 0, True)
    assert len(world.posted) == 12 and {world.db.parcel(parcel_id=each.parcel_id).phase for each in made} == {"taken"}
    world.status = 503
    last = world.db.accept(address="https://example.com", content="last")
    assert world.db.workers.send().runs == 1
    assert world.db.workers.send().runs == 0
    world.database.advance(seconds=11)
    world.status = 200
    assert world.db.workers.send().runs == 1
    assert world.db.parcel(parcel_id=last.parcel_id).attempts == 2


def test_a_run_that_keeps_failing_is_put_aside(relay, template):
    world = World(relay, template.fork())
    world.db.accept(address="https://example.com", content="hello")
    world.status, told = 400, []
    tell = lambda error, worker: told.append(worker)
    assert world.db.workers.send(on_failure=tell).failed == 1
    world.database.advance(seconds=10)
    assert world.db.workers.send(on_failure=tell).failed == 1
    world.database.advance(seconds=1_000)
    assert world.db.workers.send(on_failure=tell).runs == 0
    assert told == ["send", "send"]
    letters = [item for item in world.database.dump()["parcels"] if "dead#send" in item["PK"]["S"]]
    assert len(letters) == 1


def test_a_slot_of_a_schedule_runs_once(relay, template):
    world = World(relay, template.fork())
    assert world.db.workers.nightly("2026-01-01T03:00:00Z").runs == 1
    assert world.db.workers.nightly("2026-01-01T03:00:00Z").runs == 0
    assert world.db.workers.nightly("2026-01-02T03:00:00Z").runs == 1
    assert world.db.day().days == 2
    with pytest.raises(ValueError, match="zone"):
        world.db.workers.nightly("2026-01-03T03:00:00")


def test_workers_are_awaited_too(relay, template):
    world = World(relay, template.fork(), is_async=True)

    async def run():
        made = await world.db.accept(address="https://example.com", content="hello")
        assert await world.db.workers.records(world.records()) == {"batchItemFailures": []}
        assert (await world.db.workers.send()).runs == 1
        assert (await world.db.workers.nightly("2026-01-01T03:00:00Z")).runs == 1
        return await world.db.note(parcel_id=made.parcel_id)

    assert asyncio.run(run()).words == "HELLO"
