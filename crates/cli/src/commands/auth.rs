//! `sortkey auth`: identities that sign requests of the DynamoDB API.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sortkey_access::{
    Attached, IdentityError, IdentityFile, Keyring, NewAccessKey, OwnerKind, attach, detach, document,
};
use sortkey_policy::Kind;

use super::Run;
use crate::designs;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;

/// Manage identities: users, roles and access keys
///
/// Identities sign requests of the DynamoDB API, as they would on AWS: a server that was started with `--auth FILE` verifies
/// every signature. `sortkey keys` is for the operations API under /api. A secret is shown once, when it is made; the file
/// keeps it sealed by the keyring. A running server notices changes of the file by itself.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey auth user create admin --admin
  sortkey auth user create ann
  sortkey auth user policy ann read-orders policy.json
  sortkey auth role create reader --trust trust.json
  sortkey auth key disable AKIAEXAMPLE")]
pub(super) struct Auth {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Users: people and programs with access keys of their own
    #[command(subcommand)]
    User(UserAct),
    /// Roles: what users can become for a while, with AssumeRole
    #[command(subcommand)]
    Role(RoleAct),
    /// Access keys
    #[command(subcommand)]
    Key(KeyAct),
}

#[derive(Debug, Subcommand)]
enum UserAct {
    /// Add a user, and print an access key for it
    Create {
        /// Its name
        name: String,

        /// May do everything, regardless of policies, and use the administration routes
        #[arg(long)]
        admin: bool,

        #[command(flatten)]
        file: AuthFile,

        #[command(flatten)]
        keyring: KeyringArguments,
    },
    #[command(flatten)]
    Owner(OwnerAct),
}

#[derive(Debug, Subcommand)]
enum RoleAct {
    /// Add a role
    Create {
        /// Its name
        name: String,

        /// The policy of who may assume it: a file, or JSON
        #[arg(long, value_name = "FILE|JSON")]
        trust: String,

        #[command(flatten)]
        file: AuthFile,

        #[command(flatten)]
        keyring: KeyringArguments,
    },
    #[command(flatten)]
    Owner(OwnerAct),
}

/// What is done to users and roles alike.
#[derive(Debug, Subcommand)]
enum OwnerAct {
    /// List them with their keys and policies
    List {
        #[command(flatten)]
        file: AuthFile,
    },
    /// Remove one: access keys of a user and sessions of a role end at once
    Delete {
        /// Its name
        name: String,

        #[command(flatten)]
        file: AuthFile,
    },
    /// Give one a policy, or take it away
    Policy {
        /// Whose
        owner: String,

        /// The name of the policy
        name: String,

        #[command(flatten)]
        given: Given,
    },
    /// Limit what the policies of one can allow
    Boundary {
        /// Whose
        owner: String,

        #[command(flatten)]
        given: Given,
    },
}

/// A policy that is given, or taken away.
#[derive(Args, Debug)]
struct Given {
    /// The policy: a file, or JSON
    #[arg(value_name = "FILE|JSON", required_unless_present = "remove", conflicts_with = "remove")]
    document: Option<String>,

    /// Take it away
    #[arg(long)]
    remove: bool,

    #[command(flatten)]
    file: AuthFile,
}

#[derive(Debug, Subcommand)]
enum KeyAct {
    /// Make an access key for a user and print it
    Create {
        /// The user
        user: String,

        #[command(flatten)]
        file: AuthFile,

        #[command(flatten)]
        keyring: KeyringArguments,
    },
    /// Reject signatures of a key for now
    Disable(KeyArguments),
    /// Accept signatures of a key again
    Enable(KeyArguments),
    /// Remove a key
    Delete(KeyArguments),
}

#[derive(Args, Debug)]
struct KeyArguments {
    /// Its id: AKIA...
    id: String,

    #[command(flatten)]
    file: AuthFile,
}

#[derive(Args, Debug)]
struct AuthFile {
    /// The file of identities
    #[arg(long = "file", default_value = "auth.json", value_name = "FILE")]
    path: PathBuf,
}

impl Run for Auth {
    const NAME: &'static str = "auth";

    fn run(self) -> Result<(), Failure> {
        match self.act {
            Act::User(UserAct::Create { name, admin, file, keyring }) => {
                prepare(&file.path)?;
                let keyring = keyring_of(&keyring, &file.path)?;
                create_key(&file.path, |identities| {
                    identities.create_user(&name, admin)?;
                    identities.create_key(&name, &keyring)
                })
            }
            Act::Role(RoleAct::Create { name, trust, file, keyring }) => {
                prepare(&file.path)?;
                let trust = read_document(&trust)?;
                let keyring = keyring_of(&keyring, &file.path)?;
                change(&file.path, |identities| {
                    identities.create_role(&name, &trust)?;
                    // A server that runs gives out sessions of the new role as soon as it has the key for them.
                    identities.ensure_session_key(&keyring)
                })
            }
            Act::User(UserAct::Owner(act)) => owner(OwnerKind::User, act),
            Act::Role(RoleAct::Owner(act)) => owner(OwnerKind::Role, act),
            Act::Key(act) => key(act),
        }
    }
}

