"""The cases of samples/corpus (docs/corpora.md): their inputs, how to read them, what must come of them, and what the oracle
makes of them."""

import fnmatch
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import yaml

from apnsift_tool import CHECKS, SAMPLES, sections
from oracle.compare import BYTE_SUMS, Expected, differences, in_order
from oracle.decoder import decode_dump, decode_dumps, streams_of
from oracle.runs import OPTIONS, Limits

CORPUS = SAMPLES / "corpus"
LEAST_READ = 232  # cases that the oracle reads: raw dumps, and some captures
BOTH, TIMES = ("requests", "responses"), ("earliest", "latest")
CAPTURES = sections(CHECKS / "oracle-captures.txt")["names"]


@dataclass
class Case:
    name: str
    directory: Path
    options: list  # of `apnsift export`
    chunks: list  # bytes that each read of a reader returns, in turn; empty if the case has none
    covers: list  # labels of rules
    inputs: dict  # name: bytes
    expected: list  # the objects between header and summary
    summary: dict

    @property
    def is_pair(self):
        return "--requests" in self.options

    @property
    def sources(self):
        """The inputs that an export reads, in its order."""
        if self.is_pair:
            return [self.option(name) for name in ("--requests", "--responses")]
        return sorted(self.inputs, key=str.encode)

    @property
    def format(self):
        return self.summary["inputs"][0]["format"] if self.summary["inputs"] else None

    @property
    def is_decrypted(self):
        return any(item.get("tls_version") for item in self.of("stream"))

    def option(self, name, default=None):
        return self.options[self.options.index(name) + 1] if name in self.options else default

    def of(self, *types):
        return [item for item in self.expected if item["type"] in types]


def read(directory):
    described = yaml.load((directory / "case.yml").read_text(), yaml.BaseLoader)
    _, *expected, summary = map(json.loads, (directory / "expected.ndjson").read_text().splitlines())
    return Case(
        str(directory.relative_to(CORPUS)), directory, described.get("options", []),
        list(map(int, described.get("chunks", []))), described.get("covers", []),
        {path.name: path.read_bytes() for path in directory.glob("input.*")}, expected, summary,
    )  # fmt: skip


def collect():
    return [read(path.parent) for path in sorted(CORPUS.glob("*/*/case.yml"))]


def is_read(case):
    area, name = case.name.split("/")
    if case.format == "capture":
        return area == "readers" or area == "capture" and any(fnmatch.fnmatch(name, pattern) for pattern in CAPTURES)
    return case.format == "raw" and all(name.endswith((".bin", ".txt")) for name in case.inputs)


def limits_of(case):
    given = {name: case.option(f"--{name}") for name in OPTIONS if f"--{name}" in case.options}
    days = {name: datetime.fromisoformat(time).timestamp() for name, time in given.items() if name in TIMES and "-" in time}
    return Limits.of(given | days)


def connections(case):
    """(source, number, directions, keys of the stream object) of what the oracle reads: dumps, a pair of dumps, or a capture."""
    limits, streams = limits_of(case), case.of("stream")
    if case.format == "capture":
        port, kinds = int(streams[0]["server"].rpartition(":")[2]), BOTH if streams[0]["client_bytes"] else ["feedback"]
        for stream in streams_of(case.inputs[case.sources[0]], port, kinds, limits):
            yield case.sources[0], *stream
    elif case.is_pair:
        contents = dict(zip(BOTH, map(case.inputs.get, case.sources)))
        yield case.sources[0], 0, decode_dumps(contents, limits), {}
    else:
        for stream in streams:
            sent = "feedback" if stream["protocol"] != "gateway" else "requests" if stream["client_bytes"] else "responses"
            yield stream["source"], stream["stream"], [decode_dump(case.inputs[stream["source"]], sent, limits)], {}


def oracle_faults(case):
    """Where the oracle differs, in the keys of objects that both it and the case know."""
    if not is_read(case):
        return
    found = Expected()
    for *connection, keys in connections(case):
        found.add(*connection, **keys)
    if found.sums != {name: case.summary[name] for name in BYTE_SUMS}:
        yield f"the oracle has the sums {found.sums}"
    # What an input as a whole is like, the oracle does not ask.
    here = in_order(item for item in case.expected if item.get("code") != "unrecognised-input")
    there = in_order(found.objects)
    if len(here) != len(there):
        yield f"the oracle has {len(there)} objects, not {len(here)}"
    keys = [one.keys() & other.keys() for one, other in zip(here, there)]
    here, there = ([{key: item[key] for key in some} for item, some in zip(items, keys)] for items in (here, there))
    yield from (f"the oracle differs (as apnsift): {line}" for line in differences(here, there))
