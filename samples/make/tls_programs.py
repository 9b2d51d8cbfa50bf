"""Connections of OpenSSL, GnuTLS and Java with themselves, through a relay."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from feedback_server import chunks, digest
from oracle.wire import tuple_bytes
from tls_relay import Relay, feed, free_port, settle, stop

HERE = Path(__file__).resolve().parent
GREETING = b"hello\n"
PSK = "0102030405060708090a0b0c0d0e0f10"


def tuples(count):
    for number in range(count):
        stamp = 1325376000 + int.from_bytes(digest(f"time {number}")[:3], "big")
        yield tuple_bytes(stamp, digest(f"token {number}"))


class Workshop:
    """Where programs meet: the directory of their keys, what the server sends, and the port of the relay."""

    def __init__(self, directory, count, sizes, port=0, segment=65536):
        self.directory = directory
        self.sizes = sizes  # bytes a write, used in turn
        self.dump = b"".join(tuples(count))
        self.batches = list(chunks(self.dump, sizes))
        self.port = port
        self.segment = segment

    def __truediv__(self, name):
        return self.directory / name

    def relay(self, connections=1):
        return Relay(self.port, self.segment, connections)

    @property
    def size_list(self):
        return ",".join(map(str, self.sizes))


def log_lines(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if not line.startswith("#")]


def openssl(work, server_options, client_options, commands=None, session=None, ending=b""):
    """One connection; `commands` and `ending` are lines for the client's program, which then is not quiet."""
    relay = work.relay()
    keys = work / "keys"
    keys.unlink(missing_ok=True)
    relay.target = session["port"] if session else free_port()
    quiet = ["-quiet"] if commands is None else []
    server = session["server"] if session else start_server(work, relay.target, server_options)
    client = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{relay.port}", "-keylogfile", keys, *quiet, *client_options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    settle(relay, 0.2)
    half = len(work.batches) // 2
    feed(client, [GREETING])
    feed(server, work.batches[:half])
    for command in commands or []:
        feed(client, [command], 0.3)
    feed(server, work.batches[half:])
    settle(relay)
    if ending:
        feed(client, [ending], 0.3)
    client.terminate()
    output = client.communicate()[0]
    if not session:
        stop(server)
    relay.finish()
    return {
        "chunks": relay.connections[0], "keys": log_lines(keys), "plain-c": GREETING, "plain-s": work.dump,
        "text": output.decode(errors="replace") if commands == [] else ""}


def start_server(work, port, options):
    certificate = ["-cert", work / "rsa.pem", "-key", work / "rsa.key"]
    if any("ECDSA" in str(option) for option in options):
        certificate = ["-cert", work / "ec.pem", "-key", work / "ec.key"]
    server = subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-quiet", *certificate, *options],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.25)
    return server


def resumed(work, server_options, client_options, more=()):
    """The second of two connections; the secrets are the first one's, too, where the second has none of its own."""
    port = free_port()
    session = {"port": port, "server": start_server(work, port, server_options)}
    file = work / "session"
    file.unlink(missing_ok=True)
    # A server forgets the session of a connection that was not closed.
    first = openssl(work, server_options, [*client_options, "-sess_out", file], [], session, b"Q\n")
    time.sleep(0.3)
    flow = openssl(work, server_options, [*client_options, "-sess_in", file, *more], session=session)
    stop(session["server"])
    flow["first"] = first["chunks"]
    flow["first-keys"] = first["keys"]
    flow["first-plain-c"], flow["first-plain-s"] = first["plain-c"], first["plain-s"]
    flow["session"] = file.read_text() if file.exists() else ""
    return flow


def early(work, options):
    data = work / "early"
    data.write_bytes(b"early data\n")
    flow = resumed(work, [*options, "-early_data", "-no_anti_replay"], options, ["-early_data", data])
    flow["plain-c"] = b"early data\n" + GREETING
    return flow


def gnutls(work, priority, client_options=(), connections=1):
    """The last of one or more connections: with `--resume` the client's program makes two."""
    relay = work.relay(connections)
    relay.target = free_port()
    keys = work / "gnutls-keys"
    keys.unlink(missing_ok=True)
    server = subprocess.Popen(
        [sys.executable, HERE / "gnutls_server.py", str(relay.target), priority, work / "rsa.key", work / "rsa.pem",
         str(connections), work.size_list],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with contextlib.suppress(BrokenPipeError):
        server.stdin.write(work.dump)
        server.stdin.close()
    server.stdout.readline()
    client = subprocess.Popen(
        ["gnutls-cli", "--insecure", "--port", str(relay.port), "--priority", priority, *client_options, "127.0.0.1"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "SSLKEYLOGFILE": str(keys)})
    settle(relay, 0.5 * connections)
    feed(client, [GREETING])
    settle(relay)
    stop(client, server)
    relay.finish()
    flow = {"chunks": relay.connections[-1], "keys": log_lines(keys), "plain-c": GREETING, "plain-s": work.dump}
    if connections > 1:
        # The log names the first one only.
        flow["first-keys"], flow["keys"] = flow["keys"], []
        flow["first"], flow["first-plain-c"], flow["first-plain-s"] = relay.connections[0], b"", b""
    return flow


def java(work, version, suite):
    relay = work.relay()
    program = subprocess.Popen(
        ["java", "-Xshare:auto", "-cp", work / ".", "TLSFlow", str(relay.port), version, suite, work / "rsa.p12",
         work.size_list],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    relay.target = int(program.stdout.readline())
    program.communicate(work.dump, timeout=60)
    relay.finish()
    return {"chunks": relay.connections[0], "keys": [], "plain-c": GREETING, "plain-s": work.dump}


def make_identities(directory):
    def run(*command):
        subprocess.run(["openssl", *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    subject = "/C=US/O=Example/CN=feedback.example"
    app = "/UID=com.example.app/CN=Apple Production IOS Push Services: com.example.app/OU=EXAMPLE123/C=US"
    for name, key, who in [("rsa", ["rsa:2048"], subject), ("app", ["rsa:2048"], app),
                           ("ec", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], subject)]:
        run("req", "-x509", "-newkey", *key, "-nodes", "-days", "3650", "-subj", who, "-keyout",
            directory / f"{name}.key", "-out", directory / f"{name}.pem")
    run("pkcs12", "-export", "-in", directory / "rsa.pem", "-inkey", directory / "rsa.key", "-out",
        directory / "rsa.p12", "-passout", "pass:secret")
