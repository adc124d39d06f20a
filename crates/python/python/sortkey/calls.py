"""Calls of a compiled design: the core makes requests, the transport sends them, until the call is over."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from . import _native
from ._json import dumps, loads
from .errors import (
    Declared, Failure, InvalidProgram, KeyringError, OldCore, OldProgram, WrongDesign, failure,
)  # fmt: skip
from .keyring import Keyring
from .transport import AsyncTransport, Request, Transport, TransportFailure

__all__ = ["Answer", "AsyncProgram", "Consumed", "Program"]


@dataclass(frozen=True)
class Consumed:
    """The consumption of a call."""

    requests: int
    rcu: float
    wcu: float


@dataclass(frozen=True)
class Answer:
    """The result of a call: a value, or items and the beginning of the next page."""

    value: Any
    items: list[Any] | None
    cursor: str | None
    consumed: Consumed


class _Opened:
    """The common part of blocking and asynchronous calls."""

    def __init__(
        self,
        program: bytes,
        *,
        fingerprint: str | None = None,
        keyring: Keyring | None = None,
        effects: Mapping[str, Callable[[Any], Any]] | None = None,
        on_request: Callable[[Request], None] | None = None,
        declared: Mapping[str, type[Declared]] | None = None,
        clock: Callable[[], int] | None = None,
        seed: bytes | None = None,
        cursor_key: bytes | None = None,
        table_prefix: str | None = None,
        parameters: Mapping[str, str] | None = None,
        bcrypt_cost: int = 12,
        recorded: Callable[[], str] | None = None,
    ) -> None:
        for name, key in (("seed", seed), ("cursor_key", cursor_key)):
            if key is not None and len(key) != 32:
                raise ValueError(f"{name}: expected 32 bytes, not {len(key)}")
        try:
            self.core = _native.Core(
                program,
                seed=seed or os.urandom(32),
                cursor_key=cursor_key or _shared_cursor_key() or os.urandom(32),
                table_prefix=table_prefix,
                parameters=dict(parameters or {}),
                bcrypt_cost=bcrypt_cost,
            )
        except _native.OpenError as error:
            kind, message = error.args
            kinds = {"old core": OldCore, "old program": OldProgram}
            raise kinds.get(kind, InvalidProgram)(message) from None
        if fingerprint is not None and fingerprint != self.core.fingerprint:
            raise WrongDesign(fingerprint, self.core.fingerprint)
        self.keyring = keyring
        self.effects = dict(effects or {})
        self.on_request = on_request
        self.declared = dict(declared or {})
        self.clock = clock or (lambda: time.time_ns() // 1_000_000)
        # The ids of the next call, where a recording of `sortkey test` is replayed.
        self.recorded = recorded

    def start(
        self,
        repeats: bool,
        name: str,
        arguments: Mapping[str, Any],
        caller: Mapping[str, Any] | None,
        cursor: str | None,
        limit: int | None,
        version: int | None,
    ) -> _native.Call:
        message: dict[str, Any] = {"name": name, "arguments": dict(arguments), "now": self.clock(), "repeats": repeats}
        if caller is not None:
            message["caller"] = dict(caller)
        if cursor is not None:
            message["cursor"] = cursor
        if self.recorded is not None:
            message["recorded"] = self.recorded()
        for member, number in (("limit", limit), ("version", version)):
            if number is not None:
                if type(number) is not int or number < 0:
                    raise TypeError(f"{member}: expected a whole number, not {number!r}")
                message[member] = number
        return self._started(message)

    def start_turn(self, repeats: bool, worker: str, turn: Mapping[str, Any]) -> _native.Call:
        return self._started({"worker": worker, "turn": _plain(turn), "now": self.clock(), "repeats": repeats})

    def _started(self, message: dict[str, Any]) -> _native.Call:
        try:
            return self.core.start(dumps(message))
        except _native.CallError as error:
            raise failure(json.loads(error.args[0]), self.declared) from None

    def change(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """A record of a stream as a change: `entity`, `kind`, `item` and `before`; None if it is nobody's item."""
        images = record.get("dynamodb") or {}
        message = {"table": table_of(record), "new": images.get("NewImage"), "old": images.get("OldImage"), "now": self.clock()}
        try:
            changed: dict[str, Any] = loads(self.core.change(dumps(_plain(message))))
        except _native.CallError as error:
            raise failure(json.loads(error.args[0]), self.declared) from None
        return {**changed, "kind": kind_of(record)} if changed else None

    def finish(self, done: bytes, trouble: Failure | None) -> Answer:
        message = loads(done)
        failed = message.get("failure")
        if failed is not None:
            # The core sees only that there was no answer; the transport has the reason.
            if trouble is not None and failed["kind"] in ("Unavailable", "Internal", "Throttled"):
                raise trouble
            raise failure(failed, self.declared)
        _restore(message)
        consumed = message["consumed"]
        return Answer(
            value=message.get("value"),
            items=message.get("items"),
            cursor=message.get("cursor"),
            consumed=Consumed(consumed["requests"], float(consumed["rcu"]), float(consumed["wcu"])),
        )

    def saw(self, operation: str, body: bytes, status: int, answer: bytes) -> None:
        if self.on_request is not None:
            self.on_request(Request(operation, body, status, answer))

    def key(self, ask: dict[str, Any]) -> tuple[int, bytes]:
        """A data key, made or opened by the keyring."""
        if self.keyring is None:
            return 501, b"the design encrypts attributes: pass a keyring"
        try:
            if "newDataKey" in ask:
                plain, wrapped = self.keyring.new_data_key(ask["newDataKey"]["alias"])
                return 200, plain + wrapped
            opened = ask["openDataKey"]
            return 200, self.keyring.unwrap(opened["alias"], base64.b64decode(opened["wrapped"]))
        except KeyringError as error:
            return 403, str(error).encode()

    def effect(self, perform: dict[str, Any]) -> tuple[Callable[[Any], Any] | None, Any]:
        """The handler of an effect and what it is given: the arguments of an `extern`, the request, or the mail."""
        given: Any = perform.get("extern") or perform.get("mail") or perform.get("http") or {}
        if "http" in perform:
            given = {**given, "body": base64.b64decode(given["body"]), "timeoutMs": perform["timeoutMs"]}
        return self.effects.get(perform["name"]), given


