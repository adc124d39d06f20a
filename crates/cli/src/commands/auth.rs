//! `sortkey auth`: identities that sign requests of the DynamoDB API.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sortkey_access::{Attached, IdentityFile, attach, document};
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
    /// List the users with their keys and policies
    List {
        #[command(flatten)]
        file: AuthFile,
    },
    /// Remove a user and its access keys
    Delete {
        /// Its name
        name: String,

        #[command(flatten)]
        file: AuthFile,
    },
    /// Give a user a policy, or take it away
    Policy(PolicyArguments),
    /// Limit what the policies of a user can allow
    Boundary(BoundaryArguments),
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
    },
    /// List the roles with their policies
    List {
        #[command(flatten)]
        file: AuthFile,
    },
    /// Remove a role; its sessions end at once
    Delete {
        /// Its name
        name: String,

        #[command(flatten)]
        file: AuthFile,
    },
    /// Give a role a policy, or take it away
    Policy(PolicyArguments),
    /// Limit what the policies of a role can allow
    Boundary(BoundaryArguments),
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
    Disable {
        /// Its id: AKIA...
        id: String,

        #[command(flatten)]
        file: AuthFile,
    },
    /// Accept signatures of a key again
    Enable {
        /// Its id: AKIA...
        id: String,

        #[command(flatten)]
        file: AuthFile,
    },
    /// Remove a key
    Delete {
        /// Its id: AKIA...
        id: String,

        #[command(flatten)]
        file: AuthFile,
    },
}

#[derive(Args, Debug)]
struct PolicyArguments {
    /// Whose
    owner: String,

    /// The name of the policy
    name: String,

    /// The policy: a file, or JSON
    #[arg(value_name = "FILE|JSON", required_unless_present = "remove", conflicts_with = "remove")]
    document: Option<String>,

    /// Take it away
    #[arg(long)]
    remove: bool,

    #[command(flatten)]
    file: AuthFile,
}

#[derive(Args, Debug)]
struct BoundaryArguments {
    /// Whose
    owner: String,

    /// The policy: a file, or JSON
    #[arg(value_name = "FILE|JSON", required_unless_present = "remove", conflicts_with = "remove")]
    document: Option<String>,

    /// Take it away
    #[arg(long)]
    remove: bool,

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
            Act::User(act) => user(act),
            Act::Role(act) => role(act),
            Act::Key(act) => key(act),
        }
    }
}

fn user(act: UserAct) -> Result<(), Failure> {
    match act {
        UserAct::Create { name, admin, file, keyring } => {
            prepare(&file.path)?;
            let keyring = keyring.open(&file.path)?;
            let key = IdentityFile::change(&file.path, |identities| {
                identities.create_user(&name, admin)?;
                identities.create_key(&name, &keyring)
            });
            say_key(&key.map_err(Failure::new)?);
            Ok(())
        }
        UserAct::List { file } => {
            for user in &read(&file.path)?.users {
                let kind = if user.admin { " (administrator)" } else { "" };
                let keys: Vec<String> = user
                    .keys
                    .iter()
                    .map(|key| format!("{}{}", key.id, if key.disabled { " (disabled)" } else { "" }))
                    .collect();
                let policies = names(&user.policies);
                designs::say(&format!("{}{kind}: keys {}; policies {policies}\n", user.name, listed(&keys)));
            }
            Ok(())
        }
        UserAct::Delete { name, file } => change(&file.path, |identities| {
            identities.user(&name)?;
            identities.users.retain(|user| user.name != name);
            Ok(())
        }),
        UserAct::Policy(arguments) => {
            let text = arguments.document.as_deref().map(read_document).transpose()?;
            change(&arguments.file.path, |identities| {
                edit(&mut identities.user(&arguments.owner)?.policies, &arguments.name, text.as_deref())
            })
        }
        UserAct::Boundary(arguments) => {
            let text = arguments.document.as_deref().map(read_document).transpose()?;
            change(&arguments.file.path, |identities| {
                let boundary = text.map(|text| document(&text, Kind::Identity)).transpose()?;
                identities.user(&arguments.owner)?.boundary = boundary;
                Ok(())
            })
        }
    }
}

fn role(act: RoleAct) -> Result<(), Failure> {
    match act {
        RoleAct::Create { name, trust, file } => {
            prepare(&file.path)?;
            let trust = read_document(&trust)?;
            change(&file.path, |identities| identities.create_role(&name, &trust))
        }
        RoleAct::List { file } => {
            for role in &read(&file.path)?.roles {
                designs::say(&format!("{}: policies {}\n", role.name, names(&role.policies)));
            }
            Ok(())
        }
        RoleAct::Delete { name, file } => change(&file.path, |identities| {
            identities.role(&name)?;
            identities.roles.retain(|role| role.name != name);
            Ok(())
        }),
        RoleAct::Policy(arguments) => {
            let text = arguments.document.as_deref().map(read_document).transpose()?;
            change(&arguments.file.path, |identities| {
                edit(&mut identities.role(&arguments.owner)?.policies, &arguments.name, text.as_deref())
            })
        }
        RoleAct::Boundary(arguments) => {
            let text = arguments.document.as_deref().map(read_document).transpose()?;
            change(&arguments.file.path, |identities| {
                let boundary = text.map(|text| document(&text, Kind::Identity)).transpose()?;
                identities.role(&arguments.owner)?.boundary = boundary;
                Ok(())
            })
        }
    }
}

fn key(act: KeyAct) -> Result<(), Failure> {
    match act {
        KeyAct::Create { user, file, keyring } => {
            let keyring = keyring.open(&file.path)?;
            let made = IdentityFile::change(&file.path, |identities| identities.create_key(&user, &keyring));
            say_key(&made.map_err(Failure::new)?);
            Ok(())
        }
        KeyAct::Disable { id, file } => set_disabled(&file.path, &id, true),
        KeyAct::Enable { id, file } => set_disabled(&file.path, &id, false),
        KeyAct::Delete { id, file } => change(&file.path, |identities| {
            let (user, at) = identities.key(&id)?;
            user.keys.remove(at);
            Ok(())
        }),
    }
}

fn set_disabled(path: &Path, id: &str, disabled: bool) -> Result<(), Failure> {
    change(path, |identities| {
        let (user, at) = identities.key(id)?;
        user.keys[at].disabled = disabled;
        Ok(())
    })
}

type Changed = Result<(), sortkey_access::IdentityError>;

fn change(path: &Path, change: impl FnOnce(&mut IdentityFile) -> Changed) -> Result<(), Failure> {
    IdentityFile::change(path, change).map_err(Failure::new)
}

fn edit(policies: &mut Vec<Attached>, name: &str, text: Option<&str>) -> Changed {
    match text {
        Some(text) => attach(policies, name, text),
        None => {
            let before = policies.len();
            policies.retain(|policy| policy.name != name);
            match policies.len() < before {
                true => Ok(()),
                false => Err(sortkey_access::IdentityError::Invalid(format!("there is no policy `{name}`"))),
            }
        }
    }
}

fn read(path: &Path) -> Result<IdentityFile, Failure> {
    IdentityFile::read(path).map_err(Failure::new)
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

/// In the form that a shell, and AWS's own documentation, has it.
fn say_key(key: &sortkey_access::NewAccessKey) {
    designs::say(&format!("AWS_ACCESS_KEY_ID={}\nAWS_SECRET_ACCESS_KEY={}\n", key.id, key.secret));
}

fn names(policies: &[Attached]) -> String {
    listed(&policies.iter().map(|policy| policy.name.clone()).collect::<Vec<_>>())
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
