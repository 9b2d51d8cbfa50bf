#!/usr/bin/env python3
"""Runs a reader of feedback over the cases that judge one, without apnsift (docs/corpora.md, FORMAT.md in a release file).

usage: run.py [FILE FUNCTION]     (default: the function `reader` of this file, which is right)

The function gets an object with recv(limit), like a socket, and returns or yields time and token of each tuple.
"""

import itertools
import json
import re
import runpy
import sys
from pathlib import Path


class Connection:
    """A read returns at most the rest of a chunk, and nothing at the end."""

    def __init__(self, data, sizes):
        self.data, self.sizes, self.left = data, itertools.cycle(sizes), 0

    def recv(self, limit):
        self.left = self.left or next(self.sizes)
        count = min(limit, self.left)
        read, self.data, self.left = self.data[:count], self.data[count:], self.left - count
        return read


def reader(connection):
    data = b""
    while came := connection.recv(4096):
        data += came
        while len(data) >= 6 and len(data) >= (end := 6 + int.from_bytes(data[4:6], "big")):
            if end > 6:
                yield int.from_bytes(data[:4], "big"), data[6:end]
            data = data[end:]


def cases(folder):
    """Name, bytes, sizes of chunks and records of each dump that judges a reader of feedback."""
    for dump in sorted(folder.rglob("input.bin")):
        *objects, summary = map(json.loads, dump.with_name("expected.ndjson").read_text("utf-8").rstrip("\n").split("\n"))
        is_whole = not any(summary[name] for name in ("skipped_bytes", "gap_bytes", "undecoded_bytes"))
        is_dense = all(one.get("code") != "separating-bytes" for one in objects)
        if is_whole and is_dense and {one["protocol"] for one in objects if one["type"] == "stream"} == {"feedback"}:
            chunks = re.search(r"^chunks: \[(.*)\]$", dump.with_name("case.yml").read_text("utf-8"), re.MULTILINE)
            sizes = [int(size) for size in chunks[1].split(",")] if chunks else [4096]
            records = [(one["timestamp"], bytes.fromhex(one["token"])) for one in objects if one["type"] == "feedback"]
            yield str(dump.parent.relative_to(folder)), dump.read_bytes(), sizes, [one for one in records if one[1]]


def fault(read, data, sizes, records):
    """What is wrong with the reader in a case; None if nothing is."""
    try:
        found = list(read(Connection(data, sizes)))
    except Exception as error:
        return f"failed: {error!r}"
    pairs = enumerate(itertools.zip_longest(found, records))
    return next((f"record {at}: expected {one[1]}, found {one[0]}" for at, one in pairs if one[0] != one[1]), None)


def main(file=__file__, function="reader", *more):
    read = not more and Path(file).is_file() and runpy.run_path(file).get(function)
    if not read:
        sys.exit(f"run.py: expected a file and the name of a function in it; {__doc__.splitlines()[2]}")
    results = {name: fault(read, *case) for name, *case in cases(Path(__file__).resolve().parent)}
    faults = [f"{name}: {what}" for name, what in results.items() if what]
    print(*faults, f"{len(faults)} of {len(results)} cases failed", sep="\n")
    sys.exit(bool(faults) or not results)


if __name__ == "__main__":
    main(*sys.argv[1:])
