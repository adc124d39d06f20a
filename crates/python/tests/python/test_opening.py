"""Programs that cannot be opened raise the reason, each in its own class."""

import json

import pytest
import sortkey
from sortkey import _native
from sortkey.testing import Database


@pytest.fixture
def program(sortkey_design):
    return _native.Design.from_text(sortkey_design).program()


def test_a_client_of_another_design_is_refused(program):
    with pytest.raises(sortkey.WrongDesign) as refused:
        sortkey.Program(program, Database(), fingerprint="0" * 64)
    assert refused.value.found == _native.Core(program, seed=bytes(32), cursor_key=bytes(32)).fingerprint


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"version": sortkey.PROGRAM_VERSION + 1}, sortkey.OldCore),
        ({"version": sortkey.PROGRAM_VERSION - 1}, sortkey.OldProgram),
        ({"format": "something else"}, sortkey.InvalidProgram),
        ({"tables": 7}, sortkey.InvalidProgram),
    ],
)
def test_programs_of_other_versions_and_damaged_ones_are_told_apart(program, change, expected):
    changed = json.dumps({**json.loads(program), **change}).encode()
    with pytest.raises(expected):
        sortkey.Program(changed, Database())


def test_no_text_ends_the_process(program):
    for at in range(0, len(program), 997):
        for damaged in (program[:at], program[:at] + b"9" + program[at + 1 :], program[:at] + program[at + 40 :]):
            try:
                sortkey.Program(damaged, Database())
            except sortkey.SortkeyError:
                pass


def test_keys_have_their_lengths(program):
    with pytest.raises(ValueError, match="seed: expected 32 bytes, not 3"):
        sortkey.Program(program, Database(), seed=b"abc")
    with pytest.raises(sortkey.KeyringError):
        sortkey.KeyFile.from_key(b"short")
