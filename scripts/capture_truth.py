"""What the captures in samples/captures hold, as the mock server and the forwarder logged it when they were recorded.

NAME.truth.csv is the truth of every capture NAME-anything; NAME-anything.holes.csv has the byte ranges that this
capture lacks. Offsets are byte offsets from 0 in what the server sent.
"""

import csv

import reference_decoder

COMPANIONS = (".truth.csv", ".holes.csv", ".keys")  # files about captures
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
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def sent_streams(capture):
    """Stream number in the truth: all bytes that the server sent on it."""
    name = capture.name.split(".")[0].split("-")[0]
    streams = {}
    for row in read_table(capture.with_name(f"{name}.truth.csv")):
        sent = streams.setdefault(int(row["stream"]), bytearray())
        token = bytes.fromhex(row["token"])
        if len(sent) != int(row["offset"]):
            raise ValueError(f"{name}.truth.csv: a tuple at offset {row['offset']}, expected at {len(sent)}")
        sent += int(row["timestamp"]).to_bytes(4, "big") + len(token).to_bytes(2, "big") + token
    return streams


def holes(capture):
    """(stream, offset, length) of the bytes missing from the capture, in order."""
    path = capture.with_name(f"{capture.name.split('.')[0]}.holes.csv")
    rows = read_table(path) if path.exists() else []
    return [(int(row["stream"]), int(row["offset"]), int(row["length"])) for row in rows]


def captured_streams(capture):
    """Stream number in the file: its bytes as a dump, with the gap mark of tshark for each hole."""
    sent = sent_streams(capture)
    for stream, offset, length in reversed(holes(capture)):
        sent[stream][offset : offset + length] = f"[{length} bytes missing in capture file]\0".encode()
    numbers = STREAMS.get(capture.name, [(stream, stream) for stream in sent])
    return {there: bytes(sent[stream]) for stream, there in numbers}


def expected(capture):
    """By the rules: (stream, offset, timestamp, token, flags) of records, (stream, code, offset, length) of findings."""
    records, findings = [], []
    for stream, dump in captured_streams(capture).items():
        decoded = reference_decoder.decode(dump)
        for item in decoded.records:
            records.append((stream, item["offset"], item["timestamp"], item["token"], tuple(item["flags"])))
        for item in decoded.findings:
            findings.append((stream, item["code"], item["offset"], item["length"]))
    return sorted(records), sorted(findings)
