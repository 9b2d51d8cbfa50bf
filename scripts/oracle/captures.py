"""Capture files, pcap: written."""

import struct
from collections import namedtuple

from oracle.wire import utc

BEGIN = 1396310400_000_000_000  # 2014-04-01T00:00:00Z in nanoseconds; packets come a millisecond apart
STEP = 1_000_000
ETHERNET, RAW_IP = 1, 101  # link types

# A frame in a file: the time is in nanoseconds since 1970; the length is that on the wire, also where the snap length cut it.
Frame = namedtuple("Frame", "data time length")


def frames(datas):
    return [Frame(data, BEGIN + STEP * index, len(data)) for index, data in enumerate(datas)]


def stamp(nanoseconds, digits):
    """RFC 3339 with this number of digits after the point."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{utc(seconds)[:-1]}.{rest:09}"[: 20 + digits] + "Z"


def pcap(content, link=ETHERNET):
    data = bytearray(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link))
    for frame in content:
        seconds, rest = divmod(frame.time, 1_000_000_000)
        data += struct.pack("<IIII", seconds, rest // 1000, len(frame.data), frame.length) + frame.data
    return bytes(data)
