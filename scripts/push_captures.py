"""Captures of HTTP/2 over TCP or TLS: the location of each byte of a direction, and of each frame without TLS.

tls_captures.py parses packets, TCP and TLS records. This module parses frames.
"""

import bisect
import struct
from dataclasses import dataclass

import tls_suites
from tls_captures import HEADER, PACKET, RECORD_HEADER, Capture, Direction, Record

PORT = 2197  # of the service
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SYN, FIN_SYN_RST = 2, 7
JAVA_PADDING = 16  # bytes
DATA, HEADERS = 0, 1
SIDES = "client", "server"


@dataclass
class Span:
    """The payload of a packet, as offsets in its direction."""

    begin: int
    end: int
    index: int  # of the packet


def tcp_flags(packet):
    """The TCP flags of an IPv4 packet in an Ethernet frame."""
    return packet.data[14 + (packet.data[14] & 15) * 4 + 13]


class Layout:
    """A capture as directions: (client port, side) is the key of each."""

    def __init__(self, content):
        self.capture = Capture(content, PORT)
        self.spans, self.bases, self.syns = {}, {}, {}
        packets = self.capture.packets
        for index, packet in enumerate(packets):
            key = packet.client_port, SIDES[packet.is_server]
            if tcp_flags(packet) & SYN:
                self.bases[key], self.syns[key] = packet.sequence + 1, index
            if packet.payload:
                base = self.bases.setdefault(key, packet.sequence)
                begin = (packet.sequence - base + 0x80000000) % 0x100000000 - 0x80000000
                self.spans.setdefault(key, []).append(Span(begin, begin + len(packet.payload), index))
        self.sizes = [PACKET + len(packet.data) for packet in packets]
        self.ports = list(dict.fromkeys(packet.client_port for packet in packets))

    def bytes_of(self, key):
        """The captured bytes of a direction; zeros in gaps."""
        spans = self.spans.get(key, [])
        data = bytearray(max((span.end for span in spans), default=0))
        for span in reversed(spans):
            data[span.begin : span.end] = self.capture.packets[span.index].payload
        return bytes(data)

    def begin_of(self, key, kept):
        """The offset at which a stream of the kept packets begins: after the SYN, else at the first byte."""
        if self.syns.get(key) in kept:
            return 0
        return next((span.begin for span in self.spans.get(key, []) if span.index in kept), 0)

    def is_disturbing(self, index):
        """Whether the loss of a packet matters: it has data, or begins or ends a direction."""
        packet = self.capture.packets[index]
        return bool(packet.payload) or bool(tcp_flags(packet) & FIN_SYN_RST)


class Kept:
    """Some packets of a layout, and the locations of bytes in a file with only these packets."""

    def __init__(self, layout, indexes):
        self.layout, self.indexes = layout, list(indexes)
        self.numbers = {index: number for number, index in enumerate(self.indexes, 1)}
        self.offsets, offset = [], HEADER
        for index in self.indexes:
            self.offsets.append(offset)
            offset += layout.sizes[index]

    @property
    def content(self):
        packets = self.layout.capture.packets
        return self.layout.capture.with_packets(packets[index] for index in self.indexes).content

    def packet(self, number):
        return self.layout.capture.packets[self.indexes[number - 1]] if 1 <= number <= len(self.indexes) else None

    def locate(self, key, offset):
        """(number of the packet, offset in the file, time) of a byte; None where it was lost."""
        for span in self.layout.spans.get(key, []):
            if span.begin <= offset < span.end and span.index in self.numbers:
                number, packet = self.numbers[span.index], self.layout.capture.packets[span.index]
                return number, self.offsets[number - 1] + PACKET + packet.begin + offset - span.begin, packet.time
        return None


