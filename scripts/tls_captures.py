"""Captures of TLS on Ethernet or raw IPv4 as lists of packets: what is in them, and copies with something changed.

It reads pcap, TCP and the headers of TLS records by itself, so that it shares no mistake with the command.
"""

import datetime
import struct
from dataclasses import dataclass, replace

PORT = 2196  # of the server
HEADER, PACKET = 24, 16  # bytes that begin a pcap file, and each packet of it
ETHERNET = 1
CHANGE_CIPHER_SPEC, HANDSHAKE, DATA = 20, 22, 23  # types of records
CLIENT_HELLO = 1  # type of a message
RECORD_HEADER = 5


@dataclass
class Packet:
    header: bytes  # of the record in the file: time, lengths
    data: bytes
    client_port: int
    is_server: bool
    sequence: int
    begin: int  # of the TCP payload in `data`
    end: int

    @property
    def payload(self):
        return self.data[self.begin : self.end]

    def saying(self, payload, shift, header):
        """A copy with another payload, `shift` bytes later in its direction, at the time of a header; without checksums."""
        data = bytearray(self.data[: self.begin] + payload)
        ip = 14 if self.data[12:14] == b"\x08\x00" and self.data[14] >> 4 == 4 else 0
        tcp = ip + (data[ip] & 15) * 4
        sequence = (self.sequence + shift) % 0x100000000
        struct.pack_into(">I", data, tcp + 4, sequence)
        struct.pack_into(">H", data, ip + 2, len(data) - ip)
        header = header[:8] + struct.pack("<II", len(data), len(data))
        return replace(self, header=header, data=bytes(data), sequence=sequence, end=len(data))

    @property
    def time(self):
        seconds, microseconds = struct.unpack("<II", self.header[:8])
        moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{microseconds:06}Z"


def parse(header, data, link, port):
    ip = 14 if link == ETHERNET else 0
    tcp = ip + (data[ip] & 15) * 4
    source, destination, sequence = struct.unpack_from(">HHI", data, tcp)
    begin = tcp + (data[tcp + 12] >> 4) * 4
    end = ip + struct.unpack_from(">H", data, ip + 2)[0]
    is_server = source == port
    return Packet(header, data, destination if is_server else source, is_server, sequence, begin, end)


