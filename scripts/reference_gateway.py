#!/usr/bin/env python3
"""The decoding rules of the gateway, written down a second time: as plainly as possible, over whole runs in memory.

It shares no code with apnsift; where the two differ, one of them is wrong. Offsets are byte offsets from 0 in one
direction of a connection, including gaps. reference_frames.py reads the inside of a frame, and the outcomes of requests
reference_correlation.py.

usage: reference_gateway.py [--requests DUMP] [--responses DUMP] [--token-length SET] [--max-token-length N]
                            [--max-payload N] [--max-pending N]
"""

import argparse
import json
from dataclasses import dataclass, field

from reference_correlation import correlate
from reference_decoder import Run, is_ciphertext, parse_lengths, split_at_gaps
from reference_frames import FRAME, FRAME_HEADER, PAYLOAD, SIMPLE, TOKEN, TOKEN_LENGTH_AT, request, sound_parts

MAX_FRAME = 65535  # bytes after the header of command 2
RESPONSE, RESPONSE_LENGTH = 8, 6
STATUS_TEXTS = {
    0: "no errors encountered", 1: "processing error", 2: "missing device token", 3: "missing topic",
    4: "missing payload", 5: "invalid token size", 6: "invalid topic size", 7: "invalid payload size",
    8: "invalid token", 10: "shutdown", 128: "protocol error (APNs could not parse the notification)",
    255: "none (unknown)",
}  # fmt: skip


@dataclass
class Limits:
    """The options of the rules. Token and payload are limits of commands 0 and 1, in bytes."""

    allowed: frozenset = frozenset({32})
    longest: int = 100
    payload: int = 4096
    pending: int = 1_000_000

    def __post_init__(self):
        self.longest = max(self.longest, *self.allowed)


class RequestRun(Run):
    """A run of request frames."""

    def number(self, at, size):
        """A big-endian number, or None where not all its bytes are there."""
        return int.from_bytes(self.data[at : at + size], "big") if at + size <= self.n else None

    def extent(self, o):
        """("known", end of the frame), ("missing", None) where a length is not there, or ("none", None)."""
        command = self.data[o]
        if command == FRAME:
            length = self.number(o + 1, 4)
            if length is None:
                return "missing", None
            return ("known", o + FRAME_HEADER + length) if length <= MAX_FRAME else ("none", None)
        return self.extent_of_fixed(o, command) if command in TOKEN_LENGTH_AT else ("none", None)

    def extent_of_fixed(self, o, command):
        token = o + TOKEN_LENGTH_AT[command] + 2
        token_length = self.number(token - 2, 2)
        if token_length is None:
            return "missing", None
        if token_length > self.limits.longest:
            return "none", None
        payload_length = self.number(token + token_length, 2)
        if payload_length is None:
            return "missing", None
        is_zero_fill = command == SIMPLE and token_length == payload_length == 0
        if payload_length > self.limits.payload or is_zero_fill:
            return "none", None
        return "known", token + token_length + 2 + payload_length

    def extent_known(self, o):
        return self.extent(o)[0] == "known"

    def cut(self, o):
        """Does the run end inside a frame that may start at o?"""
        kind, end = self.extent(o)
        return kind == "missing" or (kind == "known" and end > self.n)

    def may_begin(self, o):
        """May o be a boundary between frames?"""
        return o == self.n or self.extent_known(o) or self.cut(o)

    def start(self, p):
        """May decoding resume at p?"""
        kind, end = self.extent(p)
        parts = sound_parts(self.data, p, end) if kind == "known" and end <= self.n else None
        if parts is None:
            return False
        (token, token_end), (payload, payload_end) = parts[TOKEN], parts[PAYLOAD]
        is_object = payload < payload_end and self.data[payload] == ord("{") and self.data[payload_end - 1] == ord("}")
        return token_end - token in self.limits.allowed and is_object and self.may_begin(end)

    def walk(self, o, begins_stream):
        """The steps are those of "Walk", with frames instead of tuples; there is no step 1, and no step 4."""
        resynchronised = []  # the flag that the next record carries
        while o < self.n:
            flags, skip_to = [], None
            end = self.extent(o)[1]
            if self.cut(o):  # step 2
                skip_to = self.first_start(o + 1, self.n)
                if skip_to is None:
                    yield "truncated-record", o, self.n, []
                    return
            elif self.extent_known(o):
                if not self.may_begin(end):  # step 3
                    skip_to = self.first_start(o + 1, end)
                    flags = ["unconfirmed-boundary"] if skip_to is None else []
            else:  # step 5
                yield "malformed-frame" if self.data[o] <= FRAME else "unknown-command", o, o + 1, []
                skip_to = self.first_start(o + 1, self.n)
                skip_to = self.n if skip_to is None else skip_to
            if skip_to is None:
                yield "record", o, end, flags + resynchronised
                resynchronised = []
                o = end
            else:
                yield "skipped-bytes", o, skip_to, []
                resynchronised = ["resynchronised"]
                o = skip_to

    def record(self, o, end):
        return {"type": "request", "direction": "client", **request(self.data, o, end, self.limits.allowed)}


