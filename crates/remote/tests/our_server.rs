//! The client against our own server: its answers are the engine's, errors arrive whole, trouble has a name.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use sortkey::client::{Client, CommonError, Given, Options};
use sortkey_api::Requests as _;
use sortkey_api::operations::*;
use sortkey_api::shapes::expression::ExpressionAttributeNames;
use sortkey_api::shapes::returns::ReturnValuesOnConditionCheckFailure;
use sortkey_api::shapes::table::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use sortkey_api::shapes::throughput::BillingMode;
use sortkey_api::{ApiError, ErrorDetails, ErrorKind};
use sortkey_embedded::Embedded;
use sortkey_engine::{Engine, Fault, FaultKind};
use sortkey_remote::{Remote, Settings};
use sortkey_server::{Database, Server};
use sortkey_value::{AttributeValue, Item};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// An engine, and a server that shows it on a thread of its own for as long as the process lives.
fn served() -> (Engine, String) {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let database = Database::durable(engine.clone());
    let (say, said) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let settings = sortkey_server::Settings::default();
            let server = Server::bind(([127, 0, 0, 1], 0).into(), database, settings, Vec::new()).await;
            let server = server.expect("a free port");
            let address = server.local_address().expect("an address");
            say.send(format!("http://{address}")).expect("somebody waits");
            server.run(std::future::pending()).await;
        });
    });
    (engine, said.recv().expect("the server starts"))
}

/// Runs a test with a client of that server and the engine behind it.
fn with_remote<F: Future<Output = ()>>(test: impl FnOnce(Remote, Embedded) -> F) {
    let (engine, endpoint) = served();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let remote = Remote::new(Settings::new(&endpoint).expect("an endpoint")).await;
        remote.create_table(table("things")).await.expect("created");
        test(remote, Embedded::new(engine)).await;
    });
}

fn table(name: &str) -> CreateTableInput {
    CreateTableInput {
        table_name: name.into(),
        attribute_definitions: vec![AttributeDefinition {
            attribute_name: "id".into(),
            attribute_type: ScalarAttributeType::S,
        }],
        key_schema: vec![KeySchemaElement { attribute_name: "id".into(), key_type: KeyType::Hash }],
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableInput::default()
    }
}

fn get(id: &str) -> GetItemInput {
    GetItemInput {
        table_name: "things".into(),
        key: Item::from([("id", id)]).into(),
        ..GetItemInput::default()
    }
}

fn put(item: &Item) -> PutItemInput {
    PutItemInput { table_name: "things".into(), item: item.clone().into(), ..PutItemInput::default() }
}

fn any_value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        any::<String>().prop_map(AttributeValue::S),
        any::<i64>().prop_map(AttributeValue::from),
        any::<Vec<u8>>().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        prop::collection::vec("[a-z]{1,5}", 1..5).prop_map(AttributeValue::string_set),
        prop::collection::vec(any::<i64>(), 1..5).prop_map(AttributeValue::number_set),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(AttributeValue::L),
            prop::collection::btree_map("[a-z#.]{1,8}", inner, 0..5).prop_map(AttributeValue::M),
        ]
    })
}

#[test]
fn every_item_arrives_as_it_was_sent() {
    with_remote(async |remote, engine| {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
        let items = prop::collection::btree_map("[a-zA-Z ü]{1,8}", any_value(), 0..8);
        for _ in 0..64 {
            let mut map: BTreeMap<String, AttributeValue> =
                items.new_tree(&mut runner).expect("a value").current();
            map.insert("id".into(), AttributeValue::from("one"));
            let item = Item::from(map);
            remote.put_item(put(&item)).await.expect("put");
            assert_eq!(engine.get_item(get("one")).await.expect("stored").item.as_ref(), Some(&item));
            assert_eq!(remote.get_item(get("one")).await.expect("got").item.as_ref(), Some(&item));
            let scan = || ScanInput { table_name: "things".into(), ..ScanInput::default() };
            assert_eq!(remote.scan(scan()).await, engine.scan(scan()).await);
        }
    });
}

