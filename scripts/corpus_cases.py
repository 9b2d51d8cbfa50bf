"""The cases of samples/corpus (docs/corpora.md): their inputs, how to read them, and what must come of them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from apnsift_tool import ROOT

CORPUS = ROOT / "samples" / "corpus"


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

    def option(self, name, default=None):
        return self.options[self.options.index(name) + 1] if name in self.options else default

    def of(self, *types):
        return [item for item in self.expected if item["type"] in types]


def listed(text, key):
    """The words of a list in brackets, which docs/corpora.md shows."""
    found = re.search(rf"^{key}: \[(.*)\]$", text, re.MULTILINE)
    words = re.findall(r'"[^"]*"|[^",]+', found[1]) if found else []
    return [word.strip('" ') for word in words if word.strip()]


def read(directory):
    description = (directory / "case.yml").read_text()
    _, *expected, summary = map(json.loads, (directory / "expected.ndjson").read_text().splitlines())
    return Case(
        str(directory.relative_to(CORPUS)), directory, listed(description, "options"),
        list(map(int, listed(description, "chunks"))), re.findall(r"^  - (.*)$", description, re.MULTILINE),
        {path.name: path.read_bytes() for path in directory.glob("input.*")}, expected, summary,
    )  # fmt: skip


def collect():
    return [read(path.parent) for path in sorted(CORPUS.glob("*/*/case.yml"))]
