"""A mailbox that takes every mail: SMTP on one port, what came on another.

    mailbox.py SMTP_PORT HTTP_PORT

GET /mails answers [{to, subject, text}].
"""

import email
import email.policy
import socketserver
import sys
import threading

from service import serve

MAILS = []


class Smtp(socketserver.StreamRequestHandler):
    """As much of RFC 5321 as a client needs that sends one mail after the other."""

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self):
        self.say("220 mailbox")
        recipients = []
        while line := self.rfile.readline():
            verb = line.decode(errors="replace").strip().upper()
            if verb.startswith(("EHLO", "HELO")):
                self.say("250 mailbox")
            elif verb.startswith("RCPT TO:"):
                recipients.append(line.decode().strip()[8:].strip().strip("<>").split(">")[0])
                self.say("250 ok")
            elif verb == "DATA":
                self.say("354 go on")
                self.take(recipients)
                recipients = []
                self.say("250 taken")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")

    def take(self, recipients):
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b"..") else line)
        mail = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        text = mail.get_body(("plain",))
        MAILS.append({"to": recipients, "subject": mail["subject"], "text": text.get_content().strip() if text else ""})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    smtp = socketserver.ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Smtp, bind_and_activate=True)
    smtp.daemon_threads = True
    threading.Thread(target=smtp.serve_forever, daemon=True).start()
    serve("the mailbox", int(sys.argv[2]), lambda method, path, *rest: (200, {}, MAILS))
