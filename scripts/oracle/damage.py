"""Streams of feedback, of requests and of error responses, sound and with damage of every kind that the decoding rules speak of,
and of kinds that they do not.

Everything is drawn from the `random.Random` argument, so a seed names a stream. `lengths` are the token lengths that sound
records have, and `kind` is "feedback", "requests" or "responses".
"""

import json
import random

from apnsift_tool import CHECKS
from oracle.wire import (
    EARLIEST, EXPIRY, IDENTIFIER, LATEST, PAYLOAD, PRIORITY, STATUS_TEXTS, TOKEN, error_bytes, frame_bytes, item, mark, sized,
    swapped, tuple_bytes,
)  # fmt: skip

EDGE_TIMES = [0, 1, EARLIEST - 1, EARLIEST, LATEST, LATEST + 1, 2**31 - 1, 2**31, 2**32 - 1]
EDGE_LENGTHS = [0, 1, 31, 33, 54, 80, 99, 100, 101, 255, 256, 300, 8192, 65535]
EDGE_SIZES = [0, 1, 31, 33, 54, 100, 101, 255, 256, 257, 2048, 4096, 4097, 65535]
EDGE_FRAMES = [0, 1, 3, 65534, 65535, 65536, 2**24, 2**31, 2**32 - 1]
# Payloads that are hardly JSON, or hardly not; each byte is a character.
ODD_PAYLOADS = [text.encode("latin-1") for text in json.loads((CHECKS / "odd-payloads.json").read_text())]


def draw_token(draw, length):
    """Random, all zeros, or with a stretch of zeros about as long as the rules count (8)."""
    token, kind = draw.randbytes(length), draw.random()
    if kind < 0.03:
        return bytes(length)
    if kind < 0.1 and length > 0:
        at, zeros = draw.randrange(length), draw.choice([7, 8, 9])
        return token[:at] + bytes(min(zeros, length - at)) + token[at + zeros :]
    return token


def draw_tuple(draw, lengths):
    time = draw.choice(EDGE_TIMES) if draw.random() < 0.05 else draw.randint(EARLIEST, LATEST)
    kind = draw.random()
    if kind < 0.85:
        return tuple_bytes(time, draw_token(draw, draw.choice(lengths)))
    if kind < 0.95:
        return tuple_bytes(time, draw_token(draw, draw.choice(EDGE_LENGTHS[:10] + [draw.randrange(130)])))
    return tuple_bytes(time, draw_token(draw, draw.choice(lengths)), length=draw.choice(EDGE_LENGTHS))


def draw_object(draw, size=None):
    """A sound payload; `size` is in bytes, and 16 or more."""
    text = draw.choice(["hi", "Grüße", "\u2603 \U0001f600", "a\\b\"c", "x" * draw.randrange(60)])
    data = json.dumps({"aps": {"alert": text}}, ensure_ascii=draw.random() < 0.5).encode()
    return data if size is None else b'{"aps":"' + b"x" * (size - 10) + b'"}'


def draw_payload(draw):
    kind = draw.random()
    if kind < 0.7:
        return draw_object(draw)
    if kind < 0.8:
        return draw_object(draw, draw.choice([255, 256, 257, 2047, 2048, 2049, 4096]))
    if kind < 0.95:
        return draw.choice(ODD_PAYLOADS)
    # A whole request inside a payload: a index where decoding could resume.
    inner = frame(draw, draw.randbytes(32), draw_object(draw), 7)
    return draw.choice([b"%b", b"{%b}", b'{"a":"%b"}']) % inner


def draw_identifier(draw, known):
    """Mostly the next number; sometimes one that is there already, 0, or the same with its bytes in reverse."""
    kind = draw.random()
    if known and kind < 0.08:
        return draw.choice(known)
    if known and kind < 0.12:
        return swapped(draw.choice(known))
    return draw.choice([0, 0, 1 << 24, 0x01000001, 2**32 - 1, draw.getrandbits(32)]) if kind < 0.2 else len(known) + 1


def frame(draw, token, payload, identifier, odd=False):
    """A request of command 2, with its items in some order; some are missing, and with `odd` anything may be wrong."""
    expiry = draw.choice([0, 86400, 1400000000, 2**32 - 1])
    items = [
        item(TOKEN, token), item(PAYLOAD, payload), item(IDENTIFIER, identifier.to_bytes(4, "big")),
        item(EXPIRY, expiry.to_bytes(4, "big")), item(PRIORITY, bytes([draw.choice([10, 10, 5, 5, 0, 1, 255])])),
    ]  # fmt: skip
    items = [one for one in items if one[0] in (TOKEN, PAYLOAD) or draw.random() < 0.85]
    if draw.random() < 0.5:
        draw.shuffle(items)
    data = b"".join(odd_items(draw, items) if odd else items)
    length = draw.choice(EDGE_FRAMES + [len(data) - 1, len(data) + 1]) if odd and draw.random() < 0.2 else len(data)
    return frame_bytes(data, length=max(0, length))


