"""Packets: TCP over IPv4 and IPv6, and the link layers that they come in. Written after the RFCs."""

import ipaddress
import struct
from dataclasses import dataclass
from functools import cached_property

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
TCP, IPV4_IN_IP, GRE, UDP = 6, 4, 47, 17
OFFLOADED = object()  # in lieu of a checksum: that of the pseudo-header alone, which a network card completes


def ones_sum(data):
    """The checksum of the internet protocols (RFC 1071): a sum with its carries added in is a remainder by 65,535."""
    number = int.from_bytes(data + bytes(len(data) % 2), "big")
    return 0xFFFF - (number % 0xFFFF or min(number, 0xFFFF))


@dataclass(frozen=True)
class Peer:
    address: str
    port: int

    @cached_property
    def packed(self):
        return ipaddress.ip_address(self.address).packed

    def __str__(self):
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


def segment(source, target, sequence, acknowledged, flags, payload=b"", options=b"", window=64240, checksum=None):
    """A TCP segment. Its checksum is right unless another is given."""
    offset = (20 + len(options)) // 4
    head = struct.pack(
        ">HHIIBBHHH", source.port, target.port, sequence % 2**32, acknowledged % 2**32, offset << 4, flags, window, 0, 0
    )
    plain = head + options + payload
    pseudo = source.packed + target.packed + struct.pack(">II", len(plain), TCP)
    if checksum is None:
        checksum = ones_sum(pseudo + plain)
    elif checksum is OFFLOADED:
        checksum = 0xFFFF - ones_sum(pseudo)
    return plain[:16] + struct.pack(">H", checksum) + plain[18:]


def ipv4(source, target, content, protocol=TCP, options=b"", number=1, fragment=0, length=None):
    """A packet of IPv4; `fragment` is the field of flags and offset, `length` another total length than the true one."""
    words = 5 + len(options) // 4
    total = 4 * words + len(content) if length is None else length
    addresses = source.packed + target.packed
    head = struct.pack(">BBHHHBBH", 0x40 | words, 0, total, number, fragment, 64, protocol, 0)
    right = ones_sum(head + addresses + options)
    return head[:10] + struct.pack(">H", right) + addresses + options + content


def ipv6(source, target, content, protocol=TCP, extensions=b"", first=None):
    """A packet of IPv6; the extension headers are given as bytes, `first` is the type of the first of them."""
    body = extensions + content
    head = struct.pack(">IHBB", 6 << 28, len(body), protocol if first is None else first, 64)
    return head + source.packed + target.packed + body


