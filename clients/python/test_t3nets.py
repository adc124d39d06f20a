"""The queries that the document of T3nets shows, as it writes them, on the tables of its design."""

import pytest

from systems import fetch, ours_alone, up

pytestmark = ours_alone

SETTINGS = {
    "ai_model": "claude-sonnet-4-5-20250929",
    "enabled_channels": ["dashboard", "teams"],
    "enabled_skills": ["sprint_status"],
    "custom_skills": [],
}


@pytest.fixture(scope="module")
def table(session):
    """The table `tenants`, filled through the operations of the design: two tenants with two users and a channel each."""
    with up("t3nets") as address:

        def call(operation, arguments, tenant=None):
            fetch(f"{address}/api/{operation}", arguments, tenant and {"tenant_id": tenant, "user_id": "admin", "role": "admin"})

        for tenant in ("outlocks", "stranger"):
            call("createTenant", {"tenant_id": tenant, "name": tenant.title(), "settings": SETTINGS})
            call("setStatus", {"tenant_id": tenant, "status": "active"})
            for user in ("admin", "ada"):
                person = {"user_id": user, "email": f"{user}@{tenant}.com", "display_name": user.title()}
                call("createUser", {"tenant_id": tenant, **person, "channel_identities": {}}, tenant)
            call("mapChannel", {"type": "teams", "id": f"{tenant}-bot"}, tenant)
        yield session.resource("dynamodb", endpoint_url=address).Table("tenants")


tenant_id = "outlocks"
channel_type, channel_id = "teams", "outlocks-bot"
email = "ada@outlocks.com"


def test_get_tenant_by_id(table):
    # fmt: off
    answer = table.get_item(Key={
        'pk': f'TENANT#{tenant_id}',
        'sk': 'META'
    })
    # fmt: on
    assert (answer["Item"]["name"], answer["Item"]["status"]) == ("Outlocks", "active")


def test_resolve_tenant_from_channel(table):
    # fmt: off
    answer = table.query(
        IndexName='channel-mapping',
        KeyConditionExpression='gsi1pk = :channel_key',
        ExpressionAttributeValues={
            ':channel_key': f'CHANNEL#{channel_type}#{channel_id}'
        }
    )
    # fmt: on
    assert [item["gsi1sk"] for item in answer["Items"]] == ["TENANT#outlocks"]


def test_list_all_users_in_a_tenant(table):
    # fmt: off
    answer = table.query(
        KeyConditionExpression='pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues={
            ':pk': f'TENANT#{tenant_id}',
            ':prefix': 'USER#'
        }
    )
    # fmt: on
    assert [item["user_id"] for item in answer["Items"]] == ["ada", "admin"]


def test_find_user_by_email(table):
    # fmt: off
    answer = table.query(
        KeyConditionExpression='pk = :pk AND begins_with(sk, :prefix)',
        FilterExpression='email = :email',
        ExpressionAttributeValues={
            ':pk': f'TENANT#{tenant_id}',
            ':prefix': 'USER#',
            ':email': email
        }
    )
    # fmt: on
    assert [item["user_id"] for item in answer["Items"]] == ["ada"]
