use super::*;

fn file(path: &Path) -> KeyringSource {
    KeyringSource::File { path: path.to_owned(), passphrase: None, service: None }
}

#[test]
fn what_is_sealed_is_opened_in_its_place_only() {
    let keyring = Keyring::generate().expect("random");
    let sealed = keyring.seal(b"secret", "here").expect("sealed");
    assert_eq!(keyring.open_sealed(&sealed, "here", "it").expect("opened"), b"secret");
    assert!(matches!(keyring.open_sealed(&sealed, "there", "it"), Err(KeyringError::Forged(_))));
    let other = Keyring::generate().expect("random");
    assert!(matches!(other.open_sealed(&sealed, "here", "it"), Err(KeyringError::NoKey(..))));
    let flipped = sealed.replace(':', ":A");
    assert!(keyring.open_sealed(&flipped, "here", "it").is_err());
    assert!(keyring.open_sealed("", "here", "it").is_err());
}

#[test]
fn rotation_keeps_old_values_readable_until_the_old_keys_are_dropped() {
    let mut keyring = Keyring::generate().expect("random");
    let old = keyring.seal(b"secret", "here").expect("sealed");
    keyring.add_key().expect("random");
    assert_eq!(keyring.open_sealed(&old, "here", "it").expect("opened"), b"secret");
    let new = keyring.seal(b"secret", "here").expect("sealed");
    keyring.drop_old_keys();
    assert!(keyring.open_sealed(&old, "here", "it").is_err());
    assert_eq!(keyring.open_sealed(&new, "here", "it").expect("opened"), b"secret");
}

#[test]
fn a_passphrase_protects_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keyring.json");
    let source = |passphrase: Option<&str>| KeyringSource::File {
        path: path.clone(),
        passphrase: passphrase.map(str::to_owned),
        service: None,
    };
    let (made, is_new) = Keyring::open_or_create(&source(Some("correct horse"))).expect("made");
    assert!(is_new);
    let sealed = made.seal(b"secret", "here").expect("sealed");
    let (opened, is_new) = Keyring::open_or_create(&source(Some("correct horse"))).expect("opened");
    assert!(!is_new);
    assert_eq!(opened.open_sealed(&sealed, "here", "it").expect("opened"), b"secret");
    assert!(matches!(Keyring::open(&source(Some("wrong"))), Err(KeyringError::WrongPassphrase)));
    assert!(matches!(Keyring::open(&source(None)), Err(KeyringError::PassphraseNeeded)));
    std::fs::write(&path, "{}").expect("written");
    assert!(Keyring::open_or_create(&source(None)).is_err(), "a broken keyring is not replaced");
}

#[cfg(unix)]
#[test]
fn secrets_are_not_written_to_what_others_prepared() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, elsewhere) = (folder.path().join("keyring.json"), folder.path().join("elsewhere"));
    std::fs::write(&elsewhere, "").expect("written");
    std::os::unix::fs::symlink(&elsewhere, folder.path().join("keyring.json.new")).expect("linked");
    Keyring::generate().expect("random").save(&file(&path)).expect("saved");
    assert_eq!(std::fs::read(&elsewhere).expect("read"), b"", "a link is not followed");
    std::fs::write(folder.path().join("keyring.json.new"), "left behind, readable by all").expect("written");
    Keyring::generate().expect("random").save(&file(&path)).expect("saved");
    assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_command_prints_the_keyring() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keyring.json");
    Keyring::generate().expect("random").save(&file(&path)).expect("saved");
    assert!(Keyring::open(&KeyringSource::Command(format!("cat {}", path.display()))).is_ok());
    assert!(Keyring::open(&KeyringSource::Command("false".into())).is_err());
}

#[test]
fn a_keyring_is_not_kept_beside_what_it_protects() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("below");
    std::fs::create_dir(&below).expect("made");
    let apart = |keyring: &Path, data: &Path| check_apart(keyring, data).is_ok();
    assert!(!apart(&folder.path().join("keyring.json"), &folder.path().join("auth.json")));
    assert!(!apart(&below.join("keyring.json"), &folder.path().join("auth.json")));
    assert!(apart(&folder.path().join("keyring.json"), &below.join("auth.json")));
    // A keyring whose directory was yet to be made was made there, and refused by the server that needed it.
    assert!(!apart(&below.join("keys/deeper/keyring.json"), &below.join("auth.json")));
    assert!(!apart(&below.join("data/keyring.json"), &below.join("data/FORMAT")));
    assert!(apart(&below.join("keys/keyring.json"), &below.join("data/FORMAT")));
    assert!(!apart(Path::new("keys-to-be-made/keyring.json"), Path::new("auth.json")));
}

/// A service with one key, which can be lost.
#[derive(Debug)]
struct Service {
    key_id: &'static str,
    mask: u8,
}

