"""One cluster of two workers serves most tests."""

import functools
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

import apnsift
from apnsift.spark import ApnsiftDataSource
from conftest import ROOT, TABLES, generate

# Runs before the command on all hosts, and does once what a test asks for by a file in its directory.
WRAPPER = """#!/bin/sh
case "$*" in
*" -- /"*)
  if mv '{control}/kill' '{control}/killed' 2>/dev/null; then kill -9 $PPID; exit 1; fi
  # Workers have directories of their own. The version is in the metadata of the stream.
  case "$PWD" in */app-*)
    if [ -e '{control}/other-version' ]; then '{command}' "$@" | sed 's/{version}/0.0.9/'; exit; fi
  esac
  ;;
esac
exec '{command}' "$@"
"""


@pytest.fixture(scope="session")
def real_command():
    return apnsift.command()


@pytest.fixture(scope="session")
def control(tmp_path_factory, real_command):
    """The directory in which a test creates `kill`: the next Python worker that starts the command is then killed.

    The file `other-version` gives workers another version.
    """
    directory = tmp_path_factory.mktemp("control")
    wrapper = directory / "apnsift"
    wrapper.write_text(WRAPPER.format(control=directory, command=real_command, version=re.escape(apnsift.version())))
    wrapper.chmod(0o755)
    return directory


@functools.lru_cache(maxsize=1)
def _started(workers, command, **settings):
    _stop()
    os.environ["PYSPARK_PYTHON"] = sys.executable  # also of the planning processes on the driver
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]").appName("apnsift tests")
    # These leave out the optimising compiler of Java: jobs are short, and it would take longer than it saves.
    own = TABLES["settings of Spark"]
    session = builder.config(map={**own, "spark.executorEnv.APNSIFT": command, **settings}).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(ApnsiftDataSource)
    return session


def _stop():
    if session := SparkSession.getActiveSession():
        session.stop()


@pytest.fixture
def spark(control, monkeypatch):
    monkeypatch.setenv("APNSIFT", str(control / "apnsift"))
    return _started(2, str(control / "apnsift"))


@pytest.fixture(scope="session", autouse=True)
def start():
    """Starts a session with a number of workers and their command; one that runs with others ends."""
    yield _started
    _stop()
    shutil.rmtree(Path(pyspark.__file__).parent / "work", ignore_errors=True)  # where local-cluster writes


@pytest.fixture(scope="session")
def files(tmp_path_factory, real_command):
    """201 files: dumps, whole and damaged, captures of feedback and of gateway connections, pushes, requests for channels."""
    directory = tmp_path_factory.mktemp("files")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda seed: _file(directory / str(seed % 7), seed), range(200)))
    shutil.copy(ROOT / "samples/pushes/case-channels.pcap", directory)
    return directory


def _file(folder, seed):
    folder.mkdir(exist_ok=True)
    kind, given = {
        0: ("capture", {"tuples": 300, "connections": 3}), 1: ("gateway", {"tuples": 200, "responses": 20}),
        2: ("pushes", {"tuples": 100}), 3: ("dump", {"tuples": 400, "lost_bytes": 3}),
    }.get(seed % 10, ("dump", {"tuples": 100 + seed}))  # fmt: skip
    generate(folder / f"{seed:03}.{'bin' if kind == 'dump' else 'pcap'}", kind, seed, **given)
