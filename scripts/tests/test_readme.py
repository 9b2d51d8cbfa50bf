"""Small documents and a stub of the command: what check-readme finds in them, and what --update writes."""

import tempfile
import unittest
from pathlib import Path

from checkers import load

readme = load("check-readme")

STAND_IN = """#!/bin/sh
case "$*" in
  help) echo "USAGE: apnsift <subcommand>"; echo "  -h, --help" ;;
  "help export") echo "USAGE: apnsift export [--to <format>]"; echo "  -t, --to <format>" ;;
  "help store") echo "USAGE: apnsift store <subcommand>" ;;
  "help store list") echo "USAGE: apnsift store list [--dead]"; echo "  --dead" ;;
  "help inspect") echo "USAGE: apnsift inspect [--json]"; echo "  --json" ;;
  help*) echo "USAGE: apnsift <subcommand>" ;;
  *) echo "one"; echo "two" >&2; echo "three" ; exit 3 ;;
esac
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
    "targets": ("```sh\nmake test && make demo   # all\nmake tea\n```\n", 1),
    "options": ("```sh\napnsift export a.bin -t csv --to=csv | wc -l\napnsift store list --dead --to csv\n```\n", 1),
    "an option on a line of its own": ("```sh\napnsift export a.bin \\\n  --too csv\n```\n", 1),
    "helps of commands": ("```sh\napnsift help export\napnsift help\napnsift help exprot\n```\n", 1),
    "a command, and a file instead of one": ("```sh\napnsift exprot a.bin\napnsift a.bin --json\n```\n", 1),
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
