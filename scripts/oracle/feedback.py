"""Feedback tuples, and the bytes that a program saved with them (docs/spec/decoding-rules.md)."""

import re
from collections import namedtuple

from oracle.gateway import RequestRun
from oracle.runs import Limits, Run
from oracle.wire import HEADER, PAYLOAD, TOKEN, parts_of, utc

LONGEST_SEPARATOR = 1024
PROOF, PROOF_BYTES = 3, 16384  # separators that must be alike, and the bytes after the first tuple to find them in
LONG_SEPARATOR = 4  # from this length on, one less suffices


def alike(one, model):
    """Is one a separator like the model, as text or as other bytes?"""
    if is_text(one) or is_text(model):
        return re.sub(rb"[0-9]+", b"0", one) == re.sub(rb"[0-9]+", b"0", model)
    return len(one) == len(model) and 2 * agreeing(one, model) >= len(model)


def is_text(data):
    return all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in data)


def agreeing(one, other):
    return sum(a == b for a, b in zip(one, other))


class Model(namedtuple("Model", "bytes distance")):
    """The separator that others are compared with, and the bytes between the beginnings of two groups."""

    def fits(self, separator, group, after):
        """`group` is the first of the tuples before the separator, None if bytes before it were skipped; `after` is the next."""
        if any(self.bytes):
            return alike(separator, self.bytes)
        return not any(separator) and (len(separator) == len(self.bytes) or group is None or after - group == self.distance)

    @property
    def line(self):
        """The line break that it begins with."""
        return next((line for line in (b"\n", b"\r\n") if self.bytes.startswith(line)), b"")


