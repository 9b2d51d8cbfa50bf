"""Feedback tuples, requests and error responses, each with what must be said of it.

A stream is written down as a list of parts: bytes, and what the rules make of them. So the expectation of a case comes
from how its bytes were composed, and no decoder has a hand in it. Integers on the wire are big-endian.
"""

import hashlib
import struct
from dataclasses import dataclass

from oracle.wire import EARLIEST, LATEST, STATUS_TEXTS, error_bytes, fixed_bytes, frame_bytes, item, mark, tuple_bytes, utc  # noqa: F401


@dataclass(frozen=True)
class Part:
    """A stretch of one direction. `missing` is the length of a gap, which has no bytes."""

    data: bytes = b""
    missing: int | None = None
    truth: tuple = ()  # objects that begin with the part, without their positions
    kind: str = "opaque"  # which sum of the summary its bytes belong to


def token(number, length=32):
    """The token of record `number`: bytes that look random and are the same everywhere. The first 32 are always the same."""
    blocks = (hashlib.sha256(f"apnsift corpus: {number}.{block}".encode()).digest() for block in range(length // 32 + 1))
    return b"".join(blocks)[:length]


def when(number):
    """The time of record `number`: from 2014-05-13 on, a day and some seconds between two."""
    return 1400000000 + 86_413 * number


def rec(number, *flags, length=32, time=None, body=None):
    """A tuple that must come out, with these flags. `body` is another token than that of its number."""
    time = when(number) if time is None else time
    body = token(number, length) if body is None else body
    truth = {
        "type": "feedback", "timestamp": time, "time": utc(time), "token_length": len(body), "token": body.hex(),
        "flags": sorted(flags),
    }  # fmt: skip
    return Part(tuple_bytes(time, body), truth=(truth,), kind="record")


def raw(number, length=32, time=None, field=None):
    """The bytes of tuple `number`, for parts that are not to come out as a record."""
    return tuple_bytes(when(number) if time is None else time, token(number, length), field)


def finding(code, length, **more):
    return {"type": "finding", "code": code, "length": length, **more}


def between(data):
    """What a program saved with the tuples. The finding about all of it has no offset."""
    return Part(data, kind="separator")


def skip(data, *codes):
    """Bytes that must be skipped; `codes` are findings of length 1 at the same offset."""
    truth = tuple(finding(code, 1) for code in codes)
    return Part(data, truth=(*truth, finding("skipped-bytes", len(data))), kind="skipped")


def rest(data):
    """Up to 4 bytes at the end, which do not show that a tuple begins."""
    return Part(data, truth=(finding("skipped-bytes", len(data)),), kind="rest")


def cut(data):
    """A record that must be found cut off."""
    return Part(data, truth=(finding("truncated-record", len(data)),), kind="truncated")


def gap(length, described=True, **more):
    """Bytes that are not there. Inside ciphertext they are only counted."""
    truth = (finding("stream-gap", length, **more),) if described else ()
    return Part(missing=length, truth=truth, kind="gap")


def described(part, **more):
    """The part with further fields of its objects."""
    return Part(part.data, part.missing, tuple({**item, **more} for item in part.truth), part.kind)


def opaque(data):
    """Bytes that are not decoded."""
    return Part(data)


# Requests


def asked(data, flags, outcome, status, fields):
    """A request that must come out. Absent fields are null."""
    blank = dict.fromkeys(("identifier", "expiry", "priority", "token_length", "token", "payload_length", "payload"))
    truth = {
        "type": "request", "length": len(data), **blank, "payload_hex": None, "items": None, **fields,
        "outcome": outcome, "outcome_status": status, "flags": sorted(flags),
    }  # fmt: skip
    return Part(data, truth=(truth,), kind="record")


def payload_fields(payload):
    try:
        return {"payload_length": len(payload), "payload": payload.decode()}
    except UnicodeDecodeError:
        return {"payload_length": len(payload), "payload_hex": payload.hex()}


def words(number):
    """The payload of request `number`."""
    return f'{{"aps":{{"alert":"Order {number} is ready"}}}}'.encode()


def simple(number, *flags, body=None, payload=None, outcome="unknown", status=None):
    """Command 0."""
    body = token(number) if body is None else body
    payload = words(number) if payload is None else payload
    fields = {"command": 0, "token_length": len(body), "token": body.hex(), **payload_fields(payload)}
    return asked(fixed_bytes(0, None, None, body, payload), flags, outcome, status, fields)


def enhanced(number, *flags, identifier=None, expiry=0, body=None, payload=None, outcome="unknown", status=None):
    """Command 1; its identifier is its number unless another is given."""
    identifier = number if identifier is None else identifier
    body = token(number) if body is None else body
    payload = words(number) if payload is None else payload
    fields = {
        "command": 1, "identifier": identifier, "expiry": expiry, "token_length": len(body), "token": body.hex(),
        **payload_fields(payload),
    }  # fmt: skip
    return asked(fixed_bytes(1, identifier, expiry, body, payload), flags, outcome, status, fields)


def framed(number, *flags, items=None, rest=b"", outcome="unknown", status=None, **fields):
    """Command 2 with the items 1, 2 and 3, or with `items`; what `fields` name replaces what follows from 1, 2 and 3."""
    body, payload = token(number), words(number)
    usual = [item(1, body), item(2, payload), item(3, struct.pack(">I", number))]
    items = usual if items is None else items
    described = {
        "command": 2, "identifier": number, "token_length": 32, "token": body.hex(), **payload_fields(payload),
        "items": [one[0] for one in items], **fields,
    }  # fmt: skip
    return asked(frame_bytes(*items, rest=rest), flags, outcome, status, described)


# Error responses


def error(status, identifier, *flags, names=None, body=None):
    """An error response; `names` is the offset of the request that it names, `body` that one's token."""
    truth = {
        "type": "response", "status": status, "status_text": STATUS_TEXTS.get(status), "identifier": identifier,
        "request_offset": names, "token": body.hex() if body is not None else None, "flags": sorted(flags),
    }  # fmt: skip
    return Part(error_bytes(status, identifier), truth=(truth,), kind="record")


def join(parts):
    """The bytes of a direction, as a raw dump has them: a gap is tshark's mark."""
    return b"".join(part.data if part.missing is None else mark(part.missing) for part in parts)


def bytes_of(parts):
    """The bytes that a direction carried, gaps left out."""
    return b"".join(part.data for part in parts)


def position_of(parts, index):
    """Offset of part `index`, gaps counted in."""
    return sum(len(part.data) + (part.missing or 0) for part in parts[:index])
