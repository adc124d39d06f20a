"""Tests without servers: Sortkey's own engine in this process, forked for each test, with a clock that the test moves.

    database = Database.of("notes.sk")        # compiled, its tables made; once
    with database.fork() as fresh:            # costs nothing, sees nobody else's writes
        notes = fresh.program()
        notes.call("write", {"words": "milk"}, caller={"userId": "ada"})
        fresh.advance(days=1)
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeVar

from . import _native
from ._json import loads
from .calls import AsyncProgram, Program
from .errors import InvalidDesign
from .keyring import KeyFile, Keyring
from .transport import Request

__all__ = ["Database"]

# When the clock of a test begins: 2026-01-01T00:00:00Z, a whole second, so that times of every unit agree.
START_MS = 1_767_225_600_000

Client = TypeVar("Client")


class Database:
    """A DynamoDB in memory. Its clock is held until the test moves it."""

    # Nothing in process is worth sending again.
    repeats = False

    def __init__(self, engine: _native.Engine | None = None) -> None:
        if engine is None:
            engine = _native.Engine()
            engine.stop_clock_at(START_MS)
        self.engine = engine
        self._program: bytes | None = None
        self._options: dict[str, Any] = {}
        # The requests that were sent, in order.
        self.requests: list[Request] = []

    @classmethod
    def of(
        cls,
        design: str | PathLike[str],
        *,
        table_prefix: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> Database:
        """A database with the tables of a design: the path of a file, or its text if it has several lines."""
        made = cls()
        try:
            is_text = isinstance(design, str) and "\n" in design
            compiled = _native.Design.from_text(str(design)) if is_text else _native.Design.load(os.fspath(design))
            compiled.deploy(made.engine, table_prefix=table_prefix, parameters=dict(parameters or {}))
        except _native.DesignError as error:
            raise InvalidDesign(str(error)) from None
        made._program = compiled.program()
        made._options = {"table_prefix": table_prefix, "parameters": dict(parameters or {})}
        return made

    def fork(self) -> Database:
        """A second database with everything that this one contains. From then on neither sees the other."""
        forked = Database(self.engine.fork())
        forked._program, forked._options = self._program, self._options
        return forked

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.requests.clear()

    # The clock.

    def now_ms(self) -> int:
        """The time of this database, in milliseconds since 1970."""
        return self.engine.now_ms()

    def advance(self, by: datetime.timedelta | None = None, **units: float) -> None:
        """Moves the clock: `advance(minutes=5)`, or by a `timedelta`."""
        length = (by or datetime.timedelta()) + datetime.timedelta(**units)
        self.engine.advance(round(length / datetime.timedelta(milliseconds=1)))

    # The transport.

    def send(self, operation: str, body: bytes) -> tuple[int, bytes]:
        """Answers a request of DynamoDB."""
        status, answer = self.engine.send(operation, body)
        self.requests.append(Request(operation, body, status, answer))
        return status, answer

    def options(self, **options: Any) -> dict[str, Any]:
        """The options for a program on this database: seeded ids, this clock, a constant key."""
        defaults: dict[str, Any] = {
            "clock": self.now_ms,
            "seed": bytes(32),
            "cursor_key": bytes(32),
            # The cheapest that bcrypt allows: a test asks whether it is used, not whether it is slow.
            "bcrypt_cost": 4,
            "keyring": _keyring(),
        }
        return {**defaults, **self._options, **options}

    def program(self, **options: Any) -> Program:
        """The design of this database, ready to be called by name."""
        return Program(self._compiled(), self, **self.options(**options))

    def async_program(self, **options: Any) -> AsyncProgram:
        """Like `program`, for calls that are awaited."""
        return AsyncProgram(self._compiled(), _Awaited(self), **self.options(**options))

    def client(self, generated: Callable[..., Client], **options: Any) -> Client:
        """A generated client on this database: `database.client(Notes, caller={...})`."""
        transport = _Awaited(self) if getattr(generated, "IS_ASYNC", False) else self
        return generated(transport, **self.options(**options))

    def boto3_client(self, **options: Any) -> Any:
        """A boto3 client of `dynamodb` whose requests are answered in this process."""
        import boto3  # type: ignore[import-untyped,unused-ignore]
        from botocore.awsrequest import AWSResponse  # type: ignore[import-untyped,unused-ignore]

        settings: dict[str, Any] = {
            "region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test",
        }  # fmt: skip
        client = boto3.client("dynamodb", **{**settings, **options})

        def answer(request: Any, **_: Any) -> AWSResponse:
            operation = request.headers["X-Amz-Target"].decode().rsplit(".", 1)[-1]
            status, body = self.send(operation, request.body)
            headers = {"content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "in-process"}
            return AWSResponse(request.url, status, headers, _Raw(body))

        client.meta.events.register("before-send.dynamodb.*", answer)
        return client

    def dump(self) -> dict[str, list[Any]]:
        """Every item of every table, in DynamoDB's JSON, in a stable order."""
        tables = loads(self.engine.send("ListTables", b"{}")[1])["TableNames"]
        return {name: sorted(self._scan(name), key=lambda item: json.dumps(item, sort_keys=True)) for name in tables}

    def _scan(self, table: str) -> list[Any]:
        items: list[Any] = []
        request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        while True:
            page = json.loads(self.engine.send("Scan", json.dumps(request).encode())[1])
            items += page["Items"]
            if "LastEvaluatedKey" not in page:
                return items
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _compiled(self) -> bytes:
        if self._program is None:
            raise ValueError("this database was not made from a design: use Database.of")
        return self._program


def _keyring() -> Keyring:
    return KeyFile.from_key(bytes(32))


class _Awaited:
    """The database for calls that are awaited; it answers at once."""

    repeats = False

    def __init__(self, database: Database) -> None:
        self._database = database

    async def send(self, operation: str, body: bytes) -> tuple[int, bytes]:
        return self._database.send(operation, body)


class _Raw:
    """The body of an answer, as botocore reads it."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Any:
        yield self._body
