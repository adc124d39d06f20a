"""Proof that no operation was forgotten."""

import re
from pathlib import Path

import pytest
from conftest import called_operations

# The page is generated from the one list of operations, in crates/api/src/operations.rs.
PAGE = Path(__file__).parents[2] / "docs" / "COMPATIBILITY.md"
OPERATIONS = re.findall(r"^\| (\w+) \| yes \|$", PAGE.read_text(), re.MULTILINE)


def test_every_operation_was_called(request):
    files = {item.path for item in request.session.items}
    if len(files) < len(list(request.path.parent.glob("test_*.py"))):
        pytest.skip("only a part of the suite was run")
    assert OPERATIONS
    assert sorted(set(OPERATIONS) - called_operations) == []
