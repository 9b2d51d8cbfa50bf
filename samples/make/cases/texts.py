"""Dumps as text, sound and damaged, and what other tools make of streams. The files in recorded/ was written by the
tools themselves, on Debian 12, and the commands are in its README."""

import base64
from pathlib import Path

from cases.captured import PARTS
from cases.case import Case, Stream
from cases.compressed import UNREADABLE
from cases.wire import bytes_of, cut, gap, opaque, raw, rec, skip, described, tuple_bytes

RECORDED = Path(__file__).parent / "recorded"
DATA = bytes_of(PARTS)
FOUR = [*PARTS, rec(3)]  # what the server sends in the sessions that were recorded
PEERS = ("192.0.2.10:49152", "192.0.2.20:2196")
HELLO = b"list, please\r\n"
TOOL = "Written by {} of bytes made by samples/make/corpus for this project (MIT)"


def cases():
    return [*hex_dumps(), *damaged(), *alphabets(), *ambiguous(), *exports(), *of_tls()]


def text(name, shows, covers, content, kind, parts=PARTS, suffix="txt", **more):
    streams = more.pop("streams", None) or [Stream(server=parts)]
    positions = more.pop("positions", "hex")
    return Case(name, shows, covers, {f"input.{suffix}": content}, streams, format=kind, positions=positions, **more)


def texts(name, shows, covers, contents, kind, parts=PARTS[:1], **more):
    """The same dump in several texts, by the middle part of the input's name."""
    names = {key: f"input.{key}.txt" for key in sorted(contents)}
    streams = [Stream(server=parts, source=source) for source in names.values()]
    inputs = {source: contents[key] for key, source in names.items()}
    return Case(name, shows, covers, inputs, streams, format=kind, positions=more.pop("positions", "hex"), **more)


