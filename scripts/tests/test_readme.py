"""Small documents and a stub of the command: what check-readme finds in them, and what --update writes."""

import json
from pathlib import Path

import pytest
from conftest import load

readme = load("check-readme")

STAND_IN = """#!/bin/sh
echo "one"; echo "two" >&2; echo "three"; exit 3
"""

# Name, faults that are found, lines of the document.
CASES = json.loads(Path(__file__).with_name("transcripts.json").read_text())

STALE = "```console\n$ apnsift x.bin\nold\n```\n\n```console\n$ echo a\n…\nb\n```\n"
UPDATED = "```console\n$ apnsift x.bin\none\ntwo\nthree\n```\n\n```console\n$ echo a\n…\nb\n```\n"


@pytest.fixture
def checked(tmp_path):
    """Checks a text: its faults, and the text that is there then."""
    document, command = tmp_path / "document.md", tmp_path / "apnsift"
    command.write_text(STAND_IN)
    command.chmod(0o755)

    def check(text, **options):
        document.write_text(text)
        return readme.check(document, str(command), **options), document.read_text()

    return check


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_documents(case, checked):
    _, expected, *lines = case
    assert len(checked("".join(f"{line}\n" for line in lines))[0]) == expected


def test_update(checked):
    faults, text = checked(STALE, update=True)
    assert len(faults) == 1 and text == UPDATED