class Capture:
    """A little-endian pcap file of IPv4 and TCP, whole packets."""

    def __init__(self, content, port=PORT):
        if content[:4] != b"\xd4\xc3\xb2\xa1":
            raise ValueError("no pcap file with microseconds, little-endian")
        self.head = content[:HEADER]
        self.packets = []
        link = struct.unpack_from("<I", content, 20)[0]
        offset = HEADER
        while offset < len(content):
            header = content[offset : offset + PACKET]
            length = struct.unpack_from("<I", header, 8)[0]
            self.packets.append(parse(header, content[offset + PACKET : offset + PACKET + length], link, port))
            offset += PACKET + length

    def with_packets(self, packets):
        """A copy with other packets, at the times that this one has at those indexes."""
        copy = object.__new__(Capture)
        copy.head, copy.packets = self.head, list(packets)
        return copy

    @property
    def content(self):
        return self.head + b"".join(packet.header + packet.data for packet in self.packets)

    def server_data(self):
        """Indexes of the packets in which the server sent something."""
        return [index for index, packet in enumerate(self.packets) if packet.is_server and packet.payload]

    def streams(self):
        """The directions of the server, by stream number."""
        ports = list(dict.fromkeys(packet.client_port for packet in self.packets))
        return [Direction(self, port) for port in ports]

    def dropped(self, index):
        return self.with_packets(self.packets[:index] + self.packets[index + 1 :])

    def doubled(self, index):
        return self.with_packets(self.packets[: index + 1] + self.packets[index:])

    def swapped(self, first, second):
        packets = list(self.packets)
        for here, there in (first, second), (second, first):
            other = self.packets[there]
            packets[here] = replace(other, header=self.packets[here].header[:8] + other.header[8:])
        return self.with_packets(packets)

    def flipped(self, index, position):
        """A copy with one bit of a packet's payload changed, in the byte at a position."""
        packet, packets = self.packets[index], list(self.packets)
        data = bytearray(packet.data)
        data[packet.begin + position] ^= 1 << index % 8
        packets[index] = replace(packet, data=bytes(data))
        return self.with_packets(packets)

    def server_alone(self):
        return self.with_packets(packet for packet in self.packets if packet.is_server)

    def started_at(self, index):
        return self.with_packets(self.packets[index:])

    def after(self, dialogue):
        """A copy in which each connection begins with what both sides say in clear: (is_server, bytes) in turn."""
        packets, shifts, begun = [], {}, set()
        for packet in self.packets:
            port = packet.client_port
            if packet.payload and port not in begun:
                begun.add(port)
                shifts[port, True] = shifts[port, False] = 0
                for is_server, said in dialogue:
                    model = next(item for item in self.packets if item.client_port == port and item.is_server == is_server and item.payload)
                    packets.append(model.saying(said, shifts[port, is_server], packet.header))
                    shifts[port, is_server] += len(said)
            packets.append(packet.saying(packet.payload, shifts.get((port, packet.is_server), 0), packet.header))
        return self.with_packets(packets)

    def with_secrets(self, key_log, after=0):
        """As pcapng, with the key log in a Decryption Secrets Block after this number of packets."""
        link = struct.unpack_from("<I", self.head, 20)[0]
        blocks = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)), block(1, struct.pack("<HHI", link, 0, 0))]
        secrets = block(10, struct.pack("<II", 0x544C534B, len(key_log)) + key_log)
        for index, packet in enumerate(self.packets):
            if index == after:
                blocks.append(secrets)
            seconds, microseconds, length, original = struct.unpack("<4I", packet.header)
            moment = seconds * 1_000_000 + microseconds
            fields = struct.pack("<5I", 0, moment >> 32, moment & 0xFFFFFFFF, length, original)
            blocks.append(block(6, fields + packet.data))
        return b"".join([*blocks, secrets] if after >= len(self.packets) else blocks)


def block(kind, body):
    """A block of pcapng, padded to 32 bits."""
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


@dataclass
class Record:
    kind: int
    offset: int  # of its header, in what the server sent
    length: int  # of its body


class Direction:
    """What the server (or the client) sent on a connection, and where each byte of it is in the file. The first copy of a byte counts.

    Offsets count from the sequence number `base`, else from the first byte in the file.
    """

    def __init__(self, capture, port, base=None, is_server=True):
        self.port, self.base = port, base
        self.bytes = {}  # offset: (value, index of the packet)
        self.offsets = {}  # offset in the file: (offset, index of the packet), of each copy
        offset = HEADER
        for index, packet in enumerate(capture.packets):
            if packet.client_port == port and packet.is_server == is_server and packet.payload:
                if self.base is None:
                    self.base = packet.sequence
                start = (packet.sequence - self.base + 0x80000000) % 0x100000000 - 0x80000000
                for position, value in enumerate(packet.payload):
                    self.bytes.setdefault(start + position, (value, index))
                    self.offsets[offset + PACKET + packet.begin + position] = start + position, index
            offset += PACKET + len(packet.data)

    @property
    def content(self):
        return bytes(self.bytes.get(key, (0,))[0] for key in range(max(self.bytes, default=-1) + 1))

    def records(self):
        offset, content = 0, self.content
        while offset + RECORD_HEADER <= len(content):
            length = int.from_bytes(content[offset + 3 : offset + 5], "big")
            yield Record(content[offset], offset, length)
            offset += RECORD_HEADER + length

    def indexes(self, record):
        """Of the packets that have bytes of a record."""
        keys = range(record.offset, record.offset + RECORD_HEADER + record.length)
        return {self.bytes[key][1] for key in keys if key in self.bytes}

    def suite(self):
        """(version, number of the suite) of the server's first hello."""
        content, session = self.content, 11 + 32
        start = session + 1 + content[session]
        return int.from_bytes(content[9:11], "big"), int.from_bytes(content[start : start + 2], "big")
