"""Damaged copies of every capture and sample, and what no input may do to the command.

Each copy is damaged by bits, bytes, cuts, copies, lengths and ports, and read by `export --to ndjson` and `inspect --json`, with
limits that are drawn. No process may end by a signal or an internal error, or use more than 5 s of a processor or 512 MiB. The
sums of the summary hold, and those of docs/spec/interface.md#sums for each direction.
"""

import json
import random

from accounting import broken_sums
from apnsift_tool import CHECKS, ROOT, SAMPLES, binary, measured, on_all_processors

MOST_SECONDS, MOST_KIBIBYTES = 5, 512 << 10
LONGEST = 1 << 20
SUFFIXES = {".bin", ".pcap", ".pcapng", ".txt", ".hex", ".base64", ".xxd", ".hexdump", ".yaml", ".log", ".gz", ".zst", ".lz4"}
FOLDERS = ["samples/captures", "samples/corpus", "samples/pushes", "samples/tls", "Tests/Fixtures/captures"]
LIMITS = json.loads((CHECKS / "limits.json").read_text())["of damaged copies"]
# Numbers of the wire that mean something: bytes, ports of the service and lengths of tokens, lengths of packets.
NUMBERS = {
    1: [b"\x00", b"\x01", b"\x7f", b"\x80", b"\xff"], 2: [b"\x08\x93", b"\x08\x94", b"\x00\x20", b"\xff\xff"],
    4: [bytes(4), b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\xff\xff\xff\xff"],
}


def inputs():
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*"))] + sorted(SAMPLES.glob("*"))
    return [file for file in files if file.is_file() and file.suffix in SUFFIXES and file.stat().st_size <= LONGEST]


def damaged(content, draw):
    """A copy with one to sixty changes."""
    data = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 5, 20, 60])):
        if len(data) < 4:
            break
        kind, at = draw.random(), draw.randrange(len(data))
        if kind < 0.35:
            data[at] ^= 1 << draw.randrange(8)
        elif kind < 0.72:
            size = draw.choice([1, 1, 1, 1, 1, 1, 2, 2, 4])
            data[at:at + size] = draw.choice([*NUMBERS[size], draw.randbytes(size)])
        elif kind < 0.84:
            del data[at:at + draw.randrange(1, 200)]
        elif kind < 0.96:
            start = draw.randrange(len(data))
            data[at:at] = data[start:start + draw.randrange(1, 300)]
        else:
            del data[at:]
    return bytes(data)


def fault(run):
    """What is wrong with a run; None if nothing is."""
    if run.code not in (0, 2):
        return f"exit code {run.code}: {run.errors[-300:]}"
    if run.seconds > MOST_SECONDS or run.kibibytes > MOST_KIBIBYTES:
        return f"{run.seconds:.1f} s, {run.kibibytes >> 10} MiB"
    try:
        if run.output.startswith('{"type"'):  # an object for each line, else the document of `inspect`
            return broken_sums(list(map(json.loads, run.output.split("\n")[:-1])))
        return json.loads(run.output) and None
    except ValueError as error:
        return f"no JSON: {error}"


class Mutations:
    """Copies of inputs: of each one, before any has a second."""

    def __init__(self, draw, directory, count):
        files, self.directory = inputs(), directory
        order = draw.sample(files, len(files))
        self.copies = [(number, order[number % len(order)], draw.getrandbits(64)) for number in range(count)]

    def check(self):
        for (_, file, _), found in on_all_processors(self.read, self.copies):
            yield from ((f"a damaged copy of {file.relative_to(ROOT)}", command, [problem]) for command, problem in found)

    def read(self, copy):
        """(command, what is wrong) of the readings of a copy, which stays where something is."""
        number, file, seed = copy
        draw, path = random.Random(seed), self.directory / f"{number}-{'-'.join(file.relative_to(ROOT).parts)}"
        path.write_bytes(damaged(file.read_bytes(), draw))
        limits = draw.choice(LIMITS).split()
        commands = [[binary(), *words, *limits, path] for words in (["export", "--to", "ndjson"], ["inspect", "--json"])]
        found = [(command, problem) for command in commands if (problem := fault(measured(command, 4 * MOST_SECONDS)))]
        if not found:
            path.unlink()
        return found
