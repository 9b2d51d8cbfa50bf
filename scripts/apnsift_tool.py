"""What the scripts share: options, the built commands and what they print, servers, work on all processors, and faults."""

import argparse
import collections
import concurrent.futures
import contextlib
import csv
import functools
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
FIXTURES = ROOT / "Tests" / "Fixtures"
CHECKS = FIXTURES / "checks"  # tables and inputs of checks
KEPT = ROOT / ".build" / "cross-check"  # inputs of failures
SHOWN = 50  # faults that are printed
SERVERS = {"postgresql": ROOT / "scripts" / "private-postgres", "mysql": ROOT / "scripts" / "private-mariadb"}


def options(document, **defaults):
    """The options of a script: of False a flag, of None a text, of a list the words without a name; `document` is its help."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="see below")
    for name, default in defaults.items():
        if isinstance(default, list):
            parser.add_argument(name, nargs="*", default=default)
        elif default is False:
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true")
        else:
            parser.add_argument(f"--{name}", type=str if default is None else type(default), default=default)
    return parser.parse_args()


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


def run(command, codes=(0,), **more):
    """What a command prints. Another exit code ends the check."""
    command = list(map(str, command))
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", **more)
    if answer.returncode not in codes:
        sys.exit(f"{program()}: exit code {answer.returncode}: {shlex.join(command)}\n{answer.stderr[-2000:]}")
    return answer.stdout


def by_type(text):
    """The objects of `apnsift export -t ndjson` by their types. Only a line feed ends a line: texts may hold U+2028."""
    objects = collections.defaultdict(list)
    for line in filter(None, text.split("\n")):
        item = json.loads(line)
        objects[item["type"]].append(item)
    return objects


def export(*arguments, **more):
    """All that the command exports, by type."""
    return by_type(run([binary(), "export", "-t", "ndjson", *arguments], **more))


def table(*arguments, **more):
    """The rows of what the command prints as CSV."""
    return list(csv.DictReader(io.StringIO(run([binary(), *arguments], **more))))


def sections(path):
    """The lines of a table by the [section] that they are in, without blank ones and comments."""
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("["):
            lines = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def provider_logs():
    """(path, what NAME.json says of it, options with the names of its fields) of the logs in samples/pushes."""
    for path in sorted((SAMPLES / "pushes" / "logs").iterdir()):
        if path.suffix in (".log", ".csv", ".ndjson") and not path.stem.endswith(".truth"):
            about = json.loads(path.with_suffix(".json").read_text())
            names = ",".join(f"{name}={column}" for name, column in about.get("names", {}).items())
            yield path, about, ["--map", names] if names else []


def differences(what, found, wanted):
    """Where two lists of values are not alike, without their order."""
    found, wanted = collections.Counter(found), collections.Counter(wanted)
    yield from (f"{what}: {one} {found[one]} times, not {wanted[one]}" for one in (wanted - found) + (found - wanted))


Measured = collections.namedtuple("Measured", "code output errors seconds kibibytes")


def measured(command, most_seconds=60):
    """How a command ended, what it printed as text, and what it took of a processor and of memory."""
    # By `time`, because a child of this process has at least its memory.
    with tempfile.NamedTemporaryFile("r") as said:
        words = ["prlimit", f"--cpu={most_seconds}", "/usr/bin/time", "-o", said.name, "-f", "%U %S %M", *map(str, command)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
        user, system, kibibytes = said.read().split()[-3:]
    return Measured(done.returncode, done.stdout, done.stderr, float(user) + float(system), int(kibibytes))


def keep(command):
    """Keeps the file of a command, which is its last word; the command that reads it from there."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = shutil.copy(command[-1], KEPT / f"{program()}-{Path(command[-1]).name}")
    return shlex.join(map(str, [*command[:-1], kept]))


@contextlib.contextmanager
def temporary_folder(**more):
    """A directory until the end of the context."""
    with tempfile.TemporaryDirectory(**more) as name:
        yield Path(name)


@contextlib.contextmanager
def private_server(kind):
    """A server of PostgreSQL or MySQL's protocol until the end of the context; gives the directory of its socket."""
    # Its standard input ends with the context, and so does the server.
    with subprocess.Popen([SERVERS[kind]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        directory = server.stdout.readline().strip()
        if not directory:
            sys.exit(f"{program()}: no server for {kind}, see above")
        yield directory


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
