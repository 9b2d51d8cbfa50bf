"""The headers of TLS records in a direction, and what protection adds to their plaintext, for the suites of samples."""

from collections import namedtuple

DATA = 23  # type of a record
RECORD_HEADER = 5
TUPLE = 38  # bytes

TLS13 = 0x13  # the upper byte of its suites
# Suite: (bytes before the ciphertext of the content, bytes after it).
OVERHEAD = {
    **dict.fromkeys((0x009C, 0x009D, 0xC02B, 0xC02C, 0xC02F, 0xC030), (8, 16)),  # GCM: nonce, tag
    **dict.fromkeys((0x1301, 0x1302, 0x1303), (0, 17)),  # the type of the content comes before the tag
}


class Record(namedtuple("Record", "kind offset length")):
    """The offset is that of its header, in what a side sent; the length that of its body."""

    @property
    def end(self):
        return self.offset + RECORD_HEADER + self.length


def records(content):
    offset = 0
    while offset + RECORD_HEADER <= len(content):
        yield (record := Record(content[offset], offset, int.from_bytes(content[offset + 3 : offset + 5], "big")))
        offset = record.end


def suite_of(content):
    """The number of the suite of the server's first hello: record and message header, version, random, session id."""
    session = 11 + 32
    start = session + 1 + content[session]
    return int.from_bytes(content[start : start + 2], "big")


def mapped(records, suite, total, padding=0):
    """(record, offset of its plaintext, bytes of it) of all that carry the data, `total` bytes; None where that is hidden.

    `padding` is in bytes of zeros that each record ends with.

    In TLS 1.3 messages of the handshake and alerts have the type of data, too: those are before the data, or of 2 or 5 bytes
    (alert, key update), as no write of the samples is.
    """
    if suite not in OVERHEAD:
        return None
    chosen, end = [], total
    for record in reversed(records):
        length = record.length - padding - sum(OVERHEAD[suite])
        if end > 0 and record.kind == DATA and not (suite >> 8 == TLS13 and length in (2, 5)):
            end -= length
            chosen.append((record, end, length))
    return chosen[::-1] if end == 0 else None


def locations(content, data):
    """(time, token) of each tuple of the data: offset of the ciphertext of its first byte. Of CBC there are none."""
    suite, found = suite_of(content), {}
    for record, begin, length in mapped(list(records(content)), suite, len(data)) or []:
        for offset in range(-(-begin // TUPLE) * TUPLE, begin + length, TUPLE):
            key = int.from_bytes(data[offset : offset + 4], "big"), data[offset + 6 : offset + TUPLE].hex()
            found[key] = record.offset + RECORD_HEADER + OVERHEAD[suite][0] + offset - begin
    return found
