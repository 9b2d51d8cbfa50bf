"""Feedback streams with damage of every kind that the decoding rules speak of, and of kinds that they do not.

Everything is drawn from the `random.Random` argument, so a seed names a stream.
"""

HEADER = 6
EARLIEST, LATEST = 1245196800, 1619740800  # the limits that hold where no option says otherwise
EDGE_TIMES = [0, 1, EARLIEST - 1, EARLIEST, LATEST, LATEST + 1, 2**31 - 1, 2**31, 2**32 - 1]
EDGE_LENGTHS = [0, 1, 31, 33, 54, 80, 99, 100, 101, 255, 256, 300, 8192, 65535]


def tuple_bytes(time, token, length=None):
    length = len(token) if length is None else length
    return time.to_bytes(4, "big") + length.to_bytes(2, "big") + token


def draw_token(draw, length):
    """Random, all zeros, or with a stretch of zeros about as long as the rules count (8)."""
    token = bytearray(draw.randbytes(length))
    kind = draw.random()
    if kind < 0.03:
        return bytes(length)
    if kind < 0.1 and length > 0:
        at = draw.randrange(length)
        zeros = draw.choice([7, 8, 9])
        token[at : at + zeros] = bytes(min(zeros, length - at))
    return bytes(token)


def draw_tuple(draw, lengths):
    time = draw.choice(EDGE_TIMES) if draw.random() < 0.05 else draw.randint(EARLIEST, LATEST)
    kind = draw.random()
    if kind < 0.85:
        return tuple_bytes(time, draw_token(draw, draw.choice(lengths)))
    if kind < 0.95:
        return tuple_bytes(time, draw_token(draw, draw.choice(EDGE_LENGTHS[:10] + [draw.randrange(130)])))
    return tuple_bytes(time, draw_token(draw, draw.choice(lengths)), length=draw.choice(EDGE_LENGTHS))


def lose(draw, data, at):
    return data[:at] + data[at + draw.choice([1, 1, 2, 6, 37, 38, 39, draw.randrange(1, 200)]) :]


def flip(draw, data, at):
    return data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]


def insert(draw, data, at):
    return data[:at] + draw.randbytes(draw.choice([1, 2, 5, 38, draw.randrange(1, 80)])) + data[at:]


def repeat(draw, data, at):
    size = draw.randrange(1, 60)
    return data[: at + size] + data[at:]


def zero(draw, data, at):
    size = min(draw.randrange(1, 120), len(data) - at)
    return data[:at] + bytes(size) + data[at + size :]


def cut_tail(draw, data, at):
    return data[:at]


def cut_front(draw, data, at):
    return data[at:]


def mark(number, nul=b""):
    return b"[%s bytes missing in capture file]" % str(number).encode() + nul


def draw_mark(draw, lost):
    """A mark of tshark's, with or without its NUL, and with any number that it could write."""
    numbers = [lost, lost, draw.randrange(10**6), 0, f"{lost:010}", f"{lost:03}", 2**32 - 1, 10**10 - 1]
    return mark(draw.choice(numbers), draw.choice([b"", b"\0", b"\0\0"]))


def draw_marks(draw, lost):
    """Up to three marks side by side."""
    return b"".join(draw_mark(draw, lost) for _ in range(draw.choice([1, 1, 1, 2, 3])))


def gap_mark(draw, data, at):
    """Gap marks for lost bytes."""
    lost = draw.randrange(150)
    return data[:at] + draw_marks(draw, lost) + data[at + lost :]


def leading_mark(draw, data, at):
    """Gap marks before the first byte, or after too few bytes to detect the protocol."""
    at = draw.choice([0, 0, 0, 1, 2, 3])
    return data[:at] + draw_marks(draw, draw.randrange(150)) + data[at:]


def trailing_mark(draw, data, at):
    return data + draw_marks(draw, draw.randrange(150))


def broken_mark(draw, data, at):
    """What only looks like a mark is bytes of the stream, also where a whole one begins inside it."""
    whole = mark(76)
    begun = whole[: draw.randrange(1, len(whole))]
    broken = [begun, begun + whole, whole.upper(), whole.replace(b"b", b"\0")]
    odd_numbers = [mark(number) for number in (f"{76:011}", 10**10, "", " 7", "-7", "+7", "7.0", "0x7", "7[7")]
    return data[:at] + draw.choice(broken + odd_numbers) + data[at:]


