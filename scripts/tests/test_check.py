"""scripts/check fails where a part fails, and runs the parts after it."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from checkers import load

check = load("check")
AREAS = {"area": ("", [("bad", "sh -c 'echo bad; exit 3'", ""), ("good", "echo good", "")])}


class CheckTests(unittest.TestCase):
    def run_check(self, *words):
        """What it prints, and its exit code."""
        output = io.StringIO()
        with (
            tempfile.TemporaryDirectory() as last, mock.patch.multiple(check, AREAS=AREAS, LAST=Path(last)),
            mock.patch("sys.argv", ["check", *words]), contextlib.redirect_stdout(output),
            self.assertRaises(SystemExit) as ended,
        ):
            check.main()
        return output.getvalue(), ended.exception.code

    def test_a_part_that_fails(self):
        output, code = self.run_check("area")
        took = r"\d+ s, \d+ of processors"
        self.assertRegex(output, rf"^bad\narea bad: {took}, failed: sh .*\narea good: {took}\n$")
        self.assertEqual(code, True)

    def test_a_part_that_passes(self):
        output, code = self.run_check("area", "good")
        self.assertRegex(output, r"^area good: \d+ s, \d+ of processors\n$")
        self.assertEqual(code, False)

    def test_all_areas(self):
        areas = AREAS | {"second": ("", [("also bad", "false", "")])}
        with mock.patch.multiple(check, FIRST=[["area bad", "area good"]]), mock.patch.dict(AREAS, areas):
            output, code = self.run_check("all")
        self.assertRegex(output, "bad\narea bad: .* failed")
        self.assertRegex(output, "area good: ")
        self.assertRegex(output, "second also bad: .* failed: false")
        self.assertEqual(code, True)

    def test_all_areas_but_soak_have_each_part_once(self):
        listed = [part for parts in check.lists() for part in parts]
        self.assertEqual(sorted(listed), sorted(part for area in check.AREAS if area != "soak" for part in check.parts_of(area, [])))

    def test_what_is_not_there(self):
        self.assertIn("there is no other", self.run_check("other")[1])
        self.assertIn("there is no other", self.run_check("area", "good", "other")[1])
