"""Workers of a design as handlers: of the records of a stream, of a schedule.

What a run does is the core's. These functions decide how many there are at a time, and what a Lambda answers.
"""

from __future__ import annotations

import asyncio
import datetime
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .calls import AsyncProgram, Program, kind_of, table_of
from .errors import SortkeyError

__all__ = ["AsyncWorkers", "WorkReport", "Workers"]

# Told of a run that failed: the error, and the worker.
OnFailure = Callable[[Exception, str], None]
# What a Lambda answers for a batch of records.
BatchAnswer = dict[str, list[dict[str, str]]]
Item = Mapping[str, Any]

# How many runs of a worker there are at a time, unless the design allows fewer or the caller says otherwise.
_CONCURRENCY = 16
_log = logging.getLogger("sortkey")


class RunFailed(SortkeyError):
    """A run of a worker failed: its item is due again later, or put aside after the last attempt."""


@dataclass(frozen=True)
class WorkReport:
    """What a worker did."""

    # Runs that began.
    runs: int
    # Runs that failed. They are due again later, or put aside after the last attempt.
    failed: int
    # Whether nothing was left that was due.
    is_done: bool


class Workers:
    """The workers of a client that blocks."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def _records(
        self, workers: Sequence[str], records: Iterable[Mapping[str, Any]], on_failure: OnFailure | None
    ) -> BatchAnswer:
        for change in map(_change, records):
            for worker in workers:
                try:
                    self._program.turn(worker, {"change": change})
                except Exception as error:
                    return _failed(change, worker, error, on_failure)
        return {"batchItemFailures": []}

    def _due(
        self, worker: str, concurrency: int, per: int | None, until: float | None, on_failure: OnFailure | None
    ) -> WorkReport:
        most, runs, failed = min(concurrency, _CONCURRENCY), 0, 0
        cursor: str | None = None
        with ThreadPoolExecutor(max_workers=most, thread_name_prefix="sortkey-work") as pool:
            while True:
                page = self._program.turn(worker, {"due": {"cursor": cursor}})
                for wave in _waves(page["items"], most, per or most):
                    if until is not None and time.time() >= until:
                        return WorkReport(runs, failed, False)
                    ran = list(pool.map(lambda item: self._program.turn(worker, {"one": item}), wave))
                    runs, failed = _count(ran, worker, on_failure, runs, failed)
                cursor = page["cursor"]
                if cursor is None:
                    return WorkReport(runs, failed, True)

    def _slot(self, worker: str, at: datetime.datetime | str | None) -> WorkReport:
        return _slot_report(self._program.turn(worker, {"slot": {"atMs": _milliseconds(at)}}))


class AsyncWorkers:
    """The workers of a client that is awaited."""

    def __init__(self, program: AsyncProgram) -> None:
        self._program = program

    async def _records(
        self, workers: Sequence[str], records: Iterable[Mapping[str, Any]], on_failure: OnFailure | None
    ) -> BatchAnswer:
        for change in map(_change, records):
            for worker in workers:
                try:
                    await self._program.turn(worker, {"change": change})
                except Exception as error:
                    return _failed(change, worker, error, on_failure)
        return {"batchItemFailures": []}

    async def _due(
        self, worker: str, concurrency: int, per: int | None, until: float | None, on_failure: OnFailure | None
    ) -> WorkReport:
        most, runs, failed = min(concurrency, _CONCURRENCY), 0, 0
        cursor: str | None = None
        while True:
            page = await self._program.turn(worker, {"due": {"cursor": cursor}})
            for wave in _waves(page["items"], most, per or most):
                if until is not None and time.time() >= until:
                    return WorkReport(runs, failed, False)
                ran = await asyncio.gather(*(self._program.turn(worker, {"one": item}) for item in wave))
                runs, failed = _count(ran, worker, on_failure, runs, failed)
            cursor = page["cursor"]
            if cursor is None:
                return WorkReport(runs, failed, True)

    async def _slot(self, worker: str, at: datetime.datetime | str | None) -> WorkReport:
        return _slot_report(await self._program.turn(worker, {"slot": {"atMs": _milliseconds(at)}}))


def _change(record: Mapping[str, Any]) -> dict[str, Any]:
    images = record.get("dynamodb") or {}
    image = images.get("NewImage") or images.get("OldImage") or {}
    at = str(images.get("SequenceNumber"))
    return {"table": table_of(record), "kind": kind_of(record), "image": image, "at": at}


def _failed(change: Mapping[str, Any], worker: str, error: Exception, on_failure: OnFailure | None) -> BatchAnswer:
    """Lambda sends this record and those behind it again (`ReportBatchItemFailures`)."""
    _tell(error, worker, on_failure)
    return {"batchItemFailures": [{"itemIdentifier": change["at"]}]}


def _tell(error: Exception, worker: str, on_failure: OnFailure | None) -> None:
    if on_failure is not None:
        on_failure(error, worker)
    else:
        _log.error("worker %s: %s", worker, error)


def _waves(items: Sequence[Item], most: int, most_of_share: int) -> Iterable[list[Item]]:
    """The items in groups that may run at a time: so many together, and so many of one share."""
    waiting = list(items)
    while waiting:
        wave: list[Item] = []
        shares: dict[str, int] = {}
        rest: list[Item] = []
        for item in waiting:
            if len(wave) < most and shares.get(item["share"], 0) < most_of_share:
                shares[item["share"]] = shares.get(item["share"], 0) + 1
                wave.append(item)
            else:
                rest.append(item)
        waiting = rest
        yield wave


def _count(
    ran: Iterable[Mapping[str, Any]], worker: str, on_failure: OnFailure | None, runs: int, failed: int
) -> tuple[int, int]:
    for each in ran:
        runs += each["ran"] != "not"
        if each["ran"] in ("failed", "dead"):
            failed += 1
            _tell(RunFailed(each["message"]), worker, on_failure)
    return runs, failed


def _slot_report(ran: Mapping[str, Any]) -> WorkReport:
    return WorkReport(int(ran["ran"] != "not"), 0, True)


def _milliseconds(at: datetime.datetime | str | None) -> int:
    if at is None:
        return time.time_ns() // 1_000_000
    if isinstance(at, str):
        # As EventBridge writes it: `2026-01-31T12:00:00Z`.
        at = datetime.datetime.fromisoformat(at.replace("Z", "+00:00"))
    if at.tzinfo is None:
        raise ValueError(f"expected a time with its zone, not {at}")
    return round(at.timestamp() * 1_000)
