"""Two processes with different versions of a design at work on one database: each reports items that it cannot read, and spoils none."""

import hashlib

import pytest
import sortkey
from sortkey.testing import Database

ONE = """design notes version 1
table Notes "notes" { key (userId | noteId) }
caller { userId slug }
entity Note in Notes {
  userId slug = caller.userId  noteId slug
  words string(1..200)
  kind plain | list = plain
  size? int
  tenant userId
}
operation write = create Note
operation reword = update Note [words]
pattern note = get Note by userId, noteId
pattern notes = list Note by userId page 20
"""
# A word and an attribute more, and an attribute of another type.
TWO = ONE.replace("version 1", "version 2").replace("plain | list", "plain | list | drawing").replace("size? int", "size? slug")
TWO = TWO.replace("words string(1..200)", "words string(1..200)  colour? slug")
ADA = {"userId": "ada"}


@pytest.fixture
def programs():
    """The two versions over one database, as it is while one is replaced by the other."""
    database = Database.of(TWO).fork()
    older, newer = database.program(), database.program()
    older = sortkey.Program(Database.of(ONE)._program, database, **database.options(seed=bytes([1] * 32)))
    return older, newer


def call(program, name, arguments):
    return program.call(name, arguments, caller=ADA).value


def test_an_item_that_only_the_newer_one_understands_is_unreadable_and_stays(programs):
    older, newer = programs
    large = call(newer, "write", {"noteId": "a", "words": "milk", "size": "large"})
    for name, arguments in (("note", {"userId": "ada", "noteId": "a"}), ("notes", {"userId": "ada"})):
        with pytest.raises(sortkey.Unreadable) as unreadable:
            older.call(name, arguments, caller=ADA)
        assert "`size` is stored as S, and is int in the design" in unreadable.value.message
    assert call(newer, "note", {"userId": "ada", "noteId": "a"}) == large


def test_a_word_that_only_the_newer_one_has_is_shown_as_it_is(programs):
    older, newer = programs
    call(newer, "write", {"noteId": "a", "words": "milk", "kind": "drawing"})
    assert call(older, "note", {"userId": "ada", "noteId": "a"})["kind"] == "drawing"


def test_a_change_of_the_older_one_keeps_what_it_does_not_know(programs):
    older, newer = programs
    call(newer, "write", {"noteId": "a", "words": "milk", "colour": "red"})
    changed = call(older, "reword", {"noteId": "a", "words": "honey"})
    assert changed["words"] == "honey" and "colour" not in changed
    assert call(newer, "note", {"userId": "ada", "noteId": "a"})["colour"] == "red"


def test_the_newer_one_reads_what_the_older_one_wrote(programs):
    older, newer = programs
    written = call(older, "write", {"noteId": "a", "words": "milk"})
    assert call(newer, "note", {"userId": "ada", "noteId": "a"}) == written


def test_a_client_of_the_other_version_is_refused(programs):
    older, newer = (Database.of(text)._program for text in (ONE, TWO))
    with pytest.raises(sortkey.WrongDesign):
        sortkey.Program(newer, Database(), fingerprint=hashlib.sha256(older).hexdigest())