@dataclass(frozen=True)
class Frame:
    offset: int
    length: int  # with its header
    kind: int
    stream: int


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
        for key in layout.spans:
            for frame in walk(layout.bytes_of(key), key[1]):
                self.frames.setdefault((*key, frame.stream), []).append(frame)

    def locate(self, kept, key, offset):
        return kept.locate(key, offset)

    def touched(self, index, exchange):
        """Whether a packet has bytes of an exchange."""
        packet = self.layout.capture.packets[index]
        key = packet.client_port, SIDES[packet.is_server]
        spans = [span for span in self.layout.spans.get(key, []) if span.index == index]
        frames = self.frames.get((*key, exchange.key[1]), []) if key[0] == exchange.key[0] else []
        return any(frame.offset < span.end and span.begin < frame.offset + frame.length for frame in frames for span in spans)

    def starts(self, side, exchange):
        return {frame.offset for frame in self.frames.get((exchange.key[0], side, exchange.key[1]), [])}

    def faults(self, exchanges):
        """Offsets of the truth at which no such frame begins."""
        for exchange in exchanges.values():
            for name, side, kind in ("request_offset", "client", HEADERS), ("response_offset", "server", HEADERS), ("body_offset", "server", DATA):
                offset = exchange.item[name]
                frames = self.frames.get((exchange.key[0], side, exchange.key[1]), [])
                if offset is not None and not any(frame.offset == offset and frame.kind == kind for frame in frames):
                    yield f"truth: {name} {offset} of {exchange.key} is no such frame of the capture"

    def is_ready(self, index):
        return True


class Sealed:
    """Positions in the plaintext of TLS, computed from record lengths: for suites without hidden padding."""

    def __init__(self, layout, exchanges):
        self.layout, self.maps, self.records = layout, {}, {}
        totals = {exchange.key[0]: exchange.item for exchange in exchanges.values()}
        for port in layout.ports:
            server = Direction(layout.capture, port, layout.bases.get((port, "server")))
            suite = server.suite()[1]
            for side in SIDES:
                base = layout.bases.get((port, side))
                records = list(Direction(layout.capture, port, base, side == "server").records())
                self.records[port, side] = records
                found = self.mapped(records, suite, totals[port][f"{side}_bytes"]) if port in totals else None
                self.maps[port, side] = [(record, tls_suites.OVERHEAD[suite][0], begin, length) for record, begin, length in found or []]

    @staticmethod
    def mapped(records, suite, total):
        """Java's client pads each TLS 1.3 record with 16 zeros."""
        for padding in 0, JAVA_PADDING:
            shorter = [Record(record.kind, record.offset, record.length - padding) for record in records]
            if found := tls_suites.mapped(shorter, suite, total):
                return [(Record(record.kind, record.offset, record.length + padding), *more) for record, *more in found]
        return None

    def ciphertext(self, key, offset):
        """The offset of a plaintext byte in the ciphertext direction."""
        spans = self.maps.get(key, [])
        at = bisect.bisect_right([begin for _, _, begin, _ in spans], offset) - 1
        if at < 0:
            return None
        record, before, begin, _ = spans[at]
        return record.offset + RECORD_HEADER + before + offset - begin

    def locate(self, kept, key, offset):
        where = self.ciphertext(key, offset)
        return None if where is None else kept.locate(key, where)

    def touched(self, index, exchange):
        """Whether a packet has bytes of a TLS record with a frame of the exchange."""
        packet = self.layout.capture.packets[index]
        key = packet.client_port, SIDES[packet.is_server]
        if key[0] != exchange.key[0]:
            return False
        spans = [span for span in self.layout.spans.get(key, []) if span.index == index]
        names = ["request_offset"] if key[1] == "client" else ["response_offset", "body_offset"]
        for record, _, begin, length in self.maps[key]:
            end = record.offset + RECORD_HEADER + record.length
            if any(record.offset < span.end and span.begin < end for span in spans):
                offsets = [exchange.item[name] for name in names if exchange.item[name] is not None]
                # A body may be in a later record than its headers: assume 400 bytes more.
                if any(begin - 400 <= offset < begin + length for offset in offsets):
                    return True
        return False

    def starts(self, side, exchange):
        names = ["request_offset"] if side == "client" else ["response_offset", "body_offset"]
        return {exchange.item[name] for name in names if exchange.item[name] is not None}

    def faults(self, exchanges):
        for key, found in self.maps.items():
            if not found:
                yield f"truth: the records of {key} do not add up to what was sent"

    def is_ready(self, index):
        """Whether a packet has no handshake bytes, without which little can be decrypted."""
        packet = self.layout.capture.packets[index]
        key = packet.client_port, SIDES[packet.is_server]
        data = {record.offset for record, *_ in self.maps.get(key, [])}
        spans = [span for span in self.layout.spans.get(key, []) if span.index == index]
        for record in self.records.get(key, []):
            end = record.offset + RECORD_HEADER + record.length
            if record.offset not in data and any(record.offset < span.end and span.begin < end for span in spans):
                return False
        return True
