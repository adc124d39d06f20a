"""TransactWriteItems and TransactGetItems."""

import uuid

import pytest


@pytest.fixture
def accounts(client, create):
    table = create("id")
    for account, balance in (("a", "100"), ("b", "0")):
        client.put_item(TableName=table, Item={"id": {"S": account}, "balance": {"N": balance}})
    return table


def pay(table, account, amount):
    return {
        "Update": {
            "TableName": table,
            "Key": {"id": {"S": account}},
            "UpdateExpression": "SET balance = balance + :amount",
            "ConditionExpression": "balance >= :least",
            "ExpressionAttributeValues": {":amount": {"N": str(amount)}, ":least": {"N": str(-amount)}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


def balances(client, table):
    gets = [{"Get": {"TableName": table, "Key": {"id": {"S": account}}}} for account in "ab"]
    responses = client.transact_get_items(TransactItems=gets)["Responses"]
    return [int(response["Item"]["balance"]["N"]) for response in responses]


def test_all_four_kinds_at_once(client, accounts):
    client.put_item(TableName=accounts, Item={"id": {"S": "old"}})
    client.transact_write_items(
        TransactItems=[
            pay(accounts, "a", -40),
            {"Put": {"TableName": accounts, "Item": {"id": {"S": "c"}}}},
            {"Delete": {"TableName": accounts, "Key": {"id": {"S": "old"}}}},
            {
                "ConditionCheck": {
                    "TableName": accounts,
                    "Key": {"id": {"S": "b"}},
                    "ConditionExpression": "balance = :zero",
                    "ExpressionAttributeValues": {":zero": {"N": "0"}},
                }
            },
        ]
    )
    assert balances(client, accounts) == [60, 0]
    ids = {item["id"]["S"] for item in client.scan(TableName=accounts)["Items"]}
    assert ids == {"a", "b", "c"}


def test_a_failure_cancels_all_and_gives_reasons(client, accounts):
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[pay(accounts, "a", 500), pay(accounts, "b", -500)])
    reasons = cancelled.value.response["CancellationReasons"]
    assert reasons[0] == {"Code": "None"}
    assert reasons[1] == {
        "Code": "ConditionalCheckFailed",
        "Message": "The conditional request failed",
        "Item": {"id": {"S": "b"}, "balance": {"N": "0"}},
    }
    assert balances(client, accounts) == [100, 0]


def test_a_token_is_good_for_one_transaction(client, accounts):
    token = str(uuid.uuid4())
    transfer = [pay(accounts, "a", -10), pay(accounts, "b", 10)]
    for _ in range(3):
        client.transact_write_items(TransactItems=transfer, ClientRequestToken=token)
    assert balances(client, accounts) == [90, 10]
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(TransactItems=transfer[:1], ClientRequestToken=token)


def test_an_item_may_appear_once(client, accounts):
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.transact_write_items(TransactItems=[pay(accounts, "a", 1), pay(accounts, "a", 2)])
    assert refused.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "Transaction request cannot include multiple operations on one item",
    }
