//! The clients of all systems in one program, which runs Ferryhook on a database in memory.

mod core_service;
mod ferryhook;
mod listbackup;
mod seller_profiles;
mod t3nets;

use std::sync::{Arc, Mutex};

use ferryhook::*;
use sortkey::{ApiError, Database, ErrorKind};
use sortkey::client::{
    Backend, Bytes, ChangeKind, CommonError, Edit, ErrorDetails, Json, KeyFile, OpenError, Options, Pending, Request, Response,
};

const START: u64 = 1_767_225_600_000;

fn options(database: &Database) -> Options {
    Options::database(database).bcrypt_cost(4).keyring(KeyFile::from_key([7; 32])).cursor_key([1; 32])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let template = Database::memory();
    template.stop_clock_at(START);
    template.create_tables(TABLES)?;
    let fork = template.fork()?;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&seen);
    let db = Ferryhook::open(options(&fork).on_request(move |sent| {
        hook.lock().expect("unlocked").push((sent.call.to_owned(), sent.operation));
    }))?;
    let new = NewUser { password: Some("correct horse".to_owned()), ..NewUser::new("ada@example.com", "Ada") };
    let user = db.users().create(new.clone()).wait()?;
    assert_eq!(user.created_at, "2026-01-01T00:00:00.000Z");
    assert_eq!(user.plan, Plan::Free);
    assert_eq!(*seen.lock().expect("unlocked"), [("users.create".to_owned(), "TransactWriteItems")]);

    let again = db.users().create(new).wait();
    assert!(matches!(again, Err(FerryhookError::EmailTaken(_))), "{again:?}");
    let nobody = db.sources().list_by_user(None).wait();
    assert!(matches!(nobody, Err(FerryhookError::Common(CommonError::Unauthenticated(_)))), "{nobody:?}");

    let me = db.acting_as(&Caller::new(user.user_id.clone(), ApiKeyPermissions::Admin));
    assert_eq!(me.users().get_by_id(None).wait()?, Some(user.clone()));
    lists(&me)?;
    changes_and_errors(&db, &me)?;
    bytes(&db, &me)?;
    streams(&db)?;
    opening(&fork)?;
    network()?;
    // Another fork has seen nothing of this.
    let other = Ferryhook::open(options(&template.fork()?))?;
    assert_eq!(other.users().get_by_email("ada@example.com").wait()?, None);
    Ok(())
}

fn lists(me: &Ferryhook) -> Result<(), Box<dyn std::error::Error>> {
    for name in ["a", "b", "c", "d", "e"] {
        me.sources().create(NewSource::new(name, SourceProvider::Custom)).wait()?;
    }
    let page = me.sources().list_by_user(None).limit(2).wait()?;
    assert_eq!(page.items.len(), 2);
    let next = me.sources().list_by_user(None).limit(2).after(page.cursor.expect("there is more")).wait()?;
    assert_ne!(page.items, next.items);
    let mut names: Vec<String> =
        me.sources().list_by_user(None).limit(2).wait_all()?.into_iter().map(|source| source.name).collect();
    names.sort();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    Ok(())
}

fn changes_and_errors(db: &Ferryhook, me: &Ferryhook) -> Result<(), Box<dyn std::error::Error>> {
    let new = NewSource { signing_secret: Some("s3cret".to_owned()), ..NewSource::new("One", SourceProvider::Github) };
    let source = me.sources().create(new).wait()?;
    let signing_algorithm = Edit::Set(SourceSigningAlgorithm::Ed25519);
    let changed = SourceChanges { signing_algorithm, ..SourceChanges::default() };
    let changed = me.sources().update(&source.source_id, changed, None).wait()?;
    assert_eq!(changed.signing_algorithm, Some(SourceSigningAlgorithm::Ed25519));
    let removed = SourceChanges { signing_algorithm: Edit::Remove, ..SourceChanges::default() };
    assert_eq!(me.sources().update(&source.source_id, removed, None).wait()?.signing_algorithm, None);
    let gone = me.sources().update(&SourceId::new("src_0000000000000000"), SourceChanges::default(), None).wait();
    assert!(matches!(gone, Err(FerryhookError::Common(_))), "{gone:?}");
    let long = me.sources().create(NewSource::new("", SourceProvider::Custom)).wait();
    let Err(FerryhookError::Common(CommonError::Invalid(refused))) = long else { panic!("{long:?}") };
    assert_eq!(refused.field.as_deref(), Some("name"));
    let key = me.api_keys().create(NewApiKey::new("k", ApiKeyPermissions::Read)).wait()?;
    assert_eq!(db.authenticate(&key.key).wait()?.map(|found| found.key_id), Some(key.key_id));
    let wrong = db.sign_in("ada@example.com", "wrong", "1.2.3.4").wait();
    assert!(matches!(wrong, Err(FerryhookError::BadCredentials(_))), "{wrong:?}");
    Ok(())
}

