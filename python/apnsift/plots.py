"""Figures of tokens. The extra `plots` installs matplotlib, without which this module cannot be imported.

Each function returns a figure of its own, to save (``figure.savefig("days.svg")``) or to show in a notebook.
"""

from __future__ import annotations

import collections
import datetime
import io
from typing import Any

import pyarrow as pa
import pyarrow.csv
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from apnsift._arguments import options
from apnsift._command import printed

UNKNOWN_APP = "unknown app"
_DAY = 86_400  # seconds


def invalidations(tokens: Any) -> Figure:
    """How many tokens became invalid on each day (UTC), by app: the first topic of their pushes, which feedback has not.

    tokens: those of :func:`apnsift.tokens`, or any table or stream of Arrow with ``invalidated_at`` and ``topics``.

    >>> import apnsift, apnsift.plots
    >>> figure = apnsift.plots.invalidations(apnsift.tokens("samples/lost-byte.bin"))
    >>> figure.axes[0].get_ylabel()
    'tokens that became invalid'
    """
    days: dict[str, collections.Counter[datetime.date]] = collections.defaultdict(collections.Counter)
    # By read_all, the errors of a reader of this package stay as they are.
    table = tokens.read_all() if hasattr(tokens, "read_all") else pa.table(tokens)
    for time, topics in zip(table["invalidated_at"].to_pylist(), table["topics"].to_pylist()):
        if time is not None:
            days[topics[0] if topics else UNKNOWN_APP][time.date()] += 1
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="day (UTC)", ylabel="tokens that became invalid")
    below: collections.Counter[datetime.date] = collections.Counter()
    for number, (app, counts) in enumerate(sorted(days.items())):
        # Of years, a day is less than a pixel, and without an edge may not be drawn.
        style = {"color": f"C{number}", "edgecolor": f"C{number}", "linewidth": 0.8, "label": app}
        axes.bar(list(counts), list(counts.values()), bottom=[below[day] for day in counts], **style)  # type: ignore[arg-type]
        below += counts
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _with_legend(figure, len(days))


def survival(store: str, *, until: datetime.datetime | None = None, **command_options: Any) -> Figure:
    """The share of tokens that were still valid, by the days since they were last registered, of each app (Kaplan-Meier).

    store: as for `apnsift store`: ``"sqlite:tokens.sqlite"``, or a URI of PostgreSQL or MariaDB.
    until: when the store was up to date, until which live tokens were valid; by default its latest time.
    command_options: options of `apnsift store export`, with underscores: ``mapping="users.yml"``, ``app="com.example.app"``.

    Rows without a registration, or with one after the invalidation, are left out.
    """
    rows = _rows(store, command_options)
    latest = max((time for row in rows for time in row[1:] if time is not None), default=0)
    end = latest if until is None else until.timestamp()
    lives: dict[str, list[tuple[float, bool]]] = collections.defaultdict(list)
    for app, registered, invalidated in rows:
        last = end if invalidated is None else invalidated
        if registered is not None and registered <= last:
            lives[app].append(((last - registered) / _DAY, invalidated is not None))
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="days since the last registration", ylabel="share of valid tokens", ylim=(0, 1.02))
    for app, observed in sorted(lives.items()):
        axes.step(*survivors(observed), where="post", label=f"{app} ({len(observed)})")
    return _with_legend(figure, len(lives))


def survivors(lives: list[tuple[float, bool]]) -> tuple[list[float], list[float]]:
    """Days, and the share that was valid after each: the estimate of Kaplan and Meier.

    lives: for how many days each token was seen, and whether it became invalid then.

    >>> survivors([(1, True), (2, False), (3, True)])
    ([0.0, 1, 2, 3], [1.0, 0.6666666666666667, 0.6666666666666667, 0.0])
    """
    ends = collections.Counter(day for day, _ in lives)
    deaths = collections.Counter(day for day, is_dead in lives if is_dead)
    days, shares, left = sorted(ends), [1.0], len(lives)
    for day in days:
        shares.append(shares[-1] * (1 - deaths[day] / left))
        left -= ends[day]
    return [0.0, *days], shares


def _rows(store: str, command_options: dict[str, Any]) -> list[tuple[str, int | None, int | None]]:
    """App, and UNIX seconds of registration and invalidation."""
    columns = {"app": pa.string(), "registered_at": pa.int64(), "invalidated_at": pa.int64()}
    arguments = options(command_options, columns=",".join(columns), time_form="seconds", store=store)
    text = io.BytesIO(printed(["store", "export", *arguments]))
    read = pyarrow.csv.read_csv(text, convert_options=pyarrow.csv.ConvertOptions(column_types=columns))
    return list(zip(*(read[name].to_pylist() for name in columns)))


def _with_legend(figure: Figure, count: int) -> Figure:
    if count:
        figure.legend(loc="outside right upper")
    return figure
