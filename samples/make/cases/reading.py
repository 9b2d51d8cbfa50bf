"""Readers over the streams of the cases: a simple one that is right, which must read every whole stream, and what
`apnsift audit` says of the five faulty ones."""

import itertools
import json
import subprocess
import tempfile

import reference_readers

from cases import truth
from cases.wire import bytes_of

COLUMNS = ("records", "correct", "wrong", "missed", "outcome")
NOT_JUDGED = (None, None, None, None, "not-judged")


def chunks_of(data, sizes):
    """What the reads return at most: these sizes in turn, and again from the top."""
    at = 0
    for size in itertools.cycle(sizes):
        if at >= len(data):
            return
        yield data[at : at + size]
        at += size


class Connection:
    """A socket: a read returns at most what is left of a chunk, and nothing at the end."""

    def __init__(self, chunks):
        self.chunks, self.rest = iter(chunks), b""

    def read(self, count):
        self.rest = self.rest or next(self.chunks, b"")
        got, self.rest = self.rest[:count], self.rest[count:]
        return got

    def read_all(self, count):
        """`count` bytes, or fewer at the end."""
        data = b""
        while len(data) < count and (more := self.read(count - len(data))):
            data += more
        return data


def simple_reader(connection):
    """Reads a header, then the token that it promises. Drops a tail that is cut, leaves out empty tokens."""
    while len(header := connection.read_all(6)) == 6:
        length = int.from_bytes(header[4:], "big")
        token = connection.read_all(length)
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
        chunks = chunks_of(bytes_of(stream.server), case.chunks or [7])
        if list(simple_reader(Connection(chunks))) != true:
            yield "a simple reader that is right does not read what the case expects"


def counted(case):
    """What scripts/reference_readers.py, which shares no code with apnsift, makes of a dump of feedback in its chunks."""
    stream = case.streams[0] if case.chunks else None
    if stream is None or len(case.streams) > 1 or stream.protocol != "feedback":
        return {}
    records = [item for part in stream.server for item in part.truth if item["type"] == "feedback" and item["token"]]
    true = [(item["timestamp"], bytes.fromhex(item["token"])) for item in records]
    rows = {}
    for name, reader in reference_readers.READERS.items():
        said, outcome = reader(reference_readers.Socket(chunks_of(bytes_of(stream.server), case.chunks)))
        verdict = reference_readers.judge(said, true)
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
