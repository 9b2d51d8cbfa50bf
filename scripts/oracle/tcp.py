"""pcap files of IPv4 and TCP read: their packets, and the directions of their connections with the location of each byte.

Connections of a file are known by the port of the client. Positions in a file and offsets in a direction are bytes from 0.
"""

import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from oracle.captures import ETHERNET, stamp
from oracle.packets import FIN, SYN
from oracle.runs import Chunk, decode

HEADER, PACKET = 24, 16  # bytes that begin a pcap file, and each packet of it
LITTLE_ENDIAN = b"\xd4\xc3\xb2\xa1"
ORDERS = {LITTLE_ENDIAN: "<", b"\xa1\xb2\xc3\xd4": ">", b"\x4d\x3c\xb2\xa1": "<"}  # the last has nanoseconds


@dataclass
class Packet:
    header: bytes  # of the record in the file: time, lengths
    data: bytes
    client_port: int
    is_server: bool
    sequence: int
    flags: int
    begin: int  # of the TCP payload in `data`
    payload: bytes
    ends: tuple  # client and server

    @property
    def first(self):
        """The sequence number of the first byte."""
        return self.sequence + bool(self.flags & SYN)

    @property
    def time(self):
        seconds, microseconds = struct.unpack("<II", self.header[:8])
        return stamp(seconds * 1_000_000_000 + microseconds * 1000, 6)


def parse(header, data, link, port):
    ip = 14 if link == ETHERNET else 0
    tcp = ip + (data[ip] & 15) * 4
    *ports, sequence = struct.unpack_from(">HHI", data, tcp)
    begin, end = tcp + (data[tcp + 12] >> 4) * 4, ip + struct.unpack_from(">H", data, ip + 2)[0]
    names = [f"{'.'.join(map(str, data[at : at + 4]))}:{number}" for at, number in zip((ip + 12, ip + 16), ports)]
    is_server = ports[0] == port
    return Packet(header, data, ports[is_server], is_server, sequence, data[tcp + 13], begin, data[begin:end],
                  tuple(names[:: -1 if is_server else 1]))


def distance(number, other):
    """From one sequence number to another, which may be before it."""
    return (other - number + 2**31) % 2**32 - 2**31


def records(content):
    """(header of the record, bytes) of each packet of a pcap file."""
    offset = HEADER
    while offset + PACKET <= len(content):
        length = struct.unpack_from(ORDERS[content[:4]] + "I", content, offset + 8)[0]
        yield content[offset : offset + PACKET], content[offset + PACKET : offset + PACKET + length]
        offset += PACKET + length


def read(content, port):
    """A little-endian pcap file of whole packets with microseconds; `port` is that of the servers."""
    if content[:4] != LITTLE_ENDIAN:
        raise ValueError("no pcap file with microseconds, little-endian")
    link = struct.unpack_from("<I", content, 20)[0]
    return Capture(content[:HEADER], [parse(header, data, link, port) for header, data in records(content)])


@dataclass
class Capture:
    head: bytes
    packets: list

    @property
    def content(self):
        return self.head + b"".join(packet.header + packet.data for packet in self.packets)

    @cached_property
    def positions(self):
        """Where the bytes of each packet begin in the file."""
        return list(accumulate((PACKET + len(packet.data) for packet in self.packets), initial=HEADER + PACKET))

    @property
    def ports(self):
        """The connections, in the order of their first packets."""
        return list(dict.fromkeys(packet.client_port for packet in self.packets))

    def described(self, port):
        """The keys of a stream object that packets give."""
        own = [number for number, packet in enumerate(self.packets, 1) if packet.client_port == port]
        client, server = self.packets[own[0] - 1].ends
        return {"client": client, "server": server, "first_packet": own[0], "last_packet": own[-1]}

    def keeping(self, indexes):
        """A copy with some of the packets."""
        return Capture(self.head, [self.packets[index] for index in indexes])


class Direction:
    """What one side sent on a connection, and the location of each byte in the file. The first copy of a byte counts.

    Offsets count from the sequence number `base`: that after the SYN, else that of the lowest byte in the file.
    """

    def __init__(self, capture, port, is_server=True, base=None):
        self.capture = capture
        key = port, is_server
        own = [(index, packet) for index, packet in enumerate(capture.packets) if (packet.client_port, packet.is_server) == key]
        self.syn = next((index for index, packet in own if packet.flags & SYN), None)
        firsts = [packet.first for index, packet in own if packet.payload and self.syn is None or index == self.syn]
        self.base = min(firsts, key=lambda number: distance(firsts[0], number), default=0) if base is None else base
        self.spans = []  # (begin, end, index of the packet), in the order of the file
        self.fin = None  # its offset
        for index, packet in own:
            begin = distance(self.base, packet.first)
            end = begin + len(packet.payload)
            self.spans += [(begin, end, index)] if packet.payload else []
            self.fin = end if packet.flags & FIN else self.fin

    @cached_property
    def content(self):
        """All bytes; zeros in gaps."""
        data = bytearray(max((end for _, end, _ in self.spans), default=0))
        for begin, end, index in reversed(self.spans):
            data[max(0, begin) : end] = self.capture.packets[index].payload[max(0, -begin) :]
        return bytes(data)

    @property
    def begin(self):
        """The offset at which a stream of these packets begins: after the SYN, else at the lowest byte."""
        return 0 if self.syn is not None or not self.spans else min(self.spans)[0]

    def locate(self, offset):
        """(number of the packet, position in the file, time) of a byte; None where it was lost."""
        for begin, end, index in self.spans:
            if begin <= offset < end:
                packet = self.capture.packets[index]
                return index + 1, self.capture.positions[index] + packet.begin + offset - begin, packet.time
        return None

    def offset_at(self, position):
        """(offset, index of the packet) of the byte at a position in the file, or (None, None)."""
        for begin, end, index in self.spans:
            at = position - self.capture.positions[index] - self.capture.packets[index].begin
            if 0 <= at < end - begin:
                return begin + at, index
        return None, None

    def indexes(self, begin, end):
        """Of the packets that have bytes of a range."""
        return {index for first, last, index in self.spans if first < end and begin < last}

    def chunks(self):
        """Runs and gaps from the first known byte on, as the oracle reads them."""
        begin = end = self.begin
        for first, last, _ in sorted(self.spans):
            if first > end:
                yield from self.run(begin, end)
                yield Chunk(lambda index: {}, missing=first - end)
                begin = first
            end = max(end, last)
        yield from self.run(begin, end)
        if self.fin is not None and self.fin > end and (self.syn is not None or self.spans):
            yield Chunk(lambda index: {}, missing=self.fin - end)

    def run(self, begin, end):
        def origin(index):
            packet, position, time = self.locate(begin + index)
            return {"file_offset": position, "packet": packet, "captured_at": time}

        if end > begin:
            yield Chunk(origin, data=self.content[begin:end])


def decode_captured(kind, capture, port, limits):
    """A direction of a connection, of the kind of run that its side sends."""
    side = Direction(capture, port, kind.role == "server")
    direction = decode(kind, side.chunks(), limits, side.syn is not None, in_dump=False)
    if side.spans and side.syn is None:
        direction.find("midstream-start", 0, {}, length=0)
    return direction
