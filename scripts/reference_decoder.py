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
LONGEST_SEPARATOR = 1024
PROOF, PROOF_BYTES = 3, 16384  # separators that must be alike, and the bytes after the first tuple to find them in
LONG_SEPARATOR = 4  # from this length on, one less suffices
# tshark counts in 32 bits: more than 10 digits are no mark of its (docs/decisions/decoding.md#3-gap-marks).
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
    separators: list = field(default_factory=list)  # of all runs: (file offset, length)


class Run:
    """Contiguous bytes of a stream; positions in here are relative to the run.

    The rules of all records are here; `start` and `walk` have those of tuples, requests or responses.
    """

    def __init__(self, data, limits):
        self.data = data
        self.n = len(data)
        self.limits = limits
        self.ends_at_gap = False

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
        elif self.n > 0:
            begin = self.leading()
            if begin > 0:
                yield "separator", 0, begin, []
        yield from self.walk(begin, begins_stream)

    def leading(self):
        """The length of what a dump begins with before its first record."""
        return 0


def alike(one, model):
    """Is one a separator like the model, as text or as other bytes?"""
    if is_text(one) or is_text(model):
        return re.sub(rb"[0-9]+", b"0", one) == re.sub(rb"[0-9]+", b"0", model)
    return len(one) == len(model) and 2 * agreeing(one, model) >= len(model)


def distance(group, position):
    """From the first tuple of a group to the tuple after the separator; None if bytes before the group were skipped."""
    return None if group is None else position - group


def is_text(data):
    return all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in data)


def agreeing(one, other):
    return sum(a == b for a, b in zip(one, other))


@dataclass
class Model:
    """The separator that others are compared with, and the bytes between the beginnings of two groups."""

    bytes: bytes
    distance: int

    def fits(self, separator, distance):
        if any(self.bytes):
            return alike(separator, self.bytes)
        return not any(separator) and (len(separator) == len(self.bytes) or distance in (None, self.distance))

    @property
    def line(self):
        """The line break that it begins with."""
        return next((line for line in (b"\n", b"\r\n") if self.bytes.startswith(line)), b"")


