"""Replays a recording of `sortkey test --record` with the Python package: each call through its client, on the engine in process.

Requests, answers and the items of every table must be those of the recording.

    python replay.py PROGRAM RECORDING [TURN OF]

With a turn, only every so many-th call is made here. Of the others the recorded writes are sent, which are those of another
language: what one language wrote, this one reads.
"""

import base64
import json
import sys
from decimal import Decimal
from typing import Any

from sortkey import Failure, KeyFile, Program
from sortkey.testing import Database

READS = ("Get", "BatchGet", "TransactGet", "Query", "Scan")


class Player:
    """A test of the recording on a database of its own."""

    def __init__(self, program: bytes, tables: Database, setup: dict[str, Any], effects: set[str]) -> None:
        self.database = tables.fork()
        self.call: dict[str, Any] = {}
        self.effects: list[Any] = []
        # The data keys of the test, by alias.
        self.keys: dict[str, Any] = {}
        self.master = KeyFile.from_key(bytes.fromhex(setup["masterKey"]))
        options = self.database.options(
            cursor_key=bytes.fromhex(setup["cursorKey"]),
            parameters=setup["parameters"],
            bcrypt_cost=setup["bcryptCost"],
            recorded=lambda: self.call["start"]["recorded"],
            keyring=self,
            effects={name: self.handler(name) for name in effects},
        )
        self.program = Program(program, self.database, **options)

    # The keyring.

    def new_data_key(self, alias: str) -> tuple[bytes, bytes]:
        plain, wrapped = map(base64.b64decode, self.keys[alias])
        return plain, wrapped

    def unwrap(self, alias: str, wrapped: bytes) -> bytes:
        return self.master.unwrap(alias, wrapped)

    def handler(self, name: str) -> Any:
        """Gives the recorded outcomes of an effect, in order."""

        def handle(_: Any) -> Any:
            effect, status, body = self.effects.pop(0)
            same(effect, name)
            if status != 200:
                raise RuntimeError(body)
            return json.loads(body)

        return handle

    def replay(self, call: dict[str, Any]) -> None:
        self.call, self.effects = call, list(call.get("effects", []))
        start, done = call["start"], dict(call["done"])
        self.database.requests.clear()
        try:
            answer = self.program.call(
                start["name"], start["arguments"], caller=start.get("caller"), cursor=start.get("cursor")
            )
            paged = {"items": answer.items, "cursor": answer.cursor}
            found: dict[str, Any] = {"value": answer.value} if answer.items is None else paged
        except Failure as failure:
            found = {"failure": {"kind": failure.name, "message": failure.message, "field": failure.field}}
        done.pop("consumed", None)
        done.get("failure", {}).pop("faults", None)
        # Queries side by side have no order.
        sent = [[each.operation, each.body.decode()] for each in self.database.requests]
        same(sorted(sent), sorted(call["sent"]))
        same(found, done)

    def send(self, operation: str, body: str) -> None:
        self.database.engine.send(operation, body.encode())


def same(found: Any, recorded: Any) -> None:
    assert found == recorded, f"\nfound:    {found!r:.2000}\nrecorded: {recorded!r:.2000}"


def text(item: Any) -> str:
    return json.dumps(item, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def main(program: str, recording: str, turn: str = "0", of: str = "1") -> None:
    with open(recording, encoding="utf-8") as file:
        lines = [json.loads(line, parse_float=Decimal) for line in file]
    setup = lines.pop(0)["setup"]
    effects = {each[0] for line in lines for each in line.get("call", {}).get("effects", [])}
    with open(program, "rb") as file:
        compiled = file.read()
    tables = Database()
    for operation, body in setup["tables"]:
        status, answer = tables.send(operation, body.encode())
        assert status == 200, answer
    tests = calls = made = 0
    for line in lines:
        if "test" in line:
            title, player = line["test"], Player(compiled, tables, setup, effects)
        elif "now" in line:
            player.database.engine.stop_clock_at(line["now"])
        elif "expire" in line:
            player.database.engine.expire()
        elif "send" in line:
            player.send(*line["send"])
        elif "call" in line:
            is_mine = calls % int(of) == int(turn)
            calls += 1
            player.keys.update(line["call"].get("keys", {}))
            if not is_mine:
                for operation, body in line["call"]["sent"]:
                    if not operation.startswith(READS):
                        player.send(operation, body)
                continue
            made += 1
            try:
                player.replay(line["call"])
            except BaseException:
                print(f"{title}: {line['call']['start']['name']}", file=sys.stderr)
                raise
        else:
            found = {name: sorted(map(text, items)) for name, items in player.database.dump().items()}
            same(found, {name: sorted(items) for name, items in line["items"].items()})
            tests += 1
    print(f"python: {tests} tests, {made} of {calls} calls replayed")


main(*sys.argv[1:])
