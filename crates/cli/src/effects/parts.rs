//! The answer of an application to an extern effect: JSON, or server-sent events of which the last is the result.
//!
//! ```text
//! data: {"text": "Hel"}
//!
//! event: result
//! data: {"text": "Hello", "tokens": 2}
//! ```

use serde_json::Value as Json;

/// Reads an answer as it arrives, and passes its parts on.
pub(super) struct Parts<F> {
    pass: F,
    /// Bytes that have arrived and are not read yet; all of them, if the answer is JSON.
    rest: Vec<u8>,
    is_events: Option<bool>,
    /// The event that is being read.
    name: String,
    data: String,
    result: Option<Json>,
}

impl<F: FnMut(Json)> Parts<F> {
    pub(super) fn new(pass: F) -> Parts<F> {
        let (name, data) = (String::new(), String::new());
        Parts { pass, rest: Vec::new(), is_events: None, name, data, result: None }
    }

    /// Takes bytes as they arrive.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        if self.is_events.is_none() {
            // JSON begins with a bracket, an event with the name of a field or a colon.
            let first = self.rest.iter().find(|byte| !byte.is_ascii_whitespace());
            self.is_events = first.map(|first| !matches!(first, b'{' | b'['));
        }
        if self.is_events == Some(true) {
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                self.line(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
            }
        }
    }

    /// The result of the whole answer.
    pub(super) fn result(mut self) -> Result<Json, String> {
        if self.is_events == Some(true) {
            // The last event may lack its empty line.
            let line = String::from_utf8_lossy(&std::mem::take(&mut self.rest)).into_owned();
            self.line(&line);
            self.line("");
            return self.result.ok_or_else(|| "the answer ended without an event `result`".to_owned());
        }
        serde_json::from_slice(&self.rest).map_err(|error| format!("the answer is not JSON: {error}"))
    }

    fn line(&mut self, line: &str) {
        if line.is_empty() {
            return self.event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
    }

    /// Ends an event. Data that is not JSON is passed on as text.
    fn event(&mut self) {
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        if data.is_empty() {
            return;
        }
        let data = serde_json::from_str(&data).unwrap_or(Json::String(data));
        match name.as_str() {
            "result" => self.result = Some(data),
            _ => (self.pass)(data),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The parts and the result of an answer, which must not depend on the pieces in which it arrives.
    fn read(answer: &str) -> (Vec<Json>, Result<Json, String>) {
        let in_pieces = |size: usize| {
            let mut passed = Vec::new();
            let mut parts = Parts::new(|part| passed.push(part));
            answer.as_bytes().chunks(size).for_each(|piece| parts.take(piece));
            let result = parts.result();
            (passed, result)
        };
        let whole = in_pieces(answer.len().max(1));
        for size in 1..8 {
            assert_eq!(in_pieces(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn an_answer_is_json_or_events() {
        let cases = [
            ("{\"a\": 1}", vec![], Ok(json!({ "a": 1 }))),
            (
                "data: {\"t\": \"é\"}\n\n: nothing\ndata: two\r\ndata: lines\r\n\r\nevent: result\ndata: {\"a\": 1}\n\n",
                vec![json!({ "t": "é" }), json!("two\nlines")],
                Ok(json!({ "a": 1 })),
            ),
            ("event: result\ndata: 1", vec![], Ok(json!(1))),
            ("data: 1\n\n", vec![json!(1)], Err("the answer ended without an event `result`".to_owned())),
        ];
        for (answer, parts, result) in cases {
            assert_eq!(read(answer), (parts, result), "{answer}");
        }
        assert!(read("").1.is_err());
    }
}
