#!/usr/bin/env python3
"""The feedback decoding rules, written down a second time: as plainly as possible, over a whole dump in memory.

It shares no code with apnsift and is slow on purpose; where the two differ, one of them is wrong. Offsets are
byte offsets from 0 in the stream, gaps counted in; file offsets are from 0 in the dump.

usage: reference_decoder.py [--token-length SET] [--max-token-length N] [--earliest S] [--latest S] DUMP
"""

import argparse
import json
import re
from dataclasses import dataclass, field

HEADER = 6  # time, 4 bytes, and token length, 2 bytes; both big-endian
# tshark counts in 32 bits: more than 10 digits are no mark of its (docs/decisions/0003-gap-marks-and-ciphertext.md).
GAP_MARK = re.compile(rb"\[([0-9]{1,10}) bytes missing in capture file\]\0?")


@dataclass
class Limits:
    """The options of the rules; times are UNIX seconds, both ends included."""

    allowed: frozenset = frozenset({32})
    longest: int = 100
    earliest: int = 1245196800  # 2009-06-17T00:00:00Z
    latest: int = 1619740800  # 2021-04-30T00:00:00Z

    def __post_init__(self):
        self.longest = max(self.longest, *self.allowed)


@dataclass
class Decoded:
    records: list = field(default_factory=list)
    findings: list = field(default_factory=list)
    stream_bytes: int = 0
    record_bytes: int = 0
    skipped_bytes: int = 0
    truncated_bytes: int = 0
    undecoded_bytes: int = 0
    gap_bytes: int = 0


class Run:
    """Contiguous bytes of a stream; positions in here are relative to the run.

    The rules of all records are here; `start` and `walk` have those of tuples, requests or responses.
    """

    def __init__(self, data, limits):
        self.data = data
        self.n = len(data)
        self.limits = limits

    def left(self, o):
        return self.n - o

    def first_start(self, low, high):
        """The first start in [low, high), or None."""
        return next((p for p in range(low, high) if self.start(p)), None)

    def decode(self, begins_stream):
        """Where a run begins, then the walk. Yields (kind, from, to, flags) for everything."""
        begin = 0
        if not begins_stream and self.n > 0:
            begin = self.first_start(0, self.n)
            begin = self.n if begin is None else begin
            if begin > 0:
                yield "skipped-bytes", 0, begin, []
        yield from self.walk(begin)


class TupleRun(Run):
    """A run of feedback tuples."""

    def t(self, o):
        return int.from_bytes(self.data[o : o + 4], "big")

    def L(self, o):
        return int.from_bytes(self.data[o + 4 : o + 6], "big")

    def end(self, o):
        return o + HEADER + self.L(o)

    def allowed(self, o):
        return self.L(o) in self.limits.allowed

    def plausible(self, o):
        return self.limits.earliest <= self.t(o) <= self.limits.latest

    def odd(self, o):
        return not self.allowed(o) and self.L(o) <= self.limits.longest and self.plausible(o)

    def tail(self, o):
        """Can the 0 to 5 bytes left at o begin a header?"""
        rest = self.data[o:]
        time, length = rest[:4], rest[4:]
        low = self.limits.earliest.to_bytes(4, "big")[: len(time)]
        high = self.limits.latest.to_bytes(4, "big")[: len(time)]
        return low <= time <= high and (not length or length[0] <= self.limits.longest >> 8)

    def may_begin(self, o):
        """May o be a tuple boundary?"""
        if self.left(o) < HEADER:
            return self.tail(o)
        if self.allowed(o):
            return True
        return self.odd(o) and self.may_follow_odd(o)

    def may_follow_odd(self, o):
        after = self.end(o)
        if after > self.n:
            return True
        if self.left(after) < HEADER:
            return self.tail(after)
        return self.allowed(after) or self.odd(after)

    def start(self, p):
        """May decoding resume at p?"""
        return (
            self.left(p) >= HEADER
            and self.allowed(p)
            and self.plausible(p)
            and self.end(p) <= self.n
            and self.may_begin(self.end(p))
        )

    def walk(self, o):
        """Yields (kind, from, to, flags) for everything from o on; the steps are those of "Walk"."""
        resynchronised = []  # the flag that the next record carries
        while o < self.n:
            if self.left(o) < HEADER:  # step 1
                yield "truncated-record", o, self.n, []
                return
            flags, skip_to = [], None
            if (self.allowed(o) or self.odd(o)) and self.end(o) > self.n:  # step 2
                skip_to = self.first_start(o + 1, self.n)
                if skip_to is None:
                    yield "truncated-record", o, self.n, []
                    return
            elif self.allowed(o):  # step 3
                if not self.may_begin(self.end(o)):
                    skip_to = self.first_start(o + 1, self.end(o))
                    flags = ["unconfirmed-boundary"] if skip_to is None else []
            elif self.odd(o) and self.may_begin(o):  # step 4
                flags = ["zero-length-token" if self.L(o) == 0 else "unexpected-token-length"]
            else:  # step 5
                skip_to = self.first_start(o + 1, self.n)
                skip_to = self.n if skip_to is None else skip_to
            if skip_to is None:
                yield "record", o, self.end(o), flags + resynchronised + self.further_flags(o)
                resynchronised = []
                o = self.end(o)
            else:
                yield "skipped-bytes", o, skip_to, []
                resynchronised = ["resynchronised"]
                o = skip_to

    def further_flags(self, o):
        token = self.data[o + HEADER : self.end(o)]
        flags = [] if self.plausible(o) else ["implausible-timestamp"]
        return flags + (["zero-filled-token"] if bytes(8) in token else [])


