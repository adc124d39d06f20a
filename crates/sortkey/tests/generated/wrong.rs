//! Programs that are wrong, a line each: every line with `// wrong` must be an error of the compiler, and no other line.

#![allow(unused)]

mod ferryhook;
mod t3nets;

use ferryhook::*;
use sortkey::client::{CommonError, Edit, Options};

fn ids(db: &Ferryhook, user: &UserId, source: &SourceId, event: &EventId) {
    let _ = db.sources().get_by_id(user); // wrong
    let _ = db.sources().get_by_id("src_1"); // wrong
    let _ = db.events().get_by_id(source); // wrong
    let _ = db.users().increment_usage(event, None); // wrong
    let _ = db.connections().delete(source, source); // wrong
    let _ = db.users().get_by_id(Some(source)); // wrong
    let _ = db.sources().get_by_id(1); // wrong
    let _ = user == source; // wrong
    let _: UserId = source.clone(); // wrong
    let _ = UserId::new(1); // wrong
    let _ = db.sources().get_by_id(source);
}

fn required(db: &Ferryhook, source: &SourceId) {
    let _ = db.sources().create(); // wrong
    let _ = NewSource::new("One"); // wrong
    let _ = NewSource { name: "One".to_owned(), provider: SourceProvider::Stripe }; // wrong
    let _ = db.sources().get_by_id(); // wrong
    let _ = db.sources().update(source); // wrong
    let _ = NewUser::new("ada@example.com"); // wrong
    let _ = NewUser::default(); // wrong
    let _ = EventKey::new(source.clone()); // wrong
    let _ = Ferryhook::open(); // wrong
    let _ = Caller::new(UserId::new("usr_1")); // wrong
    let _ = NewUser::new("ada@example.com", "Ada");
}

fn known(db: &Ferryhook, source: &SourceId) {
    let _ = NewSource { colour: "red", ..NewSource::new("One", SourceProvider::Stripe) }; // wrong
    let _ = SourceChanges { event_count: Some(1), ..SourceChanges::default() }; // wrong
    let _ = SourceChanges { source_id: Some(source.clone()), ..SourceChanges::default() }; // wrong
    let _ = db.sources().list(); // wrong
    let _ = db.invoices(); // wrong
    let _ = db.accept(); // wrong
    let _ = Options::region("us-east-1"); // wrong
    let _ = db.users().if_version(1); // wrong
    let _ = db.sources().get_by_id(source).if_version(1); // wrong
}

fn values(db: &Ferryhook, source: &SourceId, user: &UserId) {
    let _ = NewSource::new(1, SourceProvider::Stripe); // wrong
    let _ = NewSource::new("One", "stripe"); // wrong
    let _ = db.users().increment_usage(user, Some("1")); // wrong
    let _ = SourceChanges { name: Edit::Remove, ..SourceChanges::default() }; // wrong
    let _ = SourceChanges { signing_secret: Some("x".to_owned()), ..SourceChanges::default() }; // wrong
    let _ = ConnectionChanges { filters: Edit::Set(Rule::new("/x", RuleOp::Eq)), ..ConnectionChanges::default() }; // wrong
    let _ = NewUser { sessions: Some("1"), ..NewUser::new("ada@example.com", "Ada") }; // wrong
    let _ = db.events().list_by_source(source, Some(1.5), None); // wrong
    let _ = SourceChanges { signing_secret: Edit::Set("x".to_owned()), ..SourceChanges::default() };
}

fn words(db: &Ferryhook) {
    let _ = SourceProvider::Paypal; // wrong
    let _ = Life::Gone; // wrong
    let _: Plan = Life::Active; // wrong
    let _ = db.begin_sign_in("github"); // wrong
    let _ = Plan::Pro.as_str();
}

async fn answers(db: &Ferryhook, source: &SourceId) -> Result<(), FerryhookError> {
    let _ = db.sources().get_by_id(source).name; // wrong
    let _ = db.sources().get_by_id(source).await?.name; // wrong
    let _ = db.sources().list_by_user(None).await?.len(); // wrong
    let _ = db.sources().list_by_user(None).limit("10"); // wrong
    let _ = db.sources().create(NewSource::new("One", SourceProvider::Stripe)).await?.signing_secret; // wrong
    let _ = db.api_keys().get_by_hash("x").await?.map(|key| key.key); // wrong
    let _: String = db.users().create(NewUser::new("a@example.com", "A")).await?.billing_day; // wrong
    let _ = db.api_keys().create(NewApiKey::new("k", ApiKeyPermissions::Read)).await?.key;
    for source in db.sources().list_by_user(None).all().await? {
        let _: i64 = source.name; // wrong
        let _: Option<String> = source.last_event_at;
    }
    Ok(())
}

fn errors(error: FerryhookError) {
    let _ = matches!(error, FerryhookError::EmailGone(_)); // wrong
    let _ = matches!(error, FerryhookError::NotFound(_)); // wrong
    let _: FerryhookError = CommonError::NotFound("x"); // wrong
    let _ = matches!(error, FerryhookError::Common(CommonError::NotFound(_)));
    let _ = matches!(error, FerryhookError::EmailTaken(_));
}

fn others(db: &Ferryhook, caller: &t3nets::Caller) {
    let _ = db.acting_as(caller); // wrong
    let _: t3nets::T3nets = db.clone(); // wrong
    let _ = db.acting_as(&Caller::new(UserId::new("usr_1"), ApiKeyPermissions::Admin));
}
