"""Connections of OpenSSL and of Java with themselves, through a relay on loopback, each with its secrets.

A connection is a dictionary: `sent` has what the server put on the wire, `keys` the lines of the key log, `streams` what the client's
program sent on each stream, `session` a session file of OpenSSL, and `text` what its client printed.
"""

import socket
import subprocess
import threading
import time
from pathlib import Path

from shared import chunks, digest
from oracle.wire import tuple_bytes

HERE = Path(__file__).resolve().parent
PORT = 2196  # of the feedback service
TUPLES = 300
# Bytes a write, used in turn: records that hold tuples, parts of them and both, and some longer than a segment.
SIZES = [380, 1, 37, 1140, 76, 2280, 500, 19, 700, 114]
SEGMENT = 1448  # bytes at most, as on Ethernet: loopback would take much more at once
GREETING = b"hello\n"
PSK = "0102030405060708090a0b0c0d0e0f10"


def tuples(count):
    for number in range(count):
        stamp = 1325376000 + int.from_bytes(digest(f"time {number}")[:3], "big")
        yield tuple_bytes(stamp, digest(f"token {number}"))


class Workshop:
    """Where programs meet: the directory of their keys, and what the server sends."""

    def __init__(self, directory):
        self.directory = directory
        self.dump = b"".join(tuples(TUPLES))
        self.batches = list(chunks(self.dump, SIZES))

    def __truediv__(self, name):
        return self.directory / name


class Relay:
    """Passes a connection on, in segments, and keeps what the server sent."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", PORT))
        self.target = None
        self.count, self.sent = 0, b""
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        client, _ = self.listener.accept()
        with client, socket.create_connection(("127.0.0.1", self.target)) as server:
            for end in client, server:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            other = threading.Thread(target=self.pump, args=(server, client, True), daemon=True)
            other.start()
            self.pump(client, server, False)
            other.join()

    def pump(self, source, sink, is_server):
        try:
            while block := source.recv(SEGMENT):
                self.count += 1
                self.sent += block if is_server else b""
                sink.sendall(block)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def settle(self, quiet=0.3, limit=10):
        """Waits until nothing has come for a while."""
        deadline, count = time.time() + limit, -1
        while self.count != count and time.time() < deadline:
            count = self.count
            time.sleep(quiet)

    def finish(self):
        """Waits until both sides have closed."""
        self.thread.join(timeout=5)
        self.listener.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def feed(process, parts, pause=0.04):
    for part in parts:
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(pause)


def stop(process):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()


def log_lines(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if not line.startswith("#")]


def openssl(work, server_options, client_options, commands=None, session=None, ending=b""):
    """One connection; `commands` and `ending` are lines for the client's program, which then is not quiet."""
    relay = Relay()
    keys = work / "keys"
    keys.unlink(missing_ok=True)
    relay.target = session["port"] if session else free_port()
    quiet = ["-quiet"] if commands is None else []
    server = session["server"] if session else start_server(work, relay.target, server_options)
    client = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{PORT}", "-keylogfile", keys, *quiet, *client_options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    relay.settle(0.2)
    half = len(work.batches) // 2
    feed(client, [GREETING])
    feed(server, work.batches[:half])
    for command in commands or []:
        feed(client, [command], 0.3)
    feed(server, work.batches[half:])
    relay.settle()
    if ending:
        feed(client, [ending], 0.3)
    client.terminate()
    output = client.communicate()[0]
    if not session:
        stop(server)
    relay.finish()
    text = output.decode(errors="replace") if commands == [] else ""
    return {"sent": relay.sent, "keys": log_lines(keys), "streams": [GREETING], "session": "", "text": text}


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
    second = openssl(work, server_options, [*client_options, "-sess_in", file, *more], session=session)
    stop(session["server"])
    both = {name: first[name] + second[name] for name in ("keys", "streams")}
    return {**second, **both, "session": file.read_text() if file.exists() else ""}


def early(work, options):
    data = work / "early"
    data.write_bytes(b"early data\n")
    both = resumed(work, [*options, "-early_data", "-no_anti_replay"], options, ["-early_data", data])
    return {**both, "streams": [GREETING, data.read_bytes() + GREETING]}


def java(work, version, suite):
    relay = Relay()
    program = subprocess.Popen(
        ["java", "-Xshare:auto", "-cp", work / ".", "TLSFlow", str(PORT), version, suite, work / "rsa.p12",
         ",".join(map(str, SIZES))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    relay.target = int(program.stdout.readline())
    program.communicate(work.dump, timeout=60)
    relay.finish()
    return {"sent": relay.sent, "keys": [], "streams": [GREETING], "session": "", "text": ""}


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