def table_of(record: Mapping[str, Any]) -> str:
    """The name of the table that a stream record is of."""
    named = str(record.get("eventSourceARN") or record.get("tableName") or "")
    return named.split(":table/", 1)[1].split("/", 1)[0] if ":table/" in named else named


def kind_of(record: Mapping[str, Any]) -> str:
    kinds = {"INSERT": "create", "MODIFY": "update"}
    by_expiry = (record.get("userIdentity") or {}).get("principalId") == "dynamodb.amazonaws.com"
    return kinds.get(str(record.get("eventName")), "expire" if by_expiry else "delete")


def _plain(value: Any) -> Any:
    """An image as DynamoDB's JSON: a Lambda's event has text where the SDK has bytes."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(member) for member in value]
    return value


def _shared_cursor_key() -> bytes | None:
    """The key of the environment, which processes that serve the same clients share."""
    text = os.environ.get("SORTKEY_CURSOR_KEY", "")
    if not text:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise ValueError("SORTKEY_CURSOR_KEY: expected 64 hexadecimal digits")
    return key


def _restore(message: dict[str, Any]) -> None:
    """Makes integers of those that travel as text, because a double would round them."""
    for place in message.get("wide", ()):
        *path, last = place.split(".")
        inside: Any = message
        for name in path:
            inside = inside[int(name)] if isinstance(inside, list) else inside[name]
        at: Any = int(last) if isinstance(inside, list) else last
        inside[at] = int(inside[at])


def _performed(perform: dict[str, Any], result: Any) -> tuple[int, bytes]:
    return 200, dumps(result if result is not None else {})


def _hash(ask: dict[str, Any]) -> tuple[int, bytes]:
    password, salt = base64.b64decode(ask["password"]), base64.b64decode(ask["salt"])
    return 200, _native.hash_password(password, ask["cost"], salt).encode()


def _refused(perform: dict[str, Any], error: Exception) -> tuple[int, bytes]:
    """The core's kind for a handler that failed: a token that is not valid, or an effect that cannot be carried out."""
    return 401 if "jwt" in perform else 500, str(error).encode()


def _no_handler(perform: dict[str, Any]) -> tuple[int, bytes]:
    if "live" in perform:
        return 200, b"{}"  # An event that nobody follows.
    return 501, f"no handler for the effect `{perform['name']}`: pass it in `effects`".encode()


