"""What samples/captures/gateway.pcap holds, as the client and the mock gateway logged it when it was recorded.

gateway.requests.truth.csv has what the client wrote and what became of it, gateway.responses.truth.csv what the
gateway wrote. Their columns have the names that `apnsift export` gives them. Offsets are byte offsets from 0 in their direction.
"""

import csv
import struct

NAME = "gateway.pcap"
ERROR = 8  # the command byte of an error response


def read_table(path):
    """The column names, and the rows as dictionaries."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    return reader.fieldnames, rows


def requests(directory):
    return read_table(directory / "gateway.requests.truth.csv")


def responses(directory):
    return read_table(directory / "gateway.responses.truth.csv")


def request_bytes(row):
    """A request as it stood on the wire; integers are big-endian."""
    token, payload = bytes.fromhex(row["token"]), row["payload"].encode()
    fields = {"1": token, "2": payload}
    for number, name, layout in (("3", "identifier", ">I"), ("4", "expiry", ">I"), ("5", "priority", ">B")):
        if row[name]:
            fields[number] = struct.pack(layout, int(row[name]))
    command = bytes([int(row["command"])])
    if row["items"]:
        items = [(number, fields[number]) for number in row["items"].split(";")]
        frame = b"".join(struct.pack(">BH", int(number), len(data)) + data for number, data in items)
        return command + struct.pack(">I", len(frame)) + frame
    head = command + fields.get("3", b"") + fields.get("4", b"")
    return head + struct.pack(">H", len(token)) + token + struct.pack(">H", len(payload)) + payload


def response_bytes(row):
    return struct.pack(">BBI", ERROR, int(row["status"]), int(row["identifier"]))


def streams(rows, wire_bytes):
    """Stream number: all bytes of the direction that the rows are about."""
    sent = {}
    for row in rows:
        stream = sent.setdefault(int(row["stream"]), bytearray())
        data = wire_bytes(row)
        if len(stream) != int(row["offset"]) or len(data) != int(row.get("length", len(data))):
            raise ValueError(f"the truth of {NAME}: offset {row['offset']}, expected {len(stream)}, or a length: {row}")
        stream += data
    return {number: bytes(stream) for number, stream in sent.items()}


def sent(directory):
    """Stream number: the bytes of the client, and those of the gateway."""
    client = streams(requests(directory)[1], request_bytes)
    gateway = streams(responses(directory)[1], response_bytes)
    return {number: (data, gateway.get(number, b"")) for number, data in client.items()}
