"""How checks end, and how they use all processors."""

import contextlib
import io
import time
import unittest

import checkers  # noqa: F401  (finds apnsift_tool)
import apnsift_tool


class ToolTests(unittest.TestCase):
    def test_a_check_with_faults_fails(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            apnsift_tool.conclude(["one", "two"], "all is right", "do this")
        self.assertRegex(errors.getvalue(), r"^.+: one\n.+: two\n$")
        self.assertRegex(ended.exception.code, r"^.+: 2 faults; do this$")

    def test_a_check_without_faults_passes(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            apnsift_tool.conclude(iter([]), "all is right")
        self.assertRegex(output.getvalue(), r"^.+: all is right\n$")

    def test_results_are_in_order(self):
        found = apnsift_tool.on_all_processors(lambda number: time.sleep(0.02 / number) or -number, range(1, 9))
        self.assertEqual(list(found), [(number, -number) for number in range(1, 9)])

    def test_no_other_is_begun_after_the_time(self):
        found = list(apnsift_tool.on_all_processors(lambda _: time.sleep(0.02), range(1000), 0.1))
        self.assertTrue(0 < len(found) < 1000)

    def test_an_exception_is_that_of_the_caller(self):
        with self.assertRaises(ZeroDivisionError):
            list(apnsift_tool.on_all_processors(lambda number: 1 / number, [1, 0]))
