"""What the captures in samples/captures hold, as clients, servers and the forwarder logged it when they were recorded.

NAME.truth.csv is the truth of every capture NAME-anything of feedback; NAME-anything.holes.csv has the byte ranges that this
capture lacks. gateway.requests.truth.csv has what the client wrote and what became of it, gateway.responses.truth.csv what the
gateway wrote. Columns have the names that `apnsift export` gives them. Offsets are byte offsets from 0 in their direction.
"""

import csv

from oracle.decoder import decode_dump
from oracle.wire import tuple_bytes, with_marks

COMPANIONS = (".truth.csv", ".holes.csv", ".keys")  # files about captures
GATEWAY = "gateway.pcap"
# Truth numbers all streams; these hold some of them, under numbers of their own: (in the truth, in the file).
STREAMS = {
    "session-follow-hex.txt": [(0, 0)],
    "session-follow-raw.txt": [(0, 0)],
    "session-follow.yaml": [(0, 0)],
    "session-pdus.pcapng": [(0, 0), (2, 1)],  # stream 1 is empty, and an empty stream has no PDU
}
# Without its keys; the other capture of TLS brings them.
ENCRYPTED = {"session-tls.pcap"}


def read_table(path):
    """The rows as dictionaries, whose keys are the columns in their order."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def streams(path, wire_bytes):
    """Stream number: all bytes of the direction that the rows of a table are about."""
    sent = {}
    for row in read_table(path):
        stream = sent.setdefault(int(row["stream"]), bytearray())
        data = wire_bytes(row)
        if len(stream) != int(row["offset"]) or len(data) != int(row.get("length", len(data))):
            raise ValueError(f"{path.name}: offset {row['offset']}, expected {len(stream)}, or a length: {row}")
        stream += data
    return {number: bytes(stream) for number, stream in sent.items()}


def tuple_of(row):
    return tuple_bytes(int(row["timestamp"]), bytes.fromhex(row["token"]))


def holes(path):
    """(stream, offset, length) of the bytes missing from a capture, in order, by the file beside it."""
    path = path.with_name(f"{path.name.split('.')[0]}.holes.csv")
    rows = read_table(path) if path.exists() else []
    return [(int(row["stream"]), int(row["offset"]), int(row["length"])) for row in rows]


def expected(capture):
    """By the rules: (stream, offset, timestamp, token, flags) of records, (stream, code, offset, length) of findings."""
    name, missing, records, findings = capture.name.split(".")[0].split("-")[0], holes(capture), [], []
    sent = streams(capture.with_name(f"{name}.truth.csv"), tuple_of)
    for number, stream in STREAMS.get(capture.name, zip(sent, sent)):
        # A dump, with the gap mark of tshark for each hole.
        answer = decode_dump(with_marks(sent[number], [hole for where, *hole in missing if where == number]))
        records += [(stream, item["offset"], item["timestamp"], item["token"], tuple(item["flags"])) for item in answer.records]
        findings += [(stream, item["code"], item["offset"], item["length"]) for item in answer.findings]
    return sorted(records), sorted(findings)
