"""Feedback tuples, requests and error responses as bytes, gap marks, and the inside of one whole request.

Positions are byte offsets from 0 in `data`; a request is data[at:end]. Numbers are big-endian.
"""

import json
import struct
from datetime import datetime, timezone

EARLIEST, LATEST = 1245196800, 1619740800  # plausible times, both ends included: 2009-06-17T00:00:00Z, 2021-04-30T00:00:00Z
HEADER = 6  # of a tuple: time, 4 bytes, and token length, 2 bytes
SIMPLE, ENHANCED, FRAME = 0, 1, 2  # commands
TOKEN_LENGTH_AT = {SIMPLE: 1, ENHANCED: 9}  # bytes from the command to the token length
FRAME_HEADER = 5  # command and length
TOKEN, PAYLOAD, IDENTIFIER, EXPIRY, PRIORITY = 1, 2, 3, 4, 5  # items of command 2
KNOWN = {TOKEN, PAYLOAD, IDENTIFIER, EXPIRY, PRIORITY}
FIXED_SIZES = {IDENTIFIER: 4, EXPIRY: 4, PRIORITY: 1}
LARGEST_PAYLOAD = {SIMPLE: 256, ENHANCED: 256, FRAME: 2048}
USUAL_PRIORITIES = {5, 10}
RESPONSE, RESPONSE_LENGTH = 8, 6
STATUS_TEXTS = {
    0: "no errors encountered", 1: "processing error", 2: "missing device token", 3: "missing topic",
    4: "missing payload", 5: "invalid token size", 6: "invalid topic size", 7: "invalid payload size",
    8: "invalid token", 10: "shutdown", 128: "protocol error (APNs could not parse the notification)",
    255: "none (unknown)",
}  # fmt: skip


