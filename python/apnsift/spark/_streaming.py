"""Files that arrive in directories, as a stream: each file once.

The files are in the order of modification time, then path. An offset is the last file of a batch in that order, with the
number of files in the batch and of all files to there: two numbers notice files that arrive with an older time, or that
are gone before they are read. So its size does not grow. A file that changes gets a new time, and is read again, whole.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow

from apnsift._errors import Error
from apnsift.spark._files import File, Position, listed
from apnsift.spark._source import Files, Partitioned, planned

Offset = dict[str, Any]


def _end(offset: Offset) -> Position:
    return offset["modified"], offset["path"]


class FileStream(Partitioned, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream of the files at some paths."""

    _last: Position | None = None  # of a query that ends with what is there now

    def initialOffset(self) -> Offset:
        return {"modified": -1, "path": "", "files": 0, "total": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxFiles(self.settings.max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        self._last = max((file.position for file in self._settled()), default=(-1, ""))

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        files = sorted(self._settled())
        if self._last is not None:
            files = [file for file in files if file.position <= self._last]
        fresh = [file for file in files if file.position > _end(start)]
        known = len(files) - len(fresh)
        if known > start["total"]:
            late = f"{known - start['total']}, among {known} that end with {', '.join(file.path for file in files[:known][-3:])}"
            advice = "touch them and start the query again, and they are read"
            self._fail(f"files that are older than the last one that was read arrived: {late}; {advice}")
        if not isinstance(limit, ReadAllAvailable):
            fresh = fresh[: limit.max_files if isinstance(limit, ReadMaxFiles) else self.settings.max_files]
        if not fresh:
            return start
        last = fresh[-1]
        return {"modified": last.modified, "path": last.path, "files": len(fresh), "total": known + len(fresh)}

    def partitions(self, start: Offset, end: Offset) -> list[Files]:
        begin, last = _end(start), _end(end)
        files = sorted(file for file in self._listed() if begin < file.position <= last)
        expected = end["files"] if begin < last else 0
        if len(files) != expected:
            self._fail(f"files of the batch to {end['path']}: expected {expected}, found {len(files)} now")
        return planned(self.settings, files, must_be_unchanged=True) if files else []

    def _listed(self) -> Iterator[File]:
        # A directory that is empty is listed as a path without a file.
        return (file for file in listed(self.settings.paths) if file.modified > 0)

    def _settled(self) -> Iterator[File]:
        """The files that are old enough: files that are moved in together may arrive in another order than they were written."""
        newest = time.time_ns() - int(self.settings.settle_seconds * 1e9)
        return (file for file in self._listed() if file.modified <= newest)

    def _fail(self, message: str) -> None:
        if not self.settings.is_partial:
            raise Error([f"{message} (mode=partial goes on without them)"])
