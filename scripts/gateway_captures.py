"""Captures of several gateway connections at once: drawn, written as pcap, and reassembled without parsing.

The contents of each packet are known from its construction. Positions are byte offsets from 0 in the data that a side
sent, after its SYN; offsets, as in reports, are from 0 in the captured data.
"""

import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import datetime, timezone

from damaged_gateways import draw_conversation
from reference_gateway import Chunk

FIN, SYN, PSH, ACK = 1, 2, 8, 16
RAW_IP = 101  # the link type of packets that begin with an IP header
GATEWAY = (0xC0000214, 2195)  # 192.0.2.20
START = 1_367_400_600  # 2013-05-01T09:30:00Z, in seconds
FILE_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, RAW_IP)
RECORD = struct.Struct("<IIII")
IPV4 = struct.Struct(">BBHHHBBHII")
TCP = struct.Struct(">HHIIBBHHH")
HEADERS = RECORD.size + IPV4.size + TCP.size  # bytes before a payload, in the file


def checksum(data):
    return 0xFFFF - int.from_bytes(data + bytes(len(data) % 2), "big") % 0xFFFF


def address(peer):
    return ".".join(str(byte) for byte in peer[0].to_bytes(4, "big")) + f":{peer[1]}"


@dataclass
class Segment:
    """A packet that one side sends. `position` is that of its first byte, or -1 for a SYN."""

    side: object
    position: int
    flags: int
    payload: bytes = b""


@dataclass
class Side:
    """The data that one side sent, and the captured part."""

    peer: tuple
    first_number: int  # of its SYN
    captured: dict = field(default_factory=dict)  # position: (payload, file offset of it, packet, time)
    is_syn_seen: bool = False
    fin: int = None  # its position, once captured

    def capture(self, segment, packet, time, file_offset):
        if segment.payload:
            self.captured.setdefault(segment.position, (segment.payload, file_offset, packet, time))
        self.is_syn_seen |= bool(segment.flags & SYN)
        if segment.flags & FIN:
            self.fin = segment.position + len(segment.payload)

    def chunks(self):
        """Captured runs and gaps, from the first known byte on."""
        chunks = []
        positions = sorted(self.captured)
        end = 0 if self.is_syn_seen or not positions else positions[0]
        run = []
        for position in positions:
            if position > end:
                chunks += [run_chunk(run)] if run else []
                chunks.append(gap_chunk(position - end))
                run = []
            run.append(self.captured[position])
            end = position + len(run[-1][0])
        chunks += [run_chunk(run)] if run else []
        if self.fin is not None and self.fin > end and (self.is_syn_seen or positions):
            chunks.append(gap_chunk(self.fin - end))
        return chunks


def gap_chunk(missing):
    return Chunk(lambda index: {}, missing=missing)


def run_chunk(packets):
    begins = [0]
    for payload, _, _, _ in packets:
        begins.append(begins[-1] + len(payload))

    def origin(index):
        number = bisect_right(begins, index) - 1
        _, file_offset, packet, time = packets[min(number, len(packets) - 1)]
        return {"file_offset": file_offset + index - begins[number], "packet": packet, "captured_at": time}

    return Chunk(origin, data=b"".join(payload for payload, _, _, _ in packets))


class Connection:
    def __init__(self, number, draw):
        self.client = Side((0x0A000001 + number, 40000 + number), draw.getrandbits(32))
        self.server = Side(GATEWAY, draw.choice([draw.getrandbits(32), 2**32 - draw.randrange(1, 2000)]))
        self.packets = []  # numbers of those that were captured

    def sides(self):
        return self.client, self.server


@dataclass
class Habits:
    """What may happen in a capture; `is_plain` rules out all that makes bytes be known later than they came."""

    lengths: list
    most_responses: int = 5
    is_plain: bool = False


def draw_connection(draw, number, habits):
    """A connection and its captured segments, in the order in which they were sent."""
    connection = Connection(number, draw)
    data, answers = draw_conversation(draw, habits.lengths, habits.most_responses)
    asked = cut(draw, connection.client, data)
    answered = cut(draw, connection.server, b"".join(answers), most=draw.choice([1, 3, 6, 100]))
    segments = handshake(draw, connection, habits) + merged(draw, asked, answered)
    for side, sent in ((connection.client, len(data)), (connection.server, sum(map(len, answers)))):
        if draw.random() < 0.5:
            segments.append(Segment(side, sent, FIN | ACK))
    return connection, segments if habits.is_plain else thinned(draw, connection, segments)


