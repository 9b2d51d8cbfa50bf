"""Streams of other services, in which apnsift should see no records.

Draws conversations of Modbus, DNP3 and IEC 104, length-prefixed messages, small numbers and noise, on ports of their own, with
or without handshake, and of one or both sides. None has a record, unless two tuples in a row are drawn by chance.
"""

import collections
import struct

from apnsift_tool import binary, table
from oracle.captures import RAW_IP, frames, pcap
from oracle.packets import Conversation, Peer
from oracle.wire import EARLIEST, LATEST, tuple_bytes


def modbus(draw, from_server):
    number, step, unit = draw.randrange(65536), draw.choice([0, 1, 1, 256]), draw.choice([0, 1, 255])
    function, count, messages = draw.choice([1, 2, 3, 4, 5, 6, 16]), draw.randint(1, 60), []
    for _ in range(draw.choice([1, 1, 2, 5, 12, 60])):
        length = 29 if draw.random() < 0.1 else 2 * count  # 29: the size of a tuple
        body = struct.pack(">BHH", function, draw.randrange(200), count)
        if from_server:
            body = bytes([function, length]) + draw.choice([bytes(length), draw.randbytes(length)])
        messages.append(struct.pack(">HHHB", number % 65536, 0, len(body) + 1, unit) + body)
        number += step
    return b"".join(messages)


def prefixed(draw, _):
    form = draw.choice([">I", ">H", "<I", "<H"])
    bodies = (draw.randbytes(draw.randint(1, 80)) for _ in range(draw.choice([1, 1, 2, 10])))
    return b"".join(struct.pack(form, len(body)) + body for body in bodies)


def framed(draw, _):
    body = draw.randbytes(draw.randint(0, 40))
    return len(body).to_bytes(3, "big") + bytes([draw.choice([0, 1, 4, 4, 6, 8]), 0, 0, 0, 0, 0]) + body


def repeated(counts, message):
    """A number of messages, each made of the generator and its number."""
    return lambda draw, _: b"".join(message(draw, number) for number in range(draw.choice(counts)))


def iec104(draw, number):
    size = draw.randint(10, 40)
    return bytes([0x68, size]) + struct.pack("<HH", 2 * number, 0) + draw.randbytes(size - 4)


# Port: name, and what a side says, of the generator and whether it is the server.
SERVICES = {
    502: ("modbus", modbus),
    20000: ("dnp3", repeated([1, 2, 5], lambda draw, _: b"\x05\x64%c\x44" % (size := draw.randint(5,
        60)) + draw.randbytes(size + 6))),
    2404: ("iec104", repeated([1, 2, 9], iec104)),
    9092: ("prefixed", prefixed),
    4840: ("small", repeated(range(1, 121), lambda draw, _: bytes([draw.choice([0, 0, 0, 1, 2, 4, 8, 32,
        draw.randrange(256)])]))),
    5000: ("tagged", repeated([1, 1, 2, 3], lambda draw, _: bytes([8, draw.randrange(12)]) + draw.randbytes(4))),
    8001: ("framed", framed),
    7000: ("stamped", lambda draw, _: tuple_bytes(draw.randint(EARLIEST, LATEST), draw.randbytes(32))),
    6000: ("noise", lambda draw, _: draw.randbytes(draw.randint(1, 600))),
}


def capture(count, draw):
    packets, ports = [], list(SERVICES)
    for number in range(count):
        port, client = ports[number % len(ports)], Peer(f"192.0.2.{1 + number // 50_000}", 10_000 + number % 50_000)
        talk, says = Conversation(client=client, server=Peer("198.51.100.20", port)), SERVICES[port][1]
        if number % 3:
            packets += talk.opening()[:2]
        if number % 5:
            packets.append(talk.says("client", 0, says(draw, False)))
        packets.append(talk.says("server", 0, says(draw, True)))
    return pcap(frames(packets), RAW_IP)


class Chance:
    def __init__(self, draw, directory, count):
        self.command, self.count = [binary(), "export", "--records", "streams", directory / "chance.pcap"], count
        self.command[-1].write_bytes(capture(count, draw))

    def check(self):
        rows = [row for row in table(*self.command[1:]) if row["records"] not in ("", "0")]
        if len(rows) > self.count / 1000:
            ports = [{int(row[side].rpartition(":")[2]) for side in ("client", "server")} & set(SERVICES) for row in rows]
            names = collections.Counter(SERVICES[port.pop()][0] for port in ports)
            found = f"{len(rows)} with {sum(int(row['records']) for row in rows)} records: {dict(names)}"
            yield "chance", self.command, [f"more than one stream in a thousand: {found}"]
