"""Sessions of real clients with `apnsift-lab serve --pushes`, as cases of check-pushes: what the mock says that it received and
answered is the truth of the capture that it wrote. And what it does with 10,000 connections at a time.

What the clients ask, and what they should get, is by a plan of samples/make/push_plan.py, and not by the mock.
"""

import base64
import collections
import contextlib
import hashlib
import json
import random
import re
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

from apnsift_tool import ROOT, binary, by_type, lab, run
from oracle.http2 import DATA, HEADERS, PORT, Clear, Layout

sys.path.insert(0, str(ROOT / "samples" / "make"))
from push_clients import CLIENTS, curl, is_there  # noqa: E402
from push_plan import AUTHORIZATION, Push, answer, new_exchange, pushes, write_plan  # noqa: E402

COUNT = 24  # pushes of a session
SECONDS = 120
# Name: client, options of serve. Java begins HTTP/2 in TLS alone.
SESSIONS = {
    "curl-tls1.2": (lambda *given: curl(*given, "--tls-max", "1.2"), "curl", ["--tls"]),
    "node-clear": (CLIENTS["node"], "node", []), "node-tls1.3": (CLIENTS["node"], "node", ["--tls"]),
    "java-tls1.3": (CLIENTS["java"], "java", ["--tls"]), "httpx-clear": (CLIENTS["httpx"], "httpx", []),
    "httpx-tls1.3": (CLIENTS["httpx"], "httpx", ["--tls"]), "go-clear": (CLIENTS["go"], "go", []),
}  # fmt: skip
# Records, if the command knows them: the type of their lines in --received, and the columns that are members of those, too.
RECORDS = {
    "pushes": ("received-push", "http2_stream topic push_type apns_id collapse_id apns_unique_id payload_length status reason timestamp_ms"),
    "broadcasts": ("received-broadcast", "http2_stream app channel_id request_id unique_id push_type payload_length status reason"),
    "channels": ("received-channel", "http2_stream operation app channel_id storage_policy status reason"),
}  # fmt: skip
UNSAID = ["body_length", "channels", "push_type"]  # columns of channels that the mock does not say
ENDINGS = {"response": "answered", "abandoned": "none"}  # others are named alike
FLOOD, SERVED, SPARE = 10_000, 256, 200  # connections, those that serve takes at a time, other descriptors
BURST = 100  # connections that come at once; of more than wait for `serve`, the kernel would make some wait for a second
MOST_KIBIBYTES = 256 << 10


@contextlib.contextmanager
def mock(messages, *words):
    """The mock at an address of its own, on the port of the service; gives the process and the address.

    What it says goes to the file `messages`.
    """
    address = f"127.{random.randrange(1, 255)}.{random.randrange(1, 255)}.1"
    command = [lab(), "serve", "--pushes", "--listen", address, "--port", PORT, *words]
    with messages.open("w") as said, subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=said, text=True) as process:
        if not process.stdout.readline():
            sys.exit(f"mock_sessions: no server: {messages.read_text()}")
        try:
            yield process, address
        finally:
            process.send_signal(signal.SIGTERM)


# What clients ask


def channel_id(app, number):
    return base64.b64encode(hashlib.sha256(f"{app} {number}".encode()).digest()[:16]).decode()


def requests_of_app(app):
    """(request, status, reason) for the channels of an app; they depend on their order."""
    channels, every = f"/1/apps/{app}/channels", f"/1/apps/{app}/all-channels"
    kept, first, second = (json.dumps({"push-type": "LiveActivity", "message-storage-policy": policy}).encode() for policy in (1, 0, 2))
    base = [("authorization", AUTHORIZATION)]
    one, two = ([*base, ("apns-channel-id", channel_id(app, number))] for number in (0, 1))
    sending = [("apns-push-type", "liveactivity"), ("apns-priority", "5"), ("apns-expiration", "0")]
    send, payload = f"/4/broadcasts/apps/{app}", b'{"aps":{"event":"update"}}'
    return [
        (Push(channels, base, kept), 201, None), (Push(channels, base, first), 201, None),
        (Push(channels, base, second), 400, "BadRequestParams"), (Push(channels, one, b"", "GET"), 200, None),
        (Push(send, [*two, *sending], payload), 200, None), (Push(send, [*base, *sending], payload), 400, "MissingChannelId"),
        (Push(channels, two, b"", "DELETE"), 204, None), (Push(send, [*two, *sending], payload), 400, "ChannelNotRegistered"),
        (Push(every, base, b"", "GET"), 200, None), (Push("/1/apps", base, b"", "GET"), 404, "BadPath"),
    ]  # fmt: skip


