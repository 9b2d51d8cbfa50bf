"""How the tokens of two inputs differ."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from apnsift._arguments import Path, inputs, options
from apnsift._command import Run
from apnsift._errors import FindingsError, UsageError

if TYPE_CHECKING:
    import pandas
    import polars

_TYPES: dict[str, pa.DataType] = {
    "difference": pa.string(), "token": pa.binary(),
    "invalidated_at_a": pa.timestamp("us", tz="UTC"), "invalidated_at_b": pa.timestamp("us", tz="UTC"),
    "source_a": pa.string(), "stream_a": pa.int64(), "offset_a": pa.int64(),
    "source_b": pa.string(), "stream_b": pa.int64(), "offset_b": pa.int64(),
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """The tokens that two inputs, a and b, have differently: a table, and how many there are of each kind.

    It is used like a :class:`apnsift.Reader`, but any number of times: whatever takes an Arrow stream takes it.
    """

    table: pa.Table
    only_a: int
    only_b: int
    other_time: int
    same: int
    messages: list[str]

    def read_all(self) -> pa.Table:
        """The differences: the column ``difference`` has only-a, only-b or other-time."""
        return self.table

    def to_pandas(self, **arguments: Any) -> pandas.DataFrame:
        """arguments: those of :meth:`pyarrow.Table.to_pandas`."""
        frame: pandas.DataFrame = self.table.to_pandas(**arguments)
        return frame

    def to_polars(self) -> polars.DataFrame:
        import polars

        return polars.DataFrame(self.table)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]


def compare(a: Path, b: Path, *, jobs: int | None = None, partial: bool = False, **command_options: Any) -> Comparison:
    """Compares the tokens of two files or directories: those that only one has, or both with other times of invalidation.

    >>> import apnsift
    >>> found = apnsift.compare("samples/lost-byte.bin", "samples/cut-tail.bin")
    >>> found.only_a, found.only_b, found.other_time, found.same
    (1, 1, 1, 35)
    >>> found.to_pandas()["difference"].tolist()
    ['only-a', 'other-time', 'only-b']

    The other parameters are those of `read`; options are those of `apnsift compare`.
    """
    for name in ("strict", "fail_on"):  # findings and differences have the same exit status
        if name in command_options:
            raise UsageError([f"the option --{name.replace('_', '-')} cannot be given here"], 64)
    with Run(["compare", *options(command_options, to="json", jobs=jobs)], inputs([a, b])) as run:
        written = run.output.read()
        with contextlib.suppress(FindingsError):  # the tokens differ
            run.finish(partial=partial)
    found = json.loads(written)
    return Comparison(_table(found["differences"]), **found["summary"], messages=list(run.messages))


def _table(differences: list[dict[str, Any]]) -> pa.Table:
    columns: dict[str, Any] = {name: [one[name] for one in differences] for name in _TYPES}
    columns["token"] = [bytes.fromhex(token) for token in columns["token"]]
    for name in ("invalidated_at_a", "invalidated_at_b"):
        columns[name] = pa.array(columns[name], pa.string()).cast(_TYPES[name])
    return pa.table(columns, pa.schema(_TYPES))
