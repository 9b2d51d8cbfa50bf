"""Requests and error responses of gateway connections, sound and with damage of every kind that the rules speak of.

Everything is drawn from the `random.Random` argument, so a seed names a stream. Damage that is not of the
protocol comes from damaged_streams.py.
"""

import json
import random

from damaged_streams import DAMAGES, ciphertext, draw_token, gap_mark, marked_ciphertext, marks_only

STATUSES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255]
TOKEN, PAYLOAD, IDENTIFIER, EXPIRY, PRIORITY = 1, 2, 3, 4, 5  # items of command 2
EDGE_SIZES = [0, 1, 31, 33, 54, 100, 101, 255, 256, 257, 2048, 4096, 4097, 65535]
EDGE_FRAMES = [0, 1, 3, 65534, 65535, 65536, 2**24, 2**31, 2**32 - 1]
ODD_PAYLOADS = [
    b"", b"{", b"}", b"{}", b" {} ", b"{} {}", b"[1,2,]", b'{"a":1,}', b'{"a" 1}', b"[]", b"null", b"nul", b"-1.5e+3",
    b"01", b"+1", b"1.", b".5", b"NaN", b"[Infinity]", b"-Infinity", b"\xef\xbb\xbf{}", b'{"a":"\xff"}', b'"\xc0\x80"',
    b'"\xed\xa0\x80"', b'{"a":"\\ud800"}', b'"\\ud83d\\ude00"', b'"\\u12g4"', b'"\\x41"', b'"\t"', b'"\x7f"',
    b'"\x00"', b"{\x00}", b"{}\x00", b"\x0c{}", b'{"a":"\xf0\x9f\x98\x80"}', b'"\xf4\x90\x80\x80"', b'"open',
    b'"\xe2\x80\xa8\xc2\x85"', b"\xe2\x80\xa8{}", b"[" * 200 + b"]" * 200, b"[" * 200 + b"]" * 199, b"1e5", b"1e", b"-",
    b"-0", b'{"a":{"b":[{}]}}', b"{1:2}", b"{'a':1}", b'{"a":1}}', b"[1 2]", b"\r\n\t [true,false]\n", b" ", b"tru",
    b'{"a":1,"a":2}', b"[,1]", b"{,}", b'{"a":}', b'{"a":1 "b":2}', b"(]", b"[}", b"{]",
]  # fmt: skip


def sized(data, size=2):
    return len(data).to_bytes(size, "big") + data


def item(number, data, length=None):
    return bytes([number]) + (len(data) if length is None else length).to_bytes(2, "big") + data


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


def draw_token_of(draw, lengths):
    odd = draw.random() < 0.06
    return draw_token(draw, draw.choice([0, 1, 31, 33, 54, 100, 101, 300] if odd else lengths))


def draw_identifier(draw, known):
    """Mostly the next number; sometimes one that is there already, 0, or the same with its bytes in reverse."""
    kind = draw.random()
    if known and kind < 0.08:
        return draw.choice(known)
    if known and kind < 0.12:
        return swapped(draw.choice(known))
    return draw.choice([0, 0, 1 << 24, 0x01000001, 2**32 - 1, draw.getrandbits(32)]) if kind < 0.2 else len(known) + 1


def swapped(identifier):
    return int.from_bytes(identifier.to_bytes(4, "big"), "little")


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
    return b"\2" + max(0, length).to_bytes(4, "big") + data


def odd_items(draw, items):
    for _ in range(draw.choice([1, 1, 2, 3])):
        index = draw.randrange(len(items) + 1)
        kind = draw.randrange(6)
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
    token, payload = draw_token_of(draw, lengths), draw_payload(draw)
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
    status = draw.choice(STATUSES) if draw.random() < 0.9 else draw.randrange(256)
    kind = draw.random()
    identifier = draw.choice(known) if known else draw.randrange(4)
    if kind < 0.15:
        identifier = swapped(identifier)
    elif kind < 0.3:
        identifier = draw.choice([0, 0, 1, 7, draw.getrandbits(32)])
    return bytes([8, status]) + identifier.to_bytes(4, "big")


def requests(draw, lengths, known):
    return b"".join(draw_request(draw, lengths, known) for _ in range(draw.choice([1, 2, 5, 10, 25])))


def responses(draw, lengths, known):
    return b"".join(draw_response(draw, known) for _ in range(draw.choice([1, 1, 2, 5, 30])))