def fragments4(packet, *sizes, number=7):
    """An IPv4 packet without options in fragments of these sizes, all but the last multiples of 8; the last takes the rest."""
    content, chunks, at = packet[20:], [], 0
    for size in (*sizes, None):
        chunk = content[at:] if size is None else content[at : at + size]
        more = 0 if size is None else 0x2000
        head = bytearray(packet[:20])
        struct.pack_into(">HHH", head, 2, 20 + len(chunk), number, more | at // 8)
        struct.pack_into(">H", head, 10, 0)
        struct.pack_into(">H", head, 10, ones_sum(bytes(head)))
        chunks.append(bytes(head) + chunk)
        at += len(chunk)
    return chunks


def fragments6(packet, *sizes, number=7):
    """The same for IPv6 without extension headers."""
    content, chunks, at = packet[40:], [], 0
    for size in (*sizes, None):
        chunk = content[at:] if size is None else content[at : at + size]
        extension = struct.pack(">BBHI", packet[6], 0, at | (size is not None), number)
        head = bytearray(packet[:40])
        struct.pack_into(">HB", head, 4, len(extension) + len(chunk), 44)
        chunks.append(bytes(head) + extension + chunk)
        at += len(chunk)
    return chunks


class Conversation:
    """A TCP connection. Positions are offsets in a direction: byte 0 is the first after the SYN."""

    def __init__(self, port=2196, client=None, server=None, starts=(1_000_000, 5_000_000), wrap=None):
        self.client = client or Peer("192.0.2.10", 49152)
        self.server = server or Peer("192.0.2.20", port)
        self.starts = dict(zip(("client", "server"), starts))
        self.acknowledged = {"client": 0, "server": 0}  # how many bytes of each have been acknowledged
        self.packet = wrap or self.plain

    @property
    def peers(self):
        return str(self.client), str(self.server)

    def plain(self, source, target, content):
        return (ipv6 if ":" in source.address else ipv4)(source, target, content)

    def send(self, side, position, flags, payload=b"", **more):
        """A packet of one side; `position` -1 is the SYN's."""
        other = "server" if side == "client" else "client"
        source, target = getattr(self, side), getattr(self, other)
        sequence = self.starts[side] + 1 + position
        acknowledged = self.starts[other] + 1 + self.acknowledged[other] if flags & ACK else 0
        return self.packet(source, target, segment(source, target, sequence, acknowledged, flags, payload, **more))

    def opening(self):
        """The handshake, with the option for the segment size that all stacks send."""
        size = b"\x02\x04\x05\xb4"
        return [
            self.send("client", -1, SYN, options=size),
            self.send("server", -1, SYN | ACK, options=size),
            self.send("client", 0, ACK),
        ]

    def says(self, side, position, data, **more):
        return self.send(side, position, PSH | ACK, data, **more)

    def closing(self, client=0, server=0):
        """Both sides end: the arguments are the bytes sent by each."""
        self.acknowledged = {"client": client, "server": server}
        return [
            self.send("server", server, FIN | ACK),
            self.send("client", client, FIN | ACK),
            self.send("server", server + 1, ACK),
        ]


# Link layers. Each takes a packet of IP and returns a frame.

MACS = bytes.fromhex("00005e005301" "00005e005302")  # documentation addresses (RFC 7042)


def family(packet):
    return 0x0800 if packet[0] >> 4 == 4 else 0x86DD


def ethernet(packet, kind=None):
    return MACS + struct.pack(">H", family(packet) if kind is None else kind) + packet


def padded(packet):
    """As short frames go over the wire: filled up to 60 bytes, then 4 bytes of a trailer, none of them zero."""
    frame = ethernet(packet)
    return frame + b"\xaa" * max(0, 60 - len(frame)) + b"\xbb\xbb\xbb\xbb"


def vlan(packet):
    return MACS + struct.pack(">HHH", 0x8100, 0x2064, family(packet)) + packet


def qinq(packet):
    return MACS + struct.pack(">HHHHH", 0x88A8, 200, 0x8100, 100, family(packet)) + packet


def snap(packet):
    body = bytes.fromhex("aaaa03" "000000") + struct.pack(">H", family(packet)) + packet
    return MACS + struct.pack(">H", len(body)) + body


def pppoe(packet):
    body = struct.pack(">H", 0x0021 if packet[0] >> 4 == 4 else 0x0057) + packet
    return MACS + struct.pack(">HBBHH", 0x8864, 0x11, 0, 9, len(body)) + body


def mpls(packet):
    """Two labels; the second is at the bottom of the stack."""
    return MACS + struct.pack(">HII", 0x8847, 16 << 12 | 64, 17 << 12 | 0x100 | 64) + packet


def ppp(packet):
    return struct.pack(">H", 0x0021 if packet[0] >> 4 == 4 else 0x0057) + packet


def ppp_hdlc(packet):
    return b"\xff\x03" + ppp(packet)


def null(packet, order="<"):
    return struct.pack(f"{order}I", 2 if packet[0] >> 4 == 4 else 30) + packet


def loop(packet):
    return null(packet, ">")


def bare(packet):
    return packet


def sll(packet):
    return struct.pack(">HHH", 0, 1, 6) + MACS[:6] + bytes(2) + struct.pack(">H", family(packet)) + packet


def sll2(packet):
    return struct.pack(">HHIHBB", family(packet), 0, 2, 1, 0, 6) + MACS[:6] + bytes(2) + packet


def nflog(packet):
    """A prefix, whose 5 bytes are padded to 8, then the packet; lengths of TLVs are in the byte order of the host."""
    prefix = struct.pack("<HH", 9, 10) + b"push\0" + bytes(3)
    head = struct.pack(">BBH", 2 if packet[0] >> 4 == 4 else 10, 0, 0)
    return head + prefix + struct.pack("<HH", 4 + len(packet), 9) + packet


def wifi(packet, quality=False):
    """A data frame from an access point, with a field for quality of service or without."""
    control = b"\x88\x02" if quality else b"\x08\x02"
    head = control + bytes(2) + MACS[:6] + MACS[6:] + MACS[6:] + bytes(2) + (bytes(2) if quality else b"")
    return head + bytes.fromhex("aaaa03" "000000") + struct.pack(">H", family(packet)) + packet


def wifi_encrypted(packet):
    frame = bytearray(wifi(packet))
    frame[1] |= 0x40
    return bytes(frame)


def radiotap(packet):
    return struct.pack("<BBHI", 0, 0, 8, 0) + wifi(packet, quality=True)


# Tunnels. Each takes a packet of IP and returns the packet of IP around it.

TUNNEL = Peer("198.51.100.1", 40000), Peer("198.51.100.2", 4789)


def gre(packet):
    return ipv4(*TUNNEL, struct.pack(">HH", 0, family(packet)) + packet, GRE)


def gre_with_key(packet):
    """With a checksum, a key and a sequence number."""
    return ipv4(*TUNNEL, struct.pack(">HHHHII", 0xB000, family(packet), 0, 0, 42, 1) + packet, GRE)


def vxlan(packet):
    inner = struct.pack(">II", 0x08000000, 42 << 8) + ethernet(packet)
    return ipv4(*TUNNEL, struct.pack(">HHHH", TUNNEL[0].port, TUNNEL[1].port, 8 + len(inner), 0) + inner, UDP)


def ip_in_ip(packet):
    return ipv4(*TUNNEL, packet, IPV4_IN_IP if packet[0] >> 4 == 4 else 41)


def exported_pdu(data, source, target, number=None, sequence=None):
    """Wireshark's exported PDU: tags of type and length, whose length has any padding in it already."""

    def tag(kind, value):
        return struct.pack(">HH", kind, len(value)) + value

    addresses = (22, 23) if ":" in source.address else (20, 21)
    tags = tag(12, b"data\0\0\0\0") + tag(addresses[0], source.packed) + tag(addresses[1], target.packed)
    tags += tag(24, struct.pack(">I", 2)) + tag(25, struct.pack(">I", source.port)) + tag(26, struct.pack(">I", target.port))
    if number is not None:
        tags += tag(30, struct.pack(">I", number))
    if sequence is not None:  # version, sequence, next one, acknowledged; reassembled, flags, urgent; padding
        tags += tag(34, struct.pack(">HIIIBBHH", 1, sequence, sequence + len(data), 1, 0, PSH | ACK, 0, 0))
    return tags + tag(0, b"") + data
