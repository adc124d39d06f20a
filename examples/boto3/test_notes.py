"""Tests of a program that keeps notes in DynamoDB."""

import time

import pytest


def write(dynamodb, user, at, text, lives_seconds=3600):
    """The tested program: writes a note that expires, and never overwrites one."""
    item = {"user": {"S": user}, "at": {"N": str(at)}, "words": {"S": text},
            "expiresAt": {"N": str(int(time.time()) + lives_seconds)}}
    dynamodb.put_item(TableName="notes", Item=item, ConditionExpression="attribute_not_exists(#user)",
                      ExpressionAttributeNames={"#user": "user"})


def notes(dynamodb, user):
    answer = dynamodb.query(TableName="notes", KeyConditionExpression="#user = :user",
                            ExpressionAttributeNames={"#user": "user"}, ExpressionAttributeValues={":user": {"S": user}})
    return [item["words"]["S"] for item in answer["Items"]]


def test_notes_are_in_order(dynamodb):
    write(dynamodb, "ada", 2, "second")
    write(dynamodb, "ada", 1, "first")
    assert notes(dynamodb, "ada") == ["first", "second"]


def test_each_test_begins_with_an_empty_table(dynamodb):
    assert notes(dynamodb, "ada") == []


def test_a_note_is_never_overwritten(dynamodb):
    write(dynamodb, "ada", 1, "first")
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        write(dynamodb, "ada", 1, "again")


def test_notes_expire(dynamodb, clock):
    write(dynamodb, "ada", 1, "first", lives_seconds=60)
    clock(61)
    assert notes(dynamodb, "ada") == []
