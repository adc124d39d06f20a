//! A secret of 32 bytes that outlives the process: made once, readable by its owner alone.

use std::io::Write as _;
use std::path::Path;

use crate::failure::Failure;

/// The secret in a file, as 64 hexadecimal digits; the file is made if it is not there.
pub(crate) fn open_or_create(path: &Path) -> Result<[u8; 32], Failure> {
    let failed = |why: String| Failure::new(format_args!("{}: {why}", path.display()));
    match std::fs::read_to_string(path) {
        Ok(text) => parse(text.trim()).ok_or_else(|| failed("it does not hold 64 hexadecimal digits".into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let secret = random()?;
            let text: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
            write(path, &text).map_err(|error| failed(error.to_string()))?;
            Ok(secret)
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

/// A secret that ends with the process.
pub(crate) fn random() -> Result<[u8; 32], Failure> {
    sortkey_embedded::random().map_err(Failure::new)
}

fn parse(text: &str) -> Option<[u8; 32]> {
    let mut secret = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in secret.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(secret)
}

/// Writes a file beside the old one and puts it in its place, readable by its owner alone.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    // A file that a crash left behind belongs to nobody.
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => write(&beside, text)?,
    }
    std::fs::rename(&beside, path)
}

/// Nobody else may read it, from the moment it exists.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