class Program:
    """A compiled design whose calls block."""

    def __init__(self, program: bytes, transport: Transport, **options: Any) -> None:
        self._opened = _Opened(program, **options)
        self._transport = transport

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        caller: Mapping[str, Any] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        version: int | None = None,
    ) -> Answer:
        """Calls a pattern or an operation by its name."""
        repeats = self._transport.repeats
        return self._run(self._opened.start(repeats, name, arguments or {}, caller, cursor, limit, version))

    def turn(self, worker: str, turn: Mapping[str, Any]) -> Any:
        """A turn of a worker, and what came of it."""
        return self._run(self._opened.start_turn(self._transport.repeats, worker, turn)).value

    def _run(self, call: _native.Call) -> Answer:
        opened, trouble = self._opened, None
        while True:
            asks, done = call.step()
            if done is not None:
                return opened.finish(done, trouble)
            answers = [self._reply(*asks[0])] if len(asks) == 1 else list(_pool().map(lambda ask: self._reply(*ask), asks))
            for (ask, _, _), (status, body, failed) in zip(asks, answers):
                trouble = failed or trouble
                call.answer(ask, status, body)

    def change(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """A record of a stream as a change of an item; None if it is nobody's."""
        return self._opened.change(record)

    def _reply(self, ask: int, operation: str | None, body: bytes) -> tuple[int, bytes, Failure | None]:
        if operation is None:
            return (*self._other(json.loads(body)), None)
        try:
            status, answer = self._transport.send(operation, body)
        except TransportFailure as trouble:
            self._opened.saw(operation, body, 0, b"")
            return 0, str(trouble).encode(), trouble.failure
        self._opened.saw(operation, body, status, answer)
        return status, answer, None

    def _other(self, ask: dict[str, Any]) -> tuple[int, bytes]:
        if "pauseMs" in ask:
            time.sleep(ask["pauseMs"] / 1000)
            return 200, b""
        if "hash" in ask:
            return _hash(ask["hash"])
        if "perform" in ask:
            handler, given = self._opened.effect(ask["perform"])
            if handler is None:
                return _no_handler(ask["perform"])
            try:
                return _performed(ask["perform"], handler(given))
            except Exception as error:
                return _refused(ask["perform"], error)
        return self._opened.key(ask)


class AsyncProgram:
    """A compiled design whose calls are awaited."""

    def __init__(self, program: bytes, transport: AsyncTransport, **options: Any) -> None:
        self._opened = _Opened(program, **options)
        self._transport = transport

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        caller: Mapping[str, Any] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        version: int | None = None,
    ) -> Answer:
        """Calls a pattern or an operation by its name."""
        repeats = self._transport.repeats
        return await self._run(self._opened.start(repeats, name, arguments or {}, caller, cursor, limit, version))

    async def turn(self, worker: str, turn: Mapping[str, Any]) -> Any:
        """A turn of a worker, and what came of it."""
        return (await self._run(self._opened.start_turn(self._transport.repeats, worker, turn))).value

    async def _run(self, call: _native.Call) -> Answer:
        opened, trouble = self._opened, None
        while True:
            asks, done = call.step()
            if done is not None:
                return opened.finish(done, trouble)
            answers = await asyncio.gather(*(self._reply(*ask) for ask in asks))
            for (ask, _, _), (status, body, failed) in zip(asks, answers):
                trouble = failed or trouble
                call.answer(ask, status, body)

    def change(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """A record of a stream as a change of an item; None if it is nobody's."""
        return self._opened.change(record)

    async def _reply(self, ask: int, operation: str | None, body: bytes) -> tuple[int, bytes, Failure | None]:
        if operation is None:
            return (*await self._other(json.loads(body)), None)
        try:
            status, answer = await self._transport.send(operation, body)
        except TransportFailure as trouble:
            self._opened.saw(operation, body, 0, b"")
            return 0, str(trouble).encode(), trouble.failure
        self._opened.saw(operation, body, status, answer)
        return status, answer, None

    async def _other(self, ask: dict[str, Any]) -> tuple[int, bytes]:
        if "pauseMs" in ask:
            await asyncio.sleep(ask["pauseMs"] / 1000)
            return 200, b""
        if "hash" in ask:
            # bcrypt takes a third of a second, and must not hold up the event loop.
            return await asyncio.to_thread(_hash, ask["hash"])
        if "perform" in ask:
            handler, given = self._opened.effect(ask["perform"])
            if handler is None:
                return _no_handler(ask["perform"])
            try:
                result = handler(given)
                return _performed(ask["perform"], await result if isinstance(result, Awaitable) else result)
            except Exception as error:
                return _refused(ask["perform"], error)
        return await asyncio.to_thread(self._opened.key, ask)


_threads: ThreadPoolExecutor | None = None


def _pool() -> ThreadPoolExecutor:
    """Threads for the requests of one call that are sent side by side."""
    global _threads
    if _threads is None:
        _threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="sortkey")
    return _threads