def wanted_of(asked):
    """How often each (method, path, status, reason, time) must be answered."""
    return collections.Counter((item.method, item.path, *expected) for item, *expected in asked)


def expected_pushes(name):
    for item in pushes(name, COUNT):
        yield item, *answer(item.path.rpartition("/")[2])


def write_inputs(work, name):
    """The log that the mock answers by, and the plans of two connections; what must come of them."""
    sent = list(expected_pushes(name))
    asked = [(*request, None) for request in requests_of_app(f"com.example.{name}")]
    log = work / f"{name}.log.ndjson"
    with log.open("w") as file:
        for item, status, reason, time in sent:
            token = item.path.rpartition("/")[2]
            print(json.dumps({"token": token, "status": status, "reason": reason, "timestamp": time}), file=file)
    # Those for channels are in the half that is sent in turn.
    plans = work / f"{name}-0.plan", work / f"{name}-1.plan"
    split = COUNT * 2 // 3
    write_plan(plans[0], [item for item, *_ in asked + sent[:split]])
    write_plan(plans[1], [item for item, *_ in sent[split:]])
    return log, plans, wanted_of(asked + sent)


# Sessions


def run_clients(commands):
    """All at the same time. How they end says little: the mock says what they sent."""
    running = [subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
    for process in running:
        process.wait(timeout=SECONDS)


def record(directory, name):
    """Writes NAME.pcapng, NAME.keys and NAME.received.ndjson; what is wrong with the answers."""
    client, program, words = SESSIONS[name]
    log, plans, wanted = write_inputs(directory, name)
    packets, lines, keys = (directory / f"{name}{end}" for end in (".pcapng", ".received.ndjson", ".keys"))
    words = [*words, *(["--keylog", keys] if words else []), "--received", packets, "--received", lines, log]
    with mock(directory / f"{name}.messages", *words) as (_, address):
        run_clients(client(directory, f"http{'s' * ('--tls' in words)}://{address}:{PORT}", plans))
    received = [json.loads(line) for line in lines.read_text().splitlines()]
    found = collections.Counter(tuple(item[key] for key in ("method", "path", "status", "reason", "timestamp_ms")) for item in received)
    for what in (wanted - found) + (found - wanted):
        yield f"{name}: {' '.join(map(str, what))} {found[what]} times, not {wanted[what]}"
    yield from direct_faults(packets, received)
    write_case(directory, name, received)


def direct_faults(packets, received):
    """The capture as it is, with the secrets in it: the records of each kind, without their order."""
    known = run([binary(), "help", "export"])
    for records, (kind, columns) in RECORDS.items():
        if records not in known:
            continue
        own = [item for item in received if item["type"] == kind and not (kind == "received-push" and item["token_text"] is None)]
        found = by_type(run([binary(), "export", "--records", records, "-t", "ndjson", packets], codes=(0, 1)))[kind.removeprefix("received-")]
        wanted, got = (collections.Counter(tuple(item[name] for name in columns.split()) for item in items) for items in (own, found))
        for what in (wanted - got) + (got - wanted):
            yield f"{packets.name}: {records}: {what} {got[what]} times, not {wanted[what]}"


def write_case(directory, name, received):
    """NAME.pcap, NAME.truth.ndjson and NAME.json, as check-pushes reads them."""
    capture, keys = directory / f"{name}.pcap", directory / f"{name}.keys"
    run(["editcap", "-F", "pcap", directory / f"{name}.pcapng", capture])
    positions = None if keys.exists() else Clear(Layout(capture.read_bytes()))
    with (directory / f"{name}.truth.ndjson").open("w") as file:
        for item in received:
            print(json.dumps(truth_of(item, positions)), file=file)
    about = {"client": name, "is_exact": True, "has_positions": positions is not None, "is_bounded": positions is not None}
    (directory / f"{name}.json").write_text(json.dumps(about) + "\n")


def truth_of(item, positions):
    """An exchange as push_mock.py writes it."""
    exchange = new_exchange(int(item["client_address"].rpartition(":")[2]), item["http2_stream"], item["path"], item["headers"])
    exchange |= {name: item[name] for name in ("payload_length", "status", "reason", "timestamp_ms")}
    exchange |= {"response_apns_id": item.get("apns_id"), "apns_unique_id": item.get("apns_unique_id") or item.get("unique_id")}
    exchange |= {name: item.get(name) for name in ("method", "channel_id", "request_id", "storage_policy")}
    exchange |= {"request_request_id": item["headers"].get("apns-request-id"), "unsaid": UNSAID}
    exchange["flags"] = ["missing-header"] if item["reason"] == "MissingChannelId" else []
    exchange |= {"body": item["reason"], "ending": ENDINGS.get(item["answer"], item["answer"])}
    for name, side, kind in ("request_offset", "client", HEADERS), ("response_offset", "server", HEADERS), ("body_offset", "server", DATA):
        frames = positions.frames.get((exchange["client_port"], side, exchange["stream"]), []) if positions else []
        exchange[name] = next((frame.offset for frame in frames if frame.kind == kind), None)
    return exchange


def record_all(directory, pattern):
    """Records the sessions of the clients that are there; what is wrong, and how many there are."""
    names = [name for name, (_, client, _) in SESSIONS.items() if is_there(client) and Path(name).match(pattern)]
    return [fault for name in names for fault in record(directory, name)], names


# Ten thousand connections


def flood(work):
    """Opens up to FLOOD connections that say nothing, then one that pushes. What is wrong, and how many were opened."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count, messages = min(FLOOD, hard - SPARE), work / "flood.messages"
    with mock(messages, "--idle-timeout", "1h", "--answer", "410:Unregistered", "/dev/null") as (process, address):
        sockets, refused = [], 0
        for begun in range(0, count, BURST):
            sockets += (connect(address) for _ in range(begun, min(begun + BURST, count)))
            refused += sum(map(is_closed, sockets[max(begun, SERVED):]))
        for one in filter(None, sockets):
            one.close()
        said = push(address)
        status = Path(f"/proc/{process.pid}/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1])
    rejected = re.search(r"(\d+) clients rejected", messages.read_text())
    faults = []
    if said != '{"reason":"Unregistered"}':
        faults.append(f"after {count} connections a push gets {said!r}")
    if refused != count - SERVED or rejected is None or int(rejected[1]) < refused:
        faults.append(f"{refused} of {count} connections were refused, and the mock says {rejected and rejected[1]}")
    if peak > MOST_KIBIBYTES:
        faults.append(f"{count} connections take {peak >> 10} MiB")
    return faults, count


def push(address):
    """The answer to a push, tried again while the connections before it are still there."""
    command = ["curl", "-q", "-s", "--http2-prior-knowledge", "--retry", "30", "--retry-all-errors", "--retry-delay", "1"]
    url = f"http://{address}:{PORT}/3/device/aa"
    return subprocess.run([*command, "-d", "{}", url], capture_output=True, text=True, timeout=SECONDS).stdout


def connect(address):
    """None if it was refused at once."""
    try:
        return socket.create_connection((address, PORT), timeout=10)
    except ConnectionResetError:
        return None


def is_closed(connection):
    """Whether nothing but what came before comes of it."""
    try:
        while connection and connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True
