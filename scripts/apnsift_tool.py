"""What the scripts share: the built commands and what they print, private servers, work on all processors, and faults."""

import collections
import concurrent.futures
import contextlib
import functools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 50  # faults that are printed
SERVERS = {"postgresql": ROOT / "scripts" / "private-postgres", "mysql": ROOT / "scripts" / "private-mariadb"}


@functools.cache
def binary(name="apnsift", target="build"):
    """The path of a command: APNSIFT or APNSIFT_LAB where that is set, else the release build of this checkout."""
    path = os.environ.get(name.upper().replace("-", "_")) or ROOT / ".build" / "release" / name
    if not os.access(path, os.X_OK):
        sys.exit(f"{program()}: no command at {path}. Build it with: make {target}")
    return str(Path(path).resolve())


def lab():
    """The path of apnsift-lab."""
    return binary("apnsift-lab", "lab")


def program():
    """The name of the script that runs."""
    return Path(sys.argv[0]).name


def by_type(lines):
    """The objects of `apnsift export -t ndjson` by their types."""
    objects = collections.defaultdict(list)
    for line in lines.splitlines():
        item = json.loads(line)
        objects[item["type"]].append(item)
    return objects


@contextlib.contextmanager
def private_server(kind, *settings):
    """A server of PostgreSQL or MySQL's protocol until the end of the context; gives the directory of its socket."""
    server = subprocess.Popen([SERVERS[kind], *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        directory = server.stdout.readline().strip()
        if not directory:
            sys.exit(f"{program()}: no server for {kind}, see above")
        yield directory
    finally:
        server.stdin.close()
        server.wait()


def on_all_processors(run, items, seconds=None):
    """(item, run(item)) for each, in their order. After `seconds` no other is begun: the rest is left out."""
    items, late = list(items), object()
    deadline = seconds and time.monotonic() + seconds
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        results = workers.map(lambda item: late if deadline and time.monotonic() > deadline else run(item), items)
        yield from ((item, result) for item, result in zip(items, results) if result is not late)


def conclude(faults, conclusion, advice=""):
    """Ends a check: prints its faults and fails, or prints what was found right."""
    faults = list(faults)
    for fault in faults[:SHOWN]:
        print(f"{program()}: {fault}", file=sys.stderr)
    if faults:
        sys.exit(f"{program()}: {len(faults)} faults{'; ' * bool(advice)}{advice}")
    print(f"{program()}: {conclusion}")
