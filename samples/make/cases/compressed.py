"""Compressed inputs. Blocks are stored as they are, so that no version of a library makes other bytes."""

import struct
import zlib

from cases.captured import PARTS, feedback, on_ethernet, session
from cases.case import Case, Stream
from cases.wire import bytes_of, cut, rec
from oracle.captures import pcap

FEW = PARTS[:2]
DATA = bytes_of(FEW)
UNREADABLE = {"stream": None, "direction": None, "code": "unreadable-input"}


def cases():
    return [*sound(), *damaged()]


def gzip(data, checksum=None):
    """RFC 1952, with one stored block (RFC 1951)."""
    stored = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF) + data
    checksum = zlib.crc32(data) if checksum is None else checksum
    return bytes.fromhex("1f8b0800000000000003") + stored + struct.pack("<II", checksum, len(data))


def zstd(data):
    """RFC 8878, with one raw block and the content's size in two bytes (256 less than it is)."""
    return struct.pack("<IBH", 0xFD2FB528, 0x60, len(data) - 256) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def zstd_of_few(data):
    """The same with a size of one byte."""
    return struct.pack("<IBB", 0xFD2FB528, 0x20, len(data)) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def skippable(data):
    return struct.pack("<II", 0x184D2A50, len(data)) + data


def lz4(data):
    """A frame with one block that is stored; version 1, independent blocks of up to 64 KiB."""
    head = b"\x60\x40"
    block = struct.pack("<I", 0x80000000 | len(data)) + data
    return struct.pack("<I", 0x184D2204) + head + bytes([xxh32(head) >> 8 & 0xFF]) + block + bytes(4)


def xxh32(data):
    """xxHash of fewer than 4 bytes, with seed 0."""
    prime = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
    value = prime[4] + len(data)
    for byte in data:
        value = value + byte * prime[4] & 0xFFFFFFFF
        value = (value << 11 | value >> 21) * prime[0] & 0xFFFFFFFF
    value = (value ^ value >> 15) * prime[1] & 0xFFFFFFFF
    value = (value ^ value >> 13) * prime[2] & 0xFFFFFFFF
    return value ^ value >> 16


def packed(name, shows, covers, files, streams=None, **more):
    """Inputs that all hold FEW, by the rest of the input's name."""
    streams = streams or [Stream(server=FEW, source=f"input.{key}") for key in sorted(files)]
    inputs = {f"input.{key}": data for key, data in files.items()}
    return Case(name, shows, covers, inputs, streams, positions=None, **more)


def sound():
    yield packed(
        "format/compressed", "Dumps may be compressed with gzip, zstd or lz4", ["format/compressed"],
        {"bin.gz": gzip(DATA), "bin.lz4": lz4(DATA), "bin.zst": zstd_of_few(DATA)},
    )  # fmt: skip
    halves = DATA[:50], DATA[50:]
    yield packed(
        "format/compressed-in-parts", "Several members or frames in a row are one content; zeros after gzip are padding",
        ["format/compressed"],
        {
            "bin.gz": gzip(halves[0]) + gzip(halves[1]) + bytes(10), "bin.lz4": lz4(halves[0]) + lz4(halves[1]),
            "bin.zst": skippable(b"remark") + zstd_of_few(halves[0]) + skippable(b"") + zstd_of_few(halves[1]),
        },
    )  # fmt: skip
    file = pcap(on_ethernet(session(FEW[:1], [38]))).data
    yield packed(
        "capture/compressed", "Captures may be compressed, too; offsets are those of their content",
        ["format/compressed", "capture/provenance"],
        {"pcap.gz": gzip(file), "pcap.zst": zstd(file)}, [stream_of(f"input.pcap.{kind}") for kind in ("gz", "zst")],
        format="capture",
    )  # fmt: skip
    text = DATA.hex().encode()
    yield packed(
        "format/compressed-text", "What is compressed may be text", ["format/compressed", "format/hex"], {"txt.gz": gzip(text)},
        format="hex",
    )


def stream_of(source):
    return feedback(FEW[:1], fields={"last_packet": 7}, source=source)


def damaged():
    whole = gzip(DATA)
    yield packed(
        "format/compressed-cut", "Of data that is cut, what could be decompressed is used", ["format/compressed-damage"],
        {"bin.gz": whole[: 15 + 60]}, [Stream(server=[rec(0), cut(DATA[38:60])])], findings=[UNREADABLE], exit=2,
    )  # fmt: skip
    yield packed(
        "format/compressed-with-a-wrong-checksum", "Data that its checksum finds damaged is used, and said to be",
        ["format/compressed-damage"],
        {"bin.gz": gzip(DATA, checksum=1)}, findings=[UNREADABLE], exit=2,
    )  # fmt: skip
    yield packed(
        "format/compressed-with-something-behind", "Bytes after compressed data are not read, and are reported",
        ["format/compressed-damage"],
        {"bin.gz": whole + b"something else"}, findings=[UNREADABLE], exit=2,
    )  # fmt: skip
    yield Case(
        "format/compressed-twice", "One layer of compression is looked through: what is compressed twice is named and not read",
        ["format/compressed-damage"],
        {"input.bin.gz.gz": gzip(whole)}, [], findings=[{"code": "unreadable-input", "source": "input.bin.gz.gz"}],
        unread={"input.bin.gz.gz"}, exit=2,
    )  # fmt: skip
