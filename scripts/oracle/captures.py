"""Capture files: pcap and pcapng, in all their variants. Offsets in the file are from 0."""

import struct
from dataclasses import dataclass
from typing import NamedTuple

from oracle.wire import utc

BEGIN = 1396310400_000_000_000  # 2014-04-01T00:00:00Z in nanoseconds; packets come a millisecond apart
STEP = 1_000_000
ETHERNET, RAW_IP = 1, 101  # link types


@dataclass(frozen=True)
class Frame:
    """A frame in a file."""

    data: bytes
    time: int  # nanoseconds since 1970
    length: int  # as it was on the wire; more than `data` has where the snap length cut it
    interface: int = 0


def frames(datas, wrap=None, snap=None, interface=0):
    """Frames with a time each. `wrap` is the link layer, `snap` the snap length."""
    wrapped = [wrap(data) if wrap else data for data in datas]
    return [
        Frame(data[:snap] if snap else data, BEGIN + STEP * index, len(data), interface) for index, data in enumerate(wrapped)
    ]


class Span(NamedTuple):
    """The offsets of a packet's bytes in a file, and its time as an export must write it; None where a case says that itself."""

    begin: int
    end: int
    time: str | None

    def moved(self, distance):
        return Span(self.begin + distance, self.end + distance, self.time)


def stamp(nanoseconds, digits):
    """RFC 3339 with this number of digits after the point."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{utc(seconds)[:-1]}.{rest:09}"[: 20 + digits] + "Z"


@dataclass
class Capture:
    """A file, and a span of each packet in it."""

    data: bytes
    spans: list


def pcap(content, link=ETHERNET, order="<", nanoseconds=False, snap=65535, modified=False):
    magic = 0xA1B2CD34 if modified else 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    data, spans = bytearray(struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, snap, link)), []
    for frame in content:
        seconds, rest = divmod(frame.time, 1_000_000_000)
        fraction = rest if nanoseconds else rest // 1000
        data += struct.pack(f"{order}IIII", seconds, fraction, len(frame.data), frame.length)
        if modified:  # Kuznetzov's: interface, protocol, packet type, padding
            data += struct.pack(f"{order}IHBB", 2, 0x0800, 0, 0)
        spans.append(Span(len(data), len(data) + len(frame.data), stamp(frame.time, 9 if nanoseconds else 6)))
        data += frame.data
    return Capture(bytes(data), spans)


def even(data):
    """Filled with zeros up to a multiple of 4 bytes."""
    return data + bytes(-len(data) % 4)


class Section:
    """A pcapng section that is written block by block."""

    def __init__(self, order="<", length=-1, options=()):
        self.order, self.spans = order, []
        self.data = b""
        self.block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, length) + self.options(options))

    def options(self, options):
        if not options:
            return b""
        data = b"".join(struct.pack(f"{self.order}HH", code, len(value)) + even(value) for code, value in options)
        return data + struct.pack(f"{self.order}HH", 0, 0)

    def block(self, kind, body):
        """Returns where the body begins."""
        length = 12 + len(even(body))
        begin = len(self.data) + 8
        self.data += struct.pack(f"{self.order}II", kind, length) + even(body) + struct.pack(f"{self.order}I", length)
        return begin

    def interface(self, link=ETHERNET, snap=0, options=()):
        self.block(1, struct.pack(f"{self.order}HHI", link, 0, snap) + self.options(options))
        return self

    def packet(self, frame, ticks=None, options=()):
        """An enhanced packet block. `ticks` is the time in the interface's units; microseconds where none are given."""
        time = stamp(frame.time, 6) if ticks is None else None
        ticks = frame.time // 1000 if ticks is None else ticks
        head = struct.pack(
            f"{self.order}IIIII", frame.interface, ticks >> 32, ticks & 0xFFFFFFFF, len(frame.data), frame.length,
        )
        begin = self.block(6, head + even(frame.data) + self.options(options)) + 20
        self.spans.append(Span(begin, begin + len(frame.data), time))
        return self

    def simple_packet(self, frame):
        begin = self.block(3, struct.pack(f"{self.order}I", frame.length) + frame.data) + 4
        self.spans.append(Span(begin, begin + len(frame.data), None))
        return self

    def old_packet(self, frame):
        """The obsolete packet block: interface and drops, then as the enhanced one."""
        ticks = frame.time // 1000
        head = struct.pack(
            f"{self.order}HHIIII", frame.interface, 0xFFFF, ticks >> 32, ticks & 0xFFFFFFFF, len(frame.data), frame.length,
        )
        begin = self.block(2, head + frame.data) + 20
        self.spans.append(Span(begin, begin + len(frame.data), stamp(frame.time, 6)))
        return self

    def packets(self, content):
        for frame in content:
            self.packet(frame)
        return self


def sections(*content):
    """A file of several sections."""
    data, spans = b"", []
    for section in content:
        spans += [span.moved(len(data)) for span in section.spans]
        data += section.data
    return Capture(data, spans)
