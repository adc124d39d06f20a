"""JSON that keeps every digit: decimals in, decimals out."""

from __future__ import annotations

import base64
import json
from decimal import Decimal
from typing import Any


def dumps(value: Any) -> bytes:
    """The JSON of a value. Bytes are Base64, sets are lists, decimals are numbers with all their digits."""
    return "".join(_parts(value)).encode()


def _parts(value: Any) -> list[str]:
    if value is None or isinstance(value, (str, bool, int, float)):
        return [json.dumps(value, allow_nan=False)]
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a number that DynamoDB stores")
        return [str(value)]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return [json.dumps(base64.b64encode(value).decode())]
    if isinstance(value, dict):
        parts = ["{"]
        for at, (name, member) in enumerate(value.items()):
            if not isinstance(name, str):
                raise TypeError(f"{name!r} is the name of a member, and not a string")
            parts += [", " if at else "", json.dumps(name), ": ", *_parts(member)]
        return [*parts, "}"]
    if isinstance(value, (list, tuple, set, frozenset)):
        # The order of a set means nothing, but the same set must make the same bytes.
        members = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        parts = ["["]
        for at, member in enumerate(members):
            parts += [", " if at else "", *_parts(member)]
        return [*parts, "]"]
    raise TypeError(f"{type(value).__name__} cannot be an argument: {value!r}")


def loads(text: bytes) -> Any:
    """The value of a JSON text; numbers with a point are decimals."""
    return json.loads(text, parse_float=Decimal)