def swap_blocks(draw, data, at):
    first, last = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
    return data[:first] + data[last:] + data[first:last]


def zero_block(draw, data, at):
    size = draw.choice([1, 3, 4, 5, 8, 64, 500])
    return data[:at] + bytes(size) + data[at + draw.choice([0, size]) :]


def tls_head(draw, data, at):
    return bytes([draw.randrange(0x14, 0x18), 3, draw.randrange(6)]) + data[at:]


def low_byte(draw, data, at):
    """A command where none should be."""
    return data[:at] + bytes([draw.choice([0, 1, 2, 8])]) + data[at + draw.choice([0, 1]) :]


DAMAGES_HERE = [*DAMAGES, swap_blocks, zero_block, zero_block, low_byte, low_byte, gap_mark, tls_head]


def damage(draw, data, times):
    for _ in range(times):
        if data:
            data = draw.choice(DAMAGES_HERE)(draw, data, draw.randrange(len(data)))
    return data


def low_bytes(draw):
    """Bytes of which nearly all can begin something."""
    return bytes(draw.choice([0, 0, 0, 1, 2, 8, 32, ord("{"), ord("}")]) for _ in range(draw.randrange(1, 300)))


def whole_of(kind):
    return requests if kind == "requests" else responses


def damaged(draw, lengths, kind):
    return damage(draw, whole_of(kind)(draw, lengths, []), draw.choice([1, 1, 2, 3, 8]))


def sound(draw, lengths, kind):
    return whole_of(kind)(draw, lengths, [])


def tiny(draw, lengths, kind):
    """0 to 14 bytes of something."""
    size = draw.randrange(15)
    return draw.choice([whole_of(kind)(draw, lengths, []), draw.randbytes(14), low_bytes(draw), bytes(14)])[:size]


def cut(draw, lengths, kind):
    """The last record is not all there."""
    data = whole_of(kind)(draw, lengths, [])
    return data[: len(data) - draw.randrange(1, min(60, len(data)))]


def heads(draw, lengths, kind):
    """Beginnings of records in a row: many plausible boundaries."""
    chunks = [whole_of(kind)(draw, lengths, [])[: draw.choice([1, 2, 5, 13, 40])] for _ in range(draw.randrange(1, 30))]
    return b"".join(chunks)


def garbage(draw, lengths, kind):
    return draw.choice([draw.randbytes(draw.randrange(1, 600)), low_bytes(draw), bytes(draw.randrange(1, 300))])


def long_frame(draw, lengths, kind):
    """A frame of about the maximum length, actual or declared, with records in and after it."""
    inside = whole_of(kind)(draw, lengths, []) + draw.randbytes(draw.choice([0, 3000, 66000]))
    head = b"\2" + draw.choice([len(inside), 65534, 65535, 65536]).to_bytes(4, "big")
    return head + inside + whole_of(kind)(draw, lengths, [])


def other_kind(draw, lengths, kind):
    """The other direction's bytes, or marks and ciphertext."""
    other = sound(draw, lengths, "requests" if kind == "responses" else "responses")
    return draw.choice([other, ciphertext(draw, lengths), marked_ciphertext(draw, lengths), marks_only(draw, lengths)])


SHAPES = {
    "sound": (sound, 10),
    "damaged": (damaged, 50),
    "tiny": (tiny, 10),
    "cut": (cut, 8),
    "heads": (heads, 8),
    "garbage": (garbage, 8),
    "long": (long_frame, 1),
    "other": (other_kind, 5),
}


def draw_stream(draw, lengths, kind):
    """A lone direction and the name of its shape; `kind` is "requests" or "responses"."""
    names, weights = list(SHAPES), [weight for _, weight in SHAPES.values()]
    name = draw.choices(names, weights)[0]
    return name, SHAPES[name][0](draw, lengths, kind)


def draw_conversation(draw, lengths, most_responses=5):
    """The bytes of requests, and the responses, each with its bytes; both may be damaged."""
    known = []
    data = requests(draw, lengths, known)
    count = min(most_responses, draw.choice([0, 1, 1, 1, 1, 2, 5]))
    answers = [draw_response(draw, known) for _ in range(count)]
    if draw.random() < 0.4:
        data = damage(draw, data, draw.choice([1, 2, 4]))
    if most_responses > 1 and answers and draw.random() < 0.15:
        at = draw.randrange(count)
        answers[at] = damage(draw, answers[at], 1)
    return data, answers
