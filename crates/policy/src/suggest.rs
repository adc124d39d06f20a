//! The smallest statement that would have allowed a request.

/// A statement that allows one action on one resource, as JSON.
pub fn suggest(action: &str, resource: &str) -> String {
    format!(r#"{{"Effect":"Allow","Action":{},"Resource":{}}}"#, quoted(action), quoted(resource))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
