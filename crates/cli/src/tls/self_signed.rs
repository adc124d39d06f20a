//! A certificate for development, made once and kept with the data. Its fingerprint is printed at every start.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use sortkey_access::Timestamp;
use sortkey_server::Tls;

use crate::failure::Failure;
use crate::secret_file;

/// The file with the certificate that clients have to trust.
pub(super) const CERTIFICATE: &str = "tls-self-signed.pem";
const KEY: &str = "tls-self-signed.key";

/// The longest that all clients accept.
const VALID_DAYS: i64 = 825;
/// A certificate of this age is replaced when the server starts.
const REPLACED_AFTER: Duration = Duration::from_secs(700 * 86_400);

/// The certificate in a folder, made if there is none or if it is old; without a folder it ends with the process.
pub(super) fn open(folder: Option<&Path>, host: &str) -> Result<Tls, Failure> {
    let Some(folder) = folder else {
        let (certificate, key) = make(host)?;
        return Tls::from_pem(certificate.as_bytes(), key.as_bytes()).map_err(Failure::new);
    };
    let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
    let is_young = |path: &Path| {
        let made = std::fs::metadata(path).and_then(|metadata| metadata.modified());
        made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < REPLACED_AFTER))
    };
    if !key.exists() || !is_young(&certificate) {
        let failed = |error| Failure::new(format_args!("{}: {error}", certificate.display()));
        let (made, made_key) = make(host)?;
        // The key first: a certificate without its key would be taken for a whole pair after a crash.
        secret_file::replace(&key, &made_key).map_err(failed)?;
        secret_file::replace(&certificate, &made).map_err(failed)?;
    }
    Tls::open(&certificate, &key).map_err(|error| {
        Failure::new(error).hint(format_args!("remove {} to have another one made", certificate.display()))
    })
}

/// A certificate for this machine's names and its key, in PEM form.
fn make(host: &str) -> Result<(String, String), Failure> {
    let failed = |error| Failure::new(format_args!("cannot make a certificate: {error}"));
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let is_every_address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_unspecified());
    if !is_every_address && !names.iter().any(|name| name == host) {
        names.push(host.to_owned());
    }
    let mut parameters = CertificateParams::new(names).map_err(failed)?;
    parameters.distinguished_name.push(DnType::CommonName, "sortkey (self-signed, for development)");
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // A day early, so that clients whose clock is behind accept it.
    let ([year, month, day], [last_year, last_month, last_day]) = (date(-1)?, date(VALID_DAYS - 2)?);
    parameters.not_before = rcgen::date_time_ymd(year.into(), month as u8, day as u8);
    parameters.not_after = rcgen::date_time_ymd(last_year.into(), last_month as u8, last_day as u8);
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = parameters.self_signed(&key).map_err(failed)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// Year, month and day of a date, counted from today.
fn date(days: i64) -> Result<[u16; 3], Failure> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(now.as_secs()).unwrap_or_default() + days * 86_400;
    let text = Timestamp { seconds }.to_string();
    let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse().ok());
    let parts = [number(0, 4), number(4, 6), number(6, 8)];
    match parts {
        [Some(year), Some(month), Some(day)] => Ok([year, month, day]),
        _ => Err(Failure::new("the machine's clock shows no date")),
    }
}
