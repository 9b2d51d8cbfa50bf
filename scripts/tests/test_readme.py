"""Small documents and a stub of the command: what check-readme finds in them, and what --update writes."""

import tempfile
import unittest
from pathlib import Path

from checkers import load

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


class ReadmeTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.document = Path(directory.name, "document.md")
        self.command = Path(directory.name, "apnsift")
        self.command.write_text(STAND_IN)
        self.command.chmod(0o755)

    def faults(self, text, **options):
        self.document.write_text(text)
        return readme.check(self.document, str(self.command), **options)

    def test_documents(self):
        for name, (text, expected) in CASES.items():
            with self.subTest(name):
                faults = self.faults(text)
                self.assertEqual(len(faults), expected, faults)

    def test_update(self):
        self.assertEqual(len(self.faults(STALE, update=True)), 1)
        self.assertEqual(self.document.read_text(), UPDATED)
