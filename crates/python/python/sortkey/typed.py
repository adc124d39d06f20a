"""The parts of generated clients: values of the design's types, pages, and the two kinds of clients."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Generic, Literal, TypeVar

from .calls import Answer, AsyncProgram, Program
from .errors import Declared, Internal
from .transport import AsyncTransport, Transport, aio, botocore
from .work import AsyncWorkers, BatchAnswer, OnFailure, Workers, WorkReport

__all__ = [
    "BYTES", "DECIMAL", "OMITTED", "AsyncClient", "AsyncPaged", "AsyncWorkers", "BatchAnswer", "Change", "Client", "ListOf", "MapOf",
    "Omitted", "OnFailure", "OneOf", "Page", "Paged", "SetOf", "Wire", "WorkReport", "Workers",
]  # fmt: skip

T = TypeVar("T")


class Omitted(Enum):
    """Stands for an argument that is left out, where `None` removes the attribute."""

    OMITTED = "omitted"


OMITTED: Final[Literal[Omitted.OMITTED]] = Omitted.OMITTED

# How a value travels. None: as it is. A class: an object with the fields of its `Wire`.
Spec = Any
BYTES: Final = "bytes"
DECIMAL: Final = "decimal"


@dataclass(frozen=True)
class ListOf:
    """A list of values."""

    of: Spec


@dataclass(frozen=True)
class SetOf:
    """A set of values, which travels as a list."""

    of: Spec


@dataclass(frozen=True)
class MapOf:
    """Values by names."""

    of: Spec


@dataclass(frozen=True)
class OneOf:
    """Objects of several kinds; `$entity` names the kind."""

    kinds: Mapping[str, type]


class Wire:
    """The fields of every class of a client: the attribute, its name as it travels, its form."""

    def __init__(self, classes: Mapping[type, tuple[tuple[str, str, Spec], ...]]) -> None:
        self._classes = classes

    def read(self, spec: Spec, value: Any) -> Any:
        """A value as it arrived, in the types of the client."""
        if spec is None or value is None:
            return value
        if spec is BYTES:
            return base64.b64decode(value)
        if spec is DECIMAL:
            return value if isinstance(value, Decimal) else Decimal(str(value))
        if isinstance(spec, ListOf):
            return [self.read(spec.of, each) for each in value]
        if isinstance(spec, SetOf):
            return frozenset(self.read(spec.of, each) for each in value)
        if isinstance(spec, MapOf):
            return {name: self.read(spec.of, each) for name, each in value.items()}
        if isinstance(spec, OneOf):
            kind = value.get("$entity")
            if kind not in spec.kinds:
                raise Internal(f"an item of the unknown kind {kind!r}")
            return self.read(spec.kinds[kind], value)
        fields = self._classes[spec]
        return spec(**{name: self.read(form, value[wire]) for name, wire, form in fields if wire in value})

    def write(self, value: Any) -> Any:
        """A value of the client as it travels."""
        fields = self._classes.get(type(value))
        if fields is not None:
            members = ((name, wire, getattr(value, name)) for name, wire, _ in fields)
            return {wire: self.write(member) for name, wire, member in members if not _is_left_out(value, name, member)}
        if isinstance(value, dict):
            return {name: self.write(member) for name, member in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.write(member) for member in value]
        return value

    def arguments(self, required: dict[str, Any], optional: dict[str, Any], nullable: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call, without those that are left out."""
        given = dict(required)
        given.update((name, value) for name, value in optional.items() if value is not None)
        given.update((name, value) for name, value in nullable.items() if value is not OMITTED)
        return {name: self.write(value) for name, value in given.items()}


def _is_left_out(value: Any, name: str, member: Any) -> bool:
    """Whether a field is left out: `None` leaves it out, unless it removes the attribute and `OMITTED` leaves it out."""
    if member is None:
        return value.__dataclass_fields__[name].default is not OMITTED
    return member is OMITTED


@dataclass(frozen=True)
class Page(Generic[T]):
    """Items, and where the next page begins; none if this was the last."""

    items: list[T]
    cursor: str | None


@dataclass(frozen=True)
class Change(Generic[T]):
    """A change of an item, from the stream of its table."""

    # The entity's name in the design.
    entity: str
    kind: Literal["create", "update", "delete", "expire"]
    # The item after and before the change, where the stream has it.
    item: T | None
    before: T | None


class Paged(Generic[T]):
    """A list: iterate over all of its items, or read one page."""

    def __init__(self, read: Callable[[str | None], Page[T]], cursor: str | None) -> None:
        self._read = read
        self._cursor = cursor

    def page(self) -> Page[T]:
        """The page that the cursor names; the first without one."""
        return self._read(self._cursor)

    def pages(self) -> Iterator[Page[T]]:
        """This page and all that follow."""
        page = self.page()
        yield page
        while page.cursor is not None:
            page = self._read(page.cursor)
            yield page

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items


class AsyncPaged(Generic[T]):
    """A list: `async for` reads all of its items, `await` one page."""

    def __init__(self, read: Callable[[str | None], Any], cursor: str | None) -> None:
        self._read = read
        self._cursor = cursor

    async def page(self) -> Page[T]:
        """The page that the cursor names; the first without one."""
        page: Page[T] = await self._read(self._cursor)
        return page

    def __await__(self) -> Generator[Any, None, Page[T]]:
        return self.page().__await__()

    async def pages(self) -> AsyncIterator[Page[T]]:
        """This page and all that follow."""
        page = await self.page()
        yield page
        while page.cursor is not None:
            page = await self._read(page.cursor)
            yield page

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item


