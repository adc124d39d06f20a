//! Conclusions from a name alone, where a document was transcribed without types.

/// Whether a name is that of a time: `createdAt`, `timestamp`, `startDate`.
pub fn is_time_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ending = name.ends_with("At") || name.ends_with("_at") || name.ends_with("Date");
    ending || lower.contains("timestamp") || lower == "ttl"
}
