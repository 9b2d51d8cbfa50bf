"""How checks end, and when."""

import re
import time

import apnsift_tool
import pytest


def test_how_a_check_ends(capsys):
    with pytest.raises(SystemExit) as ended:
        apnsift_tool.conclude(iter(["one", "two"]), "all is right", "do this")
    assert re.search(r"^.+: one\n.+: two\n$", capsys.readouterr().err)
    assert re.search(r"^.+: 2 faults; do this$", ended.value.code)
    apnsift_tool.conclude(iter([]), "all is right", "do this")
    assert re.search(r"^.+: all is right\n$", capsys.readouterr().out)


def test_no_other_is_begun_after_the_time():
    found = list(apnsift_tool.on_all_processors(lambda _: time.sleep(0.02), range(1000), 0.1))
    assert 0 < len(found) < 1000