def odd_items(draw, items):
    for _ in range(draw.choice([1, 1, 2, 3])):
        index, kind = draw.randrange(len(items) + 1), draw.randrange(6)
        if kind == 0 and items:
            items = items[: index - 1] + items[index:] if index else items[1:]
        elif kind == 1 and items:
            items.insert(index, draw.choice(items))
        elif kind == 2:
            items.insert(index, item(draw.choice([0, 6, 7, 255]), draw.randbytes(draw.choice([0, 1, 4, 40]))))
        elif kind == 3:
            items.insert(index, item(draw.randrange(1, 6), draw.randbytes(draw.choice([0, 1, 2, 3, 4, 5, 8]))))
        elif kind == 4:
            items.append(draw.choice([b"\1", b"\2\0", b"\3\0\4", item(4, b"ab", 4), item(9, b"", 65535), b"\0\0\0"]))
        else:
            items = items[: draw.randrange(3)]
    return items


def draw_request(draw, lengths, known):
    """A request; `known` collects the identifiers that were drawn."""
    lengths_here = [0, 1, 31, 33, 54, 100, 101, 300] if draw.random() < 0.06 else lengths
    token, payload = draw_token(draw, draw.choice(lengths_here)), draw_payload(draw)
    command = draw.choice([0, 1, 1, 2, 2, 2])
    if command == 0:
        return b"\0" + sized_oddly(draw, token) + sized_oddly(draw, payload)
    identifier = draw_identifier(draw, known)
    known.append(identifier)
    if draw.random() < 0.5:  # a device has one token, and providers used its row as the identifier
        token = random.Random(identifier).randbytes(lengths[0])
    if command == 1:
        head = identifier.to_bytes(4, "big") + draw.choice([0, 86400, 2**32 - 1]).to_bytes(4, "big")
        return b"\1" + head + sized_oddly(draw, token) + sized_oddly(draw, payload)
    return frame(draw, token, payload, identifier, odd=draw.random() < 0.15)


def sized_oddly(draw, data):
    """Now and then with a length that is not the data's."""
    return draw.choice(EDGE_SIZES).to_bytes(2, "big") + data if draw.random() < 0.01 else sized(data)


def draw_response(draw, known):
    """A response, mostly to one of the requests with the identifiers `known`."""
    status = draw.choice(list(STATUS_TEXTS)) if draw.random() < 0.9 else draw.randrange(256)
    kind, identifier = draw.random(), draw.choice(known) if known else draw.randrange(4)
    if kind < 0.15:
        identifier = swapped(identifier)
    elif kind < 0.3:
        identifier = draw.choice([0, 0, 1, 7, draw.getrandbits(32)])
    return error_bytes(status, identifier)


# How a record is drawn, and how many of them.
WHOLE = {
    "feedback": (lambda draw, lengths, _: draw_tuple(draw, lengths), range(1, 30)),
    "requests": (draw_request, [1, 2, 5, 10, 25]),
    "responses": (lambda draw, _, known: draw_response(draw, known), [1, 1, 2, 5, 30]),
}


def sound(draw, lengths, kind, known=None):
    """`known` collects the identifiers of requests."""
    (record, counts), known = WHOLE[kind], [] if known is None else known
    return b"".join(record(draw, lengths, known) for _ in range(draw.choice(counts)))


# Marks of tshark in a stream, at a position in it


def draw_mark(draw, lost):
    """A mark with or without its NUL, and with any number that tshark could write."""
    numbers = [lost, lost, draw.randrange(10**6), 0, f"{lost:010}", f"{lost:03}", 2**32 - 1, 10**10 - 1]
    return mark(draw.choice(numbers), draw.choice([b"", b"\0", b"\0\0"]))


def marks(draw, lost=None):
    """Up to three marks side by side."""
    lost = draw.randrange(150) if lost is None else lost
    return b"".join(draw_mark(draw, lost) for _ in range(draw.choice([1, 1, 1, 2, 3])))


def gap_mark(draw, data, at):
    lost = draw.randrange(150)
    return data[:at] + marks(draw, lost) + data[at + lost :]


