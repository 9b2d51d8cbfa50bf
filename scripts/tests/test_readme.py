"""Small documents and a stub of the command: what check-readme finds in them, and what --update writes."""

import pytest
from conftest import load

readme = load("check-readme")

STAND_IN = """#!/bin/sh
echo "one"; echo "two" >&2; echo "three"; exit 3
"""

# name: (document, faults that are found)
CASES = {
    "output as promised": ("```console\n$ apnsift x.bin\none\ntwo\nthree\n```\n", 0),
    "a missing line": ("```console\n$ apnsift x.bin\none\nthree\n```\n", 1),
    "an output where none is promised": ("```console\n$ echo a\n```\n", 1),
    "… for lines, and for none": ("```console\n$ apnsift x.bin\none\n…\n$ apnsift x.bin\none\n…\ntwo\nthree\n```\n", 0),
    "… inside a line": ("```console\n$ apnsift x.bin\no…e\ntwo\nth…\n```\n", 0),
    "… does not hide what follows": ("```console\n$ apnsift x.bin\n…\nfour\n```\n", 1),
    "… inside a line ends with it": ("```console\n$ apnsift x.bin\no…three\n```\n", 1),
    "characters that mean something to a pattern": ("```console\n$ echo '(a.*'\n(a.*\n```\n", 0),
    "exit code of the command before": ("```console\n$ apnsift x.bin >/dev/null 2>&1\n$ echo $?\n3\n```\n", 0),
    "a command of two lines, and its file": ("```console\n$ echo a \\\n> b >f\n```\n\n```console\n$ cat f\na b\n```\n", 0),
    "samples are there": ("```console\n$ ls samples/README.md\nsamples/README.md\n```\n", 0),
    "one server for all blocks": (
        "```console postgresql\n$ createdb a\n```\n\n```console postgresql\n$ psql -d a -Atc 'SELECT 1'\n2\n```\n", 1),
    "no server where none is asked for": ("```console\n$ echo ${PGHOST-none}\nnone\n```\n", 0),
    "other blocks do not run": ("```text\n$ echo a\nb\n```\n", 0),
    "targets": ("`make test`, `make teas`\n```sh\nmake test && make demo   # all\nmake tea\n```\n", 2),
    "a command that does not run": ("```sh\nls\napnsift export a.bin\n```\n", 1),
}

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


@pytest.mark.parametrize("name", CASES)
def test_documents(name, checked):
    text, expected = CASES[name]
    assert len(checked(text)[0]) == expected


def test_update(checked):
    faults, text = checked(STALE, update=True)
    assert len(faults) == 1 and text == UPDATED
