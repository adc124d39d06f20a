//! A conversation with an editor, message by message.

use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};

const URI: &str = "file:///notes.sk";

const TEXT: &str = "\
table Notes { key (userId | noteId) }
entity Note in Notes {
  userId uuid
  noteId ulid = new
}
pattern notes = list Note by userId
";

struct Editor {
    connection: Connection,
    server: std::thread::JoinHandle<()>,
    next: i32,
}

impl Editor {
    fn start() -> Editor {
        let (theirs, connection) = Connection::memory();
        let server = std::thread::spawn(move || {
            let ended = sortkey_lsp::run(&theirs);
            assert!(ended.is_ok(), "{ended:?}");
        });
        let mut editor = Editor { connection, server, next: 0 };
        let offered = editor.request("initialize", json!({ "capabilities": {} }));
        assert_eq!(offered["capabilities"]["hoverProvider"], true);
        editor.notify("initialized", json!({}));
        editor
    }

    fn notify(&self, method: &str, params: Value) {
        let notification = Notification::new(method.to_owned(), params);
        assert!(self.connection.sender.send(Message::Notification(notification)).is_ok());
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let request = Request::new(self.next.into(), method.to_owned(), params);
        assert!(self.connection.sender.send(Message::Request(request)).is_ok());
        loop {
            if let Ok(Message::Response(response)) = self.connection.receiver.recv() {
                return response.response_result.unwrap_or(Value::Null);
            }
        }
    }

    /// Opens or changes the file and waits for what is wrong with it.
    fn open(&self, text: &str) -> Vec<Value> {
        let document = json!({ "uri": URI, "languageId": "sk", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        match self.connection.receiver.recv() {
            Ok(Message::Notification(published)) => {
                published.params["diagnostics"].as_array().cloned().unwrap_or_default()
            }
            other => {
                assert!(matches!(other, Ok(Message::Notification(_))), "{other:?}");
                Vec::new()
            }
        }
    }

    fn at(line: u32, character: u32) -> Value {
        json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
    }

    fn stop(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        assert!(self.server.join().is_ok());
    }
}

#[test]
fn an_editor_gets_what_it_asks_for() {
    let mut editor = Editor::start();
    let diagnostics = editor.open(TEXT);
    let unpaginated = diagnostics.iter().find(|each| each["code"] == "unpaginated-list");
    assert_eq!(unpaginated.map(|each| &each["range"]["start"]), Some(&json!({ "line": 5, "character": 16 })));

    let hover = editor.request("textDocument/hover", Editor::at(5, 10));
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("through `Notes`")),
        "{hover}"
    );
    let hover = editor.request("textDocument/hover", Editor::at(2, 4));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("stored as S")), "{hover}");

    let definition = editor.request("textDocument/definition", Editor::at(5, 22));
    assert_eq!(definition["range"]["start"], json!({ "line": 1, "character": 7 }));
    let definition = editor.request("textDocument/definition", Editor::at(5, 31));
    assert_eq!(definition["range"]["start"], json!({ "line": 2, "character": 2 }));

    let wanted = json!({ "start": { "line": 5, "character": 16 }, "end": { "line": 5, "character": 20 } });
    let actions = editor.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": wanted, "context": { "diagnostics": [] } }),
    );
    let titles: Vec<&Value> =
        actions.as_array().into_iter().flatten().map(|action| &action["title"]).collect();
    assert!(titles.contains(&&json!("page it")), "{actions}");

    let edits = editor.request("textDocument/formatting", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(edits, json!([]));
    editor.stop();
}

#[test]
fn half_written_files_are_fine() {
    let mut editor = Editor::start();
    for cut in (0..TEXT.len()).step_by(7) {
        editor.open(TEXT.get(..cut).unwrap_or_default());
        editor.request("textDocument/hover", Editor::at(0, 7));
        editor.request("textDocument/definition", Editor::at(9, 99));
    }
    editor.stop();
}
