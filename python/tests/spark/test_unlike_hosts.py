"""Workers without the command. They have an environment of their own, so this is the last of these files."""

from pathlib import Path

import pytest
from conftest import generate


def test_a_missing_command_is_named_with_its_host(tmp_path, start, real_command):
    dump = generate(tmp_path / "one.bin", "dump", 1, tuples=10)
    session = start(1, "./apnsift-of-driver", **{"spark.task.maxFailures": "1"})
    # Driver and workers have the same environment here, but are in different directories.
    of_driver = Path(session._jvm.java.lang.System.getProperty("user.dir")) / "apnsift-of-driver"
    of_driver.symlink_to(real_command)
    with pytest.raises(Exception, match=r"host \S+: \./apnsift-of-driver: not a program"):
        session.read.format("apnsift").load(str(dump)).count()
