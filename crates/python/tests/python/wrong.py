"""Programs that are wrong, a line each: every line with `# wrong` must be an error for mypy and for pyright, and no other line."""

from __future__ import annotations

from sortkey.testing import Database

import ferryhook
from ferryhook import AsyncFerryhook, EventKey, Ferryhook, NewConnection, Rule, SourceId, User, UserId


def ids(db: Ferryhook, user: UserId, source: SourceId) -> None:
    db.sources.get_by_id(user)  # wrong
    db.sources.get_by_id("src_1")  # wrong
    db.users.get_by_id(user_id=source)  # wrong
    db.sources.list_by_user(user_id=source)  # wrong
    db.sources.delete(user)  # wrong
    db.get_connection(source, source)  # wrong
    db.api_keys.delete(user)  # wrong
    db.has_open(source)  # wrong
    UserId(1)  # wrong
    db.sources.get_by_id(SourceId("src_1"))


def arguments(db: Ferryhook, user: UserId, source: SourceId) -> None:
    db.users.create(email="a@x.com")  # wrong
    db.users.create(name="Ada")  # wrong
    db.users.create("a@x.com", "Ada")  # wrong
    db.users.create(email="a@x.com", name=1)  # wrong
    db.users.create(email="a@x.com", name="Ada", plan="gold")  # wrong
    db.users.create(email="a@x.com", name="Ada", nickname="ada")  # wrong
    db.users.create(email="a@x.com", name="Ada", sessions="1")  # wrong
    db.users.get_by_email()  # wrong
    db.users.get_by_email(None)  # wrong
    db.users.increment_usage(user, count=1.5)  # wrong
    db.sources.create(name="One", provider="paypal")  # wrong
    db.sources.create(name="One", provider="stripe", status="gone")  # wrong
    db.sources.create(name="One", provider="stripe", signing_algorithm="md5")  # wrong
    db.sources.update(source, user_id=user, provider=None, status="open")  # wrong
    db.sources.update(source, signing_secret=1)  # wrong
    db.sources.list_by_user(limit="10")  # wrong
    db.sources.list_by_user(cursor=10)  # wrong
    db.events.create(source_id=source, headers={}, body="text", source_ip="::1", method="POST")  # wrong
    db.events.create(source_id=source, headers={"a": 1}, body=b"", source_ip="::1", method="POST")  # wrong
    db.events.create(source_id=source, headers={}, body=b"", source_ip="::1", method="HEAD")  # wrong
    db.begin_sign_in("facebook")  # wrong
    db.rotate_source(source)  # wrong
    db.connections.create({"name": "c"})  # wrong
    db.fan_out("evt_1")  # wrong
    db.users.create(email="a@x.com", name="Ada", plan="pro", github_id="1")


def objects(source: SourceId) -> None:
    NewConnection(source_id=source, name="c")  # wrong
    Rule(path="/x", op="like")  # wrong
    EventKey(source_id=source)  # wrong
    User(user_id="usr_1")  # wrong
    Rule(path="/x", op="eq", value="y")


def answers(db: Ferryhook, source: SourceId) -> None:
    db.users.get_by_email("a@x.com").name  # wrong
    db.sources.list_by_user().name  # wrong
    db.sources.list_by_user().page().items[0].nickname  # wrong
    for each in db.sources.list_by_user():
        each.source_id = UserId("usr_1")  # wrong
    count: int = db.users.create(email="a@x.com", name="A").email  # wrong
    db.users.remove(UserId("usr_1"))  # wrong
    db.payments.create()  # wrong
    found = db.users.get_by_email("a@x.com")
    if found is not None:
        print(found.name, count)


def callers(db: Ferryhook, user: UserId) -> None:
    db.acting_as({"userId": user})  # wrong
    db.acting_as({"userId": user, "permission": "root"})  # wrong
    db.acting_as("ada")  # wrong
    db.acting_as({"userId": user, "permission": "admin"})


async def awaited(db: AsyncFerryhook, source: SourceId) -> None:
    (await db.sources.get_by_id(source)).name  # wrong
    for each in db.sources.list_by_user():  # wrong
        print(each)
    db.sources.get_by_id(source).name  # wrong
    async for one in db.sources.list_by_user():
        print(one.name)


def errors() -> None:
    ferryhook.NoSuchError  # wrong
    Database.of(1)  # wrong
    ferryhook.EmailTaken
