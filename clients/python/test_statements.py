"""PartiQL: single statements, batches and transactions."""

import pytest


def test_insert_select_update_delete(client, create):
    t = create("pk", "sk:N")
    for number in range(4):
        client.execute_statement(
            Statement=f"""INSERT INTO "{t}" VALUE {{'pk': ?, 'sk': ?, 'm': {{'x': [1, 'two']}}}}""",
            Parameters=[{"S": "a"}, {"N": str(number)}],
        )
    selected = client.execute_statement(
        Statement=f"""SELECT sk, m.x[1] FROM "{t}" WHERE pk = ? AND sk > 1 ORDER BY sk DESC""",
        Parameters=[{"S": "a"}],
    )["Items"]
    assert [item["sk"]["N"] for item in selected] == ["3", "2"]
    updated = client.execute_statement(
        Statement=f"""UPDATE "{t}" SET n = 5 REMOVE m WHERE pk = 'a' AND sk = 0 RETURNING ALL NEW *"""
    )["Items"]
    assert updated == [{"pk": {"S": "a"}, "sk": {"N": "0"}, "n": {"N": "5"}}]
    client.execute_statement(Statement=f"""DELETE FROM "{t}" WHERE pk = 'a' AND sk = 1""")
    assert client.scan(TableName=t)["Count"] == 3


def test_pages(client, create):
    t = create("pk", "sk:N")
    for number in range(5):
        client.put_item(TableName=t, Item={"pk": {"S": "a"}, "sk": {"N": str(number)}})
    statement = f"""SELECT * FROM "{t}" WHERE pk = 'a'"""
    first = client.execute_statement(Statement=statement, Limit=3)
    second = client.execute_statement(Statement=statement, Limit=3, NextToken=first["NextToken"])
    assert (len(first["Items"]), len(second["Items"])) == (3, 2)
    assert "NextToken" not in second


def test_a_batch_answers_each_statement(client, create):
    t = create("pk")
    client.put_item(TableName=t, Item={"pk": {"S": "a"}})
    answers = client.batch_execute_statement(
        Statements=[
            {"Statement": f"""SELECT * FROM "{t}" WHERE pk = 'a'"""},
            {"Statement": f"""SELECT * FROM "{t}" WHERE pk = ?""", "Parameters": [{"S": "b"}]},
            {"Statement": """SELECT * FROM "no-such-table" WHERE pk = 'a'"""},
        ]
    )["Responses"]
    assert answers[0]["Item"] == {"pk": {"S": "a"}}
    assert "Item" not in answers[1] and "Error" not in answers[1]
    assert answers[2]["Error"]["Code"] == "ResourceNotFound"


def test_a_transaction_of_statements(client, create):
    t = create("pk")
    client.execute_transaction(
        TransactStatements=[
            {"Statement": f"""INSERT INTO "{t}" VALUE {{'pk': '{key}', 'n': 1}}"""} for key in "abc"
        ]
    )
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.execute_transaction(
            TransactStatements=[
                {"Statement": f"""UPDATE "{t}" SET n = 2 WHERE pk = 'a'"""},
                {"Statement": f"""INSERT INTO "{t}" VALUE {{'pk': 'b'}}"""},
            ]
        )
    codes = [reason["Code"] for reason in cancelled.value.response["CancellationReasons"]]
    assert codes == ["None", "DuplicateItem"]
    read = client.execute_transaction(
        TransactStatements=[{"Statement": f"""SELECT n FROM "{t}" WHERE pk = '{key}'"""} for key in "ab"]
    )["Responses"]
    assert [response["Item"] for response in read] == [{"n": {"N": "1"}}] * 2


def test_what_cannot_be_read_is_refused(client, create):
    t = create("pk")
    for statement in ("SELECT", f"""SELECT * FROM "{t}" WHERE (""", "(" * 4000):
        with pytest.raises(client.exceptions.ClientError) as refused:
            client.execute_statement(Statement=statement)
        assert refused.value.response["Error"]["Code"] == "ValidationException"
    client.put_item(TableName=t, Item={"pk": {"S": "a"}})
    with pytest.raises(client.exceptions.DuplicateItemException):
        client.execute_statement(Statement=f"""INSERT INTO "{t}" VALUE {{'pk': 'a'}}""")
