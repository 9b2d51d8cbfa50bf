"""How checks end, and when."""

import contextlib
import io
import time
import unittest

import checkers  # noqa: F401  (finds apnsift_tool)
import apnsift_tool


class ToolTests(unittest.TestCase):
    def conclude(self, faults):
        """What is printed, and how it ends."""
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            try:
                apnsift_tool.conclude(iter(faults), "all is right", "do this")
            except SystemExit as ended:
                return printed.getvalue(), ended.code
        return printed.getvalue(), None

    def test_how_a_check_ends(self):
        printed, code = self.conclude(["one", "two"])
        self.assertRegex(printed, r"^.+: one\n.+: two\n$")
        self.assertRegex(code, r"^.+: 2 faults; do this$")
        printed, code = self.conclude([])
        self.assertRegex(printed, r"^.+: all is right\n$")
        self.assertIsNone(code)

    def test_no_other_is_begun_after_the_time(self):
        found = list(apnsift_tool.on_all_processors(lambda _: time.sleep(0.02), range(1000), 0.1))
        self.assertTrue(0 < len(found) < 1000)