def leading_mark(draw, data, _):
    """Before the first byte, or after too few bytes to detect the protocol."""
    at = draw.choice([0, 0, 0, 1, 2, 3])
    return data[:at] + marks(draw) + data[at:]


def broken_mark(draw, data, at):
    """What only looks like a mark is bytes of the stream, also where a whole one begins inside it."""
    whole = mark(76, b"")
    begun = whole[: draw.randrange(1, len(whole))]
    broken = [begun, begun + whole, whole.upper(), whole.replace(b"b", b"\0")]
    odd_numbers = [mark(number, b"") for number in (f"{76:011}", 10**10, "", " 7", "-7", "+7", "7.0", "0x7", "7[7")]
    return data[:at] + draw.choice(broken + odd_numbers) + data[at:]


# Damage of a stream, at a position in it: what is there twice is twice as likely.
MARKS = [gap_mark, gap_mark, leading_mark, lambda draw, data, at: data + marks(draw), broken_mark]


def swap_blocks(draw, data, _):
    first, last = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
    return data[:first] + data[last:] + data[first:last]


def zero_block(draw, data, at):
    size = draw.choice([1, 3, 4, 5, 8, 64, 500])
    return data[:at] + bytes(size) + data[at + draw.choice([0, size]) :]


DAMAGES = [
    *[lambda draw, data, at: data[:at] + data[at + draw.choice([1, 1, 2, 6, 37, 38, 39, draw.randrange(1, 200)]) :]] * 2,
    lambda draw, data, at: data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :],
    lambda draw, data, at: data[:at] + draw.randbytes(draw.choice([1, 2, 5, 38, draw.randrange(1, 80)])) + data[at:],
    lambda draw, data, at: data[: at + draw.randrange(1, 60)] + data[at:],
    lambda draw, data, at: data[:at] + bytes(size := min(draw.randrange(1, 120), len(data) - at)) + data[at + size :],
    lambda draw, data, at: data[:at],
    lambda draw, data, at: data[at:],
    *MARKS,
]  # fmt: skip
GATEWAY_DAMAGES = [
    *DAMAGES, swap_blocks, gap_mark, zero_block, zero_block,
    # A command where none should be, and the head of a record of TLS.
    *[lambda draw, data, at: data[:at] + bytes([draw.choice([0, 1, 2, 8])]) + data[at + draw.choice([0, 1]) :]] * 2,
    lambda draw, data, at: bytes([draw.randrange(0x14, 0x18), 3, draw.randrange(6)]) + data[at:],
]  # fmt: skip


def damage(draw, data, times, damages):
    for _ in range(times):
        data = data and draw.choice(damages)(draw, data, draw.randrange(len(data)))
    return data


def damaged(draw, lengths, kind):
    damages = DAMAGES if kind == "feedback" else GATEWAY_DAMAGES
    return damage(draw, sound(draw, lengths, kind), draw.choice([1, 1, 2, 3, 8]), damages)


def low_bytes(draw):
    """Bytes of which nearly all can begin something."""
    return bytes(draw.choice([0, 0, 0, 1, 2, 8, 32, ord("{"), ord("}")]) for _ in range(draw.randrange(1, 300)))


def tiny(draw, lengths, kind):
    """0 to 14 bytes: of a record, of chance, or of the values that the rule about tails compares."""
    size = draw.randrange(15)
    edges = draw.choice(EDGE_TIMES).to_bytes(4, "big") + draw.choice(EDGE_LENGTHS).to_bytes(2, "big") + bytes(8)
    others = [edges] if kind == "feedback" else [low_bytes(draw), bytes(14)]
    return draw.choice([sound(draw, lengths, kind), draw.randbytes(14), *others])[:size]


def tail(draw, lengths, kind):
    """Sound records, followed by 0 to 8 other bytes."""
    return sound(draw, lengths, kind) + tiny(draw, lengths, kind)[: draw.randrange(9)]


def cut(draw, lengths, kind):
    """The last record is not all there."""
    data = sound(draw, lengths, kind)
    return data[: len(data) - draw.randrange(1, min(60, len(data)))]


def heads(draw, lengths, kind):
    """Beginnings of records in a row: many plausible boundaries."""
    if kind == "feedback":
        return b"".join(draw_tuple(draw, lengths)[: draw.choice([6, 6, 7, 12])] for _ in range(draw.randrange(1, 80)))
    return b"".join(sound(draw, lengths, kind)[: draw.choice([1, 2, 5, 13, 40])] for _ in range(draw.randrange(1, 30)))


