"""What check-digests leaves out of an answer: options with their defaults, and nothing else."""

import pytest
from conftest import load

digests = load("check-digests")
ROW = b"<div><dt>--%s</dt><dd>%s</dd></div>\n"
# Answer: what is digested.
CASES = {
    b'{"type":"header","options":{"from":"auto","keys":[],"memory":1024}}\n{"a":1}\n':
        b'{"type":"header","options":[]}\n{"a":1}\n',
    b"<dl>\n" + ROW % (b"from", b"auto") + b"</dl>\n": b"<dl>\n</dl>\n",
    b'"options":{"from":"raw","keys":[],"memory":1024}': b'"options":[["from", "raw"]]',
    ROW % (b"from", b"raw"): ROW % (b"from", b"raw"),
    b'"options":{"from":"auto","new":1}': b'"options":[["new", 1], "keys", "memory"]',
}


@pytest.mark.parametrize("answer", CASES)
def test_defaults_alone_are_left_out(answer):
    command = digests.Command.__new__(digests.Command)
    command.defaults = {"ndjson": [b'{"from":"auto","keys":[],"memory":1024}'], "report": [ROW % (b"from", b"auto")]}
    assert command.without_defaults(answer) == CASES[answer]
