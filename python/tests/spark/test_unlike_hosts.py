"""Workers without the command. They have an environment of their own, so this is the last of these files."""

from pathlib import Path

import pytest
from conftest import generate
from spark_sessions import start


def test_a_missing_command_is_named_with_its_host(tmp_path, monkeypatch, real_command):
    dump = generate(tmp_path / "one.bin", "dump", 1, tuples=10)
    settings = {"spark.executorEnv.APNSIFT": "./apnsift-of-driver", "spark.task.maxFailures": "1"}
    session = start("local-cluster[1,1,1024]", **settings)
    # Driver and workers have the same environment here, but are in different directories.
    of_driver = Path(session._jvm.java.lang.System.getProperty("user.dir")) / "apnsift-of-driver"
    of_driver.symlink_to(real_command)
    with pytest.raises(Exception, match=r"host \S+: \./apnsift-of-driver: not a program"):
        session.read.format("apnsift").load(str(dump)).count()
