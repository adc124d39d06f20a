//! Rust among the three languages of `pairs.py`: writes notes, reads what others wrote, goes on with a cursor of another.
//!
//!     pair ENDPOINT PROGRAM FINGERPRINT write NAME...
//!     pair ENDPOINT PROGRAM FINGERPRINT read
//!     pair ENDPOINT PROGRAM FINGERPRINT page [CURSOR]
// The printed text is the answer.
#![allow(clippy::print_stdout)]

use std::error::Error;

use serde_json::{Value as Json, json};
use sortkey::client::{Client, CommonError, Given, KeyFile, Options, Paged};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, program, fingerprint, what, rest @ ..] = &arguments[..] else {
        return Err("expected ENDPOINT PROGRAM FINGERPRINT and what to do".into());
    };
    let options = Options::remote(endpoint).await?.keyring(KeyFile::from_key([9; 32]));
    let notes = Client::open(&std::fs::read_to_string(program)?, fingerprint, options)?;
    let ada = notes.acting_as(&json!({ "userId": "ada" }));
    let list: Paged<Json, CommonError> = ada.paged("notes", Given::new().set("userId", "ada"));
    let said = match &**what {
        "write" => {
            for name in rest {
                let given = Given::new().set("name", name).set("secret", &format!("of {name}"));
                ada.command::<CommonError>("write", given).await?;
            }
            Json::Null
        }
        "read" => list.all().await?.into(),
        _ => {
            let list = match rest {
                [cursor] => list.after(cursor),
                _ => list,
            };
            let page = list.await?;
            json!({ "items": page.items, "cursor": page.cursor })
        }
    };
    println!("{said}");
    Ok(())
}
