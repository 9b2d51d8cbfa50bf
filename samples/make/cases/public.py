"""Public captures of real networks, unchanged. They hold no feedback: what their streams must be says an independent
reassembly of each, in Tests/Fixtures/captures/manifest.json."""

import json
from pathlib import Path

from cases.case import Case, Stream
from cases.wire import opaque

CAPTURES = Path(__file__).resolve().parents[3] / "Tests" / "Fixtures" / "captures"
MANIFEST = {entry["file"]: entry for entry in json.loads((CAPTURES / "manifest.json").read_text())["files"]}


def cases():
    yield real(
        "pcapplusplus/one_tcp_stream_fin_rst_close_packet.pcap", "real-fin-and-rst",
        "A connection that ends with FIN and with RST", ["capture/end"],
    )
    yield real(
        "pcapplusplus/nanosecs_big_endian.pcap", "real-big-endian-nanoseconds",
        "A file with its bytes in the other order and nanoseconds", ["capture/pcap"],
    )
    yield real(
        "gopacket/pcapng-be-test202.pcapng", "real-sections",
        "Sections, interfaces and blocks of many kinds, made to be difficult",
        ["capture/sections", "capture/interfaces", "capture/other-blocks"],
    )


def real(file, name, shows, covers):
    entry = MANIFEST[file]
    origin = f"github.com/{entry['origin']}, {entry['path']}, commit {entry['commit']}, {entry['license']}; unchanged"
    inputs = {f"input.{file.rpartition('.')[2]}": (CAPTURES / file).read_bytes()}
    return Case(f"capture/{name}", shows, covers, inputs, list(streams(entry)), origin=origin, format="capture", positions=None)


def streams(entry):
    """Of each connection, the side that spoke first is the client: these captures have their handshakes, and no gaps."""
    pairs = {}
    for direction in entry["reference"]["directions"]:
        pairs.setdefault(frozenset((direction["src"], direction["dst"])), []).append(direction)
    for both in pairs.values():
        both.sort(key=lambda direction: direction["first_packet"])
        sides = [[opaque(bytes(direction["bytes"]))] for direction in both] + [[]]  # their lengths count, they are not decoded
        yield Stream(client=sides[0], server=sides[1], protocol="other", peers=(both[0]["src"], both[0]["dst"]))
