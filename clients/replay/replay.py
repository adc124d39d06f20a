"""Python among the three languages of served.py: replays a recording of `sortkey test --record` with the Python package, each call
through its client and boto3, on forks of a server, each of which keeps its requests. Requests and answers must be those of the
recording.

    python replay.py PROGRAM RECORDING ENDPOINT [TURN OF]

With a turn, only every so many-th call is made here. Of the others the recorded writes are sent, which are those of another
language: what one language wrote, this one reads.
"""

import base64
import http.client
import json
import sys
from decimal import Decimal
from typing import Any

import boto3
import sortkey.calls
from sortkey import Failure, KeyFile, Program, Request

READS = ("Get", "BatchGet", "TransactGet", "Query", "Scan")


class InOrder:
    """Requests side by side arrive in any order. One after the other, those of all languages can be compared."""

    map = staticmethod(map)


sortkey.calls._pool = InOrder


class Server:
    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.connection = http.client.HTTPConnection(endpoint.removeprefix("http://"))
        keys = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}
        self.client = boto3.client("dynamodb", endpoint_url=endpoint, **keys)
        self.client.meta.events.register("before-sign", lambda request, **_: request.headers.add_header("x-sortkey-fork", self.fork))
        self.fork = ""

    def administer(self, path: str, body: Any, **headers: str) -> None:
        headers["content-type"] = "application/json"
        self.connection.request("POST", f"/_sortkey{path}", json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = response.read()
        assert response.status == 200, answer

    def begin(self, fork: str) -> None:
        self.administer("/forks", {"name": fork, "from": "base", "record": True})
        self.fork = fork

    def at(self, now: int) -> None:
        self.now = now
        self.administer("/clock", {"stopMs": now}, **{"x-sortkey-fork": self.fork})

    def expire(self) -> None:
        self.administer("/expire", {}, **{"x-sortkey-fork": self.fork})


class Player:
    """A test of the recording on a fork of its own."""

    def __init__(self, program: bytes, server: Server, setup: dict[str, Any], effects: set[str]) -> None:
        self.call: dict[str, Any] = {}
        self.effects: list[Any] = []
        self.requests: list[Request] = []
        # The data keys of the test, by alias.
        self.keys: dict[str, Any] = {}
        self.master = KeyFile.from_key(bytes.fromhex(setup["masterKey"]))
        self.transport = sortkey.botocore(server.client)
        self.program = Program(
            program,
            self.transport,
            clock=lambda: server.now,
            seed=bytes(32),
            cursor_key=bytes.fromhex(setup["cursorKey"]),
            parameters=setup["parameters"],
            bcrypt_cost=setup["bcryptCost"],
            recorded=lambda: self.call["start"]["recorded"],
            on_request=self.requests.append,
            keyring=self,
            effects={name: self.handler(name) for name in effects},
        )

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
        self.requests.clear()
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
        same([[each.operation, each.body.decode()] for each in self.requests], call["sent"])
        same(found, done)

    def send(self, operation: str, body: str) -> None:
        self.transport.send(operation, body.encode())


def same(found: Any, recorded: Any) -> None:
    assert found == recorded, f"\nfound:    {found!r:.2000}\nrecorded: {recorded!r:.2000}"


def main(program: str, recording: str, endpoint: str, turn: str = "0", of: str = "1") -> None:
    with open(recording, encoding="utf-8") as file:
        lines = [json.loads(line, parse_float=Decimal) for line in file]
    setup = lines.pop(0)["setup"]
    effects = {each[0] for line in lines for each in line.get("call", {}).get("effects", [])}
    with open(program, "rb") as file:
        compiled = file.read()
    server = Server(endpoint)
    language = "python" if of == "1" else "python-turn"
    tests = calls = made = 0
    for line in lines:
        if "test" in line:
            title, player = line["test"], Player(compiled, server, setup, effects)
            server.begin(f"{language}-{tests}")
            server.at(setup["now"])
        elif "now" in line:
            server.at(line["now"])
        elif "expire" in line:
            server.expire()
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
            tests += 1
    print(f"python: {tests} tests, {made} of {calls} calls replayed")


main(*sys.argv[1:])