class TupleRun(Run):
    """A run of feedback tuples in a dump."""

    def __init__(self, data, limits):
        super().__init__(data, limits)
        self.model = None

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

    def header(self, o):
        return self.left(o) >= HEADER and self.allowed(o) and self.plausible(o)

    def start(self, p):
        """May decoding resume at p?"""
        if not self.header(p) or self.end(p) > self.n:
            return False
        return self.may_begin(self.end(p)) or (
            self.sound(p) and self.after_separator(self.end(p), None)[0] is not None
        )

    # Tuples that do not touch.

    def sound(self, o):
        """A tuple that looks like one without its neighbours."""
        if not self.header(o) or self.end(o) > self.n:
            return False
        token = self.data[o + HEADER : self.end(o)][:32]
        return len(set(token)) * 32 >= 20 * len(token)

    def next_tuple(self, o):
        """The first sound or cut tuple at most a separator after o, or None."""
        positions = range(o, min(o + LONGEST_SEPARATOR, self.n) + 1)
        return next((p for p in positions if self.sound(p) or (self.header(p) and self.end(p) > self.n)), None)

    def group_end(self, o, limit):
        """The end of the tuples that touch, or None if it is after the limit."""
        while o <= limit:
            if not self.sound(o):
                return o
            o = self.end(o)
        return None

    def after_known(self, o, group, model):
        """Where the tuple after a separator like the model begins, or the run ends; or None."""
        found = self.next_tuple(o)
        end = self.n if found is None else found
        usual = o + len(model.bytes)
        if usual < end and model.fits(self.data[o:usual], distance(group, usual)):
            if self.header(usual) or (self.left(usual) < HEADER and self.tail(usual)):
                return usual
        if end == o or end > o + LONGEST_SEPARATOR:
            return None
        separator = self.data[o:end]
        is_line = found is None and alike(separator, model.line)
        return end if is_line or model.fits(separator, distance(group, end)) else None

    def after_first(self, o, group, proof):
        """(the tuple after the first separator, the model) if the number of separators that the proof needs are alike."""
        first = self.next_tuple(o)
        if first is None or first == o:
            return None, None
        model = Model(self.data[o:first], distance(group, first) or 0)
        end, position = o, first
        for number in range(proof - (len(model.bytes) >= LONG_SEPARATOR)):
            if number > 0:
                end = self.group_end(position, o + PROOF_BYTES)
                position = None if end is None else self.after_known(end, position, model)
            if position is None or not self.tokens_differ(end, position):
                return None, None
        return first, model

    def tokens_differ(self, end, p):
        """Have the token before end and that of the tuple at p at most an eighth of their bytes in common?"""
        if self.left(p) < HEADER or self.end(p) > self.n:
            return True
        count = min(32, *self.limits.allowed)
        pairs = [(self.data[end - 1 - i], self.data[self.end(p) - 1 - i]) for i in range(count)]
        return self.sound(p) and 8 * sum(a == b for a, b in pairs) <= count

    def after_separator(self, o, group):
        position = self.model and self.after_known(o, group, self.model)
        return (position, self.model) if position is not None else self.after_first(o, group, PROOF)

    def leading(self):
        if self.n < HEADER or self.allowed(0):
            return 0
        first = self.next_tuple(0)
        end = None if first is None else self.group_end(first, PROOF_BYTES)
        if end is None:
            return 0
        lead = self.data[:first]
        position, model = self.after_first(end, first, PROOF - 1)
        if position is not None and not model.fits(lead, None):
            # Before the first tuple, no line break ends an earlier one.
            position, model = self.after_first(end, first, PROOF) if alike(lead, model.bytes[len(model.line) :]) else (None, None)
        if position is None:
            return 0
        self.model = model
        return first

    def ends_like_separator(self, token):
        if self.model is None or len(token) < len(self.model.bytes):
            return False
        size = len(self.model.bytes)
        if self.model.distance != HEADER + len(token) + size:
            return False
        return 4 * agreeing(token[-size:], self.model.bytes) >= 3 * size

    def is_short_rest(self, o):
        """1 to 4 bytes at the end of a dump prove nothing: the same number may have been inserted before them."""
        return 1 <= self.left(o) <= 4 and not self.ends_at_gap

    def boundary(self, end, group):
        """The confirmed boundary after a tuple: its end, or where the separator ends; or None."""
        begins = self.header(end) or (self.left(end) < HEADER and self.tail(end))
        here = self.may_begin(end) if self.model is None else begins
        if here and not self.is_short_rest(end):
            return end
        position, model = self.after_separator(end, group)
        self.model = model if position is not None else self.model
        return position

    def walk(self, o, begins_stream):
        """Yields (kind, from, to, flags) for everything from o on; the steps are those of "Walk"."""
        resynchronised = []  # the flag that the next record carries
        group = o if begins_stream else None  # the first of the tuples that touch
        while o < self.n:
            if self.left(o) < HEADER:  # step 1
                is_header = self.tail(o) and not self.is_short_rest(o)
                yield "truncated-record" if is_header else "skipped-bytes", o, self.n, []
                return
            flags, skip_to, separator_end = [], None, None
            if (self.allowed(o) or self.odd(o)) and self.end(o) > self.n:  # step 2
                skip_to = self.first_start(o + 1, self.n)
                if skip_to is None:
                    yield "truncated-record", o, self.n, []
                    return
            elif self.allowed(o):  # step 3
                end = self.end(o)
                separator_end = self.boundary(end, group)
                if separator_end is None:
                    skip_to = self.first_start(o + 1, end)
                    flags = ["unconfirmed-boundary"] if skip_to is None else []
                elif separator_end == end and self.ends_like_separator(self.data[o + HEADER : end]):
                    flags = ["unconfirmed-boundary"]
            elif self.odd(o) and self.may_begin(o):  # step 4
                flags = ["zero-length-token" if self.L(o) == 0 else "unexpected-token-length"]
            else:  # step 5
                skip_to = self.first_start(o + 1, self.n)
                skip_to = self.n if skip_to is None else skip_to
            if skip_to is None:
                yield "record", o, self.end(o), flags + resynchronised + self.further_flags(o)
                resynchronised = []
                o = self.end(o)
                if separator_end is not None and separator_end > o:
                    yield "separator", o, separator_end, []
                    group = o = separator_end
            else:
                yield "skipped-bytes", o, skip_to, []
                resynchronised = ["resynchronised"]
                group, o = None, skip_to

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
            run = TupleRun(content, limits)
            run.ends_at_gap = number + 1 < len(chunks)
            add_run(result, run, offset, file_offset, begins_stream=number == 0)
            offset += len(content)
    if result.separators:
        result.findings.append({"code": "separating-bytes", "file_offset": result.separators[0][0]})
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
        elif kind == "separator":
            result.separators.append((location["file_offset"], end - begin))
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
