//! All tests of this folder in one program: linking each by itself takes longer than running it. A new file is named here.

mod answers;
mod collected;
mod counted;
mod documents;
mod ferryhook;
mod findings;
mod foreign_parents;
mod kept;
mod preconditions;
mod problems;
mod promises;
mod received;
mod roles;
mod signatures;
mod stored;
mod support;
mod wire;
