"""Calls by name, on the engine in this process."""

import asyncio
import datetime
from decimal import Decimal

import pytest
import sortkey
from sortkey.testing import Database

ADA = {"userId": "ada"}


def write(notes, words="milk", **more):
    return notes.call("write", {"words": words, **more}, caller=ADA).value


def test_an_item_is_written_and_read(notes):
    note = write(notes, price=Decimal("12345678901234567890.5"))
    found = notes.call("note", {"userId": "ada", "noteId": note["noteId"]}, caller=ADA)
    assert found.value["words"] == "milk"
    assert Decimal(found.value["price"]) == Decimal("12345678901234567890.5")
    assert found.consumed.requests == 1


def test_a_database_is_fresh_for_each_test_and_a_fork_sees_nobody(sortkey_database, notes):
    assert notes.call("notes", {"userId": "ada"}, caller=ADA).items == []
    write(notes)
    fork = sortkey_database.fork()
    write(fork.program(seed=bytes([1] * 32)))
    assert len(notes.call("notes", {"userId": "ada"}, caller=ADA).items) == 1
    assert len(fork.program().call("notes", {"userId": "ada"}, caller=ADA).items) == 2


def test_the_clock_stands_still_until_it_is_moved(sortkey_database, notes):
    first = write(notes)["at"]
    assert write(notes)["at"] == first
    sortkey_database.advance(datetime.timedelta(hours=1), minutes=1)
    assert write(notes)["at"] == first + 61 * 60_000


def test_pages_go_on_where_the_cursor_ends(notes):
    for words in ("a", "b", "c"):
        write(notes, words)
    first = notes.call("notes", {"userId": "ada"}, caller=ADA)
    second = notes.call("notes", {"userId": "ada"}, caller=ADA, cursor=first.cursor)
    assert [each["words"] for each in first.items + second.items] == ["a", "b", "c"]
    assert second.cursor is None


DOOR = """design door
defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }
table People "people" { key (person) }
entity Person in People {
  person string(1..40)
  word string(60) @secret
}
effect whoIs(token: string(..80)) -> { sub string(..80) } = jwt "https://id.example" audience "door"
system operation join(person, password: string(1..80)) { create Person { person, word: bcrypt(password) } }
system operation enter(person, password: string(1..80)) {
  let p = get Person(person) strong else NotFound
  require matches(password, p.word) else Refused
}
system operation nameOf(token: string(..80)) {
  let claims = do whoIs(token)
  return claims.sub
}
"""


def test_passwords_match():
    """The core left the check to a host that it did not ask, and no password was ever right."""
    door = Database.of(DOOR).program()
    door.call("join", {"person": "ada", "password": "engine"})
    door.call("enter", {"person": "ada", "password": "engine"})
    with pytest.raises(sortkey.Failure, match="Refused"):
        door.call("enter", {"person": "ada", "password": "motor"})


def test_a_handler_that_raises_refuses_a_token():
    """An exception of a handler left the call half done and without an answer."""

    def verified(arguments):
        if arguments["token"] != "good":
            raise ValueError("expired")
        return {"sub": "ada"}

    door = Database.of(DOOR).program(effects={"whoIs": verified})
    assert door.call("nameOf", {"token": "good"}).value == "ada"
    with pytest.raises(sortkey.Failure, match="Unauthenticated: expired"):
        door.call("nameOf", {"token": "bad"})


def test_an_encrypted_attribute_needs_its_keyring(sortkey_database, notes):
    note = write(notes, secret="hidden")
    key = {"userId": "ada", "noteId": note["noteId"]}
    assert notes.call("note", key, caller=ADA).value["secret"] == "hidden"
    assert b"hidden" not in b"".join(each.body for each in sortkey_database.requests)
    stranger = sortkey_database.program(keyring=sortkey.KeyFile.from_key(bytes([7] * 32)))
    with pytest.raises(sortkey.Failure, match="does not open with this keyring"):
        stranger.call("note", key, caller=ADA)


@pytest.mark.parametrize(
    ("name", "arguments", "caller", "expected"),
    [
        ("write", {"words": ""}, ADA, sortkey.Invalid),
        ("write", {"words": "milk", "colour": 1}, ADA, sortkey.Invalid),
        ("write", {"words": "milk"}, None, sortkey.Unauthenticated),
        ("write", {"words": "milk"}, {"nobody": 1}, sortkey.Invalid),
        ("notes", {"userId": "grace"}, ADA, sortkey.Failure),
        ("nothing", {}, ADA, sortkey.NotFound),
    ],
)
def test_a_failure_has_its_class(notes, name, arguments, caller, expected):
    with pytest.raises(expected):
        notes.call(name, arguments, caller=caller)


def test_a_second_unique_value_is_refused(notes):
    notes.call("entitle", {"name": "first"}, caller=ADA)
    with pytest.raises(sortkey.AlreadyExists):
        notes.call("entitle", {"name": "first"}, caller={"userId": "grace"})


def test_arguments_that_no_json_can_say_are_refused(notes):
    with pytest.raises(TypeError, match="complex cannot be an argument"):
        notes.call("write", {"words": 1j}, caller=ADA)
    with pytest.raises(TypeError, match="limit"):
        notes.call("notes", {"userId": "ada"}, caller=ADA, limit=-1)


def test_calls_can_be_awaited_side_by_side(sortkey_database):
    notes = sortkey_database.async_program()

    async def both():
        return await asyncio.gather(*(notes.call("write", {"words": f"{at}"}, caller=ADA) for at in range(4)))

    assert sorted(each.value["words"] for each in asyncio.run(both())) == ["0", "1", "2", "3"]


def test_a_design_that_does_not_compile_is_shown_at_its_place():
    with pytest.raises(sortkey.InvalidDesign, match="design.sk:2"):
        Database.of('table T "t" { key (PK | SK) }\nentity E in U { id slug }\n')


def test_the_hook_sees_every_request(sortkey_database):
    seen = []
    notes = sortkey_database.program(on_request=seen.append)
    write(notes)
    assert [(each.operation, each.status) for each in seen] == [("PutItem", 200)]
    assert b'"TableName":"notes"' in seen[0].body.replace(b" ", b"")
