"""Records as Arrow, and files of all kinds of records."""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from apnsift._arguments import Path, Paths, inputs, options
from apnsift._command import Run
from apnsift._errors import PartialWarning, UsageError, summary

if TYPE_CHECKING:
    import pandas


class Reader:
    """The records of some inputs, as Arrow record batches, in the order in which the command finds them.

    It is used like a :class:`pyarrow.RecordBatchReader`, once. Whatever takes an Arrow stream takes it: DuckDB by the name
    of the variable, ``polars.DataFrame(reader)``, ``pyarrow.dataset.write_dataset(reader, ...)``.
    The command runs while batches are read; memory has a few of them. Closing or dropping the reader ends the command.
    """

    def __init__(self, run: Run, stream: pa.RecordBatchReader, *, partial: bool) -> None:
        self._run = run
        self._reader = pa.RecordBatchReader.from_batches(stream.schema, _batches(run, stream, partial))

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns; the metadata has the versions of the schema and of the command."""
        return self._reader.schema

    @property
    def messages(self) -> list[str]:
        """What the command printed to this moment; after the last batch, all of it (at most 1000 messages)."""
        return list(self._run.messages)

    def read_next_batch(self) -> pa.RecordBatch:
        """The next batch; StopIteration after the last."""
        return self._reader.read_next_batch()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return iter(self._reader)

    def __next__(self) -> pa.RecordBatch:
        return self.read_next_batch()

    def read_all(self) -> pa.Table:
        """All records that are left, as one table in memory."""
        return self._reader.read_all()

    def to_pandas(self, **arguments: Any) -> pandas.DataFrame:
        """All records that are left; the arguments are those of :meth:`pyarrow.Table.to_pandas`."""
        frame: pandas.DataFrame = self.read_all().to_pandas(**arguments)
        return frame

    read_pandas = to_pandas

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._reader.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Ends the command, if it still runs."""
        self._run.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read(
    paths: Paths = (),
    *,
    records: str = "feedback",
    columns: Sequence[str] | str | None = None,
    batch_rows: int | None = None,
    jobs: int | None = None,
    partial: bool = False,
    **command_options: Any,
) -> Reader:
    """Reads the records of one kind from dumps, captures, logs and directories.

    >>> import apnsift
    >>> apnsift.read("samples/lost-byte.bin").read_all().num_rows
    39
    >>> apnsift.read("samples/captures/gateway.pcap", records="responses", columns=["status", "identifier"]).to_pandas()
       status  identifier
    0       8         121
    1      10         206

    paths: a file, directory, pattern such as ``"dumps/**/*.bin"`` or ``"-"`` (standard input), or several of these.
    records: feedback, requests, responses, resend, pushes, resend-pushes, streams, findings or inputs.
    columns: names in their order; by default those that `apnsift help export` lists. ``stream_offset`` is ``offset`` by a
        name that SQL does not reserve.
    batch_rows: most rows of a batch.
    jobs: inputs that are read at the same time.
    partial: an input that cannot be read in full gives a PartialWarning after the last batch, instead of an InputError.
    command_options: the long options of `apnsift export`, with underscores: ``keys="keys.log"``, ``join=True``,
        ``keys=["a.log", "b.log"]``, ``from_="raw"``, ``earliest=datetime(...)``.

    A wrong option raises UsageError at once. An input that cannot be read, or not in full, raises InputError after the last
    batch; read it with records="findings" or "inputs" to know more.
    """
    names = inputs(paths)
    run, stream = _opened(records, columns, [*_flags(batch_rows, jobs), *options(command_options)], names)
    return Reader(run, stream, partial=partial)


def schema(
    records: str = "feedback", *, columns: Sequence[str] | str | None = None, **command_options: Any
) -> pa.Schema:
    """The columns that `read` has with these parameters, without reading anything.

    >>> import apnsift
    >>> apnsift.schema(columns="time,token").types
    [TimestampType(timestamp[us, tz=UTC]), DataType(binary)]
    """
    given = {name: value for name, value in command_options.items() if name not in ("requests", "responses")}
    # An empty standard input has no records.
    run, stream = _opened(records, columns, options(given), ["-"], reads_standard_input=False)
    with run:
        return stream.schema


def _flags(batch_rows: int | None, jobs: int | None) -> list[str]:
    values = {"--batch-rows": batch_rows, "--jobs": jobs}
    return [f"{name}={value}" for name, value in values.items() if value is not None]


def _opened(
    records: str,
    columns: Sequence[str] | str | None,
    arguments: list[str],
    names: list[str],
    *,
    reads_standard_input: bool = True,
) -> tuple[Run, pa.RecordBatchReader]:
    """A run that has written its schema."""
    if columns is not None:
        arguments = [*arguments, f"--columns={columns if isinstance(columns, str) else ','.join(columns)}"]
    command_line = ["export", "-t", "arrow", f"--records={records}", *arguments, "--", *names]
    run = Run(command_line, reads_standard_input=reads_standard_input and "-" in names)
    try:
        return run, pa.ipc.open_stream(pa.PythonFile(run.output, "r"))
    except (pa.ArrowInvalid, OSError):
        run.finish()  # without a schema, the command has failed
        raise


def _batches(run: Run, stream: pa.RecordBatchReader, partial: bool) -> Iterator[pa.RecordBatch]:
    """The batches of a run, and then the exception of its exit status."""
    try:
        yield from stream
    except (pa.ArrowInvalid, OSError):
        run.finish()  # a stream that is cut has its reason there
        raise
    run.finish(partial=partial)
    _warn(run, stacklevel=3)


def _warn(run: Run, stacklevel: int) -> None:
    if run.status == 2:
        warnings.warn(summary(run.messages), PartialWarning, stacklevel=stacklevel)


_FORMATS = {"csv": "csv", "ndjson": "ndjson", "arrow": "arrows"}  # and the extensions of their files


def export(
    paths: Paths,
    directory: Path,
    *,
    format: str = "csv",
    force: bool = False,
    jobs: int | None = None,
    partial: bool = False,
    **command_options: Any,
) -> dict[str, pathlib.Path]:
    """Writes a file of each kind of record, and summary.json, into a directory, in one pass; returns their paths by kind.

    >>> import apnsift
    >>> sorted(apnsift.export("samples/captures/gateway.pcap", "tables"))
    ['feedback', 'findings', 'inputs', 'pushes', 'requests', 'responses', 'streams', 'summary']

    format: csv, ndjson or arrow (IPC streams).
    force: overwrite files in the directory.
    The other parameters are those of `read`. If an input cannot be read in full, the files have what could be read.
    """
    if format not in _FORMATS:
        raise UsageError([f"unknown format {format!r}: expected one of {', '.join(_FORMATS)}"], 64)
    folder = pathlib.Path(directory)
    arguments = ["export", "-t", format, f"--output={folder}/", *options(command_options)]
    arguments += [*_flags(None, jobs), *(["--force"] if force else [])]
    names = inputs(paths)
    with Run([*arguments, "--", *names], reads_standard_input="-" in names) as run:
        run.finish(partial=partial)
        _warn(run, stacklevel=3)
    files = {path.stem: path for path in sorted(folder.glob(f"*.{_FORMATS[format]}"))}
    return {**files, "summary": folder / "summary.json"}
