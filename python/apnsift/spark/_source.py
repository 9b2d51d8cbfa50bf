"""The data source: its schema, its partitions, and how a worker reads one."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

import apnsift
from apnsift._errors import CommandNotFound, Error
from apnsift.spark import _filters
from apnsift.spark._files import File, grouped, is_unchanged, listed
from apnsift.spark._settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from apnsift.spark._streaming import FileStream


class ApnsiftDataSource(DataSource):
    """The format `apnsift`: records of dumps, captures and logs.

    >>> from apnsift.spark import ApnsiftDataSource
    >>> spark.dataSource.register(ApnsiftDataSource)  # doctest: +SKIP
    >>> spark.read.format("apnsift").option("records", "pushes").load("/data/captures")  # doctest: +SKIP

    Options of its own: records, columns, mode (failfast or partial), partitionBytes, and of streams maxFilesPerTrigger and
    settleSeconds. All others are the long options of `apnsift export`; a JSON array repeats one.
    """

    pushes_filters = False

    @classmethod
    def name(cls) -> str:
        return "apnsift"

    @property
    def settings(self) -> Settings:
        return Settings.parsed(self.options)

    def schema(self) -> StructType:
        settings = self.settings
        found = apnsift.schema(settings.records, columns=settings.columns, **settings.options)
        return from_arrow_schema(found)

    def reader(self, schema: StructType) -> DataSourceReader:
        kind = PushingReader if self.pushes_filters else Reader
        return kind(self.settings, schema)

    def streamReader(self, schema: StructType) -> FileStream:
        from apnsift.spark._streaming import FileStream

        return FileStream(self.settings, schema)


class _PushingDataSource(ApnsiftDataSource):
    pushes_filters = True


def register(spark: SparkSession) -> None:
    """Registers the format `apnsift`, with filters that workers apply: Spark has that turned off by default."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(_PushingDataSource)


@dataclass(frozen=True)
class Files(InputPartition):
    """Files that one task reads, with the version of the command that the driver has."""

    files: tuple[File, ...]
    version: str
    must_be_unchanged: bool = False


def planned(settings: Settings, files: Sequence[File], *, must_be_unchanged: bool = False) -> list[Files]:
    version = apnsift.version()
    groups = [list(files)] if settings.is_together else grouped(files, settings.partition_bytes)
    return [Files(tuple(group), version, must_be_unchanged) for group in groups]


class Reader(DataSourceReader):
    """Reads a batch of files."""

    def __init__(self, settings: Settings, schema: StructType) -> None:
        self.settings = settings
        self.schema = schema
        self.filters: list[Filter] = []

    def partitions(self) -> list[Files]:
        return planned(self.settings, list(listed(self.settings.paths)))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        # Without partitions, Spark makes one with no value.
        return batches(self.settings, self.schema, partition, self.filters) if isinstance(partition, Files) else iter(())


class PushingReader(Reader):
    """A reader that also gets the filters. Overriding `pushFilters` is an error where Spark has them turned off."""

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:
        self.filters = list(filters)
        return filters  # Spark applies all of them again


def batches(
    settings: Settings, schema: StructType, partition: Files, filters: Sequence[Filter] = ()
) -> Iterator[pa.RecordBatch]:
    """The batches of a partition, with Spark's types, without rows that the filters exclude."""
    _check_unchanged(partition)
    target = to_arrow_schema(schema, timezone="UTC")
    condition = _filters.expression(filters, target)
    with _reader(settings, target.names, partition, _filters.token(filters, settings.records)) as reader:
        for batch in reader:
            batch = batch.cast(target)
            if condition is not None:
                batch = batch.filter(condition)
            if batch.num_rows:
                yield batch
    _check_unchanged(partition)


def _reader(settings: Settings, columns: list[str], partition: Files, token: bytes | None) -> apnsift.Reader:
    options: dict[str, Any] = {**settings.options, **({"token": token} if token else {})}
    try:
        reader = apnsift.read(
            [file.path for file in partition.files],
            records=settings.records, columns=columns, jobs=settings.jobs, partial=settings.is_partial, **options,
        )  # fmt: skip
    except CommandNotFound as error:
        raise CommandNotFound([f"host {socket.gethostname()}: {message}" for message in error.messages]) from None
    found = (reader.schema.metadata or {}).get(b"apnsift.version", b"").decode()
    if found != partition.version:
        reader.close()
        raise Error(
            [
                f"host {socket.gethostname()}: expected apnsift {partition.version}, as on the driver, found {found} at"
                f" {apnsift.command()}; install the same version on all hosts"
            ]
        )
    return reader


def _check_unchanged(partition: Files) -> None:
    for file in partition.files if partition.must_be_unchanged else ():
        if not is_unchanged(file):
            raise Error([f"{file.path}: changed while it was read; write files elsewhere, then move them"])
