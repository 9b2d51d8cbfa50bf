"""Seeds for the fuzzers: what the samples and fixtures of this repository have, in the form that each target reads.

Targets and the meaning of their options, the first bytes of a sample, are in Fuzz/Sources/fuzz/Targets.
"""

import base64
import gzip
import json
import random
import re
import struct
from hashlib import sha256

from apnsift_tool import CHECKS, FIXTURES, ROOT, SAMPLES, sections
from oracle import tcp
from oracle.wire import sized

# libFuzzer mutates short inputs best. Longer files are cut.
LONGEST = {"feedback": 1000, "requests": 1000, "responses": 400, "http2": 500, "logs": 700, "texts": 400, "exports": 700,
           "carve": 1000, "search": 300, "records": 2000, "packets": 2000, "streams": 200, "tls": 2000, "mappings": 1000, "filters": 200,
           "analysis": 1200, "exchanges": 60, "histories": 50}
TEXTS = {name: [line.encode() for line in lines] for name, lines in sections(CHECKS / "fuzz-seeds" / "texts.txt").items()}


def files(*patterns, root=SAMPLES):
    return sorted(file for pattern in patterns for file in root.rglob(pattern) if file.is_file())


def contents(found):
    """The bytes of files, without gzip's compression."""
    return [gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data for data in (file.read_bytes() for file in found)]


def packets(captures):
    """The packets of each pcap: its link type, then each packet with its length in two bytes."""
    for data in captures:
        if len(data) >= tcp.HEADER and (order := tcp.ORDERS.get(data[:4])):
            link_type = struct.unpack_from(order + "I", data, 20)[0] & 0x1FF
            found = (packet[:0x7FF] for _, packet in tcp.records(data))
            yield struct.pack("<H", link_type) + b"".join(map(sized, found))


def flows():
    """Secrets and chunks of the recorded TLS connections."""
    for file in files("*.flow", root=FIXTURES):
        lines = [line.split(": ", 1) for line in file.read_text().splitlines() if ": " in line]
        keys = "\n".join(value for name, value in lines if name in ("key", "text", "session")).encode()
        sent = [(name == "s", bytes.fromhex(value)[:0xFFFF]) for name, value in lines if name in ("c", "s")]
        yield struct.pack(">H", len(keys)) + keys + b"".join(struct.pack(">BH", side, len(data)) + data for side, data in sent)


def frames():
    for run in json.loads((FIXTURES / "http2.json").read_text())["runs"]:
        yield from (bytes([begin | (run["sender"] != "client")]) + bytes.fromhex(run["hex"]) for begin in (0, 0x80))


def scripts(longest):
    """Operations of a target: the fuzzer finds better ones. Half of them have the lowest option."""
    generator = random.Random(1)
    for number in range(60):
        yield bytes([generator.randrange(256) & 0xFE | number & 1]) + generator.randbytes(generator.randrange(9, longest))


def connections():
    """Sound connections: of each request, its data, its response and what follows that."""
    generator = random.Random(1)
    for beginning in (0, 1, 8):
        for count in (1, 3, 5):
            operations = [[0, 3, 4, 6], [0, 4, 3, 6], [0, 15, 4, 15], [0, 7], [0, 8, 4]] * count
            chosen = [number for part in generator.sample(operations, count) for number in part]
            yield bytes([beginning]) + b"".join(bytes([number | generator.choice((0, 0x20)), generator.randrange(256)]) for number in chosen)


def with_options(options, contents):
    return [bytes(option) + data for data in contents for option in options]


def dumps(*folders):
    return contents([*(file for folder in folders for file in files("*.bin", root=SAMPLES / "corpus" / folder)),
        *SAMPLES.glob("*.bin")])


def texts():
    names = ("*.txt", "*.hex", "*.base64", "*.hexdump", "*.xxd", "*.yaml", "*.txt.gz")
    return contents(file for file in files(*names) if file.parent.name != "tables")


def logs():
    tests = (file.read_text() for file in (ROOT / "Tests" / "ProviderLogsTests").glob("*.swift"))
    written = [match.encode() for text in tests for match in re.findall(r'"""\n(.*?)"""', text, re.DOTALL)]
    return contents(files("*.log", "*.ndjson", "*.csv", root=SAMPLES / "pushes" / "logs")) + written


def searches():
    """The token of the target in all forms, and parts of it."""
    token = bytes.fromhex("740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad")
    groups = token.hex(" ", 4)
    forms = [token, token.hex().encode(), token.hex().upper().encode(), f"<{groups}>".encode()]
    forms += [encode(b"ab"[:count] + token) for encode in (base64.b64encode, base64.urlsafe_b64encode) for count in range(3)]
    return [*forms, b"\xff".join(forms), *(form[:9] for form in forms)]


def seeds():
    """The samples of each target."""
    tuples, gateways = dumps("feedback", "readers"), dumps("requests", "responses", "correlation")
    read = contents([*files("*.pcap", "*.pcapng", "*.pcap.gz"), *files("*.pcap", "*.pcapng", root=FIXTURES)])
    return {
        "feedback": with_options([[0], [1], [0x80]], tuples),
        "requests": with_options([[0], [0x80]], gateways),
        "responses": with_options([[0], [0x80]], gateways),
        "http2": list(frames()),
        "logs": with_options([[0]], logs()),
        "texts": with_options([[number | number << 2 | source] for number in range(4) for source in (0, 0x80)], texts()),
        "exports": with_options([[number | 0x80] for number in range(6)], texts()),
        "carve": with_options([[2], [0]], tuples + gateways + texts() + read[::4]),
        "search": with_options([[0]], searches()),
        "records": with_options([[0], [1]], read),
        "packets": list(packets(read)),
        "streams": list(scripts(200)),
        "tls": list(flows()),
        "mappings": with_options([[0]], contents(files("mapping-*.yml", root=CHECKS)))
        + with_options([[1]], TEXTS["mappings of logs"]),
        "filters": with_options([[0]], TEXTS["filters"]),
        "analysis": with_options([[0, 0, 0], [3, 0x18, 0]], read)
        + with_options([[0, 0, 8], [16, 0, 14]], tuples + gateways)
        + with_options([[0, 0, 9], [0, 0, 10], [0, 0, 11], [0, 0, 0x3B], [0, 0, 15]], texts())
        + with_options([[0, 0, 13]], logs()),
        "exchanges": [*scripts(LONGEST["exchanges"]), *connections()],
        "histories": list(scripts(LONGEST["histories"])),
    }


def write(directory):
    """Writes the samples of each target into its directory, named by their digests."""
    for target, samples in seeds().items():
        folder = directory / target
        folder.mkdir(parents=True, exist_ok=True)
        for sample in samples:
            sample = sample[:LONGEST[target]]
            (folder / sha256(sample).hexdigest()[:16]).write_bytes(sample)
