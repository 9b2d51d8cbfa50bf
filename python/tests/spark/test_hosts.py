"""Workers on which the command is missing, or has another version. Each needs workers with an environment of its own."""

import pytest
from conftest import generate

from apnsift.spark import register
from spark_sessions import start


@pytest.fixture
def dump(tmp_path):
    return generate(tmp_path / "one.bin", "dump", 1, tuples=10)


def test_a_missing_command_is_named_with_its_host(dump, monkeypatch, real_command):
    monkeypatch.setenv("APNSIFT", real_command)
    session = start("local-cluster[1,1,1024]", **{"spark.executorEnv.APNSIFT": "/nowhere/apnsift", "spark.task.maxFailures": "1"})
    try:
        with pytest.raises(Exception, match=r"host \S+: /nowhere/apnsift: not a program"):
            session.read.format("apnsift").load(str(dump)).count()
    finally:
        session.stop()


def test_another_version_is_named_with_its_host(dump, monkeypatch, real_command, tmp_path):
    other = tmp_path / "apnsift-other"
    # The version is 5 bytes in the metadata of the stream.
    other.write_text(f"#!/bin/sh\n'{real_command}' \"$@\" | sed 's/0\\.1\\.0/0.0.9/'\n")
    other.chmod(0o755)
    monkeypatch.setenv("APNSIFT", real_command)
    session = start("local-cluster[1,1,1024]", **{"spark.executorEnv.APNSIFT": str(other), "spark.task.maxFailures": "1"})
    try:
        with pytest.raises(Exception, match=r"host \S+: expected apnsift 0\.1\.0, as on the driver, found 0\.0\.9 at"):
            session.read.format("apnsift").load(str(dump)).count()
    finally:
        session.stop()
