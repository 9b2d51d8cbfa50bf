"""Captures of TLS in variants, with what must be read of each: packets lost, changed, doubled, late, or missing at an end."""

import math
from dataclasses import dataclass
from pathlib import Path

from oracle.tcp import Capture, Direction, read
from oracle.tls_records import (
    CHANGE_CIPHER_SPEC, CLIENT_HELLO, HANDSHAKE, OVERHEAD, RECORD_HEADER, UNSUPPORTED, has_chained_iv, is_tls13, mapped,
    records as records_of,
    suite_of,
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


@dataclass
class Case:
    path: Path
    secrets: dict  # kind: options of the command
    dumps: list  # what the server sent, by stream

    @property
    def truth(self):
        """All records, as (stream, offset, time, token)."""
        return [(stream, *item) for stream, dump in enumerate(self.dumps) for item in tuples(dump)]


def tuples(dump):
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
    wanted: tuple = ()  # records that must be there, as (stream, time, token)


def is_hello(packet):
    return not packet.is_server and packet.payload[:1] == bytes([HANDSHAKE]) and packet.payload[5:6] == bytes([CLIENT_HELLO])


class Examined:
    """A case as its parts: the packets, the records of each stream, the offsets of plaintext where they can be known."""

    def __init__(self, case):
        self.case = case
        self.capture = read(case.path.read_bytes(), PORT)
        self.streams = [Direction(self.capture, port) for port in self.capture.ports]
        self.records = [list(records_of(stream.content)) for stream in self.streams]
        self.version, self.suite = suite_of(self.streams[0].content)
        self.maps = [mapped(found, self.suite, len(dump)) for found, dump in zip(self.records, case.dumps, strict=True)]
        self.secret = next(iter(case.secrets.values()))

    def of_packet(self, index):
        """A packet's stream, and the records of that."""
        port = self.capture.packets[index].client_port
        return next(pair for pair in zip(self.streams, self.records, strict=True) if pair[0].port == port)

    def touched(self, index):
        """The records that have bytes in a packet, and the one after them if its IV is the end of theirs."""
        stream, records = self.of_packet(index)
        found = [record for record in records if index in stream.indexes(record.offset, record.end)]
        if found and has_chained_iv(self.version, self.suite):
            found += [record for record in records if record.offset > found[-1].offset][:1]
        return found

    def bodies(self, index):
        """Positions in a packet's payload that are in no header of a record."""
        (stream, records), packet = self.of_packet(index), self.capture.packets[index]
        start = (packet.sequence - stream.base) % 0x100000000
        heads = {record.offset + byte - start for record in records for byte in range(RECORD_HEADER)}
        return [position for position in range(len(packet.payload)) if position not in heads]

    def least(self, index, is_there=False):
        """Records that must be there without a packet, or with a changed one: none where the handshake is damaged.

        TLS 1.3 needs nothing of a handshake that is not there.
        """
        records = self.touched(index)
        lost = sum(record.length for record in records)
        all_tuples = sum(map(len, self.case.dumps)) // TUPLE
        if (is_there or not is_tls13(self.suite)) and any(record.kind in (HANDSHAKE, CHANGE_CIPHER_SPEC) for record in records):
            return 0
        return max(0, all_tuples - math.ceil(lost / TUPLE) - 2)

    def variants(self):
        whole = self.capture
        for kind, options in self.case.secrets.items():
            yield Variant(f"whole by {kind}", whole.content, options, whole, is_exact=True)
        if "key log" in self.case.secrets:
            for after in (0, len(whole.packets) // 2, len(whole.packets)):
                content = whole.with_secrets(self.secret[1].read_bytes(), after)
                yield Variant(f"whole by secrets block after packet {after}", content, [], is_exact=True)
        for name, dialogue in DIALOGUES.items():
            yield Variant(f"after {name}", whole.after(dialogue).content, self.secret, is_exact=True)
        if self.suite in UNSUPPORTED:
            return
        indexes = whole.server_data()
        for turn, (index, following) in enumerate(zip(indexes, [*indexes[1:], None], strict=True), 1):
            yield self.variant(f"packet {turn} dropped", whole.dropped(index), least=self.least(index))
            if bodies := self.bodies(index):
                position = bodies[index * 7919 % len(bodies)]
                yield self.variant(f"packet {turn} flipped", whole.flipped(index, position),
                    least=self.least(index, is_there=True))
            yield self.variant(f"packet {turn} doubled", whole.doubled(index), is_exact=True)
            if following and whole.packets[index].client_port == whole.packets[following].client_port:
                yield self.variant(f"packets {turn} and {turn + 1} swapped", whole.swapped(index, following), is_exact=True)
        if self.are_all_in_key_log():
            yield self.variant("server alone", whole.server_alone(), is_exact=True)
        if is_tls13(self.suite):
            for turn, index in enumerate(indexes, 1):
                yield self.variant(f"from packet {turn} on", whole.started_at(index), wanted=tuple(self.after(index)))
        else:
            yield self.variant("from the middle on", whole.started_at(indexes[len(indexes) // 2]))

    def are_all_in_key_log(self):
        """Whether the log has the client random of each connection: of a resumed one GnuTLS does not write it again.

        Without the client's direction nothing else has it.
        """
        if "key log" not in self.case.secrets:
            return False
        log = self.secret[1].read_bytes().lower()
        hellos = {packet.client_port: packet.payload for packet in reversed(self.capture.packets) if is_hello(packet)}
        return all(hello[11:43].hex().encode() in log for hello in hellos.values())

    def variant(self, name, capture, **expected):
        return Variant(name, capture.content, self.secret, capture, **expected)

    def after(self, index):
        """The tuples that records hold of which no byte is before a packet."""
        for number, (stream, found) in enumerate(zip(self.streams, self.maps, strict=True)):
            starts = [begin for record, begin, _ in found if min(stream.indexes(record.offset, record.end)) >= index]
            for offset, *item in tuples(self.case.dumps[number]):
                if starts and offset >= starts[0]:
                    yield number, *item

    def locations(self):
        """(stream, time, token): offset of the ciphertext of its first byte. Of CBC there are none, as padding hides them."""
        found = {}
        for number, dump in enumerate(self.case.dumps):
            spans = self.maps[number] or []
            for offset, *item in tuples(dump):
                for record, begin, length in spans:
                    if begin <= offset < begin + length:
                        start = record.offset + RECORD_HEADER + OVERHEAD[self.suite][0]
                        found[number, *item] = start + offset - begin
        return found