def separated(draw, lengths, kind):
    """Reads of one or more tuples as a program saved them, with something before or after each, and at times damage."""
    size = draw.choice([40, 64, 256, 512])
    separators = {
        "line": lambda number, read: read + b"\n",
        "lines": lambda number, read: read + b"\r\n",
        "joined": lambda number, read: (b"\n" if number else b"") + read,
        "filled": lambda number, read: read + bytes(-len(read) % size),
        "long": lambda number, read: len(read).to_bytes(4, "big") + read,
        "short": lambda number, read: len(read).to_bytes(2, "little") + read,
        "named": lambda number, read: b"read %d: " % (number + 3) + read,
        "counted": lambda number, read: b"%d bytes\r\n" % len(read) + read + b"\r\n",
        "noise": lambda number, read: read + draw.randbytes(draw.choice([1, 2, 4])),
    }
    separator, most, data = separators[draw.choice(sorted(separators))], draw.choice([1, 1, 4]), b""
    for number in range(draw.randrange(1, 25)):
        data += separator(number, b"".join(draw_tuple(draw, lengths) for _ in range(draw.randint(1, most))))
    return damage(draw, data, draw.choice([0, 0, 1, 2]), DAMAGES)


def ciphertext(draw, lengths, kind):
    """Begins like TLS, or almost so."""
    start = bytes([draw.randrange(0x13, 0x19), draw.choice([3, 3, 3, 2]), draw.randrange(6)])
    return start + draw.randbytes(draw.randrange(400))


def marked_ciphertext(draw, lengths, kind):
    """Ciphertext that a tool left marks in; plaintext may follow or precede a mark."""
    data = ciphertext(draw, lengths, kind)
    data = damage(draw, data, draw.choice([1, 1, 2, 4]), MARKS)
    join = draw_mark(draw, draw.randrange(150))
    return draw.choice([data, data, data + join + sound(draw, lengths, kind), sound(draw, lengths, kind) + join + data])


def marks_only(draw, lengths, kind):
    """Marks and next to nothing between them."""
    parts = [draw_mark(draw, draw.randrange(150)) + draw.randbytes(draw.choice([0, 0, 1, 2, 3, 40])) for _ in range(5)]
    return b"".join(parts[: draw.randrange(1, 6)])


def garbage(draw, lengths, kind):
    noise = draw.randbytes(draw.randrange(1, 600))
    return noise if kind == "feedback" else draw.choice([noise, low_bytes(draw), bytes(draw.randrange(1, 300))])


def long_frame(draw, lengths, kind):
    """A frame of about the maximum length, actual or declared, with records in and after it."""
    inside = sound(draw, lengths, kind) + draw.randbytes(draw.choice([0, 3000, 66000]))
    head = b"\2" + draw.choice([len(inside), 65534, 65535, 65536]).to_bytes(4, "big")
    return head + inside + sound(draw, lengths, kind)


def other_kind(draw, lengths, kind):
    """The other direction's bytes, or marks and ciphertext."""
    other = "requests" if kind == "responses" else "responses"
    return draw.choice([sound(draw, lengths, other), *(shape(draw, lengths, kind) for shape in (ciphertext, marked_ciphertext, marks_only))])


# The weight of each shape in streams of feedback, and in those of a gateway.
SHAPES = {
    sound: (5, 10), damaged: (55, 50), tiny: (10, 10), tail: (8, 0), cut: (0, 8), heads: (7, 8), separated: (20, 0),
    ciphertext: (2, 0), marked_ciphertext: (6, 0), marks_only: (2, 0), garbage: (5, 8), long_frame: (0, 1), other_kind: (0, 5),
}  # fmt: skip


def draw_stream(draw, lengths, kind):
    """A dump of one direction, and the name of its shape."""
    shape = draw.choices(list(SHAPES), [weight[kind != "feedback"] for weight in SHAPES.values()])[0]
    return shape.__name__, shape(draw, lengths, kind)


def draw_conversation(draw, lengths, most_responses=5):
    """The bytes of requests, and the responses, each with its bytes; both may be damaged."""
    data = sound(draw, lengths, "requests", known := [])
    count = min(most_responses, draw.choice([0, 1, 1, 1, 1, 2, 5]))
    answers = [draw_response(draw, known) for _ in range(count)]
    if draw.random() < 0.4:
        data = damage(draw, data, draw.choice([1, 2, 4]), GATEWAY_DAMAGES)
    if most_responses > 1 and answers and draw.random() < 0.15:
        at = draw.randrange(count)
        answers[at] = damage(draw, answers[at], 1, GATEWAY_DAMAGES)
    return data, answers
