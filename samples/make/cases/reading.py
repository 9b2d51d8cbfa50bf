"""Readers over the streams of the cases: a simple one that is right, which must read every whole stream, and what
`apnsift audit` says of the five faulty ones."""

import json
import subprocess
import tempfile

from reference_readers import READERS, Socket, judge

from cases import truth
from cases.wire import bytes_of
from feedback_server import chunks

COLUMNS = ("records", "correct", "wrong", "missed", "outcome")
NOT_JUDGED = (None, None, None, None, "not-judged")


def socket_of(stream, sizes):
    """What the server sent, in chunks of these sizes in turn."""
    return Socket(chunks(bytes_of(stream.server), sizes))


def read_all(socket, count):
    """`count` bytes, or fewer at the end."""
    data = b""
    while len(data) < count and (more := socket.recv(count - len(data))):
        data += more
    return data


def simple_reader(socket):
    """Reads a header, then the token that it promises. Drops a tail that is cut, leaves out empty tokens."""
    while len(header := read_all(socket, 6)) == 6:
        length = int.from_bytes(header[4:], "big")
        token = read_all(socket, length)
        if len(token) < length:
            return
        if token:
            yield int.from_bytes(header[:4], "big"), token.hex()


def is_judged(stream):
    """Whole, and made of records up to a tail that may be cut."""
    kinds = [part.kind for part in stream.server]
    last = kinds.pop() if kinds else "record"
    return stream.protocol == "feedback" and {*kinds} <= {"record"} and last in ("record", "truncated")


def judged(case):
    return [stream for stream in case.streams if is_judged(stream)]


def misread(case):
    """Judged streams that the simple reader does not read right."""
    for stream in judged(case):
        true = [(item["timestamp"], item["token"]) for part in stream.server for item in part.truth if item.get("token")]
        if list(simple_reader(socket_of(stream, case.chunks or [7]))) != true:
            yield "a simple reader that is right does not read what the case expects"


def counted(case):
    """What scripts/reference_readers.py, which shares no code with apnsift, makes of a dump of feedback in its chunks."""
    stream = case.streams[0] if case.chunks else None
    if stream is None or len(case.streams) > 1 or stream.protocol != "feedback":
        return {}
    records = [item for part in stream.server for item in part.truth if item["type"] == "feedback" and item["token"]]
    true = [(item["timestamp"], bytes.fromhex(item["token"])) for item in records]
    rows = {}
    for name, reader in READERS.items():
        said, outcome = reader(socket_of(stream, case.chunks))
        verdict = judge(said, true)
        rows[name] = (len(said), verdict["correct"], len(said) - verdict["correct"], verdict["missed"], outcome)
    return rows


def compare_audit(case, command, directory):
    """Where `apnsift audit` does not count what was worked out by hand, or what the readers' other models count."""
    needed = counted(case)
    by_hand = {name: NOT_JUDGED if counts == "not-judged" else counts for name, counts in case.readers.items()}
    for name in needed.keys() & by_hand.keys():
        if needed[name] != by_hand[name]:
            yield f"{name}: {by_hand[name]} by hand, and scripts/reference_readers.py says {needed[name]}"
    needed |= by_hand
    rows = audited(case, command, directory) if needed else {}
    for name, counts in needed.items():
        said = tuple(rows[name][column] for column in COLUMNS)
        if said != counts:
            yield f"{name}: {COLUMNS} must be {counts}, and apnsift audit says {said}"


def audited(case, command, directory):
    """The rows of `apnsift audit`, by the name of the reader."""
    arguments = [command, "audit", "--json", *case.options]
    with tempfile.NamedTemporaryFile("w") as sizes:
        if case.chunks:
            sizes.write("\n".join(map(str, case.chunks)) + "\n")
            sizes.flush()
            arguments += ["--chunk-sizes", sizes.name]
        if not truth.is_pair(case):
            arguments += truth.sources(case)
        run = subprocess.run(arguments, cwd=directory, capture_output=True, check=True)
    return {row["name"]: row for row in json.loads(run.stdout)["readers"]}
