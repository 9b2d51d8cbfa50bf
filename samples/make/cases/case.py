"""A case: its inputs, what it shows, and what must come of it."""

import json
import re
from dataclasses import dataclass, field

from cases.wire import join

OURS = "Made by samples/make/corpus for this project (MIT)"
PLAIN = re.compile(r"[A-Za-z-][A-Za-z0-9 ,./_()'-]*\Z")  # what YAML reads as text without quotes


@dataclass
class Stream:
    """One stream: the parts of its two directions, from which all numbers about it follow."""

    server: list = field(default_factory=list)
    client: list = field(default_factory=list)
    protocol: str = "feedback"
    peers: tuple = (None, None)  # client and server as `address:port`
    source: str | None = None  # else the first input
    findings: list = field(default_factory=list)  # those that do not follow from the parts; with direction and offset
    fields: dict = field(default_factory=dict)  # further keys of its `stream` object
    packets: dict = field(default_factory=dict)  # (direction, offset): the packet that brought the byte


@dataclass
class Case:
    name: str
    shows: str
    covers: list
    inputs: dict  # name: bytes
    streams: list
    options: list = field(default_factory=list)
    chunks: list | None = None
    origin: str = OURS
    format: str = "raw"
    findings: list = field(default_factory=list)  # about inputs, or packets of no stream
    readers: dict = field(default_factory=dict)  # reader: (records, correct, wrong, missed, outcome) or "not-judged"
    spans: dict = field(default_factory=dict)  # capture: the spans of its packets, from packet 1
    positions: str | None = "bytes"  # the form of bytes at file offsets: bytes, hex digits, or None
    pushes: list | None = None  # what an independent reader found in a capture: only these are compared
    unread: set = field(default_factory=set)  # inputs of which nothing can be read
    exit: int = 0

    def text(self):
        """case.yml."""
        lines = [f"shows: {scalar(self.shows)}", f"origin: {scalar(self.origin)}"]
        if self.options:
            lines.append(f"options: [{', '.join(map(scalar, self.options))}]")
        if self.chunks:
            lines.append(f"chunks: [{', '.join(map(str, self.chunks))}]")
        lines.append("covers:")
        lines += [f"  - {label}" for label in self.covers]
        return "\n".join(lines) + "\n"


def scalar(text):
    """A YAML scalar: JSON's strings are YAML's, too."""
    return text if PLAIN.match(text) and text not in ("yes", "no", "null") else json.dumps(text, ensure_ascii=False)


def dump(name, shows, covers, parts, data=None, protocol="feedback", **more):
    """A case of one dump of feedback; its bytes are those of the parts unless `data` is given."""
    stream = Stream(server=parts, protocol=protocol)
    return Case(name, shows, covers, {"input.bin": join(parts) if data is None else data}, [stream], **more)


def dumps(name, shows, covers, lists, protocol="feedback", **more):
    """A case of several dumps of feedback: lists of parts, by the middle part of the input's name."""
    inputs = {f"input.{key}.bin": join(parts) for key, parts in lists.items()}
    streams = [Stream(server=parts, protocol=protocol, source=f"input.{key}.bin") for key, parts in lists.items()]
    return Case(name, shows, covers, inputs, streams, **more)
