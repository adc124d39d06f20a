//! Lines to and replies from a relay, within limits.

use std::io;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};

use super::error::{MailError, MailStage};
use crate::Error;

/// The longest line of a reply. RFC 5321 allows 512 characters.
const MAX_LINE_BYTES: u64 = 2048;

/// The most lines of a reply.
const MAX_LINES: usize = 100;

/// A dialogue with a relay.
pub(super) struct Dialogue<S> {
    stream: BufReader<S>,
}

/// A reply: its code and the texts of its lines.
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) lines: Vec<String>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    pub(super) fn new(stream: S) -> Dialogue<S> {
        Dialogue { stream: BufReader::new(stream) }
    }

    /// The connection, unless the relay has sent more than an answer:
    /// bytes from before TLS must not be taken for bytes after it.
    pub(super) fn into_stream(self) -> Result<S, MailError> {
        if self.stream.buffer().is_empty() {
            Ok(self.stream.into_inner())
        } else {
            Err(MailError::Protocol("it sent more before TLS than it was asked for"))
        }
    }

    /// Sends a command and expects a reply of a kind: 2 for done, 3 for more.
    pub(super) async fn ask(
        &mut self,
        command: &str,
        stage: MailStage,
        kind: u16,
    ) -> Result<Reply, MailError> {
        // Commands are made of types that contain no line's end; this is the last look.
        if command.contains(['\r', '\n', '\0']) {
            return Err(MailError::Protocol("a command contains the end of a line"));
        }
        self.write(format!("{command}\r\n").as_bytes()).await?;
        self.expect(stage, kind).await
    }

    /// Sends a mail, with a full stop added to lines that begin with one, and the lonely full stop that ends it.
    pub(super) async fn send_mail(&mut self, mail: &str) -> Result<(), MailError> {
        let mut text = String::with_capacity(mail.len() + 16);
        for line in mail.split_terminator("\r\n") {
            if line.starts_with('.') {
                text.push('.');
            }
            text.push_str(line);
            text.push_str("\r\n");
        }
        text.push_str(".\r\n");
        self.write(text.as_bytes()).await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), MailError> {
        self.stream.write_all(bytes).await.map_err(broken)?;
        self.stream.flush().await.map_err(broken)
    }

    /// A reply of a kind.
    pub(super) async fn expect(&mut self, stage: MailStage, kind: u16) -> Result<Reply, MailError> {
        let reply = self.reply().await?;
        if reply.code / 100 == kind {
            return Ok(reply);
        }
        let text: String =
            reply.lines.join(" ").chars().filter(|character| !character.is_control()).take(200).collect();
        Err(MailError::Rejected { stage, code: reply.code, text })
    }

    async fn reply(&mut self) -> Result<Reply, MailError> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().await?;
            let code = line.get(..3).and_then(|code| code.parse::<u16>().ok());
            let code = code
                .filter(|code| (200..600).contains(code))
                .ok_or(MailError::Protocol("a reply begins with a code"))?;
            lines.push(line.get(4..).unwrap_or_default().to_owned());
            match line.as_bytes().get(3) {
                Some(b'-') if lines.len() < MAX_LINES => {}
                Some(b'-') => return Err(MailError::Protocol("a reply has too many lines")),
                Some(b' ') | None => return Ok(Reply { code, lines }),
                Some(_) => return Err(MailError::Protocol("a reply begins with a code")),
            }
        }
    }

    async fn line(&mut self) -> Result<String, MailError> {
        let mut bytes = Vec::new();
        (&mut self.stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes).await.map_err(broken)?;
        if bytes.is_empty() {
            return Err(MailError::Connection(Error::Reset { status: None }));
        }
        if !bytes.ends_with(b"\n") {
            return Err(MailError::Protocol("a line of a reply is cut or too long"));
        }
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
    }
}

fn broken(_: io::Error) -> MailError {
    MailError::Connection(Error::Reset { status: None })
}