fn bytes(db: &Ferryhook, me: &Ferryhook) -> Result<(), Box<dyn std::error::Error>> {
    let source = me.sources().create(NewSource::new("Orders", SourceProvider::Custom)).wait()?;
    let headers = [("content-type".to_owned(), "application/json".to_owned())].into();
    let body = Bytes::from(br#"{"a":1}"#.as_slice());
    let input = IngestInput::new(source.source_id, headers, body.clone(), "203.0.113.7", EventMethod::Post);
    let event = db.events().create(input).wait()?;
    assert_eq!(me.payload_of(&event.event_id).wait()?.expect("kept").body, body);
    for each in me.event_in_full(&event.event_id).wait_all()? {
        assert!(matches!(each, EventInFullItem::Payload(_)), "{each:?}");
    }
    Ok(())
}

fn streams(db: &Ferryhook) -> Result<(), Box<dyn std::error::Error>> {
    let record = |name: &str, new: Json| -> Json {
        let text = format!(
            r#"{{"eventName":"{name}","eventSourceARN":"arn:aws:dynamodb:us-east-1:123456789012:table/ferryhook-events/stream/2026",
                "dynamodb":{{"NewImage":{new}}}}}"#
        );
        text.parse().expect("JSON")
    };
    let stranger: Json = r#"{"PK":{"S":"receipt#x"},"SK":{"S":"x"}}"#.parse()?;
    let changes = db.changes(&[record("MODIFY", image("processing")), record("INSERT", stranger)])?;
    let [FerryhookChange::Event(change)] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(change.kind, ChangeKind::Update);
    assert_eq!(change.item.as_ref().map(|event| event.status), Some(EventStatus::Processing));
    Ok(())
}

/// An event as the stream has it.
fn image(status: &str) -> Json {
    let text = format!(
        r#"{{"PK":{{"S":"SRC#src_aaaaaaaaaaaaaaaa"}},"SK":{{"S":"EVT#{START}#evt_aaaaaaaaaaaaaaaa"}},
            "sourceId":{{"S":"src_aaaaaaaaaaaaaaaa"}},"eventId":{{"S":"evt_aaaaaaaaaaaaaaaa"}},"userId":{{"S":"usr_aaaaaaaaaaaaaaaa"}},
            "status":{{"S":"{status}"}},"headers":{{"S":"{{\"a\":\"b\"}}"}},"sourceIp":{{"S":"1.1.1.1"}},"method":{{"S":"POST"}},
            "receivedAt":{{"N":"{START}"}},"expiresAt":{{"N":"1800000000"}}}}"#
    );
    text.parse().expect("JSON")
}

fn opening(database: &Database) -> Result<(), Box<dyn std::error::Error>> {
    let other = Ferryhook::open(options(database).program(t3nets::PROGRAM)).err();
    assert!(matches!(other, Some(OpenError::WrongDesign { .. })), "{other:?}");
    let newer = PROGRAM.replacen("\"version\":2", "\"version\":3", 1);
    let newer = Ferryhook::open(options(database).program(newer)).err();
    assert!(matches!(newer, Some(OpenError::OldCore(_))), "{newer:?}");
    let older = PROGRAM.replacen("\"version\":2", "\"version\":1", 1);
    let older = Ferryhook::open(options(database).program(older)).err();
    assert!(matches!(older, Some(OpenError::OldProgram(_))), "{older:?}");
    Ok(())
}

/// A DynamoDB that answers every request with an error.
struct Broken(ApiError);

impl Backend for Broken {
    fn send(&self, _: Request) -> Pending<'_, Response> {
        Box::pin(std::future::ready(Err(self.0.clone())))
    }

    fn repeats(&self) -> bool {
        true
    }
}

fn network() -> Result<(), Box<dyn std::error::Error>> {
    let created = |error: ApiError| -> Result<CommonError, Box<dyn std::error::Error>> {
        let db = Ferryhook::open(Options::over(Arc::new(Broken(error))))?;
        let new = NewUser { github_id: Some("1".to_owned()), ..NewUser::new("ada@example.com", "Ada") };
        match db.users().create(new).wait() {
            Err(FerryhookError::Common(error)) => Ok(error),
            other => panic!("{other:?}"),
        }
    };
    let lost = ApiError::new(ErrorKind::ServiceUnavailableException, "the connection broke");
    let lost = created(lost.with_details(ErrorDetails::NoAnswer { may_have_happened: true }))?;
    let CommonError::ConnectionLost(lost) = lost else { panic!("{lost:?}") };
    assert!(lost.may_have_happened && lost.operation == "TransactWriteItems");
    let nobody = created(ApiError::new(ErrorKind::UnrecognizedClientException, "nobody"))?;
    assert!(matches!(nobody, CommonError::WrongCredentials(_)), "{nobody:?}");
    let denied = created(ApiError::new(ErrorKind::AccessDeniedException, "not allowed"))?;
    assert!(matches!(denied, CommonError::AccessDenied(_)), "{denied:?}");
    Ok(())
}
