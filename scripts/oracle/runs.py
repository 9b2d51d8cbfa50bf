"""The rules of all runs (docs/spec/decoding-rules.md), and what a dump or one direction of a connection gives.

A run is a sequence of contiguous bytes; positions in it are relative to it. Offsets count from 0 in the direction, gaps counted in.
"""

import re
from dataclasses import dataclass, field

from oracle.wire import EARLIEST, LATEST

# tshark counts in 32 bits: more than 10 digits are no mark of its (docs/spec/decoding-rules.md#gap-marks).
GAP_MARK = re.compile(rb"\[([0-9]{1,10}) bytes missing in capture file\]\0?")
SUMS = {"skipped-bytes": "skipped_bytes", "truncated-record": "truncated_bytes"}  # of what a walk yields: the sum that it is in


# Option: what it is in Limits.
OPTIONS = {"token-length": "allowed", "max-token-length": "longest", "earliest": "earliest", "latest": "latest",
           "max-payload": "payload", "max-pending": "pending"}


@dataclass
class Limits:
    """The options of the rules. Times are UNIX seconds, both ends included; token and payload limit commands 0 and 1."""

    allowed: frozenset = frozenset({32})
    longest: int = 100
    earliest: int = EARLIEST
    latest: int = LATEST
    payload: int = 4096
    pending: int = 1_000_000

    def __post_init__(self):
        self.longest = max(self.longest, *self.allowed)

    @staticmethod
    def of(options):
        """By the names of options; those that are missing have their defaults."""
        return Limits(**{OPTIONS[name]: parse_lengths(text) if name == "token-length" else int(text) for name, text in options.items()})


def parse_lengths(text):
    """A set of lengths as the command line has it: 32, 32,54 or 1-100."""
    lengths = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        lengths.update(range(int(low), int(high or low) + 1))
    return frozenset(lengths)


class Run:
    """Contiguous bytes of a stream. Subclasses have `start`, `record`, and the steps of the walk: `step(o)` is what begins at o."""

    role, protocol = "server", "gateway"  # the side that sends such bytes, and the protocol of their connection

    def __init__(self, data, limits, in_dump=True, ends_at_gap=False):
        self.data, self.n, self.limits, self.ends_at_gap = data, len(data), limits, ends_at_gap
        self.in_dump = in_dump  # else in a connection, in which no bytes were inserted

    def left(self, o):
        return self.n - o

    def first_start(self, low, high):
        """The first start in [low, high), or None."""
        return next((p for p in range(low, high) if self.start(p)), None)

    def next_start(self, low):
        """The first start from `low` on, or the end."""
        start = self.first_start(low, self.n)
        return self.n if start is None else start

    def decode(self, begins_stream):
        """Where a run begins, then the walk. Yields (kind, from, to, flags) for everything."""
        begin, kind = (self.leading(), "separator") if begins_stream else (self.next_start(0), "skipped-bytes")
        if begin > 0:
            yield kind, 0, begin, []
        self.group = begin if begins_stream else None  # the first of the records that touch
        yield from self.walk(begin)

    def walk(self, o):
        again = []  # the flag that the next record carries
        while o < self.n:
            for kind, begin, end, flags in self.step(o):
                yield kind, begin, end, flags + again if kind == "record" else []
                if kind in ("record", "skipped-bytes"):
                    again = ["resynchronised"] if kind == "skipped-bytes" else []
                o = max(o, end)

    def skip_or_cut(self, o):
        """What begins at o ends after the run: it is damaged if something else may begin in it."""
        start = self.first_start(o + 1, self.n)
        return ("truncated-record", o, self.n, []) if start is None else ("skipped-bytes", o, start, [])

    def leading(self):
        """The length of what a dump begins with before its first record."""
        return 0


@dataclass
class Chunk:
    """A run or a gap of a direction. `origin` gives the source of a byte by its index in the chunk."""

    origin: callable
    data: bytes = None
    missing: int = None  # bytes; None for a run


def split_at_gaps(dump):
    """The runs and gaps of a dump, which tshark's marks are, with offsets in the file."""

    def chunk(position, **content):
        return Chunk(lambda index: {"file_offset": position + index, "packet": None}, **content)

    position = 0
    for mark in GAP_MARK.finditer(dump):
        if mark.start() > position:
            yield chunk(position, data=dump[position : mark.start()])
        yield chunk(mark.start(), missing=int(mark[1]))
        position = mark.end()
    if position < len(dump):
        yield chunk(position, data=dump[position:])


def is_ciphertext(data):
    return len(data) >= 3 and 0x14 <= data[0] <= 0x17 and data[1] == 3 and data[2] <= 4


@dataclass
class Decoded:
    """One direction decoded; `offset` and the sums are in bytes."""

    kind: type  # of its runs
    records: list = field(default_factory=list)
    findings: list = field(default_factory=list)
    separators: list = field(default_factory=list)  # (origin, length)
    is_encrypted: bool = False
    offset: int = 0
    stream_bytes: int = 0
    record_bytes: int = 0
    skipped_bytes: int = 0
    truncated_bytes: int = 0
    undecoded_bytes: int = 0
    gap_bytes: int = 0

    @property
    def role(self):
        return self.kind.role

    def find(self, code, offset, origin, **more):
        finding = {"type": "finding", "direction": self.role, "code": code, "offset": offset}
        self.findings.append({**finding, **origin, **more})

    def add_gap(self, chunk):
        # One finding covers all of a ciphertext, from its first byte on.
        if not self.undecoded_bytes:
            self.find("stream-gap", self.offset, chunk.origin(0), length=chunk.missing)
        self.gap_bytes += chunk.missing
        self.offset += chunk.missing

    def add_run(self, chunk, run, begins_stream):
        for kind, begin, end, flags in run.decode(begins_stream):
            if kind == "record":
                record = run.record(begin, end)
                record["flags"] |= set(flags)
                self.records.append({**record, "offset": self.offset + begin, **chunk.origin(begin)})
            elif kind == "separator":
                self.separators.append((chunk.origin(begin), end - begin))
            else:
                self.find(kind, self.offset + begin, chunk.origin(begin), length=end - begin)
            total = "record_bytes" if kind in ("record", "separator") else SUMS.get(kind)
            if total:
                setattr(self, total, getattr(self, total) + end - begin)
        self.stream_bytes += run.n
        self.offset += run.n


def decode(kind, chunks, limits=Limits(), begins_stream=True, in_dump=True):
    """Records and findings of one direction in the order of the stream, without outcomes; flags of records are sets."""
    chunks, direction = list(chunks), Decoded(kind)
    first_run = next((chunk.data for chunk in chunks if chunk.missing is None), b"")
    direction.is_encrypted = is_ciphertext(first_run)
    for number, chunk in enumerate(chunks):
        if chunk.missing is not None:
            direction.add_gap(chunk)
        elif direction.is_encrypted:
            direction.undecoded_bytes += len(chunk.data)
            direction.offset += len(chunk.data)
        else:
            # After a mark, even one of 0 bytes at offset 0, the start of the run is unknown.
            run = kind(chunk.data, limits, in_dump, ends_at_gap=number + 1 < len(chunks))
            direction.add_run(chunk, run, begins_stream and number == 0)
    if direction.separators:
        direction.find("separating-bytes", None, direction.separators[0][0], length=None)
    if direction.is_encrypted:
        direction.find("encrypted-stream", 0, chunks[0].origin(0), length=direction.offset)
    return direction
