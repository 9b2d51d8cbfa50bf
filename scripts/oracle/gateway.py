"""Requests of a gateway connection and its error responses (docs/spec/decoding-rules.md).

wire.py reads the inside of a request.
"""

from oracle.runs import Run
from oracle.wire import (
    FRAME, FRAME_HEADER, PAYLOAD, RESPONSE, RESPONSE_LENGTH, SIMPLE, STATUS_TEXTS, TOKEN, TOKEN_LENGTH_AT, is_json, request, sound_parts,
)  # fmt: skip

MAX_FRAME = 65535  # bytes after the header of command 2


class RequestRun(Run):
    """A run of request frames."""

    role = "client"

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

    def cut(self, o):
        """Does the run end inside a frame that may start at o?"""
        kind, end = self.extent(o)
        return kind == "missing" or (kind == "known" and end > self.n)

    def may_begin(self, o):
        """May o be a boundary between frames?"""
        return o == self.n or self.extent(o)[0] != "none"

    def start(self, p):
        """May decoding resume at p?"""
        kind, end = self.extent(p)
        parts = sound_parts(self.data, p, end) if kind == "known" and end <= self.n else None
        if parts is None:
            return False
        (token, token_end), (payload, payload_end) = parts[TOKEN], parts[PAYLOAD]
        is_object = payload < payload_end and self.data[payload] == ord("{") and self.data[payload_end - 1] == ord("}")
        is_sound = token_end - token in self.limits.allowed and is_object
        return is_sound and (self.may_begin(end) or is_json(self.data[payload:payload_end]))

    def step(self, o):
        """The steps are those of tuples, with frames instead of them; there is no step 1, and no step 4."""
        kind, end = self.extent(o)
        if self.cut(o):  # step 2
            yield self.skip_or_cut(o)
        elif kind == "known":  # step 3
            is_confirmed = self.may_begin(end)
            start = None if is_confirmed or self.start(o) else self.first_start(o + 1, end)
            flags = [] if is_confirmed else ["unconfirmed-boundary"]
            yield ("record", o, end, flags) if start is None else ("skipped-bytes", o, start, [])
        else:  # step 5
            yield "malformed-frame" if self.data[o] <= FRAME else "unknown-command", o, o + 1, []
            yield "skipped-bytes", o, self.next_start(o + 1), []

    def record(self, o, end):
        return {"type": "request", "direction": self.role, **request(self.data, o, end, self.limits.allowed)}


class ResponseRun(Run):
    """A run of error responses."""

    def start(self, p):
        after = p + RESPONSE_LENGTH
        if self.data[p] != RESPONSE or after > self.n or self.data[p + 1] not in STATUS_TEXTS:
            return False
        return after == self.n or self.data[after] == RESPONSE

    def step(self, o):
        if self.left(o) < RESPONSE_LENGTH:
            yield "truncated-record", o, self.n, []
        elif self.data[o] == RESPONSE:
            yield "record", o, o + RESPONSE_LENGTH, []
        else:
            yield "unknown-command", o, o + 1, []
            yield "skipped-bytes", o, self.next_start(o + 1), []

    def record(self, o, end):
        status = self.data[o + 1]
        return {
            "type": "response", "direction": self.role, "status": status, "status_text": STATUS_TEXTS.get(status),
            "identifier": int.from_bytes(self.data[o + 2 : end], "big"),
            "flags": set() if status in STATUS_TEXTS else {"unknown-status"},
        }  # fmt: skip