class ResponseRun(Run):
    """A run of error responses."""

    def start(self, p):
        after = p + RESPONSE_LENGTH
        if self.data[p] != RESPONSE or after > self.n or self.data[p + 1] not in STATUS_TEXTS:
            return False
        return after == self.n or self.data[after] == RESPONSE

    def walk(self, o, begins_stream):
        resynchronised = []
        while o < self.n:
            if self.left(o) < RESPONSE_LENGTH:
                yield "truncated-record", o, self.n, []
                return
            if self.data[o] == RESPONSE:
                yield "record", o, o + RESPONSE_LENGTH, resynchronised
                resynchronised = []
                o += RESPONSE_LENGTH
            else:
                yield "unknown-command", o, o + 1, []
                start = self.first_start(o + 1, self.n)
                start = self.n if start is None else start
                yield "skipped-bytes", o, start, []
                resynchronised = ["resynchronised"]
                o = start

    def record(self, o, end):
        status = self.data[o + 1]
        return {
            "type": "response", "direction": "server", "status": status, "status_text": STATUS_TEXTS.get(status),
            "identifier": int.from_bytes(self.data[o + 2 : end], "big"),
            "flags": set() if status in STATUS_TEXTS else {"unknown-status"},
        }  # fmt: skip


@dataclass
class Chunk:
    """A run or a gap of a direction. `origin` gives the source of a byte by its index in the chunk."""

    origin: callable
    data: bytes = None
    missing: int = None  # bytes; None for a run


@dataclass
class Direction:
    """One direction decoded; `offset` and the sums are in bytes."""

    kind: type  # of its runs
    records: list = field(default_factory=list)
    findings: list = field(default_factory=list)
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
        return "client" if self.kind is RequestRun else "server"

    def find(self, code, offset, origin, **more):
        finding = {"type": "finding", "direction": self.role, "code": code, "offset": offset}
        self.findings.append({**finding, **origin, **more})

    def add_gap(self, chunk):
        # One finding covers all of a ciphertext, from its first byte on.
        if not self.undecoded_bytes:
            self.find("stream-gap", self.offset, chunk.origin(0), length=chunk.missing)
        self.gap_bytes += chunk.missing
        self.offset += chunk.missing

    def add_run(self, chunk, limits, begins_stream):
        run = self.kind(chunk.data, limits)
        for kind, begin, end, flags in run.decode(begins_stream):
            if kind == "record":
                record = run.record(begin, end)
                record["flags"] |= set(flags)
                self.records.append({**record, "offset": self.offset + begin, **chunk.origin(begin)})
                self.record_bytes += end - begin
            else:
                self.find(kind, self.offset + begin, chunk.origin(begin), length=end - begin)
                self.skipped_bytes += end - begin if kind == "skipped-bytes" else 0
                self.truncated_bytes += end - begin if kind == "truncated-record" else 0
        self.stream_bytes += run.n
        self.offset += run.n


def decode(kind, chunks, limits, begins_stream=True):
    """Records and findings of one direction, without outcomes."""
    direction = Direction(kind)
    first_run = next((chunk.data for chunk in chunks if chunk.missing is None), b"")
    direction.is_encrypted = is_ciphertext(first_run)
    for number, chunk in enumerate(chunks):
        if chunk.missing is not None:
            direction.add_gap(chunk)
        elif direction.is_encrypted:
            direction.undecoded_bytes += len(chunk.data)
            direction.offset += len(chunk.data)
        else:
            direction.add_run(chunk, limits, begins_stream and number == 0)
    if direction.is_encrypted:
        direction.find("encrypted-stream", 0, chunks[0].origin(0), length=direction.offset)
    return direction


def chunks_of_dump(dump):
    """The runs and gaps of a dump, with offsets in the file from 0."""
    chunks = []
    for kind, position, content in split_at_gaps(dump):
        origin = lambda index, position=position: {"file_offset": position + index, "packet": None}
        chunks.append(Chunk(origin, data=content) if kind == "run" else Chunk(origin, missing=content))
    return chunks


def decode_connection(directions, limits):
    """Sets the outcomes of the records of a connection, which may have only one direction."""
    requests = [record for one in directions for record in one.records if record["type"] == "request"]
    responses = [record for one in directions for record in one.records if record["type"] == "response"]
    first_left = correlate(requests, responses, limits.pending)
    for direction in directions:
        if first_left and direction.kind is RequestRun:
            origin = {key: first_left[key] for key in ("file_offset", "packet")}
            direction.find("pending-limit", first_left["offset"], origin)
        for record in direction.records:
            record["flags"] = sorted(record["flags"])
    return directions


def main():
    parser = argparse.ArgumentParser(description="Decode dumps of the gateway straight from the rules; JSON out.")
    parser.add_argument("--requests")
    parser.add_argument("--responses")
    parser.add_argument("--token-length", type=parse_lengths, default=Limits.allowed)
    parser.add_argument("--max-token-length", type=int, default=Limits.longest)
    parser.add_argument("--max-payload", type=int, default=Limits.payload)
    parser.add_argument("--max-pending", type=int, default=Limits.pending)
    options = parser.parse_args()
    limits = Limits(options.token_length, options.max_token_length, options.max_payload, options.max_pending)
    directions = []
    for kind, path in ((RequestRun, options.requests), (ResponseRun, options.responses)):
        if path:
            with open(path, "rb") as file:
                directions.append(decode(kind, chunks_of_dump(file.read()), limits))
    decoded = decode_connection(directions, limits)
    print(json.dumps([{**vars(one), "kind": one.role} for one in decoded], indent=1))


if __name__ == "__main__":
    main()