def utc(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def tuple_bytes(time, token, length=None):
    """A tuple as it is sent; `length` is the value of the length field."""
    return struct.pack(">IH", time, len(token) if length is None else length) + token


def tuples_bytes(pairs):
    return b"".join(tuple_bytes(time, token) for time, token in pairs)


def sized(data, size=2):
    return len(data).to_bytes(size, "big") + data


def item(number, data, length=None):
    return struct.pack(">BH", number, len(data) if length is None else length) + data


def frame_bytes(*items, length=None):
    data = b"".join(items)
    return struct.pack(">BI", FRAME, len(data) if length is None else length) + data


def error_bytes(status, identifier, order=">"):
    return struct.pack(f"{order}BBI", RESPONSE, status, identifier)


def mark(length, nul=b"\0"):
    """The text that tshark writes for missing bytes."""
    return b"[%s bytes missing in capture file]" % str(length).encode() + nul


def with_marks(data, holes):
    """The data with a mark for each of the (offset, length) in it, which are in order."""
    for offset, length in reversed(holes):
        data = data[:offset] + mark(length) + data[offset + length :]
    return bytes(data)


def swapped(identifier):
    return int.from_bytes(identifier.to_bytes(4, "big"), "little")


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def is_json(data):
    """Whether bytes are one JSON value by the letter of RFC 8259: UTF-8 without a byte order mark; numbers may be of any size.

    Values nested more than some hundred times are beyond it. No check draws such: the fuzzers of Fuzz/ and Tests/JSONTests do.
    """
    try:
        json.loads(data.decode("utf-8"), parse_constant=refuse, parse_int=str, parse_float=str)
        return True
    except (ValueError, RecursionError):
        return False


def number(data, at, size):
    return int.from_bytes(data[at : at + size], "big")


def items(data, at, end):
    """(id, from, to) of the items in [at, end) that are whole; one that is cut off ends the list."""
    while at + 3 <= end and at + 3 + number(data, at + 1, 2) <= end:
        after = at + 3 + number(data, at + 1, 2)
        yield data[at], at + 3, after
        at = after


def has_right_size(item, begin, to):
    return item not in FIXED_SIZES or to - begin == FIXED_SIZES[item]


def sound_parts(data, at, end):
    """Item: (from, to) of a frame in which nothing is wrong, else None. Looks at six items at most."""
    if data[at] != FRAME:
        return fixed_parts(data, at)
    found, offset = {}, at + FRAME_HEADER
    for item, begin, to in items(data, offset, end):
        if item not in KNOWN or item in found or not has_right_size(item, begin, to):
            return None
        found[item] = (begin, to)
        offset = to
    return found if offset == end and TOKEN in found and PAYLOAD in found else None


def fixed_parts(data, at):
    """Where things are in commands 0 and 1, under the numbers that items have."""
    token = at + TOKEN_LENGTH_AT[data[at]] + 2
    token_end = token + number(data, token - 2, 2)
    payload = token_end + 2
    parts = {TOKEN: (token, token_end), PAYLOAD: (payload, payload + number(data, token_end, 2))}
    if data[at] == ENHANCED:
        parts |= {IDENTIFIER: (at + 1, at + 5), EXPIRY: (at + 5, at + 9)}
    return parts


def parts_of(data, at, end):
    """Of repeated items the first counts, and one of the wrong size is as good as missing."""
    if data[at] != FRAME:
        return fixed_parts(data, at)
    parts = {}
    for item, begin, to in items(data, at + FRAME_HEADER, end):
        parts.setdefault(item, (begin, to))
    return {item: offset for item, offset in parts.items() if has_right_size(item, *offset)}


def request(data, at, end, allowed):
    """The keys of a request that its bytes alone give, with the flags of its content."""
    command = data[at]
    found = list(items(data, at + FRAME_HEADER, end)) if command == FRAME else None
    parts = {item: bytes(data[begin:to]) for item, (begin, to) in parts_of(data, at, end).items()}
    numbers = {item: int.from_bytes(parts[item], "big") if item in parts else None for item in FIXED_SIZES}
    token, payload = parts.get(TOKEN), parts.get(PAYLOAD)
    flags = flags_of_parts(token, payload, numbers[PRIORITY], command, allowed)
    return {
        "length": end - at, "command": command, "identifier": numbers[IDENTIFIER], "expiry": numbers[EXPIRY],
        "priority": numbers[PRIORITY], "token_length": None if token is None else len(token),
        "token": None if token is None else token.hex(), **payload_keys(payload),
        "items": None if found is None else [item for item, _, _ in found],
        "flags": flags if found is None else flags | flags_of_items(found, at + FRAME_HEADER, end),
    }  # fmt: skip


def payload_keys(payload):
    """The text, or hex where it is no UTF-8."""
    keys = {"payload_length": None, "payload": None, "payload_hex": None}
    if payload is not None:
        keys["payload_length"] = len(payload)
        try:
            keys["payload"] = payload.decode("utf-8")
        except UnicodeDecodeError:
            keys["payload_hex"] = payload.hex()
    return keys


def flags_of_items(found, at, end):
    ids = [item for item, _, _ in found]
    fills = (found[-1][2] if found else at) == end
    sizes = all(has_right_size(*item) for item in found)
    is_sound = fills and sizes and ids.count(TOKEN) == ids.count(PAYLOAD) == 1
    flags = set() if is_sound else {"malformed-items"}
    return flags if KNOWN.issuperset(ids) else flags | {"unknown-item"}


def flags_of_parts(token, payload, priority, command, allowed):
    """Parts and numbers are None where they are not there."""
    is_odd = token is not None and len(token) not in allowed
    flags = {
        "unexpected-token-length": is_odd and token, "zero-length-token": is_odd and not token,
        "zero-filled-token": token is not None and bytes(8) in token,
        "payload-not-json": payload is not None and not is_json(payload),
        "payload-too-large": payload is not None and len(payload) > LARGEST_PAYLOAD[command],
        "unusual-priority": priority not in (None, *USUAL_PRIORITIES),
    }  # fmt: skip
    return {flag for flag, is_there in flags.items() if is_there}