#[test]
fn errors_arrive_with_their_details() {
    with_remote(async |remote, engine| {
        let item = Item::from([("id", "a"), ("old", "yes")]);
        remote.put_item(put(&item)).await.expect("put");
        let names = ExpressionAttributeNames::from_iter([("#i".to_owned(), "id".to_owned())]);
        let refused = PutItemInput {
            condition_expression: Some("attribute_not_exists(#i)".into()),
            expression_attribute_names: Some(names),
            return_values_on_condition_check_failure: Some(ReturnValuesOnConditionCheckFailure::AllOld),
            ..put(&item)
        };
        let error = remote.put_item(refused.clone()).await.expect_err("refused");
        assert_eq!(error.kind, ErrorKind::ConditionalCheckFailedException);
        assert_eq!(error.details.as_deref(), Some(&ErrorDetails::Item(item)));
        assert_eq!(engine.put_item(refused).await.expect_err("refused"), error);

        let missing = DescribeTableInput { table_name: "nothing".into() };
        let error: ApiError = remote.describe_table(missing).await.expect_err("missing");
        assert_eq!(error, ApiError::table_not_found("nothing"));
        let described = DescribeTableInput { table_name: "things".into() };
        assert_eq!(remote.describe_table(described.clone()).await, engine.describe_table(described).await);
    });
}

#[test]
fn throttling_is_waited_out_and_then_told() {
    with_remote(async |remote, engine| {
        let throttle = |times| {
            let fault = Fault { kind: FaultKind::Throttle, remaining: times, operation: None, table: None };
            engine.engine().faults().add(fault);
        };
        throttle(2);
        remote.get_item(get("a")).await.expect("the third attempt succeeds");
        throttle(1_000);
        let error = remote.get_item(get("a")).await.expect_err("throttled");
        assert_eq!(error.kind, ErrorKind::ProvisionedThroughputExceededException);
    });
}

#[test]
fn a_dynamodb_that_is_not_there_or_does_not_answer_is_named() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        // A port that no program of ours may have, and one that accepts and never answers.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let silent = format!("http://{}", listener.local_addr().expect("bound"));
        for (endpoint, attempt, expected) in [
            ("http://127.0.0.1:1", Duration::from_secs(10), "cannot reach http://127.0.0.1:1: "),
            (silent.as_str(), Duration::from_millis(200), "did not answer in time"),
        ] {
            let settings = Settings { attempt, attempts: 2, ..Settings::new(endpoint).expect("an endpoint") };
            let error = Remote::new(settings).await.get_item(get("a")).await.expect_err("no answer");
            assert_eq!(error.kind, ErrorKind::ServiceUnavailableException, "{error}");
            assert!(error.message.contains(expected), "{error}");
        }
    });
}

/// A server that answers every request with this text and closes the connection; and how many requests it got.
async fn answering(text: &'static str) -> (String, Arc<AtomicU32>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("bound"));
    let requests = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut received = Vec::new();
            // The requests of these tests end with their JSON.
            while !received.ends_with(b"}") && stream.read_buf(&mut received).await.is_ok_and(|read| read > 0)
            {
            }
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(text.as_bytes()).await;
        }
    });
    (endpoint, requests)
}

#[test]
fn what_may_have_happened_is_not_repeated_and_what_cannot_harm_is() {
    const HTML: &str = "HTTP/1.1 200 OK\r\ncontent-length: 13\r\nconnection: close\r\n\r\n<html></html>";
    const BROKEN: &str = "HTTP/1.1 500 Oops\r\ncontent-length: 7\r\nconnection: close\r\n\r\n<html/>";
    const CUT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for (answer, says, reads) in [
            ("", "broke", 3),
            (CUT, "broke", 3),
            (BROKEN, "HTTP status 500", 3),
            (HTML, "does not answer as DynamoDB does: <html></html>", 1),
        ] {
            let (endpoint, requests) = answering(answer).await;
            let settings = Settings { attempts: 3, ..Settings::new(&endpoint).expect("an endpoint") };
            let remote = Remote::new(settings).await;
            let error = remote.get_item(get("a")).await.expect_err("no answer");
            assert!(error.message.contains(says), "{answer:?}: {error}");
            assert_eq!(requests.swap(0, Ordering::SeqCst), reads, "reads: {answer:?}");
            let is_lost = says == "broke";
            let lost = |may_have_happened| is_lost.then_some(ErrorDetails::NoAnswer { may_have_happened });
            assert_eq!(error.details.as_deref(), lost(false).as_ref(), "{answer:?}");

            let error = remote.put_item(put(&Item::from([("id", "a")]))).await.expect_err("no answer");
            assert!(error.message.ends_with("whether it was done is not known"), "{answer:?}: {error}");
            assert_eq!(requests.load(Ordering::SeqCst), 1, "writes: {answer:?}");
            assert_eq!(error.details.as_deref(), lost(true).as_ref(), "{answer:?}");
        }
    });
}

