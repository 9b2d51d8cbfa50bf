"""What check-digests leaves out of an answer: options with their defaults, and nothing else."""

import unittest

from checkers import load

digests = load("check-digests")
ROW = b"<div><dt>--%s</dt><dd>%s</dd></div>\n"


class DefaultOptionTests(unittest.TestCase):
    def without_defaults(self, text):
        command = digests.Command.__new__(digests.Command)
        command.defaults = {"ndjson": [b'{"from":"auto","keys":[],"memory":1024}'], "report": [ROW % (b"from", b"auto")]}
        return digests.OPTIONS.sub(command.without_defaults, text)

    def test_defaults_are_left_out(self):
        self.assertEqual(
            self.without_defaults(b'{"type":"header","options":{"from":"auto","keys":[],"memory":1024}}\n{"a":1}\n'),
            b'{"type":"header","options":[]}\n{"a":1}\n')
        self.assertEqual(self.without_defaults(b"<dl>\n" + ROW % (b"from", b"auto") + b"</dl>\n"), b"<dl>\n</dl>\n")

    def test_other_values_stay(self):
        self.assertEqual(self.without_defaults(b'"options":{"from":"raw","keys":[],"memory":1024}'), b'"options":[["from", "raw"]]')
        self.assertEqual(self.without_defaults(ROW % (b"from", b"raw")), ROW % (b"from", b"raw"))

    def test_options_of_one_answer_alone_stay(self):
        self.assertEqual(self.without_defaults(b'"options":{"from":"auto","new":1}'), b'"options":[["new", 1], "keys", "memory"]')
