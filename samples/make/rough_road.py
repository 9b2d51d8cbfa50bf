"""Two network namespaces, and a forwarder between them that loses, delays, doubles and diverts packets.

The kernel's own netem would do, where it is built; this needs /dev/net/tun alone. What becomes of a packet is drawn
from a seed; the two TCP stacks are real, so which packets there are differs a little from run to run.
"""

import fcntl
import heapq
import os
import random
import select
import struct
import time
from dataclasses import dataclass

from recording import Network, ip

TUNSETIFF = 0x400454CA  # linux/if_tun.h
IFF_TUN, IFF_TAP, IFF_NO_PI = 0x0001, 0x0002, 0x1000
MTU = 1280  # bytes; the least that IPv6 allows
QUIET = 1.5  # seconds without a packet, longer than the first retransmission timeouts
SERVER_V4, CLIENT_V4 = "198.51.100.1", "198.51.100.2"  # RFC 5737 and RFC 3849: addresses for documentation
SERVER_V6, CLIENT_V6 = "2001:db8::1", "2001:db8::2"
UPLINK_MAC = "02:00:5e:10:00:02"
ETHERNET = bytes.fromhex("02005e100002 02005e100001 0800")  # to that address, from a router, with IPv4
FIN_SYN_RST = 0x07


def open_device(name, kind):
    """A TUN or TAP device of the namespace of the calling thread; it goes when the descriptor is closed."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), kind | IFF_NO_PI))
    return device


class Site:
    """One end of the road: a namespace with a TUN device."""

    def __init__(self, name, v4, v6):
        self.network = Network()
        self.device = open_device(name, IFF_TUN)
        ip(f"address add {v4}/24 dev {name}")
        ip(f"address add {v6}/64 dev {name} nodad")
        ip(f"link set {name} mtu {MTU} up")


class ReceiverSite(Site):
    """The client's end. It has a second uplink, an Ethernet that packets may come in by; answers leave by the first."""

    def __init__(self):
        super().__init__("uplink0", CLIENT_V4, CLIENT_V6)
        self.second = open_device("uplink1", IFF_TAP)
        ip(f"link set uplink1 address {UPLINK_MAC} mtu 1500 up")
        for name in ("all", "uplink1"):  # a packet from an address that the routes look for elsewhere is welcome
            with open(f"/proc/sys/net/ipv4/conf/{name}/rp_filter", "w") as setting:
                setting.write("0")


@dataclass
class Road:
    """How bad it is, as shares of the packets; delays in seconds."""

    seed: int
    lost: float
    late: float
    doubled: float
    diverted: float = 0  # share of the server's data that takes the second uplink
    usual_delay: float = 0.002
    late_delay: float = 0.05


class DataSegment:
    """What the server's IPv4 packet has of its stream: the client's port, sequence number, bytes of data, flags."""

    def __init__(self, packet):
        total = int.from_bytes(packet[2:4], "big")
        tcp = (packet[0] & 15) * 4
        self.port, self.sequence = struct.unpack_from(">xxHI", packet, tcp)
        self.length = total - tcp - (packet[tcp + 12] >> 4) * 4
        self.flags = packet[tcp + 13]


class Forwarder:
    """Carries the packets until `is_done()` and nothing has come for a while."""

    def __init__(self, server, client, road):
        self.server, self.client = server, client
        self.road = road
        self.random = random.Random(road.seed)
        self.under_way = []  # heap of (due, number, device, packet)
        self.number = 0
        self.first_sequence = {}  # client's port: sequence number of the server's SYN
        self.seen = {}  # client's port: ranges of offsets that came in by the first uplink

    def run(self, is_done):
        last = time.monotonic()
        while self.under_way or not is_done() or time.monotonic() < last + QUIET:
            wait = max(0, self.under_way[0][0] - time.monotonic()) if self.under_way else 0.1
            ready, _, _ = select.select([self.server.device, self.client.device], [], [], wait)
            for device in ready:
                self.accept(device, os.read(device, 65536))
                last = time.monotonic()
            self.deliver()

    def accept(self, device, packet):
        to_client = device == self.server.device
        target = self.client.device if to_client else self.server.device
        if to_client and packet[0] >> 4 == 4:
            target, packet = self.choose_uplink(packet)
        for delay in self.draw_delays():
            self.number += 1
            heapq.heappush(self.under_way, (time.monotonic() + delay, self.number, target, packet))

    def choose_uplink(self, packet):
        """The device that takes the server's packet, and the packet as a frame of that device."""
        segment = DataSegment(packet)
        is_movable = segment.length > 0 and not segment.flags & FIN_SYN_RST
        if is_movable and self.random.random() < self.road.diverted:
            return self.client.second, ETHERNET + packet
        return self.client.device, packet

    def draw_delays(self):
        """One for each copy that arrives; none for a packet that is lost."""
        if self.random.random() < self.road.lost:
            return []
        is_late = self.random.random() < self.road.late
        delays = [self.random.uniform(0.01, self.road.late_delay) if is_late else self.road.usual_delay]
        if self.random.random() < self.road.doubled:
            delays.append(self.random.uniform(0.01, self.road.late_delay))
        return delays

    def deliver(self):
        while self.under_way and self.under_way[0][0] <= time.monotonic():
            _, _, device, packet = heapq.heappop(self.under_way)
            os.write(device, packet)
            if device == self.client.device and packet[0] >> 4 == 4:
                self.note(DataSegment(packet))

    def note(self, segment):
        """What a capture of the first uplink now holds. Connections are short: sequence numbers do not wrap twice."""
        if segment.flags & 0x02:
            self.first_sequence[segment.port] = segment.sequence
        elif segment.length > 0 and segment.port in self.first_sequence:
            offset = (segment.sequence - self.first_sequence[segment.port] - 1) % 2**32
            self.seen.setdefault(segment.port, []).append((offset, offset + segment.length))

    def holes(self, port, size):
        """(offset, length) of bytes that never arrived by the first uplink, of a stream of `size` bytes."""
        position = 0
        for begin, end in sorted([*self.seen.get(port, []), (size, size)]):
            if begin > position:
                yield position, begin - position
            position = max(position, end)