def split_at_gaps(dump):
    """Cuts a dump at tshark's marks: ("run", file offset, bytes) and ("gap", file offset, missing bytes)."""
    position = 0
    for mark in GAP_MARK.finditer(dump):
        if mark.start() > position:
            yield "run", position, dump[position : mark.start()]
        yield "gap", mark.start(), int(mark.group(1))
        position = mark.end()
    if position < len(dump):
        yield "run", position, dump[position:]


def is_ciphertext(data):
    return len(data) >= 3 and 0x14 <= data[0] <= 0x17 and data[1] == 3 and data[2] <= 4


def decode(dump, limits=Limits()):
    """Everything the rules say about one dump, in the order of the stream."""
    chunks = list(split_at_gaps(dump))
    first_run = next((chunk[2] for chunk in chunks if chunk[0] == "run"), b"")
    encrypted = is_ciphertext(first_run)
    result = Decoded()
    offset = 0
    for number, (kind, file_offset, content) in enumerate(chunks):
        if kind == "gap":
            result.gap_bytes += content
            # One finding covers all of a ciphertext, from its first byte on.
            if not (encrypted and result.undecoded_bytes):
                add_gap(result, content, offset, file_offset)
            offset += content
        elif encrypted:
            result.undecoded_bytes += len(content)
            offset += len(content)
        else:
            # After a mark, even one of 0 bytes at offset 0, the start of the run is unknown.
            add_run(result, TupleRun(content, limits), offset, file_offset, begins_stream=number == 0)
            offset += len(content)
    if encrypted:
        result.findings.append({"code": "encrypted-stream", "offset": 0, "length": offset, "file_offset": 0})
    return result


def add_gap(result, missing, offset, file_offset):
    """Adds the finding about lost bytes, whether the rest is readable or not."""
    finding = {"code": "stream-gap", "offset": offset, "length": missing, "file_offset": file_offset}
    result.findings.append(finding)


def add_run(result, run, offset, file_offset, begins_stream):
    result.stream_bytes += run.n
    for kind, begin, end, flags in run.decode(begins_stream):
        location = {"offset": offset + begin, "file_offset": file_offset + begin}
        if kind == "record":
            token = run.data[begin + HEADER : end].hex()
            result.records.append({**location, "timestamp": run.t(begin), "token": token, "flags": sorted(flags)})
            result.record_bytes += end - begin
        else:
            result.findings.append({"code": kind, "length": end - begin, **location})
            result.skipped_bytes += end - begin if kind == "skipped-bytes" else 0
            result.truncated_bytes += end - begin if kind == "truncated-record" else 0


def parse_lengths(text):
    """A set of lengths as the command line has it: 32, 32,54 or 1-100."""
    lengths = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        lengths.update(range(int(low), int(high or low) + 1))
    return frozenset(lengths)


def main():
    parser = argparse.ArgumentParser(description="Decode a feedback dump straight from the rules; JSON out.")
    parser.add_argument("dump")
    parser.add_argument("--token-length", type=parse_lengths, default=Limits.allowed)
    parser.add_argument("--max-token-length", type=int, default=Limits.longest)
    parser.add_argument("--earliest", type=int, default=Limits.earliest)
    parser.add_argument("--latest", type=int, default=Limits.latest)
    options = parser.parse_args()
    limits = Limits(options.token_length, options.max_token_length, options.earliest, options.latest)
    with open(options.dump, "rb") as file:
        print(json.dumps(vars(decode(file.read(), limits)), indent=1))


if __name__ == "__main__":
    main()