fn owner(kind: OwnerKind, act: OwnerAct) -> Result<(), Failure> {
    match act {
        OwnerAct::List { file } if !file.path.exists() => {
            Err(Failure::new(format_args!("there is no file of identities {}", file.path.display()))
                .hint("name it with --file, or make it: sortkey auth user create admin --admin"))
        }
        OwnerAct::List { file } => {
            list(kind, &IdentityFile::read(&file.path).map_err(Failure::new)?);
            Ok(())
        }
        OwnerAct::Delete { name, file } => change(&file.path, |identities| identities.delete(kind, &name)),
        OwnerAct::Policy { owner, name, given } => {
            let text = given.document.as_deref().map(read_document).transpose()?;
            change(&given.file.path, |identities| {
                let (policies, _) = identities.permissions(kind, &owner)?;
                match &text {
                    Some(text) => attach(policies, &name, text),
                    None => detach(policies, &name),
                }
            })
        }
        OwnerAct::Boundary { owner, given } => {
            let text = given.document.as_deref().map(read_document).transpose()?;
            change(&given.file.path, |identities| {
                let (_, boundary) = identities.permissions(kind, &owner)?;
                *boundary = text.map(|text| document(&text, Kind::Identity)).transpose()?;
                Ok(())
            })
        }
    }
}

fn list(kind: OwnerKind, identities: &IdentityFile) {
    let roles =
        identities.roles.iter().map(|role| format!("{}: policies {}\n", role.name, names(&role.policies)));
    let users = identities.users.iter().map(|user| {
        let admin = if user.admin { " (administrator)" } else { "" };
        let disabled = |disabled: bool| if disabled { " (disabled)" } else { "" };
        let keys: Vec<String> =
            user.keys.iter().map(|key| format!("{}{}", key.id, disabled(key.disabled))).collect();
        let (keys, policies) = (listed(&keys), names(&user.policies));
        format!("{}{admin}: keys {keys}; policies {policies}\n", user.name)
    });
    match kind {
        OwnerKind::User => users.for_each(|line| designs::say(&line)),
        OwnerKind::Role => roles.for_each(|line| designs::say(&line)),
    }
}

fn key(act: KeyAct) -> Result<(), Failure> {
    let set = |KeyArguments { id, file }: KeyArguments, disabled: Option<bool>| {
        change(&file.path, |identities| {
            let (user, at) = identities.key(&id)?;
            match disabled {
                Some(disabled) => user.keys[at].disabled = disabled,
                None => drop(user.keys.remove(at)),
            }
            Ok(())
        })
    };
    match act {
        KeyAct::Create { user, file, keyring } => {
            let keyring = keyring_of(&keyring, &file.path)?;
            create_key(&file.path, |identities| identities.create_key(&user, &keyring))
        }
        KeyAct::Disable(arguments) => set(arguments, Some(true)),
        KeyAct::Enable(arguments) => set(arguments, Some(false)),
        KeyAct::Delete(arguments) => set(arguments, None),
    }
}

fn change<T>(
    path: &Path,
    change: impl FnOnce(&mut IdentityFile) -> Result<T, IdentityError>,
) -> Result<T, Failure> {
    IdentityFile::change(path, change).map_err(Failure::new)
}

/// Prints the new key in the form that a shell, and AWS's own documentation, has it.
fn create_key(
    path: &Path,
    create: impl FnOnce(&mut IdentityFile) -> Result<NewAccessKey, IdentityError>,
) -> Result<(), Failure> {
    let key = change(path, create)?;
    designs::say(&format!("AWS_ACCESS_KEY_ID={}\nAWS_SECRET_ACCESS_KEY={}\n", key.id, key.secret));
    Ok(())
}

/// The keyring of a file of identities. None is made for a file with sealed secrets, which only their own keyring opens.
fn keyring_of(keyring: &KeyringArguments, path: &Path) -> Result<Keyring, Failure> {
    match IdentityFile::read(path).map_err(Failure::new)?.is_sealed() {
        true => keyring.open_existing(path),
        false => keyring.open(path),
    }
}

/// The directory of the file must be there before its distance from the keyring can be judged.
fn prepare(path: &Path) -> Result<(), Failure> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => std::fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format_args!("{}: {error}", folder.display()))),
        None => Ok(()),
    }
}

/// JSON as it is, or the content of a file.
fn read_document(text: &str) -> Result<String, Failure> {
    if text.trim_start().starts_with('{') {
        return Ok(text.to_owned());
    }
    std::fs::read_to_string(text).map_err(|error| Failure::new(format_args!("{text}: {error}")))
}

fn names(policies: &[Attached]) -> String {
    listed(&policies.iter().map(|policy| policy.name.clone()).collect::<Vec<_>>())
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
