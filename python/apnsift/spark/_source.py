"""The data source: its schema, its partitions, and how a worker reads one."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

import apnsift
from apnsift._errors import CommandNotFound, Error, UsageError
from apnsift.spark._files import File, grouped, listed
from apnsift.spark._settings import Settings

if TYPE_CHECKING:
    from apnsift.spark._streaming import FileStream


class ApnsiftDataSource(DataSource):
    """The format `apnsift`: records of dumps, captures and logs.

    >>> from apnsift.spark import ApnsiftDataSource
    >>> spark.dataSource.register(ApnsiftDataSource)  # doctest: +SKIP
    >>> spark.read.format("apnsift").option("records", "pushes").load("/data/captures")  # doctest: +SKIP

    Options of its own: records, columns, mode (failfast or partial), partitionBytes, and of streams maxFilesPerTrigger and
    settleSeconds. All others are the long options of `apnsift export`; a JSON array is a list: `[32, 54]`.
    """

    @classmethod
    def name(cls) -> str:
        return "apnsift"

    @property
    def settings(self) -> Settings:
        return Settings.parsed(self.options)

    def schema(self) -> StructType:
        settings = self.settings
        return from_arrow_schema(apnsift.schema(settings.records, columns=settings.columns, **settings.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        return Reader(self.settings, schema)

    def streamReader(self, schema: StructType) -> FileStream:
        from apnsift.spark._streaming import FileStream

        return FileStream(self.settings, schema)


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


class Partitioned:
    """Reads files of a batch or a stream."""

    def __init__(self, settings: Settings, schema: StructType) -> None:
        self.settings = settings
        self.schema = schema

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The batches of a partition, with Spark's types. Without partitions, Spark makes one with no value."""
        if not isinstance(partition, Files):
            return
        _check_unchanged(partition)
        target = to_arrow_schema(self.schema, timezone="UTC")
        with self._reader(target.names, partition) as reader:
            for batch in reader:
                yield batch.cast(target)
        _check_unchanged(partition)

    def _reader(self, columns: list[str], partition: Files) -> apnsift.Reader:
        paths, given, host = [file.path for file in partition.files], self.settings, f"host {socket.gethostname()}"
        try:
            reader = apnsift.read(
                paths, records=given.records, columns=columns, jobs=given.jobs, partial=given.is_partial, **given.options
            )
        except CommandNotFound as error:
            raise CommandNotFound([f"{host}: {message}" for message in error.messages]) from None
        found = (reader.schema.metadata or {}).get(b"apnsift.version", b"").decode()
        if found != partition.version:
            reader.close()
            differing = f"expected apnsift {partition.version}, as on the driver, found {found} at {apnsift.command()}"
            raise Error([f"{host}: {differing}; install the same version on all hosts"])
        return reader


def _check_unchanged(partition: Files) -> None:
    for file in partition.files if partition.must_be_unchanged else ():
        if not file.is_unchanged():
            raise Error([f"{file.path}: changed while it was read; write files elsewhere, then move them"])


class Reader(Partitioned, DataSourceReader):
    """Reads a batch of files.

    It takes no filters: Spark 4.3 keeps those of one query for the next query of the same DataFrame, and so loses rows.
    """

    def partitions(self) -> list[Files]:
        if not self.settings.paths and not self.settings.is_together:
            raise UsageError(["no input: name files or directories in load()"], 64)
        return planned(self.settings, list(listed(self.settings.paths)))
