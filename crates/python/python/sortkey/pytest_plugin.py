"""Fixtures for pytest, which finds them by itself once the package is installed.

`sortkey_database` is a fresh database for each test: a fork of one that was made once. Its tables are those of the design that
`sortkey_design` in the configuration of pytest names, or that a fixture of this name returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .testing import Database

_templates: dict[str, Database] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("sortkey_design", "the design whose tables `sortkey_database` has", default="")


@pytest.fixture(scope="session")
def sortkey_design(request: pytest.FixtureRequest) -> Any:
    """The design of `sortkey_database`: a path, or text. Override it, or set `sortkey_design` in the configuration."""
    configured = request.config.getini("sortkey_design")
    if not configured:
        pytest.fail("set `sortkey_design = PATH` in the configuration of pytest, or define a fixture `sortkey_design`")
    return Path(request.config.rootpath, configured)


@pytest.fixture
def sortkey_database(sortkey_design: Any) -> Iterator[Database]:
    """A fresh database with the tables of the design, and a clock that is held."""
    name = str(sortkey_design)
    if name not in _templates:
        _templates[name] = Database.of(sortkey_design)
    with _templates[name].fork() as database:
        yield database