def cut(draw, side, data, most=None):
    """The bytes in segments: of one byte, of some, or of the largest size."""
    most = most or draw.choice([1, 7, 40, 200, 1400, 1400])
    most = max(most, len(data) // 200)  # no capture has to be large
    segments, position = [], 0
    while position < len(data):
        size = draw.randint(1, most)
        segments.append(Segment(side, position, PSH | ACK, data[position : position + size]))
        position += size
    return segments


def merged(draw, asked, answered):
    """The server's segments somewhere between the client's, mostly near each other."""
    first, merged = draw.choice([0, len(asked) // 2, len(asked) // 2, len(asked)]), list(asked)
    index = draw.randint(first, len(asked))
    for number, segment in enumerate(answered):
        index = min(len(merged), index + draw.choice([0, 0, 0, 1, draw.randrange(4)]))
        merged.insert(index, segment)
        index += 1
    return merged


def handshake(draw, connection, habits):
    client, server = connection.sides()
    syn, answer = Segment(client, -1, SYN), Segment(server, -1, SYN | ACK)
    everything = [syn, answer, Segment(client, 0, ACK)]
    return everything if habits.is_plain else draw.choice([everything, everything, [], [syn], [answer]])


def thinned(draw, connection, segments):
    """One direction may be missing, and any segment with bytes."""
    kind = draw.random()
    if kind < 0.15:
        there = draw.choice(connection.sides())
        return [segment for segment in segments if segment.side is there]
    if kind < 0.45:
        lost = draw.choice([1, 2, 5, 5, len(segments) // 4]) / max(1, len(segments))
        return [segment for segment in segments if not segment.payload or draw.random() >= lost]
    return segments


def interleaved(draw, lists):
    """All segments in one order that keeps each connection's own."""
    lists = [list(reversed(segments)) for segments in lists if segments]
    order = []
    while lists:
        one = draw.choice(lists)
        for _ in range(min(len(one), draw.choice([1, 1, 3]))):
            order.append(one.pop())
        lists = [segments for segments in lists if segments]
    return order


def disturbed(draw, order):
    """Some segments up to four positions late, and some a second time."""
    positioned = []
    chance = draw.choice([0, 0.05, 0.2])
    for position, segment in enumerate(order):
        late = draw.randint(1, 4) + 0.5 if draw.random() < chance else 0
        positioned.append((position + late, segment))
        if segment.payload and draw.random() < chance / 2:
            positioned.append((position + late + draw.randint(1, 4) + 0.25, segment))
    return [segment for _, segment in sorted(positioned, key=lambda one: one[0])]


class Capture:
    """A pcap file of connections, and what a reader should make of it."""

    def __init__(self, draw, habits):
        drawn = [draw_connection(draw, number, habits) for number in range(draw.choice([1, 1, 2, 3, 5]))]
        order = interleaved(draw, [segments for _, segments in drawn])
        self.of_side = {id(side): one for one, _ in drawn for side in one.sides()}
        order = order if habits.is_plain else self.opened_first(disturbed(draw, order))
        self.connections = []  # in the order of their first packets
        self.file = bytearray(FILE_HEADER)
        for number, segment in enumerate(order, 1):
            self.add(number, segment)

    def opened_first(self, order):
        """The order with no SYN after a FIN of its connection, where it would begin another stream."""
        opened = []
        for segment in order:
            ends = [
                position for position, other in enumerate(opened)
                if other.flags & FIN and self.of_side[id(other.side)] is self.of_side[id(segment.side)]
            ]
            opened.insert(ends[0] if ends and segment.flags & SYN else len(opened), segment)
        return opened

    def add(self, number, segment):
        connection = self.of_side[id(segment.side)]
        if not connection.packets:
            self.connections.append(connection)
        connection.packets.append(number)
        microseconds = number * 997
        seconds, microseconds = START + microseconds // 1_000_000, microseconds % 1_000_000
        moment = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
        segment.side.capture(segment, number, f"{moment}.{microseconds:06}Z", len(self.file) + HEADERS)
        packet = self.packet(connection, segment)
        self.file += RECORD.pack(seconds, microseconds, len(packet), len(packet)) + packet

    def packet(self, connection, segment):
        client, server = connection.sides()
        source, target = (client, server) if segment.side is client else (server, client)
        sequence = (source.first_number + 1 + segment.position) & 0xFFFFFFFF
        acknowledged = (target.first_number + 1) & 0xFFFFFFFF if segment.flags & ACK else 0
        ports = (source.peer[1], target.peer[1], sequence, acknowledged, 5 << 4, segment.flags, 0xFFFF)
        pseudo = struct.pack(">IIHH", source.peer[0], target.peer[0], 6, TCP.size + len(segment.payload))
        tcp = TCP.pack(*ports, checksum(pseudo + TCP.pack(*ports, 0, 0) + segment.payload), 0) + segment.payload
        head = (0x45, 0, IPV4.size + len(tcp), 0, 0x4000, 64, 6)
        peers = (source.peer[0], target.peer[0])
        return IPV4.pack(*head, checksum(IPV4.pack(*head, 0, *peers)), *peers) + tcp
