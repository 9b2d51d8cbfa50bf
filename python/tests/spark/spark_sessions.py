"""Starts Spark sessions."""

import os
import sys

from pyspark.sql import SparkSession

from apnsift.spark import ApnsiftDataSource

# Short jobs: the optimising compiler would take longer than it saves.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_running = {}  # the only session that runs, by its master and settings


def start(master, **settings):
    """A session; it stops one that runs with other settings."""
    key = (master, *sorted(settings.items()))
    if key in _running:
        return _running[key]
    stop()
    os.environ["PYSPARK_PYTHON"] = sys.executable  # also of the planning processes on the driver
    builder = SparkSession.builder.master(master).appName("apnsift tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        **settings,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(ApnsiftDataSource)
    _running[key] = session
    return session


def stop():
    while _running:
        _running.popitem()[1].stop()
