//! ExecuteStatement, BatchExecuteStatement and ExecuteTransaction: the same tables by PartiQL.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, BatchStatementRequest, ParameterizedStatement};
use sortkey_e2e::{Item, Table, dynamodb, failure, item, n, s};

async fn run(client: &Client, statement: impl Into<String>, parameters: Vec<AttributeValue>) -> Vec<Item> {
    let request = client.execute_statement().statement(statement);
    let parameters = (!parameters.is_empty()).then_some(parameters);
    request.set_parameters(parameters).send().await.unwrap().items.unwrap_or_default()
}

#[tokio::test]
async fn insert_select_update_delete() {
    let client = dynamodb();
    let t = Table::new(&client, "partiql", &["pk", "sk:N"]).create(&client).await;
    for number in 0..5 {
        let insert = format!(r#"INSERT INTO "{t}" VALUE {{'pk': ?, 'sk': ?, 'tags': ['x']}}"#);
        run(&client, insert, vec![s("a"), n(number)]).await;
    }
    let by_key = run(&client, format!(r#"SELECT * FROM "{t}" WHERE pk = 'a' AND sk = 3"#), vec![]).await;
    assert_eq!(by_key, [item([("pk", s("a")), ("sk", n(3)), ("tags", AttributeValue::L(vec![s("x")]))])]);

    let newest = format!(r#"SELECT sk FROM "{t}" WHERE pk = ? AND sk BETWEEN 1 AND 3 ORDER BY sk DESC"#);
    let newest = run(&client, newest, vec![s("a")]).await;
    assert_eq!(newest, [item([("sk", n(3))]), item([("sk", n(2))]), item([("sk", n(1))])]);

    let update = format!(
        r#"UPDATE "{t}" SET tags = list_append(tags, ['y']) SET seen = 1 WHERE pk = 'a' AND sk = 0 RETURNING MODIFIED NEW *"#
    );
    let updated = run(&client, update, vec![]).await;
    assert_eq!(updated, [item([("tags", AttributeValue::L(vec![s("x"), s("y")])), ("seen", n(1))])]);

    let delete = format!(r#"DELETE FROM "{t}" WHERE pk = 'a' AND sk = 4 RETURNING ALL OLD *"#);
    assert_eq!(run(&client, delete, vec![]).await.len(), 1);
    let count = run(&client, format!(r#"SELECT sk FROM "{t}""#), vec![]).await.len();
    assert_eq!(count, 4);
}

#[tokio::test]
async fn pages_by_next_token() {
    let client = dynamodb();
    let t = Table::new(&client, "tokens", &["pk", "sk:N"]).create(&client).await;
    for number in 0..7 {
        let item = item([("pk", s("a")), ("sk", n(number))]);
        client.put_item().table_name(&t).set_item(Some(item)).send().await.unwrap();
    }
    let mut token = None;
    let mut sizes = Vec::new();
    loop {
        let page = client
            .execute_statement()
            .statement(format!(r#"SELECT * FROM "{t}" WHERE pk = 'a'"#))
            .limit(3)
            .set_next_token(token)
            .send()
            .await
            .unwrap();
        sizes.push(page.items.unwrap().len());
        token = page.next_token;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [3, 3, 1]);
}

#[tokio::test]
async fn a_batch_reports_each_statement() {
    let client = dynamodb();
    let t = Table::new(&client, "batchql", &["pk"]).create(&client).await;
    let statement = |text: String| BatchStatementRequest::builder().statement(text).build().unwrap();
    let written = client
        .batch_execute_statement()
        .statements(statement(format!(r#"INSERT INTO "{t}" VALUE {{'pk': 'a'}}"#)))
        .statements(statement(format!(r#"UPDATE "{t}" SET x = 1 WHERE pk = 'nobody'"#)))
        .send()
        .await
        .unwrap();
    let responses = written.responses.unwrap();
    assert_eq!(responses[0].error(), None);
    let error = responses[1].error().unwrap();
    assert_eq!(error.code().unwrap().as_str(), "ConditionalCheckFailed");

    let read = client
        .batch_execute_statement()
        .statements(statement(format!(r#"SELECT * FROM "{t}" WHERE pk = 'a'"#)))
        .statements(statement(format!(r#"SELECT * FROM "{t}" WHERE pk = 'b'"#)))
        .send()
        .await
        .unwrap();
    let responses = read.responses.unwrap();
    assert_eq!(responses[0].item(), Some(&item([("pk", s("a"))])));
    assert_eq!(responses[1].item(), None);
}

#[tokio::test]
async fn a_transaction_of_statements_is_all_or_nothing() {
    let client = dynamodb();
    let t = Table::new(&client, "transactql", &["pk"]).create(&client).await;
    let statement = |text: String| ParameterizedStatement::builder().statement(text).build().unwrap();
    client
        .execute_transaction()
        .transact_statements(statement(format!(r#"INSERT INTO "{t}" VALUE {{'pk': 'a', 'x': 1}}"#)))
        .transact_statements(statement(format!(r#"INSERT INTO "{t}" VALUE {{'pk': 'b', 'x': 2}}"#)))
        .send()
        .await
        .unwrap();
    let cancelled = client
        .execute_transaction()
        .transact_statements(statement(format!(r#"UPDATE "{t}" SET x = 9 WHERE pk = 'a'"#)))
        .transact_statements(statement(format!(r#"INSERT INTO "{t}" VALUE {{'pk': 'b'}}"#)))
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let aws_sdk_dynamodb::operation::execute_transaction::ExecuteTransactionError::TransactionCanceledException(
        cancelled,
    ) = cancelled
    else {
        unreachable!("{cancelled:?}")
    };
    assert_eq!(cancelled.cancellation_reasons()[1].code(), Some("DuplicateItem"));
    let read = client
        .execute_transaction()
        .transact_statements(statement(format!(r#"SELECT x FROM "{t}" WHERE pk = 'a'"#)))
        .transact_statements(statement(format!(r#"SELECT x FROM "{t}" WHERE pk = 'b'"#)))
        .send()
        .await
        .unwrap();
    let values: Vec<_> = read.responses.unwrap().into_iter().map(|one| one.item.unwrap()).collect();
    assert_eq!(values, [item([("x", n(1))]), item([("x", n(2))])]);
}

#[tokio::test]
async fn statements_that_cannot_be_read_are_refused() {
    let client = dynamodb();
    let t = Table::new(&client, "badql", &["pk"]).create(&client).await;
    for statement in ["SELEC * FROM x".to_owned(), format!(r#"SELECT * FROM "{t}" WHERE"#), "()".repeat(2000)]
    {
        let refused = client.execute_statement().statement(&statement).send().await;
        assert_eq!(failure(refused).code, "ValidationException", "{statement:.40}");
    }
    let insert = format!(r#"INSERT INTO "{t}" VALUE {{'pk': 'a'}}"#);
    run(&client, &insert, vec![]).await;
    let twice = client.execute_statement().statement(&insert).send().await;
    assert_eq!(failure(twice).code, "DuplicateItemException");
}
