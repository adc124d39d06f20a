//! Encrypted connections: what is answered, what is renewed, and what a client that never finishes costs.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use sortkey_server::{Settings, Tls, TlsError};
use support::{Running, get_item, start};

/// A certificate for localhost and its key, in PEM form.
fn certificate() -> (String, String) {
    let key = rcgen::KeyPair::generate().expect("a key");
    let parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("names");
    (parameters.self_signed(&key).expect("signed").pem(), key.serialize_pem())
}

fn settings(tls: Tls) -> Settings {
    // Half a second per look and handshake, so that the tests are short.
    let quick = Duration::from_millis(400);
    Settings { tls: Some(tls), handshake_timeout: quick, ..Settings::default() }
}

fn trusting(pem: &str) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate")).expect("usable");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Arc::new(builder.expect("versions").with_root_certificates(roots).with_no_client_auth())
}

/// The status line of the answer to a request on a connection of its own.
fn ask(server: &Running, config: &Arc<ClientConfig>, request: &[u8]) -> std::io::Result<String> {
    let name = ServerName::try_from("localhost").expect("a name");
    let session = ClientConnection::new(Arc::clone(config), name).expect("a session");
    let mut stream = StreamOwned::new(session, TcpStream::connect(server.address)?);
    stream.write_all(request)?;
    let mut answer = vec![0; 4096];
    let length = stream.read(&mut answer)?;
    let text = String::from_utf8_lossy(&answer[..length]).into_owned();
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn requests_are_answered_over_tls_and_plain_ones_are_told_so() {
    let (pem, key) = certificate();
    let tls = Tls::from_pem(pem.as_bytes(), key.as_bytes()).expect("usable");
    assert_eq!(tls.fingerprint().len(), 32 * 3 - 1);
    let server = start(settings(tls));
    assert_eq!(ask(&server, &trusting(&pem), &get_item()).expect("answered"), "HTTP/1.1 200 OK");
    let (stranger, _) = certificate();
    assert!(ask(&server, &trusting(&stranger), &get_item()).is_err(), "a certificate that is not trusted");
    let plain = server.ask(&get_item());
    assert_eq!((plain.status, plain.text().contains("https://")), (400, true));
}

fn write(folder: &Path, name: &str, text: &str) {
    // Renewed as tools do it: beside the old file, then in its place.
    std::fs::write(folder.join("new"), text).expect("written");
    std::fs::rename(folder.join("new"), folder.join(name)).expect("renamed");
}

/// Waits until `happens` returns true; the server looks at its files from time to time.
fn eventually(what: &str, mut happens: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happens() {
        assert!(begin.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_renewed_certificate_is_used_and_a_broken_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let (old, old_key) = certificate();
    write(path, "cert.pem", &old);
    write(path, "key.pem", &old_key);
    let server = start(settings(Tls::open(&path.join("cert.pem"), &path.join("key.pem")).expect("usable")));
    let accepts = |pem: &str| ask(&server, &trusting(pem), &get_item()).is_ok();
    let notice = |pem: &str| {
        let request = b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let name = ServerName::try_from("localhost").expect("a name");
        let session = ClientConnection::new(trusting(pem), name).expect("a session");
        let mut stream = StreamOwned::new(session, TcpStream::connect(server.address).expect("connected"));
        stream.write_all(request).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        answer.split_once("ready\n").map(|(_, notices)| notices.to_owned()).unwrap_or_default()
    };
    assert!(accepts(&old));
    assert_eq!(notice(&old), "");

    // The certificate is there before its key: the old pair stays until both are new.
    let (new, new_key) = certificate();
    write(path, "cert.pem", &new);
    eventually("a pair that does not match is reported", || !notice(&old).is_empty());
    assert!(accepts(&old));
    write(path, "key.pem", &new_key);
    eventually("the new pair is used", || accepts(&new));
    assert!(!accepts(&old));
    assert_eq!(notice(&new), "");

    // A link to a device was read without end, and answered nobody meanwhile. A relative name was shown by `/ready`.
    for broken in [None, Some("not a certificate"), Some(""), Some("/dev/zero")] {
        match broken {
            None => std::fs::remove_file(path.join("cert.pem")).expect("removed"),
            #[cfg(unix)]
            Some(device @ "/dev/zero") => {
                std::fs::remove_file(path.join("cert.pem")).expect("removed");
                std::os::unix::fs::symlink(device, path.join("cert.pem")).expect("linked");
            }
            Some(text) => write(path, "cert.pem", text),
        }
        eventually("a broken file is reported", || !notice(&new).is_empty());
        assert!(!notice(&new).contains("cert.pem"), "without its name");
        assert!(accepts(&new), "the certificate from before stays in use");
        write(path, "cert.pem", &new);
        eventually("the file is good again", || notice(&new).is_empty());
    }
}

#[test]
fn what_is_no_certificate_is_refused_at_the_start() {
    let (pem, key) = certificate();
    let (_, other_key) = certificate();
    let from = |pem: &str, key: &str| Tls::from_pem(pem.as_bytes(), key.as_bytes()).err();
    assert!(matches!(from("", &key), Some(TlsError::NoCertificate)));
    assert!(matches!(from(&key, &key), Some(TlsError::NoCertificate)));
    assert!(matches!(from(&pem, &pem), Some(TlsError::NoKey)));
    assert!(matches!(from(&pem, &other_key), Some(TlsError::Unusable(_))));
    assert!(matches!(Tls::open(Path::new("/nowhere"), Path::new("/nowhere")), Err(TlsError::File(..))));
}

#[test]
fn a_client_that_never_finishes_its_handshake_is_disconnected() {
    let (pem, key) = certificate();
    let tls = Tls::from_pem(pem.as_bytes(), key.as_bytes()).expect("usable");
    let server = start(Settings { max_connections: 20, ..settings(tls) });
    // Silent, cut off in the middle of a record, and one that sends a byte now and then.
    let mut silent: Vec<TcpStream> =
        (0..18).map(|_| TcpStream::connect(server.address).expect("connected")).collect();
    for (at, stream) in silent.iter_mut().enumerate() {
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("set");
        if at % 3 == 1 {
            stream.write_all(&[0x16, 3, 1, 2, 0, 1]).expect("sent");
        }
    }
    let mut slow = TcpStream::connect(server.address).expect("connected");
    let begin = Instant::now();
    let hello = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3][..], &[7; 400]].concat();
    let cut_off = hello.iter().any(|byte| {
        std::thread::sleep(Duration::from_millis(50));
        slow.write_all(&[*byte]).is_err()
    });
    assert!(cut_off && begin.elapsed() < Duration::from_secs(5), "bytes that trickle in do not buy time");
    for stream in &mut silent {
        assert!(matches!(stream.read(&mut [0; 64]), Ok(0) | Err(_)), "closed");
    }
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(ask(&server, &trusting(&pem), &get_item()).expect("there is room"), "HTTP/1.1 200 OK");
}

#[test]
fn a_server_that_stops_does_not_wait_for_handshakes() {
    let (pem, key) = certificate();
    let tls = Tls::from_pem(pem.as_bytes(), key.as_bytes()).expect("usable");
    let long = Duration::from_secs(60);
    let mut server = start(Settings { handshake_timeout: long, ..settings(tls) });
    let _silent = TcpStream::connect(server.address).expect("connected");
    assert_eq!(ask(&server, &trusting(&pem), &get_item()).expect("answered"), "HTTP/1.1 200 OK");
    let begin = Instant::now();
    server.begin_shutdown();
    server.wait();
    assert!(begin.elapsed() < Duration::from_secs(5));
}