/// A way to a server on which the answer to the first transaction is lost: the server has carried it out.
async fn losing(endpoint: &str) -> (String, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let way = format!("http://{}", listener.local_addr().expect("bound"));
    let server = endpoint.trim_start_matches("http://").to_owned();
    let transactions = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&transactions);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (server, counted) = (server.clone(), Arc::clone(&counted));
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.expect("the server");
                // The requests of these tests end with their JSON, and so do the answers.
                while let Some(request) = message(&mut client).await {
                    server.write_all(&request).await.expect("forwarded");
                    let answer = message(&mut server).await.expect("an answer");
                    let is_transaction = request.windows(19).any(|text| text == b".TransactWriteItems");
                    if is_transaction && counted.fetch_add(1, Ordering::SeqCst) == 0 {
                        return;
                    }
                    client.write_all(&answer).await.expect("answered");
                }
            });
        }
    });
    (way, transactions)
}

async fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut received = Vec::new();
    while !received.ends_with(b"}") {
        if stream.read_buf(&mut received).await.ok()? == 0 {
            return None;
        }
    }
    Some(received)
}

const PEOPLE: &str = "design people
table People \"people\" { key (personId) }
entity Person in People { personId slug  email string(3..60)  unique email }
system operation join = create Person
system pattern person = get Person by personId";

fn people(remote: Remote) -> Client {
    let compiled = sortkey_design::compile("people.sk", PEOPLE, &sortkey_design::NoFiles);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let program = serde_json::to_string(&sortkey_design::wire::write(&compiled.program)).expect("JSON");
    let fingerprint = format!("{:x}", Sha256::digest(program.as_bytes()));
    Client::open(&program, &fingerprint, Options::over(Arc::new(remote))).expect("opened")
}

#[test]
fn a_transaction_whose_answer_is_lost_is_whole_and_says_that_it_may_have_happened() {
    let (_, endpoint) = served();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let direct = Remote::new(Settings::new(&endpoint).expect("an endpoint")).await;
        let mut create = table("people");
        create.attribute_definitions[0].attribute_name = "personId".into();
        create.key_schema[0].attribute_name = "personId".into();
        direct.create_table(create).await.expect("created");
        let direct = people(direct);
        for (attempts, person) in [(1, "ada"), (3, "bob")] {
            let (way, transactions) = losing(&endpoint).await;
            let settings = Settings { attempts, ..Settings::new(&way).expect("an endpoint") };
            let lossy = people(Remote::new(settings).await);
            let email = format!("{person}@example.com");
            let given = || Given::new().set("personId", person).set("email", &email);
            let joined = lossy.call::<Json, CommonError>("join", given()).await;
            match (attempts, joined) {
                (1, Err(CommonError::ConnectionLost(lost))) => {
                    assert!(lost.may_have_happened);
                    assert_eq!(lost.operation, "TransactWriteItems");
                }
                // The token of the transaction makes a repeat harmless.
                (3, Ok(person)) => assert_eq!(person["email"], *email),
                (_, other) => panic!("{attempts} attempts: {other:?}"),
            }
            assert_eq!(transactions.load(Ordering::SeqCst), attempts.min(2));
            // DynamoDB has done all of it, once: the item and the guard of its address.
            let given_id = Given::new().set("personId", person);
            let there: Json = direct.call::<_, CommonError>("person", given_id).await.expect("read");
            assert_eq!(there, json!({ "personId": person, "email": email }));
            let other = Given::new().set("personId", "eve").set("email", &email);
            let taken = direct.call::<Json, CommonError>("join", other).await;
            assert!(
                matches!(taken, Err(CommonError::AlreadyExists(_) | CommonError::Conflict(_))),
                "{taken:?}"
            );
        }
    });
}
