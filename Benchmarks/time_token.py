"""A dump of 38-byte tuples as time,token CSV, as someone would write it by hand in Python. No rule is applied.

usage: time_token.py [--numpy] DUMP
"""

import struct
import sys
from datetime import datetime, timezone

TUPLE = 38


def plain(dump, out):
    while block := dump.read(TUPLE * 10_000):
        for time, token in struct.iter_unpack(">I2x32s", block):
            text = datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            out.write(f"{text},{token.hex()}\n")


def by_numpy(dump, out):
    import numpy

    tuples = numpy.dtype([("time", ">u4"), ("length", ">u2"), ("token", "u1", 32)])
    rows = numpy.dtype([("time", "S19"), ("z", "S2"), ("token", "u1", 64), ("end", "S1")])
    digits = numpy.frombuffer(b"0123456789abcdef", "u1")
    while block := dump.read(TUPLE * 100_000):
        found = numpy.frombuffer(block, tuples)
        written = numpy.empty(len(found), rows)
        moments = found["time"].astype("datetime64[s]")
        written["time"] = numpy.datetime_as_string(moments).astype("S19")
        written["z"], written["end"] = b"Z,", b"\n"
        written["token"][:, 0::2] = digits[found["token"] >> 4]
        written["token"][:, 1::2] = digits[found["token"] & 15]
        out.buffer.write(written.tobytes())


def main():
    *options, path = sys.argv[1:]
    sys.stdout.write("time,token\n")
    sys.stdout.flush()
    with open(path, "rb") as dump:
        (by_numpy if options == ["--numpy"] else plain)(dump, sys.stdout)


if __name__ == "__main__":
    main()
