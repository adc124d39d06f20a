//! The conversation with the editor.

use crate::documents::{Documents, offset, range, uri};
use crate::{actions, answers, definition, hover};
use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};
use sortkey_diagnostics::{FileId, Span};

/// The conversation broke off.
#[derive(Debug)]
pub struct ServerError(String);

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServerError {}

fn broken(error: impl std::fmt::Display) -> ServerError {
    ServerError(error.to_string())
}

/// Serves an editor on standard input and output until it ends the session.
pub fn run_stdio() -> Result<(), ServerError> {
    let (connection, threads) = Connection::stdio();
    run(&connection)?;
    drop(connection);
    threads.join().map_err(broken)
}

/// Serves an editor on a connection.
pub fn run(connection: &Connection) -> Result<(), ServerError> {
    let capabilities = json!({
        "positionEncoding": "utf-16",
        // 1: the editor sends the whole text with each change.
        "textDocumentSync": 1,
        "hoverProvider": true,
        "definitionProvider": true,
        "documentFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
    });
    connection.initialize(capabilities).map_err(broken)?;
    let mut documents = Documents::default();
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(broken)? {
                    return Ok(());
                }
                let response = answer(&documents, request);
                connection.sender.send(Message::Response(response)).map_err(broken)?;
            }
            Message::Notification(notification) => {
                if let Some(published) = notice(&mut documents, &notification) {
                    connection.sender.send(Message::Notification(published)).map_err(broken)?;
                }
            }
            Message::Response(_) => {}
        }
    }
    Ok(())
}

/// Stores a change, and publishes the diagnostics of the changed file.
fn notice(documents: &mut Documents, notification: &Notification) -> Option<Notification> {
    let params = &notification.params;
    let name = params["textDocument"]["uri"].as_str()?;
    match notification.method.as_str() {
        "textDocument/didOpen" => documents.set(name, params["textDocument"]["text"].as_str()?),
        "textDocument/didChange" => {
            documents.set(name, params["contentChanges"].as_array()?.last()?["text"].as_str()?);
        }
        "textDocument/didClose" => {
            documents.close(name);
            return Some(publish(name, &[]));
        }
        _ => return None,
    }
    Some(publish(name, &answers::diagnostics(&documents.check(name)?)))
}

fn publish(name: &str, diagnostics: &[Value]) -> Notification {
    let params = json!({ "uri": name, "diagnostics": diagnostics });
    Notification::new("textDocument/publishDiagnostics".to_owned(), params)
}

fn answer(documents: &Documents, request: Request) -> Response {
    let params = &request.params;
    let name = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let result = match request.method.as_str() {
        "textDocument/hover" => hover_at(documents, name, params),
        "textDocument/definition" => definition_at(documents, name, params),
        "textDocument/formatting" => formatted(documents, name),
        "textDocument/codeAction" => {
            documents.check(name).map(|compilation| json!(actions::actions(&compilation, &params["range"])))
        }
        method => {
            let unknown = lsp_server::ErrorCode::MethodNotFound as i32;
            return Response::new_err(request.id, unknown, format!("{method} is not offered"));
        }
    };
    Response::new_ok(request.id, result.unwrap_or(Value::Null))
}

fn hover_at(documents: &Documents, name: &str, params: &Value) -> Option<Value> {
    let compilation = documents.check(name)?;
    let source = compilation.sources.get(FileId(0))?;
    let (word, span) = definition::name_at(&source.text, offset(source, &params["position"]))?;
    let text = hover::hover(&compilation, &word, span)?;
    Some(json!({ "contents": { "kind": "markdown", "value": text }, "range": range(source, span) }))
}

fn definition_at(documents: &Documents, name: &str, params: &Value) -> Option<Value> {
    let compilation = documents.check(name)?;
    let source = compilation.sources.get(FileId(0))?;
    let (word, span) = definition::name_at(&source.text, offset(source, &params["position"]))?;
    let target = definition::definition(&compilation, &word, span)?;
    let file = compilation.sources.get(target.file)?;
    let target_uri = if target.file == FileId(0) { name.to_owned() } else { uri(&file.name) };
    Some(json!({ "uri": target_uri, "range": range(file, target) }))
}

/// One edit that replaces everything; nothing if the file has syntax errors.
fn formatted(documents: &Documents, name: &str) -> Option<Value> {
    let text = documents.text(name)?;
    let parsed = sortkey_syntax::parse(text, FileId(0));
    let new_text = sortkey_syntax::format(&parsed)?;
    if new_text == text {
        return Some(json!([]));
    }
    let mut sources = sortkey_diagnostics::Sources::new();
    let file = sources.add(name, text);
    let whole = Span::new(file, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    Some(json!([{ "range": range(sources.get(file)?, whole), "newText": new_text }]))
}
