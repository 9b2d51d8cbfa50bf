"""Captures in which packets have different bytes for the same data: the tokens must be those that were sent.

A server sends tuples in segments that are cut, reordered and sent again. Copies are damaged with a wrong checksum, changed
with a right one, cut by the snap length, sent in fragments, or padding instead of data; some hosts leave all checksums to the
network card. By docs/spec/captures.md, no record may have a byte that was not sent, unless it has a flag; and where each damaged
copy has a wrong checksum, and another copy of its bytes is whole, all tuples must be there without a flag.
"""

import struct

from apnsift_tool import binary, table
from oracle.captures import RAW_IP, frames, pcap
from oracle.packets import ACK, OFFLOADED, Conversation, ones_sum
from oracle.wire import tuples_bytes

START = 1_400_000_000  # seconds


def damage(data, draw):
    """Other bytes, of another checksum."""
    damaged = bytearray(data)
    while ones_sum(damaged) == ones_sum(data):
        for _ in range(draw.choice([1, 1, 2])):
            damaged[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(damaged)


class Sent:
    """The packets of a connection, the tokens sent, and whether everything can be decided."""

    def __init__(self, draw):
        self.draw, self.talk = draw, Conversation(starts=(0, 0))
        self.tokens = [draw.randbytes(32) for _ in range(30)]
        self.data = tuples_bytes((START + 100 * number, token) for number, token in enumerate(self.tokens))
        self.checksum, self.is_decidable = OFFLOADED if draw.random() < 0.1 else None, True
        self.packets, self.has_other_segments = [], False
        self.recent = []  # whether each of the last segments was damaged
        self.alone = []  # packets of whose bytes there is no other version
        end = 0
        while end < len(self.data):
            begin, end = end, end + draw.randint(20, 200)
            end = end if end < len(self.data) - 1 else len(self.data)  # the last byte alone would be a keep-alive
            self.add(begin, end)
        if self.alone and draw.random() < 0.1:
            cut = self.packets.index(draw.choice(self.alone))
            self.packets[cut], self.is_decidable = self.packets[cut][:-1], False
        hello = self.talk.opening()[:2] if draw.random() < 0.7 else []
        if draw.random() < 0.3:
            self.is_decidable &= not self.has_other_segments
            self.packets = [part for number, packet in enumerate(self.packets, 1) for part in self.fragments(packet, number)]
        self.packets, self.is_decidable = hello + self.packets, self.is_decidable and bool(hello)

    def fragments(self, packet, number):
        """The packet, or its datagram in fragments of one identification."""
        head, content = packet[:20], packet[20:]
        if self.draw.random() < 0.5 or len(packet) != struct.unpack_from(">H", packet, 2)[0]:
            return [packet]
        cuts = sorted({0, *(self.draw.randrange(0, len(content), 8) for _ in range(2)), len(content)})
        return [
            struct.pack(">BBHHH", head[0], 0, 20 + end - start, number, (end < len(content)) << 13 | start // 8)
            + head[8:] + content[start:end] for start, end in zip(cuts, cuts[1:])]

    def packet(self, begin, data):
        return self.talk.says("server", begin, data, checksum=self.checksum)

    def damaged(self, begin, data, checksum=None):
        """A packet with the checksum that it had before it was damaged."""
        return self.talk.says("server", begin, data, checksum=checksum)[: -len(data)] + damage(data, self.draw)

    def add(self, begin, end):
        draw, data, kind = self.draw, self.data[begin:end], self.draw.random()
        right = self.packet(begin, data)
        if 2 * (sum(self.recent) + 1) > len(self.recent):  # checksums prove nothing where most are wrong
            kind = max(kind, 0.2)
        self.recent = self.recent[-7:] + [kind < 0.2]
        if kind < 0.15:
            sent = self.damaged_copies(begin, end, right)
        elif kind < 0.2:  # other bytes with a right checksum, unless the card makes it
            sent, self.is_decidable = [self.packet(begin, damage(data, draw)), right], False
        elif kind < 0.25:
            padding = self.talk.send("server", begin, ACK, bytes(draw.randint(1, 6)))
            sent, self.is_decidable = [padding, right], False
        else:
            sent = [right] if draw.random() < 0.8 else [right, right]
            self.alone.append(right)
        for packet in sent[:: -1 if draw.random() < 0.3 else 1]:
            back = draw.randint(0, 3) if draw.random() < 0.3 else 0
            self.packets.insert(max(0, len(self.packets) - back), packet)

    def damaged_copies(self, begin, end, right):
        draw, data = self.draw, self.data[begin:end]
        sent = [self.damaged(begin, data, self.checksum), right]
        if draw.random() < 0.3:
            self.has_other_segments = True
            middle = draw.randint(begin, max(begin, end - 2))  # another segmentation; one byte may be a keep-alive
            parts = (begin, middle), (middle, end)
            sent[1:] = [self.packet(first, self.data[first:last]) for first, last in parts if first < last]
        if draw.random() < 0.3:
            # Two wrong copies leave their bytes in doubt, unless the right one is preferred to the first.
            self.is_decidable &= len(sent) == 2
            sent.insert(draw.randint(0, len(sent)), self.damaged(begin, data))
        self.is_decidable &= self.checksum is None
        return sent


class Copies:
    def __init__(self, draw, directory, _):
        self.sent = Sent(draw)
        whole = [frame._replace(length=struct.unpack_from(">H", frame.data, 2)[0]) for frame in frames(self.sent.packets)]
        (directory / "copies.pcap").write_bytes(pcap(whole, RAW_IP))
        self.command = [binary(), "export", directory / "copies.pcap"]

    def check(self):
        sound = [row["token"] for row in table(*self.command[1:]) if not row["flags"]]
        sent = [token.hex() for token in self.sent.tokens]
        if wrong := set(sound) - set(sent):
            yield "a capture", self.command, [f"a token that was not sent, without a flag: {token}" for token in wrong]
        if self.sent.is_decidable and sound != sent:
            yield "a capture", self.command, [f"all copies can be decided, but {len(sound)} of {len(sent)} tokens have no flag"]