MARKS = [gap_mark, gap_mark, leading_mark, trailing_mark, broken_mark]
DAMAGES = [lose, lose, flip, insert, repeat, zero, cut_tail, cut_front, *MARKS]


def tuples(draw, lengths):
    return b"".join(draw_tuple(draw, lengths) for _ in range(draw.randrange(1, 30)))


def damaged(draw, lengths):
    data = tuples(draw, lengths)
    for _ in range(draw.choice([1, 1, 2, 3, 8])):
        if data:
            data = draw.choice(DAMAGES)(draw, data, draw.randrange(len(data)))
    return data


def tiny(draw, lengths):
    """0 to 12 bytes: of a tuple, of chance, or of the values that the tail rule compares."""
    size = draw.randrange(13)
    edges = draw.choice(EDGE_TIMES).to_bytes(4, "big") + draw.choice(EDGE_LENGTHS).to_bytes(2, "big") + bytes(6)
    return draw.choice([draw_tuple(draw, lengths) + bytes(12), draw.randbytes(12), edges])[:size]


def short_tail(draw, lengths):
    """Valid tuples, followed by 0 to 8 other bytes."""
    return tuples(draw, lengths) + tiny(draw, lengths)[: draw.randrange(9)]


def headers_only(draw, lengths):
    """Headers in a row: many plausible boundaries."""
    count = draw.randrange(1, 80)
    return b"".join(draw_tuple(draw, lengths)[: draw.choice([6, 6, 7, 12])] for _ in range(count))


def separated(draw, lengths):
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
    separator = separators[draw.choice(sorted(separators))]
    most = draw.choice([1, 1, 4])
    parts = []
    for number in range(draw.randrange(1, 25)):
        read = [draw_tuple(draw, lengths) for _ in range(draw.randint(1, most))]
        parts.append(separator(number, b"".join(read)))
    data = b"".join(parts)
    for _ in range(draw.choice([0, 0, 1, 2])):
        data = draw.choice(DAMAGES)(draw, data, draw.randrange(len(data))) if data else data
    return data


def ciphertext(draw, lengths):
    """Begins like TLS, or almost so."""
    start = bytes([draw.randrange(0x13, 0x19), draw.choice([3, 3, 3, 2]), draw.randrange(6)])
    return start + draw.randbytes(draw.randrange(400))


def marked_ciphertext(draw, lengths):
    """Ciphertext that a tool left marks in; plaintext may follow or precede a mark."""
    data = ciphertext(draw, lengths)
    for _ in range(draw.choice([1, 1, 2, 4])):
        data = draw.choice(MARKS)(draw, data, draw.randrange(len(data)))
    join = draw_mark(draw, draw.randrange(150))
    return draw.choice([data, data, data + join + tuples(draw, lengths), tuples(draw, lengths) + join + data])


def marks_only(draw, lengths):
    """Marks and next to nothing between them."""
    parts = [draw_mark(draw, draw.randrange(150)) + draw.randbytes(draw.choice([0, 0, 1, 2, 3, 40])) for _ in range(5)]
    return b"".join(parts[: draw.randrange(1, 6)])


def garbage(draw, lengths):
    return draw.randbytes(draw.randrange(1, 600))


SHAPES = {
    "sound": (tuples, 5),
    "damaged": (damaged, 55),
    "tiny": (tiny, 10),
    "tail": (short_tail, 8),
    "headers": (headers_only, 7),
    "separated": (separated, 20),
    "ciphertext": (ciphertext, 2),
    "marked-ciphertext": (marked_ciphertext, 6),
    "marks": (marks_only, 2),
    "garbage": (garbage, 5),
}


def draw_stream(draw, lengths):
    """A stream and the name of its shape. `lengths` are the token lengths that sound tuples have."""
    names, weights = list(SHAPES), [weight for _, weight in SHAPES.values()]
    name = draw.choices(names, weights)[0]
    return name, SHAPES[name][0](draw, lengths)
