"""A task that hangs is started again on another host, and its rows are there once.

Workers of local-cluster share a host, on which Spark starts no second attempt, so this is a cluster of two host addresses.
"""

import os
import socket
import subprocess
from pathlib import Path

import pyspark
import pytest
from spark_sessions import JAVA_OPTIONS, start, stop

import apnsift

HOSTS = ["127.0.0.2", "127.0.0.3"]


@pytest.fixture
def cluster(tmp_path):
    """The address of a master with a worker of one core on each host."""
    stop()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    commands += [
        [f"{deploy}.worker.Worker", "--host", host, "-c", "1", "-m", "1g", "-d", tmp_path / host, "--webui-port", "0", address]
        for host in HOSTS
    ]
    environment = {**os.environ, "SPARK_HOME": str(spark_class.parent.parent), "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": JAVA_OPTIONS}
    with (tmp_path / "cluster.log").open("w") as log:
        processes = [subprocess.Popen([spark_class, *command], env=environment, stdout=log, stderr=log) for command in commands]
    yield address
    stop()
    for process in processes:
        process.terminate()
        process.wait()


def test_rows_are_the_same_with_speculation(cluster, files, control, monkeypatch):
    monkeypatch.setenv("APNSIFT", str(control / "apnsift"))
    session = start(
        cluster,
        **{
            "spark.executorEnv.APNSIFT": str(control / "apnsift"),
            "spark.executor.memory": "512m",
            "spark.speculation": "true",
            "spark.speculation.interval": "100ms",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.multiplier": "1.1",
            # Both executors must be there before the first task.
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.cores.max": "2",
        },
    )
    os.mkfifo(control / "gate")
    (control / "block").touch()
    try:
        frame = session.read.format("apnsift").option("columns", "source,stream,offset,token")
        found = frame.option("partitionBytes", "50000").load(str(files / "4")).toArrow()
        assert (control / "blocked").exists()  # and it hangs to the end
    finally:
        with open(os.open(control / "gate", os.O_RDWR), "w") as gate:
            gate.write("go on\n")
    names = sorted(map(str, (files / "4").iterdir()))
    expected = apnsift.read(names, columns="source,stream,offset,token").read_all()
    keys = [(name, "ascending") for name in ("source", "stream", "offset", "token")]
    assert found.sort_by(keys).to_pylist() == expected.sort_by(keys).to_pylist()