class Client:
    """Calls of a generated client that block."""

    def __init__(self, program: Program, wire: Wire, caller: Mapping[str, Any] | None) -> None:
        self._program = program
        self._wire = wire
        self._caller = caller

    @classmethod
    def open(
        cls,
        program: bytes,
        fingerprint: str,
        wire: Wire,
        declared: Mapping[str, type[Declared]],
        client: object,
        caller: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> Client:
        """A client of a program, over a boto3 client of `dynamodb` or a transport."""
        transport: Transport = client if hasattr(client, "send") and hasattr(client, "repeats") else botocore(client)
        return cls(Program(program, transport, fingerprint=fingerprint, declared=declared, **options), wire, caller)

    def acting_as(self, caller: Mapping[str, Any]) -> Client:
        return Client(self._program, self._wire, caller)

    @property
    def program(self) -> Program:
        """The program that the calls are of."""
        return self._program

    def changes(self, kinds: Mapping[str, Spec], records: Iterable[Mapping[str, Any]]) -> list[Change[Any]]:
        """Records of a stream as changes of the design's items; what is nobody's item is left out."""
        return _changes(self._program, self._wire, kinds, records)

    def call(
        self, path: str, spec: Spec, required: dict[str, Any], optional: dict[str, Any], nullable: dict[str, Any],
        *, cursor: str | None = None, limit: int | None = None, if_version: int | None = None,
    ) -> Any:  # fmt: skip
        """Calls a pattern or an operation: its value, its items, or a page."""
        given = self._wire.arguments(required, optional, nullable)
        answer = self._program.call(path, given, caller=self._caller, cursor=cursor, limit=limit, version=if_version)
        return _result(self._wire, spec, answer)

    def paged(
        self, path: str, spec: Spec, required: dict[str, Any], optional: dict[str, Any], nullable: dict[str, Any],
        *, cursor: str | None, limit: int | None,
    ) -> Paged[Any]:  # fmt: skip
        """Calls a pattern that lists page by page."""

        def read(cursor: str | None) -> Page[Any]:
            given = self._wire.arguments(required, optional, nullable)
            return _page(self._wire, spec, self._program.call(path, given, caller=self._caller, cursor=cursor, limit=limit))

        return Paged(read, cursor)


class AsyncClient:
    """Calls of a generated client that are awaited."""

    def __init__(self, program: AsyncProgram, wire: Wire, caller: Mapping[str, Any] | None) -> None:
        self._program = program
        self._wire = wire
        self._caller = caller

    @classmethod
    def open(
        cls,
        program: bytes,
        fingerprint: str,
        wire: Wire,
        declared: Mapping[str, type[Declared]],
        client: object,
        caller: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> AsyncClient:
        """A client of a program, over an aiobotocore client of `dynamodb` or a transport."""
        transport: AsyncTransport = client if hasattr(client, "send") and hasattr(client, "repeats") else aio(client)
        return cls(AsyncProgram(program, transport, fingerprint=fingerprint, declared=declared, **options), wire, caller)

    def acting_as(self, caller: Mapping[str, Any]) -> AsyncClient:
        return AsyncClient(self._program, self._wire, caller)

    @property
    def program(self) -> AsyncProgram:
        """The program that the calls are of."""
        return self._program

    def changes(self, kinds: Mapping[str, Spec], records: Iterable[Mapping[str, Any]]) -> list[Change[Any]]:
        """Records of a stream as changes of the design's items; what is nobody's item is left out."""
        return _changes(self._program, self._wire, kinds, records)

    async def call(
        self, path: str, spec: Spec, required: dict[str, Any], optional: dict[str, Any], nullable: dict[str, Any],
        *, cursor: str | None = None, limit: int | None = None, if_version: int | None = None,
    ) -> Any:  # fmt: skip
        """Calls a pattern or an operation: its value, its items, or a page."""
        given = self._wire.arguments(required, optional, nullable)
        answer = await self._program.call(
            path, given, caller=self._caller, cursor=cursor, limit=limit, version=if_version
        )
        return _result(self._wire, spec, answer)

    def paged(
        self, path: str, spec: Spec, required: dict[str, Any], optional: dict[str, Any], nullable: dict[str, Any],
        *, cursor: str | None, limit: int | None,
    ) -> AsyncPaged[Any]:  # fmt: skip
        """Calls a pattern that lists page by page."""

        async def read(cursor: str | None) -> Page[Any]:
            given = self._wire.arguments(required, optional, nullable)
            answer = await self._program.call(path, given, caller=self._caller, cursor=cursor, limit=limit)
            return _page(self._wire, spec, answer)

        return AsyncPaged(read, cursor)


def _changes(
    program: Program | AsyncProgram, wire: Wire, kinds: Mapping[str, Spec], records: Iterable[Mapping[str, Any]]
) -> list[Change[Any]]:
    found = []
    for record in records:
        change = program.change(record)
        if change is None or change["entity"] not in kinds:
            continue
        spec = kinds[change["entity"]]
        item, before = wire.read(spec, change.get("item")), wire.read(spec, change.get("before"))
        found.append(Change(change["entity"], change["kind"], item, before))
    return found


def _result(wire: Wire, spec: Spec, answer: Answer) -> Any:
    if answer.items is not None:
        return [wire.read(spec, each) for each in answer.items]
    # A pattern that gathers all items at once answers a list.
    if isinstance(answer.value, list) and not isinstance(spec, (ListOf, SetOf, type(None))):
        return [wire.read(spec, each) for each in answer.value]
    return wire.read(spec, answer.value)


def _page(wire: Wire, spec: Spec, answer: Answer) -> Page[Any]:
    return Page([wire.read(spec, each) for each in answer.items or []], answer.cursor)
