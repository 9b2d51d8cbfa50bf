"""Packets: TCP over IPv4, and the frames of Ethernet that they come in. Written after the RFCs."""

import ipaddress
import struct
from collections import namedtuple

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
TCP = 6  # protocol
OFFLOADED = object()  # in lieu of a checksum: that of the pseudo-header alone, which a network card completes


def ones_sum(data):
    """The checksum of the internet protocols (RFC 1071): a sum with its carries added in is a remainder by 65,535."""
    number = int.from_bytes(data + bytes(len(data) % 2), "big")
    return 0xFFFF - (number % 0xFFFF or min(number, 0xFFFF))


class Peer(namedtuple("Peer", "address port")):
    @property
    def packed(self):
        return ipaddress.ip_address(self.address).packed


def segment(source, target, sequence, acknowledged, flags, payload=b"", options=b"", window=64240, checksum=None):
    """A TCP segment. Its checksum is right unless another is given."""
    offset = (20 + len(options)) // 4
    numbers = sequence % 2**32, acknowledged % 2**32
    head = struct.pack(">HHIIBBHHH", source.port, target.port, *numbers, offset << 4, flags, window, 0, 0)
    plain = head + options + payload
    pseudo = source.packed + target.packed + struct.pack(">II", len(plain), TCP)
    if checksum is None:
        checksum = ones_sum(pseudo + plain)
    elif checksum is OFFLOADED:
        checksum = 0xFFFF - ones_sum(pseudo)
    return plain[:16] + struct.pack(">H", checksum) + plain[18:]


def ipv4(source, target, content, number=1, fragment=0):
    """A packet of IPv4 with a segment; `fragment` is the field of flags and offset."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(content), number, fragment, 64, TCP, 0)
    addresses = source.packed + target.packed
    return head[:10] + struct.pack(">H", ones_sum(head + addresses)) + addresses + content


class Conversation:
    """A TCP connection. Positions are offsets in a direction: byte 0 is the first after the SYN."""

    def __init__(self, port=2196, client=None, server=None, starts=(1_000_000, 5_000_000)):
        self.client = client or Peer("192.0.2.10", 49152)
        self.server = server or Peer("192.0.2.20", port)
        self.starts = dict(zip(("client", "server"), starts))

    def send(self, side, position, flags, payload=b"", received=0, **more):
        """A packet of one side, which acknowledges the bytes received; `position` -1 is the SYN's."""
        other = "server" if side == "client" else "client"
        source, target = getattr(self, side), getattr(self, other)
        sequence = self.starts[side] + 1 + position
        acknowledged = self.starts[other] + 1 + received if flags & ACK else 0
        return ipv4(source, target, segment(source, target, sequence, acknowledged, flags, payload, **more))

    def opening(self):
        """The handshake, with the option for the segment size that all stacks send."""
        size = {"options": b"\x02\x04\x05\xb4"}
        return [self.send("client", -1, SYN, **size), self.send("server", -1, SYN | ACK, **size), self.send("client", 0, ACK)]

    def says(self, side, position, data, **more):
        return self.send(side, position, PSH | ACK, data, **more)

    def closing(self, client=0, server=0):
        """Both sides end: the arguments are the bytes sent by each."""
        ends = [("server", server, FIN | ACK, client), ("client", client, FIN | ACK, server), ("server", server + 1, ACK, client)]
        return [self.send(side, position, flags, received=received) for side, position, flags, received in ends]


MACS = bytes.fromhex("00005e005301" "00005e005302")  # documentation addresses (RFC 7042)


def ethernet(packet):
    return MACS + struct.pack(">H", 0x0800) + packet
