"""Captures of TLS in variants, with what must be read of each: packets lost, changed, doubled, late, or missing at an end."""

import math
from dataclasses import dataclass

from oracle.tcp import Capture, Direction, read
from oracle.tls_records import (
    CHANGE_CIPHER_SPEC, HANDSHAKE, OVERHEAD, RECORD_HEADER, has_chained_iv, is_tls13, mapped, records as records_of, suite_of,
)  # fmt: skip

PORT = 2196  # of the server
TUPLE = 38  # bytes
CONNECT = b"CONNECT feedback.example:2196 HTTP/1.1\r\n\r\n"
DIALOGUES = {  # what clients and servers (True) say in clear before TLS
    "an HTTP proxy": [
        (False, CONNECT),
        (True, b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 3000\r\n\r\n" + b"x" * 3000),
        (False, CONNECT),
        (True, b"HTTP/1.1 200 Connection established\r\n\r\n"),
    ],
    "SOCKS": [(False, b"\5\1\0"), (True, b"\5\0"), (False, b"\5\1\0\1\xc0\0\2\7\x08\x94"), (True, b"\5\0\0\1\xc0\0\2\7\4\0")],
    "the PROXY protocol": [(False, b"PROXY TCP4 192.0.2.7 192.0.2.8 50000 2196\r\n")],
}


def tuples(dump):
    """(offset, time, token) of each."""
    for offset in range(0, len(dump), TUPLE):
        item = dump[offset : offset + TUPLE]
        yield offset, int.from_bytes(item[:4], "big"), item[6:].hex()


@dataclass
class Variant:
    name: str
    content: bytes
    options: list
    capture: Capture = None  # nil where offsets in the file are those of another format
    is_exact: bool = False  # all records, at their offsets, without a gap
    least: int = 0  # how many records at least
    wanted: tuple = ()  # records that must be there, as (time, token)


class Examined:
    """A capture of one connection as its parts: packets, records of the server, offsets of plaintext where they can be known."""

    def __init__(self, path, keys, dump):
        self.path, self.keys, self.dump = path, keys, dump  # `dump` is what the server sent
        self.capture = read(path.read_bytes(), PORT)
        (self.port,) = self.capture.ports
        self.server = Direction(self.capture, self.port)
        self.records = list(records_of(self.server.content))
        self.version, self.suite = suite_of(self.server.content)
        self.map = mapped(self.records, self.suite, len(dump))

    def touched(self, index):
        """The records that have bytes in a packet, and the one after them if its IV is the end of theirs."""
        found = [record for record in self.records if index in self.server.indexes(record.offset, record.end)]
        if found and has_chained_iv(self.version, self.suite):
            found += [record for record in self.records if record.offset > found[-1].offset][:1]
        return found

    def bodies(self, index):
        """Positions in a packet's payload that are in no header of a record."""
        packet = self.capture.packets[index]
        start = (packet.sequence - self.server.base) % 0x100000000
        heads = {record.offset + byte - start for record in self.records for byte in range(RECORD_HEADER)}
        return [position for position in range(len(packet.payload)) if position not in heads]

    def least(self, index, is_there=False):
        """Records that must be there without a packet, or with a changed one: none where the handshake is damaged.

        TLS 1.3 needs nothing of a handshake that is not there.
        """
        records = self.touched(index)
        lost = sum(record.length for record in records)
        if (is_there or not is_tls13(self.suite)) and any(record.kind in (HANDSHAKE, CHANGE_CIPHER_SPEC) for record in records):
            return 0
        return max(0, len(self.dump) // TUPLE - math.ceil(lost / TUPLE) - 2)

    def variants(self):
        whole = self.capture
        yield self.variant("whole", whole, is_exact=True)
        for after in (0, len(whole.packets) // 2, len(whole.packets)):
            content = whole.with_secrets(self.keys.read_bytes(), after)
            yield Variant(f"whole by secrets block after packet {after}", content, [], is_exact=True)
        for name, dialogue in DIALOGUES.items():
            yield Variant(f"after {name}", whole.after(dialogue).content, ["--keys", self.keys], is_exact=True)
        indexes = whole.server_data()
        for turn, (index, following) in enumerate(zip(indexes, [*indexes[1:], None], strict=True), 1):
            yield self.variant(f"packet {turn} dropped", whole.dropped(index), least=self.least(index))
            if bodies := self.bodies(index):
                position = bodies[index * 7919 % len(bodies)]
                yield self.variant(f"packet {turn} flipped", whole.flipped(index, position),
                    least=self.least(index, is_there=True))
            yield self.variant(f"packet {turn} doubled", whole.doubled(index), is_exact=True)
            if following:
                yield self.variant(f"packets {turn} and {turn + 1} swapped", whole.swapped(index, following), is_exact=True)
        yield self.variant("server alone", whole.server_alone(), is_exact=True)
        if is_tls13(self.suite):
            for turn, index in enumerate(indexes, 1):
                yield self.variant(f"from packet {turn} on", whole.started_at(index), wanted=tuple(self.after(index)))
        else:
            yield self.variant("from the middle on", whole.started_at(indexes[len(indexes) // 2]))

    def variant(self, name, capture, **expected):
        return Variant(name, capture.content, ["--keys", self.keys], capture, **expected)

    def after(self, index):
        """The tuples that records hold of which no byte is before a packet."""
        starts = [begin for record, begin, _ in self.map if min(self.server.indexes(record.offset, record.end)) >= index]
        return [(time, token) for offset, time, token in tuples(self.dump) if starts and offset >= starts[0]]

    def locations(self):
        """(time, token): offset of the ciphertext of its first byte. Of CBC there are none, as padding hides them."""
        found = {}
        for offset, time, token in tuples(self.dump):
            for record, begin, length in self.map or []:
                if begin <= offset < begin + length:
                    found[time, token] = record.offset + RECORD_HEADER + OVERHEAD[self.suite][0] + offset - begin
        return found
