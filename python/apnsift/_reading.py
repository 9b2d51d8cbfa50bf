"""Records as Arrow, and files of all kinds of records."""

from __future__ import annotations

import _thread
import contextlib
import datetime
import itertools
import os
import pathlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable, Literal, TypeVar, Union

import pyarrow as pa

from apnsift._arguments import Path, Paths, inputs, listed, options
from apnsift._command import Run
from apnsift._errors import AlreadyRead, UsageError

if TYPE_CHECKING:
    import pandas
    import polars

Kind = Literal[
    "feedback", "requests", "responses", "resend", "pushes", "resend-pushes", "broadcasts", "channels", "streams", "findings",
    "tokens", "inputs",
]
Format = Literal[
    "auto", "raw", "hex", "base64", "capture", "follow-raw", "follow-hex", "follow-yaml", "c-arrays", "socat", "ssldump",
    "feedback-list", "provider-log", "carve",
]  # fmt: skip
Protocol = Literal["auto", "feedback", "requests", "responses", "pushes"]
Time = Union[datetime.date, int, float, str]  # a datetime is a date, too
Item = TypeVar("Item")
Progress = Union[bool, Callable[[int], object]]


class Reader(contextlib.AbstractContextManager["Reader"]):
    """The records of some inputs, as Arrow record batches, in the order in which the command finds them.

    It is used like a :class:`pyarrow.RecordBatchReader`, once: a second use raises AlreadyRead. Whatever takes an Arrow
    stream takes it: DuckDB by the name of the variable, ``pyarrow.dataset.write_dataset(reader, ...)``, ``polars.DataFrame``
    (``polars.from_arrow`` makes a Series: use :meth:`to_polars`).
    The command runs while batches are read; memory has a few of them. Closing or dropping the reader ends the command.
    """

    def __init__(self, run: Run, partial: bool = False, progress: Progress = False) -> None:
        self._run = run
        items = _items(run, partial)
        self._schema: pa.Schema = next(items)
        self._batches: Iterator[pa.RecordBatch] = _watched(items, progress) if progress else items
        self._taker: object = None  # what takes the batches: the reader itself, or a stream
        self._has_ended = False

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns; the metadata has the versions of the schema and of the command."""
        return self._schema

    @property
    def messages(self) -> list[str]:
        """What the command printed to this moment; after the last batch, all of it (at most 1000 messages)."""
        return list(self._run.messages)

    def read_next_batch(self) -> pa.RecordBatch:
        """The next batch; StopIteration after the last."""
        if not (self._has_ended and self._taker is self):
            self._take(self)
        try:
            return next(self._batches)
        except BaseException:  # the end, too, and an interruption before the first batch
            self.close()
            raise

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self._take(self)
        return self

    __next__ = read_next_batch

    def read_all(self) -> pa.Table:
        """All records that are left, as one table in memory."""
        return pa.Table.from_batches(list(self), self._schema)

    def to_pandas(self, *, dtype_backend: Literal["numpy", "pyarrow"] = "numpy", **arguments: Any) -> pandas.DataFrame:
        """All records that are left.

        dtype_backend: "pyarrow" keeps Arrow's types and memory, and is several times faster than objects of Python.
        arguments: those of :meth:`pyarrow.Table.to_pandas`.
        """
        if dtype_backend == "pyarrow":
            import pandas

            arguments["types_mapper"] = pandas.ArrowDtype
        elif dtype_backend != "numpy":
            raise UsageError([f"dtype_backend: expected numpy or pyarrow, found {dtype_backend!r}"], 64)
        frame: pandas.DataFrame = self.read_all().to_pandas(**arguments)
        return frame

    read_pandas = to_pandas

    def to_polars(self) -> polars.DataFrame:
        """All records that are left."""
        import polars

        return polars.DataFrame(self.read_all())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        self._take(None)  # a library may take several streams, to look at the schema, and read one
        stream = pa.RecordBatchReader.from_batches(self._schema, self.streamed())
        return stream.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]

    def streamed(self) -> Iterator[pa.RecordBatch]:
        """The batches for a library that is not in Python."""
        return uninterrupted(self._streamed())

    def _streamed(self) -> Iterator[pa.RecordBatch]:
        self._take(object())
        with self:  # the library may drop the stream, as after an interruption of its own
            while not self._has_ended and (batch := next(self._batches, None)) is not None:
                yield batch

    def _take(self, taker: object) -> None:
        if self._has_ended or self._taker not in (None, taker):
            advice = "call apnsift.read again, or keep a table of read_all()"
            raise AlreadyRead([f"the records of this reader were taken already: {advice}"])
        self._taker = taker

    def close(self) -> None:
        """Ends the command, if it still runs."""
        self._has_ended = True
        self._run.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def uninterrupted(items: Iterator[Item]) -> Iterator[Item]:
    """The items for a library that is not in Python, and would make an error of its own of a KeyboardInterrupt.

    So that is raised once the library has returned to Python: here the items end, and the last call is not of Python.
    """
    interruptions: list[tuple[()]] = []

    def guarded() -> Iterator[Item]:
        try:
            yield from items
        except KeyboardInterrupt:
            interruptions.append(())

    return itertools.chain(guarded(), filter(None, itertools.starmap(_thread.interrupt_main, interruptions)))


def read(
    paths: Paths = (), *, records: Kind = "feedback", columns: Sequence[str] | str | None = None,
    from_: Format | None = None, protocol: Protocol | None = None, requests: Path | None = None, responses: Path | None = None,
    keys: Path | Sequence[Path] | None = None, join: bool = False, filter: str | None = None,
    token: bytes | str | None = None, flagged: bool = False, token_length: int | str | Sequence[int | str] | None = None,
    earliest: Time | None = None, latest: Time | None = None, time_zone: str | None = None,
    batch_rows: int | None = None, jobs: int | None = None, partial: bool = False, progress: Progress = False,
    **command_options: Any,
) -> Reader:  # fmt: skip
    """Reads the records of one kind from dumps, captures, logs and directories.

    >>> import apnsift
    >>> apnsift.read("samples/lost-byte.bin").read_all().num_rows
    39
    >>> apnsift.read("samples/captures/gateway.pcap", records="responses", columns=["status", "identifier"]).to_pandas()
       status  identifier
    0       8         121
    1      10         206

    paths: a file, directory, pattern such as ``"dumps/**/*.bin"`` or ``"-"`` (standard input), or several of these.
    columns: names in their order; by default those that `apnsift help export` lists. ``stream_offset`` is ``offset`` by a
        name that SQL does not reserve.
    requests, responses: two dumps as one gateway connection, instead of paths.
    keys: key logs of TLS.
    join: read the paths as one capture, in this order.
    filter: of packets, as libpcap has it.
    token, flagged: only records of this token, or with flags.
    token_length, earliest, latest: what is plausible; other lengths and times get a flag. A date is its midnight in UTC.
    batch_rows: most rows of a batch.
    jobs: inputs that are read at the same time.
    partial: an input that cannot be read in full gives a PartialWarning after the last batch, instead of an InputError.
    progress: True writes the number of records to standard error; a function gets it after each batch.
    command_options: other long options of `apnsift export`, with underscores: ``known_hashes=["a.txt", "b.txt"]``.

    A wrong option raises UsageError at once. An input that cannot be read, or not in full, raises InputError after the last
    batch; read it with records="findings" or "inputs" to know more.
    """
    if not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress: expected True or a function, found {progress!r}")
    named = {
        "from": from_, "protocol": protocol, "requests": requests, "responses": responses, "keys": keys, "join": join,
        "filter": filter, "token": token, "flagged": flagged, "token_length": token_length, "earliest": earliest,
        "latest": latest, "time_zone": time_zone,
    }  # fmt: skip
    given = {**named, **command_options}
    arguments = options(given, to="arrow", records=str(records), columns=listed(columns), batch_rows=batch_rows, jobs=jobs)
    return Reader(Run(["export", *arguments], inputs(paths)), partial, progress)


def tokens(paths: Paths = (), **parameters: Any) -> Reader:
    """The distinct tokens of the inputs, a row each: what was sent to it, and when it became invalid.

    >>> import apnsift
    >>> apnsift.tokens("samples/lost-byte.bin").to_polars()["token"].n_unique()
    37

    The parameters are those of `read`, but for `records`.
    """
    return read(paths, records="tokens", **parameters)


def schema(records: Kind = "feedback", *, columns: Sequence[str] | str | None = None, **command_options: Any) -> pa.Schema:
    """The columns that `read` has with these parameters, without reading anything.

    >>> import apnsift
    >>> apnsift.schema(columns="time,token").types
    [TimestampType(timestamp[us, tz=UTC]), DataType(binary)]
    """
    given = {name: value for name, value in command_options.items() if name not in ("requests", "responses")}
    # An empty standard input has no records.
    arguments = options(given, to="arrow", records=str(records), columns=listed(columns))
    with Reader(Run(["export", *arguments], ["-"], has_input=False)) as reader:
        return reader.schema


def _items(run: Run, partial: bool) -> Iterator[Any]:
    """The schema of a run, its batches, and then the exception of its exit status. Whatever ends this ends the command."""
    with run:
        try:
            stream = pa.ipc.open_stream(pa.PythonFile(run.output, "r"))
            yield stream.schema
            yield from stream
        except (pa.ArrowInvalid, OSError):
            run.finish()  # a stream that is cut, or has no schema, has its reason there
            raise
        run.finish(partial=partial)


def _watched(batches: Iterator[pa.RecordBatch], progress: Progress) -> Iterator[pa.RecordBatch]:
    """The batches; after each, progress gets the number of records, or a line on standard error says it."""
    rows, begun, due = 0, time.monotonic(), 0.25

    def say(end: str = "") -> None:
        print(f"\r{rows:,} records, {time.monotonic() - begun:.0f} s", end=end, file=sys.stderr, flush=True)

    try:
        for batch in batches:
            rows += batch.num_rows
            if callable(progress):
                progress(rows)
            elif time.monotonic() - begun >= due:
                due = time.monotonic() - begun + 0.25
                say()
            yield batch
    finally:
        if progress is True:
            say("\n")


_FORMATS = {"csv": "csv", "ndjson": "ndjson", "arrow": "arrows"}  # and the extensions of their files


def export(
    paths: Paths, directory: Path, *, format: Literal["csv", "ndjson", "arrow"] = "csv", force: bool = False,
    jobs: int | None = None, partial: bool = False, **command_options: Any,
) -> dict[str, pathlib.Path]:  # fmt: skip
    """Writes a file of each kind of record, and summary.json, into a directory, in one pass; returns their paths by kind.

    >>> import apnsift
    >>> sorted(apnsift.export("samples/captures/gateway.pcap", "tables"))
    ['broadcasts', 'channels', 'feedback', 'findings', 'inputs', 'pushes', 'requests', 'responses', 'streams', 'summary', 'tokens']

    format: csv, ndjson or arrow (IPC streams).
    force: overwrite files in the directory.
    The other parameters are those of `read`. If an input cannot be read in full, the files have what could be read.
    """
    if format not in _FORMATS:
        raise UsageError([f"unknown format {format!r}: expected one of {', '.join(_FORMATS)}"], 64)
    folder = pathlib.Path(os.fsdecode(directory))
    arguments = options(command_options, to=format, output=f"{folder}/", jobs=jobs, force=force)
    with Run(["export", *arguments], inputs(paths)) as run:
        run.finish(partial=partial)
    files = {path.stem: path for path in sorted(folder.glob(f"*.{_FORMATS[format]}"))}
    return {**files, "summary": folder / "summary.json"}
