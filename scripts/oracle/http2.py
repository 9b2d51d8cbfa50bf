"""Captures of HTTP/2 over TCP or TLS: the location of each byte of a direction, and of each frame without TLS.

(client port, side) is the key of a direction. tcp.py reads packets, and tls_records.py the headers of TLS records.
"""

import bisect
import struct
from collections import namedtuple
from itertools import product

from oracle import tls_records
from oracle.packets import FIN, RST, SYN
from oracle.tcp import Direction, read
from oracle.tls_records import RECORD_HEADER

PORT = 2197  # of the service
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
JAVA_PADDING = 16  # bytes
DATA, HEADERS = 0, 1
SIDES = "client", "server"


def key_of(packet):
    return packet.client_port, SIDES[packet.is_server]


class Layout:
    """A capture as directions."""

    def __init__(self, content):
        self.capture = read(content, PORT)
        keys = product(self.capture.ports, SIDES)
        self.directions = {(port, side): Direction(self.capture, port, side == "server") for port, side in keys}

    def has_bytes(self, index, begin, end):
        return index in self.directions[key_of(self.capture.packets[index])].indexes(begin, end)

    def is_disturbing(self, index):
        """Whether the loss of a packet matters: it has data, or begins or ends a direction."""
        packet = self.capture.packets[index]
        return bool(packet.payload or packet.flags & (FIN | SYN | RST))


class Kept:
    """Some packets of a layout, and the locations of bytes in a file with only these packets."""

    def __init__(self, layout, indexes):
        self.layout = layout
        self.capture = layout.capture.keeping(indexes)
        self.directions = {}

    def packet(self, number):
        return self.capture.packets[number - 1] if 1 <= number <= len(self.capture.packets) else None

    def direction(self, key):
        if key not in self.directions:
            self.directions[key] = Direction(self.capture, key[0], key[1] == "server", self.layout.directions[key].base)
        return self.directions[key]


Frame = namedtuple("Frame", "offset length kind stream")  # the length with its header


def walk(data, side):
    """The frames of a direction, after the preface or the HTTP/1.1 messages of an upgrade."""
    offset = 0
    if side == "client" and PREFACE in data:
        offset = data.index(PREFACE) + len(PREFACE)
    elif data.startswith(b"HTTP/1.1"):
        offset = data.index(b"\r\n\r\n") + 4
    while offset + 9 <= len(data):
        length = int.from_bytes(data[offset : offset + 3], "big")
        kind, _, stream = struct.unpack_from(">BBI", data, offset + 3)
        yield Frame(offset, 9 + length, kind, stream & 0x7FFFFFFF)
        offset += 9 + length


class Clear:
    """Positions in the plaintext of a capture without TLS: the offsets of TCP."""

    def __init__(self, layout):
        self.layout = layout
        self.frames = {}  # (client port, side, stream): frames
        for key, direction in layout.directions.items():
            for frame in walk(direction.content, key[1]):
                self.frames.setdefault((*key, frame.stream), []).append(frame)

    def frames_of(self, side, exchange):
        return self.frames.get((exchange.key[0], side, exchange.key[1]), [])

    def locate(self, kept, key, offset):
        """(number of the packet, offset in the file, time) of a byte; None where it was lost."""
        return kept.direction(key).locate(offset)

    def touched(self, index, exchange):
        """Whether a packet has bytes of an exchange."""
        key = key_of(self.layout.capture.packets[index])
        frames = self.frames_of(key[1], exchange) if key[0] == exchange.key[0] else []
        return any(self.layout.has_bytes(index, frame.offset, frame.offset + frame.length) for frame in frames)

    def starts(self, side, exchange):
        return {frame.offset for frame in self.frames_of(side, exchange)}

    def faults(self, exchanges):
        """Offsets of the truth at which no such frame begins."""
        named = ("request_offset", "client", HEADERS), ("response_offset", "server", HEADERS), ("body_offset", "server", DATA)
        for exchange, (name, side, kind) in product(exchanges.values(), named):
            offset = exchange.item[name]
            if offset is not None and (offset, kind) not in {(one.offset, one.kind) for one in self.frames_of(side, exchange)}:
                yield f"truth: {name} {offset} of {exchange.key} is no such frame of the capture"

    def is_ready(self, index):
        return True


class Sealed:
    """Positions in the plaintext of TLS, computed from record lengths: for suites without hidden padding."""

    def __init__(self, layout, exchanges):
        self.layout, self.maps, self.records = layout, {}, {}
        totals = {exchange.key[0]: exchange.item for exchange in exchanges.values()}
        for key, direction in layout.directions.items():
            suite = tls_records.suite_of(layout.directions[key[0], "server"].content)
            self.records[key] = list(tls_records.records(direction.content))
            total = totals[key[0]][f"{key[1]}_bytes"] if key[0] in totals else 0
            # Java's client pads each TLS 1.3 record with 16 zeros.
            found = [tls_records.mapped(self.records[key], suite, total, padding) for padding in (0, JAVA_PADDING)]
            self.maps[key] = [(record, tls_records.OVERHEAD[suite][0], *more) for record, *more in found[0] or found[1] or []]

    def locate(self, kept, key, offset):
        spans = self.maps.get(key, [])
        if not (after := bisect.bisect_right(spans, offset, key=lambda span: span[2])):
            return None
        record, before, begin, _ = spans[after - 1]
        return kept.direction(key).locate(record.offset + RECORD_HEADER + before + offset - begin)

    def touched(self, index, exchange):
        """Whether a packet has bytes of a TLS record with a frame of the exchange."""
        key = key_of(self.layout.capture.packets[index])
        if key[0] != exchange.key[0]:
            return False
        touched = [span for span in self.maps[key] if self.layout.has_bytes(index, span[0].offset, span[0].end)]
        # A body may be in a later record than its headers: assume 400 bytes more.
        starts = self.starts(key[1], exchange)
        return any(begin - 400 <= offset < begin + length for _, _, begin, length in touched for offset in starts)

    def starts(self, side, exchange):
        names = ["request_offset"] if side == "client" else ["response_offset", "body_offset"]
        return {exchange.item[name] for name in names if exchange.item[name] is not None}

    def faults(self, exchanges):
        yield from (f"truth: the records of {key} do not add up to what was sent" for key, found in self.maps.items() if not found)

    def is_ready(self, index):
        """Whether a packet has no handshake bytes, without which little can be decrypted."""
        key = key_of(self.layout.capture.packets[index])
        data = {record.offset for record, *_ in self.maps.get(key, [])}
        others = [record for record in self.records.get(key, []) if record.offset not in data]
        return not any(self.layout.has_bytes(index, record.offset, record.end) for record in others)