impl KeyService for Service {
    fn encrypt(&self, key_id: &str, secret: &[u8]) -> Result<(String, Vec<u8>), String> {
        match key_id {
            "alias/sortkey" => {
                Ok((self.key_id.to_owned(), secret.iter().map(|byte| byte ^ self.mask).collect()))
            }
            other => self.decrypt(other, secret).map(|encrypted| (other.to_owned(), encrypted)),
        }
    }

    fn decrypt(&self, key_id: &str, encrypted: &[u8]) -> Result<Vec<u8>, String> {
        match key_id == self.key_id {
            true => Ok(encrypted.iter().map(|byte| byte ^ self.mask).collect()),
            false => Err(format!("NotFoundException: Key '{key_id}' does not exist")),
        }
    }
}

#[test]
fn a_service_keeps_the_key_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keyring.json");
    let source = |key_id, mask| {
        let service: Arc<dyn KeyService> = Arc::new(Service { key_id, mask });
        KeyringSource::File { path: path.clone(), passphrase: None, service: Some(service) }
    };
    let mut made = Keyring::generate().expect("random");
    made.protect_by_service("alias/sortkey");
    made.save(&source("key/1", 0x55)).expect("saved");
    let sealed = made.seal(b"secret", "here").expect("sealed");
    let text = std::fs::read_to_string(&path).expect("read");
    assert!(text.contains("key/1") && !text.contains("\"keys\""), "{text}");

    // It is rotated under the key that it names, without the alias.
    let mut opened = Keyring::open(&source("key/1", 0x55)).expect("opened");
    assert_eq!(opened.open_sealed(&sealed, "here", "it").expect("opened"), b"secret");
    opened.add_key().expect("random");
    opened.save(&source("key/1", 0x55)).expect("saved");
    assert_eq!(Keyring::open(&source("key/1", 0x55)).expect("opened").count(), 2);

    let before = std::fs::read(&path).expect("read");
    let lost = Keyring::open(&source("key/2", 0x55)).expect_err("the key is lost").to_string();
    assert!(lost.contains("does not exist"), "{lost}");
    assert!(matches!(Keyring::open(&source("key/1", 0x33)), Err(KeyringError::Forged(_))), "another key");
    assert!(Keyring::open(&file(&path)).is_err(), "no service");
    assert!(opened.save(&source("key/2", 0x55)).is_err(), "nothing is saved under a lost key");
    assert!(Keyring::open_or_create(&source("key/2", 0x55)).is_err(), "no other keyring is made");
    assert_eq!(std::fs::read(&path).expect("read"), before, "nothing was overwritten");
}

#[cfg(unix)]
#[test]
fn plain_keys_that_others_can_read_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keyring.json");
    let protected =
        KeyringSource::File { path: path.clone(), passphrase: Some("horse".to_owned()), service: None };
    for (mode, source, is_refused) in [
        (0o600, file(&path), false),
        (0o400, file(&path), false),
        (0o644, file(&path), true),
        (0o640, file(&path), true),
        (0o604, file(&path), true),
        // Others may read what a passphrase protects.
        (0o644, protected, false),
    ] {
        let _ = std::fs::remove_file(&path);
        Keyring::open_or_create(&source).expect("made");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("changed");
        let opened = Keyring::open(&source);
        assert_eq!(matches!(opened, Err(KeyringError::Readable(..))), is_refused, "{mode:o}: {opened:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_bring_a_keyring_to_what_it_protects() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["data", "data/inner", "keys"] {
        std::fs::create_dir(at(name)).expect("made");
    }
    for name in ["data/inner/keyring.json", "keys/keyring.json"] {
        std::fs::write(at(name), "").expect("written");
    }
    std::os::unix::fs::symlink(at("data/inner/keyring.json"), at("keys/link.json")).expect("linked");
    std::os::unix::fs::symlink(at("keys/keyring.json"), at("data/link.json")).expect("linked");
    for (keyring, is_apart) in [
        ("keys/keyring.json", true),
        ("data/inner/keyring.json", false),
        ("keys/link.json", false),
        ("data/link.json", false),
    ] {
        assert_eq!(check_apart(&at(keyring), &at("data/FORMAT")).is_ok(), is_apart, "{keyring}");
    }
}

// A link to /dev/zero, and a command that prints without end, took all memory.
#[cfg(unix)]
#[test]
fn what_does_not_end_is_no_keyring() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("keyring.json");
    std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
    for source in [file(&link), KeyringSource::Command("yes".to_owned())] {
        let error = Keyring::open(&source).expect_err("no keyring").to_string();
        assert!(error.ends_with("it is longer than a keyring can be (1 MB)"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_command_prints_the_keyring_or_says_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keyring.json");
    let keyring = Keyring::generate().expect("random");
    keyring.save(&file(&path)).expect("saved");
    let command =
        |text: String| Keyring::open(&KeyringSource::Command(text)).map_err(|error| error.to_string());
    assert_eq!(command(format!("cat {}", path.display())).expect("printed").keys, keyring.keys);
    let failed = command("exit 3".to_owned()).expect_err("no keyring");
    assert!(failed.contains("`exit 3`: exit status: 3"), "{failed}");
    assert!(command("true".to_owned()).is_err());
}