class TupleRun(Run):
    """A run of feedback tuples in a dump."""

    protocol = "feedback"
    model = None  # the separator that was found

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
        return self.allowed(o) or self.odd(o) and self.may_follow_odd(o)

    def may_follow_odd(self, o):
        after = self.end(o)
        if after > self.n:
            return True
        return self.tail(after) if self.left(after) < HEADER else self.allowed(after) or self.odd(after)

    def header(self, o):
        return self.left(o) >= HEADER and self.allowed(o) and self.plausible(o)

    def start(self, p):
        """May decoding resume at p?"""
        if not self.header(p) or self.end(p) > self.n:
            return False
        return self.may_begin(self.end(p)) or self.sound(p) and self.after_separator(self.end(p), None)[0] is not None

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
        if usual < end and model.fits(self.data[o:usual], group, usual):
            if self.header(usual) or (self.left(usual) < HEADER and self.tail(usual)):
                return usual
        if end == o or end > o + LONGEST_SEPARATOR:
            return None
        separator = self.data[o:end]
        is_line = found is None and alike(separator, model.line)
        return end if is_line or model.fits(separator, group, end) else None

    def after_first(self, o, group, proof):
        """(the tuple after the first separator, the model) if the number of separators that the proof needs are alike."""
        first = self.next_tuple(o)
        if first is None or first == o:
            return None, None
        model = Model(self.data[o:first], 0 if group is None else first - group)
        end, position, before = o, first, None
        for number in range(proof - (len(model.bytes) >= LONG_SEPARATOR)):
            if number > 0:
                before, end = (end, position), self.group_end(position, o + PROOF_BYTES)
                position = None if end is None else self.after_known(end, position, model)
            if position is None or not self.tokens_differ(end, position):
                return None, None
            if number > 0 and self.has_request(*before, position):
                return None, None
        return first, model

    def has_request(self, separator, o, after):
        """Does a request begin in the separator before a tuple, or in three bytes of it, that is as long as from it to the one
        after it, or is shorter and has its token, and a payload?"""
        requests = RequestRun(self.data, Limits())
        for p in range(separator, o + 4):
            kind, end = requests.extent(p)
            if kind == "known" and end - p == after - o:
                return True
            parts = parts_of(self.data, p, end) if kind == "known" and end <= after else {}
            if parts.get(TOKEN, (None,))[0] == o + HEADER and len(set(parts.get(PAYLOAD, ()))) > 1:
                return True
        return False

    def tokens_differ(self, end, p):
        """Have the token before end and that of the tuple at p at most an eighth of their bytes in common?"""
        if self.left(p) < HEADER or self.end(p) > self.n:
            return True
        count = min(32, *self.limits.allowed)
        pairs = [(self.data[end - 1 - i], self.data[self.end(p) - 1 - i]) for i in range(count)]
        return self.sound(p) and 8 * sum(a == b for a, b in pairs) <= count

    def after_separator(self, o, group):
        if not self.in_dump:
            return None, None
        position = self.model and self.after_known(o, group, self.model)
        return (position, self.model) if position is not None else self.after_first(o, group, PROOF)

    def leading(self):
        if self.n < HEADER or self.allowed(0) or not self.in_dump:
            return 0
        first = self.next_tuple(0)
        end = None if first is None else self.group_end(first, PROOF_BYTES)
        if end is None:
            return 0
        lead = self.data[:first]
        position, model = self.after_first(end, first, PROOF - 1)
        if position is not None and self.has_request(0, first, position):
            return 0
        if position is not None and not model.fits(lead, None, first):
            # Before the first tuple, no line break ends an earlier one.
            position, model = self.after_first(end, first, PROOF) if alike(lead, model.bytes[len(model.line) :]) else (None, None)
        if position is None:
            return 0
        self.model = model
        return first

    def ends_like_separator(self, token):
        size = len(self.model.bytes) if self.model else None
        if size is None or len(token) < size or self.model.distance != HEADER + len(token) + size:
            return False
        return 4 * agreeing(token[-size:], self.model.bytes) >= 3 * size

    def is_short_rest(self, o):
        """1 to 4 bytes at the end of a dump prove nothing: the same number may have been inserted before them."""
        return 1 <= self.left(o) <= 4 and self.in_dump and not self.ends_at_gap

    def boundary(self, end, group):
        """The confirmed boundary after a tuple: its end, or where the separator ends; or None."""
        begins = self.header(end) or (self.left(end) < HEADER and self.tail(end))
        here = self.may_begin(end) if self.model is None else begins
        if here and not self.is_short_rest(end):
            return end
        position, model = self.after_separator(end, group)
        self.model = model if position is not None else self.model
        return position

    def step(self, o):
        if self.left(o) < HEADER:  # step 1
            is_header = self.tail(o) and not self.is_short_rest(o)
            yield "truncated-record" if is_header else "skipped-bytes", o, self.n, []
        elif (self.allowed(o) or self.odd(o)) and self.end(o) > self.n:  # step 2
            self.group = None
            yield self.skip_or_cut(o)
        elif self.allowed(o):  # step 3
            yield from self.usual(o)
        elif self.odd(o) and self.may_begin(o):  # step 4
            yield "record", o, self.end(o), ["zero-length-token" if self.L(o) == 0 else "unexpected-token-length"]
        else:  # step 5
            self.group = None
            yield "skipped-bytes", o, self.next_start(o + 1), []

    def usual(self, o):
        """A tuple of an allowed length, and the separator after it."""
        end = self.end(o)
        after = self.boundary(end, self.group)
        start = self.first_start(o + 1, end) if after is None else None
        if start is not None:
            self.group = None
            yield "skipped-bytes", o, start, []
            return
        is_doubtful = after is None or after == end and self.ends_like_separator(self.data[o + HEADER : end])
        yield "record", o, end, ["unconfirmed-boundary"] if is_doubtful else []
        if after is not None and after > end:
            self.group = after
            yield "separator", end, after, []

    def record(self, o, end):
        token = self.data[o + HEADER : end]
        flags = set() if self.plausible(o) else {"implausible-timestamp"}
        return {
            "type": "feedback", "direction": self.role, "timestamp": self.t(o), "time": utc(self.t(o)), "token_length": len(token),
            "token": token.hex(), "flags": flags | ({"zero-filled-token"} if bytes(8) in token else set()),
        }  # fmt: skip