def lines(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def readable(data):
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def xxd(data, offset=lambda at: f"{at:08x}"):
    """Two bytes a group, 16 a line."""
    rows = ((at, data[at : at + 16]) for at in range(0, len(data), 16))
    return "".join(f"{offset(at)}: {row.hex(' ', -2):<39}  {readable(row)}\n" for at, row in rows).encode()


def hexdump_rows(data):
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        digits = "  ".join(half.hex(" ").ljust(23) for half in (row[:8], row[8:]))
        yield f"{at:08x}  {digits}  |{readable(row)}|"


def hexdump(data):
    """As hexdump -C has it, where no two lines are the same."""
    return ("\n".join(hexdump_rows(data)) + f"\n{len(data):08x}\n").encode()


def hex_dumps():
    data = bytes_of(PARTS[:1])
    plain = "\n".join(line.hex() for line in lines(data, 30)).encode() + b"\n"
    yield texts(
        "format/plain-hex", "Plain hex in digits of either case, with white space, prefixes or a byte order mark",
        ["format/hex"],
        {
            "xxd-p": plain, "upper-case": data.hex(" ").upper().encode(), "one-line": data.hex().encode(),
            "crlf": plain.replace(b"\n", b"\r\n"),
            "0x": b" ".join(b"0x" + line.hex().encode() for line in lines(data, 4)),
            "backslash": "".join(f"\\x{byte:02x}" for byte in data).encode(),
            "byte-order-mark": b"\xef\xbb\xbf" + plain, "odd-lines": b"\n".join(lines(data.hex().encode(), 61)) + b"\n",
        },
        "hex",
    )  # fmt: skip
    yield texts(
        "format/xxd", "The output of xxd, with offsets in hex or decimal", ["format/xxd"],
        {
            "hex": xxd(data), "decimal": xxd(data, lambda at: f"{at:08d}"),
            "from-1000": xxd(data, lambda at: f"{at + 0x1000:08x}"),
        },
        "hex",
    )  # fmt: skip
    yield text("format/hexdump", "The output of hexdump -C", ["format/hexdump"], hexdump(DATA), "hex")
    zeros = [rec(0), rec(1, "unexpected-token-length", "zero-filled-token", body=bytes(100)), rec(2)]
    long = bytes_of(zeros)
    rows = list(hexdump_rows(long))
    assert rows[3][10:] == rows[7][10:] and long[48:144] == bytes(96)
    starred = "\n".join([*rows[:4], "*", *rows[9:], f"{len(long):08x}"]).encode() + b"\n"
    yield text(
        "format/hexdump-with-star", "A * repeats the line before, up to the next offset", ["format/hexdump"],
        starred, "hex", zeros,
    )  # fmt: skip


def damaged():
    digits = DATA.hex()
    # Byte 40 is the third of tuple 1; it costs that tuple, and no other.
    lost = [rec(0), cut(DATA[38:40]), gap(1), skip(DATA[41:76]), rec(2)]
    spoilt = "\n".join([digits[:80] + "zz" + digits[82:100], digits[100:]]).encode()
    yield text(
        "format/hex-with-other-characters", "Characters that are not hex digits are a gap of the same number of bytes", ["format/damaged-text"],
        spoilt, "hex", lost,
        findings=[{**UNREADABLE, "file_offset": 80}], exit=2,
    )  # fmt: skip
    lone = " ".join(digits[at : at + 2] for at in range(0, len(digits), 2))
    lone = (lone[:120] + lone[121:]).encode()
    yield text(
        "format/hex-with-a-lone-digit", "A digit without its partner is a gap of one byte, and those after it are paired anew",
        ["format/damaged-text"],
        lone, "hex", lost, findings=[{**UNREADABLE, "file_offset": 120}], exit=2,
    )  # fmt: skip
    short = xxd(DATA).splitlines(keepends=True)
    yield text(
        "format/xxd-without-a-line", "Offsets of xxd show that a line is missing", ["format/damaged-text", "format/xxd"],
        b"".join(short[:3] + short[4:]), "hex",
        [rec(0), cut(DATA[38:48]), gap(16), skip(DATA[64:76]), rec(2)],
    )  # fmt: skip
    encoded = base64.b64encode(DATA).decode()
    rows = [encoded[at : at + 76] for at in range(0, len(encoded), 76)]
    rows[0] = rows[0][:56] + "?" + rows[0][57:]  # in the group of the bytes 42 to 44
    yield text(
        "format/base64-with-another-character", "What is no character of base64 costs the three bytes of its group",
        ["format/damaged-text"],
        "\n".join(rows).encode(), "base64", [rec(0), cut(DATA[38:42]), gap(3), skip(DATA[45:76]), rec(2)], positions=None,
        options=["--from", "base64"], findings=[{**UNREADABLE, "file_offset": 56}], exit=2,
    )  # fmt: skip


def alphabets():
    wide = bytes_of(parts := [rec(0), rec(17), rec(25)])
    encoded, other = base64.b64encode(wide), base64.urlsafe_b64encode(wide)
    assert encoded != other and len(wide) % 3 == 0
    yield texts(
        "format/base64", "Base64 in lines or in one, of the standard or the URL-safe alphabet", ["format/base64"],
        {"lines": b"\n".join(lines(encoded, 64)) + b"\n", "one-line": encoded, "url-safe": other}, "base64", parts, positions=None,
    )  # fmt: skip
    padded = bytes_of(PARTS[:1])
    assert len(padded) % 3 == 2
    yield texts(
        "format/base64-padding", "Base64 with padding, without it, and two texts one after the other", ["format/base64"],
        {"padding": base64.b64encode(padded), "url-safe-without": base64.urlsafe_b64encode(padded).rstrip(b"=")}, "base64",
        positions=None,
    )  # fmt: skip


def ambiguous():
    yield Case(
        "format/tuple-like-a-pcap", "A time that is also the magic number of pcap makes no capture without the version of one",
        ["format/recognised-feedback"],
        {"input.bin": tuple_bytes(0x4D3CB2A1, PARTS[0].data[6:]) + raw(1)}, [Stream(server=[rec(0, time=0x4D3CB2A1), rec(1)])],
    )  # fmt: skip
    after = [skip(b"\xee" * 20), rec(0, "resynchronised"), rec(1), rec(2)]
    yield Case(
        "format/feedback-behind-noise", "A dump of which a quarter are tuples is known as feedback",
        ["format/recognised-feedback"],
        {"input.bin": bytes_of(after)}, [Stream(server=after)],
    )  # fmt: skip
    answer = b'HTTP/1.1 410 Gone\r\ncontent-length: 51\r\n\r\n{"reason":"Unregistered","timestamp":1400000000000}'
    yield Case(
        "format/http", "The successor's answer over HTTP is like no dump: it is named as unknown, and no token is read from it",
        ["format/unrecognised"],
        {"input.bin": answer}, [Stream(server=[skip(answer)])],
        findings=[{"source": "input.bin", "stream": None, "code": "unrecognised-input"}],
    )  # fmt: skip
    forced = bytes_of(PARTS).hex().encode()
    yield Case(
        "format/text-read-as-raw", "--from overrides detection: hex that is read as raw is ordinary bytes",
        ["format/from"],
        {"input.txt": forced}, [Stream(server=[skip(forced)])], options=["--from", "raw", "--protocol", "feedback"],
    )  # fmt: skip


def exported(name, shows, label, file, kind, tool, peers=PEERS, **more):
    """What a tool wrote of a client that says one line and a server that sends FOUR."""
    parts, suffix = more.pop("parts", FOUR), file.rpartition(".")[2]
    stream = Stream(server=parts, client=more.pop("client", [opaque(HELLO)]), peers=peers)
    more |= {"streams": [stream], "suffix": suffix, "origin": TOOL.format(tool)}
    return text(name, shows, [label], (RECORDED / file).read_bytes(), kind, **more)


def exports():
    tshark = "tshark 4.0.17"
    yield exported(
        "format/follow-raw", "tshark follows a stream as raw hex", "format/follow-raw", "follow-raw.txt", "follow-raw", tshark,
    )
    yield exported(
        "format/follow-hex", "tshark follows a stream as a hex dump", "format/follow-hex", "follow-hex.txt", "follow-hex",
        tshark,
    )
    numbered = [described(part, original_packet=5, captured_at="2014-04-01T00:00:00.004000Z") for part in FOUR]
    yield exported(
        "format/follow-yaml", "tshark's YAML keeps the numbers and times of packets", "format/follow-yaml", "follow.yaml",
        "follow-yaml", tshark,
        parts=numbered, positions=None,
    )  # fmt: skip
    holed = [rec(0), gap(20), skip(DATA[58:76]), rec(2), rec(3)]
    yield exported(
        "format/follow-raw-with-a-gap", "The mark of tshark is a gap in what it writes as hex, too", "format/follow-raw",
        "follow-raw-gap.txt", "follow-raw",
        tshark, parts=holed, client=[],
    )  # fmt: skip
    for name, options in (("socat-x", "-x"), ("socat-v", "-v -x")):
        yield exported(
            f"format/{name}", f"socat {options} logs both directions of a connection", "format/socat", f"{name}.txt", "socat",
            "socat 1.7.4.4", peers=(None, None),
        )  # fmt: skip
    numbered = [described(part, original_packet=number) for part, number in zip(PARTS, (5, 6, 7))]
    arrays = c_array(0, 0, 4, HELLO) + c_array(1, 0, 5, DATA[:38]) + c_array(1, 1, 6, DATA[38:58]) + c_array(1, 2, 7, DATA[58:])
    yield text(
        "format/c-arrays", "Wireshark's C arrays keep the numbers of packets", ["format/c-arrays"], arrays.encode(), "c-arrays",
        streams=[Stream(server=numbered, client=[opaque(HELLO)])],
    )  # fmt: skip
    content = (RECORDED / "editcap.pcapng").read_bytes()
    yield Case(
        "capture/written-by-editcap", "A pcapng file as Wireshark's tools write it", ["capture/pcapng"],
        {"input.pcapng": content},
        [Stream(server=FOUR, peers=PEERS)], format="capture", origin=TOOL.format("editcap 4.0.17"),
    )  # fmt: skip


def c_array(peer, number, packet, data):
    rows = ", \n".join(", ".join(f"0x{byte:02x}" for byte in row) for row in lines(data, 8))
    return f"char peer{peer}_{number}[] = {{ /* Packet {packet} */\n{rows} }};\n"


def of_tls():
    """The session of Tests/Fixtures/tls-feedback.pcap, which tools decrypted: five tuples, a line, the five tuples again."""
    tokens = [bytes((7 * number + 13 * byte) % 256 for byte in range(32)) for number in range(5)]
    five = [rec(0, time=1_500_000_000 + number, body=token) for number, token in enumerate(tokens)]
    line, peers = [opaque(b"hallo\n")], ("127.0.0.1:57614", "127.0.0.1:21960")
    origin = "Written by {} of Tests/Fixtures/tls-feedback.pcap, recorded for this project (MIT)"
    yield text(
        "format/ssldump", "ssldump decrypts a session and says who the server is", ["format/ssldump"],
        (RECORDED / "ssldump.txt").read_bytes(), "ssldump",
        streams=[Stream(server=five + five, client=line, peers=peers)], origin=origin.format("ssldump 1.4"),
    )  # fmt: skip
    numbered = [described(part, original_packet=number) for number in (11, 15) for part in five]
    yield text(
        "format/follow-yaml-of-tls", "Of a decrypted stream, tshark does not name the side that the capture's client spoke to",
        ["format/follow-yaml"],
        (RECORDED / "follow-tls.yaml").read_bytes(), "follow-yaml", streams=[Stream(server=numbered, client=line)],
        suffix="yaml", positions=None,
        origin=origin.format("tshark 4.0.17"),
    )  # fmt: skip
    content = (RECORDED / "exported.pcapng").read_bytes()
    yield Case(
        "capture/exported-pdus-of-tls",
        "tshark exports what it decrypted, and the records keep the numbers of the packets with ciphertext",
        ["capture/exported-pdu"], {"input.pcapng": content}, [Stream(server=numbered, client=line, peers=peers)],
        format="capture",
        origin=origin.format("tshark 4.0.17"),
    )  # fmt: skip
